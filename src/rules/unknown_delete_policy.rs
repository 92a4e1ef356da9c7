use job_lifecycle::{
    Deployer, Hook, Object, Tool,
    annotations::{ARGO_DELETE_POLICY, HELM_DELETE_POLICY, RESOURCE_POLICY},
    deploy::{ARGO_POLICIES, AnnotationList, HELM_POLICIES, Token, meant},
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Applicability, Finding, PerDeployer, Severity},
    words::{joined, titled},
};

pub(crate) static RULE: Rule = Rule::new(
    "unknown-delete-policy",
    include_str!("../../rules/unknown-delete-policy.yaml"),
    Check::Object(check),
);

/// The annotations and their policies, the default first.
const LISTS: [(&str, &[&str]); 2] =
    [(ARGO_DELETE_POLICY, ARGO_POLICIES), (HELM_DELETE_POLICY, HELM_POLICIES)];

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    for (key, known) in LISTS {
        let Some(list) = AnnotationList::of(object, key) else { continue };
        let value = &list.entry.value;
        if value.as_str().is_none() && !value.is_null() {
            continue;
        }
        let blank = list.is_blank();
        let judged = |token: &'_ Token| {
            context.judge(|deployer| verdict(object, key, &token.text, deployer, context))
        };
        let is_wrong =
            |token: &&Token| (blank || !token.text.is_empty()) && !judged(token).is_empty();
        let wrong: Vec<_> = list.tokens.iter().filter(is_wrong).collect();
        let Some((first, others)) = wrong.split_first() else { continue };
        let verdicts = judged(first);
        // What `hook-succeeded` deletes is gone before the pods of the release need it.
        let is_needed = !matches!(object.kind(), "Job" | "Pod");
        let label = |token: &Token| match is_needed && !blank {
            true => format!("`{}` is no delete policy", token.text),
            false => label(&token.text, blank, known),
        };
        let span = if blank && value.is_null() { list.entry.key_span } else { first.span };
        let message = message(object, &wrong, &verdicts);
        let is_minor = verdicts.iter().all(|one| one.severity < Severity::Error);
        let finding = Finding::new(span, label(first)).message(message).deployers(verdicts);
        found.push(match blank || others.is_empty() {
            true if is_needed && !blank => {
                let is_kept = object.annotation_text(RESOURCE_POLICY) == Some("keep");
                let finding = finding.help(if is_kept { ORDINARY } else { REMOVE });
                if is_minor { finding.pedantic() } else { finding }
            }
            true => with_fixes(finding, &list, first, known),
            false => others
                .iter()
                .fold(finding, |finding, other| finding.label(other.span, label(other))),
        });
    }
}

/// What to do about the policy of an object that is no Job and no Pod: to exist is all that it is for.
const REMOVE: &str = "Remove the word, and keep `before-hook-creation`: `hook-succeeded` would delete the object while pods may need it";

/// What to do about an object that is to last: `before-hook-creation` deletes it, and no policy of resources holds a hook.
const ORDINARY: &str = "Make it an ordinary object of the release: `helm.sh/resource-policy: keep` does nothing for a hook, and `before-hook-creation` would delete it";

/// The policy that an unknown one stands for.
fn near(text: &str, blank: bool, known: &'static [&str]) -> Option<&'static str> {
    if blank { Some(known[0]) } else { meant(text, known) }
}

fn label(text: &str, blank: bool, known: &'static [&str]) -> String {
    match near(text, blank, known) {
        _ if blank => "names no policy".to_owned(),
        Some(near) => format!("`{text}` is no delete policy, did you mean `{near}`?"),
        None => format!("`{text}` is no delete policy"),
    }
}

fn with_fixes(
    mut finding: Finding,
    list: &AnnotationList<'_>,
    token: &Token,
    known: &'static [&str],
) -> Finding {
    let near = near(&token.text, list.is_blank(), known);
    // With the policy that was meant, a failed run may block the next one.
    let both = near.filter(|near| *near != known[0]);
    let both = both.map(|near| format!("{},{near}", known[0]));
    for policy in near.map(str::to_owned).into_iter().chain(both) {
        let title = format!("use `{policy}`");
        let edit = list.replace(token, &policy);
        finding = finding.fix_if(&title, Applicability::Unsafe, edit);
        // A comma would end a plain value in braces.
        let quoted = Some(list).filter(|list| list.tokens.len() == 1);
        let quoted = quoted.and_then(|list| list.rewrite(&policy));
        finding = finding.fix_if(&title, Applicability::Unsafe, quoted);
    }
    finding
}

fn message(object: &Object, wrong: &[&Token], verdicts: &[PerDeployer]) -> String {
    let stays = verdicts.iter().any(|one| one.text.starts_with("never matches, and"));
    let title = titled(object);
    let all: Vec<_> = wrong.iter().map(|token| format!("`{}`", token.text)).collect();
    let is_empty = wrong.iter().all(|token| token.text.is_empty());
    let (are, policies) = match wrong {
        [_] => ("is not a delete policy", "policy"),
        _ => ("are not delete policies", "policies"),
    };
    match stays {
        _ if is_empty => {
            format!("{title} is never deleted{}: its delete policy is empty", next(verdicts))
        }
        true => format!("{title} is never deleted{}: {} {are}", next(verdicts), joined(&all)),
        false => format!(
            "{} ignores delete {policies} {} of {title}",
            PerDeployer::subject(verdicts),
            joined(&all)
        ),
    }
}

/// What the old object does to the next release, for headlines.
fn next(verdicts: &[PerDeployer]) -> String {
    let all = [BLOCKED, SKIPPED, REFUSED].into_iter();
    let mut all = all.filter(|next| verdicts.iter().any(|one| one.text.ends_with(next)));
    let next = all.next().and_then(|next| next.split(':').next());
    next.map(|next| format!(", and {next}")).unwrap_or_default()
}

const BLOCKED: &str = "the next upgrade fails: `already exists`";
const SKIPPED: &str = "the next upgrade counts it as done and does not run it";

/// An uninstall leaves hooks behind.
const REFUSED: &str = "the next install fails: `already exists`";

/// What the old object of a hook without a policy that removes it does to the next upgrade, or, if none runs it, to the next
/// installation.
fn next_release(object: &Object, hook: &Hook, deployer: &Deployer) -> Option<&'static str> {
    let is_waited_for = matches!(object.kind(), "Job" | "Pod");
    let any = |events: [&str; 2]| events.iter().any(|event| hook.listens_to(event));
    match any(["pre-upgrade", "post-upgrade"]) {
        true if deployer.creates_hooks() => Some(BLOCKED),
        true if is_waited_for => Some(SKIPPED),
        false if deployer.creates_hooks() && any(["pre-install", "post-install"]) => Some(REFUSED),
        _ => None,
    }
}

fn verdict(
    object: &Object,
    key: &str,
    policy: &str,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    let hook = context.hook(object, deployer)?;
    if deployer.tool == Tool::Argocd {
        let known = if key == ARGO_DELETE_POLICY { ARGO_POLICIES } else { HELM_POLICIES };
        if policy.is_empty() || known.contains(&policy) {
            return None;
        }
        let stated = LISTS.iter().any(|(key, known)| {
            let list = AnnotationList::of(object, key);
            list.is_some_and(|list| list.tokens.iter().any(|t| known.contains(&&*t.text)))
        });
        let severity = if stated { Severity::Warning } else { Severity::Error };
        return Some((severity, format!("ignores it; {} is in force", hook.policies.join(", "))));
    }
    if key != HELM_DELETE_POLICY || HELM_POLICIES.contains(&policy.to_lowercase().as_str()) {
        return None;
    }
    let others: Vec<_> =
        hook.policies.iter().filter(|one| HELM_POLICIES.contains(&&***one)).collect();
    let left = "never matches: the hook is left behind after its run";
    Some(match &others[..] {
        _ if hook.is_recreated() && !hook.has_policy("hook-succeeded") => {
            (Severity::Warning, left.to_owned())
        }
        [] => {
            let text = "never matches, and takes the place of the default `before-hook-creation`";
            let next = next_release(object, &hook, deployer).map(|next| format!(": {next}"));
            (Severity::Error, text.to_owned() + &next.unwrap_or_default())
        }
        _ if hook.is_recreated() => {
            (Severity::Warning, "never matches: the other policies are in force".to_owned())
        }
        [one, ..] => (Severity::Error, format!("never matches: only `{one}` is in force")),
    })
}
