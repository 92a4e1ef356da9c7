//! Reads the words of a command line: program names and flags.

/// Programs that take the same arguments as another one.
const ALIASES: [(&str, &str); 7] = [
    ("awslocal", "aws"),
    ("bao", "vault"),
    ("forgejo", "gitea"),
    ("keydb-cli", "redis-cli"),
    ("mcli", "mc"),
    ("valkey-cli", "redis-cli"),
    ("ycqlsh", "cqlsh"),
];

/// The name of a program without its directory and version, with aliases resolved.
pub(crate) fn program_name(word: &str) -> &str {
    let base = word.rsplit('/').next().unwrap_or(word);
    let base = base.strip_suffix(".exe").unwrap_or(base);
    let stem = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match stem {
        "python" | "pip" | "ruby" | "node" | "php" => stem,
        _ => ALIASES.iter().find(|(name, _)| *name == base).map_or(base, |(_, program)| program),
    }
}

/// Whether one of the words is the flag: alone, as `flag=value`, or as a letter of a cluster like `-xvf`.
pub(crate) fn has_flag(words: &[&str], flag: &str) -> bool {
    words.iter().any(|word| is_flag(word, flag))
}

/// Whether a word is the flag, in any of the forms of [`has_flag`].
pub(crate) fn is_flag(word: &str, flag: &str) -> bool {
    let Some(rest) = word.strip_prefix(flag) else { return in_cluster(word, flag) };
    rest.is_empty() || rest.starts_with('=') || in_cluster(word, flag)
}

fn in_cluster(word: &str, flag: &str) -> bool {
    let (Some(letters), Some(letter)) = (word.strip_prefix('-'), flag.strip_prefix('-')) else {
        return false;
    };
    let cluster = letters.len() <= 5 && letters.bytes().all(|b| b.is_ascii_alphabetic());
    letter.len() == 1 && cluster && letters.contains(letter)
}

/// The words after the program that are not flags.
pub(crate) fn operands<'w, 'v>(
    words: &'w [&'v str],
) -> impl Iterator<Item = &'v str> + use<'w, 'v> {
    words.iter().skip(1).filter(|word| !word.starts_with('-')).copied()
}

/// The values of a flag (`-o x`, `-o=x`, `--out x`). `last` means the last operand, `sources` all operands before it.
pub(crate) fn flag_values<'v>(words: &[&'v str], flag: &str) -> Vec<&'v str> {
    if matches!(flag, "last" | "sources") {
        let mut operands: Vec<_> = operands(words).collect();
        let last = operands.pop();
        return if flag == "last" { last.into_iter().collect() } else { operands };
    }
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if let Some(rest) = word.strip_prefix(flag) {
            let next = words.get(index + 1).copied();
            found.extend(if rest.is_empty() { next } else { rest.strip_prefix('=') });
        }
    }
    found
}
