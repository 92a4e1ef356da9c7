//! Parsing YAML documents as `sigs.k8s.io/yaml` does, with go-yaml's error messages.

mod words;

use yaml_spans::{self as yaml, ErrorKind, Node, ParseError, Span, Style};

use self::words::{Line, words};

/// A document that does not parse.
#[derive(Clone, Debug)]
pub(crate) struct BadDocument {
    pub(crate) span: Span,
    /// The offset at which the parser stopped.
    at: u32,
    kind: ErrorKind,
    reason: String,
}

impl BadDocument {
    /// The error of the `YAMLReader` of Kubernetes about a line that begins with `---` and goes on with text.
    pub(crate) fn of_separator(&self, text: &str) -> Option<String> {
        let line = text.get(self.span.range()).filter(|_| self.reason == yaml::BAD_SEPARATOR)?;
        let rest = line.get(3..).unwrap_or_default().trim();
        Some(format!("{NO_SEPARATOR}{rest}"))
    }

    /// The error as Go prints it: `error converting YAML to JSON: yaml: line N: …`.
    ///
    /// go-yaml counts lines from 0, adds 1 only for errors of its scanner, and does not print 0.
    pub(crate) fn go_text(&self, text: &str) -> String {
        const PREFIX: &str = "error converting YAML to JSON";
        if self.kind == ErrorKind::NotFinite {
            return format!("{PREFIX}: {}", self.reason);
        }
        let at = self.at as usize;
        let (reason, line) = words(&self.kind, at, text).unwrap_or_else(|| {
            let (_, reason) = self
                .reason
                .rsplit_once(", did not")
                .map_or(("", &*self.reason), |(a, _)| (a, &self.reason[a.len() + 2..]));
            let is_scanner = !reason.starts_with("did not find expected");
            (reason.to_owned(), Line::Of { at, is_scanner })
        });
        let line = match line {
            Line::None => 0,
            Line::Of { at, is_scanner } => {
                let before = text.as_bytes().get(..at);
                let breaks = memchr::memchr_iter(b'\n', before.unwrap_or(text.as_bytes())).count();
                let line = breaks + usize::from(before.is_none());
                line + usize::from(is_scanner && line > 0)
            }
        };
        match line {
            0 => format!("{PREFIX}: yaml: {reason}"),
            line => format!("{PREFIX}: yaml: line {line}: {reason}"),
        }
    }
}

impl From<ParseError> for BadDocument {
    fn from(ParseError { span, kind, reason, parser, .. }: ParseError) -> Self {
        let (at, reason) =
            parser.map_or((span.start, reason), |message| (message.at, message.text));
        Self { span, at, kind, reason }
    }
}

/// How the `YAMLReader` begins that error.
pub(crate) const NO_SEPARATOR: &str =
    "error reading yaml document: invalid Yaml document separator: ";

/// The first document of a text. Most of Helm reads no further.
pub(crate) fn first_document(text: &str) -> Result<Option<Node>, BadDocument> {
    let Some(first) = yaml::parse_first(text) else { return Ok(None) };
    Ok(Some(first?.root))
}

/// All documents of a text, as the `YAMLReader` of Kubernetes splits it: it reads a document up to the line that ends it, so what is
/// wrong with that line comes first.
pub(crate) fn documents(text: &str) -> Result<Vec<Node>, BadDocument> {
    let mut roots = Vec::new();
    let mut all = yaml::parse(text).into_iter().peekable();
    while let Some(document) = all.next() {
        match (document, all.peek()) {
            (Ok(document), _) => roots.push(document.root),
            (Err(_), Some(Err(next))) if next.reason == yaml::BAD_SEPARATOR => {
                return Err(next.clone().into());
            }
            (Err(error), _) => return Err(error.into()),
        }
    }
    Ok(roots)
}

/// The text of a scalar. A block scalar at the end of a text that has no final line break gets none
/// in go-yaml either.
pub(crate) fn scalar_text<'n>(source: &str, node: &Node, text: &'n str) -> &'n str {
    let is_block = matches!(node.style, Style::Literal | Style::Folded);
    let is_open = node.span.end as usize >= source.len() && !source.ends_with('\n');
    if is_block && is_open { text.strip_suffix('\n').unwrap_or(text) } else { text }
}
