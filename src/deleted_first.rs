//! What scripts and pipelines do when they deploy: Jobs that they delete first, which the deployer never meets, Jobs that
//! they wait for, and images and values that they set.

use std::path::{Path, PathBuf};

use job_lifecycle::Object;
use yaml_spans::Node;

use crate::{
    discover::absolute,
    gitops::commands::deploys,
    scripts::{CLIENTS, ENDS, is_markdown, is_of_name, is_pipeline, lines, may_be_script, serving},
    unit::{Unit, UnitKind},
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

/// Whether a script or pipeline that serves the unit waits for the Job, and gives up after some time.
pub(crate) fn watch(job: &Object, unit: &Unit) -> bool {
    any(unit, |text| gives_up_on(text, job))
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

/// Whether a kind and a name are those of a Job.
fn names_own(named: Option<(&str, &str)>, job: &Object, lines: &[&str]) -> bool {
    let named = named.filter(|(kind, _)| is_job(kind)).zip(job.name());
    named.is_some_and(|((_, name), own)| names_job(name, own, lines))
}

/// Whether a script waits for a Job with a timeout: `kubectl wait --for=condition=complete job/shop --timeout=300s`.
fn gives_up_on(text: &str, job: &Object) -> bool {
    let joined = text.replace("\\\n", " ").replace("`\n", " ");
    let all: Vec<_> = lines(&joined).collect();
    all.iter().any(|line| {
        let mut words = line.split_whitespace().map(|word| word.trim_matches(ENDS));
        line.contains(" wait ")
            && line.contains("--timeout")
            && words.any(|word| names_own(word.split_once('/'), job, &all))
    })
}

/// Whether a script or pipeline that serves the unit gives an object its image, which the manifest then leaves out.
pub(crate) fn set_image(object: &Object, unit: &Unit) -> bool {
    any(unit, |text| sets_image(text, object))
}

/// Whether a script sets the image of an object, or of its manifest: `kubectl set image cronjob/shop shop=app:1.4.2`,
/// `kubectl set image -f job.yaml --local shop=app:1.4.2`.
fn sets_image(text: &str, object: &Object) -> bool {
    let joined = text.replace("\\\n", " ");
    let file = object.source.path.rsplit('/').next();
    lines(&joined).filter(|line| line.contains("set image")).any(|line| {
        let mut words = line.split_whitespace().map(|word| word.trim_matches(ENDS));
        let names = |word: &str| word.rsplit('/').next() == file || names_object(word, object);
        words.any(names)
    })
}

/// Whether a word names an object: `cronjobs/shop`.
fn names_object(word: &str, object: &Object) -> bool {
    let named = word.split_once('/').zip(object.name());
    named.is_some_and(|((kind, name), own)| {
        let kind = kind.split('.').next().unwrap_or(kind).to_lowercase();
        let is_of_kind = kind.trim_end_matches('s') == object.kind().to_lowercase();
        is_of_kind && is_like(&with_wildcards(name), own)
    })
}

/// Whether scripts or pipelines that serve the unit name one of some values, as `--set` does.
pub(crate) fn set(inputs: &[String], unit: &Unit) -> bool {
    sets_in(inputs, unit, |_| true)
}

/// Whether they set one to what a variable holds, and so to another text for each deploy: `--set image.tag=$SHA`.
pub(crate) fn vary(inputs: &[String], unit: &Unit) -> bool {
    sets_in(inputs, unit, |line| line.contains('$'))
}

/// The paths of the values among some inputs: `image.tag` of `Values.image.tag`.
fn paths(inputs: &[String]) -> Vec<&str> {
    let values = inputs.iter().filter_map(|input| input.split_once("Values."));
    values.map(|(_, path)| path).collect()
}

fn sets_in(inputs: &[String], unit: &Unit, is_such: impl Fn(&str) -> bool) -> bool {
    let paths = paths(inputs);
    let sets = |line: &str| paths.iter().any(|path| names_value(line, path)) && is_such(line);
    any(unit, |text| lines(text).any(sets))
}

/// Whether scripts that serve the unit upgrade releases, and each time turn one of some values off: `--set job.enabled=false`.
pub(crate) fn turn_off(inputs: &[String], unit: &Unit) -> bool {
    let paths = paths(inputs);
    !paths.is_empty() && any(unit, |text| turns_off(text, &paths))
}

fn turns_off(text: &str, paths: &[&str]) -> bool {
    let text = text.replace("\\\n", " ");
    let mut upgrades = lines(&text).filter(|line| line.contains("helm upgrade")).peekable();
    let is_off = |line: &str, path: &str| {
        line.split([' ', ',', '"', '\'']).any(|word| {
            word.rsplit_once('=').is_some_and(|(name, value)| {
                name.strip_prefix("--set=").unwrap_or(name) == path && value == "false"
            })
        })
    };
    upgrades.peek().is_some() && upgrades.all(|line| paths.iter().any(|path| is_off(line, path)))
}

/// Whether a script or pipeline that serves the unit gives the chart another appVersion as it publishes it: `helm package
/// --app-version $TAG`, `yq -i '.appVersion = …' Chart.yaml`.
pub(crate) fn set_app_version(unit: &Unit) -> bool {
    any(unit, |text| lines(text).any(|line| APP_VERSION.iter().any(|word| line.contains(word))))
}

/// What a line that sets it calls the appVersion.
const APP_VERSION: [&str; 2] = ["--app-version", "appVersion"];

/// Whether a line names a value: `--set image.tag=1.4.2`, `yq '.image.tag = "1.4.2"'`.
fn names_value(line: &str, path: &str) -> bool {
    let is_of_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    line.match_indices(path).any(|(at, _)| {
        // `.tag` is a path of yq, `image.tag` another value.
        let before = line[..at].strip_suffix('.').unwrap_or(&line[..at]);
        !before.ends_with(is_of_key)
            && !line[at + path.len()..].starts_with(|c| is_of_key(c) || c == '.')
    })
}

/// Whether something holds for a script or pipeline that serves a unit.
fn any(unit: &Unit, holds: impl Fn(&str) -> bool) -> bool {
    first(unit, holds).is_some()
}

/// The first script or pipeline that serves a unit of which something holds.
fn first(unit: &Unit, holds: impl Fn(&str) -> bool) -> Option<PathBuf> {
    first_text(unit, |path, text| is_run(path) && holds(text))
}

fn is_run(path: &Path) -> bool {
    may_be_script(path) || is_pipeline(path)
}

/// The first of the scripts, pipelines and guides that serve a unit of which something holds.
fn first_text(unit: &Unit, is_it: impl Fn(&Path, &str) -> bool) -> Option<PathBuf> {
    let first = match (unit.kind, unit.roots.first()) {
        (UnitKind::Chart, _) => Some(unit.root.join("Chart.yaml")),
        (_, Some(root)) => Some(root.folder.join("kustomization.yaml")),
        (_, None) => unit.files.first().map(|file| file.path.clone()),
    };
    let first = absolute(&first?);
    let mut all = serving(&first, &unit.boundary);
    all.find(|(_, path, text)| is_it(path, text)).map(|(_, path, _)| path)
}

/// Whether a part of a script that runs as one deletes a Job, or the release that it is of, before it deploys.
fn deletes_first(text: &str, job: &Object) -> bool {
    clears(text, job, true)
}

/// The same, and whether to uninstall the release counts.
fn clears(text: &str, job: &Object, with_release: bool) -> bool {
    let joined = text.replace("\\\n", " ");
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

fn is_job(kind: &str) -> bool {
    matches!(kind, "job" | "jobs" | "job.batch" | "jobs.batch")
}

/// Whether a word of a script names a Job. What is nothing but a variable stands for a word elsewhere in the script.
fn names_job(word: &str, own: &str, lines: &[&str]) -> bool {
    let pattern = with_wildcards(word);
    match pattern.trim_matches('*').is_empty() {
        true => {
            lines.iter().any(|line| line.split(|c: char| !is_of_name(c)).any(|other| other == own))
        }
        false => is_like(&pattern, own),
    }
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

/// A word with `*` for each variable: `$(NAME)-job`, `${NAME}-job` and `$NAME-job` are `*-job`.
fn with_wildcards(word: &str) -> String {
    let mut pattern = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('$') {
        let after = after.trim_start_matches('$');
        let end = match after.chars().next() {
            Some('(') => after.find(')').map(|end| end + 1),
            Some('{') => {
                after.rfind("}}").map(|end| end + 2).or_else(|| Some(after.find('}')? + 1))
            }
            _ => after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_'),
        };
        pattern = pattern + before + "*";
        rest = &after[end.unwrap_or(after.len())..];
    }
    pattern + rest
}

/// Whether a text is what a pattern with `*` stands for.
fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    let Some(mut rest) = rest.strip_suffix(last) else { return false };
    parts.all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use yaml_spans::Source;

    use super::*;
    use crate::load;

    fn job() -> Object {
        let text = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: shop-migrate, labels: {app: shop, part: init}}\n";
        let source = Arc::new(Source::new("app/templates/job.yaml", text.to_owned()));
        let loaded = load::load_text(&source, &mut |_| true);
        loaded.objects.into_iter().next().unwrap()
    }

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
    fn a_script_sets_the_image_of_a_job() {
        for script in [
            "kubectl set image -n shop \\\n  jobs/shop-migrate main=\"app:$SHA\"",
            "kubectl set image --local -f app/templates/job.yaml main=app:1 -o yaml | kubectl apply -f -",
        ] {
            assert!(sets_image(script, &job()), "{script}");
        }
        for script in
            ["kubectl set image deployment/shop-migrate main=app", "kubectl set env job/x A=b"]
        {
            assert!(!sets_image(script, &job()), "{script}");
        }
    }

    #[test]
    fn a_script_turns_a_job_off_in_each_upgrade() {
        let off = "helm upgrade --install shop . \\\n  --set job.enabled=false \\\n  --set a=b\n";
        assert!(turns_off(off, &["job.enabled"]));
        assert!(turns_off("helm upgrade shop . --set a=b,job.enabled=false", &["job.enabled"]));
        for script in [
            &format!("{off}helm upgrade shop ."),
            "helm upgrade shop . --set job.enabled=true",
            "helm upgrade shop . --set other.job.enabled=false",
            "helm template shop . --set job.enabled=false",
            "# helm upgrade shop . --set job.enabled=false",
        ] {
            assert!(!turns_off(script, &["job.enabled"]), "{script}");
        }
    }

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
