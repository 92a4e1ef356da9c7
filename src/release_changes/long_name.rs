//! Finds names whose changing part is truncated away under a long release name.

use job_lifecycle::ReleaseChanges;
use yaml_spans::Node;

use super::{
    compare, origin,
    predict::{Predictor, RenderedWorkload},
    witness::InputChange,
};

/// The longest release name that Helm accepts, in characters.
const LONGEST_NAME: usize = 53;

impl Predictor<'_> {
    /// Finds names whose changing part is truncated away under a long release name, by rendering with the
    /// longest name that Helm accepts.
    pub(super) fn cut(&self, all: &mut [ReleaseChanges]) {
        let renamed = (0..all.len()).filter(|at| all[*at].is_renamed());
        let renamed: Vec<_> = renamed.filter(|at| self.holds_release(&self.works[*at])).collect();
        if renamed.is_empty() {
            return;
        }
        let works: Vec<_> = renamed.iter().map(|at| self.works[*at]).collect();
        let Some((release, longest)) = self.under_a_long_name(&works) else { return };
        for (at, cut) in renamed.into_iter().zip(longest) {
            let (work, changes) = (&self.works[at], &mut all[at]);
            let (Some(old), Some(new)) = (compare::name(work.root).1, &changes.upgrade.new_name)
            else {
                continue;
            };
            let own = &self.options.release.name;
            changes.cut_at = cut.map(|name| shortest(old, new, &name, own, &release));
        }
    }

    /// Whether the name of a workload may depend on that of the release.
    fn holds_release(&self, work: &RenderedWorkload<'_>) -> bool {
        let Some(name) = work.root.at(&["metadata", "name"]) else { return false };
        let inputs = origin::all(self.rendered, work.file, work.in_file(name.span));
        !self.options.provenance || inputs.iter().any(|own| origin::is_part("Release.Name", own))
    }

    /// The longest release name, and each workload's name under it if that no longer changes between
    /// releases.
    fn under_a_long_name(
        &self,
        works: &[RenderedWorkload<'_>],
    ) -> Option<(String, Vec<Option<String>>)> {
        let mut options = self.options.clone();
        let own = options.release.name.chars();
        let release: String = own.chain(std::iter::repeat('x')).take(LONGEST_NAME).collect();
        options.release.name.clone_from(&release);
        let names = |raise: &InputChange<'_>| {
            let found = self.witness(&options, raise, works)?;
            let name = |node: Option<Node>| compare::name(&node?).1.map(str::to_owned);
            Some(found.into_iter().map(name).collect::<Vec<_>>())
        };
        let raised = names(&InputChange {
            fresh: true,
            release: true,
            chart: true,
            app: true,
            dependencies: self.dependencies.as_ref(),
            values: self.groups.iter().collect(),
        })?;
        let base = names(&InputChange::default())?;
        let cut = base
            .into_iter()
            .zip(raised)
            .map(|(base, raised)| base.filter(|base| raised.as_ref() == Some(base)));
        Some((release, cut.collect()))
    }
}

/// The length of the shortest release name that truncates away the changing part. `name` is what `old`
/// becomes when the release is called `release` instead of `own`.
fn shortest(old: &str, new: &str, name: &str, own: &str, release: &str) -> usize {
    let same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let is_cut = old.replacen(own, release, 1).starts_with(name);
    let length = (name.len() + own.len()).saturating_sub(same);
    if is_cut { length.clamp(own.len() + 1, LONGEST_NAME) } else { LONGEST_NAME }
}
