//! Kustomizations whose generators read files that are made or kept elsewhere, such as `secret.env`: built with empty ones in
//! their place, since the Jobs do not depend on what is in them.

use std::collections::BTreeMap;

use kustomize_build::{Error, Options, Workspace};

use super::{Built, Repository, build, failed::problem, missing};
use crate::unit::{KustomizeRoot, Problem};

/// The most files to leave empty.
const MOST: usize = 16;

/// Builds a kustomization with an empty file for each that is made or kept elsewhere; `None` if that is not all it lacks.
pub(super) fn build_without(
    error: &Error,
    repository: &Repository,
    (root, options): (&KustomizeRoot, &Options),
    predicts: bool,
) -> Option<Built> {
    let (mut empty, mut problems) = (BTreeMap::new(), Vec::new());
    let mut error = error.clone();
    while empty.len() < MOST {
        let (path, why) = missing::left_out(&error, repository, root)?;
        let headline = format!("built with an empty `{path}`: {why}");
        let own = missing::without(&path, &why, problem(&error, repository, root));
        problems.push(Problem { headline: Some(headline), ..own });
        empty.insert(error.missing?, Vec::new());
        let repository = repository.with(empty.clone());
        match build(&repository, &Workspace::new(&repository), (root, options), predicts) {
            Ok((mut loaded, documents, unprinted)) => {
                loaded.problems.extend(problems);
                return Some((loaded, documents, unprinted));
            }
            Err(next) => error = next,
        }
    }
    None
}
