//! `cargo xtask fixes PATH…`: applies all fixes to copies of repositories, and looks at what they did.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use serde_json::Value as Json;
use walkdir::WalkDir;

/// Apply all fixes to copies of repositories, and check what they did.
///
/// Prints for each rule the findings, those with a fix, and those that are gone; then whether a second run changes
/// nothing, edited files parse, charts still render, and nothing new is found.
#[derive(clap::Args)]
pub struct Arguments {
    /// Folders, each a repository
    #[arg(required = true)]
    repositories: Vec<PathBuf>,
    /// The `joblint` to run
    #[arg(long, value_name = "PROGRAM", default_value = "joblint")]
    joblint: PathBuf,
    /// Renders the charts with edited files before and after
    #[arg(long, value_name = "PROGRAM")]
    helm: Option<PathBuf>,
    /// Checks what Helm renders, and the edited manifests
    #[arg(long, value_name = "PROGRAM", requires = "helm")]
    kubeconform: Option<PathBuf>,
    /// Where kubeconform finds schemas
    #[arg(long, value_name = "LOCATION", requires = "kubeconform", default_value = "default")]
    schemas: String,
    /// Also the findings of `--pedantic`
    #[arg(long)]
    pedantic: bool,
}

/// The findings of a rule.
#[derive(Default)]
struct Row {
    found: usize,
    offered: usize,
    gone: usize,
}

#[derive(Default)]
struct Figures {
    rows: BTreeMap<String, Row>,
    edited: usize,
    /// Edited files without template actions.
    parsed: usize,
    charts: usize,
    rendered: usize,
    helm: usize,
    valid: usize,
    wrong: Vec<String>,
}

pub fn run(arguments: &Arguments) -> crate::Outcome {
    let mut figures = Figures::default();
    for repository in &arguments.repositories {
        let copy = tempfile::tempdir()?;
        copy_tree(repository, copy.path())?;
        let name = repository.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let trial = Trial { arguments, folder: copy.path(), name };
        trial.run(repository, &mut figures)?;
    }
    figures.print(arguments);
    Ok(ExitCode::from(u8::from(!figures.wrong.is_empty())))
}

/// Copies the files of a folder, without links and `.git`.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    let is_kept = |entry: &walkdir::DirEntry| entry.file_name() != ".git";
    for entry in WalkDir::new(from).into_iter().filter_entry(is_kept) {
        let entry = entry?;
        let target = to.join(entry.path().strip_prefix(from).unwrap_or(entry.path()));
        if entry.file_type().is_dir() {
            fs::create_dir_all(target)?;
        } else if entry.file_type().is_file() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// A copy of a repository.
struct Trial<'a> {
    arguments: &'a Arguments,
    folder: &'a Path,
    name: String,
}

/// The rule of a finding, the file, and the kind of the object: a fix may change its name.
type Key = (String, String, String);

impl Trial<'_> {
    fn run(&self, original: &Path, figures: &mut Figures) -> crate::Outcome {
        let (before, reported) = (self.findings()?, self.reported()?);
        self.joblint(&["--fix", "--unsafe-fixes", "-q"])?;
        let edited = changed(original, self.folder)?;
        let after = self.findings()?;
        let again = self.joblint(&["--diff", "--unsafe-fixes", "-q"])?;
        let mut wrong = Vec::new();
        if !again.is_empty() {
            wrong.push("a second run changes files".to_owned());
        }
        let (then, now) = (counted(&reported), counted(&self.reported()?));
        for (key, count) in now.iter().filter(|(key, count)| then.get(key) < Some(count)) {
            let more = count - then.get(key).unwrap_or(&0);
            wrong.push(format!("{more} new: {} {} ({})", key.0, key.1, key.2));
        }
        self.count(&before, &after, figures);
        for path in &edited {
            self.look_at(path, original, figures, &mut wrong)?;
        }
        let charts: BTreeSet<_> = edited.iter().filter_map(|path| self.chart_of(path)).collect();
        for chart in charts {
            self.render(&chart, original, figures, &mut wrong)?;
        }
        figures.edited += edited.len();
        figures.wrong.extend(wrong.into_iter().map(|text| format!("{}: {text}", self.name)));
        Ok(ExitCode::SUCCESS)
    }

    /// What a check with the flags of this run prints.
    fn joblint(&self, arguments: &[&str]) -> io::Result<String> {
        let pedantic = self.arguments.pedantic.then_some("--pedantic");
        self.check(&[arguments, pedantic.as_slice()].concat())
    }

    fn check(&self, arguments: &[&str]) -> io::Result<String> {
        let mut command = Command::new(&self.arguments.joblint);
        command.args(["check", "."]).args(arguments).current_dir(self.folder);
        let output = command.stdin(Stdio::null()).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn findings(&self) -> Result<Vec<Json>, Box<dyn std::error::Error>> {
        listed(&self.joblint(&["-q", "--output", "json"])?)
    }

    /// The findings without `--pedantic`: a fix must not add to these.
    fn reported(&self) -> Result<Vec<Json>, Box<dyn std::error::Error>> {
        listed(&self.check(&["-q", "--output", "json"])?)
    }

    fn count(&self, before: &[Json], after: &[Json], figures: &mut Figures) {
        let offered =
            |finding: &&Json| finding["fixes"].as_array().is_some_and(|all| !all.is_empty());
        for finding in before {
            let row = figures.rows.entry(text(&finding["rule"])).or_default();
            row.found += 1;
            row.offered += usize::from(offered(&finding));
        }
        let of = |all: &[Json], rule: &str| all.iter().filter(|one| one["rule"] == *rule).count();
        let rules: BTreeSet<_> = before.iter().map(|finding| text(&finding["rule"])).collect();
        for rule in rules {
            let gone = of(before, &rule).saturating_sub(of(after, &rule));
            figures.rows.entry(rule).or_default().gone += gone;
        }
    }

    /// Parses an edited file, unless it holds template actions, and checks it with kubeconform if it is a manifest.
    fn look_at(
        &self,
        path: &Path,
        original: &Path,
        figures: &mut Figures,
        wrong: &mut Vec<String>,
    ) -> io::Result<()> {
        let after = fs::read_to_string(self.folder.join(path))?;
        if after.contains("{{") {
            return Ok(());
        }
        let is_sound = |text: &str| yaml_spans::parse(text).iter().all(Result::is_ok);
        match is_sound(&after) || !is_sound(&fs::read_to_string(original.join(path))?) {
            true => figures.parsed += 1,
            false => wrong.push(format!("{} does not parse", path.display())),
        }
        if self.chart_of(path).is_none() {
            let before = fs::read_to_string(original.join(path))?;
            self.validate(&path.display().to_string(), [before, after], figures, wrong)?;
        }
        Ok(())
    }

    /// The folder of the chart that a file belongs to.
    fn chart_of(&self, path: &Path) -> Option<PathBuf> {
        let is_chart = |folder: &&Path| self.folder.join(folder).join("Chart.yaml").is_file();
        path.ancestors().skip(1).filter(is_chart).last().map(Path::to_owned)
    }

    /// Renders a chart before and after, with joblint and Helm.
    fn render(
        &self,
        chart: &Path,
        original: &Path,
        figures: &mut Figures,
        wrong: &mut Vec<String>,
    ) -> io::Result<()> {
        figures.charts += 1;
        let shown = chart.display().to_string();
        let own = |root: &Path| printed(&self.arguments.joblint, &["render"], &root.join(chart));
        match (own(original)?, own(self.folder)?) {
            (Some(_), None) => wrong.push(format!("{shown} does not render")),
            _ => figures.rendered += 1,
        }
        let Some(helm) = &self.arguments.helm else { return Ok(()) };
        let by_helm = |root: &Path| printed(helm, &["template", "fixed"], &root.join(chart));
        match (by_helm(original)?, by_helm(self.folder)?) {
            (Some(before), Some(after)) => {
                figures.helm += 1;
                self.validate(&shown, [before, after], figures, wrong)?;
            }
            (Some(_), None) => wrong.push(format!("{shown} does not render with Helm")),
            (None, _) => {}
        }
        Ok(())
    }

    /// Asks kubeconform about manifests before and after.
    fn validate(
        &self,
        name: &str,
        manifests: [String; 2],
        figures: &mut Figures,
        wrong: &mut Vec<String>,
    ) -> io::Result<()> {
        let Some(program) = &self.arguments.kubeconform else { return Ok(()) };
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("manifests.yaml");
        let mut invalid = [0, 0];
        for (text, count) in manifests.iter().zip(&mut invalid) {
            fs::write(&file, text)?;
            let mut command = Command::new(program);
            command.args(["-strict", "-ignore-missing-schemas", "-output", "json"]);
            command.args(["-schema-location", &self.arguments.schemas]).arg(&file);
            let output = command.stdin(Stdio::null()).output()?;
            let report: Json = serde_json::from_slice(&output.stdout).unwrap_or_default();
            let is_invalid = |one: &&Json| one["status"] == "statusInvalid";
            *count =
                report["resources"].as_array().into_iter().flatten().filter(is_invalid).count();
        }
        match invalid[1] > invalid[0] {
            true => wrong
                .push(format!("{name}: {} objects are invalid, not {}", invalid[1], invalid[0])),
            false => figures.valid += 1,
        }
        Ok(())
    }
}

/// The findings of a report in JSON.
fn listed(report: &str) -> Result<Vec<Json>, Box<dyn std::error::Error>> {
    let report: Json = serde_json::from_str(report)?;
    Ok(report["findings"].as_array().cloned().unwrap_or_default())
}

/// What a program prints about a chart; `None` if it fails.
fn printed(program: &Path, arguments: &[&str], chart: &Path) -> io::Result<Option<String>> {
    let output = Command::new(program).args(arguments).arg(chart).stdin(Stdio::null()).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(output.status.success().then_some(text))
}

/// The files that differ between two folders.
fn changed(old: &Path, new: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in WalkDir::new(new).sort_by_file_name() {
        let entry = entry?;
        let path = entry.path().strip_prefix(new).unwrap_or(entry.path());
        if entry.file_type().is_file() && fs::read(old.join(path))? != fs::read(entry.path())? {
            paths.push(path.to_owned());
        }
    }
    Ok(paths)
}

/// How many findings of at least a warning there are of each key, one for each line. Of one line several units can print
/// objects, and a fix may give these different names.
fn counted(findings: &[Json]) -> BTreeMap<Key, usize> {
    let mut places = BTreeSet::new();
    for finding in findings.iter().filter(|finding| finding["severity"] != "info") {
        let rule = text(&finding["rule"]);
        let also = finding["also"].as_array().into_iter().flatten();
        places.extend(std::iter::once(finding).chain(also).map(|one| {
            let key = (rule.clone(), text(&one["path"]), text(&one["workload"]["kind"]));
            (key, one["line"].as_u64())
        }));
    }
    let mut counts = BTreeMap::new();
    places.into_iter().for_each(|(key, _)| *counts.entry(key).or_default() += 1);
    counts
}

fn text(value: &Json) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Figures {
    fn print(&self, arguments: &Arguments) {
        println!("| rule | findings | with a fix | gone |\n|---|---|---|---|");
        let mut total = Row::default();
        for (rule, row) in self.rows.iter().filter(|(_, row)| row.offered > 0) {
            println!("| `{rule}` | {} | {} | {} |", row.found, row.offered, row.gone);
        }
        for row in self.rows.values() {
            total.found += row.found;
            total.offered += row.offered;
            total.gone += row.gone;
        }
        println!("| all rules | {} | {} | {} |", total.found, total.offered, total.gone);
        let Self { edited, parsed, charts, rendered, helm, valid, .. } = self;
        println!("\n{} repositories, {edited} edited files", arguments.repositories.len());
        println!("{parsed} files without template actions parse");
        println!("{rendered} of {charts} charts render as before, {helm} with Helm");
        println!("{valid} outputs without new errors of the schema");
        for one in &self.wrong {
            println!("wrong: {one}");
        }
        println!("{} things are wrong", self.wrong.len());
    }
}
