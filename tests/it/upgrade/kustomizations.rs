//! Kustomizations with what GitOps objects add to them, on both sides.

use super::{changes, commit, json, repository, write};

const JOB: &str = "\
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: 'shop/migrate:${TAG}'}]
";

const FLUX: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  interval: 10m
  prune: true
  path: ./apps
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild:
    substitute: {TAG: 1.4.2}
";

const OVERLAY: (&str, &str) = ("apps/kustomization.yaml", "resources: [job.yaml]\n");

fn is(name: &str, change: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), change.to_owned())]
}

#[test]
fn a_variable_of_flux_changes_the_job() {
    for own in [&[OVERLAY][..], &[]] {
        let files = [&[("apps/job.yaml", JOB), ("clusters/apps.yaml", FLUX)], own].concat();
        let folder = repository(&files);
        let root = folder.path();
        assert_eq!(changes(&json(root, &["--base", "v1", "."])), is("migrate", "unchanged"));
        write(root, &[("clusters/apps.yaml", &FLUX.replace("1.4.2", "1.5.0"))]);
        for path in [".", "apps"] {
            let report = json(root, &["--base", "v1", path]);
            assert_eq!(changes(&report), is("migrate", "rejected"), "{path}");
            let fields = &report["jobs"][0]["fields"][0];
            assert_eq!(fields["old"], "shop/migrate:1.4.2");
            assert_eq!(fields["new"], "shop/migrate:1.5.0");
        }
    }
}

#[test]
fn a_folder_without_a_kustomization_deploys_those_below_it() {
    let flux = FLUX.replace("    substitute: {TAG: 1.4.2}\n", "    substitute: {}\n");
    let raised = FLUX.replace("1.4.2", "1.5.0");
    let other = JOB.replace("shop/migrate", "shop/schema");
    let edits = [(FLUX, ("clusters/apps.yaml", &*raised)), (&flux, ("apps/shop/job.yaml", &other))];
    for (flux, edit) in edits {
        let files = [
            ("apps/shop/kustomization.yaml", "resources: [job.yaml]\nnamePrefix: shop-\n"),
            ("apps/shop/job.yaml", JOB),
            ("apps/notes.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\n"),
            ("clusters/apps.yaml", flux),
        ];
        let folder = repository(&files);
        let root = folder.path();
        for path in [".", "apps"] {
            let report = json(root, &["--base", "v1", path]);
            assert_eq!(changes(&report), is("shop-migrate", "unchanged"), "{path}");
        }
        write(root, &[edit]);
        for path in [".", "apps"] {
            let report = json(root, &["--base", "v1", path]);
            assert_eq!(changes(&report), is("shop-migrate", "rejected"), "{path}");
        }
    }
}

#[test]
fn a_config_map_of_the_revision_sets_its_variables() {
    let flux = FLUX.replace(
        "    substitute: {TAG: 1.4.2}\n",
        "    substituteFrom: [{kind: ConfigMap, name: versions}]\n",
    );
    let versions = |tag: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: versions}}\ndata: {{TAG: {tag}}}\n"
        )
    };
    let files = [
        OVERLAY,
        ("apps/job.yaml", JOB),
        ("clusters/apps.yaml", &flux),
        ("clusters/versions.yaml", &versions("1.4.2")),
    ];
    let folder = repository(&files);
    write(folder.path(), &[("clusters/versions.yaml", &versions("1.5.0"))]);
    let report = json(folder.path(), &["--base", "v1", "apps"]);
    assert_eq!(changes(&report), is("migrate", "rejected"));
    assert_eq!(report["jobs"][0]["fields"][0]["old"], "shop/migrate:1.4.2");
}

#[test]
fn an_application_sets_images_and_a_prefix() {
    let application = |tag: &str, prefix: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: apps, namespace: argocd}}\n\
             spec:\n  destination: {{namespace: apps, server: https://kubernetes.default.svc}}\n  project: default\n  \
             source:\n    repoURL: https://example.com/shop\n    path: apps\n    kustomize:\n      \
             namePrefix: {prefix}\n      images: [shop/migrate:{tag}]\n"
        )
    };
    let several = |tag: &str, prefix: &str| {
        let other = "sources:\n  - repoURL: https://example.com/shop\n    path: other\n  - repoURL";
        let text = application(tag, prefix).replace("source:\n    repoURL", other);
        text.replace("\n    path: apps", "\n    path: ./apps/")
    };
    for application in [&application as &dyn Fn(&str, &str) -> String, &several] {
        let files = [
            OVERLAY,
            ("apps/job.yaml", &*JOB.replace(":${TAG}", "")),
            ("argocd/apps.yaml", &application("1.4.2", "a-")),
        ];
        let folder = repository(&files);
        let root = folder.path();
        write(root, &[("argocd/apps.yaml", &application("1.5.0", "a-"))]);
        assert_eq!(changes(&json(root, &["--base", "v1", "apps"])), is("a-migrate", "rejected"));
        commit(root, "v2");
        write(root, &[("argocd/apps.yaml", &application("1.5.0", "b-"))]);
        let report = json(root, &["--base", "v2", "apps"]);
        assert_eq!(changes(&report), is("b-migrate", "renamed"));
        assert_eq!(report["jobs"][0]["oldName"], "a-migrate");
    }
}
