//! What the thread that checks remembers of earlier runs.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::scene::Scene;
use crate::{check::Kept, redact::LastMask};

/// What is known of charts that have not changed.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) kept: Kept,
    /// Of complete checks, and of first findings.
    pub(super) masks: [LastMask; 2],
    /// By the absolute paths of the charts.
    scenes: Mutex<HashMap<PathBuf, Arc<Scene>>>,
}

impl Memory {
    /// The scene of a unit, if it is known.
    pub(super) fn scene(&self, root: &Path) -> Option<Arc<Scene>> {
        self.lock().get(root).cloned()
    }

    /// Remembers the scene of a unit.
    pub(super) fn remember(&self, scene: &Arc<Scene>) {
        self.lock().insert(scene.root.clone(), scene.clone());
    }

    /// Forgets all units but some.
    pub(super) fn retain(&self, scenes: &[Arc<Scene>]) {
        let roots: HashSet<&Path> = scenes.iter().map(|scene| &*scene.root).collect();
        self.kept.retain(|root| roots.contains(root));
        self.lock().retain(|root, _| roots.contains(&**root));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Scene>>> {
        self.scenes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
