//! What a run knows before any unit is checked, and how the reports of the units become one.

use std::{
    cmp::Reverse,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;
use yaml_spans::Location;

use super::{Observer, Reuse, Run, covers_settings, policy, undeployed};
use crate::{
    admission, beside, chart,
    deploying::Deploying,
    discover::{self, Discovered, Request, Root},
    fingerprint,
    gitops::{self, Resolved},
    load::FileCache,
    policies::Policies,
    readmes,
    redact::SecretValues,
    results::Report,
    settings::Settings,
    shard::Shard,
    suppress,
    unit::{Problem, Unit, UnitKind},
};

/// The units of a run and what their checks share.
pub(super) struct Prepared {
    pub(super) units: Vec<(usize, Unit)>,
    /// With the user's own rules.
    pub(super) settings: Settings,
    pub(super) seen: FileCache,
    /// What the repository tells of deployments, once somebody has asked.
    pub(super) deploying: Arc<Deploying>,
    /// The hash of all units, for a shard.
    hash: String,
    notes: Vec<String>,
    errors: Vec<String>,
    excluded: Vec<String>,
    secrets: SecretValues,
    problems: Vec<Problem>,
    warnings: Vec<(Location, String)>,
}

impl Prepared {
    pub(super) fn of(request: &Request, settings: &Settings) -> Self {
        let Discovered { units, walked, excluded, mut notes, errors, .. } =
            beside::discover(request);
        let mut resolved = gitops::resolve(units, walked, request);
        let policies = Policies::of(&mut resolved, request, settings);
        let Resolved { units, notes: gitops_notes, mut problems, seen, mut secrets, .. } = resolved;
        let settings = policies.settings(settings);
        notes.extend(gitops_notes);
        notes.extend(policies.notes);
        problems.extend(policies.problems);
        secrets.extend(&request.secrets);
        let (units, hash) = part_of(units, request);
        let warnings = policies.warnings;
        let deploying = Arc::default();
        Self {
            units,
            settings,
            seen,
            deploying,
            hash,
            notes,
            errors,
            excluded,
            secrets,
            problems,
            warnings,
        }
    }

    pub(super) fn check(
        &self,
        request: &Request,
        observer: Observer<'_>,
        reuse: Option<&Reuse<'_>>,
    ) -> Report {
        let Self { units, settings, seen, .. } = self;
        let pool = chart::limits::pool_of(self.charts(), &request.progress);
        request.progress.start(units.len());
        let keeps_trail = request.keeps_trail;
        let named = request.named_folders();
        let kept = reuse.map(|reuse| reuse.kept);
        let deploying = self.deploying.clone();
        let new = Run::new(settings, &pool);
        let run = Run { seen, named, keeps_trail, observer, kept, deploying, ..new };
        let check = |(index, unit): &(usize, Unit)| {
            if request.progress.is_stopped() {
                return Report::default();
            }
            let mut report = match reuse {
                Some(reuse) => reuse.report(unit, settings, request, || run.check(unit)),
                None => run.check(unit),
            };
            report.findings.iter_mut().for_each(|finding| finding.unit_index = *index);
            request.progress.step();
            report
        };
        // Of what an editor keeps, hardly any is checked again.
        let ordered: Vec<_> = match reuse {
            Some(_) => units.iter().collect(),
            None => self.largest_first(&request.base),
        };
        let mut parts = chart::on_large_stacks(&ordered, |unit| (unit.0, check(unit)));
        parts.sort_unstable_by_key(|(index, _)| *index);
        self.joined(parts.into_iter().map(|(_, part)| part).collect(), request)
    }

    /// The units in the order in which they are checked: a large one that starts last would be waited for.
    fn largest_first(&self, base: &Path) -> Vec<&(usize, Unit)> {
        let size = |unit: &Unit| match unit.kind {
            UnitKind::Chart => size(&base.join(&unit.root), &mut { MOST }),
            UnitKind::Overlay => unit.roots.iter().map(|root| FILE * root.files.len() as u64).sum(),
            UnitKind::Plain => FILE * unit.files.len() as u64,
        };
        let mut units: Vec<_> = self.units.par_iter().map(|one| (size(&one.1), one)).collect();
        units.sort_by_key(|(size, _)| Reverse(*size));
        units.into_iter().map(|(_, unit)| unit).collect()
    }

    pub(super) fn charts(&self) -> usize {
        self.units.iter().filter(|(_, unit)| unit.kind == UnitKind::Chart).count()
    }

    /// The report of the run, from those of its units.
    pub(super) fn joined(&self, parts: Vec<Report>, request: &Request) -> Report {
        let settings = &self.settings;
        let excluded = self.excluded.iter().map(|path| (path.clone(), "excluded".to_owned()));
        let mut report = Report {
            notes: self.notes.clone(),
            errors: self.errors.clone(),
            root: Root::find(&request.base, request.paths.first().map(PathBuf::as_path)),
            secrets: self.secrets.clone(),
            trail: excluded.collect(),
            run: self.hash.clone(),
            own_rules: settings.own_rules.clone(),
            ..Report::default()
        };
        for part in parts {
            report.add(part);
        }
        report.notes.extend(undeployed::note(&report.undeployed));
        report.notes.extend(undeployed::note_of_unnamed(&report.unnamed));
        report.notes.extend(readmes::note(report.said_by_readmes.iter()));
        let is_first = request.shard.is_none_or(Shard::is_first);
        for problem in self.problems.iter().filter(|_| is_first) {
            let finding = report.problem(problem, settings);
            report.findings.extend(finding);
        }
        admission::settle(&mut report, settings);
        report.findings.extend(policy::undecided(&report.undecided, settings));
        let warnings = self.warnings.iter();
        report.findings.extend(warnings.map(|(at, label)| policy::warned(at, label, settings)));
        report.findings.retain(|finding| !finding.hidden);
        if covers_settings(request, settings) {
            let unused = suppress::unused_entries(settings, &report.used_entries);
            match request.shard {
                None => report.findings.extend(unused),
                Some(_) => report.entries = unused,
            }
        }
        match request.shard {
            None => report.settle(),
            Some(_) => report.sort(),
        }
        let redactor = &mut report.redactor;
        fingerprint::fill(&mut report.findings, &report.root, redactor);
        fingerprint::fill(&mut report.entries, &report.root, redactor);
        if request.shard.is_none() {
            fingerprint::count(&mut report.findings);
        }
        report
    }
}

/// What a file costs besides its bytes: about as much as so many of them.
const FILE: u64 = 4 << 10;

/// The most files that are looked at for the size of a chart.
const MOST: usize = 10_000;

/// How large a chart is, or a file of it: its bytes, with [`FILE`] for each file. Links do not count.
fn size(path: &Path, left: &mut usize) -> u64 {
    *left = left.saturating_sub(1);
    match fs::symlink_metadata(path) {
        Ok(own) if own.is_dir() && *left > 0 => {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| size(&entry.path(), left)).sum()
        }
        Ok(own) if own.is_file() => FILE + own.len(),
        _ => 0,
    }
}

/// The units of a shard, or all of them, with their positions; and for a shard the hash of all of them.
fn part_of(units: Vec<Unit>, request: &Request) -> (Vec<(usize, Unit)>, String) {
    let numbered = |units: Vec<Unit>| units.into_iter().enumerate().collect();
    let Some(shard) = request.shard else { return (numbered(units), String::new()) };
    // The shards of a run may be checked in different places.
    let base = std::path::absolute(Path::new(".").join(&request.base)).unwrap_or_default();
    let base = discover::normal(&base);
    let hash = fingerprint::of_run(units.iter().flat_map(|unit| {
        let root = discover::normal(&base.join(&unit.root));
        let title =
            format!("{:?} {}", unit.kind, discover::shown(&discover::relative(&root, &base)));
        let files = unit.files.iter().map(|file| file.shown.clone());
        std::iter::once(title).chain(files)
    }));
    (shard.take(numbered(units)), hash)
}
