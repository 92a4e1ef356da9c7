//! Exit status: 2 exactly when a Job or hook was missed.

use std::fs;

use serde_json::Value;

use super::support::{joblint, run, tree};

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 0.1.0\n";
const LIBRARY: &str = "apiVersion: v2\nname: shop\nversion: 0.1.0\ndependencies:\n  - {name: common, version: 1.0.0, \
                       repository: https://charts.example.com}\n";
const CONFIG: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  ttlSecondsAfterFinished: 600
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: 'app:1.4.2'}]
";
const HOOK: &str =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {helm.sh/hook: test}}\nspec: {}\n";

/// The exit code, the rules of the findings and standard error of a check of these files.
fn check(files: &[(&str, &str)], flags: &[&str]) -> (i32, Vec<String>, String) {
    let folder = tree(files);
    let arguments = [&["check", ".", "--output", "json", "--fail-on", "error"], flags].concat();
    let (code, stdout, stderr) = run(&mut joblint(folder.path(), &arguments));
    let json: Value = serde_json::from_str(&stdout).unwrap();
    let findings = json["findings"].as_array().unwrap().iter();
    let is_run = |rule: &&str| ["unrenderable", "unreadable", "not-rendered"].contains(rule);
    let rules = findings.filter_map(|one| one["rule"].as_str()).filter(is_run).map(str::to_owned);
    (code, rules.collect(), stderr)
}

#[track_caller]
fn assert_status(files: &[(&str, &str)], code: i32, rules: &[&str]) -> String {
    let (found, seen, stderr) = check(files, &[]);
    assert_eq!((found, seen), (code, rules.iter().map(|rule| rule.to_string()).collect()));
    stderr
}

#[test]
fn a_template_with_a_job_that_renders_with_no_values_is_missed() {
    let missed = |template: &str, rules: &[&str]| {
        let files = [("Chart.yaml", CHART), ("templates/job.yaml", template)];
        assert_status(&files, 2, rules)
    };
    // Whoever deploys the chart may set the value: nothing is known to be wrong.
    for work in [JOB, HOOK] {
        let stderr = missed(&format!("{{{{ .Values.absent.deep }}}}\n---\n{work}"), &[]);
        let note = "note: templates/job.yaml:1: cannot render this chart: `.Values.absent.deep`: nil pointer";
        assert!(stderr.starts_with(note), "{stderr}");
    }
    for image in ["{{ printf \"%s:%s\" .Values.name .Values.tag }}", "shop: {{ .Values.tag }}:"] {
        missed(&format!("{JOB}---\nimage: {image}\n"), &[]);
    }
    let unrenderable = |template: &str| missed(template, &["unrenderable"]);
    unrenderable(&format!("{{{{ include \"undefined\" . }}}}\n---\n{JOB}"));
    unrenderable(&format!("{{{{ if }}}}\n---\n{JOB}"));
}

#[test]
fn a_job_that_some_values_render_is_not_missed() {
    let job = format!("# {{{{ required \"say which\" .Values.need }}}}\n---\n{JOB}");
    let files = [("Chart.yaml", CHART), ("templates/job.yaml", &*job)];
    assert_status(&files, 0, &[]);
    let job = format!("# {{{{ .Values.need.deep }}}}\n{JOB}");
    let files = [
        ("Chart.yaml", CHART),
        ("templates/job.yaml", &job),
        ("ci/a-values.yaml", "need: {deep: a}\n"),
    ];
    assert_status(&files, 0, &[]);
}

/// Within `range` the dot is one of the items, whatever the values are.
#[test]
fn what_only_the_root_has_is_missing_from_an_item() {
    let status = |release: &str| {
        let job = format!(
            "{{{{ range .Values.all }}}}\n# {{{{ {release}.Release.Name }}}}\n---\n{JOB}{{{{ end }}}}\n"
        );
        let files = [
            ("Chart.yaml", CHART),
            ("values.yaml", "all: [{name: a}]\n"),
            ("templates/job.yaml", &*job),
        ];
        let (code, rules, _) = check(&files, &[]);
        (code, rules)
    };
    assert_eq!(status(""), (2, vec!["unrenderable".to_owned()]));
    assert_eq!(status("$"), (0, vec![]));
}

/// A dependency asks for a template that nothing defines, and the values that the chart is deployed with switch it off.
#[test]
fn a_dependency_that_values_switch_off_need_not_render() {
    let chart = format!("{CHART}dependencies: [{{name: queue, condition: queue.enabled}}]\n");
    let queue = "apiVersion: v2\nname: queue\nversion: 0.1.0\n";
    let broken = format!("# {{{{ include \"undefined\" . }}}}\n{JOB}");
    let mut files = vec![
        (".git/HEAD", ""),
        ("shop/Chart.yaml", &*chart),
        ("shop/values.yaml", "queue: {enabled: true}\n"),
        ("shop/templates/job.yaml", JOB),
        ("shop/charts/queue/Chart.yaml", queue),
        ("shop/charts/queue/templates/job.yaml", &broken),
    ];
    let (code, rules, _) = check(&files, &[]);
    assert_eq!((code, rules), (2, vec!["unrenderable".to_owned()]));
    files.push(("shop/prod-values.yaml", "queue: {enabled: false}\n"));
    let (code, rules, _) = check(&files, &[]);
    assert_eq!((code, rules), (0, vec![]));
}

/// The chart says which values it needs, and those of an environment are elsewhere in the repository.
#[test]
fn a_job_that_values_elsewhere_render_is_not_missed() {
    let job = JOB.replace("migrate, image", "'{{ index .Values.hosts 0 }}', image");
    let schema = r#"{"type": "object", "required": ["hosts"]}"#;
    let fails =
        format!("{{{{ if not .Values.hosts }}}}{{{{ fail \"no hosts\" }}}}{{{{ end }}}}\n{job}");
    let of = |chart: &str, template: &str, others: &[(&str, &str)], schema: &[(&str, &str)]| {
        let own = [
            (".git/HEAD", String::new()),
            (&*format!("{chart}Chart.yaml"), CHART.to_owned()),
            (&*format!("{chart}templates/job.yaml"), template.to_owned()),
        ]
        .map(|(path, text)| (path.to_owned(), text));
        let rest = others
            .iter()
            .chain(schema)
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        own.into_iter().chain(rest).collect::<Vec<_>>()
    };
    let status = |files: Vec<(String, String)>| {
        let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        let (code, rules, _) = check(&files, &[]);
        (code, rules)
    };
    let asks = [("charts/shop/values.schema.json", schema)];
    let (values, hosts) = ("deploy/k8s/minikube.yaml", "hosts: [a]\n");
    for template in [&job, &fails] {
        let found = of("charts/shop/", template, &[(values, hosts)], &asks);
        assert_eq!(status(found), (0, vec![]), "values below another folder");
        let beside = ("charts/shop/values-minikube.yaml", hosts);
        assert_eq!(status(of("charts/shop/", template, &[beside], &asks)), (0, vec![]));
        let for_envsubst = ("charts/shop/values.yaml.template", "hosts: [$HOST]\n");
        assert_eq!(status(of("charts/shop/", template, &[for_envsubst], &asks)), (0, vec![]));
        let of_another = ("charts/shop/values.json.template", "hosts: [$HOST]\n");
        assert_eq!(status(of("charts/shop/", template, &[of_another], &asks)), (2, vec![]));
        // Nothing is known to be wrong, yet the Job is not checked.
        assert_eq!(status(of("charts/shop/", template, &[], &asks)), (2, vec![]));
        let foreign = (values, "hosts: [a]\nreplicas: 2\n");
        assert_eq!(status(of("charts/shop/", template, &[foreign], &asks)), (2, vec![]));
    }
    let wrong = [(
        "charts/shop/values.schema.json",
        r#"{"type": "object", "maxProperties": -1, "properties": {"hosts": {"type": "array"}}, "not": {}}"#,
    )];
    assert_eq!(status(of("charts/shop/", &job, &[], &wrong)), (2, vec!["unrenderable".to_owned()]));
}

#[test]
fn a_chart_without_jobs_that_does_not_render_is_a_remark() {
    let files = [("Chart.yaml", CHART), ("templates/a.yaml", "a: {{ .Values.absent.deep }}\n")];
    let stderr = assert_status(&files, 0, &[]);
    assert!(
        stderr.starts_with("note: templates/a.yaml:1: not rendered, but holds no Job or hook: "),
        "{stderr}"
    );
    let broken = [("Chart.yaml", CHART), ("values.yaml", "a: [\n"), ("templates/a.yaml", CONFIG)];
    let stderr = assert_status(&broken, 0, &[]);
    assert!(stderr.contains("holds no Job or hook"), "{stderr}");
    let with_job = [broken[0], broken[1], ("templates/a.yaml", JOB)];
    let (code, rules, _) = check(&with_job, &[]);
    assert_eq!((code, rules.len()), (2, 1), "{rules:?}");
    let (code, rules, _) = check(&files, &["--strict"]);
    assert_eq!((code, rules), (2, vec!["unrenderable".to_owned()]), "--strict counts every gap");
}

/// The failing template says nothing about Jobs: the helper that it includes does.
#[test]
fn a_job_in_a_helper_is_missed_with_the_template_that_includes_it() {
    let helper = format!("{{{{ define \"shop.work\" }}}}{JOB}{{{{ end }}}}\n");
    let template = "{{ .Values.absent.deep }}{{ include \"shop.work\" . }}\n";
    let other = "{{ .Values.absent.deep }}{{ include \"shop.name\" . }}\n";
    let names = format!("{{{{ define \"shop.name\" }}}}a{{{{ end }}}}\n{helper}");
    let files = |template| {
        [("Chart.yaml", CHART), ("templates/a.yaml", template), ("templates/_helpers.tpl", &*names)]
    };
    assert_status(&files(template), 2, &[]);
    assert_status(&files(other), 0, &[]);
}

#[test]
fn a_job_that_fails_without_an_absent_dependency_is_missed() {
    let files = |template| [("Chart.yaml", LIBRARY), ("templates/a.yaml", template)];
    let note =
        "note: Chart.yaml:5: `common` is not in `charts/`: what it renders was not checked\n";
    let deployment = "{{ include \"common.deployment\" . }}\n";
    for template in [CONFIG, JOB, deployment] {
        let stderr = assert_status(&files(template), 0, &[]);
        assert!(stderr.contains(note), "{stderr}");
    }
    let (code, rules, stderr) = check(&files(CONFIG), &["--pedantic"]);
    assert_eq!((code, &*rules), (0, &["not-rendered".to_owned()][..]));
    assert!(!stderr.contains("note: "), "{stderr}");
    let (code, rules, _) = check(&files(CONFIG), &["--strict"]);
    assert_eq!((code, &*rules), (2, &["not-rendered".to_owned()][..]));
    // What the dependency only names in a Job does not hide the Job.
    let job = JOB.replace("app:1.4.2", "{{ include \"common.image\" . }}");
    let stderr = assert_status(&files(&job), 0, &[]);
    assert!(stderr.contains("checked with a placeholder instead"), "{stderr}");
    let (code, rules, _) = check(&files(&job), &["--strict", "--select", "not-rendered"]);
    assert_eq!((code, &*rules), (2, &["not-rendered".to_owned()][..]));
    let body =
        JOB.split("spec:").next().unwrap().to_owned() + "spec: {{ include \"common.spec\" . }}\n";
    for template in [&*body, "{{ include \"common.cronjob\" . }}\n"] {
        let stderr = assert_status(&files(template), 2, &[]);
        let note =
            "note: Chart.yaml:5: dependency `common` is not vendored, but Jobs or hooks need it\n";
        assert!(stderr.contains(note), "{stderr}");
        let (code, rules, _) = check(&files(template), &["--pedantic"]);
        assert_eq!((code, &*rules), (2, &["not-rendered".to_owned()][..]));
    }
    // What does not parse is wrong whatever the dependency holds.
    let broken = format!("{{{{ if }}}}\n---\n{JOB}");
    assert_status(&files(&broken), 2, &["unrenderable"]);
}

/// Whoever installs the chart sets the list. A text that somebody has meant is an error of the chart.
#[test]
fn what_stands_for_a_list_is_no_error_of_the_chart() {
    let job = JOB.replace("metadata: {name: migrate}", "metadata: {name: 'migrate-{{ . }}'}");
    let template = format!("{{{{- range .Values.teams }}}}\n{job}---\n{{{{- end }}}}\n");
    let files =
        |values| [("Chart.yaml", CHART), ("values.yaml", values), ("templates/a.yaml", &*template)];
    let stderr = assert_status(&files("teams: __OVERWRITE_ME__\n"), 0, &[]);
    assert!(stderr.contains("checked with a placeholder instead"), "{stderr}");
    assert_status(&files("teams: red and blue\n"), 2, &["unrenderable"]);
}

#[test]
fn what_a_run_leaves_out_is_one_line() {
    let kustomization =
        "resources:\n- https://example.com/job.yaml\nconfigMapGenerator:\n- {name: a}\n";
    let disabled = format!(
        "{{{{- if eq (include \"a\" .) \"b\" }}}}\n{JOB}{{{{- end }}}}\n{{{{ define \"a\" }}}}{{{{ end }}}}\n"
    );
    let folder = tree(&[
        ("a/Chart.yaml", LIBRARY),
        ("a/templates/a.yaml", CONFIG),
        ("b/Chart.yaml", LIBRARY),
        ("b/templates/a.yaml", CONFIG),
        ("c/kustomization.yaml", kustomization),
        ("d/Chart.yaml", CHART),
        ("d/templates/job.yaml", &disabled),
    ]);
    let (code, stdout, stderr) = run(&mut joblint(folder.path(), &["--output", "json"]));
    assert_eq!(code, 0, "{stderr}");
    let note = "note: not checked: the dependencies of 2 charts, parts of 1 kustomization, Jobs that no values enable \
                in 1 chart; `--pedantic` names them\n";
    assert!(stderr.contains(note), "{stderr}");
    let json: Value = serde_json::from_str(&stdout).unwrap();
    let skipped = json["skipped"].as_array().unwrap();
    let of = |key| skipped.iter().map(|one| one[key].clone()).collect::<Vec<_>>();
    assert_eq!(
        of("path"),
        ["a/Chart.yaml", "b/Chart.yaml", "c/kustomization.yaml", "d/templates/job.yaml"]
    );
    assert_eq!(of("line"), [5, 5, 2, 3]);
    let reason = "`common` is not in `charts/`: what it renders was not checked";
    assert_eq!(of("reason")[0], reason);
}

#[test]
fn a_broken_document_counts_beside_jobs() {
    let broken = "a: [1\nb: 2\n";
    let beside = format!("{JOB}---\n{broken}");
    assert_status(&[("jobs.yaml", &beside)], 2, &["unreadable"]);
    assert_status(&[("jobs.yaml", JOB), ("other.yaml", broken)], 0, &[]);
    let folder = tree(&[("other.yaml", broken)]);
    let (code, stdout, stderr) = run(&mut joblint(folder.path(), &["other.yaml"]));
    assert_eq!((code, &*stdout), (0, ""));
    let remark =
        "note: other.yaml:1: not read, but holds no Job or hook: this `[` is never closed\n";
    assert!(stderr.starts_with(remark), "{stderr}");
    let (code, _, stderr) = run(&mut joblint(folder.path(), &["forecast", "other.yaml"]));
    assert_eq!(code, 0, "{stderr}");
    // A template of another tool beside a Job is no broken document.
    let template = format!("{JOB}---\na: {{% if x %}}\n");
    assert_status(&[("jobs.yaml", &template)], 0, &[]);
}

/// The chart's own checks install it with the values in `ci/`: that it does not render with some is said once.
#[test]
fn values_of_the_charts_own_checks_that_fail_are_a_note() {
    let job = JOB.replace("app:1.4.2", "app:{{ .Values.image.tag }}");
    let files = [
        ("Chart.yaml", CHART),
        ("values.yaml", "image: {tag: 1.4.2}\n"),
        ("templates/job.yaml", &job),
        ("ci/a-values.yaml", "image: latest\n"),
        ("ci/b-values.yaml", "image: latest\n"),
        ("examples/c-values.yaml", "image: latest\n"),
    ];
    let stderr = assert_status(&files, 0, &[]);
    assert_eq!(stderr.matches("chart shop does not render for ").count(), 1, "{stderr}");
    assert!(stderr.contains("does not render for ci/a-values.yaml: "), "{stderr}");
}

/// A variable alone on its line stands for lines of the manifest, which `envsubst` puts there.
#[test]
fn a_template_of_envsubst_is_no_broken_manifest() {
    let at = |line: &str| JOB.replacen("spec:\n", &format!("spec:\n{line}\n"), 1);
    let command = "  $(if [ -n \"${PRIORITY}\" ]; then echo \"\n  suspend: false\"\n  fi)";
    for variable in ["${SCHEDULING}", "  $SCHEDULING", command] {
        assert_status(&[("job.yaml", &at(variable))], 0, &[]);
    }
    for broken in ["SCHEDULING", "${SCHEDULING} x", "$1"] {
        assert_status(&[("job.yaml", &at(broken))], 2, &["unreadable"]);
    }
}

/// `str.format` of Python fills in names in braces.
#[test]
fn a_template_of_a_program_is_no_broken_manifest() {
    let named = |name: &str| {
        JOB.replacen("metadata: {name: migrate}", &format!("metadata:\n  name: {name}"), 1)
    };
    for name in ["{name}-init", "shop-{name}-{stage}-x\n  labels: {app: shop}"] {
        assert_status(&[("job.yaml", &named(name))], 0, &[]);
    }
    for broken in ["{name}-init: x", "{a b}-init", "{name}-init\n labels: {}"] {
        assert_status(&[("job.yaml", &named(broken))], 2, &["unreadable"]);
    }
}

/// A word between colons or signs is a blank that somebody fills in, as there is no other way to read it.
#[test]
fn a_form_with_words_between_signs_is_no_broken_manifest() {
    let named = |name: &str| {
        JOB.replacen("metadata: {name: migrate}", &format!("metadata:\n  name: {name}"), 1)
    };
    for blank in [":your-name:", "@NAME@", "%%NAME%%"] {
        assert_status(&[("job.yaml", &named(blank))], 0, &[]);
    }
    for broken in
        ["@NAME", "@NAME@ x", ": your-name:", ":your: name:", "shop: name:", ":a:\n labels: {}"]
    {
        assert_status(&[("job.yaml", &named(broken))], 2, &["unreadable"]);
    }
}

/// Its name ends as the file does that the test renders.
#[test]
fn a_snapshot_of_jest_is_no_manifest() {
    let quoted = |first: &str| format!("{first}\n\nexports[`shop 1`] = `\n\"{JOB}\"\n`;\n");
    let snapshot = quoted("// Jest Snapshot v1, https://goo.gl/fbAQLP");
    assert_status(&[("tests/__snapshots__/shop.yaml", &snapshot)], 0, &[]);
    assert_status(&[("tests/shop.yaml", &quoted("// Jobs of the shop"))], 2, &["unreadable"]);
}

/// Of neither version is anything known, however many there are.
#[test]
fn a_merge_that_is_not_finished_is_one_finding() {
    let merged = format!("<<<<<<< HEAD\n{JOB}=======\n{JOB}>>>>>>> main\n");
    assert_status(&[("a/job.yaml", &merged), ("b/job.yaml", &merged)], 2, &["unreadable"]);
    let underlined = format!("# Jobs\n# =======\n{JOB}");
    assert_status(&[("job.yaml", &underlined)], 0, &[]);
}

/// Somebody has kept what `helm install --debug` printed.
#[test]
fn what_helm_has_printed_is_no_manifest() {
    let printed =
        |end: &str| format!("NAME: shop\nUSER-SUPPLIED VALUES:\n{{}}\nx\n{end}:\n---\n{JOB}");
    assert_status(&[("shop.yaml", &printed("MANIFEST"))], 0, &[]);
    assert_status(&[("shop.yaml", &printed("OBJECTS"))], 2, &["unreadable"]);
}

/// The chart is what its author maintains; what `helm template` has printed counts if a script applies it.
#[test]
fn what_a_chart_has_printed_counts_where_it_is_applied() {
    let printed =
        format!("---\n# Source: shop/templates/job.yaml\n{}", JOB.replace("Never", "Always"));
    let script = "kubectl apply -f shop.yaml\n";
    let all: [(&str, &str); 2] = [("shop.yaml", &printed), ("deploy.sh", script)];
    assert_status(&all[..1], 0, &[]);
    assert_status(&all, 1, &[]);
}

/// Values that JSON-e fills in are missing from its template.
#[test]
fn a_template_of_json_e_is_no_manifest() {
    let of = |container: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: load}}\nspec:\n  template:\n    spec:\n      \
             restartPolicy: Never\n      containers:\n        - {container}\n"
        )
    };
    assert_status(&[("job.yaml", &of("name: load"))], 1, &[]);
    for container in ["{$eval: container}", "$if: 'secure'", "\"$eval\": container"] {
        assert_status(&[("job.yaml", &of(container))], 0, &[]);
    }
    let script = of("{name: load, args: ['$if: x']}");
    assert_status(&[("job.yaml", &script)], 1, &[]);
}

/// What speaks of Jobs is not one.
#[test]
fn an_input_that_only_mentions_jobs_is_a_remark() {
    let crd = format!(
        "{CONFIG}data:\n  a: |\n    obj.kind == \"Job\"\n    kind: JobSet\n    # kind: Job\n"
    );
    let new = CHART.replace("0.1.0", "0.1.x");
    let chart = |template: &str, code: i32, rules: &[&str]| {
        let files = [("Chart.yaml", &*new), ("templates/a.yaml", template), ("README.md", JOB)];
        assert_status(&files, code, rules)
    };
    let refused = "validation: chart.metadata.version \"0.1.x\" is invalid";
    let stderr = chart(&crd, 0, &[]);
    let note = format!("note: Chart.yaml:3: not read, but holds no Job or hook: {refused}\n");
    assert!(stderr.starts_with(&note), "{stderr}");
    chart(JOB, 2, &["unreadable"]);
    for text in [
        "{kind: \"Job\"}",
        "- \"kind\": 'CronJob'",
        "kind: {{ \"Job\" }}",
        "{{ $kind := \"Job\" }}",
    ] {
        chart(text, 2, &["unreadable"]);
    }

    let kustomization = "resources: [a.yaml, application.yaml, missing.yaml]\n";
    let application =
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {}\n";
    let with = |other: &str, code: i32, rules: &[&str]| {
        let files = [
            ("kustomization.yaml", kustomization),
            ("a.yaml", other),
            ("application.yaml", application),
        ];
        assert_status(&files, code, rules)
    };
    with(&crd, 0, &[]);
    with(JOB, 2, &["unrenderable"]);
}

/// Helm 3 loads a chart of any `apiVersion`. Helm 4 does not, and Flux renders with Helm 4.
#[test]
fn a_chart_that_only_helm_4_refuses_is_checked_with_a_note() {
    let failing = JOB.replace("Never", "Always");
    for version in ["v3", "2", "API_VERSION"] {
        let files =
            [("Chart.yaml", &*CHART.replace("v2", version)), ("templates/a.yaml", &failing)];
        let (code, rules, stderr) = check(&files, &["--select", "restart-policy-always"]);
        assert_eq!((code, rules.len()), (1, 0), "{version}: {stderr}");
        let note = "note: Chart.yaml:1: Helm 4 refuses this `apiVersion`, which Helm 3 ignores\n";
        assert!(stderr.contains(note), "{stderr}");
        for deployer in ["helm4", "flux"] {
            let (code, rules, _) = check(&files, &["--deployer", deployer]);
            assert_eq!((code, &*rules), (2, &["unreadable".to_owned()][..]), "{deployer}");
        }
        let (code, rules, _) = check(&files, &["--deployer", "helm3"]);
        assert_eq!((code, rules.len()), (1, 0));
    }
}

/// `render` prints what Helm 4 says, and which other Helm renders the chart.
#[test]
fn rendering_a_chart_that_only_helm_4_refuses_names_helm_3() {
    let chart = CHART.replace("v2", "v4");
    let folder = tree(&[("Chart.yaml", &chart), ("templates/a.yaml", JOB)]);
    let render =
        |flags: &[&str]| run(&mut joblint(folder.path(), &[&["render", "."], flags].concat()));
    let (code, stdout, stderr) = render(&[]);
    assert_eq!((code, &*stdout), (2, ""));
    let expected =
        "Chart.yaml:1: Helm 4 refuses this `apiVersion`, which Helm 3 ignores: add `--helm 3`\n";
    assert!(
        stderr.contains("Error: unsupported chart version\n") && stderr.ends_with(expected),
        "{stderr}"
    );
    let (code, stdout, _) = render(&["--helm", "3"]);
    assert!(code == 0 && stdout.contains("kind: Job"), "{stdout}");
}

#[test]
fn a_chart_whose_version_is_filled_in_is_checked_with_a_note() {
    let failing = JOB.replace("Never", "Always");
    let chart = |version: &str| {
        let text = CHART.replace("0.1.0", version);
        let (code, rules, stderr) =
            check(&[("Chart.yaml", &text), ("templates/a.yaml", &failing)], &[]);
        (code, rules.len(), stderr)
    };
    for version in [
        "VERSION",
        "${VERSION}",
        "'@version@'",
        "CHART_VERSION",
        "latest",
        "\"%VERSION%\"",
        "<WEB_PORTAL_CHART_REVISION>",
    ] {
        let (code, errors, stderr) = chart(version);
        assert_eq!((code, errors), (1, 0), "{version}: {stderr}");
        let note = "note: Chart.yaml:3: another program fills in the `version`\n";
        assert!(stderr.contains(note), "{stderr}");
    }
    for version in [
        "%VERSION%",
        "@VERSION@\nappVersion: %APP_VERSION%",
        "[[ .Version ]]",
        "[[ .Version ]]\nappVersion: [[ .AppVersion ]]",
    ] {
        let (code, errors, stderr) = chart(version);
        assert_eq!((code, errors), (1, 0), "no YAML: {version}: {stderr}");
        assert!(stderr.contains("another program fills in the `version`\n"), "{stderr}");
    }
    let part = "apiVersion: v2\nname: part\nversion: latest\n";
    let parts = [
        ("Chart.yaml", CHART),
        ("charts/part/Chart.yaml", part),
        ("charts/other/Chart.yaml", &part.replace("part", "other")),
        ("charts/part/templates/a.yaml", &failing),
    ];
    let (code, rules, stderr) = check(&parts, &[]);
    assert_eq!((code, rules.len()), (1, 0), "{stderr}");
    let note = "note: charts/part/Chart.yaml:3: another program fills in the `version`\n";
    assert!(stderr.contains(note), "{stderr}");
    let text = CHART.replace("version: 0.1.0\n", "");
    let (code, rules, stderr) =
        check(&[("Chart.yaml", &text), ("templates/a.yaml", &failing)], &[]);
    assert_eq!((code, rules.len()), (1, 0), "no version: {stderr}");
    assert!(stderr.contains("another program fills in the `version`\n"), "{stderr}");
    for version in ["1.x.0", "1.2.3.4", "%VERSION", "[[1]]", "[.Version]"] {
        let (code, errors, stderr) = chart(version);
        assert_eq!((code, errors), (2, 1), "{version}: {stderr}");
    }
}

#[test]
fn a_dependency_that_is_declared_twice_is_marked_where_it_is_repeated() {
    let chart = format!("{CHART}dependencies:\n- {{name: db}}\n- {{name: db}}\n");
    let note = assert_status(&[("Chart.yaml", &chart), ("templates/a.yaml", CONFIG)], 0, &[]);
    assert!(note.starts_with("note: Chart.yaml:6: not read, but holds no Job or hook: "), "{note}");
}

#[test]
fn an_ignored_or_accepted_failure_does_not_count() {
    let broken = "apiVersion: batch/v1\nkind: Job\nmetadata: [\n";
    let folder = tree(&[("job.yaml", broken)]);
    let root = folder.path();
    let code = || run(&mut joblint(root, &["."])).0;
    assert_eq!(code(), 2);
    let ignore = "ignore: [{rule: unreadable, path: job.yaml, reason: a fixture}]\n";
    fs::write(root.join(".joblint.yaml"), ignore).unwrap();
    assert_eq!(code(), 0);
    fs::remove_file(root.join(".joblint.yaml")).unwrap();
    assert_eq!(run(&mut joblint(root, &["baseline"])).0, 0);
    assert_eq!(code(), 0);
}

#[test]
fn exit_zero_hides_findings_but_not_gaps() {
    let bad = JOB.replace("Never", "Always");
    let folder = tree(&[("job.yaml", &bad)]);
    let code = |flags: &[&str]| run(&mut joblint(folder.path(), &[&["."], flags].concat())).0;
    assert_eq!(code(&[]), 1);
    assert_eq!(code(&["--exit-zero"]), 0);
    fs::write(folder.path().join("broken.yaml"), "kind: Job\nmetadata: [\n").unwrap();
    assert_eq!(code(&["--exit-zero"]), 2);
}

#[test]
fn junit_fails_what_fails_the_run() {
    let bad = JOB.replace("Never", "Always");
    let no_ttl = JOB.replace("  ttlSecondsAfterFinished: 600\n", "");
    let folder = tree(&[("bad.yaml", &bad), ("ttl.yaml", &no_ttl)]);
    let arguments = ["--select", "restart-policy-always,missing-ttl", "--output", "junit"];
    let printed =
        |flags: &[&str]| run(&mut joblint(folder.path(), &[&arguments[..], flags].concat())).1;
    assert!(printed(&[]).contains("tests=\"2\" failures=\"2\" errors=\"0\""));
    let xml = printed(&["--fail-on", "error"]);
    assert!(xml.contains("tests=\"2\" failures=\"1\" errors=\"0\""), "{xml}");
    let (_, passing) = xml.split_once("classname=\"joblint\" file=\"ttl.yaml\">\n").unwrap();
    assert!(passing.starts_with("      <system-out>\nttl.yaml:"), "{passing}");
}

#[test]
fn statistics_in_json_are_json() {
    let bad = JOB.replace("Never", "Always");
    let folder = tree(&[("a.yaml", &bad), ("b.yaml", &bad)]);
    let arguments = ["--select", "restart-policy-always", "--statistics", "--output", "json"];
    let (code, stdout, _) = run(&mut joblint(folder.path(), &arguments));
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &json["version"], &json["summary"]["errors"]), (1, &1.into(), &2.into()));
    let rule = serde_json::json!([
        {"rule": "restart-policy-always", "severity": "error", "findings": 2, "fixable": 2}
    ]);
    assert_eq!(json["rules"], rule);
}

/// What was put away, and what a script fills in, is no part of a deploy.
#[test]
fn what_nobody_deploys_is_not_missed() {
    let broken = "resources: [absent.yaml, job.yaml]\n";
    let kustomization = |folder: &str, code: i32, rules: &[&str]| {
        let (one, two) = (format!("{folder}/kustomization.yaml"), format!("{folder}/job.yaml"));
        assert_status(&[(&*one, broken), (&*two, JOB)], code, rules)
    };
    kustomization("apps/shop", 2, &["unrenderable"]);
    kustomization(".archive/shop", 0, &[]);
    let form = format!("{JOB}---\nkind: Job\nspec:\n  template:\n    JOB_ENVIRONMENT\n    a: b\n");
    assert_status(&[("job.yaml", &form)], 0, &[]);
    let filled = form.replace("JOB_ENVIRONMENT", "JOB_STAGE|-stage: \"a\"-|");
    assert_status(&[("job.yaml", &filled)], 0, &[]);
    assert_status(
        &[("job.yaml", &form.replace("JOB_ENVIRONMENT", "environment"))],
        2,
        &["unreadable"],
    );
}

/// kontinuous completes a `Chart.yaml` that has only dependencies. One that states a part of what Helm wants has a mistake.
#[test]
fn a_chart_that_states_nothing_for_helm_is_completed_by_another_program() {
    let failing = JOB.replace("Never", "Always");
    let chart = |text: &str| check(&[("Chart.yaml", text), ("templates/a.yaml", &failing)], &[]);
    let (code, rules, stderr) = chart("dependencies: []\n");
    assert_eq!((code, rules.len()), (1, 0), "{stderr}");
    assert!(
        stderr.contains("note: Chart.yaml:1: another program fills in what is missing\n"),
        "{stderr}"
    );
    let (code, rules, stderr) = chart("apiVersion: v2\nversion: 0.1.0\n");
    assert_eq!((code, rules.len()), (2, 1), "{stderr}");
}
