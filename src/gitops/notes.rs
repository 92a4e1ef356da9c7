//! Writes the notes about GitOps objects that were not resolved, or only in part.

use std::{collections::HashSet, sync::Arc};

use crate::{
    unit::{Deployment, DeploymentSource},
    words::{count, one_line},
};

/// The most objects that one note names with their reasons.
const NAMED: usize = 3;

/// The notes about some deployments.
pub(crate) fn of(deployments: &[Arc<Deployment>]) -> Vec<String> {
    let (mut elsewhere, mut unresolved, mut partly) = (Vec::new(), Vec::new(), Vec::new());
    for deployment in deployments {
        match &deployment.source {
            DeploymentSource::External(place) => elsewhere.push((&**deployment, place.clone())),
            DeploymentSource::Unresolved(why) => unresolved.push((&**deployment, why.clone())),
            _ if deployment.not_evaluated.is_empty() => {}
            _ => partly.push((&**deployment, deployment.not_evaluated.join(", "))),
        }
    }
    let notes = [
        note(
            &elsewhere,
            ["deploys from outside this repository", "deploy from outside this repository"],
        ),
        note(&unresolved, ["could not be resolved", "could not be resolved"]),
        note(&partly, ["was not evaluated in full", "were not evaluated in full"]),
    ];
    notes.into_iter().flatten().collect()
}

/// A note for each file that is named and not opened.
pub(crate) fn refused<'a>(deployments: impl Iterator<Item = &'a Arc<Deployment>>) -> Vec<String> {
    let mut known = HashSet::new();
    let notes = deployments
        .flat_map(|one| &one.refused)
        .map(|(place, reason)| format!("{}:{}: {reason}", place.source.path, place.start().line));
    notes.filter(|note| known.insert(note.clone())).collect()
}

/// The note for files below a kustomization that lists others of their folder.
pub(crate) fn unlisted(files: usize) -> Option<String> {
    let files = (files > 0).then(|| count(files, "file"))?;
    Some(format!("{files} below a kustomization that lists others of the folder: not checked"))
}

/// The note for a chart whose policies are unknown.
pub(crate) fn unrendered(chart: &str, why: &str) -> String {
    let why = one_line(why);
    format!("the policies of the chart {chart} are not evaluated: it does not render: {why}")
}

fn note(about: &[(&Deployment, String)], [one, several]: [&str; 2]) -> Option<String> {
    let (first, reason) = about.first()?;
    if about.len() == 1 {
        let (place, title) = (first.place(), &first.title);
        let line = place.start().line;
        return Some(format!("{}:{line}: {title} {one}: {reason}", place.source.path));
    }
    let named = about.iter().take(NAMED).map(|(own, reason)| format!("{}: {reason}", own.title));
    let mut named: Vec<_> = named.collect();
    if about.len() > NAMED {
        named.push(format!("{} more", about.len() - NAMED));
    }
    Some(format!("{} {several} ({})", count(about.len(), "GitOps object"), named.join("; ")))
}
