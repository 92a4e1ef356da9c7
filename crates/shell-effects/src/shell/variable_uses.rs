//! Where a script uses its variables, found in one pass over its text.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

/// Text that makes a line a test of its variables.
const TESTS: [&str; 6] = ["[ ", "[[", "test ", "case ", "grep", "jq -e"];

/// Operators of a test which ask for a file, whatever is in it.
const EXISTS: [&str; 3] = ["-e", "-f", "-s"];

/// How a line asks for the size of a file.
const MEASURES: [&str; 4] = ["du -", "stat -", "wc -c", "ls -"];

/// Uses of variables by name.
#[derive(Debug, Default)]
pub(crate) struct VariableUses<'t> {
    /// The offset of the last use.
    last: HashMap<&'t str, usize>,
    tested: HashSet<&'t str>,
    /// The words of lines that test something, with the offset of the last such line.
    words: HashMap<&'t str, usize>,
    /// Those that such a line does more with than to ask whether there is a file of the name, with something in it.
    contents: HashMap<&'t str, usize>,
    /// Where the script reads a variable that it assigns: neither to print it nor to add to it.
    reads: HashMap<&'t str, Vec<usize>>,
    /// The last `exit` with the value of the variable.
    exits: HashMap<&'t str, usize>,
    /// The last command that may end the script with a failure.
    gives_up: Option<usize>,
    /// The script waits for one process or job.
    pub(crate) waits_for_process: bool,
    /// The script sets a trap, which may change its exit status.
    pub(crate) sets_trap: bool,
    /// The script lets the last command of a pipeline run in the shell itself.
    pub(crate) lastpipe: bool,
}

impl<'t> VariableUses<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut uses = Self::default();
        let mut start = 0;
        let mut assigned = Vec::new();
        let mut measured = Vec::new();
        for line in text.split_inclusive('\n') {
            let test = TESTS.iter().any(|test| line.contains(test));
            if test {
                let mut before = "";
                for word in words_of(line) {
                    uses.words.insert(word, start);
                    if !EXISTS.contains(&before) {
                        uses.contents.insert(word, start);
                    }
                    before = word;
                }
            }
            let assignment = assigned_in(line);
            if let Some((_, target)) =
                assignment.filter(|_| MEASURES.iter().any(|it| line.contains(it)))
            {
                measured.push((target, start, line));
            }
            for (at, _) in line.match_indices('$') {
                let name = line[at + 1..].trim_start_matches('{');
                let letters = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
                let name = &name[..name.find(letters).unwrap_or(name.len())];
                uses.last.insert(name, start + at);
                if test {
                    uses.tested.insert(name);
                }
                let target = assignment.filter(|(end, _)| *end < at);
                assigned.extend(target.map(|(_, target)| (target, name)));
            }
            start += line.len();
        }
        // `key=$(echo "$out" | jq .key)` before a test of `key` tests `out`.
        for (target, name) in assigned.into_iter().rev() {
            if uses.tested.contains(target) {
                uses.tested.insert(name);
            }
        }
        // `size=$(stat -c %s FILE)` before a test of `size` tests the file.
        for (_, start, line) in measured.into_iter().filter(|(it, ..)| uses.tested.contains(it)) {
            uses.words.extend(words_of(line).map(|word| (word, start)));
            uses.contents.extend(words_of(line).map(|word| (word, start)));
        }
        uses.add_reads(text);
        uses.gives_up = GIVES_UP.iter().chain(&["false"]).filter_map(|end| text.rfind(end)).max();
        uses.waits_for_process = waits_for_process(text);
        uses.sets_trap = text.contains("trap ");
        uses.lastpipe = text.contains("lastpipe");
        uses
    }

    fn add_reads(&mut self, text: &'t str) {
        let assigned: HashSet<_> = segments(text).filter_map(|(_, one)| changed_in(one)).collect();
        for (start, segment) in segments(text) {
            let exits = segment.strip_prefix("exit ").map(|value| value.trim_matches(QUOTES));
            self.exits.extend(exits.map(|name| (name, start)));
            if only_prints(segment) {
                continue;
            }
            let changed = changed_in(segment);
            let words = segment.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            for word in words.filter(|word| assigned.contains(word) && changed != Some(word)) {
                let at = start + (word.as_ptr() as usize - segment.as_ptr() as usize);
                self.reads.entry(word).or_default().push(at);
            }
        }
    }

    /// Whether the script reads the variable in a range, other than to print it or to add to it.
    pub(crate) fn is_read_in(&self, name: &str, range: Range<usize>) -> bool {
        self.reads.get(name).is_some_and(|reads| {
            let next = reads.partition_point(|at| *at < range.start);
            reads.get(next).is_some_and(|at| *at < range.end)
        })
    }

    /// Whether the script may still end with a failure after an offset.
    pub(crate) fn gives_up_after(&self, offset: usize) -> bool {
        self.gives_up.is_some_and(|last| last >= offset)
    }

    /// Whether the script exits with the value of the variable at or after an offset.
    pub(crate) fn exits_with(&self, name: &str, offset: usize) -> bool {
        self.exits.get(name).is_some_and(|last| *last >= offset)
    }

    /// Whether the variable is used at or after an offset.
    pub(crate) fn is_used_after(&self, name: &str, offset: usize) -> bool {
        self.last.get(name).is_some_and(|last| *last >= offset)
    }

    /// Whether a test uses the variable.
    pub(crate) fn is_tested(&self, name: &str) -> bool {
        self.tested.contains(name)
    }

    /// Whether a test after an offset names the file.
    pub(crate) fn is_file_tested(&self, path: &str, offset: usize) -> bool {
        let names_a_file = path.len() > 1 && path != "/dev/null";
        names_a_file && self.words.get(path).is_some_and(|start| *start >= offset)
    }

    /// Whether a test after an offset names the file, and asks for more than whether it is there and not empty.
    pub(crate) fn is_content_tested(&self, path: &str, offset: usize) -> bool {
        let is_tested = self.contents.get(path).is_some_and(|start| *start >= offset);
        is_tested && self.is_file_tested(path, offset)
    }
}

/// Whether the text contains a `wait` for one process or job.
fn waits_for_process(text: &str) -> bool {
    text.match_indices("wait ").any(|(at, wait)| {
        let whole = !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || "-_".contains(c));
        let operand = text[at + wait.len()..].trim_start();
        whole && operand.starts_with(['$', '"', '%', '-'])
    })
}

/// What ends a script with a failure.
const GIVES_UP: [&str; 4] = ["exit 1", "exit 2", "return 1", "exit $"];

/// Whether the text contains a command that ends the script with a failure.
pub(crate) fn gives_up(text: &str) -> bool {
    GIVES_UP.iter().any(|end| text.contains(end))
}

/// What may enclose the name of a variable.
const QUOTES: [char; 5] = ['"', '$', '{', '}', ' '];

/// Keywords that a command may follow.
const KEYWORDS: [&str; 10] = ["then", "else", "elif", "do", "if", "while", "until", "!", "{", "("];

/// Builtins before an assignment that no other program sees.
const DECLARERS: [&str; 5] = ["local -i", "local", "declare -i", "declare", "typeset"];

/// Operators that change the variable before them.
const CHANGES: [&str; 5] = ["=", "++", "--", "+=", "-="];

/// Programs that only print their arguments.
const PRINTERS: [&str; 7] = ["echo", "printf", "log", "warn", "info", "error", "logger"];

/// Commands with their offsets, without keywords. Text in quotes may be cut: it then counts as a command of its own.
fn segments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut before = ' ';
    let parts = text.split(move |c: char| {
        let redirects = matches!(std::mem::replace(&mut before, c), '>' | '<');
        matches!(c, ';' | '\n') || c == '&' && !redirects
    });
    parts.flat_map(|part| part.split("||")).filter_map(move |part| {
        // `fail() { failed=1; }`
        let body = part.split_once("() {").map(|(_, body)| body);
        let mut rest = body.unwrap_or(part).trim();
        while let Some(inner) = KEYWORDS.iter().find_map(|word| after_keyword(rest, word)) {
            rest = inner;
        }
        let start = rest.as_ptr() as usize - text.as_ptr() as usize;
        (!rest.starts_with('#')).then_some((start, rest))
    })
}

fn after_keyword<'s>(segment: &'s str, keyword: &str) -> Option<&'s str> {
    let rest = segment.strip_prefix(keyword)?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim_start())
}

/// Whether a command prints its arguments, and nothing else takes what it prints.
fn only_prints(segment: &str) -> bool {
    let program = segment.split_whitespace().next().unwrap_or_default();
    let segment = segment.replace(">&2", "");
    PRINTERS.contains(&program)
        && !segment.contains(['|', '>', '<', '`'])
        && !segment.contains("$(")
}

/// The variable that a command assigns or adds to, if it does nothing else: `n=1`, `((n++))`, `let n+=1`.
fn changed_in(segment: &str) -> Option<&str> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let declared = DECLARERS.iter().find_map(|word| after_keyword(segment, word));
    let segment = declared.unwrap_or(segment);
    let inside = segment.strip_prefix("((").or_else(|| segment.strip_prefix("let "));
    if inside.is_some_and(|inside| inside.contains(['<', '>', '?']) || inside.contains("==")) {
        return None;
    }
    let rest = inside.unwrap_or(segment).trim_start_matches([' ', '"']);
    let name = rest.trim_start_matches(['+', '-']);
    let (name, after) = name.split_at(name.find(|c| !is_letter(c)).unwrap_or(name.len()));
    let changes = match inside {
        Some(_) => {
            let after = after.trim_start();
            rest.starts_with("++") || CHANGES.iter().any(|operator| after.starts_with(operator))
        }
        None => after.starts_with('=') || after.starts_with("+="),
    };
    (changes && !name.is_empty()).then_some(name)
}

/// The words of a line that may be paths.
fn words_of(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| c.is_whitespace() || NO_PATH.contains(c));
    words.filter(|word| !word.is_empty())
}

/// What ends a path in a test.
const NO_PATH: &str = "\"'`()[];|&<>=,";

/// The variable that a line assigns, and where its name ends: `key=$(…`.
fn assigned_in(line: &str) -> Option<(usize, &str)> {
    let (name, _) = line.split_once('=')?;
    let end = name.len();
    let name = name.trim_start().rsplit(' ').next()?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then_some((end, name))
}
