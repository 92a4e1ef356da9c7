//! `cargo xtask commands PATH…`: how many of the commands that Jobs run the catalogue knows.
use std::{
    collections::{BTreeMap, HashSet},
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use joblint::{
    chart,
    command::Command,
    context::Context,
    deployers,
    discover::{self, Request},
    load,
    settings::Settings,
    unit::{Loaded, Unit, UnitKind},
    workload::Subject,
};
use shell_effects as script;

use super::Outcome;

#[derive(Default)]
struct Figures {
    lists: usize,
    unparsed: usize,
    commands: usize,
    known: usize,
}

#[derive(Default)]
struct Counted {
    charts: Figures,
    files: Figures,
    seen: HashSet<String>,
    hazards: Vec<String>,
    unknown: BTreeMap<String, usize>,
}

/// Count the argument lists that parse and the commands that the catalogue knows.
///
/// Prints one line for charts and one for plain files, then the most frequent unknown programs, then each
/// hazard with its file. Charts are rendered with each of their value sets; equal argument lists count once.
#[derive(clap::Args)]
pub struct Arguments {
    /// Files and folders to search for Jobs, CronJobs and hooks
    #[arg(required = true)]
    paths: Vec<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let settings = Settings::default();
    let request = Request { paths: arguments.paths.clone(), ..Request::default() };
    let mut counted = Counted::default();
    for unit in &discover::discover(&request).units {
        let all = match unit.kind {
            UnitKind::Chart => chart::with_stack(|| chart::load(unit, &settings))?,
            UnitKind::Plain | UnitKind::Overlay => vec![load::load(unit)],
        };
        all.iter().for_each(|loaded| counted.add(unit, loaded, &settings));
    }
    counted.print(&mut io::stdout().lock())?;
    Ok(ExitCode::SUCCESS)
}

impl Counted {
    fn add(&mut self, unit: &Unit, loaded: &Loaded, settings: &Settings) {
        let deployers = deployers::of_check(unit, loaded, settings);
        let policy = settings.policy();
        let context = Context {
            kind: unit.kind,
            objects: &loaded.objects,
            before: &loaded.before,
            deployers: &deployers,
            together: true,
            deprecated: false,
            tried: false,
            enabled: false,
            bumped: false,
            upgrading: false,
            switched_off: false,
            undeployed: false,
            incomplete: false,
            names: None,
            crds: &loaded.crds,
            named: &[],
            deployments: &[],
            counts: loaded.counts,
            kubernetes: Default::default(),
            changes: &loaded.changes,
            generated: &loaded.generated,
            policy: &policy,
            found: Default::default(),
        };
        for object in &loaded.objects {
            let Some(workload) = Subject::new(object, &context) else { continue };
            for command in workload.commands() {
                self.add_command(unit, &object.source.path, command);
            }
        }
    }

    fn add_command(&mut self, unit: &Unit, path: &str, command: &Command<'_>) {
        let texts: Vec<_> = command.scripts(true).map(|(_, text)| text).collect();
        if texts.is_empty() || !self.seen.insert(texts.join("\0")) {
            return;
        }
        let figures = match unit.kind {
            UnitKind::Chart => &mut self.charts,
            UnitKind::Plain | UnitKind::Overlay => &mut self.files,
        };
        let hazards = script::not_idempotent(&command.analysis).into_iter();
        for hazard in hazards.chain(script::destroys_data(&command.analysis)) {
            let (verdict, text) =
                (hazard.verdict, command.text(hazard.location).replace('\n', " "));
            self.hazards.push(format!("{path}: {verdict:?} `{text}`: {}", hazard.reason));
        }
        figures.lists += 1;
        figures.unparsed += usize::from(!command.analysis.unknown.is_empty());
        for invocation in &command.analysis.invocations {
            figures.commands += 1;
            figures.known += usize::from(invocation.recognised);
            if !invocation.recognised {
                let name = invocation.words.first().map_or("", |word| word.value.as_str());
                *self.unknown.entry(name.to_owned()).or_default() += 1;
            }
        }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for (name, figures) in [("charts", &self.charts), ("files", &self.files)] {
            let Figures { lists, unparsed, commands, known } = figures;
            let parsed = 100.0 * (lists - unparsed) as f64 / *lists as f64;
            let share = 100.0 * *known as f64 / *commands as f64;
            writeln!(out, "{name}: {lists} argument lists, {parsed:.2} % parsed whole")?;
            writeln!(out, "{name}: {commands} commands, {share:.1} % known")?;
        }
        let mut unknown: Vec<_> = self.unknown.iter().collect();
        unknown.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (name, count) in unknown.iter().take(40) {
            writeln!(out, "{count:>6} {name}")?;
        }
        self.hazards.iter().try_for_each(|hazard| writeln!(out, "{hazard}"))
    }
}
