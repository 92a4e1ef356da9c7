//! Predictions about the next release from one render of a chart.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use helm_render::{
    Chart, HelmVersion, Release, RenderOptions, Rendered, render,
    values::{Flag, FlagKind, collect},
};
use job_lifecycle::{
    ReleaseChanges,
    kubernetes::immutable::touched,
    release_changes::{Change, Step},
};
use joblint::{
    chart::with_stack,
    release_changes::{RenderedWorkload, next_version, predict},
    rules,
};
use tempfile::TempDir;
use yaml_spans::{self as yaml, Node};

use super::support::{copy, joblint, run, tree, write};

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.4.0\nappVersion: '2.0'\n";

/// As `helm template` with these values, each `KEY=VALUE`; the release has the chart's name.
fn options(chart: &Chart, sets: &[String]) -> RenderOptions {
    let name = chart.name().to_owned();
    let release = Release { name, ..Release::default() };
    let flags: Vec<_> =
        sets.iter().map(|text| Flag { kind: FlagKind::Set, text: text.clone() }).collect();
    let values = collect(&[], &flags, HelmVersion::V4).unwrap();
    RenderOptions { release, values, max_stack: 48 << 20, ..RenderOptions::default() }
}

fn jobs(rendered: &Rendered) -> Vec<(usize, Node)> {
    let mut found = Vec::new();
    for (number, file) in rendered.files.iter().enumerate() {
        let roots = yaml::parse(&file.text).into_iter().map(|document| document.unwrap().root);
        found.extend(roots.filter(is_work).map(|root| (number, root)));
    }
    found
}

fn is_work(root: &Node) -> bool {
    matches!(root.get("kind").and_then(Node::as_str), Some("Job" | "CronJob"))
}

/// The Jobs of a chart with their predictions; empty when the chart does not render.
fn predictions(folder: &Path, sets: &[String]) -> Vec<(Node, ReleaseChanges)> {
    with_stack(|| {
        let chart = Chart::load(folder, HelmVersion::V4).unwrap();
        let options = options(&chart, sets);
        let Ok(rendered) = render(&chart, &options).map(Arc::new) else { return Vec::new() };
        let jobs = jobs(&rendered);
        let works: Vec<_> = jobs
            .iter()
            .map(|(file, root)| RenderedWorkload { file: *file, start: 0, root })
            .collect();
        let predictions = predict(&chart, &options, &rendered, &works);
        jobs.into_iter().map(|(_, root)| root).zip(predictions).collect()
    })
    .unwrap()
}

/// The prediction for the only Job of a chart with this name, pod metadata, image and values.
fn predicted(name: &str, metadata: &str, image: &str, values: &str) -> ReleaseChanges {
    let job = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\nspec:\n  template:\n    \
         metadata: {{{metadata}}}\n    spec:\n      restartPolicy: Never\n      containers:\n        \
         - name: migrate\n          image: {image}\n"
    );
    let folder =
        tree(&[("Chart.yaml", CHART), ("values.yaml", values), ("templates/job.yaml", &*job)]);
    let [(_, changes)] = predictions(folder.path(), &[]).try_into().unwrap();
    changes
}

fn rejected(changes: &ReleaseChanges) -> Vec<&Step> {
    changes.rejected().map(|(step, _)| step).collect()
}

#[test]
fn an_input_of_the_pod_template_but_not_of_the_name_is_a_rejection() {
    let changes = predicted("migrate", "labels: {chart: '{{ .Chart.Version }}'}", "a:1", "");
    assert_eq!(rejected(&changes), [&Step::Chart, &Step::App]);
    let [difference] = &changes.upgrade.differences[..] else { panic!("{changes:#?}") };
    assert_eq!(difference.field, Some("spec.template"));
    assert_eq!(difference.path, "spec.template.metadata.labels.chart");
    assert_eq!(difference.inputs, ["Chart.Version"]);
    let shown = (difference.old.as_deref(), difference.new.as_deref());
    assert_eq!(shown, (Some("1.4.0"), Some("1.4.1")));
    let changes = predicted("migrate-{{ .Chart.Version }}", "", "a:{{ .Chart.Version }}", "");
    assert!(rejected(&changes).is_empty() && changes.upgrade.name, "the name changes too");
    let changes = predicted("migrate", "", "a:1", "");
    assert!(changes.upgrade.is_none(), "nothing changes");
}

#[test]
fn a_condition_counts_only_when_the_next_version_flips_it() {
    let on = |text| format!("labels: {{x: '{{{{ if {text} }}}}a{{{{ else }}}}b{{{{ end }}}}'}}");
    let stays = on(r#"semverCompare "<2" .Chart.Version"#);
    assert!(predicted("migrate", &stays, "a:1", "").upgrade.is_none());
    let flips = on(r#"semverCompare "<1.4.1" .Chart.Version"#);
    let changes = predicted("migrate", &flips, "a:1", "");
    let difference = &changes.upgrade.differences[0];
    assert!(difference.by_condition && !difference.approximate);
    assert_eq!(difference.inputs, ["Chart.Version"]);
}

#[test]
fn a_revision_counts_up_in_a_release_but_not_in_a_render() {
    let changes = predicted("migrate-{{ .Release.Revision }}", "", "a:{{ .Chart.Version }}", "");
    assert!(rejected(&changes).is_empty() && changes.render.name);
    let stateless = changes.stateless.as_deref().unwrap();
    assert_eq!(rejected(stateless), [&Step::Chart, &Step::App]);
    let changes = predicted("migrate-{{ randAlpha 5 | lower }}", "", "a:1", "");
    assert!(changes.render.name && changes.stateless.is_none(), "random is random everywhere");
    let changes = predicted("migrate", "annotations: {at: '{{ now | unixEpoch }}'}", "a:1", "");
    assert_eq!(rejected(&changes)[0], &Step::Again);
}

/// What a step changes in the pod template, as `path: old -> new`.
fn changed(changes: &ReleaseChanges, is_step: impl Fn(&Step) -> bool) -> Vec<String> {
    let step = changes.steps.iter().find(|(step, _)| is_step(step));
    let differences = step.into_iter().flat_map(|(_, change)| change.immutable());
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let shown = differences.map(|one| {
        let path = one.path.trim_start_matches("spec.template.");
        format!("{path}: {} -> {}", text(&one.old), text(&one.new))
    });
    shown.collect()
}

/// One render tells what most inputs change alone; what several of them print together needs one more.
#[test]
fn each_step_changes_what_its_own_inputs_print() {
    let values = "one: {image: {tag: '1.0'}}\ntwo: {image: {tag: '2.0'}}\n";
    let labels = "labels: {one: 'v{{ .Values.one.image.tag }}', chart: 'c{{ .Chart.Version }}', \
                  all: '{{ .Values.one.image.tag }}-{{ .Chart.Version }}', \
                  app: '{{ if eq .Chart.AppVersion \"2.0\" }}{{ .Values.two.image.tag }}{{ end }}'}";
    let image = "a/{{ .Values.two.image.tag }}:{{ .Values.one.image.tag }}";
    let raises = |name: &'static str| move |step: &Step| matches!(step, Step::Value(values) if values[0].input == name);
    for name in ["migrate", "migrate-{{ toYaml .Values | sha256sum | trunc 8 }}"] {
        let changes = predicted(name, labels, image, values);
        assert_eq!(
            changed(&changes, raises("Values.one.image.tag")),
            [
                "metadata.labels.one: v1.0 -> v1.1",
                "metadata.labels.all: 1.0-1.4.0 -> 1.1-1.4.0",
                "spec.containers[0].image: a/2.0:1.0 -> a/2.0:1.1",
            ]
        );
        assert_eq!(
            changed(&changes, |step| *step == Step::Chart),
            [
                "metadata.labels.chart: c1.4.0 -> c1.4.1",
                "metadata.labels.all: 1.0-1.4.0 -> 1.0-1.4.1"
            ]
        );
        let is_renamed = |(step, change): &(Step, Change)| (*step != Step::Chart) == change.name;
        let renamed = changes.steps.iter().filter(|(step, _)| *step != Step::App);
        assert_eq!(renamed.clone().count(), 3);
        assert!(name == "migrate" || renamed.clone().all(is_renamed), "{:#?}", changes.steps);
    }
}

/// The raised values of the steps that are rejected, as `path=new value`.
fn raised_values(changes: &ReleaseChanges) -> Vec<String> {
    let of_step = |step: &Step| match step {
        Step::Value(values) => {
            values.iter().map(|one| format!("{}={}", one.input, one.to)).collect()
        }
        _ => Vec::new(),
    };
    rejected(changes).into_iter().flat_map(of_step).collect()
}

/// Whoever raises the version of an image edits the value behind its tag, digest or reference, whatever the key
/// is called. A registry, a repository without a version and an image without a tag stay what they are.
#[test]
fn what_flows_into_an_image_is_raised_whatever_its_key_is_called() {
    let digest = format!("sha256:{}", "0123456789abcdef".repeat(4));
    let next_digest = format!("{}0", &digest[..digest.len() - 1]);
    let dated = format!("version: {digest}");
    for (values, image, raised) in [
        (
            "images: {migrate: 'shop/app:1.4.2'}",
            "{{ .Values.images.migrate }}",
            "images.migrate=shop/app:1.4.3",
        ),
        (
            "images: {tags: {migrate: v1.4.2}}",
            "app:{{ .Values.images.tags.migrate }}",
            "images.tags.migrate=v1.4.3",
        ),
        (&dated, "app@{{ .Values.version }}", &format!("version={next_digest}")),
        (
            "image: {release: 1.4}",
            r#"{{ printf "%s:%v" "shop/app" .Values.image.release | quote }}"#,
            "image.release=1.5",
        ),
        ("version: latest", "'registry:5000/app:{{ .Values.version }}'", "version=latest-1"),
        (
            "utils: {img: 'registry:5000/shop/utils:3'}",
            "{{ quote .Values.utils.img }}",
            "utils.img=registry:5000/shop/utils:4",
        ),
        (
            "rates: {name: shop/rates, tag: main}",
            r#"{{ list .Values.rates.name .Values.rates.tag | join ":" }}"#,
            "rates.tag=main-1",
        ),
        (
            "global: {release: 2.0.1}",
            "app:{{ .Values.global.release }}-debian",
            "global.release=2.0.2",
        ),
        (
            "ref: 'shop/app:{{ .Values.of.app }}'\nof: {app: 1.2}",
            "{{ tpl .Values.ref . }}",
            "of.app=1.3",
        ),
        (
            "ref: '{{ .Release.Name }}/app:1.2'",
            "{{ tpl .Values.ref . }}",
            "ref={{ .Release.Name }}/app:1.3",
        ),
        ("own: ''\nshared: 7", "app:{{ .Values.own | default .Values.shared }}", "shared=8"),
        ("list: [a, 'b:1.2']", "{{ index .Values.list 1 }}", "list[1]=b:1.3"),
        (
            "all: {a: {is: 'b:1.2', now: true}}",
            "{{ range .Values.all }}{{ .is }}{{ end }}",
            "all.a.is=b:1.3",
        ),
        ("repo: shop/app-1.4", "{{ .Values.repo }}:stable", "repo=shop/app-1.5"),
        (
            "registry: 'registry:5000'\nrepo: shop/app",
            "{{ .Values.registry }}/{{ .Values.repo }}:1.4",
            "",
        ),
        ("image: busybox", "{{ .Values.image }}", ""),
    ] {
        let changes = predicted("migrate", "", image, values);
        let raised = if raised.is_empty() { raised.to_owned() } else { format!("Values.{raised}") };
        assert_eq!(raised_values(&changes).join(" "), raised, "{values}");
        assert_eq!(changes.upgrade.is_rejected(), !raised.is_empty(), "{values}");
    }
}

/// A container that is passed on as a whole, and manifests in a text.
#[test]
fn images_in_whole_containers_are_raised() {
    let job = |containers: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a}}\nspec:\n  template:\n    spec:\n      \
             restartPolicy: Never\n      containers:\n        {containers}\n"
        )
    };
    for (values, containers, raised) in [
        (
            "jobs: [{name: a, image: 'a:1.4', args: [--retries=5]}]\n",
            "{{- toYaml .Values.jobs | nindent 8 }}",
            "Values.jobs[0].image=a:1.5",
        ),
        (
            "raw: |\n  - name: a\n    image: a:1.4\n    args: [x]\n",
            "{{- tpl .Values.raw . | nindent 8 }}",
            "Values.raw=- name: a\n  image: a:1.5\n  args: [x]\n",
        ),
    ] {
        let folder = tree(&[
            ("Chart.yaml", CHART),
            ("values.yaml", values),
            ("templates/job.yaml", &*job(containers)),
        ]);
        let [(_, changes)] = predictions(folder.path(), &[]).try_into().unwrap();
        assert_eq!(raised_values(&changes), [raised]);
    }
}

/// A version is one by its looks where it is not part of an image; a number, an address or a switch is not.
#[test]
fn versions_outside_of_images_are_raised_if_they_look_like_one() {
    let env = |value: &str| format!("a:1\n          env: [{{name: A, value: '{value}'}}]");
    for (values, text, raised) in [
        ("db: {release: 3.0.1}", "{{ .Values.db.release }}", "Values.db.release=3.0.2"),
        ("agent: shop/agent:3.0", "{{ .Values.agent }}", "Values.agent=shop/agent:3.1"),
        ("kubeVersion: 1.30.0", "{{ .Values.kubeVersion }}", ""),
        ("cpu: 0.5", "{{ .Values.cpu }}", ""),
        ("host: 10.0.0.1", "{{ .Values.host }}", ""),
        (
            "db: {release: 3.0.1}",
            r#"{{ if eq .Values.db.release "3.0.1" }}a{{ else }}b{{ end }}"#,
            "",
        ),
    ] {
        let changes = predicted("migrate", "", &env(text), values);
        assert_eq!(raised_values(&changes).join(" "), raised, "{values}");
    }
}

/// Sixteen Jobs with tags of their own, and one tag that two more share.
#[test]
fn no_job_is_left_out() {
    let job = "{{ range $name, $tag := .Values.tags }}\napiVersion: batch/v1\nkind: Job\nmetadata: {name: {{ $name }}}\n\
               spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: 'a:{{ $tag }}'}]}}}\n---\n\
               {{ end }}\n{{ range tuple \"xa\" \"xb\" }}\napiVersion: batch/v1\nkind: Job\nmetadata: {name: {{ . }}}\n\
               spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: '{{ . }}:{{ $.Values.tags.j07 }}'}]}}}\n\
               ---\n{{ end }}";
    let values: String = (0..16).map(|number| format!("  j{number:02}: v1.{number}\n")).collect();
    let values = format!("tags:\n{values}");
    let folder =
        tree(&[("Chart.yaml", CHART), ("values.yaml", &*values), ("templates/job.yaml", job)]);
    let all = predictions(folder.path(), &[]);
    assert_eq!(all.len(), 18);
    for (job, changes) in all {
        let name = job.at(&["metadata", "name"]).and_then(Node::as_str).unwrap();
        let own = if name.starts_with('j') { name } else { "j07" };
        let number: u32 = own[1..].parse().unwrap();
        assert_eq!(raised_values(&changes), [format!("Values.tags.{own}=v1.{}", number + 1)]);
    }
}

/// A value that the chart checks can be raised only as far as it accepts it; the others still are.
#[test]
fn a_value_that_the_chart_refuses_does_not_hide_the_others() {
    let image = "app:{{ .Values.tag }}\n          args: ['{{ if ne .Values.fixed \"3.0.1\" }}{{ fail \"no\" }}{{ end }}{{ .Values.fixed }}']";
    let changes = predicted("migrate", "", image, "tag: 1.4\nfixed: 3.0.1");
    assert_eq!(raised_values(&changes), ["Values.tag=1.5"]);
    assert!(changes.upgrade.is_rejected());
}

/// The version of a dependency changes only when somebody bumps it.
#[test]
fn versions_of_dependencies_are_not_part_of_every_release() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    metadata:\n      \
               labels: {chart: '{{ .Chart.Version }}'}\n    spec:\n      restartPolicy: Never\n      containers: \
               [{name: a, image: 'a:{{ .Chart.AppVersion }}'}]\n";
    let sub = "apiVersion: v2\nname: db\nversion: 3.0.9\nappVersion: '16.2'\n";
    let folder = tree(&[
        ("Chart.yaml", CHART),
        ("charts/db/Chart.yaml", sub),
        ("charts/db/templates/job.yaml", job),
    ]);
    let [(_, changes)] = predictions(folder.path(), &[]).try_into().unwrap();
    assert_eq!(rejected(&changes), [&Step::Dependencies]);
    let (_, change) = changes.rejected().next().unwrap();
    let shown: Vec<_> = change
        .differences
        .iter()
        .map(|one| (&*one.inputs[0], one.old.as_deref().unwrap(), one.new.as_deref().unwrap()))
        .collect();
    let version = ("Subcharts.db.Chart.Version", "3.0.9", "3.0.10");
    let app = ("Subcharts.db.Chart.AppVersion", "a:16.2", "a:16.3");
    assert_eq!(shown, [version, app]);
    assert!(!Step::Dependencies.is_of_every_release());
}

/// They reach CronJobs too, whose changes are described as those of Jobs are.
#[test]
fn versions_of_dependencies_are_known_where_they_reach_a_cron_job() {
    let sub =
        |name: &str| format!("apiVersion: v2\nname: {name}\nversion: 3.0.9\nappVersion: '16.2'\n");
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {restartPolicy: Never, \
               containers: [{name: a, image: 'a:{{ .Chart.AppVersion }}'}]}}}\n";
    let cron = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: b}\nspec: {schedule: '0 3 * * *', jobTemplate: {spec: {template: \
                {spec: {restartPolicy: Never, containers: [{name: b, image: 'b:{{ .Chart.AppVersion }}'}]}}}}}\n";
    let folder = tree(&[
        ("Chart.yaml", CHART),
        ("charts/db/Chart.yaml", &*sub("db")),
        ("charts/db/templates/job.yaml", job),
        ("charts/report/Chart.yaml", &*sub("report")),
        ("charts/report/templates/cron.yaml", cron),
    ]);
    let all = predictions(folder.path(), &[]);
    let inputs: BTreeSet<_> = all
        .iter()
        .flat_map(|(_, changes)| &changes.upgrade.differences)
        .flat_map(|one| one.inputs.clone())
        .collect();
    let version = |chart: &str| format!("Subcharts.{chart}.Chart.AppVersion");
    assert_eq!(inputs, BTreeSet::from([version("db"), version("report")]));
}

#[test]
fn a_job_for_installs_only_is_gone_after_the_first_upgrade() {
    let job = "{{ if .Release.IsInstall }}\napiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n{{ end }}";
    let folder = tree(&[("Chart.yaml", CHART), ("templates/job.yaml", job)]);
    let [(_, changes)] = predictions(folder.path(), &[]).try_into().unwrap();
    assert!(changes.upgrade.gone && changes.render.gone);
}

#[test]
fn secret_values_are_masked() {
    let env = "a:1\n          env: [{name: DB_PASSWORD, value: '{{ randAlphaNum 12 }}'}]";
    let changes = predicted("migrate", "", env, "");
    let difference = &changes.upgrade.differences[0];
    assert_eq!(difference.path, "spec.template.spec.containers[0].env[0].value");
    let shown = (difference.old.as_deref(), difference.new.as_deref());
    assert_eq!(shown, (Some("***"), Some("***")));
}

#[test]
fn secret_values_of_a_later_document_are_masked() {
    let job = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: some longer text}\n---\n\
               apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      \
               restartPolicy: Never\n      containers:\n        - name: a\n          image: a:1\n          \
               env: [{name: DB_PASSWORD, value: '{{ randAlphaNum 12 }}'}]\n";
    let folder = tree(&[("Chart.yaml", CHART), ("templates/job.yaml", job)]);
    let arguments = ["check", ".", "--deployer", "helm4", "--output", "concise"];
    let (_, text, _) = run(&mut joblint(folder.path(), &arguments));
    assert!(text.contains("pod template of `a` changes with a random value"), "{text}");
    assert!(!text.contains('→'), "{text}");
}

/// Real Helm renders both sides of every predicted rejection, and the immutable fields that differ are the predicted
/// ones: `JOBLINT_HELM=helm cargo test --test it release_changes -- --ignored --nocapture`.
///
/// `JOBLINT_HELM` is the program. `JOBLINT_HELM_CHARTS` adds charts, separated by colons; each is a folder followed by
/// values for `--set`, separated by blanks.
#[test]
#[ignore = "needs Helm"]
fn helm_reproduces_each_witness() {
    let helm = std::env::var("JOBLINT_HELM").unwrap();
    let charts = std::env::var("JOBLINT_HELM_CHARTS").unwrap_or_default();
    let mut folders: Vec<(PathBuf, Vec<String>)> = charts
        .split(':')
        .filter_map(|chart| {
            let mut words = chart.split_whitespace().map(str::to_owned);
            Some((words.next()?.into(), words.collect()))
        })
        .collect();
    let pages = TempDir::new().unwrap();
    let examples = rules::all().iter().flat_map(|rule| rule.examples());
    for (number, files) in examples.filter_map(|example| example.bad).enumerate() {
        let folder = pages.path().join(number.to_string());
        if files.each().iter().any(|(path, _)| *path == "Chart.yaml") {
            write(&folder, &files.each());
            folders.push((folder, Vec::new()));
        }
    }
    let (mut count, mut problems) = (0, Vec::new());
    for (folder, sets) in folders.iter().filter(|(folder, sets)| {
        let renders = template(&helm, folder, sets).is_some();
        println!("{}: {}", folder.display(), if renders { "renders" } else { "left out" });
        renders
    }) {
        for (job, changes) in predictions(folder, sets) {
            let changes = changes.stateless.as_deref().unwrap_or(&changes);
            for (step, change) in changes.rejected().filter(|(step, _)| *step != Step::Again) {
                let seen = reproduced(&helm, (folder, sets), &job, step);
                let expected = change.immutable().map(|difference| difference.path.clone());
                if seen != expected.collect::<Vec<_>>() {
                    problems.push(format!("{}: {step:?}: {seen:?}", folder.display()));
                }
                count += 1;
            }
        }
    }
    println!("{count} witnesses, {} not reproduced", problems.len());
    assert!(count > 0 && problems.is_empty(), "{}", problems.join("\n"));
}

/// The paths of the immutable values of a Job that differ after a step.
fn reproduced(
    helm: &str,
    (folder, base): (&Path, &[String]),
    job: &Node,
    step: &Step,
) -> Vec<String> {
    let next = TempDir::new().unwrap();
    copy(folder, next.path());
    let keys: &[&str] = match step {
        Step::Again | Step::Value(_) => &[],
        Step::Chart => &["version"],
        Step::App | Step::Dependencies => &["version", "appVersion"],
    };
    match step {
        Step::Dependencies => raise_below(&next.path().join("charts"), keys),
        _ => raise(&next.path().join("Chart.yaml"), keys),
    }
    let mut sets = base.to_vec();
    if let Step::Value(values) = step {
        let set = |path: &str, to: &str| format!("{}={to}", path.replace("Values.", ""));
        sets.extend(values.iter().map(|raised| set(&raised.input, &raised.to)));
    }
    let [old, new] = [(folder, base), (next.path(), &sets[..])].map(|(folder, sets)| {
        let named = |root: &Node| {
            is_work(root) && root.at(&["metadata", "name"]) == job.at(&["metadata", "name"])
        };
        template(helm, folder, sets).unwrap_or_default().into_iter().find(named)
    });
    let (Some(old), Some(new)) = (old, new) else { return Vec::new() };
    let mut paths = Vec::new();
    differing((&old, &new), (&old, &new), &mut Vec::new(), "", &mut paths);
    paths
}

/// Writes the next versions into a `Chart.yaml`.
fn raise(file: &Path, keys: &[&str]) {
    let text = fs::read_to_string(file).unwrap();
    fs::write(file, text.lines().map(|line| raised(line, keys)).collect::<String>()).unwrap();
}

/// Does the same in every chart below a folder.
fn raise_below(folder: &Path, keys: &[&str]) {
    for entry in fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        if entry.path().join("Chart.yaml").exists() {
            raise(&entry.path().join("Chart.yaml"), keys);
            raise_below(&entry.path().join("charts"), keys);
        }
    }
}

/// A line of `Chart.yaml` with the next version.
fn raised(line: &str, keys: &[&str]) -> String {
    let value = keys.iter().find_map(|key| line.strip_prefix(key)?.strip_prefix(": "));
    let Some(value) = value else { return format!("{line}\n") };
    let value = value.split(" #").next().unwrap().trim();
    let quoted = value.starts_with(['"', '\'']);
    let next = next_version(value.trim_matches(['"', '\'']));
    let key = line.split(':').next().unwrap();
    if quoted { format!("{key}: \"{next}\"\n") } else { format!("{key}: {next}\n") }
}

/// The objects that real Helm renders; `None` when it fails.
fn template(helm: &str, folder: &Path, sets: &[String]) -> Option<Vec<Node>> {
    let text = fs::read_to_string(folder.join("Chart.yaml")).unwrap();
    let metadata = yaml::parse(&text).remove(0).unwrap().root;
    let name = metadata.get("name").and_then(Node::as_str).unwrap();
    let mut command = Command::new(helm);
    let output = command
        .arg("template")
        .arg(name)
        .arg(folder)
        .args(sets.iter().map(|set| format!("--set={set}")))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let roots = yaml::parse(&text).into_iter().map(|document| document.unwrap().root);
    output.status.success().then(|| roots.collect())
}

/// Collects the paths of immutable values that differ, from the table of immutable fields alone.
fn differing(
    roots: (&Node, &Node),
    (old, new): (&Node, &Node),
    keys: &mut Vec<String>,
    path: &str,
    paths: &mut Vec<String>,
) {
    if old == new {
        return;
    }
    let pairs: Vec<(Option<&str>, String, Option<&Node>)> = if old.as_map().is_some()
        && new.as_map().is_some()
    {
        let plain = |key: &str| key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        let step = |key: &str| match (path, plain(key)) {
            ("", _) => key.to_owned(),
            (_, true) => format!("{path}.{key}"),
            (_, false) => format!("{path}[\"{key}\"]"),
        };
        let entries = old.entries().iter().filter(|entry| new.get(&entry.key).is_some());
        entries.map(|entry| (Some(&*entry.key), step(&entry.key), Some(&entry.value))).collect()
    } else if old.items().len() == new.items().len() {
        let items = old.items().iter().enumerate();
        items.map(|(index, item)| (None, format!("{path}[{index}]"), Some(item))).collect()
    } else {
        Vec::new()
    };
    if pairs.is_empty() {
        let keys: Vec<_> = keys.iter().map(String::as_str).collect();
        paths.extend(touched(roots.0, roots.1, &keys).map(|_| path.to_owned()));
    }
    for (index, (key, path, item)) in pairs.into_iter().enumerate() {
        let other = key.map_or_else(|| new.items().get(index), |key| new.get(key));
        keys.extend(key.map(str::to_owned));
        if let (Some(old), Some(new)) = (item, other) {
            differing(roots, (old, new), keys, &path, paths);
        }
        if key.is_some() {
            keys.pop();
        }
    }
}
