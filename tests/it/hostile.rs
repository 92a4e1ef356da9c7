//! joblint run as in a CI container on the branch of a stranger. Each test builds an attack, runs the command and asserts
//! the exit code, what was written outside, and what was said. Every run has 1 GiB of memory and 20 seconds of processor time.

#![cfg(unix)]

mod limits;
mod printing;
mod reading;
mod writing;

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;
use walkdir::WalkDir;

use super::support::{self, run, write};

/// A Job with a finding that `--fix --unsafe-fixes` repairs.
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

/// What no attack may print, in files outside of the repository.
const SECRET: &str = "hunter2-canary";

const OUTSIDE: &str = "leads out of the repository";

/// The memory of a run, in KiB.
const MEMORY: u64 = 1 << 20;
/// The processor time of a run, in seconds: on a busy machine, the clock would measure the other programs.
const SECONDS: u64 = 20;

/// `joblint` in a folder with little memory and time.
fn joblint(folder: &Path, arguments: &[&str]) -> Command {
    let program = support::joblint(folder, arguments);
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -v {MEMORY}; ulimit -t {SECONDS}; exec \"$0\" \"$@\""));
    command.arg(program.get_program()).args(arguments);
    // Every thread reserves address space, which the limit counts.
    command.env_clear().env("RAYON_NUM_THREADS", "2").env("MALLOC_ARENA_MAX", "2");
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// A checkout beside files of the user.
struct World {
    folder: TempDir,
}

impl World {
    /// A repository with these files, and `outside/secret.yaml` beside it.
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let world = Self { folder };
        write(&world.repo(), files);
        write(&world.repo(), &[(".git/config", "[core]\n\ttoken = hunter2-canary\n")]);
        write(&world.outside(), &[("secret.yaml", &format!("password: {SECRET}\n"))]);
        world
    }

    fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    /// A link in the repository.
    fn link(&self, target: impl AsRef<Path>, name: &str) {
        let link = self.repo().join(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
    }

    fn pipe(&self, name: &str) {
        assert!(Command::new("mkfifo").arg(self.repo().join(name)).status().unwrap().success());
    }

    /// Exit code, standard output and standard error of a run in the repository, which must not disclose anything.
    #[track_caller]
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let seen = run(joblint(&self.repo(), arguments).env("CANARY", SECRET));
        let said = format!("{}{}", seen.1, seen.2);
        assert!(!said.contains(SECRET), "discloses the secret:\n{said}");
        seen
    }

    /// A run whose exit code and one line of output are known.
    #[track_caller]
    fn says(&self, arguments: &[&str], code: i32, line: &str) {
        let (found, stdout, stderr) = self.run(arguments);
        let said = format!("{stdout}{stderr}");
        let count = said.lines().filter(|own| own.contains(line)).count();
        assert_eq!((found, count), (code, 1), "{line}\nin\n{said}");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.repo().join(name)).unwrap()
    }

    /// The names in the folder of the repository and beside it that joblint may have left behind.
    fn left_behind(&self) -> Vec<PathBuf> {
        let folders = [self.repo(), self.outside(), self.folder.path().to_owned()];
        let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.to_string_lossy().contains("joblint-")).collect()
    }
}

#[test]
fn every_promise_names_tests_that_exist() {
    let files = ["tests", "src", "crates"].into_iter().flat_map(WalkDir::new).map(Result::unwrap);
    let sources = files.filter(|file| file.path().extension().is_some_and(|end| end == "rs"));
    let tests: String = sources.map(|file| fs::read_to_string(file.path()).unwrap()).collect();
    let text = fs::read_to_string("SECURITY.md").unwrap();
    let promises = text.lines().filter_map(|line| line.strip_prefix("| ")?.rsplit_once(" | "));
    let mut count = 0;
    for (promise, names) in promises.filter(|(_, names)| names.starts_with('`')) {
        let names = names.split('`').skip(1).step_by(2);
        let tests_of = names.filter(|name| name.contains(['_', ':']));
        for name in tests_of.map(|name| name.rsplit("::").next().unwrap()) {
            assert!(tests.contains(&format!("fn {name}()")), "no test `{name}`: {promise}");
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}
