//! Jobs that scripts, pipelines, guides and comments delete before they deploy, so that the deployer never meets the old one.

use std::path::Path;

use job_lifecycle::Object;
use yaml_spans::Node;

use super::{
    first_text, is_run,
    names::{is_job, is_like, names_job, with_wildcards},
};
use crate::{
    gitops::commands::deploys,
    scripts::{CLIENTS, ENDS, is_markdown, lines, unfolded},
    unit::Unit,
};

/// Whether a script or pipeline that serves the unit deletes the Job, and deploys something afterwards, or a comment beside the
/// Job or a guide says that one does.
pub(crate) fn delete(job: &Object, unit: &Unit) -> bool {
    let says = |path: &Path, text: &str| match is_markdown(path) {
        true => guides(text, job),
        false => is_run(path) && deletes_first(text, job),
    };
    deletes_first(&comments(job), job) || first_text(unit, says).is_some()
}

/// Whether an example of a guide deletes the Job before it deploys.
fn guides(text: &str, job: &Object) -> bool {
    // What it uninstalls is rather its end than the way to its next example.
    text.split("```").skip(1).step_by(2).any(|example| clears(example, job, false))
}

/// The comments of the file that an object is written in.
fn comments(object: &Object) -> String {
    let name = object.root.at(&["metadata", "name"]).map(|name| name.span);
    let origin = object.source.origin.as_deref().zip(name);
    let written = origin.map(|(origin, name)| origin.written(name).at.source);
    let source = written.unwrap_or_else(|| object.source.clone());
    let lines = source.text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    lines.map(|line| line.trim_start_matches(['#', ' '])).collect::<Vec<_>>().join("\n")
}

/// Whether a part of a script that runs as one deletes a Job, or the release that it is of, before it deploys.
fn deletes_first(text: &str, job: &Object) -> bool {
    clears(text, job, true)
}

/// The same, and whether to uninstall the release counts.
fn clears(text: &str, job: &Object, with_release: bool) -> bool {
    let joined = unfolded(text);
    let all: Vec<_> = lines(&joined).collect();
    let mut parts = all.split(|line| begins_part(line));
    ["delete", "uninstall"].iter().any(|word| text.contains(word))
        && parts.any(|part| {
            let deletion = part.iter().position(|line| deletes(line, job, &all));
            let removal = part.iter().position(|line| with_release && uninstalls(line));
            let behind = |at: usize| part[at + 1..].iter().filter(|line| deploys(line));
            deletion.is_some_and(|at| behind(at).next().is_some())
                || removal.is_some_and(|at| behind(at).any(|line| line.contains("helm")))
        })
}

/// Whether a line uninstalls a release: with it goes each Job of it. The script serves the chart.
fn uninstalls(line: &str) -> bool {
    let words = line.split(|c: char| c.is_whitespace() || "\"';|&()".contains(c));
    let mut words = words.filter(|word| !word.is_empty() && !word.starts_with('-'));
    words.by_ref().any(|word| matches!(word.trim_start_matches('@'), "helm" | "helm3"))
        && words.next().is_some_and(|verb| matches!(verb, "uninstall" | "delete" | "del"))
}

/// Whether a line begins a function or the recipe of a target.
fn begins_part(line: &str) -> bool {
    let word = line.split(' ').next().unwrap_or_default();
    let is_target = !word.starts_with('\t') && word.len() > 1 && word.ends_with(':');
    is_target
        || line.contains("() {")
        || line.ends_with("()")
        || ["function ", "define "].iter().any(|start| line.starts_with(start))
}

/// Options of `kubectl delete` with the value behind them, other than that which selects.
const VALUED: [&str; 6] =
    ["-n", "--namespace", "--context", "--timeout", "--kubeconfig", "--cascade"];

/// Whether a line deletes a Job: by its name, by labels that it has, by its file, or with all others.
fn deletes(line: &str, job: &Object, all: &[&str]) -> bool {
    let ends = |word: &&str| matches!(*word, "|" | "||" | "&&" | ";");
    let words = line.split_whitespace().map(|word| word.trim_start_matches('@'));
    let words = words.map(|word| if ends(&word) { word } else { word.trim_matches(ENDS) });
    let mut words = words.skip_while(|word| !CLIENTS.contains(word)).skip(1);
    if !words.by_ref().take_while(|word| !ends(word)).any(|word| word == "delete") {
        return false;
    }
    let mut words = words.take_while(|word| !ends(word)).map(|word| word.trim_end_matches(';'));
    let (mut is_of_jobs, mut names) = (false, Vec::new());
    while let Some(word) = words.next() {
        let (option, value) = word.split_once('=').unwrap_or((word, ""));
        match option {
            "-l" | "--selector" => {
                let labels = match (option, value) {
                    ("--selector", value) if !value.is_empty() => value,
                    _ => words.next().unwrap_or_default(),
                };
                return is_of_jobs && has_labels(job, labels);
            }
            "-f" | "--filename" => {
                let path = if value.is_empty() { words.next().unwrap_or_default() } else { value };
                return holds(path, &job.source.path);
            }
            "--all" => return is_of_jobs,
            _ if VALUED.contains(&option) && value.is_empty() => drop(words.next()),
            _ if word.starts_with('-') => {}
            _ => match word.split_once('/') {
                Some((kind, name)) if is_job(kind) => names.push(name),
                _ if is_of_jobs => names.push(word),
                _ => is_of_jobs = word.split(',').any(is_job),
            },
        }
    }
    job.name().is_some_and(|own| names.into_iter().any(|name| names_job(name, own, all)))
}

/// Whether a path of a script is that of a file, or of a folder above it.
fn holds(path: &str, file: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    !name.is_empty() && file.split('/').any(|part| part == name)
}

/// Whether a Job has all labels of a selector.
fn has_labels(job: &Object, selector: &str) -> bool {
    let labels = job.root.at(&["metadata", "labels"]);
    let has = |pair: &str| {
        let (key, value) = pair.split_once('=')?;
        let own = labels?.get(key).and_then(Node::as_str)?;
        Some(is_like(&with_wildcards(value.trim_start_matches('=')), own))
    };
    selector.split(',').all(|pair| has(pair) == Some(true))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use yaml_spans::Source;

    use super::*;
    use crate::{deploy_scripts::tests::job, load};

    #[test]
    fn a_comment_beside_a_job_says_that_it_is_deleted_first() {
        let said = |comment: &str| {
            let text = format!(
                "{comment}\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: shop-migrate}}\n"
            );
            let source = Arc::new(Source::new("job.yaml", text));
            let job = load::load_text(&source, &mut |_| true).objects.into_iter().next().unwrap();
            deletes_first(&comments(&job), &job)
        };
        assert!(said(
            "# kubectl delete job shop-migrate --ignore-not-found\n#  kubectl apply -k ."
        ));
        assert!(!said("# kubectl delete job shop-seed\n# kubectl apply -k ."));
        assert!(!said("# kubectl apply -k .\n# kubectl delete job shop-migrate"));
    }

    #[test]
    fn an_example_of_a_guide_deletes_a_job_first() {
        let guide = |example: &str| guides(&format!("Again:\n```bash\n{example}\n```\n"), &job());
        assert!(guide("# Once more\nkubectl delete job shop-migrate -n shop\nhelm upgrade shop ."));
        for example in [
            "kubectl delete job shop-migrate\n```\n```\nhelm upgrade shop .",
            "helm uninstall shop\nhelm install shop .",
            "helm upgrade shop .",
        ] {
            assert!(!guide(example), "{example}");
        }
    }

    #[test]
    fn a_script_deletes_a_job_before_it_deploys() {
        for script in [
            "kubectl delete job shop-migrate --ignore-not-found\nkubectl apply -k .",
            "kubectl -n shop delete jobs.batch \\\n  shop-migrate\nhelm upgrade --install shop .",
            "install:\n\t@oc delete job/$(RELEASE)-migrate || true\n\thelm upgrade --install x .",
            "$(KUBECTL) delete job -n shop -l app=shop,part=$PART || true\nkubectl apply -f .",
            "kubectl delete -f k8s/job.yaml\nkubectl apply -f k8s/job.yaml",
            "kubectl delete jobs --all -n shop; helm upgrade shop .\nhelm upgrade shop .",
            "for one in shop-migrate seed; do\n kubectl delete job \"$one\"\ndone\nkubectl apply -k .",
            "helm uninstall shop -n dev || true\nhelm install shop .",
            "kubectl delete -f app/templates/ --ignore-not-found\nkubectl apply -f app/templates/",
            "JOB=shop-migrate\nmain() {\n kubectl delete job \"$JOB\"\n kubectl apply -k .\n}",
            "    run: |\n      kubectl delete job shop-migrate -n ${{ env.NS }}\n      helm upgrade shop .",
        ] {
            assert!(deletes_first(script, &job()), "{script}");
        }
        for script in [
            "helm upgrade shop .\nkubectl delete job shop-migrate",
            "kubectl delete job shop-migrate",
            "clean:\n\tkubectl delete job shop-migrate\ninstall:\n\thelm upgrade --install x .",
            "stop() {\n kubectl delete job shop-migrate\n}\nstart() {\n kubectl apply -k .\n}",
            "kubectl delete job shop-seed\nkubectl apply -k .",
            "kubectl delete job -l app=other\nkubectl apply -k .",
            "kubectl delete job -l app=shop,part!=init\nkubectl apply -k .",
            "kubectl delete pods --all\nkubectl apply -k .",
            "kubectl delete -f other/\nkubectl apply -k .",
            "helm delete-all shop\nhelm upgrade shop .",
            "# kubectl delete job shop-migrate\nkubectl apply -k .",
            "kubectl delete job $JOB\nkubectl apply -k .",
        ] {
            assert!(!deletes_first(script, &job()), "{script}");
        }
    }
}
