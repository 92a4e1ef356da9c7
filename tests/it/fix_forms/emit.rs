//! Writes a document in another form: the same tree with other quotes, brackets and lines.

use yaml_spans::{Document, Entry, Node, Style, Value};

/// How values are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// JSON on one line, without spaces.
    JsonCompact,
    /// JSON, a key on each line.
    JsonPretty,
    /// Braces on one line.
    Flow,
    /// Braces, a key on each line.
    FlowLines,
    /// Blocks, with all strings and keys in double quotes.
    DoubleQuoted,
    /// The same in single quotes.
    SingleQuoted,
    /// Blocks, with texts of several lines after `>-`.
    Folded,
    /// Blocks, with texts of several lines after `|2` and `|2-`.
    Indicator,
    /// Blocks, with texts of several lines in single quotes over several lines.
    QuotedLines,
    /// Blocks, with an anchor at every scalar.
    Anchored,
    /// Blocks; the entries of mappings of scalars come from a merge key.
    Merged,
}

use Form::*;

/// The text of a document in a form; `None` if the form cannot express it.
pub fn written(text: &str, document: &Document, form: Form) -> Option<String> {
    let emitter = Emitter { text, form };
    Some(match form {
        JsonCompact | JsonPretty | Flow | FlowLines => emitter.braces(&document.root, 0)? + "\n",
        _ => emitter.block(&document.root, 0)?.trim_start_matches('\n').to_owned() + "\n",
    })
}

struct Emitter<'a> {
    text: &'a str,
    form: Form,
}

impl Emitter<'_> {
    fn braces(&self, node: &Node, depth: usize) -> Option<String> {
        let has_lines = matches!(self.form, JsonPretty | FlowLines);
        let line = |depth: usize| match has_lines {
            true => format!("\n{}", "  ".repeat(depth)),
            false => String::new(),
        };
        let comma = match self.form {
            _ if has_lines => format!(",{}", line(depth + 1)),
            JsonCompact => ",".to_owned(),
            _ => ", ".to_owned(),
        };
        let (open, close, parts) = match &node.value {
            Value::Map(_) if node.is_empty() => return Some("{}".to_owned()),
            Value::Seq(_) if node.is_empty() => return Some("[]".to_owned()),
            Value::Map(_) => ('{', '}', {
                let colon = if self.form == JsonCompact { ":" } else { ": " };
                let pair = |entry: &Entry| {
                    let key = self.key(entry);
                    Some(key + colon + &self.braces(&entry.value, depth + 1)?)
                };
                node.entries().iter().map(pair).collect::<Option<Vec<_>>>()?
            }),
            Value::Seq(items) => {
                let item = |item| self.braces(item, depth + 1);
                ('[', ']', items.iter().map(item).collect::<Option<Vec<_>>>()?)
            }
            _ => return self.scalar(node, 0),
        };
        Some(format!("{open}{}{}{}{close}", line(depth + 1), parts.join(&comma), line(depth)))
    }

    /// The text behind the colon or dash.
    fn block(&self, node: &Node, depth: usize) -> Option<String> {
        let indent = "  ".repeat(depth);
        let is_scalar = |node: &Node| !matches!(node.value, Value::Map(_) | Value::Seq(_));
        match &node.value {
            _ if matches!(node.value, Value::Map(_) | Value::Seq(_)) && node.is_empty() => {
                Some(if matches!(node.value, Value::Map(_)) { " {}" } else { " []" }.to_owned())
            }
            Value::Map(_)
                if self.form == Merged
                    && node.entries().iter().all(|one| is_scalar(&one.value)) =>
            {
                let braces = Emitter { form: Flow, ..*self }.braces(node, 0)?;
                Some(format!("\n{indent}<<: {braces}"))
            }
            Value::Map(_) => {
                let pair = |entry: &Entry| {
                    let value = self.block(&entry.value, depth + 1)?;
                    Some(format!("\n{indent}{}:{value}", self.key(entry)))
                };
                node.entries().iter().map(pair).collect()
            }
            Value::Seq(items) => {
                let item = |item: &Node| {
                    let value = self.block(item, depth + 1)?;
                    let own = format!("\n{indent}  ");
                    Some(format!(
                        "\n{indent}- {}",
                        value.strip_prefix(&own).unwrap_or(value.trim_start())
                    ))
                };
                items.iter().map(item).collect()
            }
            _ => Some(format!(" {}", self.scalar(node, depth)?)),
        }
    }

    fn key(&self, entry: &Entry) -> String {
        match self.form {
            JsonCompact | JsonPretty | DoubleQuoted => quoted(&entry.key),
            SingleQuoted => format!("'{}'", entry.key),
            _ => entry.key.to_string(),
        }
    }

    /// A scalar of which the lines after the first have an indentation of `depth` steps.
    fn scalar(&self, node: &Node, depth: usize) -> Option<String> {
        let written = self.text.get(node.span.range())?;
        let Some(text) = node.as_str() else {
            return match self.form {
                JsonCompact | JsonPretty => {
                    let json = node.to_json().to_string();
                    (node.is_null() || json == written).then_some(json)
                }
                Anchored if !written.is_empty() => Some(format!("&a{} {written}", node.span.start)),
                _ => Some(written.to_owned()),
            };
        };
        let indent = format!("\n{}", "  ".repeat(depth));
        let is_text = text.trim_end().contains('\n');
        Some(match self.form {
            JsonCompact | JsonPretty | DoubleQuoted => quoted(text),
            Folded if is_text => {
                let folded = text.trim_end().replace('\n', "\n\n");
                // A line that starts with a space is not folded.
                let is_even = !text.contains("\n ") && !text.contains("\n\n");
                let ending = if text.ends_with('\n') { ">" } else { ">-" };
                is_even.then(|| format!("{ending}{indent}{}", folded.replace('\n', &indent)))?
            }
            Indicator if is_text => {
                let ending = if text.ends_with('\n') { "|2" } else { "|2-" };
                format!("{ending}{indent}{}", text.trim_end().replace('\n', &indent))
            }
            QuotedLines if is_text => {
                let is_even = !text.contains("\n ") && !text.contains("\n\n");
                let lines = text.replace('\'', "''").replace('\n', &format!("\n{indent}"));
                is_even.then(|| format!("'{lines}'"))?
            }
            Flow | FlowLines
                if node.style != Style::Plain || text.contains([',', '{', '[', ']', '}']) =>
            {
                quoted(text)
            }
            Flow | FlowLines => text.to_owned(),
            SingleQuoted if !is_text => format!("'{}'", text.replace('\'', "''")),
            Anchored => format!("&a{} {}", node.span.start, quoted(text)),
            _ if matches!(node.style, Style::Literal | Style::Folded) || text.contains('\n') => {
                quoted(text)
            }
            _ => written.to_owned(),
        })
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string")
}
