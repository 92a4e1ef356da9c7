//! What the scripts, pipelines and guides of a repository deploy, and with what.

use std::path::Path;

use super::support::{joblint, repository, run, write};

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 0.1.0\nappVersion: '2.0'\n";

/// Whether a rule reports something in a folder by default.
fn reports(folder: &Path, rule: &str) -> bool {
    let (_, stdout, _) = run(&mut joblint(folder, &["check", "-q", "--output", "concise"]));
    stdout.contains(&format!("[{rule}]"))
}

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - {name: migrate, image: 'app:{{ .Chart.AppVersion }}'}
";

/// Whether an upgrade of the chart in `charts/shop` is reported, with a text of the repository.
fn is_reported(name: &str, text: &str, others: &[(&str, &str)]) -> bool {
    let folder = repository(
        "https://git.example.com/shop.git",
        &[("charts/shop/Chart.yaml", CHART), ("charts/shop/templates/job.yaml", JOB), (name, text)],
    );
    write(folder.path(), others);
    reports(folder.path(), "template-changes-under-fixed-name")
}

#[test]
fn an_upgrade_is_not_foretold_where_the_repository_only_installs_releases() {
    for (name, text) in [
        (
            "bin/install",
            "for c in a b; do\n  helm install \"$PREFIX-$c\" $DIR/../charts/$c\ndone\n",
        ),
        ("README.md", "# Shop\n\n    helm install shop-1 charts/shop\n"),
        ("charts/shop/Makefile", "run:\n\thelm install \\\n\t  shop-$(ID) .\n"),
        (
            ".github/workflows/run.yaml",
            "jobs: {a: {steps: [\n{run: helm install r charts/shop --wait }]}}\n",
        ),
    ] {
        assert!(!is_reported(name, text, &[]), "{name}: {text}");
    }
    // What upgrades another chart, or speaks of it, says nothing of this one.
    let install = "helm install shop-$ID charts/shop\n";
    for (name, text) in [
        ("b.sh", "helm upgrade --install db bitnami/db\n"),
        ("charts/db/README.md", "Then run `helm upgrade`.\n"),
        ("charts/db/Makefile", "up:\n\thelm upgrade --install $(NAME) ../db\n"),
        ("c.sh", "# helm upgrade shop charts/shop\n"),
    ] {
        let others =
            [(name, text), ("charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n")];
        assert!(!is_reported("a.sh", install, &others), "{name}: {text}");
    }
}

#[test]
fn an_upgrade_is_foretold_unless_the_repository_is_known_to_have_none() {
    let install = "helm install shop-$ID charts/shop\n";
    assert!(is_reported("a.txt", "nothing", &[]));
    for other in [
        "helm upgrade --install shop charts/shop\n",
        "helm upgrade $RELEASE $CHART\n",
        "helm repo add shop https://shop.example\nhelm install r repo/shop\n",
        "helm package charts/*\n",
        "helmfile sync\nhelm version\n",
    ] {
        assert!(is_reported("a.sh", install, &[("b.sh", other)]), "{other}");
    }
    for text in
        ["helm install db charts/db\n", "helm install shop repo/shop\n", "helm lint charts/shop\n"]
    {
        assert!(is_reported("a.sh", text, &[]), "{text}");
    }
    let guide = "# Shop\n\n    helm install shop charts/shop\n";
    assert!(is_reported("README.md", guide, &[]), "the first of many");
    // Each release changes it, whoever installs it first.
    let job = JOB.replace("AppVersion", "Version");
    assert!(is_reported("a.sh", install, &[("charts/shop/templates/job.yaml", &job)]));
}

const HOOK: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {argocd.argoproj.io/hook: PreSync}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: 'app:1.0', envFrom: [{configMapRef: {name: settings}}]}]
";

#[test]
fn an_annotation_is_no_argocd_where_a_pipeline_deploys_without_it() {
    let is_reported = |files: &[(&str, &str)]| {
        let kustomization = ("k8s/kustomization.yaml", "resources: [job.yaml]\n");
        let folder = repository(
            "https://git.example.com/shop.git",
            &[&[("k8s/job.yaml", HOOK), kustomization], files].concat(),
        );
        reports(folder.path(), "hook-needs-later-object")
    };
    let pipeline = (".github/workflows/a.yaml", "run: kustomize build k8s | kubectl apply -f -\n");
    assert!(!is_reported(&[pipeline]));
    assert!(!is_reported(&[("deploy.sh", "kubectl apply -k k8s\n")]));
    let told =
        HOOK.replace("metadata: {name: migrate", "# A hook of Argo CD.\nmetadata: {name: migrate");
    assert!(!is_reported(&[pipeline, ("k8s/job.yaml", &told)]));
    assert!(is_reported(&[]));
    assert!(is_reported(&[(pipeline.0, "run: kubectl get pods\n")]));
    assert!(is_reported(&[pipeline, ("README.md", "Argo CD syncs production.\n")]));
    let definition =
        "kind: CustomResourceDefinition\nspec: {description: 'whether Argo CD may sync it'}\n";
    assert!(!is_reported(&[pipeline, ("crds/shops.yaml", definition)]));
    assert!(!is_reported(&[pipeline, ("test/go/labels.go", "const Label = \"argocd\"\n")]));
    assert!(is_reported(&[pipeline, ("pkg/labels.go", "const Label = \"argocd\"\n")]));
    assert!(is_reported(&[("README.md", "    kubectl apply -k k8s\n")]));
}

#[test]
fn a_job_that_a_script_deletes_first_never_meets_the_next_one() {
    let upgrade = "helm upgrade --install shop charts/shop\n";
    for (name, text) in [
        ("Makefile", format!("install:\n\tkubectl delete job $(RELEASE)\n\t{upgrade}")),
        ("hack/deploy.sh", format!("kubectl delete job shop --ignore-not-found\n{upgrade}")),
        (".github/workflows/a.yaml", format!("run: |\n  oc delete jobs --all\n  {upgrade}")),
    ] {
        assert!(!is_reported(name, &text, &[]), "{name}");
    }
    for text in [
        format!("{upgrade}kubectl delete job shop\n"),
        format!("kubectl delete job seed\n{upgrade}"),
        format!("stop() {{\n  kubectl delete job shop\n}}\n\nstart() {{\n  {upgrade}}}\n"),
    ] {
        assert!(is_reported("deploy.sh", &text, &[]), "{text}");
    }
}

#[test]
fn a_tag_that_moves_stays_unless_a_script_sets_another() {
    let job = JOB.replace(".Chart.AppVersion", ".Values.image.tag");
    let values = ("charts/shop/values.yaml", "image: {tag: latest}\n");
    let reported = |text: &str| {
        is_reported("deploy.sh", text, &[("charts/shop/templates/job.yaml", &job), values])
    };
    for leaves in [
        "helm upgrade shop charts/shop\n",
        "helm plugin install https://github.com/chartmuseum/helm-push.git\n",
        "helm upgrade shop charts/shop\nhelm package charts/shop\n",
    ] {
        assert!(!reported(leaves), "{leaves}");
    }
    for sets in [
        "helm upgrade shop charts/shop --set image.tag=$SHA\n",
        "yq -i '.image.tag = strenv(TAG)' charts/shop/values.yaml\nhelm upgrade shop charts/shop\n",
    ] {
        assert!(reported(sets), "{sets}");
    }
}

#[test]
fn a_name_changes_where_a_pipeline_sets_what_it_is_made_of() {
    let job = JOB
        .replace(".Chart.AppVersion", ".Chart.Version")
        .replace("{{ .Release.Name }}", "'shop-{{ .Values.tag | default .Chart.AppVersion }}x'");
    let template = ("charts/shop/templates/job.yaml", &*job);
    let chart = ("charts/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n");
    let reported = |text: &str| is_reported(".github/workflows/a.yaml", text, &[template, chart]);
    for leaves in [
        "run: helm package charts/shop --version $TAG\n",
        "run: helm upgrade shop charts/shop --set tag=1.4.2\n",
        "run: helm upgrade shop charts/shop --set image.tag=$TAG\n",
    ] {
        assert!(reported(leaves), "{leaves}");
    }
    let sets = "run: helm upgrade shop charts/shop --set tag=$TAG\n";
    assert!(!reported(sets));
    for name in [".drone.yml", "azure-pipelines.yml"] {
        assert!(!is_reported(name, sets, &[template, chart]), "{name}");
    }
    assert!(!reported("run: helm package charts/shop --version $TAG --app-version $TAG\n"));
    assert!(!reported("run: yq -i '.appVersion = strenv(TAG)' charts/shop/Chart.yaml\n"));
}

#[test]
fn what_a_program_sets_is_not_judged_in_the_manifest_that_it_fills_in() {
    let backup = "apiVersion: batch/v1
kind: CronJob
metadata: {name: backup}
spec:
  schedule: '* */1 * * *'
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: backup
              image: postgres:16
              command: [sh, -c, 'pg_dump shop > /b/shop.sql; echo done']
              env: [{name: P, valueFrom: {secretKeyRef: {name: theSecret, key: p}}}]
              volumeMounts: [{name: b, mountPath: /b}]
          volumes: [{name: b, persistentVolumeClaim: {claimName: b}}]
";
    let reported = |files: &[(&str, &str)]| {
        let own = [("internal/jobs/backup.yaml", backup)];
        let folder = repository("https://git.example.com/shop.git", &[&own, files].concat());
        assert!(reports(folder.path(), "failure-hidden"), "the script is what it is");
        let rules = ["cronjob-each-minute", "invalid-job"].map(|rule| reports(folder.path(), rule));
        assert_eq!(rules[0], rules[1]);
        rules[0]
    };
    let constant = format!("package jobs\n\nconst Backup = `{backup}`\n");
    for program in [
        ("internal/jobs/embed.go", "package jobs\n\n//go:embed *.yaml\nvar files embed.FS\n"),
        ("internal/load.go", "package internal\n\nvar path = \"jobs/backup.yaml\"\n"),
        ("internal/jobs/templates.go", &constant),
    ] {
        assert!(!reported(&[program]), "{}", program.0);
        assert!(reported(&[program, ("a.sh", "kubectl apply -f internal/jobs/backup.yaml\n")]));
    }
    for program in [
        ("internal/jobs/embed.go", "package jobs\n\n//go:embed *.sql\nvar files embed.FS\n"),
        ("internal/jobs/a_test.go", "package jobs\n\nvar path = \"backup.yaml\"\n"),
        ("cmd/main.go", "package main\n\nvar path = \"backup.yaml\"\n"),
    ] {
        assert!(reported(&[program]), "{}", program.0);
    }
}
