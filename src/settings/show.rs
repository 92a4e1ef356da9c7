//! Settings in the format of the settings file, for `joblint config show`.

use super::{
    ChartValues, Ignore, Settings,
    file::{DeployerEntry, File, IgnoreEntry, Level, RuleEntry, ValuesEntry},
};
use crate::finding::Severity;

impl Settings {
    /// The settings as YAML, preceded by comments that name their files.
    pub(crate) fn show(&self) -> String {
        let files: String =
            self.sources.iter().map(|source| format!("# from {}\n", source.path)).collect();
        files + &serde_yaml::to_string(&File::from(self)).expect("settings are plain YAML")
    }
}

impl From<&Settings> for File {
    fn from(settings: &Settings) -> Self {
        let rules = settings.rules.iter().map(|(id, own)| {
            let off = settings.skip.contains(id).then_some(Level::Off);
            let severity = off.or(own.severity.map(Level::from));
            (id.clone(), RuleEntry { severity, options: own.options.clone() })
        });
        let deployers = settings.deployers.iter().map(ToString::to_string);
        Self {
            extends: None,
            deployer: deployers.map(DeployerEntry::Flag).collect(),
            kube_version: Some(settings.kubernetes.unwrap_or_default()),
            values: settings.value_sets.iter().map(ValuesEntry::from).collect(),
            select: settings.select.clone(),
            exclude: settings.excludes.iter().map(|one| one.text().to_owned()).collect(),
            ignore: settings.ignores.iter().map(IgnoreEntry::from).collect(),
            rules: rules.collect(),
            require: settings.require.iter().map(|one| one.written.clone()).collect(),
            commands: settings.commands.iter().flat_map(|all| all.own().cloned()).collect(),
            policies: settings.policies.clone(),
            fail_on: Some(settings.fail_on),
            baseline: Some(settings.baseline_path()),
        }
    }
}

impl From<&ChartValues> for ValuesEntry {
    fn from(set: &ChartValues) -> Self {
        let chart = set.chart.as_ref().map(|glob| glob.glob().glob().to_owned());
        Self { chart, files: set.files.clone() }
    }
}

impl From<&Ignore> for IgnoreEntry {
    fn from(entry: &Ignore) -> Self {
        Self {
            rule: entry.rule.clone(),
            path: entry.path.as_ref().map(|glob| glob.glob().glob().to_owned()),
            kind: entry.kind.clone(),
            name: entry.name.as_ref().map(|glob| glob.glob().glob().to_owned()),
            reason: entry.reason.clone(),
        }
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
