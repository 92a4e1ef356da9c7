//! The format of a rule's page, `rules/<id>.yaml`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::{Applicability, Confidence, Severity};

/// A rule's page without its examples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Meta {
    /// The id, also the name of the file.
    pub id: String,
    /// The general statement: the message of findings without their own.
    pub summary: String,
    /// The section of the catalogue.
    pub category: Category,
    /// The severity of findings without their own.
    pub severity: Severity,
    /// The confidence of findings without their own.
    pub confidence: Confidence,
    /// The best applicability of its fixes; absent if it has none.
    pub fix: Option<Applicability>,
    /// The version of joblint that introduced it.
    pub since: String,
    /// Who gets its findings unless they state it themselves.
    #[serde(default)]
    pub persona: Persona,
    /// Whether its findings depend on the deployer.
    #[serde(default)]
    pub deployer: bool,
    /// The kinds that it checks.
    #[serde(default)]
    pub applies_to: Vec<String>,
    /// What goes wrong, in Markdown.
    pub why: String,
    /// What to do, in Markdown; see [`Meta::help`] for its first sentence.
    pub remedy: String,
    /// Why its fixes are safe or unsafe, in Markdown.
    pub fix_safety: Option<String>,
    /// Error texts of a cluster or tool that this flaw causes; `…` stands for any text.
    #[serde(default)]
    pub symptom: Vec<String>,
    /// Addresses with the sources of its facts.
    #[serde(default)]
    pub references: Vec<String>,
    /// Settings under `rules: {<id>: …}`.
    #[serde(default)]
    pub options: BTreeMap<String, OptionMeta>,
}

/// Who gets the findings of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Persona {
    /// Everybody.
    #[default]
    Regular,
    /// Only users of `--pedantic`.
    Pedantic,
}

/// A section of the rule catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Jobs that the next deploy cannot update or runs again.
    Recreation,
    /// Deploy hooks.
    Hooks,
    /// Invalid or unfinished Jobs.
    Correctness,
    /// The commands of containers.
    Command,
    /// GitOps objects.
    Gitops,
    /// The comparison of two versions.
    Versions,
    /// The policies and rules of the user.
    Policy,
    /// The run of joblint itself.
    Run,
}

impl Category {
    /// All categories in the order of the catalogue.
    pub const ALL: [Category; 8] = [
        Category::Recreation,
        Category::Hooks,
        Category::Correctness,
        Category::Command,
        Category::Gitops,
        Category::Versions,
        Category::Policy,
        Category::Run,
    ];

    /// The name in rule files and output.
    pub fn name(self) -> &'static str {
        match self {
            Category::Recreation => "recreation",
            Category::Hooks => "hooks",
            Category::Correctness => "correctness",
            Category::Command => "command",
            Category::Gitops => "gitops",
            Category::Versions => "versions",
            Category::Policy => "policy",
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
            Category::Policy => "Policies",
            Category::Run => "The run",
        }
    }
}

/// An option of a rule, with its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionMeta {
    /// The default value.
    pub default: serde_json::Value,
    /// What the option sets, as a sentence.
    pub about: String,
}

/// A case that documents and tests a rule.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What the case shows.
    pub name: String,
    /// The deployed version, for rules about two versions. Labels are marked as in `bad`.
    #[serde(default)]
    pub base: Option<Files>,
    /// Files with findings. Comments mark exactly the expected labels: `# ^^^^ text` under the span, or `# <- text` for
    /// a span that starts in the column of the `#`.
    #[serde(default)]
    pub bad: Option<Files>,
    /// With `bad`: its files after the fix or, without a fix, a version without findings. Alone: the most similar
    /// case without a finding.
    #[serde(default)]
    pub good: Option<Files>,
    /// The deployers in force, as in `--deployer`; kubectl if empty.
    #[serde(default)]
    pub deployer: Vec<String>,
    /// The text of a settings file.
    #[serde(default)]
    pub settings: Option<String>,
    /// Whether its findings need `--pedantic`.
    #[serde(default)]
    pub pedantic: bool,
}

/// One file, or several by path.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Files {
    /// The text of `manifest.yaml`.
    One(String),
    /// Texts by path.
    Many(BTreeMap<String, String>),
}

impl Files {
    /// The path and text of every file.
    pub fn each(&self) -> Vec<(&str, &str)> {
        match self {
            Files::One(text) => vec![("manifest.yaml", text)],
            Files::Many(files) => files.iter().map(|(path, text)| (&**path, &**text)).collect(),
        }
    }
}

impl Meta {
    /// True when an error text contains one of the rule's symptoms, regardless of case.
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

    /// Severity, confidence and fix on one line.
    pub fn facts(&self) -> String {
        let mut facts =
            vec![self.severity.name().to_owned(), format!("{} confidence", self.confidence.name())];
        if self.persona == Persona::Pedantic {
            facts.push("only with --pedantic".to_owned());
        }
        if self.deployer {
            facts.push("depends on the deployer".to_owned());
        }
        match self.fix {
            Some(Applicability::Safe) => facts.push("fixed by --fix".to_owned()),
            Some(Applicability::Unsafe) => facts.push("fixed by --fix --unsafe-fixes".to_owned()),
            Some(Applicability::Display) | None => {}
        }
        facts.join(" · ")
    }

    /// The first sentence of `remedy`: the help of findings without their own.
    pub fn help(&self) -> String {
        let text = self.remedy.split_whitespace().collect::<Vec<_>>().join(" ");
        let end = text.find(". ").unwrap_or(text.len());
        text[..end].trim_end_matches('.').to_owned()
    }
}
