//! Control characters and workflow commands of files.

use super::secrets::{FORECASTS, FORMATS};
use crate::{
    hostile::joblint,
    support::{run, tree},
};

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: a
spec:
  template:
    spec:
      restartPolicy: Always
      containers: [{name: a, image: 'a:1'}]
";

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 0.1.0\n";

/// Characters that move the cursor, colour, reverse or hide text: (escape in double-quoted YAML, character).
const CHARACTERS: [(&str, char); 14] = [
    ("\\e", '\u{1b}'),
    ("\\a", '\u{7}'),
    ("\\r", '\r'),
    ("\\b", '\u{8}'),
    ("\\0", '\0'),
    ("\\x7f", '\u{7f}'),
    ("\\x9b", '\u{9b}'),
    ("\\N", '\u{85}'),
    ("\\u202e", '\u{202e}'),
    ("\\u2066", '\u{2066}'),
    ("\\u200b", '\u{200b}'),
    ("\\u200d", '\u{200d}'),
    ("\\ufeff", '\u{feff}'),
    ("\\u2028", '\u{2028}'),
];

/// Texts that a CI system would take as a command.
const COMMANDS: [&str; 5] = [
    "::error::pwned",
    "   ::set-output name=a::pwned",
    "##[error]pwned",
    "x ##[set-env name=A]pwned",
    "##vso[task.setvariable variable=a]pwned",
];

/// Panics if a text has a control character, or a line that a CI system takes as a command.
#[track_caller]
fn assert_safe(text: &str, about: &str, is_github: bool) {
    for (_, c) in CHARACTERS {
        let text = text.replace("\r\n", "\n");
        assert!(!text.contains(c), "{about}: {c:?} in {text:?}");
    }
    for line in text.lines() {
        let is_own = is_github
            && ["::error ", "::warning ", "::notice "].iter().any(|own| line.starts_with(own));
        assert!(is_own || !line.trim_start().starts_with("::"), "{about}: {line}");
        assert!(!line.contains("##[") && !line.contains("##vso["), "{about}: {line}");
        // A command of the format carries no other one.
        assert!(!is_own || !line.contains("%0A::") && !line.contains("%0D"), "{about}: {line}");
    }
}

/// Runs joblint in every format of every verb that takes a folder.
fn assert_safe_runs(files: &[(&str, &str)], flags: &[&str]) {
    let folder = tree(files);
    let see = |arguments: &[&str]| {
        let arguments = [arguments, flags].concat();
        let (_, stdout, stderr) = run(&mut joblint(folder.path(), &arguments));
        let about = arguments.join(" ");
        assert_safe(&stdout, &about, arguments.contains(&"github"));
        assert_safe(&stderr, &about, false);
        stdout
    };
    for format in FORMATS {
        see(&["check", ".", "--pedantic", "--output", format]);
        see(&["upgrade", ".", "--base", ".", "--output", format]);
    }
    for format in FORECASTS {
        see(&["forecast", ".", "--output", format]);
    }
    see(&["check", "--output", "full", "--color", "never", "--statistics"]);
    if flags.is_empty() {
        see(&["check", "--diff", "--unsafe-fixes"]);
        see(&["baseline"]);
    }
}

/// All characters as escapes of YAML, each before a sequence that would colour the text.
fn escapes() -> String {
    CHARACTERS.iter().map(|(escape, _)| format!("{escape}[31mx")).collect()
}

/// The characters themselves. YAML rejects documents with some of them, so that errors quote them.
fn characters() -> [String; 2] {
    let of = |is_control: bool| {
        let characters = CHARACTERS.iter().filter(|(_, c)| c.is_control() == is_control);
        characters.map(|(_, c)| format!("{c}[31mx")).collect()
    };
    [of(true), of(false)]
}

#[test]
fn names_cannot_control_the_terminal() {
    let name = format!("\"a{}\"", escapes());
    let job = JOB.replace("name: a\nspec", &format!("name: {name}\n  namespace: {name}\nspec"));
    let hook = format!(
        "apiVersion: v1\nkind: {name}\nmetadata: {{name: {name}, annotations: {{helm.sh/hook: {name}}}}}\n"
    );
    assert_safe_runs(&[("job.yaml", &job), ("hook.yaml", &hook)], &[]);
}

#[test]
fn texts_of_files_cannot_control_the_terminal() {
    for characters in characters() {
        let comment = format!("restartPolicy: Always # a{characters}");
        assert_safe_runs(&[("job.yaml", &JOB.replace("restartPolicy: Always", &comment))], &[]);
    }
    let value = JOB.replace("Always", &format!("\"Always{}\"", escapes()));
    assert_safe_runs(&[("job.yaml", &value)], &[]);
}

#[test]
fn templates_settings_and_values_cannot_control_the_terminal() {
    let chart = [("Chart.yaml", CHART), ("templates/job.yaml", JOB)];
    for characters in characters() {
        let fail = format!("{{{{ fail `a{characters}` }}}}\n");
        assert_safe_runs(&[chart[0], chart[1], ("templates/f.yaml", &fail)], &[]);
        assert_safe_runs(&chart, &["--set", &format!("a{}", characters.replace('\0', ""))]);
    }
    let settings = format!("deployer: \"a{0}\"\n\"x{0}\": 1\n", escapes());
    assert_safe_runs(&[("job.yaml", JOB), (".joblint.yaml", &settings)], &[]);
    let values = format!("\"a{}\": [\n", escapes());
    assert_safe_runs(&[chart[0], chart[1], ("values.yaml", &values)], &[]);
}

#[cfg(unix)]
#[test]
fn names_of_files_cannot_control_the_output() {
    let mut names: Vec<String> = COMMANDS.iter().map(|command| format!("a\n{command}")).collect();
    names.extend(COMMANDS.map(str::to_owned));
    names.extend(characters().map(|characters| characters.replace('\0', "")));
    let files = names.iter().flat_map(|name| {
        [
            (format!("{name}.yaml"), JOB),
            (format!("{name}/job.yaml"), JOB),
            (format!("{name}.json"), "{"),
        ]
    });
    let files: Vec<_> = files.collect();
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    assert_safe_runs(&files, &[]);
}

#[test]
fn no_line_of_a_file_is_a_workflow_command() {
    for (index, command) in COMMANDS.into_iter().enumerate() {
        // Beside a finding that has a fix.
        let near = "      restartPolicy: Always\n";
        let label = format!("      x: |\n        {command}\n{near}        {command}\n");
        let name = format!("name: \"a\\n{command}\\r\\n{command}\"\nspec");
        let jobs = [
            JOB.replace(near, &format!("# x\n{command}\n{near}")),
            JOB.replace(near, &label),
            JOB.replace("name: a\nspec", &name),
            format!("{command}\n{JOB}"),
            JOB.replace("containers:", &format!("x: |\n{command}\n{command}\n      containers:")),
        ];
        let paths = ["a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"];
        let files: Vec<_> = paths.into_iter().zip(jobs.iter().map(String::as_str)).collect();
        assert_safe_runs(&files, &[]);
        if index < 3 {
            let fail = format!("{{{{ fail \"a\\n{command}\\n{command}\" }}}}\n");
            let chart =
                [("Chart.yaml", CHART), ("templates/job.yaml", JOB), ("templates/f.yaml", &*fail)];
            assert_safe_runs(&chart, &[]);
            assert_safe_runs(&chart[..2], &["--set", &format!("a\n{command}")]);
            let settings = format!("deployer: \"a\\n{command}\"\n");
            assert_safe_runs(&[("job.yaml", JOB), (".joblint.yaml", &settings)], &[]);
        }
    }
}

/// The escapes show what is there.
#[test]
fn control_characters_are_shown_as_escapes() {
    let job = JOB.replace("Always", "\"a\\e[31mb\\u202e\" # \u{200b}x");
    let broken = format!("{JOB}# \u{9b}x\n");
    let folder = tree(&[("job.yaml", &job), ("broken.yaml", &broken)]);
    let (_, stdout, _) = run(&mut joblint(folder.path(), &["--output", "full"]));
    for escape in ["\\u{200b}x", "\\u{9b}x"] {
        assert!(stdout.contains(escape), "{escape}: {stdout}");
    }
    let named = JOB.replace("name: a\nspec", "name: \"a\\e[31mb\\u202e\"\nspec");
    let folder = tree(&[("job.yaml", &named)]);
    let (_, stdout, _) = run(&mut joblint(folder.path(), &["forecast"]));
    assert!(stdout.contains("Job a\\u{1b}[31mb\\u{202e}  job.yaml"), "{stdout}");
    let diff = tree(&[(
        "job.yaml",
        &JOB.replace("      containers", "      x: |\n ::error::x\n      containers"),
    )]);
    let (_, stdout, _) = run(&mut joblint(diff.path(), &["--diff", "--unsafe-fixes"]));
    assert!(!stdout.contains("\n ::error"), "{stdout}");
}
