use crate::{
    deploy::{Gone, Tool},
    finding::{Applicability, Finding, PerDeployer, Severity},
    fix,
    workload::Workload,
};

pub(super) fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    let gone = job.gone_by_ttl();
    let Some(ttl) = job.ttl().filter(|ttl| ttl.value.as_int().is_some()) else { return };
    let back = gone.iter().find_map(|(tool, gone)| match gone {
        Gone::PutBack(when) => Some((tool.title(), when)),
        Gone::Reported(_) | Gone::Unnoticed => None,
    });
    let Some((tool, when)) = back else { return };
    let worst = match job.is_idempotent() {
        Some(true) => Severity::Warning,
        Some(false) | None => Severity::Error,
    };
    let seconds = ttl.value.as_int().unwrap_or_default();
    let label =
        format!("{seconds} s after each run the Job is gone, and {tool} puts it back {when}");
    let results = gone.iter().filter_map(|(tool, gone)| result(*tool, gone, worst)).collect();
    let finding = Finding::new(ttl.key_span.to(ttl.value.span), label).deployers(results);
    found.push(match fix::remove(job.source, job.job, ttl) {
        Some(edit) => finding.fix("remove `ttlSecondsAfterFinished`", Applicability::Unsafe, edit),
        None => finding,
    });
}

fn result(tool: Tool, gone: &Gone, worst: Severity) -> Option<PerDeployer> {
    let title = tool.title();
    match gone {
        Gone::PutBack(when) => {
            Some(PerDeployer::new(tool, worst, format!("{title} puts it back {when}")))
        }
        Gone::Reported(state) => {
            let text = format!("{title} reports {state}, and does not run it again by itself");
            Some(PerDeployer::new(tool, Severity::Warning, text))
        }
        Gone::Unnoticed => None,
    }
}
