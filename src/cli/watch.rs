//! `joblint check --watch`: checks again whenever a file changes.

use std::{
    io::{self, IsTerminal},
    path::{Component, Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};

use notify::{Event, EventKind, RecursiveMode, Watcher};

use super::{
    Error, args::CheckArgs, check::finish, note, print, session::Session, waiting::Waiting,
};
use crate::{
    check, discover, progress::Progress, report::RedactedReport, results::Report,
    settings::Settings,
};

/// Editors write a file in several steps: a check waits until nothing has changed for this long.
const QUIET: Duration = Duration::from_millis(100);
/// Empties the terminal and what was scrolled out of it.
const CLEAR: &str = "\x1b[H\x1b[2J\x1b[3J";

/// What happens while changes are awaited.
enum Signal {
    Changed,
    Failed(notify::Error),
    Checked(Box<(Report, Settings)>),
}

/// Checks, and checks again at each change until the process is ended. A change during a check supersedes it.
pub(super) fn run(args: &CheckArgs) -> Result<ExitCode, Error> {
    if args.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Error::WatchedStdin);
    }
    let (sender, signals) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(handler(args, sender.clone()))?;
    for folder in folders(&args.paths) {
        watcher.watch(&folder, RecursiveMode::Recursive)?;
    }
    loop {
        if io::stdout().is_terminal() {
            print(CLEAR);
        }
        match Session::of_check(args) {
            Ok(session) => checked(args, session, &sender, &signals)?,
            Err(error) => error.print(),
        }
        if !args.quiet {
            note("Waiting for changes; Ctrl-C ends");
        }
        wait(&signals)?;
    }
}

/// Runs a check and prints what it finds, unless a change supersedes it. That change is then waited for no more.
fn checked(
    args: &CheckArgs,
    session: Session,
    sender: &Sender<Signal>,
    signals: &Receiver<Signal>,
) -> Result<(), Error> {
    let progress = Arc::<Progress>::clone(&session.request.progress);
    let waiting = Waiting::on(&progress, args.quiet);
    let done = sender.clone();
    let running = thread::spawn(move || {
        let report = check::check(&session.request, &session.settings);
        let _ = done.send(Signal::Checked(Box::new((report, session.settings))));
    });
    match signals.recv() {
        Ok(Signal::Checked(found)) => {
            let (report, settings) = *found;
            drop(waiting);
            finish(args, RedactedReport::new(report), &settings)?;
        }
        Ok(Signal::Failed(error)) => return Err(error.into()),
        Ok(Signal::Changed) | Err(_) => {
            progress.stop();
            let _ = running.join();
            let _ = sender.send(Signal::Changed);
        }
    }
    Ok(())
}

/// Waits for a change and for the ones that follow at once.
fn wait(signals: &Receiver<Signal>) -> Result<(), Error> {
    let mut next = signals.recv().ok();
    let mut has_changed = false;
    while let Some(signal) = next {
        match signal {
            Signal::Failed(error) => return Err(error.into()),
            Signal::Changed => has_changed = true,
            // The result of a check that a change has superseded.
            Signal::Checked(_) => {}
        }
        next = match has_changed {
            true => signals.recv_timeout(QUIET).ok(),
            false => signals.recv().ok(),
        };
    }
    Ok(())
}

/// Reports changes of files, but not of those that the run itself writes.
fn handler(args: &CheckArgs, sender: Sender<Signal>) -> impl FnMut(notify::Result<Event>) + use<> {
    let outputs =
        args.output.iter().filter_map(|output| std::path::absolute(output.path.as_ref()?).ok());
    let outputs: Vec<_> = outputs.map(|path| discover::normal(&path)).collect();
    let is_own = move |path: &PathBuf| {
        let is_temporary = || {
            path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".joblint-"))
        };
        outputs.contains(path) || is_temporary() || is_in_git(path)
    };
    move |event| {
        let signal = match event {
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => return,
            Ok(event) if !event.paths.is_empty() && event.paths.iter().all(&is_own) => return,
            Ok(_) => Signal::Changed,
            Err(error) => Signal::Failed(error),
        };
        let _ = sender.send(signal);
    }
}

fn is_in_git(path: &Path) -> bool {
    path.components().any(|part| part == Component::Normal(".git".as_ref()))
}

/// The folders to watch: the repositories of the paths, since what a file means depends on files beside it, or where
/// there is none the paths themselves.
fn folders(paths: &[PathBuf]) -> Vec<PathBuf> {
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here[..] } else { paths };
    let mut folders: Vec<PathBuf> = Vec::new();
    for path in paths {
        let path = discover::absolute(path);
        let repository = path.ancestors().find(|folder| folder.join(".git").exists());
        let own = || if path.is_dir() { &path } else { path.parent().unwrap_or(&path) };
        let folder = repository.unwrap_or_else(own).to_owned();
        if !folders.iter().any(|other| folder.starts_with(other)) {
            folders.retain(|other| !other.starts_with(&folder));
            folders.push(folder);
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_watched_once() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["a/.git", "a/chart/templates", "b"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        std::fs::write(root.path().join("b/job.yaml"), "").unwrap();
        let at = |path: &str| root.path().join(path);
        let paths = [at("a/chart/templates"), at("a/chart"), at("b/job.yaml")];
        assert_eq!(folders(&paths), [at("a"), at("b")]);
    }

    #[test]
    fn changes_inside_of_git_are_none() {
        assert!(is_in_git(Path::new("/shop/.git/index.lock")));
        assert!(!is_in_git(Path::new("/shop/.github/workflows/ci.yaml")));
    }
}
