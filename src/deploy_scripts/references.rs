//! Jobs that scripts and pipelines wait for, or refer to by their name.

use job_lifecycle::Object;

use super::{
    any, first, is_run,
    names::{is_job, names_own},
};
use crate::{
    mentions::Names,
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

/// The name of a script or pipeline that refers to the Job by its name: one that serves the unit, or one elsewhere in the
/// repository that writes the whole name.
pub(crate) fn refer(job: &Object, unit: &Unit, names: Option<Names<'_>>) -> Option<String> {
    let elsewhere = || names?.file(|path, text| names_whole(text, job) && is_run(path));
    let path = first(unit, |text| refers(text, job)).or_else(elsewhere)?;
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// Whether a line names a Job as a client of the cluster does: `kubectl logs -f job/shop-migrate`.
fn refers(text: &str, job: &Object) -> bool {
    let all: Vec<_> = lines(text).collect();
    all.iter().any(|line| named(line).any(|named| names_own(Some(named), job, &all)))
}

/// The same for a script that is not known to serve the Job: what a variable stands for may be another one.
fn names_whole(text: &str, job: &Object) -> bool {
    let is_own = |(kind, name): (&str, &str)| {
        is_job(kind) && Some(name.trim_end_matches([';', ')'])) == job.name()
    };
    job.name().is_some_and(|name| text.contains(name)) && lines(text).flat_map(named).any(is_own)
}

/// The kinds and names in a line: `job/shop-migrate`, `job shop-migrate`.
fn named(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let words: Vec<_> = line.split_whitespace().map(|word| word.trim_matches(ENDS)).collect();
    let slashed = words.iter().filter_map(|word| word.split_once('/'));
    let apart = words.windows(2).map(|pair| (pair[0], pair[1]));
    slashed.chain(apart).collect::<Vec<_>>().into_iter()
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
    fn a_script_elsewhere_refers_to_a_job_by_its_whole_name() {
        let waits = "while ! x=$(kubectl -n shop logs job.batch/shop-migrate); do sleep 1; done";
        assert!(names_whole(waits, &job()));
        for script in [
            "kubectl logs job/$NAME-migrate",
            "helm upgrade shop-migrate job/shop-seed",
            "# job/shop-migrate",
        ] {
            assert!(!names_whole(script, &job()), "{script}");
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
