//! What no GitOps object reaches although it deploys what is beside it.

use joblint::results::Report;

use super::*;
use crate::support::{joblint, run};

/// A Job that the API server rejects.
fn job(name: &str) -> String {
    JOB.replace("name: migrate", &format!("name: {name}")).replace("Never", "Always")
}

fn application(name: &str, path: &str) -> String {
    let text = APPLICATION.replace("name: shop\n", &format!("name: {name}\n"));
    format!("=== argocd/{name}.yaml\n{}", text.replace("path: jobs", &format!("path: {path}")))
}

/// A folder with a kustomization of one Job, whose name is that of the folder.
fn folder(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap();
    format!(
        "=== {path}/kustomization.yaml\nresources: [job.yaml]\n=== {path}/job.yaml\n{}",
        job(name)
    )
}

/// A Flux Kustomization of the repository.
fn flux(file: &str, name: &str, path: &str) -> String {
    let text = KUSTOMIZATION.replace("name: jobs\n", &format!("name: {name}\n"));
    format!("=== {file}\n{}", text.replace("./jobs", path))
}

/// Two of three applications are deployed.
fn three() -> String {
    let applications = application("a", "apps/a") + &application("b", "apps/b");
    applications + &folder("apps/a") + &folder("apps/b") + &folder("apps/c")
}

/// The folders of which nothing is reported.
fn undeployed(report: &Report) -> Vec<String> {
    report.undeployed.keys().map(|folder| inside(folder).to_owned()).collect()
}

fn hidden(files: &str) -> Vec<String> {
    undeployed(&checked(files))
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_folder_whose_likes_are_deployed_needs_pedantic() {
    let report = checked(&three());
    assert_eq!(undeployed(&report), ["apps/c"]);
    let rejected = findings(&report, "restart-policy-always");
    let paths = rejected.iter().map(|one| inside(&one.location.source.path));
    assert_eq!(paths.collect::<Vec<_>>(), ["apps/a/job.yaml", "apps/b/job.yaml"]);
    let note = report.notes.iter().find(|note| note.contains("that no GitOps object here deploys"));
    assert!(note.unwrap().starts_with("1 finding in 1 folder that no"), "{note:?}");

    let repository = repository(&three());
    let sound = JOB.replace("  ttlSecondsAfterFinished: 60\n", "");
    let passes = |arguments: &[&str]| run(&mut joblint(repository.path(), arguments)).0 == 0;
    for name in ["a", "b"] {
        let path = format!("apps/{name}/job.yaml");
        support::write(repository.path(), &[(&path, &sound.replace("migrate", name))]);
    }
    assert!(passes(&[]), "the exit status follows what is shown");
    assert!(!passes(&["--pedantic"]));
    for named in ["apps/c", "apps/c/job.yaml", "apps/c/kustomization.yaml"] {
        assert!(!passes(&[named]), "{named} is named");
    }
    assert!(passes(&["apps"]), "most of it is deployed");
}

#[test]
fn one_deployed_folder_says_nothing_about_another() {
    let two = application("a", "apps/a") + &folder("apps/a") + &folder("apps/c");
    assert_eq!(hidden(&two), NOTHING);
    let half = three() + &folder("apps/d");
    assert_eq!(hidden(&half), NOTHING, "most must be deployed");
    let elsewhere = three() + &folder("jobs/c") + &folder("jobs/d");
    assert_eq!(hidden(&elsewhere), ["apps/c"]);
    let foreign = three().replace("acme/shop", "acme/platform");
    assert_eq!(hidden(&foreign), NOTHING, "the objects are about another repository");
    assert_eq!(hidden(&three().replace("acme/shop", "other/shop")), ["apps/c"], "a fork");
}

#[test]
fn objects_beside_folders_say_which_of_them_are_deployed() {
    let two = flux("shop/ks.yaml", "a", "./shop/a") + &folder("shop/a") + &folder("shop/c");
    assert_eq!(hidden(&two), ["shop/c"]);
    let both = flux("shop/ks-c.yaml", "c", "./shop/c") + &two;
    assert_eq!(hidden(&both), NOTHING);
    let elsewhere = two.replace("shop/ks.yaml", "cluster/ks.yaml");
    assert_eq!(hidden(&elsewhere), NOTHING, "it stands elsewhere, and there may be more of them");
    let used =
        two.replace("resources: [job.yaml]\n=== shop/a", "resources: [job.yaml, ../c]\n=== shop/a");
    assert_eq!(hidden(&used), NOTHING);
    let based = two.replace("resources: [job.yaml]", "resources: [job.yaml, ../../base]");
    assert_eq!(hidden(&(folder("base") + &based)), NOTHING, "it shares a base");
    let pipeline = |text: &str| format!("=== .github/workflows/deploy.yaml\n{text}") + &two;
    let step = "run: kubectl apply -f c\n";
    let inside = format!("working-directory: shop\n{step}");
    assert_eq!(hidden(&pipeline(&inside)), NOTHING, "a pipeline applies it there");
    assert_eq!(hidden(&pipeline(step)), ["shop/c"], "it is another folder");
    assert_eq!(hidden(&pipeline("run: cd shop && kubectl apply -k c\n")), NOTHING);
}

/// Two clusters apply the same folder. What one of them leaves out, the other one deploys.
#[test]
fn variables_of_objects_have_the_value_that_all_their_clusters_give_them() {
    let cluster = |name: &str, stage: &str| {
        flux(&format!("clusters/{name}.yaml"), name, "./apps")
            + &format!("  postBuild: {{substitute: {{STAGE: {stage}}}}}\n")
    };
    let jobs = ["shop", "staging", "production"].map(|name| folder(&format!("apps/shop/{name}")));
    let files = |path: &str, second: &str| {
        cluster("one", "staging")
            + &cluster("two", second)
            + &flux("apps/shop/ks.yaml", "shop", path)
            + "=== apps/kustomization.yaml\nresources: [shop/ks.yaml]\n"
            + &jobs.concat()
    };
    let plain = "./apps/shop/${STAGE}";
    assert_eq!(hidden(&files(plain, "staging")), ["apps/shop/production", "apps/shop/shop"]);
    assert_eq!(hidden(&files(plain, "production")), NOTHING);
    assert_eq!(hidden(&files("./apps/shop/${STAGE:-shop}", "staging")), NOTHING);
    let off = files(plain, "production").replacen(
        "  postBuild: {s",
        "  suspend: true\n  postBuild: {s",
        1,
    );
    assert_eq!(hidden(&off), ["apps/shop/shop", "apps/shop/staging"]);
}

/// A folder without a kustomization beside such with one is left out all the more.
#[test]
fn manifests_beside_deployed_kustomizations_are_off() {
    let plain = |name: &str| {
        three().replace("=== apps/c/kustomization.yaml\nresources: [job.yaml]\n", "")
            + &flux("cluster.yaml", "x", name)
    };
    assert_eq!(hidden(&plain("./apps/a")), ["apps/c"]);
    assert_eq!(hidden(&plain("./apps/c")), NOTHING);
}

/// A Kustomization whose folder is gone is left over. Where many are, the repository is another one.
#[test]
fn a_few_missing_folders_leave_the_others_certain() {
    let many = (0..10).map(|index| application(&format!("x{index}"), "apps/a")).collect::<String>();
    let missing = application("gone", "apps/gone");
    assert_eq!(hidden(&(three() + &missing)), NOTHING);
    assert_eq!(hidden(&(three() + &many + &missing)), ["apps/c"]);
}

/// A component builds nothing alone.
#[test]
fn a_component_that_nothing_lists_is_off_where_others_are_used() {
    let component = |name: &str| {
        let text = folder(&format!("shop/components/{name}"));
        text.replace(
            "resources:",
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources:",
        )
    };
    let app = "=== shop/app/kustomization.yaml\ncomponents: [../components/a]\n";
    let files =
        flux("cluster.yaml", "shop", "./shop/app") + app + &component("a") + &component("b");
    assert_eq!(hidden(&files), ["shop/components/b"]);
    let both = files.replace("../components/a]", "../components/a, ../components/b]");
    assert_eq!(hidden(&both), NOTHING);
    let added = files
        .replace("  path: ./shop/app", "  components: ['../components/${C}']\n  path: ./shop/app");
    assert_eq!(hidden(&added), NOTHING, "the object may add it");
    let none = files.replace("components: [../components/a]", "resources: []");
    assert_eq!(hidden(&none), NOTHING, "no other shows what is meant");
}

#[test]
fn another_environment_may_be_deployed_from_elsewhere() {
    let same = three().replace("name: c\n", "name: a\n");
    assert_eq!(hidden(&same), NOTHING, "it runs what another folder runs");
    let based = folder("base")
        + &three().replace("resources: [job.yaml]", "resources: [job.yaml, ../../base]");
    assert_eq!(hidden(&based), NOTHING, "it shares a base");
}

#[test]
fn what_a_list_leaves_out_is_off() {
    let listed = flux("cluster.yaml", "apps", "./apps") + &folder("apps/a") + &folder("apps/c");
    let list = "=== apps/kustomization.yaml\nresources:\n  - ./a\n  # - ./c\n";
    assert_eq!(hidden(&format!("{listed}{list}")), ["apps/c"]);
    let all = "=== apps/kustomization.yaml\nresources: [./a, ./c]\n";
    assert_eq!(hidden(&format!("{listed}{all}")), NOTHING);
    // Flux applies all folders below one without a kustomization.
    assert_eq!(hidden(&listed), NOTHING);
    let nobody = list.to_owned() + &folder("apps/a") + &folder("apps/c");
    let other = flux("cluster.yaml", "other", "./other") + &folder("other");
    assert_eq!(hidden(&format!("{other}{nobody}")), NOTHING, "nothing deploys the list either");
}

#[test]
fn what_an_object_that_is_off_deploys_is_off() {
    let objects = ["a", "b"].map(|name| {
        flux(&format!("apps/{name}/ks.yaml"), name, &format!("./apps/{name}/app"))
            + &folder(&format!("apps/{name}/app"))
    });
    let list = "=== apps/kustomization.yaml\nresources:\n  - ./a/ks.yaml\n  # - ./b/ks.yaml\n";
    let root = flux("cluster.yaml", "apps", "./apps");
    assert_eq!(hidden(&format!("{root}{list}{}", objects.concat())), ["apps/b/app"]);
    let again = flux("extra.yaml", "again", "./apps/b/app");
    assert_eq!(hidden(&format!("{root}{list}{again}{}", objects.concat())), NOTHING);
    // The object that applies the list is on the list.
    let own = flux("apps/flux/ks.yaml", "apps", "./apps") + list + "  - ./flux/ks.yaml\n";
    assert_eq!(hidden(&format!("{own}{}", objects.concat())), ["apps/b/app"]);
    // The objects of an archive are applied by nobody.
    let archive =
        format!("{root}{list}{}", objects.concat()) + &flux("archive/c.yaml", "c", "./gone");
    assert_eq!(hidden(&archive), ["apps/b/app"]);
}

#[test]
fn what_may_be_deployed_is_not_silenced() {
    let three = three();
    let may = |more: &str| assert_eq!(hidden(&format!("{three}{more}")), NOTHING, "{more}");
    may("=== deploy.sh\nkubectl apply -k apps/c\n");
    may("=== apps/deploy.sh\ncd c\nkubectl apply -f job.yaml\n");
    may("=== Makefile\nall:\n\tfor app in apps/*; do kubectl apply -k $$app; done\n");
    may(
        "=== .github/workflows/x.yml\njobs: {a: {steps: [{run: \"kustomize build ./apps/c | kubectl apply -f -\"}]}}\n",
    );
    may("=== README.md\nRun `kubectl create -f apps/c/job.yaml`.\n");
    may("=== main.tf\nlocals { path = \"${path.module}/apps/c\" }\n");
    may("=== stage.yaml\napiVersion: example.org/v1\nkind: Stage\nspec: {path: apps/c}\n");
    may(
        "=== prod/kustomization.yaml\nresources: [https://example.org/acme/shop//apps/c?ref=main]\n",
    );
    may(&application("any", "'apps/{{name}}'"));
    may(&application("gone", "apps/gone"));
    may("=== bundles/x/fleet.yaml\nnamespace: shop\n");
    let not = |more: &str| assert_eq!(hidden(&format!("{three}{more}")), ["apps/c"], "{more}");
    not("=== test.sh\nkustomize build apps/c\n# kubectl apply -k apps/c\n");
    not("=== README.md\nThe folder apps/c is not used.\nSee `kubectl apply`.\n");
    not(&application("eu", "'clusters/{{name}}/apps'"));
    // A path of the machine, and what lists the folders of the repository.
    not("=== main.tf\nlocals { run = \"chown -R app:app /home/app/.kube\" }\n");
    not(
        "=== index.json\n{\"how\": \"kubectl apply -k apps/a\",\n \"folders\": [\"apps/*\", \"docs/*\"]\n}\n",
    );
    may("=== package.json\n{\"scripts\": {\"deploy\": \"kubectl apply -k apps/c\"}}\n");
}

#[test]
fn published_charts_are_not_silenced() {
    let chart = |name: &str| {
        CHART_OF
            .replace("charts/x", &format!("charts/{name}"))
            .replace("name: x", &format!("name: {name}"))
    };
    let objects = application("a", "charts/a") + &application("b", "charts/b");
    let charts = objects + &chart("a") + &chart("b") + &chart("c");
    assert_eq!(hidden(&charts), ["charts/c"]);
    for more in [
        "=== .github/workflows/release.yaml\nsteps: [{uses: helm/chart-releaser-action@v1}, {run: helm push c.tgz oci://x}]\n",
        "=== charts/a/Chart.yaml\nname: a\nversion: 1.0.0\ndependencies: [{name: c, version: 1.0.0, repository: 'file://../c'}]\n",
    ] {
        let files = format!("{charts}{more}");
        assert_eq!(hidden(&files), NOTHING, "{more}");
    }
    let by_name = APPLICATION
        .replace("path: jobs", "chart: c")
        .replace("example.org/acme/shop", "charts.example.org");
    assert_eq!(hidden(&format!("{charts}=== argocd/c.yaml\n{by_name}")), NOTHING);
}

const CHART_OF: &str = "\
=== charts/x/Chart.yaml
apiVersion: v2
name: x
version: 1.0.0
=== charts/x/templates/job.yaml
apiVersion: batch/v1
kind: Job
metadata:
  name: x
spec:
  template:
    spec:
      restartPolicy: Always
      containers: [{name: migrate, image: \"app:1.4.2\"}]
";
