//! The flags of `joblint check`, `joblint fix` and `joblint baseline`.

use std::{
    convert::Infallible,
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::{
    ValueEnum,
    builder::{PossibleValue, TypedValueParser},
};
use job_lifecycle::{Deployer, Tool, kubernetes::Version, suggest::nearest};

use super::{ValueArgs, named};
use crate::{
    exclude::Exclude,
    finding::{Confidence, Severity},
    glob::GlobError,
    report::{Color, Format},
    rules,
    shard::Shard,
};

/// The arguments of `joblint check`, `joblint fix` and `joblint baseline`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// Files and folders to check; `-` reads standard input [default: .]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The file name of standard input
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_filename: Option<PathBuf>,

    /// Apply fixes that cannot change what a manifest means
    #[arg(long, help_heading = "Fixes")]
    pub(crate) fix: bool,
    /// With --fix or --diff: include fixes that need a review
    #[arg(long, help_heading = "Fixes")]
    pub(crate) unsafe_fixes: bool,
    /// Print what the fixes would change instead of changing it
    #[arg(long, help_heading = "Fixes")]
    pub(crate) diff: bool,
    /// Write a comment that ignores each finding that is left, with this reason
    ///
    /// The comments change no object. With --diff they are only shown; with --fix the fixes come first.
    #[arg(long, value_name = "REASON", value_parser = reason, conflicts_with = "no_ignores", help_heading = "Fixes")]
    pub(crate) add_ignore: Option<String>,

    /// What deploys the objects, with its options; repeatable [default: detected]
    ///
    /// TOOL is helm3, helm4, argocd, flux, fleet or kubectl, for example
    /// `argocd:selfHeal=true,version=3.2`.
    #[arg(long, value_name = "TOOL[:OPTION=VALUE,…]", value_parser = deployer(), hide_possible_values = true, help_heading = "What is checked")]
    pub(crate) deployer: Vec<Deployer>,
    /// The Kubernetes version of the cluster [default: the newest known]
    #[arg(long, value_name = "VERSION", help_heading = "What is checked")]
    pub(crate) kube_version: Option<Version>,
    /// The settings file, instead of the nearest `.joblint.yaml`
    #[arg(long, value_name = "FILE", help_heading = "What is checked")]
    pub(crate) config: Option<PathBuf>,

    /// Leave out files and folders that match; repeatable, added to those of the settings
    ///
    /// A glob without `/` matches names at any depth, every other one paths relative to this folder.
    #[arg(long, value_name = "GLOB", value_parser = glob, help_heading = "What is checked")]
    pub(crate) exclude: Vec<String>,
    /// Print the files to check, and stop
    #[arg(long, help_heading = "What is checked")]
    pub(crate) list_files: bool,
    /// Check again whenever a file changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["stdin_filename", "fix", "diff", "add_ignore", "list_files", "shard"], help_heading = "What is checked")]
    pub(crate) watch: bool,
    /// Check one of several equal parts, such as 2/5; `joblint merge` joins the results
    #[arg(long, value_name = "N/OF", conflicts_with_all = ["fix", "diff", "add_ignore", "list_files"], help_heading = "What is checked")]
    pub(crate) shard: Option<Shard>,

    #[command(flatten)]
    pub(crate) values: ValueArgs,

    /// Run only these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = rule(), hide_possible_values = true, help_heading = "Rules")]
    pub(crate) select: Vec<String>,
    /// Do not run these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = rule(), hide_possible_values = true, help_heading = "Rules")]
    pub(crate) ignore: Vec<String>,
    /// Also report pedantic findings
    #[arg(long, help_heading = "Rules")]
    pub(crate) pedantic: bool,
    /// Report findings of this severity or higher
    #[arg(long, value_name = "SEVERITY", help_heading = "Rules")]
    pub(crate) min_severity: Option<Severity>,
    /// Report findings of this confidence or higher
    #[arg(long, value_name = "CONFIDENCE", value_parser = named::confidence(), help_heading = "Rules")]
    pub(crate) min_confidence: Option<Confidence>,
    /// Exit with 1 on findings of this severity or higher [default: warning]
    #[arg(long, value_name = "SEVERITY", help_heading = "Rules")]
    pub(crate) fail_on: Option<Severity>,
    /// Exit with 0 even if findings are left; incomplete checks still exit with 2
    #[arg(long, help_heading = "Rules")]
    pub(crate) exit_zero: bool,
    /// Report incomplete checks as errors
    #[arg(long, help_heading = "Rules")]
    pub(crate) strict: bool,
    /// The file with accepted findings, instead of that of the settings
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    pub(crate) baseline: Option<PathBuf>,
    /// Also report findings that comments, annotations, settings or the baseline ignore
    #[arg(long, help_heading = "Rules")]
    pub(crate) no_ignores: bool,

    /// The output format, optionally with a file to write to; repeatable [default: full]
    #[arg(long, value_name = "FORMAT[=PATH]", value_parser = output(), hide_possible_values = true, help_heading = "Output")]
    pub(crate) output: Vec<Output>,
    /// Count findings by rule instead of printing them
    #[arg(long, help_heading = "Output")]
    pub(crate) statistics: bool,
    /// When to use colours and links
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) color: Color,
    /// Print findings only
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Say what was read and why
    #[arg(long, short, conflicts_with = "quiet", help_heading = "Output")]
    pub(crate) verbose: bool,
}

impl CheckArgs {
    /// Whether files are changed, or the changes shown.
    pub(crate) fn edits(&self) -> bool {
        self.fix || self.diff || self.add_ignore.is_some()
    }
}

/// An output format and the file to write it to; `None` is standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) path: Option<PathBuf>,
}

impl FromStr for Output {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let (format, path) = match text.split_once('=') {
            Some((format, path)) => (format, Some(PathBuf::from(path))),
            None => (text, None),
        };
        let format = Format::from_str(format, false).map_err(|_| UnknownFormat)?;
        Ok(Self { format, path })
    }
}

/// `--output` names no format.
#[derive(Debug)]
pub(crate) struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> =
            Format::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
        let names: Vec<_> = known.iter().map(|value| value.get_name()).collect();
        write!(f, "unknown format, expected one of {}", names.join(", "))
    }
}

impl std::error::Error for UnknownFormat {}

/// Checks a glob.
pub(super) fn glob(text: &str) -> Result<String, GlobError> {
    Exclude::new(text, Path::new("")).map(|exclude| exclude.text().to_owned())
}

/// The reason of an ignore, as a comment of YAML and of a template can hold it.
fn reason(text: &str) -> Result<String, UnfitReason> {
    let is_said = text.contains(char::is_alphanumeric);
    let ends_comment =
        text.contains(char::is_control) || ["*/", "{{", "}}"].iter().any(|end| text.contains(end));
    match is_said && !ends_comment {
        true => Ok(text.trim().to_owned()),
        false => Err(UnfitReason),
    }
}

/// The reason of `--add-ignore` says nothing, or does not fit into a comment.
#[derive(Debug)]
struct UnfitReason;

impl fmt::Display for UnfitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a reason is one line of words, without `*/`, `{{` and `}}`")
    }
}

impl std::error::Error for UnfitReason {}

/// An existing rule.
pub(super) fn rule() -> impl TypedValueParser<Value = String> {
    let values = || rules::all().iter().map(|rule| PossibleValue::new(rule.id)).collect();
    named::suggesting(existing_rule, values)
}

/// A rule or any other text.
pub(crate) fn rule_or_text() -> impl TypedValueParser<Value = String> {
    let values = || rules::all().iter().map(|rule| PossibleValue::new(rule.id)).collect();
    named::suggesting(|text: &str| Ok::<_, Infallible>(text.to_owned()), values)
}

/// A format, with a path after `=`.
pub(super) fn output() -> impl TypedValueParser<Value = Output> {
    let known = || Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    named::suggesting(Output::from_str, move || known().collect())
}

/// A deployer with its options.
pub(super) fn deployer() -> impl TypedValueParser<Value = Deployer> {
    let values = || Tool::ALL.iter().map(|tool| PossibleValue::new(tool.name())).collect();
    named::suggesting(Deployer::from_str, values)
}

fn existing_rule(text: &str) -> Result<String, UnknownRule> {
    if rules::find(text).is_some() {
        return Ok(text.to_owned());
    }
    Err(UnknownRule { near: nearest(text, rules::all().iter().map(|rule| rule.id)) })
}

/// `--select` or `--ignore` names no rule.
#[derive(Debug)]
pub(super) struct UnknownRule {
    /// The rule with the most similar id.
    near: Option<&'static str>,
}

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.near {
            Some(near) => write!(f, "there is no such rule, did you mean `{near}`?"),
            None => write!(f, "there is no such rule; `joblint rules` lists them all"),
        }
    }
}

impl std::error::Error for UnknownRule {}
