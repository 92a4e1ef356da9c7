use job_lifecycle::Tool;

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding, PerDeployer, Severity},
    fix,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "name-and-generate-name",
    include_str!("../../rules/name-and-generate-name.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(metadata) = job.object.root.get("metadata") else { return };
    let both = (metadata.entry("name"), metadata.entry("generateName"));
    let ((Some(name), Some(unused)), Some(_), Some(_)) =
        (both, job.object.name(), job.object.generate_name())
    else {
        return;
    };
    // While nothing says that Helm 4 deploys it, the release probably works.
    let rejected = if job.context.is_assumed() { Severity::Info } else { Severity::Error };
    let result = |tool| match tool {
        // Observed with 4.3: "metadata.name and metadata.generateName cannot both be set".
        Tool::Helm4 => PerDeployer::new(tool, rejected, "the release fails: both are set"),
        _ => PerDeployer::new(tool, Severity::Info, "`name` wins, `generateName` does nothing"),
    };
    let message = match job.context.tools()[..] {
        [Tool::Helm4] => {
            format!("Helm 4 rejects {}: it has `name` and `generateName`", job.title())
        }
        _ => format!("{} keeps one name: `generateName` has no effect beside `name`", job.title()),
    };
    let finding =
        Finding::new(unused.key_span.to(unused.value.span), "has no effect beside `name`")
            .message(message)
            .label(name.value.span, "this name is used for every run")
            .deployers(job.context.tools().into_iter().map(result).collect());
    let edit = fix::remove(job.source, metadata, unused);
    let finding = finding.fix_if("remove `generateName`", Applicability::Unsafe, edit);
    // Only Helm 4 minds.
    let is_rejected = finding.severity == Some(Severity::Error);
    found.push(if is_rejected { finding } else { finding.pedantic() });
}
