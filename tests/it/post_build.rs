//! The variables of a Flux Kustomization in what it deploys.

use joblint::{
    check::check_all, diagnostic::Diagnostic, discover::Request, results::Report,
    settings::Settings,
};
use yaml_spans::Location;

use crate::support::tree;

const BASE: &str = "resources: [job.yaml]\n";

/// A Job with a fixed name whose image and label are set by variables.
const JOB: &str = "\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  backoffLimit: 2
  template:
    metadata:
      labels:
        tier: ${TIER}
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: shop/migrate:${TAG}
";

const FLUX: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  interval: 10m
  prune: true
  path: ./base
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild:
";

fn check(job: &str, post_build: &str, more: &[(&str, &str)]) -> Report {
    let flux = format!("{FLUX}{post_build}");
    let own = [
        ("base/kustomization.yaml", BASE),
        ("base/job.yaml", job),
        ("clusters/a/apps.yaml", &flux),
    ];
    let folder = tree(&[&own[..], more].concat());
    std::fs::create_dir(folder.path().join(".git")).expect("a repository");
    let request = Request { paths: vec![folder.path().to_owned()], ..Request::default() };
    check_all(&request, &Settings::default())
}

fn of<'r>(report: &'r Report, rule: &str) -> Vec<&'r Diagnostic> {
    report.findings.iter().filter(|one| one.rule.id == rule).collect()
}

fn place(at: &Location) -> String {
    let path = &at.source.path;
    let folders = ["base/", "clusters/"];
    let from = folders.iter().filter_map(|folder| path.rfind(folder)).min().unwrap_or(0);
    format!("{}:{}", &path[from..], at.start().line)
}

fn notes(report: &Report) -> String {
    report.notes.join("\n")
}

#[test]
fn a_version_in_a_variable_is_raised() {
    let report = check(JOB, "    substitute:\n      TIER: jobs\n      TAG: 1.4.2\n", &[]);
    let [churn] = of(&report, "kustomize-churn")[..] else { panic!("{:?}", report.findings) };
    assert_eq!(place(&churn.location), "clusters/a/apps.yaml:12");
    assert_eq!(
        churn.message,
        "next change of `postBuild` will be rejected: pod template of Job `migrate` changes, its name does not"
    );
    assert_eq!(
        churn.label,
        "`shop/migrate:1.4.2` becomes `shop/migrate:1.4.3` in `spec.template.spec.containers[0].image`"
    );
    assert!(!notes(&report).contains("not evaluated"), "{}", notes(&report));
}

#[test]
fn a_config_map_of_the_tree_sets_variables() {
    let settings = |tag: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings, namespace: flux-system}}\n\
             data:\n  TIER: jobs\n  TAG: {tag}\n"
        )
    };
    let from = "    substituteFrom:\n    - {kind: ConfigMap, name: settings}\n";
    let (near, far) = (settings("1.4.2"), settings("2.0.0"));
    let files = [("clusters/a/settings.yaml", &*near), ("clusters/b/settings.yaml", &*far)];
    let report = check(JOB, from, &files);
    let [churn] = of(&report, "kustomize-churn")[..] else { panic!("{:?}", report.findings) };
    assert_eq!(place(&churn.location), "clusters/a/settings.yaml:6");
    // `substitute` wins.
    let both = format!("{from}    substitute: {{TAG: latest}}\n");
    assert!(of(&check(JOB, &both, &files), "kustomize-churn").is_empty());
}

/// Nothing is said about a value that only the cluster knows.
#[test]
fn what_is_set_elsewhere_stays_unknown() {
    let from = "    substituteFrom:\n    - {kind: ConfigMap, name: settings}\n    - {kind: Secret, name: keys, optional: true}\n";
    let report = check(JOB, from, &[]);
    assert!(of(&report, "kustomize-churn").is_empty());
    let expected = "`substituteFrom` ConfigMap `settings`: is not here, `substituteFrom` Secret `keys`: is not here, and \
                    is optional";
    assert!(notes(&report).contains(expected), "{}", notes(&report));
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: flux-system}\n\
                  stringData: {TAG: 1.4.2, TIER: hunter2}\n";
    let from = "    substituteFrom:\n    - {kind: Secret, name: keys}\n";
    let report = check(JOB, from, &[("clusters/a/keys.yaml", secret)]);
    assert!(of(&report, "kustomize-churn").is_empty());
    let text = format!("{:?}", report.findings);
    assert!(!text.contains("hunter2") || !text.contains("1.4.3"), "{text}");
    assert!(notes(&report).contains("`substituteFrom` Secret `keys`: its values are not used"));
}

#[test]
fn a_finding_points_to_the_text_and_to_the_variable() {
    let job = JOB.replace("restartPolicy: Never", "restartPolicy: ${POLICY}");
    let report =
        check(&job, "    substitute:\n      POLICY: Always\n      TIER: a\n      TAG: b\n", &[]);
    let found: Vec<_> =
        report.findings.iter().filter(|one| one.message.contains("restartPolicy")).collect();
    let [finding] = found[..] else { panic!("{:?}", report.findings) };
    assert_eq!(place(&finding.location), "base/job.yaml:12");
    let label = |(at, text): &(Location, String)| format!("{} {text}", place(at));
    let labels: Vec<_> = finding.secondary.iter().map(label).collect();
    assert!(labels.contains(&"clusters/a/apps.yaml:11 sets the variable".to_owned()), "{labels:?}");
}

/// The rule about scripts sees the text before substitution.
#[test]
fn a_script_is_judged_as_it_is_written() {
    let command = r#"command: [sh, -c, 'TIER=mine; echo "${TIER} $${HOME} $$"']"#;
    let script = format!("{:10}{command}\n", "");
    let report = check(&format!("{JOB}{script}"), "    substitute: {TIER: a, TAG: b}\n", &[]);
    let [finding] = of(&report, "substituted-by-flux")[..] else { panic!("{:?}", report.findings) };
    assert_eq!(place(&finding.location), "base/job.yaml:16");
    assert_eq!(finding.location.source.slice(finding.location.span), "${TIER}");
}

#[test]
fn an_expression_that_flux_cannot_read_is_an_error() {
    let settings = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: scripts}\ndata: {run: 'echo ${list[@]}'}\n";
    let report = check(&format!("{JOB}{settings}"), "    substitute: {TIER: a, TAG: b}\n", &[]);
    let [finding] = of(&report, "unrenderable")[..] else { panic!("{:?}", report.findings) };
    assert_eq!(place(&finding.location), "base/job.yaml:20");
    assert!(finding.message.ends_with(
        "post build failed for 'scripts': envsubst error: variable substitution failed: missing closing brace"
    ));
}
