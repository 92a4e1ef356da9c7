//! The settings of a run: the settings file and the flags that override it, resolved.

mod entries;
mod error;
pub(crate) mod file;
mod find;
mod require;
mod schema;
mod show;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use file::{DeployerEntry, Level, Loaded};
use file_boundary::{Boundary, Refusal};
use helm_render::values::Flag;
use job_lifecycle::{Deployer, deployer::OptionError, kubernetes::Version};
use shell_effects::Catalogue;
use yaml_spans::Source;

use crate::{
    exclude::Exclude,
    finding::{Confidence, Severity},
    policy::{Own, Policy, Requirement},
    rules::{self, Rule},
};

pub use entries::{ChartValues, Ignore};
pub use error::{Error, Problem};
pub(crate) use find::find;
pub(crate) use schema::settings_schema;

/// The name of the default baseline, which is beside the settings file.
const BASELINE: &str = ".joblint-baseline.json";

/// All settings of a run, with defaults for those that are not set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The stated deployers; when empty, joblint detects them.
    pub deployers: Vec<Deployer>,
    /// The Kubernetes version of the cluster; the newest known when absent.
    pub kubernetes: Option<Version>,
    /// The values of the command line; if any, charts are rendered with these only.
    pub values: Values,
    /// Additional value sets of charts.
    pub value_sets: Vec<ChartValues>,
    /// The ids of the only rules to run; all when absent.
    pub select: Option<Vec<String>>,
    /// The ids of rules not to run.
    pub skip: Vec<String>,
    /// Severity and options by rule id.
    pub rules: BTreeMap<String, RuleSettings>,
    /// What every Job and CronJob must have.
    pub require: Vec<Requirement>,
    /// The files and folders to leave out.
    pub excludes: Vec<Exclude>,
    /// The entries of `ignore:`, those of extended files first.
    pub ignores: Vec<Ignore>,
    /// The built-in command catalogue extended by the user's commands; `None` without any.
    pub commands: Option<Arc<Catalogue>>,
    /// Files and folders with policies and rules of the user's own.
    pub policies: Vec<PathBuf>,
    /// What is read from them and found in the tree.
    pub own: Arc<Own>,
    /// The rules for its findings.
    pub own_rules: Vec<&'static Rule>,
    /// The file with accepted findings; by default next to the settings file, else in the current folder.
    pub baseline: Option<PathBuf>,
    /// The lowest severity to report.
    pub min_severity: Severity,
    /// The lowest confidence to report.
    pub min_confidence: Confidence,
    /// The lowest severity that makes joblint exit with 1.
    pub fail_on: Severity,
    /// Report pedantic findings too.
    pub pedantic: bool,
    /// Report inputs that cannot be checked for lack of a dependency as errors.
    pub strict: bool,
    /// Report findings that comments, annotations, settings or the baseline ignore.
    pub no_ignores: bool,
    /// The settings file and the files it extends, in this order.
    pub sources: Vec<Arc<Source>>,
}

/// Values of charts, as given by the flags of Helm.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// Values files; later ones override earlier ones.
    pub files: Vec<PathBuf>,
    /// The `--set` flags, which override the files.
    pub flags: Vec<Flag>,
}

impl Values {
    /// True when no flag is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.flags.is_empty()
    }

    /// The files and flags as a title for messages.
    pub(crate) fn name(&self) -> String {
        let files = self.files.iter().map(|file| file.to_string_lossy().into_owned());
        let flags = self.flags.iter().map(|flag| flag.kind.name().to_owned());
        let mut names: Vec<_> = files.chain(flags).collect();
        names.dedup();
        names.join(", ")
    }
}

/// The settings of one rule.
#[derive(Clone, Debug, Default)]
pub struct RuleSettings {
    /// Overrides the rule's own severity.
    pub severity: Option<Severity>,
    /// Option values by name; `joblint explain` lists the options of a rule.
    pub options: BTreeMap<String, serde_json::Value>,
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
            excludes: Vec::new(),
            ignores: Vec::new(),
            commands: None,
            policies: Vec::new(),
            own: Arc::default(),
            own_rules: Vec::new(),
            baseline: None,
            min_severity: Severity::Info,
            min_confidence: Confidence::Low,
            fail_on: Severity::Warning,
            pedantic: false,
            strict: false,
            no_ignores: false,
            sources: Vec::new(),
        }
    }
}

impl Settings {
    /// Reads a settings file and the files it extends.
    ///
    /// # Errors
    /// A file cannot be read, is invalid, extends itself, or names a file outside of its repository.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let boundary = Boundary::around([path]);
        let mut chain: Vec<Loaded> = Vec::new();
        let mut next = Some(path.to_owned());
        while let Some(path) = next {
            if let Some(above) = chain.last() {
                let refused = |refusal: Refusal| {
                    let reason = format!("`{}` {refusal}", path.display());
                    Problem { location: above.location(&["extends"], None), reason, help: None }
                };
                boundary.check(&path).map_err(refused)?;
            }
            let loaded = file::load(&path, &boundary)?;
            if let Some(first) =
                chain.iter().position(|seen| seen.source.path == loaded.source.path)
            {
                let reason = "extends a file that extends this one";
                return Err(chain[first].problem(&["extends"], None, reason.to_owned()).into());
            }
            next = loaded.file.extends.as_ref().map(|extends| loaded.folder.join(extends));
            chain.push(loaded);
        }
        let problems: Vec<_> = chain.iter().flat_map(Loaded::check_names).collect();
        if !problems.is_empty() {
            return Err(Error { problems });
        }
        let mut settings = Settings::default();
        for loaded in chain.iter().rev() {
            settings.apply(loaded)?;
        }
        settings.sources = chain.into_iter().map(|loaded| loaded.source).collect();
        Ok(settings)
    }

    /// True when the rule is selected and not skipped.
    pub(crate) fn runs(&self, rule: &Rule) -> bool {
        let selected = self.select.as_ref().is_none_or(|ids| ids.iter().any(|id| id == rule.id));
        selected && !self.skip.iter().any(|id| id == rule.id)
    }

    /// The rule with an id: a built-in one, or one for the findings of a policy.
    pub(crate) fn rule(&self, id: &str) -> Option<&'static Rule> {
        rules::find(id).or_else(|| self.own_rules.iter().copied().find(|rule| rule.id == id))
    }

    /// Whether pedantic findings of a rule are reported.
    pub(crate) fn shows_pedantic(&self, rule: &Rule) -> bool {
        let configured = || self.rules.get(rule.id).and_then(|own| own.severity);
        self.pedantic || self.select.is_some() || configured().is_some()
    }

    /// The rules that are selected and not skipped.
    pub fn active_rules(&self) -> Vec<&'static Rule> {
        rules::all().iter().copied().filter(|rule| self.runs(rule)).collect()
    }

    /// The rules of the user's policies that are selected and not skipped.
    pub(crate) fn active_own_rules(&self) -> Vec<&'static Rule> {
        self.own_rules.iter().copied().filter(|rule| self.runs(rule)).collect()
    }

    /// The path of the baseline: as set, else beside the settings file, else in the current folder.
    pub(crate) fn baseline_path(&self) -> PathBuf {
        let beside = || {
            let settings = self.sources.first().map(|source| Path::new(&source.path));
            settings.and_then(Path::parent).unwrap_or(Path::new("")).join(BASELINE)
        };
        self.baseline.clone().unwrap_or_else(beside)
    }

    /// Where the baseline may lie: in the repository of the settings file, or of the current folder.
    pub(crate) fn baseline_boundary(&self) -> Boundary {
        let path = self.sources.first().map_or(Path::new(BASELINE), |one| Path::new(&one.path));
        Boundary::around([path])
    }

    /// The part of the settings that rules read.
    pub fn policy(&self) -> Policy {
        let options = self.rules.iter().map(|(id, own)| (id.clone(), own.options.clone()));
        Policy {
            options: options.collect(),
            require: self.require.clone(),
            commands: self.commands.clone(),
            analyses: Default::default(),
            own: self.own.clone(),
            states_kubernetes: self.kubernetes.is_some(),
        }
    }

    /// Applies a file: it replaces lists and values, and adds to rules and ignores.
    fn apply(&mut self, loaded: &Loaded) -> Result<(), Problem> {
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
            self.require = require::read(loaded).unwrap_or_default();
        }
        if !file.commands.is_empty() {
            self.commands = Some(Arc::new(Catalogue::with(&file.commands)));
        }
        if !file.policies.is_empty() {
            let paths = 0..file.policies.len();
            self.policies =
                paths.map(|index| entries::policy(loaded, index)).collect::<Result<_, _>>()?;
        }
        if let Some(baseline) = &file.baseline {
            let path = loaded.folder.join(baseline);
            let refused = |refusal: Refusal| {
                let reason = format!("`{}` {refusal}", baseline.display());
                Problem { location: loaded.location(&["baseline"], None), reason, help: None }
            };
            loaded.boundary.check(&path).map_err(refused)?;
            self.baseline = Some(path);
        }
        if !file.exclude.is_empty() {
            self.excludes = entries::excludes(loaded)?;
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

fn deployers(loaded: &Loaded) -> Result<Vec<Deployer>, Problem> {
    let mut deployers = Vec::new();
    for (index, entry) in loaded.file.deployer.iter().enumerate() {
        let problem = |error: OptionError| {
            loaded.problem(&["deployer"], Some((index, "")), error.to_string())
        };
        match entry {
            DeployerEntry::Flag(text) => deployers.push(text.parse().map_err(problem)?),
            DeployerEntry::Options(tools) => {
                for (tool, options) in tools {
                    let mut deployer = Deployer::stated(tool.parse().map_err(problem)?);
                    for (name, value) in options {
                        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        deployer.set(name, &value).map_err(problem)?;
                    }
                    deployers.push(deployer);
                }
            }
        }
    }
    Ok(deployers)
}
