//! What an editor gets of a run: first the findings that one render shows, then the report.

use rayon::prelude::*;

use super::{
    Observer, Prepared, Reuse, Run, accepted, check_views, grouped,
    last::{Asked, Known},
};
use crate::{
    chart,
    discover::Request,
    kustomize,
    results::Report,
    rules::{Rule, idempotency_unknown, missing_ttl, unreplaceable_job, unused_ignore},
    settings::Settings,
    unit::{Unit, UnitKind},
};

/// Rules that need predictions, proofs or all value sets to stay silent.
static OF_WHOLE: [&Rule; 4] = [
    &idempotency_unknown::RULE,
    &missing_ttl::RULE,
    &unreplaceable_job::RULE,
    &unused_ignore::RULE,
];

/// Shows an editor what is found before the run is complete.
pub(crate) type Show<'a> = &'a dyn Fn(Report);

/// Checks everything that the request names for an editor, except what `reuse` has kept. If that takes long, `show` gets
/// first what the first view of each unit shows, before anybody looks whether files on disk have changed. Only then is the
/// repository searched again.
pub(crate) fn edited(
    request: &Request,
    settings: &Settings,
    observer: Observer<'_>,
    reuse: &Reuse<'_>,
    show: Show<'_>,
) -> Report {
    let finish = |report| grouped(accepted(report, request, settings));
    let draft = |prepared: &Prepared| {
        let draft = finish(prepared.draft(request, reuse));
        if !request.progress.is_stopped() {
            show(draft);
        }
    };
    let asked = Asked::of(request, settings);
    let last = reuse.kept.last_run(&asked, request);
    last.iter().for_each(|last| draft(&last.prepared));
    let (is_drafted, disk) = (last.is_some(), reuse.disk(request, settings));
    let is_same = |last: &Known| disk.is_some() && last.disk == disk;
    let prepared = match last.filter(is_same) {
        Some(last) => last.prepared,
        None => Prepared::of(request, settings),
    };
    let takes_long =
        |unit: &Unit| unit.kind != UnitKind::Plain && !reuse.knows(unit, &prepared.settings);
    if !is_drafted && prepared.units.iter().any(|(_, unit)| takes_long(unit)) {
        draft(&prepared);
    }
    let report = finish(prepared.check(request, observer, Some(reuse)));
    reuse.kept.keep_run(asked, Known { prepared, disk });
    report
}

impl Prepared {
    /// The first findings of what is not kept; an editor still shows the others.
    fn draft(&self, request: &Request, reuse: &Reuse<'_>) -> Report {
        let pool = chart::limits::pool_of(self.charts(), &request.progress);
        let (seen, named) = (&self.seen, request.named_folders());
        let kept = Some(reuse.kept);
        let deploying = self.deploying.clone();
        let new = Run::new(&self.settings, &pool);
        let run = Run { seen, named, is_draft: true, kept, deploying, ..new };
        let is_new = |(_, unit): &&(usize, Unit)| !reuse.knows(unit, &self.settings);
        let parts = self.units.par_iter().filter(is_new).map(|(index, unit)| {
            let mut report = run.draft(unit);
            report.findings.iter_mut().for_each(|finding| finding.unit_index = *index);
            report
        });
        let mut report = self.joined(parts.collect(), request);
        report.findings.retain(|finding| !OF_WHOLE.contains(&finding.rule));
        report
    }
}

impl Run<'_> {
    fn draft(&self, unit: &Unit) -> Report {
        match unit.kind {
            UnitKind::Chart => {
                let load = || chart::load_draft(unit, self.settings, &self.shared(unit));
                let check = || check_views(unit, &load(), self);
                chart::with_stack(check).unwrap_or_default()
            }
            UnitKind::Overlay => check_views(unit, &kustomize::load_draft(unit), self),
            UnitKind::Plain => self.check(unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, collections::BTreeSet, path::PathBuf};

    use super::{super::Kept, *};

    /// The places that an editor marks: path, line, rule.
    fn marks(report: &Report) -> BTreeSet<(String, usize, &'static str)> {
        let mut all = BTreeSet::new();
        for finding in &report.findings {
            let also = finding.also.iter().map(|one| &one.location);
            let places = std::iter::once(&finding.location).chain(also);
            for at in places.chain(finding.secondary.iter().map(|(at, _)| at)) {
                all.insert((at.source.path.clone(), at.start().line, finding.rule.id));
            }
        }
        all
    }

    #[test]
    fn a_draft_shows_nothing_that_the_report_lacks() {
        let folders = ["testdata/charts", "testdata/kustomizations"];
        let mut all: Vec<PathBuf> = Vec::new();
        for folder in folders {
            let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            all.extend(entries.filter(|path| path.is_dir()));
        }
        all.sort();
        // By default nothing is shown of a folder with the data of tests.
        let settings = Settings { pedantic: true, ..Settings::default() };
        let mut drafted = 0;
        let mut wrong = Vec::new();
        for path in all {
            let request = Request { paths: vec![path.clone()], ..Request::default() };
            let draft = RefCell::new(BTreeSet::new());
            let show = |report| *draft.borrow_mut() = marks(&report);
            let kept = Kept::default();
            let reuse = Reuse::new(&kept, &|_| false, &|_| {});
            let report = edited(&request, &settings, &|_, _| {}, &reuse, &show);
            drafted += draft.borrow().len();
            wrong.extend(draft.borrow().difference(&marks(&report)).cloned());
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(drafted > 10, "{drafted} places in drafts");
    }
}
