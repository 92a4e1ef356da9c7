//! Looks for panics and hangs with mutated input: `mutate manifests|scripts|charts SEED COUNT [PATH…]`.
//!
//! Manifests are checked, scripts analysed, charts rendered. PATHs are manifests, charts or folders of them; without any
//! it takes the project's own test data. The same seed gives the same cases. What panics, or takes too long,
//! is written to the temporary folder, and the exit status is 1.

mod charts;
mod manifests;
mod text;

use std::{
    env,
    io::{self, Write},
    panic::{self, UnwindSafe},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// A case that takes longer has a loop or an exponent in it.
const SLOW: Duration = Duration::from_secs(5);
/// A case that takes longer is not waited for.
const HANGING: Duration = Duration::from_secs(60);

/// The case at work, and since when.
static AT_WORK: Mutex<Option<(u64, Instant)>> = Mutex::new(None);

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<u64>().ok());
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let given: Vec<PathBuf> = arguments.iter().skip(3).map(PathBuf::from).collect();
    let paths = |folders: &[&str]| match given.is_empty() {
        true => folders.iter().map(|folder| own.join(folder)).collect(),
        false => given.clone(),
    };
    let (Some(what), Some(seed), Some(count)) = (arguments.first(), number(1), number(2)) else {
        return usage();
    };
    std::thread::spawn(watch);
    let failures = match &**what {
        "manifests" => manifests::run(seed, count, &paths(&["testdata", "rules"])),
        "scripts" => manifests::run_scripts(seed, count, &paths(&["testdata/scripts"])),
        "charts" => charts::run(seed, count, &paths(&["testdata/charts"])),
        _ => return usage(),
    };
    match failures {
        Some(failures) => {
            let _ = writeln!(io::stdout(), "{count} cases, {failures} failures");
            ExitCode::from(u8::from(failures > 0))
        }
        None => {
            let _ = writeln!(io::stderr(), "mutate: nothing to start from");
            ExitCode::from(2)
        }
    }
}

fn usage() -> ExitCode {
    let _ = writeln!(io::stderr(), "usage: mutate manifests|scripts|charts SEED COUNT [PATH…]");
    ExitCode::from(2)
}

/// Ends the program when a case does not end.
fn watch() {
    loop {
        std::thread::sleep(SLOW);
        let at_work = *AT_WORK.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((number, start)) = at_work
            && start.elapsed() > HANGING
        {
            let _ = writeln!(io::stdout(), "case {number} hangs");
            std::process::abort();
        }
    }
}

/// Runs a case; what went wrong, if anything did.
fn attempt(number: u64, case: impl FnOnce() + UnwindSafe) -> Option<String> {
    let start = Instant::now();
    *AT_WORK.lock().unwrap_or_else(PoisonError::into_inner) = Some((number, start));
    let result = panic::catch_unwind(case);
    let took = start.elapsed();
    match result {
        Err(cause) => Some(words(&*cause).to_owned()),
        Ok(()) if took > SLOW => Some(format!("took {took:?}")),
        Ok(()) => None,
    }
}

fn words(cause: &(dyn std::any::Any + Send)) -> &str {
    let owned = cause.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("a panic without words")
}
