//! Rules and forecast agree: each rejected, blocked or looping outcome has a finding on the same workload, and the
//! forecast confirms findings about recreation.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use job_lifecycle::{
    Deployer, Event, Object, Outcome, ReleaseChanges, classify,
    forecast::{DeployedWorkload, Row, forecast_unit, outcome},
    release_changes::Change,
};
use joblint::{
    chart,
    context::Context,
    discover::{Request, discover},
    finding::{Confidence, Severity},
    load,
    policy::Policy,
    rules::{self, Raised, run},
    settings::Settings,
    unit::{Loaded, Unit, UnitKind},
};

use super::{
    observed::cases::{Version, cases},
    support::{copy, tree},
};

/// Deployers that together reach every outcome.
const DEPLOYERS: &[&str] = &[
    "helm3",
    "helm3:force=true",
    "helm4",
    "helm4:apply=csa",
    "helm4:forceReplace=true",
    "argocd",
    "argocd:selfHeal=true",
    "argocd:replace=true",
    "argocd:force=true",
    "flux",
    "flux:force=true,prune=true",
    "flux:kind=HelmRelease",
    "flux:kind=HelmRelease,driftDetection=enabled",
    "flux:kind=HelmRelease,driftDetection=warn",
    "flux:kind=HelmRelease,installRetries=2",
    "flux:kind=HelmRelease,upgradeRemediation=uninstall,upgradeRetries=1",
    "fleet",
    "fleet:correctDrift=true",
    "fleet:version=0.14",
    "kubectl",
    "kubectl:mode=create",
    "kubectl:mode=replace",
];

/// The events of a healthy unit.
const EVENTS: [Event; 5] =
    [Event::Install, Event::Redeploy, Event::Upgrade, Event::AfterTtl, Event::SelfHeal];

/// A workload under one deployer.
struct Case<'a> {
    /// Deployer, file and object, for messages.
    title: String,
    object: &'a Object,
    /// The forecast together with the other workloads of its unit, at [`EVENTS`].
    outcomes: BTreeMap<Event, Outcome>,
    /// The forecast for the workload alone, at all events.
    alone: BTreeMap<Event, Outcome>,
    /// What happens at an upgrade that changes one thing: a single input of the chart, or the pod template.
    upgrades: Vec<Outcome>,
    /// The findings about it under this deployer.
    raised: Vec<Raised<'a>>,
}

/// Whether the template prints a Job only where the cluster has none of its name, of which a forecast knows nothing.
fn is_printed_where_absent(object: &Object) -> bool {
    object.decided().iter().any(|input| input.starts_with("lookup[\"Job "))
}

impl Case<'_> {
    fn has_any(&self, rules: &[&str]) -> bool {
        self.raised.iter().any(|raised| rules.contains(&raised.rule.id))
    }
}

/// Calls `check` with the workloads of each unit below a folder, under each deployer.
fn for_each_unit(folder: &Path, deployers: &[Deployer], check: &mut impl FnMut(&[Case<'_>])) {
    let settings = Settings { pedantic: true, ..Settings::default() };
    let request = Request { paths: vec![folder.to_owned()], ..Request::default() };
    for unit in &discover(&request).units {
        let views = match unit.kind {
            UnitKind::Chart => chart::with_stack(|| chart::load(unit, &settings)).unwrap(),
            UnitKind::Plain | UnitKind::Overlay => vec![load::load(unit)],
        };
        for loaded in &views {
            for deployer in deployers {
                if deployer.has_release() || !loaded.is_upgrade() {
                    let (deployers, policy) = ([deployer.clone()], settings.policy());
                    check(&workloads(unit, loaded, &deployers, (&settings, &policy)));
                }
            }
        }
    }
}

fn workloads<'a>(
    unit: &Unit,
    loaded: &'a Loaded,
    deployers: &'a [Deployer; 1],
    (settings, policy): (&Settings, &'a Policy),
) -> Vec<Case<'a>> {
    let [deployer] = deployers;
    let context = Context {
        kind: unit.kind,
        objects: &loaded.objects,
        before: &loaded.before,
        changes: &loaded.changes,
        generated: &loaded.generated,
        deployers,
        deployments: &[],
        counts: loaded.counts,
        together: true,
        deprecated: false,
        tried: false,
        enabled: false,
        upgrading: false,
        bumped: false,
        switched_off: false,
        undeployed: false,
        incomplete: false,
        names: None,
        crds: &loaded.crds,
        named: &[],
        kubernetes: Default::default(),
        policy,
        found: Default::default(),
    };
    let raised = run(&context, &settings.active_rules());
    let from_chart = context.from_chart();
    let works: Vec<_> = loaded
        .objects
        .iter()
        .filter_map(|object| {
            let role = classify(object, deployer, from_chart);
            let work = DeployedWorkload::new(object, role, from_chart)?;
            let work = work.deleted_by(context.deleters(object));
            Some((work, loaded.changes.or_edited(object)))
        })
        .collect();
    let objects: Vec<_> = loaded.objects.iter().collect();
    let rows = forecast_unit(&works, &objects, deployer, &EVENTS);
    let case = |(row, (work, changes)): (Row, &(DeployedWorkload<'a>, _))| {
        let object = work.object;
        let at = |event| Some((event, outcome(work, changes, deployer, event)?));
        let raised = raised.iter().filter(|raised| std::ptr::eq(raised.object, object));
        let raised = raised.map(|Raised { rule, finding, .. }| Raised {
            rule,
            object,
            finding: finding.clone(),
        });
        Case {
            title: format!("{deployer}, {}: {}", object.source.path, object.display_name()),
            object,
            outcomes: row.events.iter().map(|(event, cell)| (*event, cell.outcome)).collect(),
            alone: Event::ALL.into_iter().filter_map(at).collect(),
            upgrades: upgrades(changes)
                .filter_map(|changes| outcome(work, &changes, deployer, Event::Upgrade))
                .collect(),
            raised: raised.collect(),
        }
    };
    rows.into_iter().zip(&works).map(case).collect()
}

/// The versions that change a single thing.
fn upgrades(changes: &ReleaseChanges) -> impl Iterator<Item = ReleaseChanges> {
    let stateless = changes.stateless.as_deref().into_iter();
    let steps = [changes].into_iter().chain(stateless).flat_map(|changes| &changes.steps);
    let single = |(_, change): &(_, Change)| ReleaseChanges {
        upgrade: change.clone(),
        ..Default::default()
    };
    steps.map(single).chain([ReleaseChanges::template_edit()])
}

/// Calls `check` with the workloads of all rule examples, of the charts in this repository and of the units that were
/// observed on real clusters.
fn for_each_known_unit(mut check: impl FnMut(&[Case<'_>])) {
    let parse = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>();
    let deployers = parse(DEPLOYERS);
    for rule in rules::all() {
        for example in rule.examples() {
            for files in [&example.bad, &example.good].into_iter().flatten() {
                let folder = tree(&files.each());
                for_each_unit(folder.path(), &deployers, &mut check);
            }
        }
    }
    for charts in ["testdata/charts", "examples/charts"] {
        let folder = tempfile::tempdir().unwrap();
        copy(Path::new(charts), folder.path());
        for_each_unit(folder.path(), &deployers, &mut check);
    }
    for case in cases(Path::new("testdata/observed")) {
        for text in &case.deployers {
            let (folder, deployer) = (tempfile::tempdir().unwrap(), parse(&[text]));
            case.write(folder.path(), &deployer[0], Version::First, true);
            for_each_unit(folder.path(), &deployer, &mut check);
        }
    }
}

/// The rules that say why a workload is rejected or blocked.
const FAILURES: &[&str] = &[
    "annotation-not-string",
    "constant-under-argocd",
    "deploys-once",
    "edit-within-ttl",
    "force-has-no-effect",
    "generate-name",
    "hook-conversion",
    "hook-annotation-without-hook",
    "hook-needs-later-object",
    "hook-with-generate-name",
    "invalid-cronjob",
    "invalid-job",
    "invalid-name",
    "misplaced-field",
    "missing-ttl",
    "name-and-generate-name",
    "name-hash-incomplete",
    "name-hash-truncated",
    "name-too-long",
    "replace-without-force",
    "restart-policy-always",
    "stale-hook-blocks",
    "suspended-hook",
    "template-changes-under-fixed-name",
    "ttl-out-of-sync",
    "ttl-reruns",
    "unknown-delete-policy",
    "unknown-field",
    "unreplaceable-job",
    "wrong-type",
];

/// The rules that say why a workload runs again and again. `wrong-type`: a TTL in quotes is rejected, so that the loop
/// starts once it is corrected.
const LOOPS: &[&str] = &["generate-name-leaks", "ttl-reruns", "wrong-type"];

fn explains(outcome: Outcome) -> Option<&'static [&'static str]> {
    match outcome {
        Outcome::Rejected | Outcome::Blocked => Some(FAILURES),
        Outcome::Loop => Some(LOOPS),
        _ => None,
    }
}

/// Rules with the outcomes of which the forecast must predict one at some event of [`EVENTS`].
const SHOWN_AS: &[(&str, &[Outcome])] = &[
    ("edit-within-ttl", &[Outcome::Rejected]),
    ("generate-name", &[Outcome::Rejected]),
    ("hook-conversion", &[Outcome::Rejected, Outcome::Blocked, Outcome::FalseSuccess]),
    ("name-hash-incomplete", &[Outcome::Rejected]),
    ("replace-without-force", &[Outcome::Rejected]),
    ("template-changes-under-fixed-name", &[Outcome::Rejected]),
    ("ttl-out-of-sync", &[Outcome::Drift]),
    ("ttl-reruns", &[Outcome::Loop]),
    ("unreplaceable-job", &[Outcome::Rejected]),
];

/// Disagreements between rules and forecast, and how much was compared.
#[derive(Default)]
struct Comparison {
    cells: usize,
    findings: usize,
    hazards: [usize; 2],
    wrong: BTreeSet<String>,
}

impl Comparison {
    /// Every failure and every loop has a finding.
    fn cells(&mut self, unit: &[Case<'_>]) {
        for case in unit {
            for (event, outcome) in &case.outcomes {
                let Some(rules) = explains(*outcome) else { continue };
                self.cells += 1;
                // Another workload fails first: the finding about that one explains this outcome.
                let is_in_turn = *outcome == Outcome::Blocked
                    && !case.alone.get(event).is_some_and(|alone| alone.fails());
                let cause = |other: &Case<'_>| {
                    let fails = other.outcomes.get(event).is_some_and(|other| other.fails());
                    fails && other.has_any(rules)
                };
                let is_explained = case.has_any(rules)
                    || *outcome == Outcome::Rejected && is_printed_where_absent(case.object)
                    || is_in_turn && unit.iter().any(cause);
                if !is_explained {
                    let (outcome, event) = (outcome.name(), event.name());
                    let found: Vec<_> = case.raised.iter().map(|raised| raised.rule.id).collect();
                    let title = &case.title;
                    self.wrong.insert(format!("{outcome} at {event}, {title}: only {found:?}"));
                }
            }
        }
    }

    /// The forecast confirms every finding about recreation.
    fn findings(&mut self, case: &Case<'_>) {
        for (rule, outcomes) in SHOWN_AS.iter().filter(|(rule, _)| case.has_any(&[rule])) {
            self.findings += 1;
            let mut cells = EVENTS.iter().filter_map(|event| case.alone.get(event));
            let shows = |outcome: &Outcome| outcomes.contains(outcome);
            if !cells.any(shows) && !case.upgrades.iter().any(shows) {
                self.wrong.insert(format!("{rule}, {}: {:?}", case.title, case.alone));
            }
        }
    }

    /// A command that must not run twice is an error exactly where the forecast predicts a second run.
    fn hazards(&mut self, case: &Case<'_>) {
        const RULES: [&str; 2] = ["not-idempotent", "destroys-data"];
        const AGAIN: [Event; 4] =
            [Event::Redeploy, Event::AfterTtl, Event::Upgrade, Event::Rollback];
        let runs = |event: &Event| case.alone.get(event).is_some_and(|one| one.starts());
        let again = case.object.kind() == "Job" && AGAIN.iter().any(runs);
        for Raised { rule, finding, .. } in &case.raised {
            let is_sure = finding.confidence == Some(Confidence::High);
            let Some(severity) = finding.severity else { continue };
            if !RULES.contains(&rule.id) || !is_sure {
                continue;
            }
            let error = severity == Severity::Error;
            self.hazards[usize::from(error)] += 1;
            if error != again {
                let (rule, title) = (rule.id, &case.title);
                self.wrong.insert(format!("{rule}: {severity:?}, again {again}, {title}"));
            }
        }
    }
}

#[test]
fn rules_and_forecast_agree() {
    let mut compared = Comparison::default();
    for_each_known_unit(|unit| {
        compared.cells(unit);
        for case in unit {
            compared.findings(case);
            compared.hazards(case);
        }
    });
    let wrong: Vec<_> = compared.wrong.iter().map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong.join("\n"));
    let Comparison { cells, findings, hazards, .. } = compared;
    assert!(cells > 9_000 && findings > 2_000, "{cells} cells, {findings} findings");
    assert!(hazards.iter().all(|count| *count > 50), "{hazards:?}");
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
