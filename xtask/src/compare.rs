//! `cargo xtask compare`: compares two builds of joblint over a corpus of repositories.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

use rayon::prelude::*;
use similar::TextDiff;

/// Run two builds over a corpus and keep what they print differently.
///
/// Each folder directly below CORPUS is a repository: it is checked and forecast, and each of its charts is rendered.
/// Exit codes, standard output and standard error are compared.
#[derive(clap::Args)]
pub struct Arguments {
    /// The old `joblint`
    old: PathBuf,
    /// The new `joblint`
    new: PathBuf,
    /// Folder of repositories
    corpus: PathBuf,
    /// Empty or new folder for `differences.tsv` and a diff per difference
    out: PathBuf,
    /// Seconds after which a run is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u64,
}

/// A folder and the arguments to run there.
struct Case {
    folder: PathBuf,
    arguments: Vec<String>,
}

/// What one build did.
struct Run {
    /// `None` when a signal or the timeout ended it.
    code: Option<i32>,
    stdout: String,
    stderr: String,
    took: Duration,
}

pub fn run(arguments: &Arguments) -> crate::Outcome {
    let programs = [&arguments.old, &arguments.new].map(fs::canonicalize);
    let [old, new] = programs.map(|path| path.map_err(|error| format!("build: {error}")));
    let (old, new) = (old?, new?);
    fs::create_dir_all(&arguments.out)?;
    if fs::read_dir(&arguments.out)?.next().is_some() {
        return Err(format!("{} is not empty", arguments.out.display()).into());
    }
    let cases = cases(&arguments.corpus)?;
    if cases.is_empty() {
        return Err(format!("{} holds no folders", arguments.corpus.display()).into());
    }
    let timeout = Duration::from_secs(arguments.timeout);
    let compared: io::Result<Vec<_>> = cases
        .par_iter()
        .map(|case| Ok((case, case.run(&old, timeout)?, case.run(&new, timeout)?)))
        .collect();
    report(&compared?, &arguments.out)
}

/// Writes the differences and prints a summary.
fn report(compared: &[(&Case, Run, Run)], out: &Path) -> crate::Outcome {
    let mut table = "# diff\tfolder\targuments\told exit code\tnew exit code\n".to_owned();
    let mut count = 0;
    for (case, old, new) in compared.iter().filter(|(_, old, new)| old.text() != new.text()) {
        count += 1;
        let name = format!("{count:05}.diff");
        let diff = TextDiff::from_lines(old.text(), new.text()).unified_diff().to_string();
        fs::write(out.join(&name), diff)?;
        let (folder, arguments) = (case.folder.display(), case.arguments.join(" "));
        let (old, new) = (old.ending(), new.ending());
        table += &format!("{name}\t{folder}\t{arguments}\t{old}\t{new}\n");
    }
    fs::write(out.join("differences.tsv"), table)?;
    let seconds = |took: fn(&(&Case, Run, Run)) -> Duration| {
        compared.iter().map(took).sum::<Duration>().as_secs_f64()
    };
    let (old, new) = (seconds(|case| case.1.took), seconds(|case| case.2.took));
    println!("{} runs, {count} differences; old {old:.1} s, new {new:.1} s", compared.len());
    Ok(ExitCode::from(u8::from(count > 0)))
}

/// Two cases for each repository and one for each chart, in the order of their paths.
fn cases(corpus: &Path) -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for repository in folders(&corpus.canonicalize()?)? {
        for verb in ["check", "forecast"] {
            let arguments = [verb, "-q", "--output", "json", "."].map(str::to_owned).into();
            cases.push(Case { folder: repository.clone(), arguments });
        }
        add_charts(&repository, &repository, &mut cases)?;
    }
    Ok(cases)
}

fn add_charts(repository: &Path, folder: &Path, cases: &mut Vec<Case>) -> io::Result<()> {
    if folder.join("Chart.yaml").is_file() {
        let chart = folder.strip_prefix(repository).unwrap_or(folder);
        let chart = Path::new(".").join(chart).to_string_lossy().into_owned();
        cases.push(Case {
            folder: repository.to_owned(),
            arguments: vec!["render".to_owned(), chart],
        });
    }
    folders(folder)?.iter().try_for_each(|below| add_charts(repository, below, cases))
}

/// The folders directly below another, sorted, without links and `.git`.
fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && entry.file_name() != ".git" {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

impl Case {
    fn run(&self, program: &Path, timeout: Duration) -> io::Result<Run> {
        // Unlike pipes, files hold any amount of output while this process waits.
        let files = tempfile::tempdir()?;
        let [stdout, stderr] = ["stdout", "stderr"].map(|name| files.path().join(name));
        let start = Instant::now();
        let mut child = Command::new(program)
            .args(&self.arguments)
            .current_dir(&self.folder)
            .env_clear()
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?)
            .spawn()?;
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if start.elapsed() > timeout => {
                    child.kill()?;
                    break child.wait()?;
                }
                None => thread::sleep(Duration::from_millis(2)),
            }
        };
        let took = start.elapsed();
        let text = |path| fs::read(path).map(|text| String::from_utf8_lossy(&text).into_owned());
        Ok(Run { code: status.code(), stdout: text(&stdout)?, stderr: text(&stderr)?, took })
    }
}

impl Run {
    fn ending(&self) -> String {
        self.code.map_or_else(|| "killed".to_owned(), |code| code.to_string())
    }

    /// Everything that is compared.
    fn text(&self) -> String {
        format!("exit code: {}\n{}\n# stderr\n{}", self.ending(), self.stdout, self.stderr)
    }
}
