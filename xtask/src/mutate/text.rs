//! Random changes to texts; a seed determines them.

/// A secret of the environment, which no output may contain.
pub const CANARY: &str = "Kanarie7Vogel";
/// The part of its base64 that does not depend on the bytes around it.
pub const CANARY_BASE64: &str = "S2FuYXJpZTdWb2dlb";

/// Tokens with a meaning in YAML, Kubernetes or templates, and the canary.
pub const TOKENS: &[&str] = &[
    CANARY,
    " Kanarie7Vogel ",
    "0.1.0-Kanarie7Vogel",
    "kanarie7vogel",
    "S2FuYXJpZTdWb2dlbA==",
    "name: Kanarie7Vogel\n",
    "\t",
    " ",
    "\n",
    "\r\n",
    ":",
    ": ",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    "\"",
    "#",
    " #",
    "&a ",
    "*a",
    "<<: ",
    "<<: *a\n",
    "!!str ",
    "!!binary ",
    "!",
    "|",
    "|\n",
    ">-\n",
    "|2\n",
    "\\",
    "\\u",
    "\\ud800",
    "~",
    "%",
    "@",
    "`",
    "---\n",
    "--- ",
    "...\n",
    "\u{FEFF}",
    "\u{85}",
    "\u{2028}",
    "é",
    "\u{1}",
    "\0",
    "0x1F",
    "1e3",
    ".inf",
    "yes",
    "null",
    "{{",
    "}}",
    "{{- if .Values.a }}",
    "kind: Job\n",
    "apiVersion: batch/v1\n",
    "metadata:\n",
    "spec:\n",
    "template:\n",
    "containers:\n",
    "helm.sh/hook: pre-install",
    "argocd.argoproj.io/hook: Sync",
    "restartPolicy: Always",
    "-9223372036854775808",
    "18446744073709551615",
    "schedule: \"* * * * *\"",
    "$(",
    "<<EOF\n",
];

/// Makes one to four changes to a text, with pieces of `others` and `tokens`.
pub fn mutate(
    mut text: Vec<u8>,
    others: &[Vec<u8>],
    tokens: &[&str],
    random: &mut Random,
) -> Vec<u8> {
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(24)).min(text.len());
        match random.below(8) {
            0 if at < text.len() => text[at] ^= 1 << random.below(8),
            1 | 2 => insert(&mut text, at, random.one_of(tokens).as_bytes()),
            3 => drop(text.drain(at..end)),
            4 => {
                let piece = text[at..end].to_vec();
                let place = random.below(text.len() + 1);
                insert(&mut text, place, &piece);
            }
            5 => {
                let (start, end) = line(&text, at);
                let piece = text[start..end].to_vec();
                insert(&mut text, start, &piece);
            }
            6 => {
                let (start, end) = line(&text, at);
                drop(text.drain(start..end));
            }
            _ => {
                let other = random.one_of(others);
                text.truncate(at);
                text.extend(&other[random.below(other.len() + 1)..]);
            }
        }
    }
    text
}

pub fn insert(text: &mut Vec<u8>, at: usize, piece: &[u8]) {
    drop(text.splice(at..at, piece.iter().copied()));
}

/// The line around an offset, with its line break.
fn line(text: &[u8], at: usize) -> (usize, usize) {
    let start = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |found| found + 1);
    let end = text[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |n| at + n + 1);
    (start, end)
}

/// Xorshift: small, and the same on every platform.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64, case: u64) -> Self {
        let mixed =
            (seed ^ case.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD134_2543_DE82_EF95);
        let mut random = Self(mixed | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// One element of a slice, which must not be empty.
    pub fn one_of<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[self.below(things.len())]
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit
    }
}
