//! Quotes the action that prints a value.

use job_lifecycle::Object;
use yaml_spans::{Edit, Entry, Span, Style};

use super::line::Line;
use crate::finding::{Applicability, RaisedFix};

/// What quotes a value, if it has to be quoted.
const QUOTING: [&str; 2] = ["toJson", "toYaml"];

/// The fix that quotes the only action behind a key, and the action that it makes of it. `None` if the value is quoted, or the
/// line holds more.
pub(crate) fn unquoted(object: &Object, entry: &Entry) -> Option<(RaisedFix, String)> {
    let line = Line::of(object, entry).filter(|_| entry.value.style == Style::Plain)?;
    let value = line.value()?;
    let (action, rest) = line.source.slice(value).split_once("}}")?;
    let inner = action.strip_prefix("{{")?;
    let is_alone = !inner.contains("{{") && matches!(rest.trim().bytes().next(), None | Some(b'#'));
    if !is_alone || QUOTING.iter().any(|function| inner.contains(function)) {
        return None;
    }
    let pipeline = inner.strip_suffix(" -").unwrap_or(inner).trim_end();
    let at = value.start as usize + "{{".len() + pipeline.len();
    let edit = Edit { span: Span::new(at, at), text: " | quote".to_owned() };
    let quoted = format!("{{{{ {} | quote }}}}", pipeline.trim_start_matches('-').trim());
    let fix = RaisedFix {
        title: "quote it".to_owned(),
        applicability: Applicability::Safe,
        source: Some(line.source),
        edits: vec![edit],
    };
    Some((fix, quoted))
}
