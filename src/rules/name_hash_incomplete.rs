use super::refused;
use crate::{
    finding::Finding,
    workload::{Why, Workload},
};

pub(super) fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    found.extend(refused::finding(job, &job.refusals(), Why::Incomplete));
}
