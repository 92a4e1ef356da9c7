use job_lifecycle::{
    Deployer, Object, Tool,
    deploy::{Substitution, SubstitutionKind, substitutions},
};
use shell_effects::{self as script, ElementSpan, ast::Span};
use yaml_spans::{Edit, Node};

use super::{Check, Rule};
use crate::{
    command::Command,
    finding::{Applicability, Finding, Severity},
    workload::Subject,
};

pub static RULE: Rule = Rule::new(
    "substituted-by-flux",
    include_str!("../../rules/substituted-by-flux.yaml"),
    Check::Workload(check),
);

/// On an object: `disabled` leaves its text alone.
const SUBSTITUTE: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// Variables that a shell sets by itself.
const OWN: &[&str] = &[
    "BASH_SOURCE",
    "HOME",
    "HOSTNAME",
    "IFS",
    "OPTARG",
    "OPTIND",
    "PATH",
    "PIPESTATUS",
    "PWD",
    "RANDOM",
    "SECONDS",
];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let built = |deployer: &Deployer| {
        let applies =
            deployer.tool == Tool::Flux && !deployer.is_helm_release(job.context.from_chart());
        deployer.flux().post_build.filter(|_| applies)
    };
    let Some(substitutes) = job.context.deployers.iter().find_map(built) else { return };
    let verdicts = job.context.judge(|deployer| {
        let text = "substitutes the text of the object before it is applied";
        built(deployer).map(|_| (Severity::Warning, text.to_owned()))
    });
    let mounted =
        !job.context.objects.iter().any(|object| object.kind() == "ConfigMap" && is_off(object));
    for command in job.commands().iter().filter(|_| !is_off(job.object)) {
        let mut places = Vec::new();
        for (element, text) in command.scripts(mounted) {
            let harmed = substitutions(text).into_iter().filter_map(|one| {
                let label = harm(&one, text, command, substitutes)?;
                Some((element, one.range, label))
            });
            places.extend(harmed);
        }
        let Some(((element, range, label), others)) = places.split_first() else { continue };
        let location = |element: &usize, range: &std::ops::Range<usize>| ElementSpan {
            element: *element,
            span: Span::new(range.start, range.end),
        };
        let mut finding = command.finding(location(element, range), label.as_str());
        for (element, range, label) in others {
            finding = command.label(finding, location(element, range), label.as_str());
        }
        let finding = finding.deployers(verdicts.clone());
        let edits: Option<Vec<Edit>> = places
            .iter()
            .map(|(element, range, _)| escaped(command, location(element, range), substitutes))
            .collect();
        found.push(match edits {
            Some(edits) => {
                finding.fix_all("write it so that the shell gets it", Applicability::Unsafe, edits)
            }
            None => finding,
        });
    }
}

/// What becomes of it, where that is not what the script means. A variable that nothing in the pod sets is
/// one of Flux.
fn harm(one: &Substitution<'_>, text: &str, command: &Command<'_>, on: bool) -> Option<String> {
    let written = text.get(one.range.clone())?;
    match one.kind {
        SubstitutionKind::Escape if !on => {
            Some("without `postBuild` the shell gets both: `$$` is its process id".to_owned())
        }
        _ if !on => None,
        SubstitutionKind::Escape => None,
        SubstitutionKind::Dollar => Some("Flux makes one `$` of these".to_owned()),
        SubstitutionKind::Default(operator) => Some(format!("Flux reads `{operator}` as `:-`")),
        SubstitutionKind::Failure(error) => Some(format!("Flux fails to build this: `{error}`")),
        SubstitutionKind::Variable(name) if is_of_the_pod(name, text, command.container) => {
            Some(format!("Flux replaces `{written}` before a shell sees it"))
        }
        SubstitutionKind::Variable(_) => None,
    }
}

/// Set by the script, the container or the shell itself.
fn is_of_the_pod(name: &str, script: &str, container: &Node) -> bool {
    let number = name.bytes().all(|byte| byte.is_ascii_digit());
    let env = container.get("env").map(Node::items).unwrap_or_default();
    let given = || env.iter().any(|one| one.get("name").and_then(Node::as_str) == Some(name));
    number || OWN.contains(&name) || given() || is_set(name, script)
}

/// `NAME=`, `NAME+=`, `for NAME in`, `read NAME`, `local NAME`.
fn is_set(name: &str, script: &str) -> bool {
    script.match_indices(name).any(|(at, _)| {
        let (before, after) = (&script[..at], &script[at + name.len()..]);
        let starts = before.is_empty() || before.ends_with([' ', '\t', '\n', ';', '&', '(', '\'']);
        let ends = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let word = before.split([';', '\n']).next_back().unwrap_or_default();
        let first = word.split_whitespace().find(|word| !matches!(*word, "while" | "do" | "then"));
        let named =
            matches!(first, Some("for" | "read" | "local" | "declare" | "export" | "select"));
        starts && ends && (after.starts_with(['=']) || after.starts_with("+=") || named)
    })
}

/// The same text with every `$` doubled that Flux would take; without `postBuild`, with one taken away.
fn escaped(command: &Command<'_>, location: ElementSpan, on: bool) -> Option<Edit> {
    let written = command.text(location);
    let start = location.span.start as usize;
    let dollars = if written.starts_with("$$") { 2 } else { 1 };
    let text = if on { "$".repeat(2 * dollars) } else { "$".to_owned() };
    let location = ElementSpan { span: Span::new(start, start + dollars), ..location };
    command.edit(&script::Edit { location, text })
}

fn is_off(object: &Object) -> bool {
    let label = object.root.at(&["metadata", "labels", SUBSTITUTE]).and_then(Node::as_str);
    object.annotation_text(SUBSTITUTE).or(label) == Some("disabled")
}
