//! Kustomizations as units of `check`, `forecast` and `upgrade`.

use joblint::{
    check::check_all, diagnostic::Diagnostic, discover::Request, results::Report,
    settings::Settings,
};
use yaml_spans::Location;

use crate::support::{findings, joblint, run_with_input, tree};

const BASE: &str = "resources: [job.yaml]\n";
const JOB: &str = "\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  ttlSecondsAfterFinished: 600
  backoffLimit: 2
  template:
    spec:
      restartPolicy: Always
      containers:
        - name: migrate
          image: shop/migrate
";
const STAGE: &str = "resources: [../base]\npatches: [{path: patch.yaml}]\n";
const PATCH: &str = "\
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec: {template: {spec: {restartPolicy: Never}}}
";

fn check(files: &[(&str, &str)], paths: &[&str]) -> Report {
    let folder = tree(files);
    std::fs::create_dir(folder.path().join(".git")).expect("a repository");
    let paths = paths.iter().map(|path| folder.path().join(path)).collect();
    check_all(&Request { paths, ..Request::default() }, &Settings::default())
}

fn of<'r>(report: &'r Report, rule: &str) -> Vec<&'r Diagnostic> {
    report.findings.iter().filter(|finding| finding.rule.id == rule).collect()
}

/// The last two parts of the path, and the line.
fn place(at: &Location) -> String {
    let parts: Vec<_> = at.source.path.rsplit('/').take(2).collect();
    let path = parts.into_iter().rev().collect::<Vec<_>>().join("/");
    format!("{path}:{}", at.start().line)
}

#[test]
fn a_base_gives_one_finding_that_names_its_overlays() {
    let report = check(
        &[
            ("base/kustomization.yaml", BASE),
            ("base/job.yaml", JOB),
            ("dev/kustomization.yaml", "resources: [../base]\nnamePrefix: dev-\n"),
            ("prod/kustomization.yaml", "resources:\n  - ../base\n"),
            ("stage/kustomization.yaml", STAGE),
            ("stage/patch.yaml", PATCH),
        ],
        &[""],
    );
    let [finding] = of(&report, "restart-policy-always")[..] else { panic!() };
    assert_eq!(place(&finding.location), "base/job.yaml:10");
    let sets: Vec<_> = finding.value_sets.iter().filter_map(|set| set.rsplit('/').next()).collect();
    assert_eq!(sets, ["dev", "prod"], "it is patched away in `stage`");
    let chain: Vec<_> = finding.secondary.iter().map(|(at, _)| place(at)).collect();
    assert_eq!(chain, ["dev/kustomization.yaml:1", "base/kustomization.yaml:1"]);
    assert_eq!(report.counts.workloads, 3);
    assert_eq!(report.counts.files, 6);
}

#[test]
fn a_file_selects_the_overlays_that_reach_it() {
    let files = [
        ("base/kustomization.yaml", BASE),
        ("base/job.yaml", JOB),
        ("other/kustomization.yaml", BASE),
        ("other/job.yaml", JOB),
        ("stage/kustomization.yaml", STAGE),
        ("stage/patch.yaml", PATCH),
    ];
    let report = check(&files, &["base/job.yaml"]);
    assert!(of(&report, "restart-policy-always").is_empty(), "the only overlay patches it");
    assert_eq!(report.counts.workloads, 1);
    let report = check(&files, &["stage/patch.yaml"]);
    assert_eq!(report.counts.workloads, 1);
}

/// kustomize reads the names of fields in any case.
#[test]
fn a_schema_and_fields_in_any_case_select_their_overlay() {
    let files = [
        ("app/kustomization.yaml", "Resources: [job.yaml]\nopenapi: {path: schema.json}\n"),
        ("app/job.yaml", JOB),
        ("app/schema.json", "{\"definitions\": {}}\n"),
    ];
    for path in ["", "app/job.yaml", "app/schema.json"] {
        let report = check(&files, &[path]);
        assert_eq!(of(&report, "restart-policy-always").len(), 1, "{path}");
        assert_eq!(report.counts.workloads, 1, "{path}");
        assert!(of(&report, "unrenderable").is_empty());
    }
}

#[test]
fn an_ignore_counts_at_every_place_of_the_chain() {
    let ignore = " # joblint: ignore[restart-policy-always]: fine";
    let prod = format!("resources:\n  - ../base{ignore}\n");
    let base = [("base/kustomization.yaml", BASE), ("base/job.yaml", JOB)];
    let dev = ("dev/kustomization.yaml", "resources: [../base]\n");
    let prod = ("prod/kustomization.yaml", &*prod);
    let report = check(&[base[0], base[1], prod], &[""]);
    assert!(of(&report, "restart-policy-always").is_empty());
    assert!(of(&report, "unused-ignore").is_empty());
    let report = check(&[base[0], base[1], dev, prod], &[""]);
    let [finding] = of(&report, "restart-policy-always")[..] else { panic!() };
    assert!(finding.note.ends_with("dev"), "the other overlay has it: {}", finding.note);
    let job = JOB.replace("Always", &format!("Always{ignore}"));
    let report = check(&[base[0], ("base/job.yaml", &job), dev], &[""]);
    assert!(of(&report, "restart-policy-always").is_empty());
}

/// A finding at a generator or transformer has the entries that lead to the Job as labels, so an ignore there counts too.
#[test]
fn an_ignore_at_an_entry_counts_for_what_changes_the_job() {
    let job = JOB.replace("Always", "Never").replace("  ttlSecondsAfterFinished: 600\n", "");
    let base = [("base/kustomization.yaml", BASE), ("base/job.yaml", &*job)];
    let images = "images: [{name: shop/migrate, newTag: 1.4.2}]\n";
    let dev = format!("namePrefix: dev-\nresources:\n  - ../base\n{images}");
    let prod = "# joblint: ignore[kustomize-churn]: the operator replaces it\n";
    let prod = format!("resources:\n  {prod}  - ../base\n{images}");
    let flux = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: NAME, namespace: flux-system}
spec: {interval: 10m, prune: true, path: ./NAME, sourceRef: {kind: GitRepository, name: flux-system}}
";
    let flux = ["dev", "prod"].map(|name| flux.replace("NAME", name));
    let files = [
        base[0],
        base[1],
        ("dev/kustomization.yaml", &*dev),
        ("prod/kustomization.yaml", &*prod),
        ("clusters/dev.yaml", &*flux[0]),
        ("clusters/prod.yaml", &*flux[1]),
    ];
    let report = check(&files, &[""]);
    let [churn] = of(&report, "kustomize-churn")[..] else { panic!("{:?}", report.notes) };
    assert_eq!(place(&churn.location), "dev/kustomization.yaml:4");
    let labels: Vec<_> = churn.secondary.iter().map(|(at, _)| place(at)).collect();
    assert_eq!(
        labels,
        ["base/job.yaml:4", "dev/kustomization.yaml:3", "base/kustomization.yaml:1"]
    );
    assert!(of(&report, "unused-ignore").is_empty());
}

/// Whoever raises the version raises it in the name, too: a patch or a base that repeats it.
#[test]
fn a_version_that_the_name_repeats_is_raised_there_too() {
    let churns = |name: &str| {
        let job = JOB.replace("Always", "Never").replace("  ttlSecondsAfterFinished: 600\n", "");
        let job = job.replace("name: migrate\nspec", &format!("name: {name}\nspec"));
        let job = format!("{job}          envFrom: [{{configMapRef: {{name: schema}}}}]\n");
        let overlay =
            "resources: [job.yaml]\nconfigMapGenerator: [{name: schema, literals: [VERSION=13]}]\n";
        let report = check(&[("app/kustomization.yaml", overlay), ("app/job.yaml", &job)], &[""]);
        of(&report, "kustomize-churn").len()
    };
    assert_eq!(churns("migrate"), 1);
    assert_eq!(churns("migrate-v12"), 1);
    assert_eq!(churns("migrate-v13"), 0);
    assert_eq!(churns("migrate-13"), 0);
    assert_eq!(churns("migrate-130"), 1);
}

#[test]
fn what_does_not_build_is_an_error_at_its_place() {
    let files = [
        ("a/kustomization.yaml", "resources: [job.yaml]\nnameprefixx: x\n"),
        ("a/job.yaml", JOB),
        ("b/kustomization.yaml", BASE),
        ("b/job.yaml", JOB),
        ("c/kustomization.yaml", "resources:\n  - job.yaml\n  - github.com/org/repo//base\n"),
        ("c/job.yaml", JOB),
    ];
    let report = check(&files, &[""]);
    let [failed] = of(&report, "unrenderable")[..] else { panic!() };
    assert_eq!(place(&failed.location), "a/kustomization.yaml:2");
    assert_eq!(failed.label, "invalid Kustomization: json: unknown field \"nameprefixx\"");
    assert_eq!(report.unchecked.len(), 1);
    assert_eq!(of(&report, "restart-policy-always").len(), 2, "the other units go on");
    let [remote] = &report.skipped[..] else { panic!() };
    assert_eq!(place(&remote.location), "c/kustomization.yaml:3");
}

/// A patch that is not fetched changes what nobody knows, and the rest is built without it.
#[test]
fn a_remote_patch_is_left_out() {
    let url = "https://example.com/patch.yaml";
    for patch in [
        format!("patches:\n  - path: {url}\n"),
        format!("patchesStrategicMerge:\n  - {url}\n"),
        format!(
            "patchesJson6902:\n  - {{target: {{version: v1, kind: Job, name: migrate}}, path: '{url}'}}\n"
        ),
    ] {
        let overlay = format!("resources: [job.yaml]\n{patch}");
        let report = check(&[("app/kustomization.yaml", &overlay), ("app/job.yaml", JOB)], &[""]);
        assert!(of(&report, "unrenderable").is_empty(), "{patch}");
        assert_eq!(of(&report, "restart-policy-always").len(), 1, "{patch}");
        let [remote] = &report.skipped[..] else { panic!("{patch}") };
        assert_eq!(place(&remote.location), "app/kustomization.yaml:3");
        let label = &remote.label;
        assert!(label.starts_with(&format!("remote file \"{url}\" is not fetched: ")), "{label}");
    }
}

/// kustomize takes an inline patch that it cannot read for the name of a file.
#[test]
fn an_inline_patch_that_is_no_yaml_is_no_absent_file() {
    let overlay =
        "resources: [job.yaml]\npatchesStrategicMerge:\n- |-\n  kind: Job\n  data: |\n  - a\n";
    let report = check(&[("app/kustomization.yaml", overlay), ("app/job.yaml", JOB)], &[""]);
    let [failed] = of(&report, "unrenderable")[..] else { panic!() };
    assert_eq!(failed.message, "kustomization `app` does not build: the patch is not valid YAML");
}

#[test]
fn a_file_that_is_made_from_the_one_beside_it_is_left_out() {
    let overlay = "resources: [job.yaml, secret.yaml]\n";
    let files = [("app/kustomization.yaml", overlay), ("app/job.yaml", JOB)];
    let report = check(&files, &[""]);
    let [failed] = of(&report, "unrenderable")[..] else { panic!() };
    assert!(failed.message.ends_with("app/secret.yaml` does not exist"), "{}", failed.message);
    let report = check(&[files[0], files[1], ("app/secret.yaml_template", "")], &[""]);
    assert!(of(&report, "unrenderable").is_empty());
    let [skipped] = &report.skipped[..] else { panic!() };
    let reason = "is not in the repository: it is made from a file beside it";
    assert!(skipped.label.contains(reason), "{}", skipped.label);
    let overlay = "resources: [job.yaml, ../base]\n";
    let report = check(&[(files[0].0, overlay), files[1], ("base-old/job.yaml", JOB)], &[""]);
    assert_eq!(of(&report, "unrenderable").len(), 1);
}

#[test]
fn a_file_that_a_script_makes_is_left_out() {
    let overlay = "resources: [job.yaml]\nconfigMapGenerator: [{name: app, envs: [app.env]}]\n";
    let files = [("app/base/kustomization.yaml", overlay), ("app/base/job.yaml", JOB)];
    let unrelated = ("app/configure.sh", "cat base/app.env; echo A=1 > other/app.env\n");
    assert_eq!(of(&check(&[files[0], files[1], unrelated], &[""]), "unrenderable").len(), 1);
    let script = "envsubst < a.env \\\n  | sponge \"${HERE}/base/app.env\"\n";
    for (made, why) in [
        (("app/base/templates/app.tpl.env", ""), "it is made from a file in `templates`"),
        (("app/base/app.example.env", ""), "it is made from a file beside it"),
        (("app/configure.sh", script), "app/configure.sh` writes it"),
        (("README.md", "    cp a.env app/base/app.env"), "README.md` writes it"),
        ((".github/workflows/ci.yaml", script), ".github/workflows/ci.yaml` writes it"),
    ] {
        let report = check(&[files[0], files[1], made], &[""]);
        assert!(of(&report, "unrenderable").is_empty(), "{}", made.0);
        let [skipped] = &report.skipped[..] else { panic!("{}", made.0) };
        let (path, reason) = skipped.label.split_once(" is not in the repository: ").unwrap();
        assert!(path.ends_with("app/base/app.env`"), "{path}");
        assert!(reason.contains(why), "{reason}");
    }
}

/// What the guide or a script applies by hand is checked, although the kustomization beside it leaves it out.
#[test]
fn a_job_that_is_applied_by_hand_is_checked() {
    let files = [
        ("k8s/kustomization.yaml", "resources: [app.yaml]\n"),
        ("k8s/app.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n"),
        ("k8s/migrate.yaml", &*JOB.replace("Never", "Always")),
        ("k8s/other.yaml", &*JOB.replace("Never", "Always")),
    ];
    let found = |guide: (&str, &str)| {
        let report = check(&[files[0], files[1], files[2], files[3], guide], &[""]);
        let found = of(&report, "restart-policy-always");
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let paths = found.iter().map(|one| name(&one.location.source.path));
        let notes = report.notes.iter().filter(|note| note.contains("beside a kustomization"));
        (paths.collect::<Vec<_>>(), notes.cloned().collect::<String>())
    };
    let beside = |files: &str| {
        format!("{files} beside a kustomization that does not list them: not checked")
    };
    for guide in [
        ("README.md", "Run\n\n    kubectl apply -f k8s/migrate.yaml\n"),
        ("deploy.sh", "kubectl create -n shop -f ./k8s/migrate.yaml\n"),
        ("k8s/Makefile", "migrate:\n\t@kubectl apply -f migrate.yaml\n"),
        ("docs/deployment.md", "```sh\nkubectl apply -f k8s/migrate.yaml\n```\n"),
        ("k8s/QUICK_START.md", "1. `kubectl apply -f migrate.yaml`\n"),
    ] {
        assert_eq!(found(guide), (vec!["migrate.yaml".into()], beside("1 file")), "{}", guide.0);
    }
    for guide in [
        ("README.md", "`k8s/migrate.yaml` is a draft.\n"),
        ("deploy.sh", "# kubectl apply -f k8s/migrate.yaml\nkubectl apply -k k8s\n"),
        ("README.md", "kubectl delete -f k8s/migrate.yaml\n"),
        ("CHANGELOG.md", "- `kubectl apply -f k8s/migrate.yaml` works again.\n"),
    ] {
        assert_eq!(found(guide), (Vec::new(), beside("2 files")), "{guide:?}");
    }
}

#[test]
fn a_file_that_git_ignores_is_left_out_behind_other_kustomizations() {
    let files = [
        ("top/kustomization.yaml", "resources: [../app, job.yaml]\n"),
        ("top/job.yaml", JOB),
        ("app/kustomization.yaml", "resources: [made/crd.yaml]\n"),
    ];
    assert_eq!(of(&check(&files, &[""]), "unrenderable").len(), 1);
    for ignored in ["/app/made/\n", "app/made/*.yaml\n", "made\n"] {
        let ignores = (".gitignore", ignored);
        let report = check(&[files[0], files[1], files[2], ignores], &[""]);
        assert!(of(&report, "unrenderable").is_empty(), "{ignored}");
        let [skipped] = &report.skipped[..] else { panic!("{ignored}") };
        let reason = "` is not in the repository: `.gitignore` leaves it out";
        let path = skipped.label.strip_suffix(reason).expect("the reason");
        assert!(path.ends_with("/app/made/crd.yaml") && !path.contains(' '), "{path}");
    }
}

#[test]
fn a_kustomization_may_leave_the_containers_to_others() {
    let base = JOB.replace("containers:", "initContainers:");
    let found = |files: &[(&str, &str)]| of(&check(files, &[""]), "invalid-job").len();
    let list = ("a/kustomization.yaml", "resources: [job.yaml]\n");
    assert_eq!(found(&[("a/job.yaml", &base), list]), 0);
    assert_eq!(found(&[("a/job.yaml", &base)]), 1);
}

#[test]
fn a_file_whose_folder_git_keeps_empty_is_made_elsewhere() {
    let files = [
        ("app/kustomization.yaml", "resources: [job.yaml, made/crd.yaml]\n"),
        ("app/job.yaml", JOB),
    ];
    for (keeper, text, number) in [(".gitkeep", "", 0), (".gitkeep", "a", 1), ("README", "", 1)] {
        let keeper = format!("app/made/{keeper}");
        let report = check(&[files[0], files[1], (&keeper, text)], &[""]);
        assert_eq!(of(&report, "unrenderable").len(), number, "{keeper}");
        assert_eq!(report.skipped.len(), 1 - number, "{keeper}");
    }
}

#[test]
fn a_file_that_git_ignores_by_the_rules_of_its_own_folder_is_left_out() {
    let secret = "secretGenerator: [{name: s, envs: [a.env]}]\n";
    let ignores = ("o/envs/.gitignore", "*.env\n");
    let files = [
        ("o/kustomization.yaml", "resources: [job.yaml, envs]\n"),
        ("o/job.yaml", JOB),
        ("o/envs/kustomization.yaml", secret),
    ];
    assert_eq!(of(&check(&files, &[""]), "unrenderable").len(), 1);
    let report = check(&[&files[..], &[ignores]].concat(), &[""]);
    assert!(of(&report, "unrenderable").is_empty());
    let [skipped] = &report.skipped[..] else { panic!() };
    assert!(skipped.label.ends_with("`.gitignore` leaves it out"), "{}", skipped.label);
}

/// The Jobs of a kustomization do not depend on what is in the files that its generators read.
#[test]
fn a_kustomization_is_built_with_an_empty_file_for_one_that_git_ignores() {
    let overlay = "resources: [job.yaml]\nnamePrefix: shop-\nsecretGenerator: [{name: s, envs: [a.env]}]\nconfigMapGenerator: [{name: c, files: [b.txt]}]\n";
    let files = [("app/kustomization.yaml", overlay), ("app/job.yaml", JOB)];
    let ignores = (".gitignore", "*.env\nb.txt\n");
    let report = check(&[&files[..], &[ignores]].concat(), &[""]);
    assert_eq!(report.skipped.len(), 2);
    let [rejected] = of(&report, "restart-policy-always")[..] else { panic!() };
    assert!(rejected.message.contains("`shop-"), "{}", rejected.message);
    // What else it lacks is not made elsewhere.
    let more = ("app/kustomization.yaml", &*overlay.replace("job.yaml", "job.yaml, gone.yaml"));
    let report = check(&[more, files[1], ignores], &[""]);
    assert!(of(&report, "restart-policy-always").iter().all(|one| !one.message.contains("`shop-")));
}

#[test]
fn what_a_broken_kustomization_takes_in_is_checked() {
    let base = [("base/kustomization.yaml", BASE), ("base/job.yaml", JOB)];
    let merge = "configMapGenerator: [{name: gone, behavior: merge, literals: [A=b]}]\n";
    let adds = format!("resources: [../base]\n{merge}");
    let corrects = format!("{adds}patches: [{{path: patch.yaml}}]\n");
    let (adds, corrects) = (&*adds, &*corrects);
    let prod = |text| ("prod/kustomization.yaml", text);
    let places = |files: &[(&str, &str)]| {
        let report = check(&[&base[..], files].concat(), &[""]);
        assert_eq!(of(&report, "unrenderable").len(), 1);
        let found = of(&report, "restart-policy-always");
        found.iter().map(|one| place(&one.location)).collect::<Vec<_>>()
    };
    assert_eq!(places(&[prod(adds)]), ["base/job.yaml:10"]);
    assert!(places(&[prod(corrects), ("prod/patch.yaml", PATCH)]).is_empty());
    let scales = format!(
        "{adds}patchesStrategicMerge: [patch.yaml]\npatches: [{{target: {{kind: Service}}, path: b.yaml}}]\n"
    );
    let scale =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n";
    assert_eq!(places(&[prod(&scales), ("prod/patch.yaml", scale)]), ["base/job.yaml:10"]);
    assert!(places(&[prod(&scales), ("prod/patch.yaml", PATCH)]).is_empty());
    let above = ("top/kustomization.yaml", "resources: [../prod]\n");
    assert_eq!(places(&[prod(adds), above]), ["base/job.yaml:10"]);
    let over = "resources: [../prod]\npatches: [{path: gone.yaml}]\n";
    let whole = [prod("resources: [../base]\n"), ("top/kustomization.yaml", over)];
    assert_eq!(places(&whole), ["base/job.yaml:10"], "what is an overlay itself is deployed");
    let works = [("stage/kustomization.yaml", STAGE), ("stage/patch.yaml", PATCH), prod(adds)];
    assert!(places(&works).is_empty(), "another one builds and corrects it");
}

/// The overlay that does not build gives the ConfigMap and the Job one namespace, and the Job then gets its new name.
#[test]
fn names_that_a_base_alone_does_not_replace_are_left_out() {
    let base = "resources: [job.yaml]\nconfigMapGenerator: [{name: app, literals: [A=b]}]\n";
    let job = JOB.replace("name: migrate\nspec", "name: migrate\n  namespace: shop\nspec")
        + "          envFrom: [{configMapRef: {name: app}}]\n";
    let prod = "namespace: shop\nresources: [../base]\nsecretGenerator: [{name: s, envs: [secrets.env]}]\n";
    let own = [("base/kustomization.yaml", base), ("base/job.yaml", &*job)];
    let dangling = |more: &[(&str, &str)]| {
        of(&check(&[&own[..], more].concat(), &[""]), "dangling-generated-name").len()
    };
    assert_eq!(dangling(&[]), 1);
    let ignored = [("prod/kustomization.yaml", prod), (".gitignore", "secrets.env\n")];
    assert_eq!(dangling(&ignored), 0);
    assert_eq!(dangling(&ignored[..1]), 0);
}

/// One file that is not there does not hide the others.
#[test]
fn what_a_broken_kustomization_lists_is_checked_as_it_is() {
    let places = |text: &str, more: &[(&str, &str)]| {
        let own = [("app/kustomization.yaml", text), ("app/job.yaml", JOB)];
        let report = check(&[&own[..], more].concat(), &[""]);
        assert_eq!(of(&report, "unrenderable").len(), 1);
        let found = of(&report, "restart-policy-always");
        found.iter().map(|one| place(&one.location)).collect::<Vec<_>>()
    };
    let lists = "resources: [secret.yaml, job.yaml]\nimages: [{name: app, newTag: '2'}]\n";
    assert_eq!(places(lists, &[]), ["app/job.yaml:10"]);
    let corrects = format!("{lists}patches: [{{path: patch.yaml}}]\n");
    assert!(places(&corrects, &[("app/patch.yaml", PATCH)]).is_empty());
}

#[test]
fn a_kustomization_that_another_tool_fills_in_is_left_out() {
    let conditional = "resources:\n  {%- if values.app %}\n  - app.yaml\n  {%- endif %}\n";
    let base = [("base/kustomization.yaml", BASE), ("base/job.yaml", JOB)];
    let above = ("top/kustomization.yaml", "resources: [../base, ../more]\n");
    for (template, entry) in [
        (conditional, ""),
        ("resources:\n- ${{ values.name }}.yaml\n", ""),
        ("resources:\n- {{cookiecutter.name}}.yaml\n", ""),
        ("resources: [more.yaml]\n", "kind: Secret\nmetadata: {{ labels }}\n"),
    ] {
        let more = [above, ("more/kustomization.yaml", template), ("more/more.yaml", entry)];
        let report = check(&[&base[..], &more].concat(), &[""]);
        assert!(of(&report, "unrenderable").is_empty(), "{template}");
        assert_eq!(of(&report, "restart-policy-always").len(), 1, "{template}");
        let [skipped] = &report.skipped[..] else { panic!("{template}") };
        let reason = "` is a template, which another tool fills in";
        assert!(skipped.label.contains(reason), "{}", skipped.label);
    }
    for broken in ["resources:\n- gone.yaml\n", "resources: [more.yaml\n"] {
        let more =
            [above, ("more/kustomization.yaml", broken), ("more/more.yaml", "a: {{ .b }}\n")];
        assert_eq!(of(&check(&[&base[..], &more].concat(), &[""]), "unrenderable").len(), 1);
    }
}

#[test]
fn a_file_that_operator_sdk_makes_is_left_out() {
    let overlay = "resources: [job.yaml, bases/shop.clusterserviceversion.yaml]\n";
    let report = check(&[("app/kustomization.yaml", overlay), ("app/job.yaml", JOB)], &[""]);
    assert!(of(&report, "unrenderable").is_empty());
    let [skipped] = &report.skipped[..] else { panic!() };
    let reason = "is not in the repository: `operator-sdk generate kustomize` makes it";
    assert!(skipped.label.contains(reason), "{}", skipped.label);
}

#[test]
fn a_file_that_a_pipeline_of_kpt_makes_is_left_out() {
    let overlay = "resources: [job.yaml, role.yaml]\n";
    let files = [("a/b/kustomization.yaml", overlay), ("a/b/job.yaml", JOB)];
    let kptfile = |text: &'static str| check(&[&files[..], &[("a/Kptfile", text)]].concat(), &[""]);
    let report = kptfile("kind: Kptfile\npipeline:\n  mutators: []\n");
    assert!(of(&report, "unrenderable").is_empty());
    let [skipped] = &report.skipped[..] else { panic!() };
    let reason = "is not in the repository: `kpt fn render` makes it";
    assert!(skipped.label.contains(reason), "{}", skipped.label);
    assert_eq!(of(&kptfile("kind: Kptfile\n"), "unrenderable").len(), 1, "it has no pipeline");
}

/// No path of the machine on which joblint runs reaches the report.
#[test]
fn an_entry_outside_of_the_repository_is_named_as_written() {
    let overlay = "resources:\n  - job.yaml\n  - ../../templates\n";
    let files = [("app/kustomization.yaml", overlay), ("app/job.yaml", JOB)];
    let report = check(&files, &[""]);
    let [failed] = of(&report, "unrenderable")[..] else { panic!() };
    assert_eq!(place(&failed.location), "app/kustomization.yaml:3");
    assert_eq!(failed.label, "`../../templates` leads out of the repository");
    assert_eq!(
        failed.message,
        "kustomization `app` does not build: `../../templates` leads out of the repository"
    );
}

#[test]
fn the_fields_of_a_flux_kustomization_are_added() {
    let flux = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  interval: 10m
  prune: true
  path: ./base
  sourceRef: {kind: GitRepository, name: flux-system}
  namePrefix: eu-
  images:
    - name: shop/migrate
      newTag: 1.4.2
";
    let job = JOB.replace("Always", "Never").replace("  ttlSecondsAfterFinished: 600\n", "");
    let base = [("base/kustomization.yaml", BASE), ("base/job.yaml", &*job)];
    let report = check(&[base[0], base[1], ("clusters/apps.yaml", flux)], &[""]);
    let [churn] = of(&report, "kustomize-churn")[..] else { panic!("{:?}", report.notes) };
    assert_eq!(place(&churn.location), "clusters/apps.yaml:12");
    assert_eq!(
        churn.message,
        "next change of `newTag` will be rejected: pod template of Job `eu-migrate` changes, its name does not"
    );
    let metadata = |annotations: &str| {
        let flux = format!("{flux}  commonMetadata:\n    annotations: {{{annotations}}}\n");
        check(&[base[0], base[1], ("clusters/apps.yaml", &flux)], &[""])
    };
    assert_eq!(of(&metadata("team: shop"), "kustomize-churn").len(), 1);
    let forced = metadata("kustomize.toolkit.fluxcd.io/force: enabled");
    assert!(of(&forced, "kustomize-churn").is_empty());
}

#[test]
fn the_images_of_an_application_are_raised() {
    let application = "\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: app}
spec:
  source:
    repoURL: https://example.com/shop
    path: base
    kustomize:
      images: ['shop/migrate=eu/migrate:1.4.2']
";
    let job = JOB.replace("Always", "Never").replace("  ttlSecondsAfterFinished: 600\n", "");
    let files = [
        ("base/kustomization.yaml", BASE),
        ("base/job.yaml", &*job),
        ("application.yaml", application),
    ];
    let report = check(&files, &[""]);
    let [churn] = of(&report, "kustomize-churn")[..] else { panic!("{:?}", report.notes) };
    assert_eq!(churn.location.source.slice(churn.location.span), "1.4.2");
    assert_eq!(
        churn.label,
        "`eu/migrate:1.4.2` becomes `eu/migrate:1.4.3` in `spec.template.spec.containers[0].image`"
    );
}

#[test]
fn the_labels_of_an_application_reach_pods_where_it_says_so() {
    let job = JOB.replace("Always", "Never").replace("  ttlSecondsAfterFinished: 600\n", "");
    let alone = "labelWithoutSelector: true";
    let with_pods = "labelWithoutSelector: true, labelIncludeTemplates: true";
    for (option, count) in [("labelWithoutSelector: false", 1), (alone, 0), (with_pods, 1)] {
        let application = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: app}}\nspec:\n  source:\n    \
             repoURL: https://example.com/shop\n    path: base\n    \
             kustomize: {{{option}, commonLabels: {{version: 1.4.2}}}}\n"
        );
        let files = [
            ("base/kustomization.yaml", BASE),
            ("base/job.yaml", &*job),
            ("application.yaml", &*application),
        ];
        assert_eq!(of(&check(&files, &[""]), "kustomize-churn").len(), count, "{option}");
    }
}

/// Neither of them is a root, so nothing else would say that they do not build.
#[test]
fn kustomizations_that_use_each_other_are_an_error() {
    let files = [
        ("a/kustomization.yaml", "resources:\n  - ../b\n"),
        ("b/kustomization.yaml", "resources:\n  - ../a\n  - job.yaml\n"),
        ("b/job.yaml", JOB),
    ];
    let report = check(&files, &[""]);
    let [failed] = of(&report, "unrenderable")[..] else { panic!("{:?}", report.notes) };
    assert!(failed.label.contains("cycle detected"), "{}", failed.label);
    assert!(
        failed.message.starts_with("kustomization `b` does not build: cycle detected: "),
        "{}",
        failed.message
    );
    assert_eq!(place(&failed.location), "b/kustomization.yaml:2");
}

/// kustomize tries what a file cannot be as a folder, and prints both errors.
#[test]
fn an_object_that_is_listed_twice_is_the_headline() {
    let files = [
        ("app/kustomization.yaml", "resources: [one.yaml, two.yaml]\n"),
        ("app/one.yaml", JOB),
        ("app/two.yaml", JOB),
    ];
    let both = format!("{JOB}---\n{JOB}");
    let in_one_file =
        [("app/kustomization.yaml", "resources: [./two.yaml]\n"), ("app/two.yaml", &both)];
    let own = check(&in_one_file, &[""]);
    let [again] = of(&own, "unrenderable")[..] else { panic!("{:?}", own.notes) };
    let shown = findings(&in_one_file, &[]);
    assert!(!shown.iter().any(|one| one["rule"] == "duplicate-job"), "{shown:?}");
    let report = check(&files, &[""]);
    let [failed] = of(&report, "unrenderable")[..] else { panic!("{:?}", report.notes) };
    assert_eq!((&again.message, &again.help), (&failed.message, &failed.help));
    let words = "may not add resource with an already registered id: Job.v1.batch/migrate.[noNs]";
    assert_eq!(failed.message, format!("kustomization `app` does not build: {words}"));
    assert_eq!(place(&failed.location), "app/two.yaml:4");
    assert!(failed.help.starts_with("Remove one of the two objects"), "{}", failed.help);
}

/// Flux restricts no paths, and often nothing in a repository says that Flux deploys it. Argo CD restricts them.
/// Both overlays give the two Namespaces of the base one name: that is one mistake, in the base.
#[test]
fn objects_that_a_namespace_makes_the_same_are_one_finding() {
    let namespaces = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n";
    let overlay = |name: &str| format!("namespace: {name}\nresources: [../base]\n");
    let (dev, prod) = (overlay("dev"), overlay("prod"));
    let files = [
        ("base/kustomization.yaml", "resources: [namespaces.yaml, job.yaml]\n"),
        ("base/namespaces.yaml", namespaces),
        ("base/job.yaml", JOB),
        ("dev/kustomization.yaml", &*dev),
        ("prod/kustomization.yaml", &*prod),
    ];
    let report = check(&files, &["."]);
    let [found] = of(&report, "unrenderable")[..] else { panic!("{:?}", report.findings) };
    assert_eq!(
        found.message,
        "kustomization `dev` does not build: `namespace` makes 2 objects the same Namespace"
    );
    assert!(place(&found.location).starts_with("base/namespaces.yaml:6"), "{found:?}");
    assert!(found.note.contains("/dev, ") && found.note.ends_with("/prod"), "{}", found.note);
}

#[test]
fn a_file_outside_the_folder_is_an_error_where_the_deployer_refuses_it() {
    let application = "\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: app}
spec: {source: {repoURL: 'https://example.com/shop', path: app}}
";
    let files =
        [("app/kustomization.yaml", "resources: [../base/job.yaml]\n"), ("base/job.yaml", JOB)];
    let [kustomization, job] = files;
    for (path, text, errors) in [
        ("README.md", "`kubectl apply -k app`\n", 1),
        ("Makefile", "deploy:\n\tkustomize build --load-restrictor=LoadRestrictionsNone app\n", 0),
        (".github/workflows/cd.yaml", "run: kustomize build app --load_restrictor none\n", 0),
        ("flux.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\n", 0),
    ] {
        let report = check(&[kustomization, job, (path, text)], &[""]);
        let found = of(&report, "unrenderable");
        assert_eq!(found.len(), errors, "{text}");
        let is_said = |one: &&Diagnostic| {
            one.message.starts_with("kustomization `app` does not build: `")
                && one.message.ends_with("base/job.yaml` is outside of its folder")
        };
        assert!(found.iter().all(is_said), "{text}");
        assert_eq!(
            of(&report, "restart-policy-always").len(),
            1,
            "the Job is checked all the same"
        );
        assert!(report.unchecked.is_empty());
    }
    // A base is taken in by its folder.
    let base = ("base/kustomization.yaml", BASE);
    let overlay = ("app/kustomization.yaml", "resources: [../base]\n");
    assert!(of(&check(&[overlay, base, job], &[""]), "unrenderable").is_empty());
    let report = check(&[kustomization, job, ("application.yaml", application)], &[""]);
    let [finding] = of(&report, "unrenderable")[..] else { panic!() };
    assert_eq!(place(&finding.location), "app/kustomization.yaml:1");
    assert!(finding.label.contains("is not in or below"), "{}", finding.label);
    // A chart needs options, which are not here.
    let helm = (
        "app/kustomization.yaml",
        "resources: [../base/job.yaml]\nhelmCharts: [{name: a, repo: 'https://a.example'}]\n",
    );
    let report = check(&[helm, job, ("application.yaml", application)], &[""]);
    assert!(of(&report, "unrenderable").is_empty());
    let own = "configs: {cm: {kustomize.buildOptions: --enable-helm}}\n";
    let told = [helm, job, ("application.yaml", application), ("argocd/values.yaml", own)];
    assert_eq!(of(&check(&told, &[""]), "unrenderable").len(), 1);
    let options = "--load-restrictor LoadRestrictionsNone";
    let all = format!(
        "kind: ConfigMap\nmetadata: {{name: argocd-cm}}\ndata: {{kustomize.buildOptions: {options}}}\n"
    );
    let all = format!("apiVersion: v1\n{all}");
    let values = format!("argo-cd: {{configs: {{cm: {{kustomize.buildOptions: {options}}}}}}}\n");
    let operator = format!(
        "apiVersion: argoproj.io/v1beta1\nkind: ArgoCD\nmetadata: {{name: argocd}}\nspec: {{kustomizeBuildOptions: {options}}}\n"
    );
    let other = all.replace("buildOptions", "buildOptions.v4.4.0");
    let asking = application.replace("path: app", "path: app, kustomize: {version: v4.4.0}");
    for (application, text, errors) in [
        (application, &all, 0),
        (application, &values, 0),
        (application, &operator, 0),
        (application, &other, 1),
        (&asking, &other, 0),
    ] {
        let files = [kustomization, job, ("application.yaml", application), ("argocd.yaml", text)];
        let report = check(&files, &["app"]);
        assert_eq!(of(&report, "unrenderable").len(), errors, "{text}");
        assert_eq!(of(&report, "restart-policy-always").len(), 1 - errors, "{text}");
    }
}

#[test]
fn an_empty_patch_is_named() {
    for patch in ["", "# Nothing yet.\n"] {
        let app = "resources: [job.yaml]\npatches: [{path: patch.yaml}]\n";
        let files =
            [("app/kustomization.yaml", app), ("app/job.yaml", JOB), ("app/patch.yaml", patch)];
        let report = check(&files, &[""]);
        let [finding] = of(&report, "unrenderable")[..] else { panic!("{patch:?}") };
        assert_eq!(place(&finding.location), "app/kustomization.yaml:2");
        assert_eq!(finding.message, "kustomization `app` does not build: the patch is empty");
    }
}

/// kustomize 5.8.1 with `--enable-helm` prints such a Job; Flux fails with `must specify --enable-helm`.
#[test]
fn charts_in_the_tree_are_checked_where_the_deployer_renders_them() {
    let files = [
        ("app/kustomization.yaml", "helmCharts: [{name: shop, releaseName: web}]\n"),
        ("app/charts/shop/Chart.yaml", "{apiVersion: v2, name: shop, version: 1.0.0}\n"),
        ("app/charts/shop/values.yaml", "restart: Always\n"),
        ("app/charts/shop/templates/job.yaml", &JOB.replace("Always", "{{ .Values.restart }}")),
    ];
    let report = check(&files, &["app/kustomization.yaml"]);
    let [finding] = of(&report, "restart-policy-always")[..] else { panic!() };
    assert_eq!(place(&finding.location), "templates/job.yaml:10");
    let application = "\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: app}
spec: {source: {repoURL: 'https://example.com/shop', path: app}}
";
    for (flags, found) in [("--enable-helm", 1), ("--enable-alpha-plugins", 0)] {
        let options = format!("configs: {{cm: {{kustomize.buildOptions: {flags}}}}}\n");
        let argocd = [("application.yaml", application), ("argocd/values.yaml", &options)];
        let report = check(&[&files[..], &argocd].concat(), &["app/kustomization.yaml"]);
        assert_eq!(of(&report, "restart-policy-always").len(), found, "{flags}");
    }
}

/// A root is in every repository. That a folder of this name exists here says more, as in a fork.
#[test]
fn the_root_of_another_repository_is_not_this_one() {
    let source = |url: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: charts}}\n\
             spec: {{url: 'https://github.com/{url}'}}\n"
        )
    };
    let flux = |path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: crds}}\n\
             spec: {{interval: 30m, path: {path}, sourceRef: {{kind: GitRepository, name: charts}}}}\n"
        )
    };
    let job = JOB.replace("Always", "Never");
    let remote = "[remote \"origin\"]\n\turl = https://github.com/org/shop.git\n";
    let other = source("org/shop").replace("charts}", "shop}");
    for (config, url, path, found) in [
        (remote, "org/charts", "./", 0),
        (remote, "org/charts", "hack", 1),
        (remote, "org/shop", "./", 1),
        ("", "org/charts", "./", 0),
        ("", "org/charts", "hack", 1),
        ("", "org/shop", "./", 1),
    ] {
        let folder = tree(&[
            (".git/config", config),
            ("flux/other.yaml", &other),
            ("hack/job.yaml", &job),
            ("flux/source.yaml", &source(url)),
            ("flux/crds.yaml", &flux(path)),
        ]);
        let request = Request { paths: vec![folder.path().to_owned()], ..Request::default() };
        let report = check_all(&request, &Settings::default());
        let reruns = of(&report, "ttl-reruns");
        assert_eq!(reruns.len(), found, "{url} {path}");
        // The kustomization file of a folder without one is Flux's own.
        let labels = reruns.iter().flat_map(|finding| &finding.secondary);
        assert!(labels.into_iter().all(|(_, text)| !text.contains("applied through")));
    }
}

/// kustomize 5.8.1 builds `b` with the base as it is, and not with `Never` in it: `test` fails.
#[test]
fn a_base_that_another_overlay_needs_as_it_is_has_no_fix() {
    let test = "\
resources: [../base]
patches:
- target: {kind: Job, name: migrate}
  patch: |
    - {op: test, path: /spec/template/spec/restartPolicy, value: Always}
    - {op: replace, path: /spec/template/spec/restartPolicy, value: Never}
";
    let plain = "resources: [../base]\n";
    for (other, fixes) in [(plain, 1), (test, 0)] {
        let report = check(
            &[
                ("base/kustomization.yaml", BASE),
                ("base/job.yaml", JOB),
                ("a/kustomization.yaml", plain),
                ("b/kustomization.yaml", other),
            ],
            &[""],
        );
        let [finding] = of(&report, "restart-policy-always")[..] else { panic!() };
        assert_eq!(finding.fixes.len(), fixes, "{other}");
    }
}

#[test]
fn a_base_with_twelve_overlays_gives_one_finding() {
    let names: Vec<_> = (10..22).map(|number| format!("o{number}/kustomization.yaml")).collect();
    let overlays = names.iter().map(|name| (name.as_str(), "resources: [../base]\n"));
    let base = [("base/kustomization.yaml", BASE), ("base/job.yaml", JOB)];
    let report = check(&base.into_iter().chain(overlays).collect::<Vec<_>>(), &[""]);
    let [finding] = of(&report, "restart-policy-always")[..] else { panic!() };
    assert_eq!(finding.value_sets.len(), 12);
    assert_eq!(place(&finding.location), "base/job.yaml:10");
}

/// An editor's text of a base, read from standard input.
#[test]
fn standard_input_selects_the_overlays_that_reach_it() {
    let folder = tree(&[
        (".git/HEAD", ""),
        ("base/kustomization.yaml", BASE),
        ("base/job.yaml", &JOB.replace("Always", "Never")),
        ("a/kustomization.yaml", "resources: [../base]\nnamePrefix: a-\n"),
        ("other/kustomization.yaml", BASE),
        ("other/job.yaml", JOB),
    ]);
    let arguments = ["-q", "--output", "concise", "-", "--stdin-filename", "base/job.yaml"];
    let (code, stdout, _) = run_with_input(&mut joblint(folder.path(), &arguments), JOB);
    assert_eq!(code, 1);
    assert!(stdout.contains("base/job.yaml:10:22") && stdout.contains("`a-migrate`"), "{stdout}");
    assert!(!stdout.contains("other/"), "{stdout}");
}

/// What no Job needs is not what joblint is for.
#[test]
fn a_patch_of_another_kind_that_selects_nothing_needs_pedantic() {
    let idle = |kind: &str| {
        let patch = format!(
            "{{kind: {kind}, apiVersion: x/v1, metadata: {{name: mimir}}, spec: {{a: 1}}}}"
        );
        let kustomization = format!(
            "resources: [job.yaml]\npatches:\n  - target: {{kind: {kind}, name: mimir}}\n    patch: '{patch}'\n"
        );
        let report = check(&[("kustomization.yaml", &kustomization), ("job.yaml", JOB)], &["."]);
        of(&report, "patch-matches-nothing").len()
    };
    assert_eq!(idle("HelmRelease"), 0);
    assert_eq!(idle("CronJob"), 1);
}

/// kustomize refuses the build; what the Job says is wrong all the same.
#[test]
fn a_job_is_checked_although_a_replacement_fits_nothing() {
    let kustomization = "resources: [job.yaml, ns.yaml]
replacements:
  - source: {kind: Namespace, fieldPath: metadata.name}
    targets: [{select: {kind: Namespace}, fieldPaths: [metadata.labels.name]}]
";
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n";
    let files = [("kustomization.yaml", kustomization), ("ns.yaml", namespace), ("job.yaml", JOB)];
    let report = check(&files, &["."]);
    assert_eq!(of(&report, "restart-policy-always").len(), 1);
    assert_eq!(of(&report, "unrenderable").len(), 0);
    let skipped: Vec<_> = report.skipped.iter().map(|one| place(&one.location)).collect();
    assert!(matches!(&skipped[..], [one] if one.ends_with("/kustomization.yaml:4")), "{skipped:?}");
}

/// A line that is only a word in angle brackets is filled in before kustomize sees it.
#[test]
fn a_token_that_stands_for_lines_is_a_form() {
    let ingress = |line: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: ui\n  annotations:\n    {line}\n"
        )
    };
    let unchecked = |line: &str| {
        let report = check(
            &[
                ("app/kustomization.yaml", "resources: [job.yaml, ui.yaml]\n"),
                ("app/job.yaml", JOB),
                ("app/ui.yaml", &ingress(line)),
            ],
            &["app"],
        );
        let skipped = report.skipped.iter().map(|one| one.label.clone()).collect::<Vec<_>>();
        (of(&report, "unrenderable").len(), skipped.concat())
    };
    let note = "another tool replaces `<ISSUER_ANNOTATION>`: not built";
    assert_eq!(unchecked("<ISSUER_ANNOTATION>"), (0, note.to_owned()));
    assert_eq!(unchecked("issuer"), (1, String::new()), "a word is a mistake");
}

/// Whoever copies an example corrects its paths.
#[test]
fn an_example_that_does_not_build_is_left_out() {
    let counts = |folder: &str| {
        let file = format!("{folder}/kustomization.yaml");
        let job = format!("{folder}/job.yaml");
        let report = check(
            &[(&file, "resources: [job.yaml, ../../base/shop]\n"), (&job, JOB)],
            &["clusters"],
        );
        (of(&report, "unrenderable").len(), report.skipped.len())
    };
    assert_eq!(counts("clusters/examples/local"), (0, 1));
    assert_eq!(counts("clusters/shop/local"), (1, 0));
}

/// In a kustomization without Jobs, a patch that selects nothing is no matter of Jobs.
#[test]
fn a_patch_that_selects_nothing_counts_beside_jobs() {
    let found = |resource: &str, text: &str| {
        let patch = "patches:\n  - target: {kind: Secret, name: keys}\n    patch: |\n      - {op: remove, path: /data}\n";
        let kustomization = format!("resources: [{resource}]\n{patch}");
        let report = check(
            &[("app/kustomization.yaml", &kustomization), (&format!("app/{resource}"), text)],
            &["app"],
        );
        of(&report, "patch-matches-nothing").len()
    };
    assert_eq!(found("job.yaml", JOB), 1);
    assert_eq!(found("map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\n"), 0);
}

/// A script that kustomize prints in double quotes, with an escape for its character beyond 16 bits.
const ESCAPED: &str = "\
apiVersion: batch/v1
kind: Job
metadata: {name: load}
spec:
  ttlSecondsAfterFinished: 600
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: load
          image: shop/load:1.4.2
          command:
            - bash
            - -ec
            - |
              echo \"🔐 waiting\"
              until shop ping 2>/dev/null; do
                sleep 3
              done
              kubectl apply -f /load
";

#[test]
fn a_place_in_a_script_is_exact_through_escapes() {
    for job in [ESCAPED.to_owned(), ESCAPED.replace('🔐', "lock:")] {
        let files = [("kustomization.yaml", BASE), ("job.yaml", job.as_str())];
        let report = check(&files, &[""]);
        let [finding] = of(&report, "unbounded-wait")[..] else { panic!() };
        let (start, end) = (finding.location.start().line, finding.location.end().line);
        assert_eq!((start, end), (17, 19), "the whole loop");
    }
}

/// The base builds by itself; the overlay adds an object of the same id.
#[test]
fn the_kustomization_that_cannot_add_a_resource_is_named() {
    let namespace = |name| format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n");
    let (own, other) = (namespace("shop"), namespace("other"));
    let report = check(
        &[
            ("base/kustomization.yaml", "namespace: shop\nresources: [ns.yaml, job.yaml]\n"),
            ("base/ns.yaml", &other),
            ("base/job.yaml", JOB),
            ("overlay/kustomization.yaml", "resources: [ns.yaml, ../base]\n"),
            ("overlay/ns.yaml", &own),
        ],
        &["."],
    );
    let found = of(&report, "unrenderable");
    assert!(found[0].message.starts_with("kustomization `overlay` does not build"), "{found:?}");
}
