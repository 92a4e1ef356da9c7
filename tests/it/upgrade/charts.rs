//! Charts whose render depends on time, chance, or whether the release is installed or upgraded.

use super::*;

const METADATA: &str = "apiVersion: v2\nname: shop\nversion: 1.4.0\n";

/// A Job with this name, pod annotations and container image.
fn job(name: &str, annotations: &str, image: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}}}\nspec:\n  template:\n    metadata:\n      \
         annotations: {{{annotations}}}\n    spec:\n      restartPolicy: Never\n      containers: [{{name: a, image: \"{image}\"}}]\n"
    )
}

/// The rows of a comparison of the first template with the second, of one chart: name, change, outcomes, and a mark
/// where only the first upgrade is meant.
fn rows(old: &str, new: &str, deployers: &[&str]) -> Vec<String> {
    let files =
        |job: &str| tree(&[("shop/Chart.yaml", METADATA), ("shop/templates/job.yaml", job)]);
    let (before, after) = (files(old), files(new));
    let base = before.path().join("shop");
    let mut arguments = vec!["--base", base.to_str().unwrap(), "shop"];
    arguments.extend(deployers.iter().flat_map(|deployer| ["--deployer", *deployer]));
    let report = json(after.path(), &arguments);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let row = |row: &serde_json::Value| {
        let outcomes = row["deployers"].as_array().unwrap().iter();
        let outcomes: Vec<_> = outcomes
            .map(|one| {
                let also = one["also"]
                    .as_array()
                    .map_or(String::new(), |also| format!("+{}", text(&also[0])));
                format!("{} {}{also}", text(&one["deployer"]), text(&one["outcome"]))
            })
            .collect();
        let first = if row["firstUpgrade"] == true { " (first)" } else { "" };
        format!("{}{first}: {}", text(&row["change"]), outcomes.join(", "))
    };
    report["jobs"].as_array().unwrap().iter().map(row).collect()
}

/// Each deploy renders anew, so the names differ, and the old Job leaves the release (helm F.1, "name changed").
#[test]
fn names_with_time_or_chance_are_renamed() {
    for name in
        ["a-{{ now | unixEpoch }}", "a-{{ randAlphaNum 5 | lower }}", "a-{{ randNumeric 6 }}"]
    {
        let chart = job(name, "", "a:1");
        assert_eq!(
            rows(&chart, &chart, &["helm4"]),
            ["renamed: helm4 runs-again+deleted"],
            "{name}"
        );
        let next = job(name, "", "a:2");
        assert_eq!(
            rows(&chart, &next, &["helm3"]),
            ["renamed: helm3 runs-again+deleted"],
            "{name}"
        );
    }
}

/// A random annotation differs in every render of the same sources, and a pod template cannot change (helm F.1).
#[test]
fn a_random_hash_in_the_template_is_rejected_against_itself() {
    let chart = job("a", "roll: '{{ randAlphaNum 5 }}'", "a:1");
    let rejected = "rejected: helm4 rejected, argocd rejected";
    assert_eq!(rows(&chart, &chart, &["helm4", "argocd"]), [rejected]);
}

/// `IsInstall` holds for the first deploy only; Argo CD renders every sync as an installation (argocd 4).
#[test]
fn a_job_of_the_installation_is_deleted_by_the_first_upgrade() {
    let chart = format!("{{{{ if .Release.IsInstall }}}}\n{}{{{{ end }}}}\n", job("a", "", "a:1"));
    let rows_of = |deployers: &[&str]| rows(&chart, &chart, deployers);
    assert_eq!(rows_of(&["helm4"]), ["removed (first): helm4 deleted"]);
    assert_eq!(rows_of(&["argocd"]), ["unchanged: argocd unchanged"]);
    assert_eq!(
        rows_of(&["argocd", "helm3"]),
        ["unchanged: argocd unchanged", "removed (first): helm3 deleted"]
    );
}

/// The first upgrade runs the hook and deletes what the installation created (helm A.10); every later one finds a
/// hook, which no installation has run. Argo CD never renders an upgrade.
#[test]
fn a_hook_of_upgrades_only_is_converted_once() {
    let annotations =
        "\n  annotations: { {{ if .Release.IsUpgrade }}helm.sh/hook: pre-upgrade{{ end }} }\n";
    let chart = job("a", "", "a:1")
        .replace("metadata: {name: a}", &format!("metadata:\n  name: a{annotations}"));
    assert_eq!(
        rows(&chart, &chart, &["helm3", "argocd"]),
        [
            "reruns: helm3 runs",
            "unchanged: argocd unchanged",
            "converted (first): helm3 runs-again+deleted"
        ]
    );
}

/// The values beside the chart are read in each version, and files are named alike, however the path is written.
#[test]
fn a_path_may_be_written_in_any_way() {
    let files = |tag: &str| {
        let image = format!("image: app:{tag}\n");
        tree(&[
            ("charts/a/Chart.yaml", METADATA),
            ("charts/a/values.yaml", "image: ''\n"),
            ("charts/a/prod.yaml", &image),
            ("charts/a/templates/job.yaml", &job("a", "", "{{ .Values.image }}")),
        ])
    };
    let (before, after) = (files("1"), files("2"));
    let (old, new) = (before.path(), after.path());
    let findings = |folder: &Path, base: &Path, path: &str, values: &str| {
        let report = json(folder, &["--base", base.to_str().unwrap(), path, "-f", values]);
        let finding = &report["findings"][0];
        (finding["rule"].clone(), finding["path"].clone(), report["jobs"].clone())
    };
    let (chart, own) = (old.join("charts/a"), new.join("charts/a"));
    let expected = findings(new, &chart, "charts/a", "charts/a/prod.yaml");
    assert_eq!(
        (&expected.0, &expected.1),
        (&"immutable-change".into(), &"charts/a/templates/job.yaml".into())
    );
    for (base, path, values) in [
        (&chart, "./charts/a/", "charts/a/prod.yaml"),
        (&chart, "charts/./a", "./charts/a/prod.yaml"),
        (&old.to_owned(), ".", "charts/a/prod.yaml"),
        (&old.join("charts"), "charts", "charts/a/prod.yaml"),
        (&old.join("charts"), "./charts", "./charts/a/prod.yaml"),
    ] {
        assert_eq!(findings(new, base, path, values), expected, "{path}");
    }
    for (path, values) in [(".", "prod.yaml"), ("./", "./prod.yaml"), ("../a", "prod.yaml")] {
        let (rule, _, jobs) = findings(&own, &chart, path, values);
        assert_eq!((&rule, &jobs), (&expected.0, &expected.2), "{path}");
    }
}
