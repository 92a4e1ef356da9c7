//! A canary for every way in, in every format and on every stream.

use std::path::Path;

use super::ways::{CHART, JOB, TEMPLATE, failing, ways};
use crate::{
    hostile::joblint,
    support::{run, tree},
};

/// The formats of `check` and `upgrade`.
pub(super) const FORMATS: [&str; 8] =
    ["full", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"];
/// The formats of `forecast`.
pub(super) const FORECASTS: [&str; 4] = ["table", "json", "markdown", "html"];

/// The secret of all cases. Its name says that it is one only to people.
const CANARY: &str = "Kanarie7Vogel";
/// The canary as Helm's `lower` prints it, for names of objects.
const LOWER: &str = "kanarie7vogel";
/// Its base64, as in the data of a Secret.
const BASE64: &str = "S2FuYXJpZTdWb2dlbA==";
/// The part of its base64 that is the same wherever it is in a longer text: alone, after one and after two bytes.
const CORES: [&str; 3] = ["s2fuyxjpztdwb2dlb", "thbmfyawu3vm9nzw", "lyw5hcmllN1ZvZ2Vs"];

/// Panics if the canary is in a text in any form.
#[track_caller]
fn assert_clean(text: &str, about: &str) {
    let lower = text.to_lowercase();
    let forms = [LOWER].into_iter().chain(CORES);
    for form in forms {
        let leak = lower.lines().find(|line| line.contains(&form.to_lowercase()));
        assert_eq!(leak, None, "{about}: {form}");
    }
}

/// Runs joblint and checks both streams. Returns their text.
#[track_caller]
fn clean_run(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let mut command = joblint(folder, arguments);
    let (_, stdout, stderr) = run(command.envs(environment.iter().copied()));
    let about = arguments.join(" ");
    assert_clean(&stdout, &format!("{about}: standard output"));
    assert_clean(&stderr, &format!("{about}: standard error"));
    stdout + &stderr
}

fn folder(files: &[(&'static str, String)]) -> tempfile::TempDir {
    let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    tree(&files)
}

#[test]
fn the_canary_has_these_forms() {
    assert_eq!(data_encoding::BASE64.encode(CANARY.as_bytes()), BASE64);
    for (before, core) in ["", "x", "xy"].into_iter().zip(CORES) {
        let text = data_encoding::BASE64.encode(format!("{before}{CANARY}:z").as_bytes());
        assert!(text.to_lowercase().contains(&core.to_lowercase()), "{text}");
    }
}

/// Without masking, each case prints the canary: `shown` has `***` in its place.
#[test]
fn no_way_in_leads_to_an_output() {
    for way in ways() {
        let folder = folder(&way.files);
        let of_format = |format| [&[".", "--pedantic", "--output", format], way.flags].concat();
        for format in FORMATS {
            let seen = clean_run(folder.path(), &of_format(format), &[]);
            let shown =
                if format == "json" { way.shown.replace('"', "\\\"") } else { way.shown.into() };
            let tells = matches!(format, "full" | "json");
            assert!(!tells || seen.contains(&shown), "{}, {format}: {seen}", way.name);
        }
        for format in FORECASTS {
            let arguments = [&["forecast", ".", "--output", format], way.flags].concat();
            clean_run(folder.path(), &arguments, &[]);
        }
        if way.flags.is_empty() {
            clean_run(folder.path(), &["--diff", "--unsafe-fixes"], &[]);
            clean_run(folder.path(), &["baseline"], &[]);
        }
    }
}

#[test]
fn the_environment_is_printed_by_nothing() {
    let job = tree(&[("job.yaml", JOB)]);
    for environment in
        [("DEPLOY_TOKEN", CANARY), ("DATABASE_URL", "postgres://root:Kanarie7Vogel@db/x")]
    {
        for format in FORMATS {
            let seen = clean_run(job.path(), &["--output", format], &[environment]);
            assert!(
                seen.contains("***")
                    || format == "sarif"
                    || format == "github"
                    || format == "gitlab",
                "{format}: {seen}"
            );
        }
        for format in FORECASTS {
            let seen = clean_run(job.path(), &["forecast", "--output", format], &[environment]);
            assert!(seen.contains("init-***") || format == "markdown", "{format}: {seen}");
        }
        clean_run(job.path(), &["--diff", "--unsafe-fixes"], &[environment]);
        clean_run(job.path(), &["--config", "Kanarie7Vogel.yaml"], &[environment]);
        clean_run(job.path(), &["nowhere/Kanarie7Vogel"], &[environment]);
    }
    let settings = tree(&[(".joblint.yaml", "deployer: Kanarie7Vogel\nunknown: Kanarie7Vogel\n")]);
    let seen = clean_run(settings.path(), &[], &[("DEPLOY_TOKEN", CANARY)]);
    assert!(seen.contains("***"), "{seen}");
}

#[test]
fn an_upgrade_prints_neither_the_old_nor_the_new_secret() {
    let values = "x: {password: Kanarie7Vogel}\n";
    let old_values = "x: {password: OldSecretPass}\n";
    let version = CHART.replace("0.1.0", "0.2.0");
    let own =
        [("Chart.yaml", &*version), ("values.yaml", values), ("templates/job.yaml", TEMPLATE)];
    let old = [
        ("old/Chart.yaml", CHART),
        ("old/values.yaml", old_values),
        ("old/templates/job.yaml", TEMPLATE),
    ];
    let new = own.map(|(path, text)| (format!("new/{path}"), text));
    let files: Vec<_> = new.iter().map(|(path, text)| (path.as_str(), *text)).chain(old).collect();
    let folder = tree(&files);
    for format in FORMATS {
        let arguments = ["upgrade", "new", "--base", "./old", "--output", format];
        let seen = clean_run(folder.path(), &arguments, &[]);
        assert!(!seen.to_lowercase().contains("oldsecretpass"), "{format}: {seen}");
        let tells = matches!(format, "full" | "json" | "markdown");
        assert!(!tells || seen.contains("init-0.2.0-***"), "{format}: {seen}");
    }
    // A version that does not render tells why, without the value.
    let failing = tree(&files);
    let path = failing.path().join("new/templates/fail.yaml");
    std::fs::write(path, "{{ fail .Values.x.password }}\n").unwrap();
    for format in FORMATS {
        let arguments = ["upgrade", "new", "--base", "./old", "--output", format];
        let seen = clean_run(failing.path(), &arguments, &[]);
        assert!(seen.contains("***"), "{format}: {seen}");
    }
}

/// `render` prints the manifests that were asked for, but its errors hide what they hold.
#[test]
fn standard_error_of_render_hides_values() {
    let fail = "{{ fail (printf \"bad %s\" .Values.x.password) }}\n";
    let folder = folder(&failing(fail));
    let (code, stdout, stderr) = run(&mut joblint(folder.path(), &["render", "."]));
    assert_eq!((code, &*stdout), (2, ""));
    assert_clean(&stderr, "render");
    assert!(stderr.contains("bad ***"), "{stderr}");
    let flags = ["render", ".", "--set", "x.password=Kanarie7Vogel,Kanarie7Vogel"];
    let (_, stdout, stderr) = run(&mut joblint(folder.path(), &flags));
    assert_clean(&(stdout + &stderr), "render --set");
    assert!(stderr.contains("***"), "{stderr}");
}

/// A password that everybody uses, or that is a word of the output, must not make the output unreadable.
#[test]
fn short_and_common_values_do_not_garble_the_output() {
    let values = "a: {password: 'true'}\nb: {password: '1'}\nc: {password: job}\nd: {password: postgres}\n\
                  e: {password: restart}\nf: {password: '5432'}\n";
    let job = JOB.replace("kanarie7vogel", "postgres-1").replace("Kanarie7Vogel", "1-true-5432");
    let chart = |values| {
        tree(&[("Chart.yaml", CHART), ("values.yaml", values), ("templates/job.yaml", &*job)])
    };
    for format in FORMATS {
        let see = |values| run(&mut joblint(chart(values).path(), &["--output", format]));
        assert_eq!(see(values), see("a: 1\n"), "{format}");
    }
}

/// A value that is an ordinary word is masked where it is a value, not where it is a key or a field.
#[test]
fn a_value_that_is_an_ordinary_word_masks_no_keys_and_no_fields() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData:\n  a: sesame\n  b: name\n  \
                  c: mountPath\n  d: image\n";
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\nspec:\n  template:\n    spec:\n      \
               sesame: 1\n      note: sesame\n      containers:\n      - image: app:1\n        mountPath: x\n        \
               volumeMounts: [{nam: a}]\n";
    let folder = tree(&[("secret.yaml", secret), ("job.yaml", job)]);
    let (_, stdout, _) = run(&mut joblint(folder.path(), &["--select", "unknown-field"]));
    for shown in ["`spec.template.spec.sesame`", "mountPath`", "`name`", "- image: app:1"] {
        assert!(stdout.contains(shown), "{shown}: {stdout}");
    }
    assert!(stdout.contains("note: ******"), "{stdout}");
    assert!(!stdout.contains("note: sesame"), "{stdout}");
}

/// `druid` is the password of the chart `druid`, and no secret in `druid-tasks-exporter`.
#[test]
fn a_password_that_is_the_name_of_the_chart_masks_no_names() {
    let values = "x: {password: druid}\n";
    let fail = "{{ fail \"druid-tasks-exporter: see druid\" }}\n";
    let chart = CHART.replace("shop", "druid");
    let folder =
        tree(&[("Chart.yaml", &*chart), ("values.yaml", values), ("templates/fail.yaml", fail)]);
    let (code, _, stderr) = run(&mut joblint(folder.path(), &["render", "."]));
    assert_eq!(code, 2);
    assert!(stderr.contains("druid-tasks-exporter: see druid"), "{stderr}");
}

/// A Secret's name under a key named `secrets` is no secret in the name of a Job.
#[test]
fn names_of_objects_are_shown() {
    let values = "secrets: {keyring: shop-keyring}\n";
    let job = JOB.replace("kanarie7vogel", "shop-keyring-generator");
    let folder =
        tree(&[("Chart.yaml", CHART), ("values.yaml", values), ("templates/job.yaml", &*job)]);
    let (_, stdout, _) = run(&mut joblint(folder.path(), &["--output", "concise"]));
    assert!(stdout.contains("shop-keyring-generator"), "{stdout}");
}

/// The name of a release, which its values hold under the key `token` too, is no secret in a note.
#[test]
fn names_of_gitops_objects_are_shown_in_notes() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: cluster-runner}\n\
                   spec:\n  chart: {spec: {chart: runner, sourceRef: {kind: HelmRepository, name: shop}}}\n  \
                   values: {auth: {token: cluster-runner}}\n";
    let folder = tree(&[("release.yaml", release)]);
    let (_, _, stderr) = run(&mut joblint(folder.path(), &[]));
    assert!(stderr.contains("HelmRelease `cluster-runner`"), "{stderr}");
}
