use job_lifecycle::{
    Object, Role, Workload,
    annotations::RESOURCE_POLICY,
    workload::{Reference, kind_of, references},
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "lookup-removes-object",
    include_str!("../../rules/lookup-removes-object.yaml"),
    Check::Object(check),
);

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(lost) = lost(object, context) else { return };
    let Some(span) = object.root.get("kind").map(|node| node.span) else { return };
    let decided = object.decided();
    let is_kept = object.annotation(RESOURCE_POLICY).is_some();
    let is_of_event =
        decided.iter().any(|input| input.starts_with("Release.Is") || input == "Release.Revision");
    if is_kept || is_of_event || !is_left_out(object) {
        return;
    }
    let severity = if object.kind() == "Job" { Severity::Warning } else { Severity::Error };
    let verdicts = context.judge(|deployer| {
        let is_plain = context.role(object, deployer) == Role::Plain;
        let is_meant =
            context.is_printed_where_absent(object, deployer) && context.reads_helm(deployer);
        (is_plain && is_meant).then(|| (severity, format!("is deleted by the second deploy{lost}")))
    });
    if verdicts.is_empty() {
        return;
    }
    let message = format!("Helm deletes {} at the next upgrade{lost}", titled(object));
    let label = "left out once `lookup` finds it, and then deleted as an object that the release no longer has";
    let finding = Finding::new(span, label).message(message).deployers(verdicts);
    found.push(finding.help(format!("Add `{RESOURCE_POLICY}: keep`, or print it always")));
}

/// What the deletion of an object does; `None` for objects of which nothing here needs to be.
fn lost(object: &Object, context: &Context<'_>) -> Option<&'static str> {
    match (object.group(), object.kind()) {
        // The TTL removes it before.
        ("batch", "Job") => {
            Workload::new(object)?.ttl().is_none().then_some(", and runs it again at the one after")
        }
        ("batch", "CronJob") => Some(", and creates it again at the one after"),
        ("", "PersistentVolumeClaim") => Some(", with the data in it"),
        ("", kind @ ("ConfigMap" | "Secret")) => {
            let needs = |other: &Object| {
                let is_it =
                    |one: &Reference<'_>| one.kind == kind && Some(one.name) == object.name();
                kind_of(other).is_some() && references(other).iter().any(is_it)
            };
            context.objects.iter().any(needs).then_some(", and a Job needs it")
        }
        _ => None,
    }
}

/// Whether the template of an object leaves it out where `lookup` finds one: `{{ if not (lookup …) }}`, without another
/// branch.
fn is_left_out(object: &Object) -> bool {
    let span = object.root.get("kind").map_or(object.root.span, |kind| kind.span);
    object
        .source
        .origin
        .as_deref()
        .is_some_and(|origin| leaves_out(&origin.written(span).at.source.text, object.kind()))
}

fn leaves_out(template: &str, kind: &str) -> bool {
    let kind = format!("\"{kind}\"");
    let actions = template.split("{{").skip(1).filter_map(|rest| rest.split("}}").next());
    let actions: Vec<_> = actions.map(|one| one.trim_matches(['-', ' ', '\n'])).collect();
    let looks_up = |text: &str| text.contains("lookup ") && text.contains(&kind);
    let variables = actions.iter().filter(|one| looks_up(one)).filter_map(|one| {
        let (name, _) = one.split_once(":=").or_else(|| one.split_once('='))?;
        Some(name.trim()).filter(|name| name.starts_with('$'))
    });
    let variables: Vec<_> = variables.collect();
    let asks = |condition: &str| {
        let rest = ["not", "empty"].iter().find_map(|word| condition.strip_prefix(word));
        let asked = rest.map(|rest| rest.trim_matches([' ', '(', ')']));
        let is_empty = condition.starts_with("eq (len (lookup") && condition.ends_with(" 0");
        asked.is_some_and(|text| {
            variables.contains(&text) || text.starts_with("lookup ") && looks_up(text)
        }) || is_empty && looks_up(condition)
    };
    let mut guards = actions.iter().filter_map(|one| one.strip_prefix("if "));
    guards.any(|condition| asks(condition.trim()))
        && !actions.iter().any(|one| one.starts_with("else"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_leaves_out_what_it_finds() {
        for text in [
            "{{- if not (lookup \"batch/v1\" \"Job\" .Release.Namespace \"a\") }}",
            "{{ $old := (lookup \"batch/v1\" \"Job\" \"\" \"a\") -}}\n{{- if empty $old }}",
            "{{ if eq (len (lookup \"batch/v1\" \"Job\" \"b\" \"a\")) 0 }}",
        ] {
            assert!(leaves_out(text, "Job"), "{text}");
            assert!(!leaves_out(text, "Secret"), "{text}");
            assert!(!leaves_out(&format!("{text}a{{{{ else }}}}b"), "Job"), "{text}");
        }
        for text in [
            "{{ if lookup \"batch/v1\" \"Job\" .Release.Namespace \"a\" }}",
            "{{ if or .Values.a (not (lookup \"batch/v1\" \"Job\" \"b\" \"a\")) }}",
        ] {
            assert!(!leaves_out(text, "Job"), "{text}");
        }
    }
}
