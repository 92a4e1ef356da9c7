//! `joblint doctor` and `joblint man`.

use super::support::{joblint, run, tree};

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec:\n  template:\n    spec:\n      \
                   restartPolicy: Never\n      containers: [{name: a, image: a}]\n";

const APP: &str = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop}\nspec:\n  \
                   source: {repoURL: https://example.com/shop.git, path: jobs}\n  \
                   destination: {namespace: shop}\n";

#[test]
fn doctor_says_what_is_found_and_why() {
    let repository = tree(&[
        (".git/config", "[remote \"origin\"]\n\turl = https://example.com/shop.git\n"),
        (".joblint.yaml", "extends: base.yaml\nexclude: [vendor]\n"),
        ("base.yaml", "fail-on: error\n"),
        (".joblint-baseline.json", "{\"version\": 1, \"findings\": {}}\n"),
        ("apps/shop.yaml", APP),
        ("jobs/job.yaml", JOB),
        ("chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 1.0.0\n"),
        ("chart/templates/job.yaml", &JOB.replace("migrate", "{{ .Release.Name }}")),
        ("deploy/base/kustomization.yaml", "resources: [job.yaml]\n"),
        ("deploy/base/job.yaml", JOB),
        ("deploy/dev/kustomization.yaml", "resources: [../base]\n"),
        ("deploy/prod/kustomization.yaml", "resources: [../base]\n"),
        ("vendor/job.yaml", JOB),
    ]);
    let (code, text, notes) = run(&mut joblint(repository.path(), &["doctor"]));
    assert_eq!((code, notes.as_str()), (0, ""));
    let (program, rest) = text.split_once("\n\n").unwrap();
    let version = format!("joblint {} for ", env!("CARGO_PKG_VERSION"));
    assert!(program.starts_with(&version), "{program}");
    assert!(program.ends_with("git: not found; `joblint upgrade --base REVISION` needs it"));
    let expected = "settings: .joblint.yaml, which extends base.yaml\n  \
                    kube-version: '1.36'\n  \
                    exclude:\n  - vendor\n  \
                    fail-on: error\n  \
                    baseline: .joblint-baseline.json\n  \
                    # in the baseline: 0 accepted findings\n\n\
                    GitOps objects in the repository: 1 deployment\n  \
                    Application shop (apps/shop.yaml:2), Argo CD: deploys jobs/job.yaml\n\n\
                    checked: 12 files, 5 objects, 4 workloads\n  \
                    vendor: excluded\n  \
                    chart chart: 3 files, 1 object, 1 workload; values: values.yaml; \
                    deployer: helm3, helm4 (assumed)\n  \
                    manifests in .: 3 files, 0 objects, 0 workloads\n  \
                    manifests in apps: 1 file, 1 object, 0 workloads; deployer: kubectl (assumed)\n  \
                    kustomizations deploy/dev, deploy/prod: 4 files, 2 objects, 2 workloads; \
                    deployer: kubectl (assumed)\n  \
                    manifests in jobs: 1 file, 1 object, 1 workload; \
                    deployer: argocd (stated by Application shop)\n";
    assert_eq!(rest, expected);
}

#[test]
fn doctor_names_what_cannot_be_checked() {
    let folder = tree(&[("job.yaml", "kind: Job\nspec: [\n")]);
    let (code, text, _) = run(&mut joblint(folder.path(), &["doctor", "job.yaml", "nowhere"]));
    assert_eq!(code, 2);
    assert!(text.contains("\nnot checked:\n  job.yaml:"), "{text}");
    assert!(text.contains("\nerror: nowhere: No such file or directory"), "{text}");
}

#[test]
fn manual_pages() {
    let page = |arguments: &[&str]| {
        let folder = tree(&[]);
        let (code, text, notes) = run(joblint(folder.path(), &["man"]).args(arguments));
        assert_eq!((code, notes.as_str()), (0, ""));
        text
    };
    let title = |name: &str| {
        let version = env!("CARGO_PKG_VERSION");
        format!(".TH {name} 1  \"joblint {version}\" \"joblint manual\"\n")
    };
    let (whole, check) = (page(&[]), page(&["check"]));
    assert!(
        whole.contains(&title("joblint")) && whole.contains("joblint\\-forecast(1)"),
        "{whole}"
    );
    assert!(check.contains(&title("joblint-check")) && check.contains("\\-\\-shard"), "{check}");
    let folder = tree(&[]);
    for verb in ["nope", "help"] {
        let (code, _, notes) = run(&mut joblint(folder.path(), &["man", verb]));
        let expected =
            format!("error: there is no verb `{verb}`; `joblint help` lists all of them\n");
        assert_eq!((code, notes), (2, expected));
    }
}
