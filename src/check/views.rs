//! Checks the views of a unit: one, or one for each value set or overlay.

use std::sync::Arc;

use job_lifecycle::{Deployer, Tool};

use super::{Run, filled, scripted, undeployed};
use crate::{
    chart,
    context::Context,
    dedupe::Findings,
    deployers,
    diagnostic::{self, Diagnostic},
    discover,
    finding::Severity,
    fix::Allowance,
    mentions::Names,
    placeholders,
    policy::Policy,
    raise, resolve,
    results::Report,
    rules::{self, Raised, Rule, patch_matches_nothing, template_changes_under_fixed_name},
    scripts::apply_file,
    settings::Settings,
    suppress::{self, Suppressed},
    trail,
    unit::{Loaded, Rendering, Unit, UnitKind},
    verify,
};

/// Checks the views of a unit: one, or one per value set. The same finding in several views is reported once, and
/// the ignores of the unit apply to all views together.
pub(super) fn check_views(unit: &Unit, all: &[Loaded], run: &Run<'_>) -> Report {
    let settings = run.settings;
    (run.observer)(unit, all);
    let mut report = Report::default();
    let mut findings = Findings::default();
    let deployers: Vec<_> =
        all.iter().map(|loaded| deployers::of_view(unit, loaded, settings)).collect();
    let policy = settings.policy();
    let views = all.iter().zip(&deployers);
    let mut renderings = all.iter().filter_map(|loaded| loaded.rendering.as_deref());
    let has_other = renderings.any(is_of_users);
    let views = views.map(|(loaded, deployers)| {
        let rendering = loaded.rendering.as_deref();
        let tried = rendering.is_some_and(|one| is_made_up(one) || has_other && is_for_tests(one));
        view(unit, (loaded, tried), deployers, run, &policy)
    });
    let views: Vec<_> = views.collect();
    let own = settings.active_own_rules();
    let raised = views.iter().map(|view| raised(view, &own, unit, run, &mut report)).collect();
    // Proofs that find the budget used up leave fixes out, and no finding.
    let overrun =
        chart::limits::budget(all).and_then(|budget| chart::limits::problem(unit, all, &budget));
    let scope = verify::Scope { unit, views: &views, settings, own: &own };
    for (view, verified) in views.iter().zip(verify::fixes(raised, scope)) {
        let loaded = view.loaded;
        report.secrets.extend(&loaded.secrets);
        findings.add_view(loaded);
        let Some(context) = &view.context else { continue };
        for (finding, values) in settled(verified, loaded, context, settings, &mut report) {
            match unit.kind {
                UnitKind::Overlay => findings.keep(finding, values),
                UnitKind::Plain | UnitKind::Chart => findings.add(finding, values),
            }
        }
    }
    filled::add((unit, all), (run, &policy), &mut findings, &mut report);
    let overrun = overrun.and_then(|problem| report.problem(&problem, settings));
    overrun.into_iter().for_each(|finding| findings.add(finding, None));
    // An ignore in one overlay leaves the finding in the others.
    let mut found = if unit.kind == UnitKind::Overlay { findings.all() } else { findings.merged() };
    chart::own_name::without_repeated(&mut found);
    let is_quiet = || all.iter().all(|view| is_without_ignores(unit, view, settings));
    let kept = match found.is_empty() && is_quiet() {
        true => Suppressed::default(),
        false => suppress::apply(found, all, &unit.deployments, settings),
    };
    kept.ignored_failures.iter().for_each(|finding| report.forgive(finding));
    if run.keeps_trail {
        report.trail.push(trail::of_unit(unit, all, &report.counts, settings));
    }
    let findings = undeployed::set_apart(kept.findings, unit, run, &mut report);
    report.findings = match unit.kind {
        UnitKind::Overlay => Findings::merge_overlays(findings, all),
        UnitKind::Plain | UnitKind::Chart => findings,
    };
    report.set_gaps_apart(settings);
    diagnostic::without_origins(report.findings.iter_mut().chain(&mut report.skipped));
    let root = discover::shown(&unit.root);
    let root: Arc<str> = if root.is_empty() { ".".into() } else { root.into() };
    for finding in &mut report.findings {
        finding.unit = root.clone();
    }
    report.counts.ignored = kept.ignored;
    report.used_entries = kept.used_entries;
    report
}

/// Whether joblint chose the values of a chart.
fn is_made_up(rendering: &Rendering) -> bool {
    !rendering.options.overrides.is_empty()
}

/// Whether the values test a chart that nobody deploys with them.
fn is_for_tests(rendering: &Rendering) -> bool {
    rendering.deployments.is_empty() && chart::is_test_set(&rendering.values)
}

/// Whether somebody may deploy the chart as it is rendered here.
fn is_of_users(rendering: &Rendering) -> bool {
    !is_made_up(rendering) && !is_for_tests(rendering) && !rendering.options.is_lint
}

/// The value set of a finding; `None` when nothing was rendered.
type Values = Option<Arc<str>>;

/// What is known about a view of a unit before the rules run.
pub(super) fn view<'a>(
    unit: &'a Unit,
    (loaded, tried): (&'a Loaded, bool),
    deployers: &'a [Deployer],
    run: &'a Run<'_>,
    policy: &'a Policy,
) -> verify::View<'a> {
    let settings = run.settings;
    let drops_hidden = is_without_ignores(unit, loaded, settings);
    let chart = loaded.rendering.as_ref().map(|rendering| &rendering.chart);
    let enabled = loaded.rendering.as_ref().is_some_and(|one| one.is_enabled());
    let for_tests = loaded.rendering.as_ref().is_some_and(|one| is_for_tests(one));
    // A chart that excludes newer versions (`kubeVersion`) is for an older cluster.
    let rendered_for = loaded.rendering.as_ref().map(|rendering| chart::target(&rendering.options));
    let context = Context {
        kind: unit.kind,
        objects: &loaded.objects,
        before: &loaded.before,
        changes: &loaded.changes,
        generated: &loaded.generated,
        deployers,
        deployments: loaded.deployments(unit),
        counts: loaded.counts,
        together: unit.together || unit.kind != UnitKind::Plain || !settings.deployers.is_empty(),
        // A copy is maintained elsewhere, and nobody turns that part of it on; nobody deploys a part of other charts with values
        // for its tests.
        deprecated: chart.is_some_and(|chart| {
            chart.metadata.deprecated
                || enabled && chart::is_copy(&chart.metadata, &unit.remotes)
                || unit.superseded
                || !unit.umbrellas.is_empty() && for_tests
        }),
        tried,
        enabled,
        upgrading: loaded.rendering.as_ref().is_some_and(|one| one.is_of_upgrades()),
        bumped: unit.bumped,
        switched_off: unit.switched_off,
        undeployed: undeployed::is_undeployed(unit, loaded),
        incomplete: loaded.rendering.as_ref().is_some_and(|one| one.is_incomplete()),
        names: Some(Names { mentions: &run.mentions, unit }),
        crds: &loaded.crds,
        named: &run.named,
        kubernetes: settings.kubernetes.or(rendered_for).unwrap_or_default(),
        policy,
        found: Default::default(),
    };
    let active = if drops_hidden { &run.visible } else { &run.active };
    verify::View { loaded, context: (!deployers.is_empty()).then_some(context), active }
}

/// Runs the rules on a view.
pub(super) fn raised<'a>(
    view: &verify::View<'a>,
    own: &[&'static Rule],
    unit: &Unit,
    run: &Run<'_>,
    report: &mut Report,
) -> Vec<Raised<'a>> {
    let settings = run.settings;
    let Some(context) = view.context.as_ref().filter(|_| !run.pool.is_stopped()) else {
        return Vec::new();
    };
    let (mut raised, undecided) = raise::all(context, view.active, own);
    report.undecided.extend(undecided);
    for one in &mut raised {
        one.finding.pedantic |= is_aside(one, view, unit, run);
        if let Some(is_undone) = scripted::is_undone(one, context, unit) {
            report.is_of_repository = true;
            one.finding.pedantic |= is_undone;
        }
        report.is_of_repository |= scripted::keep_name(one, context, unit);
        if is_of_upgrades(one, context) || is_of_annotations(one, context, run) {
            report.is_of_repository = true;
            one.finding.pedantic |= is_not_deployed_so(context, unit, run);
        }
    }
    rules::one_per_cause(&mut raised);
    if context.deployments.is_empty() {
        let said = raised.iter_mut().filter_map(|one| told_by_readme(one, context, unit, run));
        report.said_by_readmes.extend(said);
    }
    if is_without_ignores(unit, view.loaded, settings) {
        raised.retain(|one| !resolve::is_hidden(one, context, settings));
    }
    if run.is_draft {
        raised.iter_mut().for_each(|one| one.finding.fixes.clear());
    }
    raised
}

/// Sets a finding aside that is about what a README calls deprecated, or wrong on purpose. Returns what it says.
fn told_by_readme(
    one: &mut Raised<'_>,
    context: &Context<'_>,
    unit: &Unit,
    run: &Run<'_>,
) -> Option<Arc<str>> {
    let is_seen =
        !run.settings.shows_pedantic(one.rule) && !resolve::is_hidden(one, context, run.settings);
    let said = is_seen.then(|| run.readmes.said_of(&one.object.source.path, unit)).flatten();
    one.finding.pedantic |= said.is_some();
    said
}

/// True for a field that a script or a program fills in, for what a deployer would do with values that it does not set, and for what a
/// dependency from elsewhere does only with values that nobody is known to set: whoever does gets another version of it.
fn is_aside(one: &Raised<'_>, view: &verify::View<'_>, unit: &Unit, run: &Run<'_>) -> bool {
    let Some(context) = &view.context else { return false };
    let rendering = view.loaded.rendering.as_ref().filter(|_| context.tried);
    rendering.is_some_and(|own| chart::is_vendored(own, &one.object.source.path))
        || rendering.is_some_and(|own| own.is_explored && is_off_where_deployed(one, context))
        || placeholders::is_filled_in(one, context, |path| run.scripts.fill_in(path, unit))
        || placeholders::is_word_of_script(one, context, |path| run.scripts.fill_in(path, unit))
        || placeholders::is_of_program(one, context, unit)
        || placeholders::is_of_scaffolder(one)
        || is_printed(one, context, unit)
}

/// True for an object in a file that `helm template` has printed, and that nothing is known to apply: the chart is what its
/// author maintains.
fn is_printed(one: &Raised<'_>, context: &Context<'_>, unit: &Unit) -> bool {
    let source = &one.object.source;
    // https://helm.sh/docs/helm/helm_template/
    let is_mark = |line: &str| line.starts_with("# Source: ") && line.contains("/templates/");
    let before = &source.text[..one.object.root.span.start as usize];
    let own = before.rsplit("\n---").next().unwrap_or(before);
    let file = || unit.files.iter().find(|file| file.shown == *source.path);
    context.kind == UnitKind::Plain
        && context.deployments.is_empty()
        && !one.is_pedantic()
        && own.lines().any(is_mark)
        && file().is_some_and(|file| !apply_file(&file.path, &unit.boundary))
}

/// True for what a deployer does that the repository is known to have no use for. Upgrades of a release need one that
/// somebody upgrades, and what Argo CD does needs more than an annotation for it.
fn is_not_deployed_so(context: &Context<'_>, unit: &Unit, run: &Run<'_>) -> bool {
    match context.from_chart() {
        true => run.deploying.only_installs(unit),
        false => run.deploying.is_without_argocd(unit),
    }
}

/// True for what Argo CD alone would do, which nothing but annotations names.
fn is_of_annotations(one: &Raised<'_>, context: &Context<'_>, run: &Run<'_>) -> bool {
    let deployers = &one.finding.deployers;
    !one.is_pedantic()
        && !context.from_chart()
        && context.deployments.is_empty()
        && run.settings.deployers.is_empty()
        && !deployers.is_empty()
        && deployers.iter().all(|own| own.tool == Tool::Argocd)
}

/// True for what only an upgrade by Helm meets, and not each one.
fn is_of_upgrades(one: &Raised<'_>, context: &Context<'_>) -> bool {
    *one.rule == template_changes_under_fixed_name::RULE
        && one.finding.severity < Some(Severity::Error)
        && !one.is_pedantic()
        && context.from_chart()
        && context.deployments.is_empty()
}

/// True for an object that the values of each deployer leave out, as GitOps objects say: for what deployers do with it, and for
/// all but what the API server refuses unless the repository offers the chart to others.
fn is_off_where_deployed(one: &Raised<'_>, context: &Context<'_>) -> bool {
    let mut deployments = context.deployments.iter().peekable();
    deployments.peek().is_some()
        && deployments.all(|one| !one.deployer.assumed && one.not_evaluated.is_empty())
        && (!one.finding.deployers.is_empty()
            || one.severity() < Severity::Error
                && context.names.is_some_and(|names| !names.serve_others()))
}

/// Traces the findings of a view to the files that people wrote, and adds those about what was not read.
fn settled(
    mut verified: Vec<Raised<'_>>,
    loaded: &Loaded,
    context: &Context<'_>,
    settings: &Settings,
    report: &mut Report,
) -> Vec<(Diagnostic, Values)> {
    verified.retain(|one| {
        loaded.counts(one.object) && !placeholders::is_artefact(one, loaded, context)
    });
    let allowance = Allowance::default();
    let resolved = verified.into_iter().map(|one| {
        let values = loaded.values(one.object);
        (resolve::resolve(one, context, settings, &allowance), values)
    });
    let mut found: Vec<_> = resolved.collect();
    if let Some(rendering) = &loaded.rendering {
        chart::own_name::blame(&mut found, rendering);
    }
    let values = loaded.view();
    let problems = report.add_problems(loaded, context, settings).into_iter();
    found.extend(problems.map(|problem| (problem, values.clone())));
    let is_without_work = patch_matches_nothing::is_without_work(loaded);
    let idle = loaded.idle.iter().map(|patch| {
        let (rule, label) = (&patch_matches_nothing::RULE, patch_matches_nothing::label(patch));
        let mut finding = resolve::run_finding(rule, patch.at.clone(), label, settings);
        let is_pedantic = is_without_work || patch_matches_nothing::is_pedantic(patch);
        finding.hidden |= is_pedantic && !settings.shows_pedantic(rule);
        finding
    });
    found.extend(idle.map(|finding| (finding, values.clone())));
    found.iter_mut().for_each(|(finding, _)| finding.is_undeployed = context.undeployed);
    report.add_view(loaded, context);
    found
}

/// True for plain files that no ignore concerns: what the settings hide need not be matched with ignores.
fn is_without_ignores(unit: &Unit, loaded: &Loaded, settings: &Settings) -> bool {
    unit.kind == UnitKind::Plain
        && settings.ignores.is_empty()
        && !loaded.sources.iter().any(|source| suppress::may_ignore(&source.text))
}
