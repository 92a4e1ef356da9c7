//! What the user asked for: settings file and flags, resolved.

pub mod file;
mod places;
mod require;
mod schema;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use file::{DeployerEntry, Level, Loaded, Requirement};
use helm_render::values::Flag;
use job_lifecycle::{Deployer, deployer::OptionError, kubernetes::Version};
use shell_effects::Catalogue;
use yaml_spans::{Location, Source, Span};

use crate::{
    finding::{Confidence, Severity},
    policy::Policy,
    rules::{self, Rule},
};

pub use places::{ChartValues, Ignore};
pub use schema::json_schema;

/// The name of the baseline beside the settings.
const BASELINE: &str = ".joblint-baseline.json";

/// Everything that steers a run, defaults filled in.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The deployers in force; empty: find out.
    pub deployers: Vec<Deployer>,
    pub kubernetes: Option<Version>,
    /// What charts are rendered with instead of their defaults.
    pub values: Values,
    /// Further value sets of charts.
    pub value_sets: Vec<ChartValues>,
    /// Only these rules run, when given.
    pub select: Option<Vec<String>>,
    /// These rules do not run.
    pub skip: Vec<String>,
    pub rules: BTreeMap<String, RuleSettings>,
    /// What every Job must have: all of the outer list, any one of each inner.
    pub require: Vec<Vec<String>>,
    pub ignores: Vec<Ignore>,
    /// The built-in catalogue of commands with the user's own; `None` without own ones.
    pub commands: Option<Arc<Catalogue>>,
    /// Findings accepted for now.
    pub baseline: Option<PathBuf>,
    pub min_severity: Severity,
    pub min_confidence: Confidence,
    pub fail_on: Severity,
    pub pedantic: bool,
    /// Fixes in templates are wanted: each has to be proven by rendering again.
    pub mends_templates: bool,
    /// What cannot be checked for want of something is an error, not a remark.
    pub strict: bool,
    /// Comments, annotations, settings and baseline ignore nothing.
    pub no_ignores: bool,
    /// The settings file and those it extends, nearest first.
    pub sources: Vec<Arc<Source>>,
}

/// Values for charts, as Helm's flags give them.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// Files, later ones win.
    pub files: Vec<PathBuf>,
    /// What wins over the files.
    pub flags: Vec<Flag>,
}

impl Values {
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.flags.is_empty()
    }

    /// What a user would call them.
    pub fn name(&self) -> String {
        let files = self.files.iter().map(|file| file.to_string_lossy().into_owned());
        let flags = self.flags.iter().map(|flag| flag.kind.name().to_owned());
        let mut names: Vec<_> = files.chain(flags).collect();
        names.dedup();
        names.join(", ")
    }
}

/// Settings of one rule.
#[derive(Clone, Debug, Default)]
pub struct RuleSettings {
    pub severity: Option<Severity>,
    pub options: BTreeMap<String, serde_json::Value>,
}

/// What is wrong with the settings, and where.
#[derive(Clone, Debug)]
pub struct Problem {
    pub location: Location,
    pub reason: String,
    pub help: Option<String>,
}

impl Problem {
    pub fn new(source: &Arc<Source>, span: Span, reason: impl Into<String>) -> Self {
        Self {
            location: Location { source: source.clone(), span },
            reason: reason.into(),
            help: None,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            deployers: Vec::new(),
            kubernetes: None,
            values: Values::default(),
            value_sets: Vec::new(),
            select: None,
            skip: Vec::new(),
            rules: BTreeMap::new(),
            require: Vec::new(),
            ignores: Vec::new(),
            commands: None,
            baseline: None,
            min_severity: Severity::Info,
            min_confidence: Confidence::Low,
            fail_on: Severity::Warning,
            pedantic: false,
            mends_templates: false,
            strict: false,
            no_ignores: false,
            sources: Vec::new(),
        }
    }
}

impl Settings {
    /// Reads a settings file and those it extends.
    ///
    /// # Errors
    /// Every problem found, with its place.
    pub fn read(path: &Path) -> Result<Self, Vec<Problem>> {
        let mut chain: Vec<Loaded> = Vec::new();
        let mut next = Some(path.to_owned());
        while let Some(path) = next {
            let loaded = file::load(&path)?;
            if let Some(first) =
                chain.iter().position(|seen| seen.source.path == loaded.source.path)
            {
                let reason = "extends a file that extends this one";
                return Err(vec![chain[first].problem(&["extends"], None, reason.to_owned())]);
            }
            next = loaded.file.extends.as_ref().map(|extends| loaded.folder.join(extends));
            chain.push(loaded);
        }
        let problems: Vec<_> = chain.iter().flat_map(Loaded::check_names).collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut settings = Settings::default();
        for loaded in chain.iter().rev() {
            settings.build_on(loaded)?;
        }
        settings.sources = chain.into_iter().map(|loaded| loaded.source).collect();
        Ok(settings)
    }

    /// The settings as YAML in the form of the settings file, with the files they come from.
    pub fn show(&self) -> String {
        let rules = self.rules.iter().map(|(id, own)| {
            let off = self.skip.contains(id).then_some(Level::Off);
            let severity = off.or(own.severity.map(Level::from));
            (id.clone(), file::RuleEntry { severity, options: own.options.clone() })
        });
        let ignore = |entry: &Ignore| file::IgnoreEntry {
            rule: entry.rule.clone(),
            path: entry.path.as_ref().map(|glob| glob.glob().glob().to_owned()),
            kind: entry.kind.clone(),
            name: entry.name.as_ref().map(|glob| glob.glob().glob().to_owned()),
            reason: entry.reason.clone(),
        };
        let set = |set: &ChartValues| file::ValuesEntry {
            chart: set.chart.as_ref().map(|glob| glob.glob().glob().to_owned()),
            files: set.files.clone(),
        };
        let file = file::File {
            extends: None,
            deployer: self.deployers.iter().map(|d| DeployerEntry::Flag(d.to_string())).collect(),
            kube_version: Some(self.kubernetes.unwrap_or_default()),
            values: self.value_sets.iter().map(set).collect(),
            select: self.select.clone(),
            ignore: self.ignores.iter().map(ignore).collect(),
            rules: rules.collect(),
            require: self.require.iter().map(|any| Requirement::Any(any.clone())).collect(),
            commands: self.commands.iter().flat_map(|all| all.own().cloned()).collect(),
            fail_on: Some(self.fail_on),
            baseline: Some(self.baseline_path()),
        };
        let from: String =
            self.sources.iter().map(|source| format!("# from {}\n", source.path)).collect();
        from + &serde_yaml::to_string(&file).expect("settings are plain YAML")
    }

    /// True when the rule is to run at all.
    pub fn runs(&self, rule: &Rule) -> bool {
        let selected = self.select.as_ref().is_none_or(|ids| ids.iter().any(|id| id == rule.id));
        selected && !self.skip.iter().any(|id| id == rule.id)
    }

    /// The rules that are to run.
    pub fn active_rules(&self) -> Vec<&'static Rule> {
        rules::all().iter().copied().filter(|rule| self.runs(rule)).collect()
    }

    /// Where the baseline lies: as set, else beside the settings file, else here.
    pub fn baseline_path(&self) -> PathBuf {
        let beside = || {
            let settings = self.sources.first().map(|source| Path::new(&source.path));
            settings.and_then(Path::parent).unwrap_or(Path::new("")).join(BASELINE)
        };
        self.baseline.clone().unwrap_or_else(beside)
    }

    /// What they ask of rules.
    pub fn policy(&self) -> Policy {
        let options = self.rules.iter().map(|(id, own)| (id.clone(), own.options.clone()));
        Policy {
            options: options.collect(),
            require: self.require.clone(),
            commands: self.commands.clone(),
            fixes_templates: self.mends_templates,
        }
    }

    /// Takes over what a file says: lists and values replace, rules and ignores add up.
    fn build_on(&mut self, loaded: &Loaded) -> Result<(), Vec<Problem>> {
        let file = &loaded.file;
        if !file.deployer.is_empty() {
            self.deployers = deployers(loaded)?;
        }
        self.kubernetes = file.kube_version.or(self.kubernetes);
        if !file.values.is_empty() {
            let sets = (0..file.values.len()).map(|index| ChartValues::read(loaded, index));
            self.value_sets = sets.collect::<Result<_, _>>()?;
        }
        self.select = file.select.clone().or(self.select.take());
        self.fail_on = file.fail_on.unwrap_or(self.fail_on);
        if !file.require.is_empty() {
            self.require = file.require.iter().map(Requirement::any_of).collect();
        }
        if !file.commands.is_empty() {
            self.commands = Some(Arc::new(Catalogue::with(&file.commands)));
        }
        if let Some(baseline) = &file.baseline {
            self.baseline = Some(loaded.folder.join(baseline));
        }
        for (id, entry) in &file.rules {
            self.set_rule(id, entry);
        }
        for index in 0..file.ignore.len() {
            self.ignores.push(Ignore::read(loaded, index)?);
        }
        Ok(())
    }

    fn set_rule(&mut self, id: &str, entry: &file::RuleEntry) {
        let own = self.rules.entry(id.to_owned()).or_default();
        own.options.extend(entry.options.clone());
        let severity = match entry.severity {
            None => return,
            Some(Level::Off) => return self.skip.push(id.to_owned()),
            Some(Level::Info) => Severity::Info,
            Some(Level::Warning) => Severity::Warning,
            Some(Level::Error) => Severity::Error,
        };
        own.severity = Some(severity);
        self.skip.retain(|skipped| skipped != id);
    }
}

impl From<Severity> for Level {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Info => Level::Info,
            Severity::Warning => Level::Warning,
            Severity::Error => Level::Error,
        }
    }
}

impl Requirement {
    fn any_of(&self) -> Vec<String> {
        match self {
            Requirement::One(one) => vec![one.clone()],
            Requirement::Any(any) => any.clone(),
        }
    }
}

fn deployers(loaded: &Loaded) -> Result<Vec<Deployer>, Vec<Problem>> {
    let mut deployers = Vec::new();
    for (index, entry) in loaded.file.deployer.iter().enumerate() {
        let misfit = |error: OptionError| {
            vec![loaded.problem(&["deployer"], Some((index, "")), error.to_string())]
        };
        match entry {
            DeployerEntry::Flag(text) => deployers.push(text.parse().map_err(misfit)?),
            DeployerEntry::Options(tools) => {
                for (tool, options) in tools {
                    let mut deployer = Deployer::stated(tool.parse().map_err(misfit)?);
                    for (name, value) in options {
                        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        deployer.set(name, &value).map_err(misfit)?;
                    }
                    deployers.push(deployer);
                }
            }
        }
    }
    Ok(deployers)
}
