//! Fixes in chart templates: what they write, and that the chart then renders as intended.

use std::{fs, path::Path};

use tempfile::TempDir;

use super::support::{self, run, tree};

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.4.0\nappVersion: '2.0'\n";

const HELPERS: &str = "{{- define \"shop.labels\" -}}
{{ include \"shop.selectorLabels\" . }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
{{- define \"shop.selectorLabels\" -}}
app.kubernetes.io/name: shop
{{- end }}
";

const CONFIG: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shop\n  labels:\n    {{- include \
                      \"shop.labels\" . | nindent 4 }}\n";

/// A Job with these lines in its metadata and in that of its pods, and with this image.
fn job(metadata: &str, pods: &str, image: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{{{ .Release.Name }}}}-migrate\n{metadata}spec:\n  \
         ttlSecondsAfterFinished: 1209600\n  template:\n{pods}    spec:\n      restartPolicy: Never\n      \
         containers:\n        - name: migrate\n          image: {image}\n"
    )
}

fn chart(job: &str, values: &str) -> TempDir {
    tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/values.yaml", values),
        ("shop/templates/_helpers.tpl", HELPERS),
        ("shop/templates/config.yaml", CONFIG),
        ("shop/templates/job.yaml", job),
    ])
}

fn joblint(folder: &Path, arguments: &[&str]) -> String {
    run(&mut support::joblint(folder, arguments)).1
}

const CHECK: [&str; 7] = ["check", "shop", "--deployer", "helm4", "--output", "concise", "-q"];

fn findings(folder: &Path) -> String {
    let found = joblint(folder, &CHECK);
    found.lines().filter(|line| line.contains("its name does not")).collect()
}

/// The template after the fix. Asserts that the finding is gone and other templates render as before.
fn fixed(folder: &TempDir) -> String {
    let folder = folder.path();
    assert!(findings(folder).contains("[template-changes-under-fixed-name]"));
    let others = ["render", "shop", "--show-only", "templates/config.yaml"];
    let before = joblint(folder, &others).trim().to_owned();
    joblint(folder, &[&CHECK[..], &["--fix", "--unsafe-fixes"]].concat());
    assert_eq!(findings(folder), "");
    assert_eq!(joblint(folder, &others).trim(), before);
    fs::read_to_string(folder.join("shop/templates/job.yaml")).unwrap()
}

#[test]
fn the_selector_helper_replaces_the_labels_helper() {
    let pods = |helper: &str| {
        format!(
            "    metadata:\n      labels:\n        {{{{- include \"shop.{helper}\" . | nindent 8 }}}}\n"
        )
    };
    let folder = chart(&job("", &pods("labels"), "app:1.4.2"), "");
    let image = "app:1.4.2";
    assert_eq!(fixed(&folder), job("", &pods("selectorLabels"), image));
}

#[test]
fn a_label_moves_from_the_pods_to_the_job() {
    let label = "helm.sh/chart: \"{{ .Chart.Name }}-{{ .Chart.Version }}\"\n";
    let pods = |label: &str| format!("    metadata:\n      labels:\n        app: shop\n{label}");
    let moving = pods(&format!("        {label}"));
    let folder = chart(&job("", &moving, "app:1.4.2"), "");
    let metadata = format!("  labels:\n    {label}");
    assert_eq!(fixed(&folder), job(&metadata, &pods(""), "app:1.4.2"));
    // The Job already has the label.
    let folder = chart(&job(&metadata, &moving, "app:1.4.2"), "");
    assert_eq!(fixed(&folder), job(&metadata, &pods(""), "app:1.4.2"));
}

#[test]
fn the_name_gets_a_hash_of_the_inputs_of_the_template() {
    let image =
        "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}";
    let values = "image: {repository: app, tag: ''}\n";
    let folder = chart(&job("", "", image), values);
    let text = fixed(&folder);
    let name = "{{ printf \"%v-migrate\" (.Release.Name) | trunc 54 | trimSuffix \"-\" }}-{{ list \
                $.Chart.AppVersion $.Values.image.repository $.Values.image.tag | toJson | sha256sum | trunc 8 }}";
    assert_eq!(text, job("", "", image).replace("{{ .Release.Name }}-migrate", name));
    let long = format!("a-{}", "x".repeat(51));
    let rendered = joblint(folder.path(), &["render", "shop", "--name", &long]);
    let name = rendered.lines().find_map(|line| line.strip_prefix("  name: a-")).unwrap();
    assert!("a-".len() + name.len() <= 63, "{name}");
}

#[test]
fn a_random_value_in_the_template_makes_the_job_a_hook() {
    let pods = "    metadata:\n      annotations:\n        at: {{ now | unixEpoch | quote }}\n";
    let folder = chart(&job("", pods, "app:1.4.2"), "");
    let hook = "    helm.sh/hook: post-install,post-upgrade\n    helm.sh/hook-delete-policy: before-hook-creation\n";
    let block = format!("  annotations:\n{hook}");
    assert_eq!(fixed(&folder), job(&block, pods, "app:1.4.2"));
    let own = "  annotations:\n    team: shop\n";
    let folder = chart(&job(own, pods, "app:1.4.2"), "");
    let both = format!("  annotations:\n{hook}    team: shop\n");
    assert_eq!(fixed(&folder), job(&both, pods, "app:1.4.2"));
}

/// Under other value sets, the annotations would appear twice, or the render would fail for a missing value.
#[test]
fn a_fix_that_breaks_another_value_set_is_not_offered() {
    let pods = "    metadata:\n      annotations:\n        at: {{ now | unixEpoch | quote }}\n";
    let own = "  {{- with .Values.annotations }}\n  annotations:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}\n";
    let folder = chart(&job(own, pods, "app:1.4.2"), "");
    let arguments = [&CHECK[..], &["--diff", "--unsafe-fixes"]].concat();
    assert_eq!(joblint(folder.path(), &arguments), "");
    let image = "{{ if .Values.own }}app:{{ .Values.image.tag }}{{ else }}app:1.4.2{{ end }}";
    let folder = chart(&job("", "", image), "own: true\nimage: {tag: 1.4.2}\n");
    fs::create_dir(folder.path().join("shop/ci")).unwrap();
    fs::write(folder.path().join("shop/ci/none-values.yaml"), "own: false\nimage: null\n").unwrap();
    let diff = joblint(folder.path(), &arguments);
    assert!(diff.contains("+    helm.sh/hook: ") && !diff.contains("sha256sum"), "{diff}");
}

/// A chart whose templates hold these files, fixed; the texts of the files after it.
fn all_fixed(files: &[(&str, &str)]) -> Vec<String> {
    let mut all = vec![("shop/Chart.yaml", CHART), ("shop/values.yaml", "")];
    all.retain(|(path, _)| files.iter().all(|(own, _)| own != path));
    all.extend(files);
    let folder = tree(&all);
    joblint(folder.path(), &[&CHECK[..], &["--fix", "--unsafe-fixes"]].concat());
    let again = [&CHECK[..], &["--diff", "--unsafe-fixes"]].concat();
    assert_eq!(joblint(folder.path(), &again), "", "a second run changes nothing");
    files.iter().map(|(path, _)| fs::read_to_string(folder.path().join(path)).unwrap()).collect()
}

/// A hook with these lines in its annotations, and with this pod.
fn hook(name: &str, annotations: &str, pod: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\n  annotations:\n    helm.sh/hook: pre-upgrade\n\
         {annotations}spec:\n  template:\n    spec:\n{pod}      containers:\n        - name: migrate\n          \
         image: app:1.4.2\n"
    )
}

const DELETED: &str = "    helm.sh/hook-delete-policy: before-hook-creation\n";

#[test]
fn literal_text_of_a_template_is_fixed_byte_for_byte() {
    let annotations =
        |weight: &str| format!("    helm.sh/hook-weight: {weight} # first\n{DELETED}");
    let pod = |policy: &str| {
        format!("      {{{{- /* why */}}}}\n      restartPolicy: {policy} # {{{{ .Values.a }}}}\n")
    };
    let (bad, good) = (
        hook("migrate", &annotations("5"), &pod("'Always'")),
        hook("migrate", &annotations("\"5\""), &pod("'Never'")),
    );
    assert_eq!(all_fixed(&[("shop/templates/job.yaml", &bad)]), [&*good]);
    let windows = |text: &str| text.replace('\n', "\r\n");
    let all = all_fixed(&[("shop/templates/job.yaml", &windows(&bad))]);
    assert_eq!(all, [windows(&good)]);
    // A missing field, in a text without a last line break.
    let pod = "      restartPolicy: Never\n";
    let (bad, good) = (hook("migrate", DELETED, ""), hook("migrate", DELETED, pod));
    assert_eq!(all_fixed(&[("shop/templates/job.yaml", bad.trim_end())]), [good.trim_end()]);
}

#[test]
fn a_helper_that_only_jobs_include_is_fixed() {
    let helper = |policy: &str| {
        format!("{{{{- define \"shop.pod\" }}}}\nrestartPolicy: {policy}\n{{{{- end }}}}\n")
    };
    let pod = "      {{- include \"shop.pod\" . | nindent 6 }}\n";
    let jobs = [hook("a", DELETED, pod), hook("b", DELETED, pod)].join("---\n");
    let (bad, good) = (helper("Always"), helper("Never"));
    let files = [("shop/templates/_pod.tpl", &*bad), ("shop/templates/job.yaml", &*jobs)];
    assert_eq!(all_fixed(&files), [&*good, &*jobs]);
    // A Deployment must restart always.
    let deployment = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: shop}}\nspec:\n  template:\n    spec:\n{pod}"
    );
    let files = [&files[..], &[("shop/templates/web.yaml", &*deployment)]].concat();
    assert_eq!(all_fixed(&files), [&*bad, &*jobs, &*deployment]);
    let folder = tree(&[&[("shop/Chart.yaml", CHART)][..], &files].concat());
    let shown = joblint(folder.path(), &["check", "shop", "--deployer", "helm4"]);
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("in `shop/templates/_pod.tpl`, line 2,"), "{shown}");
}

#[test]
fn the_value_that_a_template_prints_is_fixed() {
    let pod = "      restartPolicy: {{ .Values.policy }}\n";
    let job = hook("migrate", DELETED, pod);
    let values = |policy: &str| format!("# of the Job\npolicy: {policy} # why\n");
    let (bad, good) = (values("\"Always\""), values("\"Never\""));
    let files = [("shop/values.yaml", &*bad), ("shop/templates/job.yaml", &*job)];
    assert_eq!(all_fixed(&files), [&*good, &*job]);
    let computed = job.replace(".Values.policy", "print .Values.policy \"s\"");
    let bad = values("\"Alway\"");
    let files = [("shop/values.yaml", &*bad), ("shop/templates/job.yaml", &*computed)];
    assert_eq!(all_fixed(&files), [&*bad, &*computed], "what an action computes stays");
}

/// The text of the token and the quoted text of the whole value are one edit of the file.
#[test]
fn a_list_that_the_values_quote_is_fixed() {
    let annotations = "    helm.sh/hook-delete-policy: {{ .Values.policy }}\n";
    let job = hook("migrate", annotations, "      restartPolicy: Never\n");
    for quote in ["", "'", "\""] {
        let values = |policy: &str| format!("policy: {quote}{policy}{quote} # why\n");
        let (bad, good) = (values("before-hook-creaton"), values("before-hook-creation"));
        let files = [("shop/values.yaml", &*bad), ("shop/templates/job.yaml", &*job)];
        assert_eq!(all_fixed(&files), [&*good, &*job]);
    }
}

/// The policy says nothing about an object that no cluster knows.
#[test]
fn what_a_policy_says_to_an_object_of_a_removed_version_is_not_new() {
    let policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: none}\nspec:\n  \
                  matchConstraints:\n    resourceRules:\n      - {apiGroups: [batch], apiVersions: [v1], resources: [cronjobs], \
                  operations: [CREATE]}\n  validations: [{expression: \"false\"}]\n---\n\
                  apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: none}\nspec:\n  \
                  policyName: none\n  validationActions: [Deny]\n";
    let job = |version: &str| {
        format!(
            "apiVersion: {version}\nkind: CronJob\nmetadata:\n  name: backup\nspec:\n  schedule: \"0 3 * * *\"\n  \
             jobTemplate:\n    spec:\n      template:\n        spec:\n          restartPolicy: Never\n          \
             containers:\n            - name: backup\n              image: app:1.4.2\n"
        )
    };
    let bad = job("batch/v1beta1");
    let files =
        [("shop/Chart.yaml", CHART), ("shop/templates/job.yaml", &*bad), ("policy.yaml", policy)];
    let folder = tree(&files);
    joblint(folder.path(), &["check", ".", "--deployer", "helm4", "--fix", "-q"]);
    let text = fs::read_to_string(folder.path().join("shop/templates/job.yaml")).unwrap();
    assert_eq!(text, job("batch/v1"));
    let left =
        joblint(folder.path(), &["check", ".", "--deployer", "helm4", "--output", "concise"]);
    assert!(left.contains("policy[none]"), "{left}");
}

/// Another chart uses the chart as a dependency in the folder beside it.
#[test]
fn a_linked_chart_is_fixed_where_it_is() {
    let job = |policy: &str| hook("migrate", DELETED, &format!("      restartPolicy: {policy}\n"));
    let bad = job("Always");
    let shop = "apiVersion: v2\nname: shop\nversion: 1.4.0\ndependencies:\n  - {name: common, version: 1.x.x, repository: \"file://../common\"}\n";
    let common = "apiVersion: v2\nname: common\nversion: 1.0.0\n";
    let folder = tree(&[
        ("common/Chart.yaml", common),
        ("common/templates/job.yaml", &bad),
        ("shop/Chart.yaml", shop),
    ]);
    for path in ["shop", "common", "."] {
        fs::write(folder.path().join("common/templates/job.yaml"), &bad).unwrap();
        let arguments = ["check", path, "--deployer", "helm4", "--fix", "--unsafe-fixes", "-q"];
        let left = joblint(folder.path(), &arguments);
        let text = fs::read_to_string(folder.path().join("common/templates/job.yaml")).unwrap();
        let is_asked_for = path != "shop";
        assert_eq!(text, if is_asked_for { job("Never") } else { bad.clone() }, "{path}");
        assert!(left.is_empty(), "{path}: {left}");
    }
}

/// In the other chart the template prints a Deployment, which must restart always.
#[test]
fn a_linked_chart_is_not_fixed_if_another_needs_it_as_it_is() {
    let pod = "      {{- include \"common.pod\" . | nindent 6 }}\n";
    let job = hook("migrate", DELETED, pod);
    let web = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n";
    let text = format!("{job}{{{{- if .Values.web }}}}\n{web}{pod}{{{{- end }}}}\n");
    let shop = "apiVersion: v2\nname: shop\nversion: 1.4.0\ndependencies:\n  - {name: common, version: 1.x.x, repository: \"file://../common\"}\n";
    let helper = "{{- define \"common.pod\" }}\nrestartPolicy: Always\n{{- end }}\n";
    let folder = tree(&[
        ("common/Chart.yaml", "apiVersion: v2\nname: common\nversion: 1.0.0\n"),
        ("common/values.yaml", "web: false\n"),
        ("common/templates/_pod.tpl", helper),
        ("common/templates/job.yaml", &text),
        ("shop/Chart.yaml", shop),
        ("shop/values.yaml", "common: {web: true}\n"),
    ]);
    joblint(folder.path(), &["check", ".", "--deployer", "helm4", "--fix", "--unsafe-fixes", "-q"]);
    assert_eq!(
        fs::read_to_string(folder.path().join("common/templates/_pod.tpl")).unwrap(),
        helper
    );
}

/// Each fix fails on its own, at the Deployment that shares the helper, and each proof renders the loop again.
#[test]
fn proofs_that_use_up_the_budget_are_no_finding() {
    let one = |number: usize| {
        let pod = format!("      {{{{- include \"shop.pod{number}\" . | nindent 6 }}}}\n");
        let web = format!(
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web{number}}}\nspec:\n  template:\n    spec:\n"
        );
        format!(
            "{{{{- define \"shop.pod{number}\" }}}}\nrestartPolicy: Always\n{{{{- end }}}}\n---\n{}{web}{pod}",
            hook(&format!("job{number}"), DELETED, &pod)
        )
    };
    let all: String = (0..24).map(one).collect();
    let text = format!("{{{{- range until 600000 }}}}{{{{- end }}}}\n{all}");
    let folder = tree(&[("shop/Chart.yaml", CHART), ("shop/templates/job.yaml", &text)]);
    let found = joblint(folder.path(), &CHECK);
    assert_eq!(found.matches("[restart-policy-always]").count(), 24, "{found}");
    assert!(!found.contains("not checked completely"), "{found}");
}

/// The hook waits for the Job by its old name.
#[test]
fn a_job_that_another_refers_to_by_name_is_not_renamed() {
    let job = job("", "", "app:{{ .Chart.Version }}");
    let after = hook("after", DELETED, "      restartPolicy: Never\n")
        + "          args: [sh, -c, \"kubectl wait --for=condition=complete job/shop-migrate\"]\n";
    let folder = chart(&job, "");
    let arguments = [&CHECK[..], &["--diff", "--unsafe-fixes"]].concat();
    assert!(joblint(folder.path(), &arguments).contains("sha256sum"));
    fs::write(folder.path().join("shop/templates/after.yaml"), after).unwrap();
    let diff = joblint(folder.path(), &arguments);
    assert!(!diff.contains("sha256sum"), "{diff}");
    let shown = joblint(folder.path(), &["check", "shop", "--deployer", "helm4"]);
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("Job `after` refers to its name"), "{shown}");
}

/// Helm waits for a hook until it ends.
#[test]
fn a_job_that_serves_or_waits_for_ever_becomes_no_hook() {
    let own = job("", "", "app:{{ .Chart.Version }}");
    let arguments = [&CHECK[..], &["--diff", "--unsafe-fixes"]].concat();
    let shown = |more: &str| {
        let folder = chart(&format!("{own}{more}"), "");
        joblint(folder.path(), &arguments) + &joblint(folder.path(), &["check", "shop"])
    };
    let of = |more: &str| shown(more).split_whitespace().collect::<Vec<_>>().join(" ");
    let probe = "          command: [sh, -c, 'until nc -z db 5432; do sleep 5; done; /migrate']\n";
    for more in ["", probe] {
        assert!(of(more).contains("or make it a hook"), "{more}");
    }
    for more in [
        "          ports: [{containerPort: 8080}]\n",
        "          command: [sh, -c, 'until kubectl get csr a -o yaml | grep -q Approved; do sleep 5; done']\n",
    ] {
        let text = of(more);
        assert!(text.contains("[template-changes-under-fixed-name]"), "{text}");
        assert!(!text.contains("hook"), "{text}");
    }
}

/// With `--wait`, Helm runs a hook when the Deployment is ready, which needs the Secret.
#[test]
fn a_job_whose_secret_a_deployment_mounts_becomes_no_hook() {
    let own = job("", "", "app:{{ .Chart.Version }}")
        + "          args: [create, --secret-name=certificate]\n";
    let server = |secret: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  template:\n    spec:\n      \
             containers: [{{name: web, image: 'app:1.4.2'}}]\n      volumes: [{{name: a, secret: {{secretName: {secret}}}}}]\n"
        )
    };
    let shown = |secret: &str| {
        let folder = chart(&own, "");
        fs::write(folder.path().join("shop/templates/web.yaml"), server(secret)).unwrap();
        let text = joblint(folder.path(), &["check", "shop", "--deployer", "helm4"]);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(shown("other").contains("or make it a hook"));
    let text = shown("certificate");
    assert!(text.contains("[template-changes-under-fixed-name]"), "{text}");
    assert!(!text.contains("hook"), "{text}");
}

/// The release is called as the chart or anything else.
#[test]
fn a_job_that_a_script_refers_to_by_name_is_not_renamed() {
    let folder = chart(&job("", "", "app:{{ .Chart.Version }}"), "");
    let arguments = [&CHECK[..], &["--diff", "--unsafe-fixes"]].concat();
    let makefile = folder.path().join("shop/Makefile");
    fs::write(&makefile, "logs:\n\tkubectl logs job/shop-seed\n").unwrap();
    assert!(joblint(folder.path(), &arguments).contains("sha256sum"));
    fs::write(&makefile, "logs:\n\tkubectl logs job/$(RELEASE)-migrate\n").unwrap();
    let diff = joblint(folder.path(), &arguments);
    assert!(!diff.contains("sha256sum"), "{diff}");
    let shown = joblint(folder.path(), &["check", "shop", "--deployer", "helm4"]);
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("`Makefile` refers to its name"), "{shown}");
}

/// One that is not beside the chart may mean another Job with what a variable stands for.
#[test]
fn a_script_elsewhere_in_the_repository_keeps_a_job_its_name() {
    let folder = chart(&job("", "", "app:{{ .Chart.Version }}"), "");
    let arguments = [&CHECK[..], &["--diff", "--unsafe-fixes"]].concat();
    let images = folder.path().join("images/appliance");
    fs::create_dir_all(folder.path().join(".git")).unwrap();
    fs::create_dir_all(&images).unwrap();
    let wait = |job: &str| {
        let script = format!("#!/bin/bash\nwhile ! kubectl logs {job}; do sleep 5; done\n");
        fs::write(images.join("first-boot.sh"), script).unwrap();
        joblint(folder.path(), &arguments)
    };
    assert!(wait("job/$RELEASE-migrate").contains("sha256sum"));
    let diff = wait("job.batch/shop-migrate");
    assert!(!diff.contains("sha256sum"), "{diff}");
}

#[test]
fn an_annotation_that_is_there_is_changed_and_not_doubled() {
    let pods = "    metadata:\n      annotations:\n        at: {{ now | unixEpoch | quote }}\n";
    let own = "  annotations:\n    helm.sh/hook-delete-policy: hook-succeeded\n";
    let folder = chart(&job(own, pods, "app:1.4.2"), "");
    let both = "  annotations:\n    helm.sh/hook-delete-policy: \"before-hook-creation,hook-succeeded\"\n    \
                helm.sh/hook: post-install,post-upgrade\n";
    assert_eq!(fixed(&folder), job(both, pods, "app:1.4.2"));
}

#[test]
fn a_base_is_fixed_where_every_overlay_agrees() {
    let base = |policy: &str, field: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\nspec:\n  ttlSecondsAfterFinished: 600\n  \
             {field}: 2 # twice\n  template:\n    spec:\n      restartPolicy: {policy}\n      containers:\n        - \
             name: a\n          image: app:1\n"
        )
    };
    let bad = base("\"Always\"", "backofLimit");
    let folder = tree(&[
        ("base/kustomization.yaml", "resources: [job.yaml]\n"),
        ("base/job.yaml", &bad),
        ("dev/kustomization.yaml", "resources: [../base]\nnamePrefix: dev-\n"),
        ("prod/kustomization.yaml", "resources: [../base]\nnameSuffix: -prod\n"),
    ]);
    let arguments = ["check", ".", "--fix", "--unsafe-fixes", "-q", "--deployer", "kubectl"];
    joblint(folder.path(), &arguments);
    let text = fs::read_to_string(folder.path().join("base/job.yaml")).unwrap();
    assert_eq!(text, base("\"Never\"", "backoffLimit"));
    // Asked for one overlay, the base is left alone.
    fs::write(folder.path().join("base/job.yaml"), &bad).unwrap();
    joblint(folder.path(), &["check", "dev", "--fix", "--unsafe-fixes", "-q"]);
    assert_eq!(fs::read_to_string(folder.path().join("base/job.yaml")).unwrap(), bad);
}

#[test]
fn unsafe_fixes_need_their_flag() {
    let folder = chart(&job("", "", "app:{{ .Chart.Version }}"), "");
    let arguments = [&CHECK[..], &["--diff"]].concat();
    assert_eq!(joblint(folder.path(), &arguments), "");
}

/// What stands behind the new line is computed, and the script of the template has another indentation than what it
/// prints.
#[test]
fn a_script_of_a_template_stops_at_the_first_failure() {
    let job = |first: &str, last: &str| {
        job("", "", "app:1.4.2\n          command: [sh, -c]\n          args:\n            - |")
            .trim_end()
            .to_owned()
            + &format!(
                "\n              {first}NAME={{{{ .Release.Name }}}}\n              {last}alembic upgrade head\n              echo done\n"
            )
    };
    let fixed = |text: &str| {
        let folder = chart(text, "");
        let arguments = ["--select", "failure-hidden", "--fix", "--unsafe-fixes"];
        joblint(folder.path(), &[&CHECK[..], &arguments].concat());
        fs::read_to_string(folder.path().join("shop/templates/job.yaml")).unwrap()
    };
    assert_eq!(fixed(&job("", "")), job("set -e\n              ", ""));
    let asking = job("", "test -f a; echo $?\n              ");
    assert_eq!(fixed(&asking), asking, "it goes on by intent");
}

/// A word of the command that is the name of the Job by chance: only a client of the cluster looks it up.
#[test]
fn a_job_is_renamed_although_a_word_of_its_command_is_its_name() {
    let of = |program: &str| {
        let image = "'app:{{ .Chart.Version }}'\n          args: [PROGRAM, shop-migrate]";
        let folder = chart(&job("", "", &image.replace("PROGRAM", program)), "");
        let arguments = [&CHECK[..], &["--diff", "--unsafe-fixes"]].concat();
        joblint(folder.path(), &arguments)
    };
    assert!(of("tool").contains("sha256sum"));
    assert!(!of("kubectl").contains("sha256sum"));
}
