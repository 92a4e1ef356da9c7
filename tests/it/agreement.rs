//! Rules and forecast agree about every example of every rule, under every deployer.

use std::{
    collections::BTreeSet,
    slice,
    sync::{Arc, LazyLock},
};

use job_lifecycle::{
    Deployer, Event, Object, Outcome, ReleaseChanges, Tool, classify,
    deploy::replaces,
    forecast::{DeployedWorkload, forecast},
};
use joblint::{
    context::Context,
    finding::{Confidence, Finding, Severity},
    rules::{self, Example, Raised, run},
    settings::Settings,
    unit::{PredictedChanges, UnitKind},
    workload::Subject,
};
use yaml_spans::{self as yaml, Source};

/// Deployers that together reach every outcome.
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

/// Plain manifests: nothing renders them.
static NO_CHANGES: LazyLock<PredictedChanges> = LazyLock::new(PredictedChanges::default);

/// One object under one deployer.
struct Case<'a> {
    /// Rule, example and deployer, for messages.
    title: String,
    object: &'a Object,
    deployer: &'a Deployer,
    work: DeployedWorkload<'a>,
    settings: &'a Settings,
    context: &'a Context<'a>,
}

/// Calls `check` with every workload of the examples under every deployer.
fn for_each_case(mut check: impl FnMut(&Case<'_>)) {
    let settings = Settings { pedantic: true, ..Settings::default() };
    let policy = settings.policy();
    for (name, object) in &objects() {
        for text in DEPLOYERS {
            let deployer: Deployer = text.parse().unwrap();
            let role = classify(object, &deployer, false);
            let Some(work) = DeployedWorkload::new(object, role, false) else { continue };
            let context = Context {
                kind: UnitKind::Plain,
                objects: slice::from_ref(object),
                deployers: slice::from_ref(&deployer),
                together: true,
                deployments: &[],
                counts: Default::default(),
                kubernetes: Default::default(),
                changes: &NO_CHANGES,
                policy: &policy,
            };
            let title = format!("{text}, {name}");
            check(&Case {
                title,
                object,
                deployer: &deployer,
                work,
                settings: &settings,
                context: &context,
            });
        }
    }
}

impl Case<'_> {
    /// The rules that report something about this deployer.
    fn found(&self) -> BTreeSet<&'static str> {
        let concerns = |finding: &Finding| {
            let mut tools = finding.deployers.iter().map(|own| own.tool);
            finding.deployers.is_empty() || tools.any(|tool| tool == self.deployer.tool)
        };
        let raised = self.raised().into_iter();
        raised.filter(|raised| concerns(&raised.finding)).map(|raised| raised.rule.id).collect()
    }

    fn raised(&self) -> Vec<Raised<'_>> {
        run(self.context, &self.settings.active_rules())
    }

    /// The name of a plain Job contains a version.
    fn has_varying_name(&self) -> bool {
        let workload = Subject::new(&self.context.objects[0], self.context);
        workload.is_some_and(|workload| workload.has_varying_name())
    }

    fn at(&self, event: Event) -> Option<Outcome> {
        let churn = ReleaseChanges::edited(self.object);
        forecast(&self.work, &churn, self.deployer, event).map(|forecast| forecast.outcome)
    }

    fn is_hook(&self) -> bool {
        self.work.role.hook().is_some()
    }

    fn ttl(&self) -> bool {
        self.work.ttl().is_some_and(|ttl| ttl.value.as_int().is_some())
    }
}

/// What a rule claims, in terms of the forecast.
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
        // `replace-without-force` covers `Replace=true`.
        let put = replaces(case.object, case.deployer);
        gitops && !put && !case.has_varying_name() && case.work.ttl().is_none() && stuck(case)
    }),
    ("replace-without-force", |case| {
        case.deployer.tool == Tool::Argocd
            && !case.is_hook()
            && replaces(case.object, case.deployer)
            && case.at(Event::Redeploy) == Some(Outcome::Rejected)
    }),
];

/// An upgrade is rejected although deploying the same version again is not.
fn stuck(case: &Case<'_>) -> bool {
    case.object.name().is_some()
        && case.at(Event::Upgrade) == Some(Outcome::Rejected)
        && case.at(Event::Redeploy) != Some(Outcome::Rejected)
}

#[test]
fn rules_and_forecast_never_disagree() {
    let (mut asked, mut wrong) = (0, BTreeSet::new());
    for_each_case(|case| {
        // An object that is never deployed, or rejected for another reason, has no second deploy.
        if !matches!(case.at(Event::Install), Some(Outcome::Runs | Outcome::Loop)) {
            return;
        }
        let found = case.found();
        for (rule, claim) in CLAIMS {
            asked += 1;
            let (says, holds) = (found.contains(rule), claim(case));
            if says != holds {
                wrong.insert(format!("{rule}: rule {says}, forecast {holds}, {}", case.title));
            }
        }
        wrong.extend(one_way_disagreements(case, &found));
    });
    assert_none(&wrong);
    assert!(asked > 1000, "{asked}");
}

/// A command that must not run twice is an error exactly where the forecast predicts a second run.
#[test]
fn hazards_are_errors_where_the_forecast_runs_them_again() {
    const RULES: [&str; 2] = ["not-idempotent", "destroys-data"];
    const EVENTS: [Event; 4] = [Event::Redeploy, Event::AfterTtl, Event::Upgrade, Event::Rollback];
    let (mut errors, mut others, mut wrong) = (0, 0, BTreeSet::new());
    for_each_case(|case| {
        let runs = |event: &Event| case.at(*event).is_some_and(Outcome::starts);
        let again = case.object.kind() == "Job" && EVENTS.iter().any(runs);
        for Raised { rule, finding, .. } in case.raised() {
            let sure = finding.confidence == Some(Confidence::High);
            let Some(severity) = finding.severity else { continue };
            if !RULES.contains(&rule.id) || !sure {
                continue;
            }
            let error = severity == Severity::Error;
            *(if error { &mut errors } else { &mut others }) += 1;
            if error != again {
                wrong.insert(format!("{}: {severity:?}, again {again}, {}", rule.id, case.title));
            }
        }
    });
    assert_none(&wrong);
    assert!(errors > 50 && others > 50, "{errors} errors, {others} others");
}

#[track_caller]
fn assert_none(wrong: &BTreeSet<String>) {
    let lines: Vec<_> = wrong.iter().map(String::as_str).collect();
    assert!(lines.is_empty(), "{} disagreements:\n{}", lines.len(), lines.join("\n"));
}

/// Disagreements of rules that cover several events, or leave a case to another rule.
fn one_way_disagreements(case: &Case<'_>, found: &BTreeSet<&'static str>) -> Vec<String> {
    const STALE: [Outcome; 3] = [Outcome::Blocked, Outcome::FalseSuccess, Outcome::Rejected];
    let (mut wrong, title, unchanged) = (Vec::new(), &case.title, ReleaseChanges::default());
    let stale = |event| {
        let unchanged =
            forecast(&case.work, &unchanged, case.deployer, event).map(|found| found.outcome);
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
    if found.contains("stale-hook-blocks") && !events.into_iter().any(stale) {
        // A deletion hook runs once; an install-only hook meets its leftover at the next install.
        let once = case.work.role.hook().is_some_and(|hook| {
            hook.only(&["pre-install", "post-install", "pre-delete", "post-delete", "test"])
        });
        if !once {
            wrong.push(format!("stale-hook-blocks: nothing is stale, {title}"));
        }
    }
    let blocks = [Event::Redeploy, Event::AfterFailure].into_iter().any(stale);
    let policy = "stale-hook-blocks";
    let misread = found.contains("unknown-delete-policy");
    let suspended = case.work.is_suspended();
    let named = case.object.name().is_some();
    if blocks && case.is_hook() && named && !suspended && !misread && !found.contains(policy) {
        wrong.push(format!("{policy}: silent, forecast stale, {title}"));
    }
    if found.contains("missing-ttl") && case.at(Event::AfterTtl).is_some() {
        wrong.push(format!("missing-ttl: there is one, {title}"));
    }
    wrong
}

/// Observed error texts, each with a rule that must predict it.
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
fn observed_errors_lead_to_the_rule_that_predicts_them() {
    for (error, rule) in ERRORS {
        let rule = rules::find(rule).unwrap();
        assert!(rule.meta().predicts(error), "{}: {error}", rule.id);
    }
}
