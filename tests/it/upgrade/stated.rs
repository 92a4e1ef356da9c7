//! Who deploys each object is what `check` says of it too: the GitOps objects of the repository state it.

use super::{git, json, repository, write};

fn job(name: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}}}\nspec:\n  template:\n    spec:\n      \
         restartPolicy: Never\n      containers: [{{name: a, image: 'a:1'}}]\n"
    )
}

fn application(name: &str, path: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec:\n  \
         source: {{repoURL: https://example.com/shop.git, path: {path}}}\n  \
         destination: {{namespace: shop}}\n"
    )
}

const FLUX: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  interval: 10m
  path: ./apps
  force: true
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
";

/// Each Job with who deploys it, and the outcome.
fn deployed(report: &serde_json::Value) -> Vec<(String, String)> {
    let jobs = report["jobs"].as_array().unwrap().iter();
    let all = jobs.flat_map(|job| {
        let columns = job["deployers"].as_array().unwrap().iter();
        columns.map(|column| {
            let [tool, outcome] = ["deployer", "outcome"].map(|key| column[key].as_str().unwrap());
            (job["name"].as_str().unwrap().to_owned(), format!("{tool} {outcome}"))
        })
    });
    let mut all: Vec<_> = all.collect();
    all.sort();
    all
}

#[test]
fn each_object_has_the_deployer_that_its_gitops_object_states() {
    let [flux, argocd, plain, chart] = ["of-flux", "of-argocd", "of-nobody", "of-chart"].map(job);
    let applications = [application("jobs", "jobs"), application("chart", "chart")].join("---\n");
    let folder = repository(&[
        ("clusters/flux.yaml", FLUX),
        ("clusters/argocd.yaml", &applications),
        ("apps/kustomization.yaml", "resources: [job.yaml]\n"),
        ("apps/job.yaml", &flux),
        ("jobs/job.yaml", &argocd),
        ("jobs/other.yaml", &argocd.replace("of-argocd", "gone")),
        ("plain/job.yaml", &plain),
        ("chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 1.0.0\n"),
        ("chart/templates/job.yaml", &chart),
    ]);
    let root = folder.path();
    git(root, &["remote", "add", "origin", "https://example.com/shop.git"]);
    let raised = [flux, argocd, plain, chart].map(|job| job.replace("a:1", "a:2"));
    let places = ["apps/job.yaml", "jobs/job.yaml", "plain/job.yaml", "chart/templates/job.yaml"];
    for (place, job) in places.iter().zip(&raised) {
        write(root, &[(place, job)]);
    }
    std::fs::remove_file(root.join("jobs/other.yaml")).unwrap();
    let all = [
        ("gone", "argocd orphaned"),
        ("of-argocd", "argocd rejected"),
        ("of-chart", "argocd rejected"),
        ("of-flux", "flux replaced"),
        ("of-nobody", "kubectl rejected"),
    ]
    .map(|(name, outcome)| (name.to_owned(), outcome.to_owned()));
    let report = json(root, &["--base", "v1", "."]);
    assert_eq!(deployed(&report), all);
    assert_eq!(deployed(&json(root, &["--base", "v1", "apps"])), all[3..4]);
    assert_eq!(deployed(&json(root, &["--base", "v1", "jobs"])), all[..2]);
    let named = json(root, &["--base", "v1", "apps", "--deployer", "kubectl"]);
    assert_eq!(deployed(&named)[0].1, "kubectl rejected");

    // The old version may lie where no GitOps object names it.
    let old = tempfile::tempdir().unwrap();
    write(
        old.path(),
        &[("kustomization.yaml", "resources: [job.yaml]\n"), ("job.yaml", &job("of-flux"))],
    );
    let base = format!("{}/", old.path().display());
    assert_eq!(deployed(&json(root, &["--base", &base, "apps"])), all[3..4]);
}

/// An annotation of Argo CD says who deploys its folder, not who deploys the others.
#[test]
fn annotations_count_for_their_folder() {
    let hook = job("hook")
        .replace("{name: hook}", "{name: hook, annotations: {argocd.argoproj.io/hook: Sync}}");
    let folder = repository(&[
        ("argocd/hook.yaml", &hook),
        ("argocd/job.yaml", &job("beside")),
        ("plain/job.yaml", &job("plain")),
        ("overlay/kustomization.yaml", "resources: [job.yaml]\n"),
        ("overlay/job.yaml", &job("built")),
    ]);
    let report = json(folder.path(), &["--base", "v1", "."]);
    let deployed: Vec<_> = deployed(&report)
        .into_iter()
        .map(|(name, outcome)| format!("{name} {}", outcome.split(' ').next().unwrap()))
        .collect();
    assert_eq!(deployed, ["beside argocd", "built kubectl", "hook argocd", "plain kubectl"]);
}
