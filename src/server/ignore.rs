//! The comment that ignores a finding at a place.

use std::path::Path;

use lsp_types::{Position, Range, TextEdit};

use super::position::{Encoding, Lines};

/// What stands in for the reason until a person has written one.
const REASON: &str = "<why this is fine>";

/// Adds a comment above a line, counted from 0. `None` where a comment would change the text: in JSON, in an action of
/// a template, after a line that continues.
pub(super) fn comment(path: &Path, text: &str, line: u32, rule: &str) -> Option<TextEdit> {
    let lines = Lines::new(text, Encoding::Utf8);
    let at = lines.offset(Position::new(line, 0));
    let content = lines.line(line)?;
    let before = line.checked_sub(1).and_then(|above| lines.line(above)).unwrap_or_default();
    let ignore = format!("joblint: ignore[{rule}] {REASON}");
    let comment = match is_template(path) {
        true if is_open(&text[..at]) => return None,
        // What the line above trims, the comment must trim too.
        true if before.trim_end().ends_with("-}}") => format!("{{{{- /* {ignore} */ -}}}}"),
        true => format!("{{{{- /* {ignore} */}}}}"),
        false if is_json(text) || before.ends_with('\\') => return None,
        false => format!("# {ignore}"),
    };
    let indent: String = content.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    let start = Position::new(line, 0);
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let new_text = format!("{indent}{comment}{line_break}");
    Some(TextEdit { range: Range::new(start, start), new_text })
}

/// Whether Helm renders a file: it lies below the folder `templates` of a chart.
fn is_template(path: &Path) -> bool {
    path.ancestors().skip(1).any(|folder| {
        let is_templates = folder.file_name().is_some_and(|name| name == "templates");
        is_templates && folder.parent().is_some_and(|chart| chart.join("Chart.yaml").is_file())
    })
}

/// Whether a text ends inside of an action.
fn is_open(text: &str) -> bool {
    text.rfind("{{").is_some_and(|open| !text[open..].contains("}}"))
}

fn is_json(text: &str) -> bool {
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    text.starts_with('{') && !text.starts_with("{{") || text.starts_with('[')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commented(path: &str, text: &str, line: u32) -> Option<String> {
        let edit = comment(Path::new(path), text, line, "x")?;
        let lines = Lines::new(text, Encoding::Utf8);
        let at = lines.offset(edit.range.start);
        Some(format!("{}{}{}", &text[..at], edit.new_text, &text[at..]))
    }

    #[test]
    fn comments_stand_above_in_the_same_indentation() {
        assert_eq!(
            commented("/none/a.yaml", "a:\r\n  b: 1\r\n", 1).unwrap(),
            "a:\r\n  # joblint: ignore[x] <why this is fine>\r\n  b: 1\r\n"
        );
        assert_eq!(commented("/none/a.yaml", "a: |\n  b \\\n  c\n", 2), None);
        assert_eq!(commented("/none/a.json", "{\n\"a\": 1}\n", 1), None);
        assert_eq!(commented("/none/a.yaml", "a: 1\n", 9), None);
    }

    #[test]
    fn comments_of_templates_leave_the_rendered_text() {
        let chart = tempfile::tempdir().unwrap();
        std::fs::write(chart.path().join("Chart.yaml"), "name: a\n").unwrap();
        let path = chart.path().join("templates/sub/a.yaml");
        let commented = |text, line| commented(path.to_str().unwrap(), text, line);
        assert_eq!(
            commented("a:\n  b: 1\n", 1).unwrap(),
            "a:\n  {{- /* joblint: ignore[x] <why this is fine> */}}\n  b: 1\n"
        );
        assert_eq!(
            commented("{{ if .a -}}\nb: 1\n{{ end }}", 1).unwrap(),
            "{{ if .a -}}\n{{- /* joblint: ignore[x] <why this is fine> */ -}}\nb: 1\n{{ end }}"
        );
        assert_eq!(commented("a: {{ .a\n  | quote }}\n", 1), None);
    }
}
