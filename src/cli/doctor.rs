//! `joblint doctor`: what joblint is, which settings are in force, and what it finds. For people who wonder why
//! something is reported or not, and for bug reports. It asks nobody, not even for a newer version.

use std::{env, fmt::Write, path::PathBuf, process::ExitCode};

use super::{Error, UNCHECKED, args::DoctorArgs, print, session::Session};
use crate::{
    baseline, check,
    discover::{Request, shown},
    gitops,
    redact::{Redactor, SecretValues},
    report::{RedactedReport, one_line, safe},
    settings::Settings,
    unit::{Deployment, DeploymentSource},
    words::count,
};

pub(crate) fn run(args: &DoctorArgs) -> Result<ExitCode, Error> {
    let Session { request, settings } = Session::of_doctor(args)?;
    let mut secrets = SecretValues::of_environment();
    settings.sources.iter().for_each(|source| secrets.add_text(&source.text));
    let mut out = program();
    out += &about_settings(&settings);
    out += &deployments(&request);
    // Without rules, a check only loads what it would check.
    let loading = Settings { select: Some(Vec::new()), ..settings };
    let report = RedactedReport::new(check::check(&request, &loading));
    out += &found(&report);
    Redactor::default().with_values(secrets).hide(&mut out);
    print(&safe(&out));
    let is_complete = report.errors.is_empty() && report.unchecked.is_empty();
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(UNCHECKED) })
}

/// The version, where it is installed, and the program that `upgrade` runs.
fn program() -> String {
    let path = env::current_exe().map(|path| shown(&path)).unwrap_or_default();
    let git = match on_path("git") {
        Some(path) => shown(&path),
        None => "not found; `joblint upgrade --base REVISION` needs it".to_owned(),
    };
    format!(
        "joblint {} for {} on {}\n  program: {path}\n  git: {git}\n",
        env!("CARGO_PKG_VERSION"),
        env::consts::OS,
        env::consts::ARCH
    )
}

/// A program in one of the folders of `PATH`. It is not run.
fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&folders).map(|folder| folder.join(&file)).find(|path| path.is_file())
}

/// The settings in force, with the files that state them, and the baseline.
fn about_settings(settings: &Settings) -> String {
    let files: Vec<_> = settings.sources.iter().map(|source| &*source.path).collect();
    let files = match &files[..] {
        [] => "no file between the paths and the root of the repository".to_owned(),
        [first] => (*first).to_owned(),
        [first, rest @ ..] => format!("{first}, which extends {}", rest.join(", ")),
    };
    let mut out = format!("\nsettings: {files}\n");
    let lines = settings.show();
    for line in lines.lines().filter(|line| !line.starts_with('#')) {
        let _ = writeln!(out, "  {line}");
    }
    let accepted = match baseline::read(settings) {
        Ok(baseline) => count(baseline.findings.len(), "accepted finding"),
        Err(error) => error.to_string(),
    };
    let _ = writeln!(out, "  # in the baseline: {accepted}");
    out
}

/// The GitOps objects, with what they deploy.
fn deployments(request: &Request) -> String {
    let tree = gitops::Tree::around(request);
    let all = gitops::discover(request, &tree);
    let mut out = String::from("\nGitOps objects in the repository: ");
    if all.is_empty() {
        return out + "none\n";
    }
    out += &format!("{}\n", count(all.len(), "deployment"));
    for one in &all {
        let place = one.place();
        let at = format!("{}:{}", place.source.path, place.start().line);
        let tool = one.deployer.tool.title();
        let title = one.title.replace('`', "");
        let text = format!("{title} ({at}), {tool}: {}", source(one, &tree));
        let _ = writeln!(out, "  {}", one_line(&text));
        for reason in &one.not_evaluated {
            let _ = writeln!(out, "    not evaluated: {}", one_line(reason));
        }
    }
    out
}

/// What an object deploys.
fn source(deployment: &Deployment, tree: &gitops::Tree) -> String {
    match &deployment.source {
        DeploymentSource::Manifests(files) => match &files[..] {
            [only] => format!("deploys {}", tree.shown(only)),
            files => format!("deploys {}", count(files.len(), "file")),
        },
        DeploymentSource::Overlay { folder, .. } => {
            format!("deploys the kustomization {}", tree.shown(folder))
        }
        DeploymentSource::Chart(root) => format!("deploys the chart {}", tree.shown(root)),
        DeploymentSource::External(place) => {
            format!("deploys from outside this repository: {place}")
        }
        DeploymentSource::Unresolved(reason) => format!("could not be resolved: {reason}"),
    }
}

/// The charts, kustomizations and folders with their values and deployers, and what was not checked.
fn found(report: &RedactedReport) -> String {
    let counts = &report.counts;
    let mut out = format!(
        "\nchecked: {}, {}, {}\n",
        count(counts.files, "file"),
        count(counts.objects, "object"),
        count(counts.workloads, "workload")
    );
    for (title, text) in &report.trail {
        let _ = writeln!(out, "  {}: {}", one_line(title), one_line(text));
    }
    let remarks = report.remarks.iter().map(|(_, text)| text);
    for note in remarks.chain(&report.notes) {
        let _ = writeln!(out, "  note: {}", one_line(note));
    }
    if !report.unchecked.is_empty() {
        out += "\nnot checked:\n";
    }
    for one in &report.unchecked {
        let _ = writeln!(out, "  {}:{}: {}", one_line(&one.path), one.line, one_line(&one.reason));
    }
    for error in &report.errors {
        let _ = writeln!(out, "\nerror: {}", one_line(error));
    }
    out
}
