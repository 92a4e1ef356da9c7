//! What a finding means under each of its deployers.

use crate::{
    diagnostic::Diagnostic,
    finding::PerDeployer,
    rules::{Rule, misplaced_field, unknown_field},
};

/// The rules whose label does not say what happens: each deployer has its own way with a field that nobody knows.
static SILENT: [&Rule; 2] = [&misplaced_field::RULE, &unknown_field::RULE];

impl Diagnostic {
    /// The deployers one by one; none if the finding means the same under all of them.
    pub(super) fn differing(&self) -> &[PerDeployer] {
        if self.groups().len() > 1 { &self.deployers } else { &[] }
    }

    /// Lines for people: deployers and what the finding means there. Deployers that do not differ are only named,
    /// because the label already describes them.
    pub(super) fn by_deployer(&self) -> Vec<(String, String)> {
        let mut groups = self.groups();
        if groups.len() == 1 {
            let assumed = if self.assumed { " (assumed)" } else { "" };
            let (names, own) = groups.remove(0);
            return vec![match SILENT.contains(&self.rule) {
                true => (format!("{names}{assumed}"), own.text.clone()),
                false => ("deployer".to_owned(), format!("{names}{assumed}")),
            }];
        }
        // The settings may lower the severity of a finding below that of its deployers.
        let severity = |own: &PerDeployer| own.severity.min(self.severity);
        let several = groups.iter().any(|(_, own)| severity(own) != self.severity);
        let line = |(names, own): (String, &PerDeployer)| match several {
            true if own.text.is_empty() => (names, severity(own).name().to_owned()),
            true => (format!("{names} ({})", severity(own).name()), own.text.clone()),
            false if own.text.is_empty() => (names, self.label.clone()),
            false => (names, own.text.clone()),
        };
        groups.into_iter().map(line).collect()
    }

    /// Groups the deployers under which the finding means the same.
    fn groups(&self) -> Vec<(String, &PerDeployer)> {
        let mut groups: Vec<(String, &PerDeployer)> = Vec::new();
        for own in &self.deployers {
            let same = |(_, other): &&mut (String, &PerDeployer)| {
                (other.severity, &other.text) == (own.severity, &own.text)
            };
            match groups.iter_mut().find(same) {
                Some((names, _)) => {
                    names.push_str(", ");
                    names.push_str(own.tool.title());
                }
                None => groups.push((own.tool.title().to_owned(), own)),
            }
        }
        groups
    }
}
