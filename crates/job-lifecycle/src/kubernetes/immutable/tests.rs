//! Immutable fields against recorded answers of API servers and observed cases.

use std::collections::BTreeMap;

use yaml_spans as yaml;

use super::*;

fn job(spec: &str) -> Node {
    let text =
        format!("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: migrate}}\nspec: {spec}\n");
    yaml::parse(&text).remove(0).unwrap().root
}

/// The paths of the differences, by immutable field.
fn paths(old: &str, new: &str) -> BTreeMap<&'static str, Vec<String>> {
    let fields = changed(&job(old), &job(new), Version::NEWEST);
    let paths = |field: ImmutableField| {
        (field.path, field.differences.iter().map(Difference::path).collect())
    };
    fields.into_iter().map(paths).collect()
}

/// A JobSpec with one container that has these fields.
fn template(container: &str) -> String {
    format!(
        "{{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, {container}}}]}}}}}}"
    )
}

/// JSON merge patch, RFC 7386.
fn patch(target: &mut serde_json::Value, patch: &serde_json::Value) {
    let Some(patches) = patch.as_object() else { return *target = patch.clone() };
    if !target.is_object() {
        *target = serde_json::json!({});
    }
    for (key, value) in patches {
        match value.is_null() {
            true => _ = target.as_object_mut().unwrap().shift_remove(key),
            false => self::patch(&mut target[key.as_str()], value),
        }
    }
}

#[test]
fn api_servers_reject_the_same_fields() {
    let rows = include_str!("../../../testdata/kubernetes/immutable.tsv");
    let mut seen = 0;
    for row in rows.lines().filter(|row| !row.starts_with(['#']) && !row.starts_with("server\t")) {
        let [server, change, spec, sent, immutable] = row.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("five columns: {row}");
        };
        let old: serde_json::Value = serde_json::from_str(spec).unwrap();
        let mut new = serde_json::json!({ "spec": old });
        patch(&mut new, &serde_json::from_str(sent).unwrap());
        let fields = changed(&job(spec), &job(&new["spec"].to_string()), server.parse().unwrap());
        let messages = fields.iter().map(|field| {
            let words = field.message.rsplit(": ").next().unwrap();
            format!("{}: {words}", field.path)
        });
        let mut messages: Vec<_> = messages.collect();
        let mut expected: Vec<_> = immutable.split("; ").filter(|text| !text.is_empty()).collect();
        messages.sort_unstable();
        expected.sort_unstable();
        assert_eq!(messages, expected, "{change} on {server}");
        seen += 1;
    }
    assert_eq!(seen, 144);
}

/// kubernetes-jobs 2.4; observed 1: values that the server considers equal.
#[test]
fn equal_values_are_no_change() {
    for (old, new) in [
        ("image: 'x:1'", "image: 'x:1', imagePullPolicy: IfNotPresent"),
        ("image: x", "image: x, imagePullPolicy: Always"),
        ("image: x", "image: x, env: [], args: null, resources: {}, stdin: false"),
        ("image: x, env: [{name: A, value: ''}]", "image: x, env: [{name: A}]"),
        (
            "image: x, resources: {requests: {cpu: 1}}",
            "image: x, resources: {requests: {cpu: 1000m}}",
        ),
        (
            "image: x, resources: {limits: {memory: 1Gi}}",
            "image: x, resources: {limits: {memory: 1024Mi}}",
        ),
        (
            "image: x, ports: [{containerPort: 80}]",
            "image: x, ports: [{containerPort: 80, protocol: TCP}]",
        ),
    ] {
        assert_eq!(paths(&template(old), &template(new)), BTreeMap::new(), "{old} → {new}");
        assert_eq!(paths(&template(new), &template(old)), BTreeMap::new(), "{new} → {old}");
    }
    for (old, new) in [
        ("{}", "{completions: 1}"),
        ("{completions: 1, parallelism: 1}", "{}"),
        (
            "{template: {}}",
            "{template: {spec: {securityContext: {}, schedulerName: default-scheduler}}}",
        ),
        ("{template: {spec: {serviceAccount: a}}}", "{template: {spec: {serviceAccountName: a}}}"),
        (
            "{template: {spec: {volumes: [{name: t, emptyDir: {}}]}}}",
            "{template: {spec: {volumes: [{name: t}]}}}",
        ),
        (
            "{template: {spec: {volumes: [{name: t, secret: {secretName: a}}]}}}",
            "{template: {spec: {volumes: [{name: t, secret: {secretName: a, defaultMode: 0644}}]}}}",
        ),
    ] {
        assert_eq!(paths(old, new), BTreeMap::new(), "{old} → {new}");
    }
}

/// `SetDefaults_Job` sets both numbers only if both are missing: `completions` removed alone stays unset in a
/// Job that has a live `parallelism`.
#[test]
fn completions_removed_alone_stay_unset() {
    let expected = BTreeMap::from([("spec.completions", vec!["spec.completions".to_owned()])]);
    assert_eq!(paths("{completions: 1}", "{}"), expected);
    assert_eq!(paths("{parallelism: 2}", "{parallelism: 2, completions: 2}"), expected);
    assert_eq!(paths("{parallelism: 2}", "{parallelism: 3}"), BTreeMap::new());
}

/// Absent differs from a pointer to zero, and defaults of Pods do not apply to templates.
#[test]
fn absent_differs_from_explicit_zero() {
    for (old, new, path) in [
        (
            "{template: {spec: {}}}",
            "{template: {spec: {enableServiceLinks: true}}}",
            "enableServiceLinks",
        ),
        (
            "{template: {spec: {}}}",
            "{template: {spec: {automountServiceAccountToken: false}}}",
            "automountServiceAccountToken",
        ),
        ("{template: {spec: {}}}", "{template: {spec: {affinity: {}}}}", "affinity"),
        ("{template: {spec: {priority: 0}}}", "{template: {spec: {}}}", "priority"),
    ] {
        let expected =
            BTreeMap::from([("spec.template", vec![format!("spec.template.spec.{path}")])]);
        assert_eq!(paths(old, new), expected);
    }
}

#[test]
fn lists_are_keyed_by_name() {
    let one =
        |old: &str, new: &str| paths(&template(old), &template(new))["spec.template"].join(" ");
    let base = r#"spec.template.spec.containers[name="c"]"#;
    assert_eq!(one("image: 'x:1'", "image: 'x:2'"), format!("{base}.image"));
    assert_eq!(
        one(
            "env: [{name: A, value: a}, {name: B, value: b}]",
            "env: [{name: C, value: c}, {name: B, value: d}]"
        ),
        [r#".env[name="A"]"#, r#".env[name="B"].value"#, r#".env[name="C"]"#]
            .map(|at| format!("{base}{at}"))
            .join(" ")
    );
    assert_eq!(
        one("env: [{name: A}, {name: B}]", "env: [{name: B}, {name: A}]"),
        format!("{base}.env")
    );
    assert_eq!(one("args: [a, b]", "args: [a, c]"), format!("{base}.args[1]"));
    assert_eq!(one("args: [a, b]", "args: [a]"), format!("{base}.args"));
    let labels = |version| {
        format!("{{template: {{metadata: {{labels: {{helm.sh/chart: shop-{version}}}}}}}}}")
    };
    let expected = r#"spec.template.metadata.labels["helm.sh/chart"]"#;
    assert_eq!(paths(&labels("1"), &labels("2"))["spec.template"], [expected]);
}

#[test]
fn rejections_have_the_message_of_the_server() {
    let fields = changed(
        &job("{completions: 1, template: {spec: {containers: [{name: c, image: a}]}}}"),
        &job("{completions: 2, template: {spec: {containers: [{name: c, image: b}]}}}"),
        Version::NEWEST,
    );
    assert_eq!(
        rejection(&fields),
        "[spec.completions: Invalid value: 2: field is immutable, \
         spec.template: Invalid value: {…}: field is immutable]"
    );
    let fields = changed(&job("{managedBy: example.com/a}"), &job("{}"), Version::NEWEST);
    assert_eq!(rejection(&fields), "spec.managedBy: Invalid value: null: field is immutable");
}

#[test]
fn older_servers_reject_new_completions_of_an_indexed_job() {
    let spec =
        |count| format!("{{completionMode: Indexed, completions: {count}, parallelism: {count}}}");
    let messages =
        |server: &str| rejection(&changed(&job(&spec(3)), &job(&spec(5)), server.parse().unwrap()));
    assert_eq!(messages("1.27"), "[]");
    assert_eq!(messages("1.26"), "spec.completions: Invalid value: 5: field is immutable");
}

/// The fields of kubernetes-jobs 2.2.
#[test]
fn mutable_and_immutable_fields_of_the_spec() {
    let plain = job("{}");
    let touched = |path: &[&str]| touched(&plain, &plain, path);
    for mutable in [
        "parallelism",
        "activeDeadlineSeconds",
        "backoffLimit",
        "maxFailedIndexes",
        "manualSelector",
        "ttlSecondsAfterFinished",
        "suspend",
        "podReplacementPolicy",
    ] {
        assert_eq!(touched(&["spec", mutable]), None, "{mutable}");
    }
    assert_eq!(touched(&["metadata", "labels", "a"]), None);
    assert_eq!(touched(&["spec", "template", "metadata", "labels"]), Some("spec.template"));
    assert_eq!(touched(&["spec", "completions"]), Some("spec.completions"));
    assert_eq!(touched(&["spec", "managedBy"]), Some("spec.managedBy"));
}

/// kubernetes-jobs 2.2: `completions`.
#[test]
fn indexed_jobs_scale_in_tandem() {
    let of = |count, pods| {
        job(&format!("{{completionMode: Indexed, completions: {count}, parallelism: {pods}}}"))
    };
    let path = ["spec", "completions"];
    assert_eq!(touched(&of(2, 2), &of(3, 3), &path), None);
    assert_eq!(touched(&of(2, 2), &of(3, 2), &path), Some("spec.completions"));
    let plain = job("{completions: 2, parallelism: 2}");
    assert_eq!(touched(&plain, &plain, &path), Some("spec.completions"));
}

/// kubernetes-jobs 2.3: scheduling directives only, which do not include pod affinity.
#[test]
fn scheduling_directives_of_suspended_jobs_are_mutable() {
    let (suspended, running) = (job("{suspend: true}"), job("{suspend: false}"));
    let labels = ["spec", "template", "metadata", "labels", "a"];
    assert_eq!(touched(&suspended, &suspended, &labels), None);
    assert_eq!(touched(&running, &suspended, &labels), Some("spec.template"));
    let affinity = ["spec", "template", "spec", "affinity", "podAffinity"];
    assert_eq!(touched(&suspended, &suspended, &affinity), Some("spec.template"));
    let image = ["spec", "template", "spec", "containers"];
    assert_eq!(touched(&suspended, &suspended, &image), Some("spec.template"));
}
