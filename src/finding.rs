//! What a rule says, first as the rule raises it, then located in the files a person wrote.

use std::sync::Arc;

use job_lifecycle::{Deployer, Tool, deployer::OptionName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use yaml_spans::{Edit, Source, Span};

pub use shell_effects::Confidence;

/// How bad it is; ordered, `Info` lowest.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Info,
    Warning,
    Error,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Who may apply a fix: nobody (shown only), a person who reads it, or the machine.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Applicability {
    Display,
    Unsafe,
    Safe,
}

impl Applicability {
    pub fn name(self) -> &'static str {
        match self {
            Applicability::Display => "display",
            Applicability::Unsafe => "unsafe",
            Applicability::Safe => "safe",
        }
    }
}

/// A finding as a rule raises it. Spans are in the text of the object that the rule looked at,
/// unless a label names another source.
#[derive(Clone, Debug)]
pub struct Finding {
    pub span: Span,
    /// What is wrong at the span, in the user's words and values.
    pub label: String,
    /// The rule's summary when absent.
    pub message: Option<String>,
    /// The first sentence of the rule's remedy when absent.
    pub help: Option<String>,
    /// The rule's default when absent.
    pub severity: Option<Severity>,
    pub confidence: Option<Confidence>,
    /// Shown with `--pedantic` only, or always; as the rule's persona says when absent.
    pub pedantic: Option<bool>,
    pub secondary: Vec<Label>,
    pub fixes: Vec<RaisedFix>,
    /// The deployers it holds for; empty: whatever deploys the object.
    pub deployers: Vec<PerDeployer>,
    /// Its labels say where things come from: the helpers and values behind the span need none.
    pub is_explained: bool,
}

/// A secondary place: the cause, the other half of a conflict.
#[derive(Clone, Debug)]
pub struct Label {
    /// The source of the looked-at object when absent.
    pub source: Option<Arc<Source>>,
    pub span: Span,
    pub text: String,
}

/// What a finding means under one deployer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerDeployer {
    pub tool: Tool,
    pub severity: Severity,
    pub text: String,
}

impl PerDeployer {
    pub fn new(tool: Tool, severity: Severity, text: impl Into<String>) -> Self {
        Self { tool, severity, text: text.into() }
    }

    /// What all of them say; `None` when they differ.
    pub fn common(all: &[Self]) -> Option<&str> {
        let first = &all.first()?.text;
        all.iter().all(|one| one.text == *first).then_some(first)
    }

    /// Whom the first verdict is about, as messages name them: Helm when both versions do the same.
    pub fn subject(verdicts: &[PerDeployer]) -> &'static str {
        match verdicts {
            [first, second, ..]
                if (first.tool, second.tool) == (Tool::Helm3, Tool::Helm4)
                    && first.text == second.text =>
            {
                "Helm"
            }
            [first, ..] => first.tool.title(),
            [] => "",
        }
    }
}

/// A fix in the text of the looked-at object, or in the template behind it.
#[derive(Clone, Debug)]
pub struct RaisedFix {
    pub title: String,
    pub applicability: Applicability,
    /// The template; such a fix has to be [proven](crate::template_fix::is_proven).
    pub source: Option<Arc<Source>>,
    pub edits: Vec<Edit>,
}

impl Finding {
    pub fn new(span: Span, label: impl Into<String>) -> Self {
        Self {
            span,
            label: label.into(),
            message: None,
            help: None,
            severity: None,
            confidence: None,
            pedantic: None,
            secondary: Vec::new(),
            fixes: Vec::new(),
            deployers: Vec::new(),
            is_explained: false,
        }
    }

    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    pub fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = Some(confidence);
        self
    }

    pub fn pedantic(mut self) -> Self {
        self.pedantic = Some(true);
        self
    }

    /// Without labels for the helpers and values behind the span.
    pub fn explained(mut self) -> Self {
        self.is_explained = true;
        self
    }

    /// Shown without `--pedantic` too, whatever the rule's persona.
    pub fn regular(mut self) -> Self {
        self.pedantic = Some(false);
        self
    }

    /// A secondary label in the same text.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { source: None, span, text: text.into() });
        self
    }

    /// A secondary label in another text.
    pub fn label_in(mut self, source: &Arc<Source>, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { source: Some(source.clone()), span, text: text.into() });
        self
    }

    /// A secondary label where a GitOps object sets the option of the deployer that decides.
    pub fn because(self, deployer: &Deployer, option: OptionName, effect: &str) -> Self {
        let Some(at) = deployer.because(option) else { return self };
        let written = at.source.slice(at.span).lines().next().unwrap_or_default();
        self.label_in(&at.source, at.span, format!("`{written}` here {effect}"))
    }

    pub fn fix(self, title: impl Into<String>, applicability: Applicability, edit: Edit) -> Self {
        self.fix_all(title, applicability, vec![edit])
    }

    /// A fix where there is an edit for it.
    pub fn fix_if(
        self,
        title: impl Into<String>,
        applicability: Applicability,
        edit: Option<Edit>,
    ) -> Self {
        match edit {
            Some(edit) => self.fix(title, applicability, edit),
            None => self,
        }
    }

    /// A fix of several edits that only make sense together.
    pub fn fix_all(
        mut self,
        title: impl Into<String>,
        applicability: Applicability,
        edits: Vec<Edit>,
    ) -> Self {
        self.fixes.push(RaisedFix { title: title.into(), applicability, source: None, edits });
        self
    }

    /// What it means under each deployer; the worst of them is the finding's severity unless one is set.
    pub fn deployers(mut self, deployers: Vec<PerDeployer>) -> Self {
        self.severity = self.severity.or(deployers.iter().map(|one| one.severity).max());
        self.deployers = deployers;
        self
    }
}
