//! Drops findings about placeholder values, which joblint fills in for values that a chart requires but does not
//! set, and about what another tool or a person fills in. Whoever does that sets the value, so there is nothing to report.

mod absent_part;
mod filled_in;

use go_template::provenance::Step;
use helm_render::values::Tree;
use job_lifecycle::{
    Object,
    kubernetes::{is_placeholder, token_word},
    workload::any_pod,
};
use yaml_spans::{Entry, Location, Node, Origin, Span};

use crate::{
    chart::{DEFAULTS, is_environment, is_test_set},
    context::Context,
    rules::{Category, Raised, unbounded_wait::NEVER_LEFT},
    scripts::holds_word,
    unit::Loaded,
};

pub(crate) use filled_in::{
    is_filled_in, is_left_open, is_of_program, is_of_scaffolder, is_word_of_script,
};

/// True when the finding is about text that a placeholder fills, or a value leaves empty. Rules about re-creation still
/// apply to such text: it changes between releases like any other value.
pub(crate) fn is_artefact(raised: &Raised<'_>, loaded: &Loaded, context: &Context<'_>) -> bool {
    let Raised { rule, object, finding } = raised;
    if is_of_invented_name(raised, loaded)
        || is_of_invented_values(raised, loaded)
        || is_of_entry(raised, loaded)
        || is_of_unset_value(raised, loaded)
        || is_of_compared_value(raised, loaded)
        || is_of_form(raised, context)
        || is_of_small_token(raised)
        || is_of_annotation_token(raised)
        || is_of_nothing(raised)
        || is_left_by_value(raised)
        || is_hidden_by_value(raised)
        || is_set_by_ytt(object, finding.span)
        || is_parameter(object, finding.span)
    {
        return true;
    }
    let has_placeholders = loaded.rendering.as_ref().is_some_and(|one| one.options.is_lint);
    let Some(origin) = object.source.origin.as_deref().filter(|_| has_placeholders) else {
        return false;
    };
    is_of_list(raised) && !is_written_out(origin, raised)
        || absent_part::may_be_there(raised)
        || rule.meta().category != Category::Recreation
            && (is_of_other_switch(raised, loaded)
                || is_left_empty(origin, object, finding.span)
                || origin.is_placeholder(line(object, finding.span))
                || is_switched_on(origin, line(object, finding.span), loaded))
}

/// The rules about fields that the API server requires.
const OF_FIELDS: [&str; 2] = ["invalid-cronjob", "invalid-job"];

/// True for a field that the values of a chart leave empty, as a `schedule` or the name of a Secret that each user has to
/// choose. Those of tests need not state it either, nor those of an environment that nothing here deploys: a pipeline may
/// add to them.
fn is_of_unset_value(raised: &Raised<'_>, loaded: &Loaded) -> bool {
    let Raised { rule, object, finding } = raised;
    let leaves_open = loaded.rendering.as_ref().is_some_and(|one| {
        let is_open = &*one.values == DEFAULTS || is_test_set(&one.values) || one.is_explored;
        is_open || one.deployments.is_empty() && is_environment(&one.values)
    });
    let origin = object.source.origin.as_deref().filter(|_| leaves_open);
    let is_empty = |origin: &dyn Origin| is_left_empty(origin, object, finding.span);
    // What is cut off is the value that each user has to set: `-migrate`.
    let is_cut = || {
        let name = object.source.slice(finding.span).trim_matches(['"', '\'']);
        name.starts_with(EDGES) != name.ends_with(EDGES)
    };
    origin.is_some_and(|origin| match rule.id {
        id if OF_FIELDS.contains(&id) => is_empty(origin) || is_optional_there(origin, raised),
        "wrong-type" => is_empty(origin),
        "invalid-name" => (object.name().is_none() || is_cut()) && is_empty(origin),
        _ => false,
    })
}

/// What no name begins or ends with.
const EDGES: [char; 3] = ['-', '.', '_'];

/// True for text that values print with which tests only compare what the chart renders, and for commands and entries of lists
/// that values for tests set wrongly: that is their business.
fn is_of_compared_value(raised: &Raised<'_>, loaded: &Loaded) -> bool {
    let Raised { rule, object, finding } = raised;
    let is_of_list =
        OF_FIELDS.contains(&rule.id) || ["command-not-run", "duplicate-entry"].contains(&rule.id);
    let rendering = loaded.rendering.as_ref();
    let rendering =
        rendering.filter(|one| one.is_compared || is_of_list && is_for_tests(&one.values));
    let origin = object.source.origin.as_deref();
    rendering.zip(origin).is_some_and(|(rendering, origin)| {
        let causes = origin.written(finding.span).causes;
        causes.iter().any(|(at, _)| at.source.path.ends_with(&*rendering.values))
    })
}

/// Whether a file of values is for tests, by its name: `ci/ha-values.yaml`, `test-values.yaml`.
fn is_for_tests(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    is_test_set(name) || file.split(['-', '_', '.']).any(|word| word == "test")
}

/// True for a name that a list lacks: whoever sets the values for which placeholders stand may set more of the list.
fn is_of_list(raised: &Raised<'_>) -> bool {
    OF_FIELDS.contains(&raised.rule.id) && raised.finding.label.contains(": Not found: ")
}

/// True for a mount that is written out in a template, as the whole list of the volumes is: no value adds to that.
fn is_written_out(origin: &dyn Origin, raised: &Raised<'_>) -> bool {
    let volumes = any_pod(raised.object).and_then(|pod| pod.get("volumes"));
    let Some(at) = volumes.and_then(|volumes| origin.literal(volumes.span)) else { return false };
    let mut rest = at.source.text[at.span.end as usize..].trim_start();
    while let Some(action) = rest.strip_prefix("{{") {
        let Some((action, after)) = action.split_once("}}") else { return false };
        if action.trim_matches(['-', ' ']) != "end" {
            return false;
        }
        rest = after.trim_start();
    }
    origin.literal(raised.finding.span).is_some()
}

/// The name of the field that the API server misses.
fn missing_field(label: &str) -> Option<&str> {
    label.strip_suffix(": Required value")?.rsplit('.').next()
}

/// True for a line of a template that asks for a value: `{{- if .Values.schedule }}`.
fn asks(line: &str) -> bool {
    let action = line.strip_prefix("{{").map(|rest| rest.trim_start_matches(['-', ' ']));
    action.is_some_and(|action| action.starts_with("if ") || action.starts_with("with "))
}

/// True for a missing field that the template does print when a value asks for it: `{{ with .Values.containers }}`.
fn is_optional_there(origin: &dyn Origin, raised: &Raised<'_>) -> bool {
    let template = origin.written(raised.finding.span).at.source;
    missing_field(&raised.finding.label).is_some_and(|field| {
        let key = format!("{field}:");
        let mut is_condition = false;
        template.text.lines().map(str::trim).any(|line| {
            let is_conditional = std::mem::replace(&mut is_condition, asks(line));
            let value = line.trim_start_matches("- ").strip_prefix(&key);
            value.is_some_and(|value| value.is_empty() || is_conditional)
        })
    })
}

/// True for what a deployer that nobody stated would do again with a manifest whose name is to be filled in: it is
/// applied under another name each time. Whoever fills in the whole name applies it by hand.
fn is_of_form(raised: &Raised<'_>, context: &Context<'_>) -> bool {
    let Raised { rule, object, finding } = raised;
    let is_again = rule.meta().category == Category::Recreation || !finding.deployers.is_empty();
    let name = object.name().filter(|_| object.source.origin.is_none()).unwrap_or_default();
    let is_form = match is_again {
        true => is_placeholder(name),
        false if object.is_templated => false,
        false => name.starts_with("${") && name.ends_with('}') && !name[2..].contains('$'),
    };
    context.deployments.is_empty() && is_form
}

/// What `printf` of Go's templates writes for a value that is not set.
const NOTHING: &str = "(<nil>)";

/// True for a command of a chart into which `printf` writes a value that nobody has set: to a shell, `%!s(<nil>)` is a subshell
/// and two redirections.
fn is_of_nothing(raised: &Raised<'_>) -> bool {
    let Raised { rule, object, .. } = raised;
    rule.meta().category == Category::Command
        && object.source.origin.is_some()
        && object.source.slice(object.root.span).contains(NOTHING)
}

/// The text from where a finding is written in a template on, for a finding with such a label.
fn written_on(raised: &Raised<'_>, is_such: impl Fn(&str) -> bool) -> Option<Location> {
    let Raised { object, finding, .. } = raised;
    let source = finding.source.as_ref().unwrap_or(&object.source);
    let is_template = is_such(&finding.label) && source.origin.is_some();
    let at =
        is_template.then(|| Location { source: source.clone(), span: finding.span }.written())?;
    let end = at.source.text.len() as u32;
    Some(Location { span: Span { end, ..at.span }, ..at })
}

/// True for a loop that nothing leaves here, and that a value ends: `{{ if .Values.once }}exit 0{{ end }}`.
fn is_left_by_value(raised: &Raised<'_>) -> bool {
    let on = written_on(raised, |label| label == NEVER_LEFT);
    on.is_some_and(|on| {
        let lines = on.source.slice(on.span).lines();
        let inside = lines.take_while(|line| !line.trim_start().starts_with("done"));
        let is_asked = |line: &str| line.trim_start_matches(['{', '-', ' ']).starts_with("if ");
        let mut behind = inside.skip_while(|line| !line.contains("{{") || !is_asked(line));
        behind.any(|line| LEAVES.iter().any(|word| holds_word(line, word)))
    })
}

/// True for a failure that `||` hides where a value says so: `kubectl apply -k a {{ if .Values.optional }}|| true{{ end }}`.
fn is_hidden_by_value(raised: &Raised<'_>) -> bool {
    let is_or = |label: &str| label.contains("`||`");
    let on = written_on(raised, |label| raised.rule.id == "failure-hidden" && is_or(label));
    on.is_some_and(|on| {
        let before = on.source.slice(on.span).split_once("||").map_or("", |(before, _)| before);
        let action = before.rsplit_once("{{").map_or("", |(_, action)| action);
        let word = action.trim_start_matches(['-', ' ']);
        word.starts_with("if ") && action.contains("}}")
    })
}

/// What leaves a loop.
const LEAVES: [&str; 2] = ["break", "exit"];

/// True for the name `report-data_set` in a manifest with the token `DATA_SET`: the name is filled in too.
fn is_of_small_token(raised: &Raised<'_>) -> bool {
    let Raised { rule, object, finding } = raised;
    let name = object.source.slice(finding.span).trim_matches(['"', '\'']);
    let is_token = |word: &str| {
        let token = word.to_ascii_uppercase();
        token != word && object.source.text.contains(&token)
    };
    rule.id == "invalid-name" && name.split('-').any(|word| word.contains('_') && is_token(word))
}

/// The rules about the words of annotations.
const OF_ANNOTATIONS: [&str; 5] = [
    "sync-option-unknown",
    "unknown-argocd-hook",
    "unknown-delete-policy",
    "unknown-hook-event",
    "weight-not-integer",
];

/// True for the value of an annotation that another tool fills in: `sync-wave: "${WAVE}"`, of a plugin of Argo CD.
fn is_of_annotation_token(raised: &Raised<'_>) -> bool {
    let Raised { rule, object, finding } = raised;
    let value = object.source.slice(finding.span).trim_matches(['"', '\'']);
    let is_token =
        || value.starts_with("{{") || value.starts_with('$') || token_word(value).is_some();
    OF_ANNOTATIONS.contains(&rule.id) && is_token()
}

/// True for a value of an OpenShift Template that holds a parameter: whoever processes it sets another.
fn is_parameter(object: &Object, span: Span) -> bool {
    let text = object.source.slice(span);
    object.is_templated && text.contains("${") && !text.contains(char::is_whitespace)
}

/// True for a field or an item whose value is a comment of ytt: `image: #@ data.values.image`, `- #@ template.replace(…)`.
fn is_set_by_ytt(object: &Object, span: Span) -> bool {
    let before = object.source.slice(line(object, span)).split_once("#@").map(|(before, _)| before);
    let is_value = |before: &str| before.ends_with(' ') && before.trim_end().ends_with([':', '-']);
    before.is_some_and(is_value) && object.source.origin.is_none()
}

/// The rules about what a template says of a Job whatever the fields of its entry are.
const OF_TEMPLATES: [&str; 11] = [
    "duplicate-key",
    "failure-hidden",
    "hook-on-pod-template",
    "misplaced-field",
    "removed-api-version",
    "removed-image",
    "stale-hook-blocks",
    "unbounded-wait",
    "unknown-delete-policy",
    "unknown-field",
    "unknown-hook-event",
];

/// True for a Job of an entry that joblint made up, unless the template itself says what is wrong.
fn is_of_entry(raised: &Raised<'_>, loaded: &Loaded) -> bool {
    let Raised { rule, object, finding } = raised;
    let is_written = || {
        let origin = object.source.origin.as_deref();
        origin.is_some_and(|origin| origin.literal(finding.span).is_some())
    };
    loaded.rendering.as_ref().is_some_and(|one| one.is_of_entries)
        && !(OF_TEMPLATES.contains(&rule.id) && is_written())
}

/// The rules about what other objects there are.
const OF_OTHERS: [&str; 2] = ["duplicate-job", "hook-needs-later-object"];

/// True for what other objects are beside one that exists only with a text which joblint made up: whoever sets that value
/// sets others with it.
fn is_of_invented_values(raised: &Raised<'_>, loaded: &Loaded) -> bool {
    let explored = loaded.rendering.as_ref().filter(|one| one.is_explored);
    let overrides = explored.map(|one| &one.options.overrides[..]).unwrap_or_default();
    OF_OTHERS.contains(&raised.rule.id)
        && overrides.iter().any(|one| !matches!(one.value, Tree::Bool(_)))
}

/// The rules about the text of a name.
const OF_NAMES: [&str; 3] = ["invalid-job", "invalid-name", "name-too-long"];

/// True for a name that is too long, or cut at a dash, only because nothing says what the release is called: with a
/// name of one letter it fits.
fn is_of_invented_name(raised: &Raised<'_>, loaded: &Loaded) -> bool {
    let Raised { rule, object, finding } = raised;
    let invented = loaded.rendering.as_ref().filter(|one| one.deployments.is_empty());
    let (Some(rendering), true) = (invented, OF_NAMES.contains(&rule.id)) else { return false };
    let release = &rendering.options.release.name;
    let text = object.source.slice(finding.span).trim_matches(['"', '\'']);
    let saved = text.matches(&**release).count() * release.len().saturating_sub(1);
    let is_short = text.len().saturating_sub(saved) <= SHORTEST_LIMIT;
    let is_too_long = rule.id == "name-too-long" || finding.label.contains(TOO_LONG);
    saved > 0 && is_short && (is_too_long || text.ends_with(EDGES))
}

/// What the API server says of a label that is too long.
const TOO_LONG: &str = "must be no more than";

/// The shortest limit of a name, that of a CronJob.
const SHORTEST_LIMIT: usize = 52;

/// True for text that a value prints which joblint made `true` because a condition asks for any value.
fn is_switched_on(origin: &dyn Origin, line: Span, loaded: &Loaded) -> bool {
    let rendering = loaded.rendering.as_ref().filter(|rendering| rendering.is_explored);
    let overrides = rendering.map(|rendering| &rendering.options.overrides[..]).unwrap_or_default();
    let switches: Vec<_> =
        overrides.iter().filter(|one| matches!(one.value, Tree::Bool(true))).collect();
    if switches.is_empty() {
        return false;
    }
    let inputs = origin.written(line).inputs;
    switches.iter().any(|one| inputs.contains(&input(&one.path)))
}

/// True for what a switch of another object prints in this one: joblint turned both on, and they may exclude each other.
fn is_of_other_switch(raised: &Raised<'_>, loaded: &Loaded) -> bool {
    let Raised { object, finding, .. } = raised;
    let Some(origin) = object.source.origin.as_deref() else { return false };
    let rendering = loaded.rendering.as_ref().filter(|rendering| rendering.is_explored);
    let overrides = rendering.map(|rendering| &rendering.options.overrides[..]).unwrap_or_default();
    let around = origin.decided(finding.span);
    let own = object.decided();
    overrides.iter().filter(|one| matches!(one.value, Tree::Bool(_))).any(|one| {
        let input = input(&one.path);
        around.contains(&input) && !own.contains(&input)
    })
}

/// The name of a value: `Values.jobs[0].image`.
fn input(path: &[Step]) -> String {
    path.iter().fold("Values".to_owned(), |name, step| match step {
        Step::Key(key) => format!("{name}.{key}"),
        Step::Index(index) => format!("{name}[{index}]"),
        Step::Keys => name,
    })
}

/// True when a value of the chart printed nothing on the first line of the span, or left the field there empty.
fn is_left_empty(origin: &dyn Origin, object: &Object, span: Span) -> bool {
    let is_empty = |node: &Node| node.is_empty() || node.as_str() == Some("");
    let field = || entry_at(&object.root, span).filter(|entry| is_empty(&entry.value));
    origin.is_left_empty(line(object, span), false)
        || field().is_some_and(|entry| object.is_left_empty(entry))
}

/// The line on which a span starts, trimmed.
fn line(object: &Object, span: Span) -> Span {
    let source = &object.source;
    let line = source.line_span(source.line_of(span.start));
    let text = source.slice(line);
    let indent = text.len() - text.trim_start().len();
    Span { start: line.start + indent as u32, end: line.start + text.trim_end().len() as u32 }
}

/// The innermost entry in which a span starts.
fn entry_at(node: &Node, span: Span) -> Option<&Entry> {
    let holds = |own: Span| own.start <= span.start && span.start <= own.end;
    let inside = node.items().iter().find_map(|item| entry_at(item, span));
    inside.or_else(|| {
        let mut entries = node.entries().iter();
        let entry = entries.find(|one| holds(one.key_span) || holds(one.value.span))?;
        entry_at(&entry.value, span).or(Some(entry))
    })
}
