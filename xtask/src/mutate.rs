//! `cargo xtask mutate`: looks for panics, hangs and printed secrets with randomly changed input.

mod charts;
mod manifests;
mod outputs;
mod repositories;
mod text;

use std::{
    panic::{self, UnwindSafe},
    path::PathBuf,
    process::ExitCode,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// A case that takes longer is a failure.
const SLOW: Duration = Duration::from_secs(5);
/// A case that takes longer aborts the program.
const HANGING: Duration = Duration::from_secs(60);

/// The running case and its start.
static AT_WORK: Mutex<Option<(u64, Instant)>> = Mutex::new(None);

/// Look for panics, hangs and printed secrets with randomly changed input.
///
/// The same seed gives the same cases. Input that fails is written to the temporary folder.
#[derive(clap::Args)]
pub struct Arguments {
    /// What to change: manifests and repositories (charts, kustomizations, GitOps objects, settings) are checked,
    /// scripts analysed, charts rendered
    what: What,
    /// Seed of the random changes
    #[arg(default_value_t = 1)]
    seed: u64,
    /// Number of cases
    #[arg(default_value_t = 300_000)]
    count: u64,
    /// Files or folders to start from [default: the project's own test data]
    paths: Vec<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    Manifests,
    Scripts,
    Charts,
    Repositories,
}

impl What {
    /// Folders with test data to start from.
    fn folders(self) -> &'static [&'static str] {
        match self {
            What::Manifests => &["testdata", "rules", "crates/yaml-spans/testdata"],
            What::Scripts => &["crates/shell-effects/testdata/scripts"],
            What::Charts => &["testdata/charts"],
            What::Repositories => {
                &["testdata/charts", "crates/kustomize-build/testdata/cases", "fuzz/seeds"]
            }
        }
    }
}

pub fn run(arguments: &Arguments) -> crate::Outcome {
    let Arguments { what, seed, count, paths } = arguments;
    let paths = match paths.is_empty() {
        true => what.folders().iter().map(|folder| crate::own(folder)).collect(),
        false => paths.clone(),
    };
    std::thread::spawn(watch);
    let failures = match what {
        What::Manifests => manifests::run(*seed, *count, &paths),
        What::Scripts => manifests::run_scripts(*seed, *count, &paths),
        What::Charts => charts::run(*seed, *count, &paths),
        What::Repositories => repositories::run(*seed, *count, &paths),
    };
    let failures = failures.ok_or("found nothing to start from")?;
    println!("{count} cases, {failures} failures");
    Ok(ExitCode::from(u8::from(failures > 0)))
}

/// Aborts the program when a case hangs.
fn watch() {
    loop {
        std::thread::sleep(SLOW);
        let at_work = *AT_WORK.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((number, start)) = at_work
            && start.elapsed() > HANGING
        {
            println!("case {number} hangs");
            std::process::abort();
        }
    }
}

/// Runs a case and returns what went wrong.
fn attempt(number: u64, case: impl FnOnce() + UnwindSafe) -> Option<String> {
    let start = Instant::now();
    *AT_WORK.lock().unwrap_or_else(PoisonError::into_inner) = Some((number, start));
    let result = panic::catch_unwind(case);
    let took = start.elapsed();
    match result {
        Err(cause) => Some(message(&*cause).to_owned()),
        Ok(()) if took > SLOW => Some(format!("took {took:?}")),
        Ok(()) => None,
    }
}

fn message(cause: &(dyn std::any::Any + Send)) -> &str {
    let owned = cause.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}
