//! The findings of a comparison: the rules of the category *Two versions*.

use std::{cell::Cell, sync::Arc};

use job_lifecycle::{
    Deployer, Object, Outcome, Role, Tool,
    annotations::{ARGO_HOOK, HELM_HOOK},
    kubernetes::immutable::rejection,
    workload::{Kind, kind_of},
};
use yaml_spans::{Location, Span};

use super::{
    Judged,
    judge::Verdict,
    trace::{changed_part, is_hidden, words},
    version::VersionedObject,
};
use crate::{
    context::Context,
    diagnostic::Diagnostic,
    finding::{Finding, PerDeployer, Severity},
    fix::Allowance,
    resolve,
    rules::{Raised, Rule, hook_conversion, immutable_change, job_orphaned, job_reruns},
    settings::Settings,
    words::{noted, titled},
    workload::Subject,
};

/// The most differences to show; the rest are counted.
const SHOWN: usize = 4;

/// The most characters of a difference that a headline repeats.
const SHORT: usize = 60;

impl Verdict<'_> {
    /// Returns whether an ordinary object became a hook, or the reverse.
    pub(crate) fn is_converted(&self) -> bool {
        matches!(
            &self.roles,
            [Some(Role::Plain), Some(Role::Hook(_))] | [Some(Role::Hook(_)), Some(Role::Plain)]
        )
    }

    /// Returns whether the workload is a hook of every sync (Argo CD) rather than of upgrades (Helm).
    fn is_of_every_sync(&self) -> bool {
        self.work.role.hook().is_some_and(|hook| hook.is_of_sync())
    }

    /// Returns whether the API server rejects a change of immutable fields.
    fn is_rejected(&self) -> bool {
        let is_rejected = |forecast: &job_lifecycle::forecast::Forecast| {
            forecast.outcome == Outcome::Rejected && !forecast.fields.is_empty()
        };
        is_rejected(&self.forecast) || self.within_ttl.as_ref().is_some_and(is_rejected)
    }
}

impl Judged<'_> {
    /// The findings about the pair, without rules that the settings disable.
    pub(crate) fn findings(
        &self,
        context: &Context<'_>,
        settings: &Settings,
        values: Option<&Arc<str>>,
    ) -> Vec<Diagnostic> {
        let found = [
            (&hook_conversion::RULE, self.conversion()),
            (&immutable_change::RULE, self.immutable_change()),
            (&job_orphaned::RULE, self.orphaned()),
            (&job_reruns::RULE, self.reruns(context)),
        ];
        let found = found.into_iter().filter_map(|(rule, found)| Some((rule, found?)));
        let active = found.filter(|(rule, _)| settings.runs(rule));
        active
            .map(|(rule, (part, finding))| {
                located(rule, part, finding, (context, settings), values)
            })
            .collect()
    }

    fn judge(
        &self,
        text: impl Fn(&Deployer, &Verdict<'_>) -> Option<(Severity, String)>,
    ) -> Vec<PerDeployer> {
        let mut all: Vec<PerDeployer> = Vec::new();
        for (deployer, verdict) in &self.verdicts {
            let Some((severity, text)) = text(deployer, verdict) else { continue };
            if !all.iter().any(|own| own.tool == deployer.tool) {
                all.push(PerDeployer::new(deployer.tool, severity, text));
            }
        }
        all
    }

    fn immutable_change(&self) -> Option<(&VersionedObject, Finding)> {
        let new = self.pair.new?;
        let verdicts = self.judge(|deployer, verdict| {
            if verdict.is_converted() || !verdict.is_rejected() {
                return None;
            }
            let error = self.api_error(deployer, verdict);
            Some(match verdict.within_ttl {
                Some(_) => {
                    (Severity::Info, format!("rejects it while the old Job exists: `{error}`"))
                }
                None => (Severity::Error, format!("rejects it: `{error}`")),
            })
        });
        let worst = verdicts.iter().map(|one| one.severity).max()?;
        let mut differences: Vec<_> =
            self.fields.iter().flat_map(|field| &field.differences).collect();
        differences.sort_by_key(|difference| is_hidden(&self.pair, difference));
        let first = *differences.first()?;
        let span =
            changed_part(&self.pair, first).or_else(|| first.nearest_ancestor(&new.object.root));
        let title = titled(&new.object);
        let fields: Vec<_> = self.fields.iter().map(|field| format!("`{}`", field.path)).collect();
        let message = match worst {
            Severity::Error => {
                format!("the upgrade will fail: {} of {title} cannot change", fields.join(", "))
            }
            _ => format!("the upgrade will fail while the old {title} exists"),
        };
        let what = words(&self.pair, first);
        let message = if what.len() <= SHORT { noted(&message, &what) } else { message };
        let mut finding = Finding::new(span?, what).message(message).deployers(verdicts);
        if worst == Severity::Info {
            finding =
                finding.help("wait until the TTL has removed the old Job, or delete it by hand");
        }
        for difference in &differences[1..differences.len().min(SHOWN)] {
            let span = changed_part(&self.pair, difference)
                .or_else(|| difference.nearest_ancestor(&new.object.root));
            finding = finding.label(span?, format!("and {}", words(&self.pair, difference)));
        }
        if differences.len() > SHOWN {
            let more = differences.len() - SHOWN;
            let span = changed_part(&self.pair, differences[SHOWN])
                .or_else(|| differences[SHOWN].nearest_ancestor(&new.object.root));
            finding = finding.label(span?, format!("and {more} more"));
        }
        if let (Some(old), Some(written)) = (self.pair.old, &first.old) {
            finding = finding.label_in(&old.object.source, written.span, "the deployed value");
        }
        Some((new, finding))
    }

    /// The error message as the tool prints it.
    fn api_error(&self, deployer: &Deployer, verdict: &Verdict<'_>) -> String {
        let object = verdict.work.object;
        let name = object.display_name();
        let namespace = object.namespace().unwrap_or(self.namespace);
        let error = rejection(&self.fields);
        let own = format!("Job.batch \"{name}\" is invalid: {error}");
        let release = deployer.is_helm_release(verdict.work.from_chart);
        match deployer.tool {
            Tool::Kubectl => format!("The Job \"{name}\" is invalid: {error}"),
            Tool::Helm3 => format!("cannot patch \"{name}\" with kind Job: {own}"),
            Tool::Helm4 if deployer.applies_client_side() => {
                format!("cannot patch \"{name}\" with kind Job: {own}")
            }
            Tool::Helm4 => {
                format!(
                    "server-side apply failed for object {namespace}/{name} batch/v1, Kind=Job: {own}"
                )
            }
            Tool::Flux if !release => {
                format!("Job/{namespace}/{name} dry-run failed (Invalid): {own}")
            }
            Tool::Flux | Tool::Argocd | Tool::Fleet => own,
        }
    }

    fn reruns(&self, context: &Context<'_>) -> Option<(&VersionedObject, Finding)> {
        let (new, _) = self.pair.new.zip(self.pair.old)?;
        if kind_of(&new.object) == Some(Kind::CronJob) {
            return None;
        }
        let harm = Subject::new(&new.object, context)
            .is_some_and(|work| work.is_idempotent() == Some(false));
        let severity = if harm { Severity::Warning } else { Severity::Info };
        let verdicts = self.judge(|_, verdict| {
            let forecast = &verdict.forecast;
            let text = match forecast.reason.as_str() {
                _ if !forecast.outcome.starts() => return None,
                "" if verdict.is_of_every_sync() => "runs it again, as at every sync".to_owned(),
                "" => "runs it again, as at every upgrade".to_owned(),
                reason => format!("runs it again: {reason}"),
            };
            Some((severity, text))
        });
        let first = verdicts.first()?;
        let label = format!("{} {}", PerDeployer::subject(&verdicts), first.text);
        let title = titled(&new.object);
        let finding = Finding::new(self.run_place(&new.object)?, label).deployers(verdicts);
        let finding = match harm {
            true => finding.message(format!("the upgrade runs {title} again, which does harm")),
            false => finding.message(format!("the upgrade runs {title} again")),
        };
        let renamed = self.pair.old.filter(|_| self.pair.renamed);
        Some((new, with_old(finding, renamed, "its old name")))
    }

    /// What makes it run: the name, the TTL, the hook annotation.
    fn run_place(&self, object: &Object) -> Option<Span> {
        let name = || object.root.at(&["metadata", "name"]).map(|name| name.span);
        let hook = || {
            let key = [HELM_HOOK, ARGO_HOOK].into_iter().find_map(|key| object.annotation(key))?;
            Some(key.value.span)
        };
        let ttl =
            || object.root.at(&["spec"])?.entry("ttlSecondsAfterFinished").map(|ttl| ttl.key_span);
        let gone = self.verdicts.iter().any(|(_, verdict)| verdict.within_ttl.is_some());
        let found = match (self.pair.renamed, gone) {
            (true, _) => name(),
            (false, true) => ttl().or_else(hook),
            (false, false) => hook(),
        };
        found.or_else(name).or_else(|| object.deepest_key(&[]))
    }

    fn orphaned(&self) -> Option<(&VersionedObject, Finding)> {
        let old = self.pair.old.filter(|_| self.pair.new.is_none() || self.pair.renamed)?;
        let name = old.object.display_name();
        let runs_on = kind_of(&old.object) == Some(Kind::CronJob);
        let verdicts = self.judge(|_, verdict| {
            let forecast = &verdict.forecast;
            let stays =
                |outcome: &Outcome| matches!(outcome, Outcome::Orphaned | Outcome::LeftBehind);
            if !stays(&forecast.outcome) && !forecast.also.iter().any(stays) {
                return None;
            }
            let hook = matches!(verdict.roles[0], Some(Role::Hook(_)));
            let severity = if hook { Severity::Info } else { Severity::Warning };
            let gone = verdict.old.as_ref().unwrap_or(forecast);
            let because = match gone.reason.as_str() {
                "" => String::new(),
                reason => format!(": {reason}"),
            };
            let what =
                if runs_on { "leaves it behind, and it keeps running" } else { "leaves it behind" };
            Some((severity, format!("{what}{because}")))
        });
        verdicts.first()?;
        let deleted = format!(
            "delete it by hand after the upgrade: `kubectl delete {} {name}`",
            old.object.kind().to_lowercase()
        );
        let help = match verdicts.iter().all(|one| one.tool == Tool::Argocd) {
            true => format!("switch pruning on, or {deleted}"),
            false => deleted,
        };
        let span = |part: &VersionedObject| {
            part.object.root.at(&["metadata", "name"]).map(|name| name.span)
        };
        let (part, label) = match self.pair.new {
            Some(new) => (new, format!("the new name of `{name}`, which remains in the cluster")),
            None => (old, format!("`{name}` is no longer deployed, but remains in the cluster")),
        };
        let span = span(part).or_else(|| part.object.deepest_key(&[]))?;
        let message = match runs_on {
            true => {
                format!("the upgrade leaves {} behind, and it keeps running", titled(&old.object))
            }
            false => format!("the upgrade leaves {} in the cluster", titled(&old.object)),
        };
        let finding = Finding::new(span, label).message(message).help(help).deployers(verdicts);
        Some((part, with_old(finding, self.pair.new.and(self.pair.old), "its old name")))
    }

    fn conversion(&self) -> Option<(&VersionedObject, Finding)> {
        let (old, new) = self.pair.old.zip(self.pair.new)?;
        let fails = Cell::new(false);
        let verdicts = self.judge(|_, verdict| {
            if !verdict.is_converted() {
                return None;
            }
            let forecast = &verdict.forecast;
            fails.set(fails.get() || forecast.outcome.fails());
            let severity = match forecast.outcome {
                Outcome::Rejected | Outcome::Blocked | Outcome::FalseSuccess => Severity::Error,
                Outcome::RunsAgain | Outcome::Runs | Outcome::Replaced
                    if !forecast.also.contains(&Outcome::Deleted) =>
                {
                    return None;
                }
                _ => Severity::Warning,
            };
            Some((severity, forecast.reason.clone()))
        });
        verdicts.first()?;
        let annotation = |object: &Object| {
            let entry =
                [HELM_HOOK, ARGO_HOOK].into_iter().find_map(|key| object.annotation(key))?;
            Some(entry.value.span)
        };
        let (what, span, before) = match annotation(&new.object) {
            Some(span) => ("was an ordinary object and is a hook now", span, "not a hook before"),
            None => {
                let name = new.object.root.at(&["metadata", "name"])?.span;
                ("was a hook and is an ordinary object now", name, "a hook before")
            }
        };
        let (title, reason) = (titled(&new.object), verdicts[0].text.clone());
        let finding = match fails.get() {
            true => {
                Finding::new(span, reason).message(format!("the upgrade will fail: {title} {what}"))
            }
            false => Finding::new(span, format!("`{}` {what}", new.object.display_name()))
                .message(format!("the upgrade converts {title}: {reason}")),
        };
        let finding = finding.deployers(verdicts);
        let place = annotation(&old.object)
            .or_else(|| Some(old.object.root.at(&["metadata", "name"])?.span));
        let Some(place) = place else { return Some((new, finding)) };
        Some((new, finding.label_in(&old.object.source, place, before)))
    }
}

/// Adds a label at the old name.
fn with_old(finding: Finding, old: Option<&VersionedObject>, text: &str) -> Finding {
    let name = old.and_then(|old| Some((old, old.object.root.at(&["metadata", "name"])?.span)));
    match name {
        Some((old, span)) => finding.label_in(&old.object.source, span, text),
        None => finding,
    }
}

/// Resolves a finding to the positions that a person wrote, without duplicate labels.
pub(super) fn located(
    rule: &'static Rule,
    part: &VersionedObject,
    finding: Finding,
    (context, settings): (&Context<'_>, &Settings),
    values: Option<&Arc<str>>,
) -> Diagnostic {
    let raised = Raised { rule, object: &part.object, finding };
    let allowance = Allowance::default();
    let mut located = resolve::resolve(raised, context, settings, &allowance);
    let mut seen = vec![place(&located.location)];
    let written = |at: &Location| at.source.slice(at.span).to_owned();
    let (here, text) = (located.location.source.path.clone(), written(&located.location));
    let rendered = part.object.source.origin.is_some();
    located.secondary.retain(|(at, _)| {
        let own = place(at);
        let known = seen.contains(&own);
        // The old template has the same text; the difference is in its inputs.
        let same = rendered && at.source.path != here && written(at) == text;
        seen.push(own);
        !known && !same
    });
    located.value_sets.extend(values.cloned());
    located
}

fn place(at: &Location) -> (String, Span) {
    (at.source.path.clone(), at.span)
}
