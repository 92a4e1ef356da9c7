//! What a finding means under the deployers it holds for.

use crate::finding::{Located, PerDeployer};

impl Located {
    /// The deployers one by one, where there is more to say than their names.
    pub(super) fn differing(&self) -> &[PerDeployer] {
        let plain = |own: &PerDeployer| own.text.is_empty() && own.severity == self.severity;
        if self.deployers.iter().all(plain) { &[] } else { &self.deployers }
    }

    /// Lines for people: who, and what it means there. Deployers with the same text share one.
    pub(super) fn by_deployer(&self) -> Vec<(String, String)> {
        let mut lines: Vec<(String, &PerDeployer)> = Vec::new();
        for own in &self.deployers {
            let same = |(_, other): &&mut (String, &PerDeployer)| {
                (other.severity, &other.text) == (own.severity, &own.text)
            };
            match lines.iter_mut().find(same) {
                Some((names, _)) => {
                    names.push_str(", ");
                    names.push_str(own.tool.title());
                }
                None => lines.push((own.tool.title().to_owned(), own)),
            }
        }
        let several = lines.iter().any(|(_, own)| own.severity != self.severity);
        let line = |(names, own): (String, &PerDeployer)| match own.text.is_empty() {
            true if several => (own.severity.name().to_owned(), format!("under {names}")),
            true => ("deployer".to_owned(), names),
            false if several => (format!("{names} ({})", own.severity.name()), own.text.clone()),
            false => (names, own.text.clone()),
        };
        lines.into_iter().map(line).collect()
    }
}
