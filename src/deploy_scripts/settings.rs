//! Images and values that scripts and pipelines set when they deploy or publish.

use job_lifecycle::Object;

use super::{
    any,
    names::{is_like, with_wildcards},
};
use crate::{
    scripts::{ENDS, lines, unfolded},
    unit::Unit,
};

/// Whether a script or pipeline that serves the unit gives an object its image, which the manifest then leaves out.
pub(crate) fn set_image(object: &Object, unit: &Unit) -> bool {
    any(unit, |text| sets_image(text, object))
}

/// Whether a script sets the image of an object, or of its manifest: `kubectl set image cronjob/shop shop=app:1.4.2`,
/// `kubectl set image -f job.yaml --local shop=app:1.4.2`.
fn sets_image(text: &str, object: &Object) -> bool {
    let joined = unfolded(text);
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
    let text = unfolded(text);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deploy_scripts::tests::job;

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
}
