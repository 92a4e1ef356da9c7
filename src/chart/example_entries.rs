//! Entries of an empty list or map of the values that comments below it show:
//!
//! ```yaml
//! jobs: {}
//! #  migrate:
//! #    image: {tag: 1.4.2}
//! ```

use std::sync::Arc;

use helm_render::{
    HelmVersion,
    values::{self, Setting, Table, Tree},
};
use yaml_spans::Source;

/// The most lines of a comment that are read.
const MOST_LINES: usize = 200;

/// The value of the kind of an empty one that the comment below it shows.
pub(super) fn of(empty: &Setting) -> Option<Tree> {
    let at = empty.at.as_ref()?;
    let behind = &at.source.text[at.span.end as usize..];
    let mut lines = behind.lines();
    // What follows on the line itself is a remark.
    lines.next();
    let comment = lines.map_while(|line| line.trim_start().strip_prefix('#')).take(MOST_LINES);
    let below: String = comment.map(|line| format!("  {line}\n")).collect();
    let source = Arc::new(Source::new(at.source.path.as_str(), format!("shown:\n{below}")));
    let mut table = values::read(&source, HelmVersion::V4).ok()?;
    let shown = without_places(table.remove("shown")?);
    match (&empty.value, &shown.value) {
        (Tree::Table(_), Tree::Table(entries)) if !entries.is_empty() => Some(shown.value),
        (Tree::List(_), Tree::List(items)) if !items.is_empty() => Some(shown.value),
        _ => None,
    }
}

/// The same value as if nobody had written it: its places are those of another text.
fn without_places(setting: Setting) -> Setting {
    let value = match setting.value {
        Tree::Table(table) => {
            let entries = table.into_iter().map(|(key, value)| (key, without_places(value)));
            Tree::Table(entries.collect::<Table>())
        }
        Tree::List(items) => Tree::List(items.into_iter().map(without_places).collect()),
        other => other,
    };
    Setting::new(value, None)
}
