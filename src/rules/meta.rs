//! What a rule's page holds: `rules/<id>.yaml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::finding::{Applicability, Confidence, Severity};

/// A rule's page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Meta {
    pub id: String,
    /// What is true when it fires: the message of its findings unless they bring their own.
    pub summary: String,
    pub category: Category,
    pub severity: Severity,
    pub confidence: Confidence,
    /// What its fixes are, when it has some.
    pub fix: Option<Applicability>,
    pub since: String,
    #[serde(default)]
    pub persona: Persona,
    /// Depends on what deploys the object.
    #[serde(default)]
    pub deployer: bool,
    #[serde(default)]
    pub applies_to: Vec<String>,
    pub why: String,
    pub remedy: String,
    pub fix_safety: Option<String>,
    /// Error texts that a cluster or tool prints when this flaw strikes.
    #[serde(default)]
    pub symptom: Vec<String>,
    #[serde(default)]
    pub references: Vec<String>,
    /// Settings under `rules: {<id>: …}`.
    #[serde(default)]
    pub options: BTreeMap<String, OptionMeta>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Persona {
    #[default]
    Regular,
    /// Off unless `--pedantic`.
    Pedantic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    Recreation,
    Hooks,
    Correctness,
    Command,
    Gitops,
    Versions,
    Run,
}

impl Category {
    /// In the order of the catalogue.
    pub const ALL: [Category; 7] = [
        Category::Recreation,
        Category::Hooks,
        Category::Correctness,
        Category::Command,
        Category::Gitops,
        Category::Versions,
        Category::Run,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Category::Recreation => "recreation",
            Category::Hooks => "hooks",
            Category::Correctness => "correctness",
            Category::Command => "command",
            Category::Gitops => "gitops",
            Category::Versions => "versions",
            Category::Run => "run",
        }
    }

    /// The heading in the catalogue.
    pub fn title(self) -> &'static str {
        match self {
            Category::Recreation => "Recreation: will the next deploy work?",
            Category::Hooks => "Hooks: do they run, in the right order, again next time?",
            Category::Correctness => {
                "The Job itself: will the API server take it, and does it end?"
            }
            Category::Command => "The command: is running it twice safe?",
            Category::Gitops => "GitOps objects",
            Category::Versions => "Two versions",
            Category::Run => "The run",
        }
    }
}

/// An option of a rule, with its default.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionMeta {
    pub default: serde_json::Value,
    pub about: String,
}

/// A case that documents and tests the rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    pub name: String,
    /// For rules about two versions: the one that is deployed. Labels in it are marked as in `bad`.
    #[serde(default)]
    pub base: Option<Files>,
    /// Gives exactly the labels marked in its comments: `# ^^^^ text` under the span, `# <- text`
    /// for a span that starts in the column of the `#`.
    #[serde(default)]
    pub bad: Option<Files>,
    /// With `bad`: what the fix makes of it, or where there is none, a silent version. Alone: the
    /// nearest thing that is no finding.
    #[serde(default)]
    pub good: Option<Files>,
    /// As the flags: deployers in force; kubectl when absent.
    #[serde(default)]
    pub deployer: Vec<String>,
    /// Text of a settings file.
    #[serde(default)]
    pub settings: Option<String>,
    #[serde(default)]
    pub pedantic: bool,
}

/// One file, or several by path.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Files {
    One(String),
    Many(BTreeMap<String, String>),
}

impl Files {
    /// Path and text of every file; a single one is `manifest.yaml`.
    pub fn each(&self) -> Vec<(&str, &str)> {
        match self {
            Files::One(text) => vec![("manifest.yaml", text)],
            Files::Many(files) => files.iter().map(|(path, text)| (&**path, &**text)).collect(),
        }
    }
}

impl Meta {
    /// True when an error text that somebody saw is one of the rule's symptoms; `…` in a symptom
    /// stands for anything.
    pub fn predicts(&self, error: &str) -> bool {
        let error = error.to_lowercase();
        self.symptom.iter().any(|symptom| {
            let symptom = symptom.to_lowercase();
            let mut rest = error.as_str();
            symptom
                .split('…')
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .all(|part| rest.find(part).map(|at| rest = &rest[at + part.len()..]).is_some())
        })
    }

    /// The first sentence of the remedy: the help of findings that bring none.
    pub fn help(&self) -> String {
        let text = self.remedy.split_whitespace().collect::<Vec<_>>().join(" ");
        let end = text.find(". ").unwrap_or(text.len());
        text[..end].trim_end_matches('.').to_owned()
    }
}
