//! What findings have in common that have one cause.

use std::{ops::Range, path::Path};

use job_lifecycle::{ObjectName, Tool};
use yaml_spans::Location;

use super::copies::Copied;
use crate::{
    diagnostic::Diagnostic,
    discover::is_overlay_file,
    finding::Severity,
    load::UNMERGED,
    rules::{
        Rule, annotation_not_string, cronjob_uneven_step, destroys_data, failure_hidden,
        generate_name_leaks, hook_annotation_without_hook, hook_deletes_data,
        hook_needs_later_object, hook_on_pod_template, hook_only_app, idempotency_unknown,
        invalid_cronjob, invalid_job, invalid_name, invalid_policy, kubectl_forbidden,
        kustomize_churn, lost_continuation, misplaced_field, missing_ttl,
        nondeterministic_template, not_idempotent, pod_hook, program_not_in_image,
        removed_api_version, removed_image,
        restart_policy_always::{self, MISSING},
        retry_cannot_help, service_not_found, service_selects_job, stale_hook_blocks,
        sync_option_unknown, template_changes_under_fixed_name, ttl_out_of_sync, ttl_reruns,
        unbounded_wait, unknown_delete_policy, unknown_field, unknown_hook_event,
        unquoted_schedule, unreadable, unrenderable, unreplaceable_job, wrong_type,
    },
    scripts::words_at,
    words::{set_here, without_indexes},
};

/// The rules whose cause is a habit of the whole chart or folder rather than a line.
static HABITS: [&Rule; 5] = [
    &generate_name_leaks::RULE,
    &idempotency_unknown::RULE,
    &kubectl_forbidden::RULE,
    &missing_ttl::RULE,
    &ttl_out_of_sync::RULE,
];

/// The rules whose cause is repeated from object to object, and whether the line has to be the same: a missing `set -e` is
/// one habit, whatever the commands.
static REPEATED: [(&Rule, bool); 28] = [
    (&annotation_not_string::RULE, true),
    (&cronjob_uneven_step::RULE, false),
    (&failure_hidden::RULE, false),
    (&hook_annotation_without_hook::RULE, false),
    (&hook_deletes_data::RULE, false),
    (&hook_needs_later_object::RULE, false),
    (&hook_on_pod_template::RULE, false),
    (&invalid_cronjob::RULE, true),
    (&invalid_job::RULE, false),
    (&kustomize_churn::RULE, true),
    (&misplaced_field::RULE, true),
    (&nondeterministic_template::RULE, true),
    (&pod_hook::RULE, false),
    (&program_not_in_image::RULE, false),
    (&removed_api_version::RULE, false),
    (&removed_image::RULE, false),
    (&service_not_found::RULE, false),
    (&service_selects_job::RULE, false),
    (&stale_hook_blocks::RULE, true),
    (&sync_option_unknown::RULE, true),
    (&ttl_reruns::RULE, false),
    (&unbounded_wait::RULE, true),
    (&unknown_delete_policy::RULE, true),
    (&unknown_field::RULE, false),
    (&unknown_hook_event::RULE, true),
    (&unquoted_schedule::RULE, false),
    (&unreplaceable_job::RULE, false),
    (&wrong_type::RULE, true),
];

/// The rules whose headline says what the cause is: all fields of a mapping, the program and the image that lacks it.
static HEADLINE: [&Rule; 3] =
    [&misplaced_field::RULE, &program_not_in_image::RULE, &unknown_field::RULE];

/// The rules whose cause is repeated across charts and folders: each Application of a repository has its own line, all
/// its manifests are as old, one deployer keeps all plain Jobs, copies lack the same field or program, and charts are made from
/// one starter.
static EVERYWHERE: [&Rule; 9] = [
    &hook_on_pod_template::RULE,
    &invalid_job::RULE,
    &program_not_in_image::RULE,
    &removed_api_version::RULE,
    &removed_image::RULE,
    &service_not_found::RULE,
    &sync_option_unknown::RULE,
    &ttl_reruns::RULE,
    &unreplaceable_job::RULE,
];

/// The rules whose cause is what a script or an annotation says. The folders of a tutorial, or the manifests that a chart
/// renders for its examples, repeat it word for word.
static COPIED: [&Rule; 11] = [
    &destroys_data::RULE,
    &failure_hidden::RULE,
    &hook_annotation_without_hook::RULE,
    &hook_only_app::RULE,
    &lost_continuation::RULE,
    &not_idempotent::RULE,
    &program_not_in_image::RULE,
    &retry_cannot_help::RULE,
    &stale_hook_blocks::RULE,
    &unbounded_wait::RULE,
    &unknown_hook_event::RULE,
];

/// What findings of one rule have in common.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Cause {
    /// The path and number of a line.
    Line(&'static str, String, usize),
    /// A place in a document that files of one name repeat: what a chart renders for several examples, a sub-chart
    /// that several charts vendor.
    Copy(Copied),
    /// A chart or folder, and the severity there.
    Unit(&'static str, String, Severity),
    /// A chart or folder, what is said about a line, and its text if that counts.
    Repeated(&'static str, String, String, String),
    /// What is said about an object that several branches of one template print.
    Branch(&'static str, String, String),
    /// What is said about files that cannot be read, by their folder.
    Unreadable(String, String),
    /// Something that is not in the repository, by the severity and the remedy.
    Absence(Severity, String),
    /// What is said about a text, wherever it is: the severity, the label with the remedy, the deployers, and the text.
    Text(&'static str, Severity, String, Vec<Tool>, String),
}

impl Cause {
    /// The causes of a finding, those that unite most first.
    pub(super) fn all(finding: &Diagnostic, copied: Copied, text: Option<Self>) -> Vec<Self> {
        let rule = finding.rule;
        if finding.is_absent {
            return vec![Self::Absence(finding.severity, finding.help.clone())];
        }
        if is_unreadable(finding) {
            let scope = scope_of_unreadable(finding).to_owned();
            return vec![Self::Copy(copied), Self::Unreadable(scope, finding.label.clone())];
        }
        if finding.workload.is_none() {
            return std::iter::once(Self::Copy(copied)).chain(text).collect();
        }
        let at = &finding.location;
        let line = Self::Line(rule.id, at.source.path.clone(), at.start().line);
        let mut causes = vec![line, Self::Copy(copied)];
        causes.extend(
            set_at(finding).map(|at| Self::Line(rule.id, at.source.path.clone(), at.start().line)),
        );
        if is_habit(finding) && !finding.unit.is_empty() {
            // A helper of several charts is one line.
            causes.push(Self::Unit(rule.id, scope(finding), finding.severity));
        }
        causes.extend(Self::repeated(finding));
        causes.extend(Self::branch(finding));
        causes.extend(text);
        causes
    }

    /// The same lines in another file: those of all labels, so that scripts which have only their first line in common
    /// stay apart.
    pub(super) fn text(finding: &Diagnostic) -> Option<Self> {
        if is_of_overlay(finding) {
            let line = written(&finding.location)?;
            let said = placeless(&finding.label.replace(folder(finding), ""), folder(finding));
            return Some(Self::Text(finding.rule.id, finding.severity, said, Vec::new(), line));
        }
        if *finding.rule == kustomize_churn::RULE {
            let tools = finding.deployers.iter().map(|one| one.tool).collect();
            let (at, _) = finding.secondary.first()?;
            let (said, base) = (finding.message.clone(), format!("{:?}", at.sort_key()));
            return Some(Self::Text(finding.rule.id, finding.severity, said, tools, base));
        }
        if !COPIED.contains(&finding.rule) {
            return None;
        }
        // A copy that is applied as it is has no kustomization.
        let is_own = |at: &&Location| !is_overlay_file(Path::new(&at.source.path));
        let secondary = finding.secondary.iter().map(|(at, _)| at).filter(is_own);
        let lines = std::iter::once(&finding.location).chain(secondary).map(written);
        let lines: Vec<_> = lines.take(MOST_LINES).collect::<Option<_>>()?;
        let said = nameless(finding) + &finding.help;
        let tools = finding.deployers.iter().map(|one| one.tool).collect();
        Some(Self::Text(finding.rule.id, finding.severity, said, tools, lines.join("\n")))
    }

    fn repeated(finding: &Diagnostic) -> Option<Self> {
        if is_name_of_chart(finding) {
            let label = nameless(finding);
            return Some(Self::Repeated(finding.rule.id, String::new(), label, String::new()));
        }
        if *finding.rule == template_changes_under_fixed_name::RULE {
            // One value in the Jobs of one chart.
            let scope = match &*finding.unit {
                "" => finding.location.source.path.clone(),
                unit => unit.to_owned(),
            };
            return Some(Self::Repeated(finding.rule.id, scope, nameless(finding), String::new()));
        }
        if *finding.rule == restart_policy_always::RULE && finding.label == MISSING {
            // Whoever left it out did so in each Job of the file.
            let path = finding.location.source.path.clone();
            return Some(Self::Repeated(finding.rule.id, path, nameless(finding), String::new()));
        }
        let is_own = |(rule, _): &&(&Rule, bool)| *rule == finding.rule && !finding.unit.is_empty();
        let (rule, with_text) = REPEATED.iter().find(is_own)?;
        let at = &finding.location;
        let text = at.source.text.get(line_span(at)).filter(|_| *with_text).unwrap_or_default();
        let mut label = said(finding);
        if EVERYWHERE.contains(rule) {
            // One remedy for all.
            label.push_str(&finding.help);
        }
        Some(Self::Repeated(rule.id, scope(finding), label, text.trim().to_owned()))
    }

    fn branch(finding: &Diagnostic) -> Option<Self> {
        let path = &finding.location.source.path;
        let said = format!("{:?} {}", finding.workload, finding.label);
        (!finding.value_sets.is_empty()).then(|| Self::Branch(finding.rule.id, path.clone(), said))
    }
}

/// The chart or folder in which a cause is one; empty if it is one in the whole run.
fn scope(finding: &Diagnostic) -> String {
    if is_everywhere(finding) { String::new() } else { finding.unit.to_string() }
}

/// True for the name of a chart: that of a family of charts has one form.
fn is_name_of_chart(finding: &Diagnostic) -> bool {
    *finding.rule == invalid_name::RULE && finding.location.source.path.ends_with("Chart.yaml")
}

/// A prediction names its deployers, unlike an advice about the next edit.
pub(super) fn is_everywhere(finding: &Diagnostic) -> bool {
    is_brief(finding) && !finding.deployers.is_empty()
        || EVERYWHERE.contains(&finding.rule)
        || is_name_of_chart(finding)
}

/// Where the only value is set that the finding depends on, if it is corrected there, or makes the name of several objects: one
/// line of `values.yaml` for all templates that print it.
fn set_at(finding: &Diagnostic) -> Option<&Location> {
    let [input] = &finding.inputs[..] else { return None };
    let label = set_here(input);
    let (at, _) = finding.secondary.iter().find(|(_, text)| *text == label)?;
    let is_mended_there =
        finding.fixes.first().is_some_and(|fix| fix.source.path == at.source.path);
    (is_mended_there || *finding.rule == invalid_name::RULE).then_some(at)
}

/// The most lines that are compared.
const MOST_LINES: usize = 100;

/// The most bytes of lines that are compared: nobody repeats longer ones word for word.
const LONGEST: usize = 4096;

/// The text of the lines at a location, however it is indented; `None` if it is too long.
fn written(at: &Location) -> Option<String> {
    let end = at.source.line_span(at.source.line_of(at.span.end)).end as usize;
    let text = at.source.text.get(line_span(at).start..end).unwrap_or_default();
    (text.len() <= LONGEST).then(|| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The bytes of the line where a finding starts.
fn line_span(at: &Location) -> Range<usize> {
    let line = at.source.line_span(at.source.line_of(at.span.start));
    line.start as usize..line.end as usize
}

/// True for a file that is no YAML, or a policy that the API server refuses. A file that was not opened, such as a link out
/// of the repository, is named by itself.
pub(super) fn is_unreadable(finding: &Diagnostic) -> bool {
    let rules = [&unreadable::RULE, &invalid_policy::RULE];
    rules.contains(&finding.rule) && !finding.location.source.text.is_empty()
}

/// Where files that cannot be read for one reason have one cause: in a folder, in a folder of charts, or everywhere after a merge.
pub(super) fn scope_of_unreadable(finding: &Diagnostic) -> &str {
    let folder = folder(finding);
    match finding.location.source.path.ends_with("/Chart.yaml") {
        _ if finding.label == UNMERGED => "",
        true => folder.rsplit_once('/').map_or("", |(above, _)| above),
        false => folder,
    }
}

/// The folder of a finding's file.
pub(super) fn folder(finding: &Diagnostic) -> &str {
    let path = &finding.location.source.path;
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// True for what one finding says of all objects, whatever the line.
pub(super) fn is_habit(finding: &Diagnostic) -> bool {
    is_brief(finding) || HABITS.contains(&finding.rule)
}

/// True for what a short TTL leaves of a prediction.
pub(super) fn is_brief(finding: &Diagnostic) -> bool {
    *finding.rule == template_changes_under_fixed_name::RULE && finding.severity == Severity::Info
}

/// The label without the name and the kind of the object, or without its place.
pub(super) fn nameless(finding: &Diagnostic) -> String {
    if finding.workload.is_none() {
        return placeless(&finding.label, folder(finding));
    }
    without_name(finding, &finding.label)
}

/// What stands between a command and the reason why nobody sees its failure.
const UNSEEN: &str = " may fail unseen: ";

/// What a finding says of any object: its headline or its label, without names and numbers of items.
pub(super) fn said(finding: &Diagnostic) -> String {
    if let Some((_, reason)) = finding.label.split_once(UNSEEN)
        && *finding.rule == failure_hidden::RULE
    {
        // Another script may need another remedy.
        return format!("{reason} {}", finding.help);
    }
    match HEADLINE.contains(&finding.rule) && finding.workload.is_some() {
        true => without_indexes(&without_name(finding, &finding.message)),
        false => nameless(finding),
    }
}

/// A text without the name and the kind of the object.
fn without_name(finding: &Diagnostic, text: &str) -> String {
    let Some(object) = &finding.workload else { return text.to_owned() };
    without_word(text, &shown(object)).replace(&format!("the {} ", object.kind), "")
}

/// A text without a name that other words may have in them: `b` and September.
fn without_word(text: &str, name: &str) -> String {
    let (mut left, mut from) = (String::new(), 0);
    for at in words_at(text, name).filter(|_| !name.is_empty()) {
        left.push_str(&text[from..at]);
        from = at + name.len();
    }
    left + &text[from..]
}

/// A label without the folders above the file: a copy elsewhere lacks the same neighbour.
fn placeless(label: &str, folder: &str) -> String {
    let above = Path::new(folder).ancestors().filter(|above| !above.as_os_str().is_empty());
    let above = above.map(|above| format!("{}/", above.display()));
    above.fold(label.to_owned(), |label, above| label.replace(&above, ""))
}

/// True for a kustomization that does not build. Overlays repeat a line that their base does not fit.
pub(super) fn is_of_overlay(finding: &Diagnostic) -> bool {
    let path = &finding.location.source.path;
    *finding.rule == unrenderable::RULE
        && (path.ends_with("kustomization.yaml") || finding.message.starts_with("kustomization `"))
}

/// The name for people, with `*` for a generated suffix; empty without a name.
fn shown(name: &ObjectName) -> String {
    match (&name.name, &name.generate_name) {
        (Some(name), _) => name.clone(),
        (None, Some(prefix)) => format!("{prefix}*"),
        (None, None) => String::new(),
    }
}
