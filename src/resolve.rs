//! Turns raised findings into diagnostics: fills in defaults and traces spans to files.

use std::{collections::BTreeSet, sync::Arc};

use job_lifecycle::{Object, workload::is_work};
use yaml_spans::{Location, Source};

use crate::{
    context::Context,
    diagnostic::{Diagnostic, Fix},
    finding::{Confidence, RaisedFix, Severity},
    fix::{self, Allowance},
    placeholders,
    rules::{Category, Raised, Rule, stale_hook_blocks},
    settings::Settings,
    unit::UnitKind,
    words::{sentence, varying_name},
};

/// How much a finding counts after the settings.
struct Grade {
    severity: Severity,
    confidence: Confidence,
    /// The deployer is assumed.
    assumed: bool,
    /// Not reported.
    hidden: bool,
}

impl Grade {
    fn of(raised: &Raised<'_>, context: &Context<'_>, settings: &Settings) -> Self {
        let Raised { rule, finding, .. } = raised;
        let meta = rule.meta();
        let of_rule = settings.rules.get(rule.id).and_then(|own| own.severity);
        let configured = finding.stated_severity.or(of_rule);
        let assumed = meta.deployer && context.deployers.iter().any(|deployer| deployer.assumed);
        let mut confidence = finding.confidence.unwrap_or(meta.confidence);
        if assumed {
            confidence = confidence.min(Confidence::Medium);
        }
        let own = finding.severity.unwrap_or(meta.severity);
        // What an object says wrongly is wrong under each deployer, and whoever enables it.
        let is_guess = meta.category != Category::Correctness
            && (context.tried || rests_on_guess(raised, context));
        // Nobody is known to deploy it so.
        let severity = configured.unwrap_or(match own {
            Severity::Error if is_guess => Severity::Warning,
            own => own,
        });
        let pedantic = raised.is_pedantic()
            || is_retired(raised.object, context)
            || is_fixture(severity, raised.object, context)
            // Nothing deploys it, and it is not work to look after either.
            || context.switched_off && !is_work(raised.object)
            || placeholders::is_left_open(raised, context)
            || context.tried && own == Severity::Info
            || meta.category == Category::Command && context.is_started_by_hand(raised.object)
            || is_shown_as_example(raised, context)
            || meta.category == Category::Correctness && is_of_no_environment(raised, context);
        let hidden = (pedantic && !settings.shows_pedantic(rule))
            || severity < settings.min_severity
            || confidence < settings.min_confidence;
        Self { severity, confidence, assumed, hidden }
    }
}

/// Folders whose manifests tests and developers apply to a cluster that goes with them.
const TESTS: [&str; 6] = ["e2e", "fixture", "fixtures", "hack", "testdata", "tests"];

/// Where Maven and Gradle keep what tests read
/// (<https://maven.apache.org/guides/introduction/introduction-to-the-standard-directory-layout.html>).
const INPUT_OF_TESTS: &str = "/src/test/resources/";

/// A folder of tests too, or that of an environment.
const TEST: &str = "test";

/// Folders of what is no longer in use, or not yet.
const RETIRED: [&str; 9] =
    ["archive", "archived", "attic", "deprecated", "draft", "obsolete", "old", "retired", "wip"];

/// The words in the names of the folders around an object, or around its chart.
fn folder_words(path: &str) -> impl Iterator<Item = &str> {
    let around = match path.rsplit_once("/templates/") {
        Some((chart, _)) => &path[..=chart.len()],
        None if path.starts_with("templates/") => "",
        None => path,
    };
    around.rsplit('/').skip(1).flat_map(|folder| folder.split(['-', '_', '.']))
}

/// True for what only a deployer does that nothing but the kind of a file suggests. A chart is for Helm.
fn rests_on_guess(raised: &Raised<'_>, context: &Context<'_>) -> bool {
    let is_of_deployer = !raised.finding.deployers.is_empty();
    !context.from_chart() && is_of_deployer && context.is_all_assumed()
}

/// True for a value of a chart that no environment takes: each sets another.
fn is_of_no_environment(raised: &Raised<'_>, context: &Context<'_>) -> bool {
    let Some(names) = context.names.filter(|_| context.from_chart()) else { return false };
    let Some(origin) = raised.object.source.origin.as_deref() else { return false };
    let inputs = origin.inputs(raised.finding.span);
    context.deployments.is_empty()
        && raised.finding.source.is_none()
        // No value changes what the template itself says.
        && origin.literal(raised.finding.span).is_none()
        && inputs.iter().any(|input| names.each_environment_sets(input))
}

/// Folders of what readers copy or try.
const EXAMPLES: [&str; 6] = ["demo", "docs", "example", "examples", "sample", "samples"];

/// True for what a deployer that nobody stated would do with an example: its reader chooses how to deploy it.
fn is_shown_as_example(raised: &Raised<'_>, context: &Context<'_>) -> bool {
    let mut words = folder_words(context.below_named(&raised.object.source.path));
    rests_on_guess(raised, context) && words.any(|word| EXAMPLES.contains(&word))
}

/// True for what its authors have put aside, or a chart that no cluster of today takes, and that nothing in the tree deploys.
fn is_retired(object: &Object, context: &Context<'_>) -> bool {
    context.deployments.is_empty()
        && (context.deprecated
            || context.is_always_of_old_cluster()
            || is_put_aside(context.below_named(&object.source.path)))
}

/// True for a path in a folder of what is not in use.
pub(crate) fn is_put_aside(path: &str) -> bool {
    folder_words(path).any(|word| RETIRED.contains(&word))
}

/// True for a path in a folder of what readers copy.
pub(crate) fn is_example(path: &str) -> bool {
    folder_words(path).any(|word| word.starts_with("example") || word.starts_with("sample"))
}

/// True for a manifest in a folder of tests that nothing in the tree deploys.
fn is_fixture(severity: Severity, object: &Object, context: &Context<'_>) -> bool {
    let may_be_environment = severity == Severity::Error || context.kind == UnitKind::Overlay;
    let is_of_tests = |word: &str| TESTS.contains(&word) || (word == TEST && !may_be_environment);
    let path = context.below_named(&object.source.path);
    context.deployments.is_empty()
        && (folder_words(path).any(is_of_tests) || format!("/{path}").contains(INPUT_OF_TESTS))
}

/// True when the settings hide a finding, wherever it is resolved to.
pub(crate) fn is_hidden(raised: &Raised<'_>, context: &Context<'_>, settings: &Settings) -> bool {
    Grade::of(raised, context, settings).hidden
}

/// The severity of a finding after the settings; `None` if they hide it.
pub(crate) fn reported(
    raised: &Raised<'_>,
    context: &Context<'_>,
    settings: &Settings,
) -> Option<Severity> {
    let Grade { severity, hidden, .. } = Grade::of(raised, context, settings);
    (!hidden).then_some(severity)
}

/// Resolves a finding that a rule raised about an object.
pub(crate) fn resolve(
    raised: Raised<'_>,
    context: &Context<'_>,
    settings: &Settings,
    allowance: &Allowance,
) -> Diagnostic {
    let Grade { severity, confidence, assumed, hidden } = Grade::of(&raised, context, settings);
    let Raised { rule, object, finding } = raised;
    let meta = rule.meta();
    let source = &object.source;
    let at = |own: Option<Arc<Source>>, span| Location {
        source: own.unwrap_or_else(|| source.clone()),
        span,
    };
    let mut located = Diagnostic {
        rule,
        severity,
        confidence,
        message: finding.message.unwrap_or_else(|| meta.summary.clone()),
        note: String::new(),
        help: sentence(&finding.help.unwrap_or_else(|| meta.help())),
        location: at(finding.source.clone(), finding.span),
        label: finding.label,
        secondary: finding
            .secondary
            .into_iter()
            .map(|label| (at(label.source, label.span), label.text))
            .collect(),
        // A `fleet.yaml` is not a Kubernetes object and has no kind.
        workload: Some(object.full_name()).filter(|name| !name.kind.is_empty()),
        named_at: named_at(object),
        also: Vec::new(),
        unit: Arc::default(),
        deployers: finding.deployers,
        assumed,
        fixes: finding
            .fixes
            .into_iter()
            .filter_map(|fix| located(fix, object, allowance))
            .collect(),
        fingerprint: String::new(),
        inputs: Vec::new(),
        value_sets: Vec::new(),
        raised_at: Vec::new(),
        unit_index: usize::MAX,
        is_absent: false,
        is_gap: false,
        is_undeployed: false,
        hidden,
    };
    let changes = context.changes.of(object).map(|changes| &**changes);
    if let (Some(name), Some(shown)) = (object.name(), varying_name(object, changes)) {
        let texts = [&mut located.message, &mut located.label, &mut located.help];
        texts.into_iter().for_each(|text| *text = text.replace(name, &shown));
        located.workload.iter_mut().for_each(|own| own.name = Some(shown.clone()));
    }
    trace(&mut located, finding.is_explained, finding.at_call);
    without_repeated(&located.location, &mut located.secondary);
    if finding.source.is_some() {
        located.raised_at.push(object.location());
    }
    located
}

/// How a label begins that says of another place what the finding says of its own.
const SAME: &str = "so ";

/// Drops labels that say the same about one place, which may be that of the finding or of another label: a template prints
/// its loop's body many times.
fn without_repeated(primary: &Location, labels: &mut Vec<(Location, String)>) {
    let place = |at: &Location| {
        let (path, start, end) = at.sort_key();
        (path.to_owned(), start, end)
    };
    let (mut places, mut seen) = (BTreeSet::from([place(primary)]), BTreeSet::new());
    labels.retain(|(at, text)| {
        let at = place(at);
        let repeats = text.starts_with(SAME) && places.contains(&at);
        places.insert(at.clone());
        !repeats && seen.insert((at, text.clone()))
    });
}

/// Where a person wrote the key of the object's name.
fn named_at(object: &Object) -> Option<Location> {
    let metadata = object.root.get("metadata")?;
    let entry = metadata.entry("name").or_else(|| metadata.entry("generateName"))?;
    Some(Location { source: object.source.clone(), span: entry.key_span }.written())
}

/// The fix with its file. `None` if the file is read-only or the edits are not sound.
fn located(fix: RaisedFix, object: &Object, allowance: &Allowance) -> Option<Fix> {
    let RaisedFix { title, applicability, source: template, edits } = fix;
    let source = match template {
        // Rendering or building again has proven it.
        Some(file) => file,
        None => {
            let own = &object.source;
            let is_sound = own.editable && fix::is_sound(own, object.document, &edits, allowance);
            is_sound.then(|| own.clone())?
        }
    };
    Some(Fix { title, applicability, source, edits })
}

/// Moves the locations of a finding from rendered texts to the files that people wrote. In fetched dependencies
/// only errors are reported, because nothing else can be fixed in this repository; of a delete policy, only what a value
/// reaches: no other version of the dependency is likely to have another one.
fn trace(finding: &mut Diagnostic, is_explained: bool, at_call: bool) {
    finding.raised_at.push(finding.location.clone());
    let is_elsewhere = finding.location.source.origin.is_none();
    if let Some(origin) = &finding.location.source.origin.clone() {
        let written = origin.written(finding.location.span);
        let call = at_call.then(|| origin.call(finding.location.span)).flatten();
        finding.location = match call {
            Some(call) => {
                finding.secondary.insert(0, (written.at, "written by this helper".to_owned()));
                call
            }
            None => written.at,
        };
        finding.inputs = written.inputs;
        let is_out_of_reach = || {
            *finding.rule == stale_hook_blocks::RULE
                && finding.location.source.path.ends_with("Chart.yaml")
        };
        finding.hidden |=
            written.is_foreign && (finding.severity < Severity::Error || is_out_of_reach());
        let causes = written.causes.into_iter().filter(|_| !is_explained);
        finding.secondary.extend(causes);
    }
    // The object of a finding in a kustomization is a label, so the way to it is not among the causes.
    let mut entries = Vec::new();
    for (at, _) in &mut finding.secondary {
        if let Some(origin) = at.source.origin.as_ref().filter(|_| is_elsewhere) {
            entries.extend(origin.entries(at.span));
        }
        *at = at.written();
    }
    finding.secondary.extend(entries);
}

/// A finding that the run itself raises, such as `unreadable` or `unused-ignore`, and no check of an object.
pub fn run_finding(
    rule: &'static Rule,
    location: Location,
    label: String,
    settings: &Settings,
) -> Diagnostic {
    let meta = rule.meta();
    let configured = settings.rules.get(rule.id).and_then(|own| own.severity);
    let severity = configured.unwrap_or(meta.severity);
    let pedantic = rule.is_pedantic() && !settings.shows_pedantic(rule);
    Diagnostic {
        rule,
        severity,
        confidence: Confidence::High,
        message: meta.summary.clone(),
        note: String::new(),
        help: sentence(&meta.help()),
        location: location.clone(),
        label,
        secondary: Vec::new(),
        workload: None,
        named_at: None,
        also: Vec::new(),
        unit: Arc::default(),
        deployers: Vec::new(),
        assumed: false,
        fixes: Vec::new(),
        fingerprint: String::new(),
        inputs: Vec::new(),
        value_sets: Vec::new(),
        raised_at: vec![location],
        unit_index: usize::MAX,
        is_absent: false,
        is_gap: false,
        is_undeployed: false,
        hidden: pedantic || severity < settings.min_severity || !settings.runs(rule),
    }
}
