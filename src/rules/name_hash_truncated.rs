use crate::{
    finding::Finding,
    workload::{Kind, Workload},
};

pub(super) fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    let Some(churn) = job.object.churn.as_deref().filter(|_| job.kind == Kind::Job) else { return };
    let (Some(length), Some(name)) = (churn.cut_at, job.object.root.at(&["metadata", "name"]))
    else {
        return;
    };
    if job.applying(job.object).any(|deployer| job.is_patched(deployer)) {
        let label = format!(
            "a release name of {length} characters or more leaves nothing of the part that changes"
        );
        found.push(Finding::new(name.span, label));
    }
}
