//! What is said about the GitOps objects of a run: which were not resolved, or only in part, and why.

use std::sync::Arc;

use crate::{
    unit::{Deployment, What},
    words::count,
};

/// Objects of a note that are named with their reasons.
const NAMED: usize = 3;

/// Notes about these objects.
pub fn told(deployments: &[Arc<Deployment>]) -> Vec<String> {
    let (mut elsewhere, mut unresolved, mut partly) = (Vec::new(), Vec::new(), Vec::new());
    for deployment in deployments {
        match &deployment.what {
            What::External(place) => elsewhere.push((&**deployment, place.clone())),
            What::Unresolved(why) => unresolved.push((&**deployment, why.clone())),
            _ if deployment.not_evaluated.is_empty() => {}
            _ => partly.push((&**deployment, deployment.not_evaluated.join(", "))),
        }
    }
    let notes = [
        note(&elsewhere, ["deploys what is not here", "deploy what is not here"]),
        note(&unresolved, ["could not be resolved", "could not be resolved"]),
        note(&partly, ["was not evaluated in full", "were not evaluated in full"]),
    ];
    notes.into_iter().flatten().collect()
}

fn note(of: &[(&Deployment, String)], [one, several]: [&str; 2]) -> Option<String> {
    let (first, reason) = of.first()?;
    if of.len() == 1 {
        let (place, title) = (first.place(), &first.title);
        let line = place.start().line;
        return Some(format!("{}:{line}: {title} {one}: {reason}", place.source.path));
    }
    let named = of.iter().take(NAMED).map(|(own, reason)| format!("{}: {reason}", own.title));
    let mut named: Vec<_> = named.collect();
    if of.len() > NAMED {
        named.push(format!("{} more", of.len() - NAMED));
    }
    Some(format!("{} {several} ({})", count(of.len(), "GitOps object"), named.join("; ")))
}
