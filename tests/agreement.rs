//! Rules and forecast answer the same questions: over all rules' examples, under every deployer, they never
//! disagree.

#![allow(clippy::unwrap_used)]

use std::{collections::BTreeMap, sync::Arc};

use joblint::{
    check::run_rules,
    deploy::{Deployer, Event, Outcome, Tool, Work, classify, forecast, replaces},
    finding::{Confidence, Severity},
    object::Object,
    release_changes::Churn,
    rules::{self, Example},
    settings::Settings,
    unit::{Context, UnitKind},
    workload::Workload,
};
use yaml_spans::{self as yaml, Source};

/// Deployers that between them bring about every answer.
const DEPLOYERS: &[&str] = &[
    "helm3",
    "helm4",
    "helm4:apply=csa",
    "argocd",
    "argocd:selfHeal=true",
    "argocd:replace=true",
    "argocd:force=true",
    "flux",
    "flux:force=true,prune=true",
    "flux:kind=HelmRelease",
    "flux:kind=HelmRelease,driftDetection=enabled",
    "flux:kind=HelmRelease,driftDetection=warn",
    "fleet",
    "fleet:correctDrift=true",
    "fleet:version=0.14",
    "kubectl",
    "kubectl:mode=create",
    "kubectl:mode=replace",
];

/// The objects of all examples, without their marker comments.
fn objects() -> Vec<(String, Object)> {
    let mut all = Vec::new();
    for rule in rules::all() {
        for example in &rule.examples() {
            for text in texts(example) {
                for document in yaml::parse(&text).into_iter().flatten() {
                    let source = Arc::new(Source::new("a.yaml", text.clone()));
                    let object = Object::new(&source, document.root, document.span);
                    let named = |object| (format!("{}: {}", rule.id, example.name), object);
                    all.extend(object.into_iter().flat_map(Object::expand).map(named));
                }
            }
        }
    }
    all
}

fn texts(example: &Example) -> Vec<String> {
    let files = [&example.bad, &example.good].into_iter().flatten();
    let is_mark = |line: &&str| {
        let comment = line.trim_start().strip_prefix('#').unwrap_or_default().trim_start();
        comment.starts_with('^') || comment.starts_with("<- ")
    };
    let clean = |text: &str| {
        text.lines().filter(|line| !is_mark(line)).collect::<Vec<_>>().join("\n") + "\n"
    };
    files.flat_map(|files| files.each().into_iter().map(|(_, text)| clean(text))).collect()
}

/// What the rules find about one object, by rule.
fn found(
    object: &Object,
    deployer: &Deployer,
    settings: &Settings,
) -> BTreeMap<&'static str, bool> {
    let (objects, deployers) = ([object.clone()], [deployer.clone()]);
    let context = context(&objects, &deployers, settings);
    let mut found = BTreeMap::new();
    for (rule, _, finding) in run_rules(&context) {
        let tools = || finding.deployers.iter().any(|own| own.tool == deployer.tool);
        if finding.deployers.is_empty() || tools() {
            found.insert(rule.id, true);
        }
    }
    found
}

fn context<'a>(
    objects: &'a [Object],
    deployers: &'a [Deployer],
    settings: &'a Settings,
) -> Context<'a> {
    Context {
        kind: UnitKind::Plain,
        objects,
        deployers,
        together: true,
        deployments: &[],
        counts: Default::default(),
        kubernetes: Default::default(),
        settings,
    }
}

struct Case<'a> {
    object: &'a Object,
    deployer: &'a Deployer,
    work: Work<'a>,
    /// The name of a plain Job repeats a version.
    varies: bool,
}

impl Case<'_> {
    fn at(&self, event: Event) -> Option<Outcome> {
        let churn = Churn::edited(self.object);
        forecast(&self.work, &churn, self.deployer, event).map(|forecast| forecast.outcome)
    }

    fn is_hook(&self) -> bool {
        self.work.role.hook().is_some()
    }

    fn ttl(&self) -> bool {
        self.work.ttl().is_some_and(|ttl| ttl.value.as_int().is_some())
    }
}

/// What a rule says, in the words of the forecast.
type Claim = fn(&Case<'_>) -> bool;

/// A rule fires exactly when its claim holds.
const CLAIMS: &[(&str, Claim)] = &[
    ("ttl-reruns", |case| {
        case.ttl()
            && case.object.name().is_some()
            && case.at(Event::AfterTtl) == Some(Outcome::Loop)
    }),
    ("ttl-out-of-sync", |case| {
        case.ttl()
            && case.object.name().is_some()
            && case.at(Event::AfterTtl) == Some(Outcome::Drift)
    }),
    ("unreplaceable-job", |case| {
        let gitops = case.deployer.tool.is_gitops() && !case.is_hook();
        // `replace-without-force` speaks of what `Replace=true` does.
        let put = replaces(case.object, case.deployer);
        gitops && !put && !case.varies && case.work.ttl().is_none() && stuck(case)
    }),
    ("replace-without-force", |case| {
        case.deployer.tool == Tool::Argocd
            && !case.is_hook()
            && replaces(case.object, case.deployer)
            && case.at(Event::Redeploy) == Some(Outcome::Rejected)
    }),
];

/// The next change of it is rejected, for being a change.
fn stuck(case: &Case<'_>) -> bool {
    case.object.name().is_some()
        && case.at(Event::Upgrade) == Some(Outcome::Rejected)
        && case.at(Event::Redeploy) != Some(Outcome::Rejected)
}

#[test]
fn rules_and_forecast_never_disagree() {
    let settings = Settings { pedantic: true, ..Settings::default() };
    let (mut asked, mut wrong) = (0, Vec::new());
    for (name, object) in &objects() {
        for text in DEPLOYERS {
            let deployer: Deployer = text.parse().unwrap();
            let role = classify(object, &deployer, false);
            let Some(work) = Work::new(object, role, false) else { continue };
            let (objects, deployers) = ([object.clone()], [deployer.clone()]);
            let context = context(&objects, &deployers, &settings);
            let workload = Workload::new(&objects[0], &context);
            let varies = workload.is_some_and(|workload| workload.has_varying_name());
            let case = Case { object, deployer: &deployer, work, varies };
            // What is refused for another reason, or never deployed, has no second deploy.
            if !matches!(case.at(Event::Install), Some(Outcome::Runs | Outcome::Loop)) {
                continue;
            }
            let found = found(object, &deployer, &settings);
            for (rule, claim) in CLAIMS {
                asked += 1;
                let (says, holds) = (found.contains_key(rule), claim(&case));
                if says != holds {
                    wrong.push(format!("{rule}: rule {says}, forecast {holds}, {text}, {name}"));
                }
            }
            check_one_way(&case, &found, name, text, &mut wrong);
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} of {asked}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(asked > 1000, "{asked}");
}

/// A command that must not run twice is an error exactly where the forecast has it run again.
#[test]
fn hazards_are_errors_where_the_forecast_runs_them_again() {
    const RULES: [&str; 2] = ["not-idempotent", "destroys-data"];
    const EVENTS: [Event; 4] = [Event::Redeploy, Event::AfterTtl, Event::Upgrade, Event::Rollback];
    let settings = Settings { pedantic: true, ..Settings::default() };
    let (mut errors, mut others, mut wrong) = (0, 0, Vec::new());
    for (name, object) in &objects() {
        for text in DEPLOYERS {
            let deployer: Deployer = text.parse().unwrap();
            let role = classify(object, &deployer, false);
            let Some(work) = Work::new(object, role, false) else { continue };
            let (objects, deployers) = ([object.clone()], [deployer.clone()]);
            let context = context(&objects, &deployers, &settings);
            let runs = |event: &Event| {
                let churn = Churn::edited(object);
                forecast(&work, &churn, &deployer, *event).is_some_and(|one| one.outcome.starts())
            };
            let again = object.kind() == "Job" && EVENTS.iter().any(runs);
            for (rule, _, finding) in run_rules(&context) {
                let sure = finding.confidence == Some(Confidence::High);
                let Some(severity) = finding.severity else { continue };
                if !RULES.contains(&rule.id) || !sure {
                    continue;
                }
                let error = severity == Severity::Error;
                *(if error { &mut errors } else { &mut others }) += 1;
                if error != again {
                    wrong.push(format!("{}: {severity:?}, again {again}, {text}, {name}", rule.id));
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(errors > 50 && others > 50, "{errors} errors, {others} others");
}

/// Rules that warn of more than one event, or stay silent where another rule speaks.
fn check_one_way(
    case: &Case<'_>,
    found: &BTreeMap<&'static str, bool>,
    name: &str,
    text: &str,
    wrong: &mut Vec<String>,
) {
    const STALE: [Outcome; 3] = [Outcome::Blocked, Outcome::FalseSuccess, Outcome::Rejected];
    let again = Churn::default();
    let stale = |event| {
        let unchanged =
            forecast(&case.work, &again, case.deployer, event).map(|found| found.outcome);
        [case.at(event), unchanged].into_iter().flatten().any(|outcome| STALE.contains(&outcome))
    };
    let events = [
        Event::Redeploy,
        Event::Upgrade,
        Event::AfterFailure,
        Event::WhileRunning,
        Event::Uninstall,
        Event::Rollback,
    ];
    if found.contains_key("stale-hook-blocks") && !events.into_iter().any(stale) {
        // Hooks of the deletion come once; an install-only hook meets its leftover at the next install.
        let once = case.work.role.hook().is_some_and(|hook| {
            hook.only(&["pre-install", "post-install", "pre-delete", "post-delete", "test"])
        });
        if !once {
            wrong.push(format!("stale-hook-blocks: nothing is stale, {text}, {name}"));
        }
    }
    let blocks = [Event::Redeploy, Event::AfterFailure].into_iter().any(stale);
    let policy = "stale-hook-blocks";
    let misread = found.contains_key("unknown-delete-policy");
    let suspended = case.work.is_suspended();
    let named = case.object.name().is_some();
    if blocks && case.is_hook() && named && !suspended && !misread && !found.contains_key(policy) {
        wrong.push(format!("{policy}: silent, forecast stale, {text}, {name}"));
    }
    // A TTL is what lets the next deploy run it again.
    if found.contains_key("missing-ttl") && case.at(Event::AfterTtl).is_some() {
        wrong.push(format!("missing-ttl: there is one, {text}, {name}"));
    }
}

/// Texts as observed, and a rule that has to know them.
const ERRORS: &[(&str, &str)] = &[
    (
        "Error: UPGRADE FAILED: cannot patch \"mig\" with kind Job: Job.batch \"mig\" is invalid: \
         spec.template: Invalid value: {}: field is immutable",
        "missing-ttl",
    ),
    (
        "server-side apply failed for object h01/mig batch/v1, Kind=Job: Job.batch \"mig\" is invalid: \
         spec.template: Invalid value: {}: field is immutable",
        "unreplaceable-job",
    ),
    ("Job/k01/mig dry-run failed (Invalid): Job.batch \"mig\" is invalid", "unreplaceable-job"),
    (
        "failed to replace object: Job.batch \"mig\" is invalid: [spec.selector: Required value",
        "replace-without-force",
    ),
    ("jobs.batch \"hk\" already exists", "stale-hook-blocks"),
    (
        "Cluster state of release h05a/r.v1 has drifted from the desired state:\nJob/h05a/mig removed",
        "ttl-reruns",
    ),
    ("Ready=False Error: job.batch f02/mig missing", "ttl-out-of-sync"),
    ("error: from gen-: cannot use generate name with apply", "generate-name"),
    ("failed post-install: resource name may not be empty", "hook-with-generate-name"),
    (
        "manifest_sorter.go:199: info: skipping unknown hook: \"post-install,\"",
        "unknown-hook-event",
    ),
];

#[test]
fn errors_lead_to_the_rules_that_predict_them() {
    for (error, rule) in ERRORS {
        let rule = rules::find(rule).unwrap();
        assert!(rule.meta().predicts(error), "{}: {error}", rule.id);
    }
}
