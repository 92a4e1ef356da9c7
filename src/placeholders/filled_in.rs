//! What a person, a script or a program fills in a plain manifest before a server takes it.

use yaml_spans::{Entry, Node};

use super::{OF_FIELDS, entry_at, missing_field};
use crate::{context::Context, programs, rules::Raised, unit::Unit};

/// True for a required field that a manifest leaves open, and that nothing is known to deploy: no server takes the file as it
/// is, so whoever applies it fills in the field first.
pub(crate) fn is_left_open(raised: &Raised<'_>, context: &Context<'_>) -> bool {
    is_open(raised, context, || blanks(&raised.object.root) > 1) || is_of_patch(raised, context)
}

/// Folders of what is laid over other objects.
const PATCHES: [&str; 2] = ["patch", "patches"];

/// True for a required field that a patch need not repeat, if nothing is known to deploy it by itself.
fn is_of_patch(raised: &Raised<'_>, context: &Context<'_>) -> bool {
    let Raised { rule, object, finding } = raised;
    let mut folders = object.source.path.rsplit('/').skip(1);
    OF_FIELDS.contains(&rule.id)
        && missing_field(&finding.label).is_some()
        && context.deployments.is_empty()
        && object.source.origin.is_none()
        && folders.any(|folder| PATCHES.contains(&folder))
}

/// True for a required field with an empty text in a manifest that a script fills in.
pub(crate) fn is_filled_in(
    raised: &Raised<'_>,
    context: &Context<'_>,
    is_filled_in: impl Fn(&str) -> bool,
) -> bool {
    is_open(raised, context, || is_filled_in(&raised.object.source.path))
}

/// The rules about what a program sets in a manifest: names, schedules, and fields that it adds, perhaps in the place of others.
const OF_PROGRAMS: [&str; 11] = [
    "cronjob-each-minute",
    "cronjob-impossible-day",
    "cronjob-missed-runs",
    "duplicate-job",
    "invalid-cronjob",
    "invalid-job",
    "invalid-name",
    "misplaced-field",
    "missing-required",
    "name-too-long",
    "unknown-field",
];

/// True for a value that a Go program replaces before it creates the object. What a script in the manifest does stays as it is.
pub(crate) fn is_of_program(raised: &Raised<'_>, context: &Context<'_>, unit: &Unit) -> bool {
    let source = &raised.object.source;
    OF_PROGRAMS.contains(&raised.rule.id)
        && !raised.is_pedantic()
        && source.origin.is_none()
        && context.is_all_assumed()
        && programs::fill_in(source, unit)
}

/// True for an object whose name a scaffolder has still to fill in: `${{ values.name }}-job`
/// (<https://backstage.io/docs/features/software-templates/writing-templates/>), `<CHARTNAME>` of `helm create --starter`
/// (<https://helm.sh/docs/topics/charts/#chart-starter-packs>).
pub(crate) fn is_of_scaffolder(raised: &Raised<'_>) -> bool {
    let is_mark = |mark: &&str| raised.object.name().is_some_and(|name| name.contains(*mark));
    ["${{", "<CHARTNAME>"].iter().any(is_mark)
}

/// True for a value in capitals in a manifest that a script fills in, or hands over to one that does; of a name, as the API
/// server has told whoever applied it.
pub(crate) fn is_word_of_script(
    raised: &Raised<'_>,
    context: &Context<'_>,
    is_filled_in: impl Fn(&str) -> bool,
) -> bool {
    let source = &raised.object.source;
    let is_capital = |c: char| c.is_ascii_uppercase() || c == '_';
    let word = source.slice(raised.finding.span).trim_matches(['"', '\'']);
    OF_PROGRAMS.contains(&raised.rule.id)
        && word.len() > 1
        && word.chars().all(is_capital)
        && source.origin.is_none()
        && context.is_all_assumed()
        && (raised.rule.id == "invalid-name" || is_filled_in(&source.path))
}

/// True for a required field without a value, or with an empty text in a form.
fn is_open(raised: &Raised<'_>, context: &Context<'_>, is_form: impl Fn() -> bool) -> bool {
    let Raised { rule, object, finding } = raised;
    let field = missing_field(&finding.label).filter(|_| OF_FIELDS.contains(&rule.id));
    let is_open = |entry: &Entry| {
        let is_blank = entry.value.is_null() && entry.value.span.is_empty();
        let is_of_form = || entry.value.as_str() == Some("") && is_form();
        field == Some(&*entry.key) && (is_blank || is_of_form())
    };
    context.is_all_assumed()
        && object.source.origin.is_none()
        && entry_at(&object.root, finding.span).is_some_and(is_open)
}

/// The number of empty strings in an object. Several are a form, which a script fills in; one is a mistake.
fn blanks(node: &Node) -> usize {
    let entries = node.entries().iter().map(|entry| &entry.value);
    let below: usize = entries.chain(node.items()).map(blanks).sum();
    below + usize::from(node.as_str() == Some(""))
}
