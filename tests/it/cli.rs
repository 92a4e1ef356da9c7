//! The command line: whole output and exit codes.

use std::{fs, path::Path};

use super::support::{joblint, run, run_with_input, tree};

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  ttlSecondsAfterFinished: 600
  template:
    spec:
      restartPolicy: Always
      containers: [{name: migrate, image: 'app:1.4.2'}]
";

/// Exit code, standard output and standard error.
fn seen(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    run(&mut joblint(folder, arguments))
}

/// The same of a quiet run in the concise format.
fn quiet(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    seen(folder, &[&["-q", "--output", "concise"], arguments].concat())
}

#[track_caller]
fn assert_run(folder: &Path, arguments: &[&str], code: i32, stdout: &str, stderr: &str) {
    let arguments = [arguments, &["-q", "--output", "concise"]].concat();
    assert_eq!(seen(folder, &arguments), (code, stdout.to_owned(), stderr.to_owned()));
}

#[test]
fn findings_exit_with_1_and_point_at_the_value() {
    let folder = tree(&[("job.yaml", JOB)]);
    let line = "job.yaml:8:22: error[restart-policy-always] API server will reject Job `migrate`: \
                `restartPolicy` must be `Never` or `OnFailure`\n";
    assert_run(folder.path(), &[], 1, line, "");
    assert_run(folder.path(), &["job.yaml"], 1, line, "");
    assert_run(folder.path(), &["check", "./job.yaml"], 1, line, "");
    assert_run(folder.path(), &["--ignore", "restart-policy-always"], 0, "", "");
    assert_run(folder.path(), &["--select", "duplicate-job"], 0, "", "");
}

#[test]
fn input_that_cannot_be_checked_exits_with_2() {
    let folder =
        tree(&[("empty/readme.md", "no manifests"), ("only-comments.yaml", "# nothing\n")]);
    let root = folder.path();
    assert_run(
        root,
        &["nowhere"],
        2,
        "",
        "error: nowhere: No such file or directory (os error 2)\n",
    );
    assert_run(root, &["empty"], 2, "", "error: empty: contains no YAML or JSON files\n");
    assert_run(root, &["only-comments.yaml"], 0, "", "");
}

#[test]
fn a_broken_document_does_not_hide_the_others() {
    let text = format!("a: [1\nb: 2\n---\n{JOB}");
    let folder = tree(&[("mixed.yaml", &text)]);
    let (code, stdout, _) = quiet(folder.path(), &["mixed.yaml"]);
    assert_eq!(code, 2);
    let rules: Vec<_> = stdout.lines().filter_map(|line| line.split(['[', ']']).nth(1)).collect();
    assert_eq!(rules, ["unreadable", "restart-policy-always"]);
}

#[test]
fn files_with_the_same_content_are_checked_each() {
    let text = format!("{JOB}---\na: [1\nb: 2\n");
    let folder = tree(&[("one/job.yaml", &text), ("two/job.yaml", &text)]);
    let (code, stdout, _) = quiet(folder.path(), &["."]);
    assert_eq!(code, 2);
    let places: Vec<_> = stdout.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(places, ["one/job.yaml:8:22:", "one/job.yaml:11:4:"]);
    let (_, report, _) = seen(folder.path(), &["-q", "."]);
    assert!(report.contains("(two/job.yaml:8)"), "{report}");
    assert!(report.contains("\n  two/job.yaml:11:4: "), "{report}");
}

#[test]
fn invalid_utf_8_is_read_as_kubernetes_reads_it() {
    let folder = tree(&[]);
    let mut bytes = JOB.replace("Always", "Never").into_bytes();
    bytes.splice(21..21, *b"# \xFF\n");
    fs::write(folder.path().join("latin.yaml"), bytes).unwrap();
    assert_run(folder.path(), &["latin.yaml"], 0, "", "");
}

#[cfg(unix)]
#[test]
fn a_folder_that_contains_itself_ends() {
    let folder = tree(&[("a/job.yaml", &JOB.replace("Always", "Never"))]);
    std::os::unix::fs::symlink("..", folder.path().join("a/loop")).unwrap();
    assert_run(folder.path(), &["."], 0, "", "");
}

#[cfg(unix)]
#[test]
fn a_dangling_link_hides_no_job() {
    let folder = tree(&[]);
    let link = |target, name| std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
    link("one.yaml", "two.yaml");
    link("two.yaml", "one.yaml");
    link("nothing", "dangling.yaml");
    let loops = "error: one.yaml: Too many levels of symbolic links (os error 40)\n";
    let gone = "error: dangling.yaml: No such file or directory (os error 2)\n";
    if cfg!(target_os = "linux") {
        assert_run(folder.path(), &["one.yaml"], 2, "", loops);
        assert_run(folder.path(), &["dangling.yaml"], 2, "", gone);
    }
    // Found while walking, links in a circle are a finding: where they lead is unknown.
    let (code, text, _) = quiet(folder.path(), &[]);
    assert_eq!(code, 2);
    assert!(text.contains("two.yaml:1:1: error[unreadable]"), "{text}");
    assert!(!text.contains("dangling"), "{text}");
    for name in ["one.yaml", "two.yaml"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("job.yaml"), JOB.replace("Always", "Never")).unwrap();
    let (code, _, errors) = seen(folder.path(), &["--output", "concise"]);
    let gone = "a link to `nothing`, which does not exist";
    assert_eq!(code, 0, "{errors}");
    assert!(
        errors.contains(&format!("dangling.yaml:1: not read, but holds no Job or hook: {gone}\n")),
        "{errors}"
    );

    // Argo CD applies the whole folder, and fails at the link.
    let app = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: jobs, namespace: argocd}
spec:
  source: {repoURL: 'https://git.example.com/jobs.git', path: jobs}
  destination: {namespace: jobs, server: 'https://kubernetes.default.svc'}
";
    fs::create_dir(folder.path().join("jobs")).unwrap();
    fs::write(folder.path().join("app.yaml"), app).unwrap();
    fs::rename(folder.path().join("job.yaml"), folder.path().join("jobs/job.yaml")).unwrap();
    link("nothing", "jobs/dangling.yaml");
    let (code, text, _) = quiet(folder.path(), &[]);
    assert_eq!(code, 2);
    let found = format!("jobs/dangling.yaml:1:1: error[unreadable] cannot read this file: {gone}");
    assert!(text.contains(&found), "{text}");
}

#[cfg(unix)]
#[test]
fn links_to_devices_are_not_read() {
    let job = JOB.replace("Always", "Never");
    let chart = "apiVersion: v2\nname: one\nversion: 0.1.0\n";
    let folder = tree(&[("job.yaml", &job), ("chart/Chart.yaml", chart), ("chart/ci/none", "")]);
    for name in
        ["endless.yaml", "overlay/kustomization.yaml", ".git", "chart/ci/endless-values.yaml"]
    {
        let link = folder.path().join(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("/dev/zero", link).unwrap();
    }
    std::os::unix::fs::symlink("/dev/null", folder.path().join("empty.yaml")).unwrap();
    let (code, text, errors) = seen(folder.path(), &["--output", "concise"]);
    assert_eq!(code, 2);
    let places = ["chart/ci/endless-values.yaml:1:1: ", "endless.yaml:1:1: "];
    assert_eq!(text.lines().count(), places.len(), "{text}");
    for (line, place) in text.lines().zip(places) {
        assert!(line.starts_with(place) && line.ends_with("leads out of the repository"), "{line}");
    }
    let overlay = "error: overlay/kustomization.yaml: leads out of the repository\n";
    assert!(errors.starts_with(overlay), "{errors}");
}

#[test]
fn a_syntax_error_is_reported_where_it_is() {
    let folder = tree(&[
        ("broken.yaml", "kind: Job\na: [1\nb: 2\n"),
        ("comma.json", "{\"kind\": \"Job\",}}"),
    ]);
    let root = folder.path();
    let bracket =
        "broken.yaml:2:4: error[unreadable] cannot read this file: this `[` is never closed\n";
    assert_run(root, &["broken.yaml"], 2, bracket, "");
    let comma =
        "comma.json:1:16: error[unreadable] cannot read this file: as JSON: key must be a string\n";
    assert_run(root, &["comma.json"], 2, comma, "");
}

#[test]
fn errors_about_flags_suggest_a_correction() {
    let folder = tree(&[("job.yaml", JOB)]);
    let check = |arguments: &[&str], stderr: &str| {
        let expected = (2, String::new(), stderr.to_owned());
        assert_eq!(seen(folder.path(), arguments), expected);
    };
    let invalid = |value: &str, flag: &str, reason: &str| {
        format!(
            "error: invalid value '{value}' for '{flag}': {reason}\n\nFor more information, try '--help'.\n"
        )
    };
    let rules = |flag: &str| format!("--{flag} <RULE,…>");
    let near = "there is no such rule, did you mean `restart-policy-always`?";
    let wrong = "restart-policy-alway";
    check(&["--select", wrong], &invalid(wrong, &rules("select"), near));
    let none = "there is no such rule; `joblint rules` lists them all";
    check(&["--ignore", "nope"], &invalid("nope", &rules("ignore"), none));
    let tool = "--deployer <TOOL[:OPTION=VALUE,…]>";
    let tools =
        "unknown deployer `argo`, expected one of helm3, helm4, argocd, flux, fleet, kubectl";
    check(&["--deployer", "argo"], &invalid("argo", tool, tools));
    let options =
        "helm3 has no option `wat`, expected one of wait, waitForJobs, force, atomic, timeout";
    check(&["--deployer", "helm3:wat=1"], &invalid("helm3:wat=1", tool, options));
    let formats = "unknown format, expected one of full, concise, json, sarif, github, gitlab, junit, markdown";
    check(&["--output", "x"], &invalid("x", "--output <FORMAT[=PATH]>", formats));
    check(
        &["--nonsense"],
        "error: unexpected argument '--nonsense' found\n\n  tip: a similar argument exists: \
         '--min-confidence'\n\nUsage: joblint --min-confidence <CONFIDENCE> [PATH]...\n\nFor more information, \
         try '--help'.\n",
    );
    check(
        &["--stdin-filename", "a.yaml"],
        "error: `--stdin-filename` is the name of standard input: give `-` too\n",
    );
    check(
        &["--config", "nowhere.yaml"],
        "error: cannot be read: No such file or directory (os error 2)\n --> nowhere.yaml:1:1\n",
    );
}

/// Helm allows a thousand nested includes.
#[test]
fn templates_include_each_other_as_deep_as_with_helm() {
    let template = "{{ define \"d\" }}{{ if gt (int .) 0 }}{{ with . }}{{ include \"d\" (sub . 1) }}{{ end }}\
                    {{ else }}a: 1{{ end }}{{ end }}{{ include \"d\" 990 }}\n";
    let folder = tree(&[
        ("Chart.yaml", "apiVersion: v2\nname: deep\nversion: 0.1.0\n"),
        ("templates/a.yaml", template),
    ]);
    let printed = "---\n# Source: deep/templates/a.yaml\na: 1\n";
    assert_eq!(seen(folder.path(), &["render", "."]), (0, printed.to_owned(), String::new()));
}

#[test]
fn a_misspelt_verb_is_no_path() {
    let folder = tree(&[("job.yaml", JOB), ("forecasts/job.yaml", JOB)]);
    let error = |word: &str, near: &str| {
        format!("error: `{word}` is neither a verb nor a path, did you mean `{near}`?\n")
    };
    let check = |arguments: &[&str], stderr: String| {
        assert_eq!(seen(folder.path(), arguments), (2, String::new(), stderr));
    };
    check(&["forcast"], error("forcast", "forecast"));
    check(&["upgrad", "--base", "v1"], error("upgrad", "upgrade"));
    check(&["rule"], error("rule", "rules"));
    // A path of this name is the path.
    assert_eq!(quiet(folder.path(), &["forecasts"]).0, 1);
    let gone = "error: manifests: No such file or directory (os error 2)\n";
    assert_run(folder.path(), &["manifests"], 2, "", gone);
}

#[test]
fn completions_know_rules_formats_and_deployers() {
    let folder = tree(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let (code, script, _) = seen(folder.path(), &["completions", shell]);
        assert_eq!(code, 0);
        for word in ["restart-policy-always", "missing-ttl", "sarif", "junit", "argocd"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let (_, help, _) = seen(folder.path(), &["check", "--help"]);
    assert!(!help.contains("missing-ttl"), "the help does not list all rules");
}

#[test]
fn errors_in_settings_point_at_the_mistake() {
    let folder = tree(&[("job.yaml", JOB)]);
    let check = |settings: &str, stderr: &str| {
        fs::write(folder.path().join(".joblint.yaml"), settings).unwrap();
        assert_run(folder.path(), &[], 2, "", stderr);
    };
    check(
        "ingore: []\n",
        "error: unknown key or value `ingore`\n --> .joblint.yaml:1:1\n  |\n1 | ingore: []\n  | ^^^^^^ did you mean `ignore`?\n",
    );
    check(
        "ignore:\n  - rule: mising-ttl\n",
        "error: unknown rule `mising-ttl`\n --> .joblint.yaml:2:11\n  |\n2 |   - rule: mising-ttl\n  |           ^^^^^^^^^^ did you mean `missing-ttl`?\n",
    );
    check(
        "deployer: [argo]\n",
        "error: unknown deployer `argo`, expected one of helm3, helm4, argocd, flux, fleet, kubectl\n --> .joblint.yaml:1:12\n  |\n1 | deployer: [argo]\n  |            ^^^^\n",
    );
    check(
        "rules: {missing-ttl: {secods: 3}}\n",
        "error: `missing-ttl` has no option `secods`\n --> .joblint.yaml:1:23\n  |\n1 | rules: {missing-ttl: {secods: 3}}\n  |                       ^^^^^^ did you mean `seconds`?\n",
    );
    check(
        "require: [tll, [hook, 'ttl:x']]\n",
        "error: unknown requirement `tll`\n --> .joblint.yaml:1:11\n  |\n1 | require: [tll, [hook, 'ttl:x']]\n  |           ^^^ did you mean `ttl`?\n\
         error: `ttl` takes no key\n --> .joblint.yaml:1:23\n  |\n1 | require: [tll, [hook, 'ttl:x']]\n  |                       ^^^^^^^ write `ttl`\n",
    );
    check(
        "require: ['label:', labl:team]\n",
        "error: `label:` names no key\n --> .joblint.yaml:1:11\n  |\n1 | require: ['label:', labl:team]\n  |           ^^^^^^^^ write it as `label:team`\n\
         error: unknown requirement `labl:team`\n --> .joblint.yaml:1:21\n  |\n1 | require: ['label:', labl:team]\n  |                     ^^^^^^^^^ did you mean `label:team`?\n",
    );
    check(
        "require: [nonsense]\n",
        "error: unknown requirement `nonsense`\n --> .joblint.yaml:1:11\n  |\n1 | require: [nonsense]\n  |           ^^^^^^^^ expected one of ttl, hook, generate-name, idempotency-hint, deadline, backoff-limit, image, label:KEY, annotation:KEY\n",
    );
    check(
        "require:\n  - 'label:team=x'\n  - {ttl: {maks: 1d}}\n",
        "error: `team=x` is not a valid label key\n --> .joblint.yaml:2:5\n  |\n2 |   - 'label:team=x'\n  |     ^^^^^^^^^^^^^^ write `{label: team, pattern: '^x$'}`\n\
         error: `maks` is not a bound of `ttl`\n --> .joblint.yaml:3:12\n  |\n3 |   - {ttl: {maks: 1d}}\n  |            ^^^^ expected min or max\n",
    );
    check(
        "select: 5\n",
        "error: select: invalid type: integer `5`, expected a sequence\n --> .joblint.yaml:1:9\n  |\n1 | select: 5\n  |         ^\n",
    );
    check(
        "commands:\n  - {run: seed, verdict: destroy, why: drops}\n",
        "error: unknown key or value `destroy`\n --> .joblint.yaml:2:26\n  |\n2 |   - {run: seed, verdict: destroy, why: drops}\n  |                          ^^^^^^^ did you mean `destroys`?\n",
    );
    check(
        "extends: .joblint.yaml\n",
        "error: extends a file that extends this one\n --> .joblint.yaml:1:1\n  |\n1 | extends: .joblint.yaml\n  | ^^^^^^^\n",
    );
}

#[test]
fn settings_ignore_findings_and_unused_ignores_are_reported() {
    let ignore =
        "ignore:\n  - {rule: restart-policy-always, path: 'jobs/**', reason: shown only}\n";
    let folder = tree(&[("jobs/job.yaml", JOB), (".joblint.yaml", ignore)]);
    assert_run(folder.path(), &["."], 0, "", "");
    assert_run(folder.path(), &["jobs/job.yaml"], 0, "", "");
    fs::write(folder.path().join("jobs/job.yaml"), JOB.replace("Always", "Never")).unwrap();
    let unused = ".joblint.yaml:2:5: warning[unused-ignore] this ignore matches no finding of `restart-policy-always`\n";
    assert_run(folder.path(), &["."], 1, unused, "");
    assert_run(folder.path(), &["jobs/job.yaml"], 0, "", "");
}

/// Who misspells an ignore wants the finding to stay: the ignore is corrected, and keeps its reason.
#[test]
fn a_misspelt_ignore_is_corrected_and_its_finding_is_not_fixed() {
    let ignored = |rule: &str| {
        JOB.replace(
            "Always",
            &format!("Always # joblint: ignore[{rule}] shown as a counter-example"),
        )
    };
    let folder = tree(&[("job.yaml", &ignored("restart-policy-alway"))]);
    let arguments = ["--select", "restart-policy-always,unused-ignore", "--fix", "--unsafe-fixes"];
    assert_run(folder.path(), &arguments, 0, "", "");
    let fixed = fs::read_to_string(folder.path().join("job.yaml")).unwrap();
    assert_eq!(fixed, ignored("restart-policy-always"));
}

#[test]
fn standard_input_replaces_the_named_file() {
    let folder = tree(&[("job.yaml", &JOB.replace("Always", "Never"))]);
    let arguments = ["-q", "--output", "concise", "-", "--stdin-filename", "job.yaml"];
    let (code, stdout, _) = run_with_input(&mut joblint(folder.path(), &arguments), JOB);
    assert_eq!(code, 1);
    assert!(stdout.starts_with("job.yaml:8:22: error[restart-policy-always]"), "{stdout}");
}

/// An editor pipes its text through: what is printed takes the place of it, whatever is found.
#[test]
fn a_fix_of_standard_input_prints_the_text_and_reports_elsewhere() {
    let template = JOB.replace("name: migrate", "name: {{ .Release.Name }}");
    let chart = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
    let folder = tree(&[
        ("shop/Chart.yaml", chart),
        ("shop/values.yaml", "policy: Always\n"),
        ("shop/templates/job.yaml", &template.replace("Always", "{{ .Values.policy }}")),
    ]);
    let arguments = ["--fix", "--unsafe-fixes", "--select", "restart-policy-always"];
    let piped = |name: &str, text: &str| {
        let all = [&["-", "--stdin-filename", name], &arguments[..]].concat();
        run_with_input(&mut joblint(folder.path(), &all), text)
    };
    let fixed = template.replace("Always", "Never");
    assert_eq!(piped("shop/templates/job.yaml", &template).1, fixed);
    assert_eq!(piped("shop/values.yaml", "policy: Always # why\n").1, "policy: Never # why\n");
    // The fix would be in another file, which nobody asked for.
    let printed = template.replace("Always", "{{ .Values.policy }}");
    let (code, stdout, stderr) = piped("shop/templates/job.yaml", &printed);
    assert_eq!((code, stdout), (1, printed));
    assert!(stderr.contains("error[restart-policy-always]"), "{stderr}");
    assert_eq!(
        fs::read_to_string(folder.path().join("shop/values.yaml")).unwrap(),
        "policy: Always\n"
    );
}

#[test]
fn a_diff_of_an_absolute_path_is_a_patch_for_git() {
    let folder = tree(&[("job.yaml", JOB)]);
    let path = folder.path().canonicalize().unwrap().join("job.yaml");
    let absolute = path.to_str().unwrap();
    let arguments = ["-q", "--diff", "--unsafe-fixes", "--select", "restart-policy-always"];
    let of = |from: &Path, file: &str| seen(from, &[&arguments[..], &[file]].concat()).1;
    let below = of(folder.path(), absolute);
    assert!(below.starts_with("--- a/job.yaml\n+++ b/job.yaml\n"), "{below}");
    let outside = of(Path::new("/"), absolute);
    let header = format!("--- a{absolute}\n+++ b{absolute}\n");
    assert!(outside.starts_with(&header) || outside.starts_with("--- a/"), "{outside}");
    fs::create_dir_all(folder.path().join("shop/.git")).unwrap();
    fs::create_dir_all(folder.path().join("shop/jobs")).unwrap();
    fs::rename(&path, folder.path().join("shop/jobs/job.yaml")).unwrap();
    let aside = of(folder.path().join("shop/.git").as_path(), "../jobs/job.yaml");
    assert!(aside.starts_with("--- a/jobs/job.yaml\n+++ b/jobs/job.yaml\n"), "{aside}");
    fs::rename(folder.path().join("shop/jobs/job.yaml"), &path).unwrap();
    fs::write(folder.path().join("patch"), below).unwrap();
    let git = std::process::Command::new("git")
        .args(["apply", "patch"])
        .current_dir(folder.path())
        .status()
        .unwrap();
    assert!(git.success());
    assert_eq!(fs::read_to_string(path).unwrap(), JOB.replace("Always", "Never"));
}

#[test]
fn a_fix_keeps_json() {
    let json = |ttl: &str, policy: &str| {
        format!(
            "{{\n  \"apiVersion\": \"batch/v1\",\n  \"kind\": \"Job\",\n  \"metadata\": {{\"generateName\": \"a-\"}},\n  \
             \"spec\": {{\"{ttl}\": 600, \"template\": {{\"spec\": {{\n    {policy}\n    \"containers\": \
             [{{\"name\": \"a\", \"image\": \"a:1\"}}]}}}}}}\n}}\n"
        )
    };
    let good = json("ttlSecondsAfterFinished", "\"restartPolicy\": \"Never\",");
    for bad in [json("ttlSecondAfterFinished", "\"restartPolicy\": \"Always\","), good.clone()] {
        let folder = tree(&[("job.json", &bad)]);
        seen(folder.path(), &["-q", "--fix", "--unsafe-fixes", "job.json"]);
        assert_eq!(fs::read_to_string(folder.path().join("job.json")).unwrap(), good);
    }
}

#[test]
fn fixes_change_nothing_else_in_the_file() {
    let windows = JOB.replace('\n', "\r\n").replace("spec:\r\n  ttl", "spec: # the work\r\n  ttl");
    let folder = tree(&[("job.yaml", &windows)]);
    let path = folder.path().join("job.yaml");
    let arguments = ["-q", "--output", "concise", "--select", "restart-policy-always"];
    let with = |more: &[&'static str]| seen(folder.path(), &[&arguments[..], more].concat());
    assert_eq!(with(&["--fix"]).0, 1, "an unsafe fix needs --unsafe-fixes");
    assert_eq!(fs::read_to_string(&path).unwrap(), windows);
    let (code, diff, _) = with(&["--diff", "--unsafe-fixes"]);
    assert_eq!(code, 1);
    assert!(
        diff.contains("\n-      restartPolicy: Always\r\n+      restartPolicy: Never\r\n"),
        "{diff:?}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), windows, "--diff only shows");
    assert_eq!(with(&["--fix", "--unsafe-fixes"]).0, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), windows.replace("Always", "Never"));
}

#[test]
fn the_baseline_hides_accepted_findings() {
    let folder = tree(&[("job.yaml", JOB)]);
    let root = folder.path();
    assert_eq!(seen(root, &["baseline"]).0, 0);
    assert_run(root, &[], 0, "", "");
    let moved = format!("# moved down\n\n{JOB}");
    fs::write(root.join("job.yaml"), moved).unwrap();
    assert_run(root, &[], 0, "", "");
    fs::write(root.join("new.yaml"), JOB).unwrap();
    let (code, stdout, _) = quiet(root, &[]);
    assert_eq!((code, stdout.lines().count()), (1, 1));
    assert_eq!(quiet(root, &["--no-ignores"]).1.lines().count(), 2);
    assert_eq!(seen(root, &["baseline", "--baseline", "other.json"]).0, 0);
    assert_run(root, &["--baseline", "other.json"], 0, "", "");
}

#[test]
fn every_verb_and_rule_explains_itself() {
    let folder = tree(&[]);
    let (code, help, _) = seen(folder.path(), &["--help"]);
    assert_eq!(code, 0);
    for verb in [
        "check",
        "fix",
        "merge",
        "explain",
        "rules",
        "baseline",
        "config",
        "server",
        "doctor",
        "completions",
        "man",
    ] {
        assert!(help.contains(&format!("\n  {verb}")), "{verb} is in --help");
    }
    for rule in joblint::rules::all() {
        let (code, page, _) = seen(folder.path(), &["explain", rule.id]);
        assert_eq!(code, 0);
        assert!(
            page.starts_with(&format!("{}: ", rule.id)) && page.contains("\nWhat to do\n"),
            "{page}"
        );
    }
    let error = "The Job \"x\" is invalid: spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"";
    let (code, found, _) = seen(folder.path(), &["explain", error]);
    assert_eq!(code, 0);
    assert!(found.starts_with("restart-policy-always: "), "{found}");
    let (code, found, _) = seen(folder.path(), &["explain", "ttl"]);
    assert_eq!(code, 0);
    assert!(found.contains("\nmissing-ttl\n") && found.contains("\nttl-reruns\n"), "{found}");
    let unquoted = ["explain", "feild", "is", "imutable"];
    let quoted = ["explain", "feild is imutable"];
    assert_eq!(seen(folder.path(), &unquoted), seen(folder.path(), &quoted));
    let (code, page, _) = seen(folder.path(), &["explain", "set", "-e"]);
    assert!(code == 0 && page.starts_with("failure-hidden"), "{page}");

    let (code, _, error) = seen(folder.path(), &["explain", "quantum"]);
    assert_eq!(
        (code, error.as_str()),
        (2, "error: no rule matches `quantum`; `joblint rules` lists all of them\n")
    );
}

#[test]
fn a_kustomization_selects_the_manifests() {
    let patch =
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec: {backoffLimit: 1}\n";
    let kustomization = "resources: [job.yaml]\npatches: [{path: patch.yaml}]\n";
    let folder = tree(&[
        ("kustomization.yaml", kustomization),
        ("job.yaml", JOB),
        ("patch.yaml", patch),
        ("left-over.yaml", patch),
    ]);
    let (code, stdout, stderr) = seen(folder.path(), &["--output", "concise"]);
    assert_eq!(code, 1);
    assert_eq!(
        stdout.lines().map(|line| line.split(':').next().unwrap()).collect::<Vec<_>>(),
        ["job.yaml"]
    );
    assert!(
        stderr.contains("1 file beside a kustomization that does not list them: not checked"),
        "{stderr}"
    );
    let (_, stdout, _) = quiet(folder.path(), &["patch.yaml"]);
    assert_eq!(stdout, "", "a patch is half an object, named or not");
}

/// What a Job does with a mounted script is the same wherever in the folder the ConfigMap stands, if it is the only one.
#[test]
fn a_config_map_in_another_file_of_the_folder_is_mounted() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: sql}\ndata:\n  init.sql: |\n    DROP TABLE IF EXISTS orders;\n    \
               CREATE TABLE orders (id int);\n";
    let hook = "metadata: {name: migrate, annotations: {argocd.argoproj.io/hook: PostSync}}";
    let job = JOB.replace("metadata: {name: migrate}", hook);
    let job = job.replace("restartPolicy: Always", "restartPolicy: Never\n      volumes: [{name: sql, configMap: {name: sql}}]").replace(
        "image: 'app:1.4.2'",
        "image: 'postgres:17', command: [psql, -v, ON_ERROR_STOP=1, -f, /sql/init.sql], volumeMounts: [{name: sql, mountPath: /sql}]",
    );
    let rules = |files: &[(&str, &str)]| {
        let (_, stdout, _) = quiet(tree(files).path(), &[]);
        let ids =
            stdout.lines().filter_map(|line| line.split(['[', ']']).nth(1).map(str::to_owned));
        ids.collect::<Vec<_>>()
    };
    let one = rules(&[("job.yaml", &format!("{job}---\n{map}"))]);
    assert!(one.iter().any(|id| id == "destroys-data"), "{one:?}");
    assert_eq!(rules(&[("job.yaml", &job), ("sql.yaml", map)]), one);
    let other = map.replace("DROP", "CREATE");
    let two = rules(&[("job.yaml", &job), ("sql.yaml", map), ("test.yaml", &other)]);
    assert!(!two.iter().any(|id| id == "destroys-data"), "either may be applied: {two:?}");
}

/// What a test tool applies is often wrong on purpose.
/// A parameter without a value is unknown, and so is what `${{NAME}}` stands for.
#[test]
fn the_objects_of_an_openshift_template_are_checked() {
    let template = "apiVersion: template.openshift.io/v1
kind: Template
metadata: {name: report}
objects:
  - apiVersion: batch/v1beta1
    kind: CronJob
    metadata: {name: '${NAME}-${ZONE}'}
    spec:
      schedule: '${SCHEDULE}'
      successfulJobsHistoryLimit: ${{HISTORY}}
      jobTemplate:
        spec:
          backoffLimit: ${{RETRIES}}
          template:
            spec:
              restartPolicy: ${POLICY}
              containers: [{name: '${CONTAINER}', image: 'app:${TAG}'}]
parameters:
  - {name: NAME, value: report}
  - {name: ZONE, required: true}
  - {name: SCHEDULE, value: never}
  - {name: HISTORY, value: '3'}
";
    let check = |files: &[(&str, &str)]| {
        let folder = tree(files);
        run(&mut joblint(folder.path(), &["check", "-q", "--output", "concise", "."])).1
    };
    let found = check(&[("cron.yaml", template)]);
    let expected = "cron.yaml:5:17: warning[removed-api-version] CronJob `report-${ZONE}` cannot be created: \
                    Kubernetes 1.25 removed `batch/v1beta1`";
    assert!(found.starts_with(expected) && found.lines().count() == 1, "{found}");
    // A kustomization applies the Template itself.
    let kustomization = ("kustomization.yaml", "resources: [cron.yaml]\n");
    assert_eq!(check(&[kustomization, ("cron.yaml", template)]), "");
}

#[test]
fn a_chart_whose_chart_yaml_is_made_by_another_tool_is_noted() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: {{ .Release.Name }}}\n";
    let note = |files: &[(&str, &str)]| {
        let (code, _, stderr) = run(&mut joblint(tree(files).path(), &["check", "."]));
        assert_eq!(code, 0, "{stderr}");
        stderr.lines().next().unwrap_or_default().to_owned()
    };
    let made = ("app/Chart.yaml.in", "apiVersion: v2\nname: shop\nversion: @VERSION@\n");
    let expected =
        "note: the chart of `app/Chart.yaml.in`, which another tool fills in: not checked";
    assert_eq!(note(&[made, ("app/templates/job.yaml", job)]), expected);
    let filled = ("shop/Chart.yaml", "apiVersion: v2\nname: {{ cookiecutter.name }}\n");
    let two = [made, ("app/templates/job.yaml", job), filled, ("shop/templates/job.yaml", job)];
    let expected = "note: 2 charts, such as that of `app/Chart.yaml.in`, which another tool fills in: not checked";
    assert_eq!(note(&two), expected);
    let named = ("shop/Chart.yaml", "apiVersion: v2\nname: __NAME__\nversion: 0.1.0\n");
    let expected = "note: the chart of `shop/Chart.yaml`, which another tool fills in: not checked";
    assert_eq!(note(&[named, ("shop/templates/job.yaml", job)]), expected);
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n";
    let idle = note(&[made, ("app/templates/config.yaml", config)]);
    assert!(!idle.contains("not checked"), "{idle}");
}

/// `helm create --starter` replaces the name, and leaves the templates what they are.
#[test]
fn a_starter_of_helm_is_checked() {
    let chart = ("shop/Chart.yaml", "apiVersion: v2\nname: <CHARTNAME>\nversion: 0.1.0\n");
    let job = JOB.replace("restartPolicy: Never", "restartPolicy: Always");
    let job = job.replace("kind: Job", "kind: Job # {{ include \"<CHARTNAME>.name\" . }}");
    let name = ("shop/templates/_name.tpl", "{{ define \"<CHARTNAME>.name\" }}a{{ end }}");
    let folder = tree(&[chart, name, ("shop/templates/job.yaml", &job)]);
    let (_, stdout, _) = seen(folder.path(), &["--select", "restart-policy-always"]);
    assert!(stdout.contains("[restart-policy-always]"), "{stdout}");
}

#[test]
fn the_files_of_a_test_are_not_checked() {
    let job = JOB.replace("restartPolicy: Never", "restartPolicy: Always");
    for (test, checked) in [("kyverno-test.yaml", 0), ("chainsaw-test.yaml", 0), ("test.yaml", 1)] {
        let test = format!("policy/.checks/{test}");
        let folder = tree(&[(&*test, "kind: Test\n"), ("policy/.checks/bad.yaml", &job)]);
        let (_, stdout, stderr) = seen(folder.path(), &["--select", "restart-policy-always"]);
        assert_eq!(stdout.matches("[restart-policy-always]").count(), checked, "{stdout}");
        let note = "2 files of Chainsaw's and Kyverno's tests: not checked";
        assert_eq!(stderr.contains(note), checked == 0, "{stderr}");
        let (_, stdout, _) = quiet(folder.path(), &["policy/.checks/bad.yaml"]);
        assert!(stdout.contains("[restart-policy-always]"), "a named file is checked: {stdout}");
    }
}

/// What `kustomize build` 5.8.1 prints.
#[test]
fn render_builds_a_kustomization() {
    let folder = tree(&[
        (".git/config", ""),
        ("base/kustomization.yaml", "resources: [account.yaml]\n"),
        ("base/account.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: runner}\n"),
        ("prod/kustomization.yaml", "bases: [../base]\nnamePrefix: prod-\n"),
    ]);
    let printed = "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: prod-runner\n";
    let warning = "# Warning: 'bases' is deprecated. Please use 'resources' instead. \
                   Run 'kustomize edit fix' to update your Kustomization automatically.";
    let (code, stdout, stderr) = seen(folder.path(), &["render", "prod"]);
    assert_eq!((code, &*stdout), (0, printed));
    assert!(stderr.contains(warning), "{stderr}");

    let (code, stdout, _) = seen(folder.path(), &["render", "prod", "--origin"]);
    assert_eq!(code, 0);
    let name = "  name: prod-runner  # base/account.yaml:3, prod/kustomization.yaml:2\n";
    assert!(stdout.ends_with(name), "{stdout}");

    let (code, stdout, stderr) =
        seen(folder.path(), &["render", "prod/../base/../prod", "--origin=json"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("\"through\": [\n          \"prod/kustomization.yaml:1\",\n          \"base/kustomization.yaml:1\""), "{stdout}");
}
