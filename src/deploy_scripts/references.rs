//! Jobs that scripts and pipelines wait for, or refer to by their name.

use job_lifecycle::Object;

use super::{any, first, names::names_own};
use crate::{
    scripts::{ENDS, lines, unfolded},
    unit::Unit,
};

/// Whether a script or pipeline that serves the unit waits for the Job, and gives up after some time.
pub(crate) fn watch(job: &Object, unit: &Unit) -> bool {
    any(unit, |text| gives_up_on(text, job))
}

/// Whether a script waits for a Job with a timeout: `kubectl wait --for=condition=complete job/shop --timeout=300s`.
fn gives_up_on(text: &str, job: &Object) -> bool {
    let joined = unfolded(text).replace("`\n", " ");
    let all: Vec<_> = lines(&joined).collect();
    all.iter().any(|line| {
        let mut words = line.split_whitespace().map(|word| word.trim_matches(ENDS));
        line.contains(" wait ")
            && line.contains("--timeout")
            && words.any(|word| names_own(word.split_once('/'), job, &all))
    })
}

/// The name of a script or pipeline that serves the unit and refers to the Job by its name.
pub(crate) fn refer(job: &Object, unit: &Unit) -> Option<String> {
    let path = first(unit, |text| refers(text, job))?;
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// Whether a line names a Job as a client of the cluster does: `kubectl logs -f job/shop-migrate`.
fn refers(text: &str, job: &Object) -> bool {
    let all: Vec<_> = lines(text).collect();
    all.iter().any(|line| {
        let words: Vec<_> = line.split_whitespace().map(|word| word.trim_matches(ENDS)).collect();
        words.iter().any(|word| names_own(word.split_once('/'), job, &all))
            || words.windows(2).any(|pair| names_own(Some((pair[0], pair[1])), job, &all))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deploy_scripts::tests::job;

    #[test]
    fn a_script_refers_to_a_job() {
        for script in [
            "kubectl logs -f job/shop-migrate",
            "kubectl -n shop describe job $(RELEASE)-migrate",
            "wait_for \"jobs/${name}-migrate\"",
        ] {
            assert!(refers(script, &job()), "{script}");
        }
        for script in [
            "kubectl logs job/shop-seed",
            "# kubectl logs job/shop-migrate",
            "helm test shop-migrate",
        ] {
            assert!(!refers(script, &job()), "{script}");
        }
    }

    #[test]
    fn a_script_gives_up_on_a_job() {
        for script in [
            "kubectl wait --for=condition=complete job/shop-migrate --timeout=300s",
            "kubectl wait --timeout 5m \\\n  --for=condition=complete jobs.batch/${NAME}-migrate",
        ] {
            assert!(gives_up_on(script, &job()), "{script}");
        }
        for script in [
            "kubectl wait --for=condition=complete job/shop-migrate",
            "kubectl wait --for=condition=complete job/shop-seed --timeout=300s",
            "# kubectl wait job/shop-migrate --timeout=300s",
        ] {
            assert!(!gives_up_on(script, &job()), "{script}");
        }
    }
}
