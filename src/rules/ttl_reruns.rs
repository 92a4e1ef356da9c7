use job_lifecycle::Tool;
use yaml_spans::Entry;

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding, PerDeployer, Severity},
    fix, template_fix,
    words::duration,
    workload::{AfterTtl, Subject, recreating_option},
};

pub(crate) static RULE: Rule =
    Rule::new("ttl-reruns", include_str!("../../rules/ttl-reruns.yaml"), Check::Workload(check));

/// The fix under a Flux Kustomization, which has no hooks.
const FLUX: &str = "Remove the TTL, and let `kustomize.toolkit.fluxcd.io/force: enabled` replace the Job when it changes";

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let gone = job.after_ttl();
    let Some(ttl) = job.ttl().filter(|ttl| ttl.value.as_int().is_some()) else { return };
    let back = gone.iter().find_map(|(deployer, gone)| match gone {
        AfterTtl::Recreated(when) => Some((*deployer, when)),
        AfterTtl::Reported(_) | AfterTtl::Unnoticed => None,
    });
    let Some((deployer, when)) = back else { return };
    let tool = deployer.tool.title();
    let worst = match job.is_idempotent() {
        Some(false) => Severity::Error,
        Some(true) | None => Severity::Warning,
    };
    let time = duration(ttl.value.as_int().unwrap_or_default());
    let label = format!("{time} after each run the Job is gone, and {tool} puts it back {when}");
    let results = gone.iter().filter_map(|(of, gone)| result(of.tool, gone, worst)).collect();
    let message =
        format!("{tool} runs {} again and again: its TTL removes it each time", job.title());
    let mut finding = Finding::new(ttl.key_span.to(ttl.value.span), label).message(message);
    if deployer.tool == Tool::Flux && !deployer.is_helm_release(job.context.from_chart()) {
        finding = finding.help(FLUX);
    }
    let finding = finding.deployers(distinct(results)).because(
        deployer,
        recreating_option(deployer),
        "puts the Job back",
    );
    let finding = with_fixes(job, finding, ttl);
    // A run a day does little harm, and is often welcome.
    let is_rare = worst < Severity::Error && ttl.value.as_int() >= Some(DAY);
    let is_meant = expects_reruns(job) || job.only_nudges() || takes_newest(job);
    found.push(if is_rare || is_meant { finding.pedantic() } else { finding });
}

/// A TTL in seconds from which a Job that may run twice is not worth an interruption.
const DAY: i64 = 24 * 60 * 60;

/// Whether the Job works on what a branch holds when it runs: each run is about something newer.
fn takes_newest(job: &Subject<'_>) -> bool {
    let mut scripts = job.commands().iter().flat_map(|command| command.scripts(true));
    scripts.any(|(_, text)| ["git clone", "git pull"].iter().any(|words| text.contains(words)))
}

/// What comments call another run.
const RERUNS: [&str; 6] =
    ["re-run", "rerun", "run again", "runs again", "each reconcile", "every reconcile"];

/// What they say of one that does no harm, and of one that does.
const HARMLESS: [&str; 4] = ["idempotent", "no-op", "harmless", "safe"];
const HARMFUL: [&str; 4] = ["not ", "never", "unsafe", "non-idempotent"];

/// Whether a comment of the manifest says that the Job runs again, and that this does no harm: the author knows.
fn expects_reruns(job: &Subject<'_>) -> bool {
    let at = job.object.location().written();
    let (before, rest) = at.source.text.split_at(at.span.start as usize);
    let start = before.rfind("\n---").unwrap_or_default();
    let end = rest.find("\n---").map_or(at.source.text.len(), |end| before.len() + end);
    let comments =
        at.source.text[start..end].lines().filter_map(|line| line.trim().strip_prefix('#'));
    let text = comments.collect::<String>().to_lowercase();
    text.split(['.', ';']).any(|sentence| {
        let says = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
        says(&RERUNS) && says(&HARMLESS) && !says(&HARMFUL)
    })
}

/// Removes the TTL; where nothing else lets the deployer replace the Job, adds what does.
fn with_fixes(job: &Subject<'_>, finding: Finding, ttl: &Entry) -> Finding {
    let Some(gone) = fix::remove(job.source, job.job, ttl) else { return finding };
    let title = "remove `ttlSecondsAfterFinished`";
    let [deployer] = job.context.deployers else {
        return finding.fix(title, Applicability::Unsafe, gone);
    };
    let (annotations, then) = template_fix::deployer_fix(deployer, job.context.from_chart());
    let is_there = |(key, value): &(&str, &str)| job.object.annotation_text(key) == Some(*value);
    if annotations.iter().all(is_there) {
        return finding.fix(title, Applicability::Unsafe, gone);
    }
    let metadata = job.object.root.get("metadata");
    // Without them the next edit would be rejected.
    match metadata.and_then(|metadata| fix::annotate(job.source, metadata, annotations)) {
        Some(mut edits) => {
            edits.push(gone);
            finding.fix_all(format!("{title}, and {then}"), Applicability::Unsafe, edits)
        }
        None => finding,
    }
}

/// Keeps one entry per tool, the most severe.
fn distinct(mut results: Vec<PerDeployer>) -> Vec<PerDeployer> {
    results.sort_by_key(|one| (one.tool, std::cmp::Reverse(one.severity)));
    results.dedup_by_key(|one| one.tool);
    results
}

fn result(tool: Tool, gone: &AfterTtl, worst: Severity) -> Option<PerDeployer> {
    let title = tool.title();
    match gone {
        AfterTtl::Recreated(when) => {
            Some(PerDeployer::new(tool, worst, format!("{title} puts it back {when}")))
        }
        AfterTtl::Reported(state) => {
            let text = format!("{title} reports {state}, and does not run it again by itself");
            Some(PerDeployer::new(tool, Severity::Warning, text))
        }
        AfterTtl::Unnoticed => None,
    }
}
