//! Dollar signs that are written twice, so that neither Flux nor Kubernetes replaces what follows them.

use std::ops::Range;

use job_lifecycle::deploy::{SubstitutionKind, substitutions};

/// A text as the container gets it. Spaces at the end of a line keep the offsets of the lines behind it.
#[derive(Debug, Default)]
pub(super) struct Unescaped {
    pub text: String,
    /// Where in the text a dollar sign is gone, in order.
    removed: Vec<usize>,
}

impl Unescaped {
    /// A text in which nothing is escaped.
    pub(super) fn as_written(text: String) -> Self {
        Self { text, removed: Vec::new() }
    }

    /// What Kubernetes makes of an element of `command` or `args`: `$$` becomes `$`.
    ///
    /// Source: <https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/>
    pub(super) fn by_kubernetes(text: String) -> Self {
        Self::without(text, |line| line.match_indices("$$").map(|(at, _)| at).collect())
    }

    /// What Flux makes of a text: `$${NAME}` becomes `${NAME}`.
    pub(super) fn by_flux(text: String) -> Self {
        let is_escape = |kind: &SubstitutionKind<'_>| matches!(kind, SubstitutionKind::Escape);
        Self::without(text, |line| {
            let all = substitutions(line).into_iter().filter(|one| is_escape(&one.kind));
            all.map(|one| one.range.start).collect()
        })
    }

    /// The text without the characters at these offsets of each line.
    fn without(text: String, escapes: impl Fn(&str) -> Vec<usize>) -> Self {
        if !text.contains("$$") {
            return Self::as_written(text);
        }
        let mut read = Self::default();
        for line in text.split_inclusive('\n') {
            let escapes = escapes(line);
            let content = line.trim_end_matches(['\n', '\r', '\\']);
            let mut from = 0;
            for at in &escapes {
                read.text.push_str(&content[from..*at]);
                read.removed.push(read.text.len());
                from = at + 1;
            }
            read.text.push_str(&content[from..]);
            read.text.extend(std::iter::repeat_n(' ', escapes.len()));
            read.text.push_str(&line[content.len()..]);
        }
        read
    }

    /// Where a part of the text is written.
    pub(super) fn written(&self, part: Range<usize>) -> Range<usize> {
        if self.removed.is_empty() {
            return part;
        }
        let place = |at: usize| {
            let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
            let before = self.removed.partition_point(|removed| *removed < line);
            at + self.removed.partition_point(|removed| *removed <= at) - before
        };
        let end = if part.is_empty() { place(part.start) } else { place(part.end - 1) + 1 };
        place(part.start)..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_where_they_are_written() {
        let written = "a=$$(seq 3)\nfor i in $$a; do echo $$i; done\nexit 1\n";
        let read = Unescaped::by_kubernetes(written.to_owned());
        assert_eq!(read.text, "a=$(seq 3) \nfor i in $a; do echo $i; done  \nexit 1\n");
        for word in ["seq", "echo", "done", "exit 1"] {
            let at = read.text.find(word).unwrap();
            assert_eq!(&written[read.written(at..at + word.len())], word);
        }
        let whole = read.text.find("$i").unwrap();
        assert_eq!(&written[read.written(whole..whole + 2)], "$i");
    }

    #[test]
    fn a_part_may_span_lines() {
        let written = "echo $$a\necho $$b\n";
        let read = Unescaped::by_kubernetes(written.to_owned());
        let end = read.text.find("$b").unwrap() + 2;
        assert_eq!(&written[read.written(0..end)], "echo $$a\necho $$b");
    }
}
