//! Runs of the command under test.

use std::{
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use super::files::tree;

/// `joblint` in a folder, with an empty environment and no standard input. `JOBLINT_UNDER_TEST` names another build.
pub fn joblint(folder: &Path, arguments: &[&str]) -> Command {
    let other = std::env::var_os("JOBLINT_UNDER_TEST");
    let mut command = Command::new(other.unwrap_or(env!("CARGO_BIN_EXE_joblint").into()));
    command.args(arguments).current_dir(folder).env_clear().stdin(Stdio::null());
    command
}

/// Exit code, standard output and standard error.
pub fn run(command: &mut Command) -> (i32, String, String) {
    seen(command.output().unwrap())
}

/// The same for a command that reads `input`.
pub fn run_with_input(command: &mut Command, input: &str) -> (i32, String, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    seen(child.wait_with_output().unwrap())
}

fn seen(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The findings of a check of these files, as JSON.
pub fn findings(files: &[(&str, &str)], flags: &[&str]) -> Vec<Value> {
    let folder = tree(files);
    let arguments = [&["check", "--output", "json", "."][..], flags].concat();
    let (_, report, _) = run(&mut joblint(folder.path(), &arguments));
    let report: Value = serde_json::from_str(&report).unwrap();
    report["findings"].as_array().unwrap().clone()
}
