//! Template errors in Helm's words.

use go_template::{
    ExecError, FuncError,
    provenance::{Position, Provenance},
};
use yaml_spans::{Location, Source, Span};

use crate::{Error, HelmVersion, Reason, rendered::TemplateFile};

/// Helm's `cleanupParseError`.
pub(super) fn parse(error: &str) -> String {
    let mut tokens = error.split(": ");
    let (_, location) = (tokens.next(), tokens.next().unwrap_or_default());
    let message = error.rsplit(": ").next().unwrap_or(error);
    format!("parse error at ({location}): {message}")
}

/// Helm's `cleanupExecError` (3) and `reformatExecErrorMsg` (4).
pub(super) fn execution(
    error: &ExecError,
    version: HelmVersion,
    locate: impl Fn(Position) -> Location,
) -> Error {
    let at = innermost(error).map(locate);
    let text = error.to_string();
    if let Some(demand) = demand(error) {
        let location = text.split(": ").nth(1).unwrap_or_default();
        let reason = if demand.kind == "required" { Reason::Required } else { Reason::Fail };
        let message = format!("execution error at ({location}): {}", demand.message);
        return Error::new(reason, message).at(at);
    }
    let message = match version {
        HelmVersion::V3 => None,
        HelmVersion::V4 => traced(error),
    };
    Error::new(Reason::Execution, message.unwrap_or(text)).at(at)
}

/// The location of a position, in a template's file or in a text built at run time.
pub(super) fn locate(
    templates: &[TemplateFile],
    provenance: &Provenance,
    position: Position,
) -> Location {
    let span = Span { start: position.start, end: position.end };
    let source = match templates.get(position.file.0 as usize) {
        Some(template) => template.source(),
        None => {
            let (name, text) = provenance.positions.text(position.file).unwrap_or_default();
            Source::read_only(name, String::from_utf8_lossy(text)).into()
        }
    };
    Location { source, span }
}

/// The call of `required` or `fail` that caused an error.
fn demand(error: &ExecError) -> Option<&FuncError> {
    let mut cause = error.cause.as_deref()?;
    loop {
        if matches!(cause.kind, "required" | "fail") {
            return Some(cause);
        }
        cause = cause.cause.as_deref()?.cause.as_deref()?;
    }
}

/// The innermost position in a file of the chart.
pub(super) fn innermost(error: &ExecError) -> Option<Position> {
    let below = error.cause.as_ref().and_then(|cause| cause.cause.as_ref());
    let below = below.and_then(|error| innermost(error));
    let own = error.at.as_ref().map(|at| at.position).filter(|at| !at.file.is_dynamic());
    below.or(own)
}

/// The error as one block of lines per template on the call path; `None` if a cause does not have
/// the form of a template error, where Helm gives up.
fn traced(error: &ExecError) -> Option<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let block = block(&error.to_string())?;
        if blocks.last() != Some(&block) {
            blocks.push(block);
        }
        next = match error.cause.as_deref() {
            None => None,
            // A function that returns a template's error unchanged.
            Some(FuncError { message, cause: Some(cause), .. }) if message.is_empty() => {
                Some(cause)
            }
            Some(cause) => {
                let block = self::block(&cause.to_string())?;
                if blocks.last() != Some(&block) {
                    blocks.push(block);
                }
                cause.cause.as_deref()
            }
        };
    }
    Some(blocks.concat().trim().to_owned())
}

/// Helm's `parseTemplateExecErrorString`.
fn block(error: &str) -> Option<String> {
    let rest = error.strip_prefix("template: ")?;
    if rest.starts_with("no template ") {
        return Some(format!("{error}\n"));
    }
    let until_next = |message: &str| {
        message.find(" template:").map_or(message.to_owned(), |cut| message[..cut].to_owned())
    };
    if let Some((location, after)) = rest.split_once(": executing ")
        && let Some((function, after)) =
            after.strip_prefix('"').and_then(|text| text.split_once('"'))
        && let Some((node, message)) = after.strip_prefix(" at <").and_then(|a| a.split_once(">: "))
    {
        let message = until_next(message);
        return Some(format!(
            "{location}\n  executing \"{function}\" at <{node}>:\n    {message}\n"
        ));
    }
    let (location, message) = rest.rsplit_once(": ")?;
    Some(format!("{location}\n  {}\n", until_next(message)))
}
