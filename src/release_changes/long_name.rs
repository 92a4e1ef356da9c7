//! Finds names whose changing part is truncated away under a long release name.

use job_lifecycle::ReleaseChanges;
use yaml_spans::Node;

use super::{compare, predict::Predictor, witness::InputChange};

/// The longest release name that Helm accepts, in characters.
const LONGEST_NAME: usize = 53;

impl Predictor<'_> {
    /// Finds names whose changing part is truncated away under a long release name, by rendering with the
    /// longest name that Helm accepts.
    pub(super) fn cut(&self, all: &mut [ReleaseChanges]) {
        if !all.iter().any(ReleaseChanges::is_renamed) {
            return;
        }
        let Some((release, longest)) = self.under_a_long_name() else { return };
        for ((changes, work), cut) in all.iter_mut().zip(self.works).zip(longest) {
            let (Some(old), Some(new)) = (compare::name(work.root).1, &changes.upgrade.new_name)
            else {
                continue;
            };
            let own = &self.options.release.name;
            changes.cut_at = cut.map(|name| shortest(old, new, &name, own, &release));
        }
    }

    /// The longest release name, and each workload's name under it if that no longer changes between
    /// releases.
    fn under_a_long_name(&self) -> Option<(String, Vec<Option<String>>)> {
        let mut options = self.options.clone();
        let own = options.release.name.chars();
        let release: String = own.chain(std::iter::repeat('x')).take(LONGEST_NAME).collect();
        options.release.name.clone_from(&release);
        let names = |raise: &InputChange<'_>| {
            let found = self.witness(&options, raise, self.works)?;
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
