//! What is left of a folded block scalar after go-yaml 3 wrote and read it.
//!
//! kustomize writes every resource as YAML once more before it prints it. go-yaml's emitter then adds an empty line before
//! lines that are indented, which become part of the text.

/// The text of a folded scalar after one round trip.
pub(crate) fn round_trip(text: &str) -> String {
    let (written, chomping) = write(text);
    read(&written, chomping)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

/// libyaml's `yaml_emitter_write_folded_scalar`, without indentation.
fn write(text: &str) -> (String, Chomping) {
    let mut written = String::with_capacity(text.len() + 8);
    let starts_blank =
        text.starts_with([' ', '\t']) || text.trim_start_matches('\n').starts_with([' ', '\t']);
    let starts_blank = starts_blank || text.trim_start_matches('\n').is_empty();
    let (mut after_break, mut is_indented) = (true, true);
    for c in text.chars() {
        if c == '\n' {
            // The emitter means to look at what follows, but looks at the start of the text.
            if !after_break && !is_indented && !starts_blank {
                written.push('\n');
            }
            written.push('\n');
            after_break = true;
            continue;
        }
        if after_break {
            is_indented = matches!(c, ' ' | '\t');
        }
        written.push(c);
        after_break = false;
    }
    let chomping = match text.strip_suffix('\n') {
        None => Chomping::Strip,
        Some(rest) if rest.is_empty() || rest.ends_with('\n') => Chomping::Keep,
        Some(_) => Chomping::Clip,
    };
    (written, chomping)
}

/// libyaml's `yaml_parser_scan_block_scalar`.
fn read(written: &str, chomping: Chomping) -> String {
    let mut text = String::with_capacity(written.len());
    let (mut has_break, mut was_indented, mut empty) = (false, false, 0);
    let mut lines = written.split('\n').peekable();
    while let Some(line) = lines.next() {
        let is_last = lines.peek().is_none();
        if line.is_empty() {
            empty += usize::from(!is_last);
            continue;
        }
        let is_indented = line.starts_with([' ', '\t']);
        if has_break && !was_indented && !is_indented {
            if empty == 0 {
                text.push(' ');
            }
        } else if has_break {
            text.push('\n');
        }
        text.extend(std::iter::repeat_n('\n', empty));
        empty = 0;
        was_indented = is_indented;
        text.push_str(line);
        has_break = !is_last;
    }
    if chomping != Chomping::Strip && has_break {
        text.push('\n');
    }
    if chomping == Chomping::Keep {
        text.extend(std::iter::repeat_n('\n', empty));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::round_trip;

    /// Observed with kustomize 5.8.1.
    #[test]
    fn an_empty_line_appears_before_indented_ones() {
        assert_eq!(round_trip("a\n  b\n  c\nd"), "a\n\n  b\n  c\nd");
        assert_eq!(round_trip("a b\nc\n"), "a b\nc\n");
        assert_eq!(round_trip("plain"), "plain");
    }
}
