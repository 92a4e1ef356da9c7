//! Kustomizations of public repositories, compared with the real tool.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use kustomize_build::{Built, Options};

use crate::origins::kustomizations;

#[derive(Default)]
struct Figures {
    built: usize,
    identical: usize,
    built_with_jobs: usize,
    identical_with_jobs: usize,
    refused: usize,
    refused_by_both: usize,
}

/// Prints the figures of the kustomizations below the folder `JOBLINT_KUSTOMIZATIONS`, in which each repository has its `.git`.
/// `KUSTOMIZE` is the tool, which should run without a network, as under `unshare -n`.
#[test]
#[ignore = "needs kustomizations and kustomize: set JOBLINT_KUSTOMIZATIONS and KUSTOMIZE"]
fn kustomizations_of_repositories_are_built_as_kustomize_builds_them() {
    let folder = |name: &str| PathBuf::from(std::env::var_os(name).expect(name));
    let (root, tool) = (folder("JOBLINT_KUSTOMIZATIONS"), folder("KUSTOMIZE"));
    let mut folders = Vec::new();
    kustomizations(&root, &mut folders);
    folders.sort();
    let mut all = Figures::default();
    for folder in &folders {
        if !all.add(folder, &tool) {
            println!("differs: {}", folder.display());
        }
    }
    println!("{} of {} builds identical", all.identical, all.built);
    println!("{} of {} with Jobs or CronJobs", all.identical_with_jobs, all.built_with_jobs);
    println!("{} of {} that kustomize refuses refused", all.refused_by_both, all.refused);
    assert!(all.built > 0 && all.identical_with_jobs == all.built_with_jobs);
}

impl Figures {
    /// Builds a kustomization with both. Whether they agree.
    fn add(&mut self, folder: &Path, tool: &Path) -> bool {
        let theirs = Command::new(tool).arg("build").arg(folder).output().expect("kustomize runs");
        let ours = Built::from_folder(folder, &Options::default());
        if !theirs.status.success() {
            self.refused += 1;
            self.refused_by_both += usize::from(ours.is_err());
            return ours.is_err();
        }
        let text = String::from_utf8_lossy(&theirs.stdout);
        let has_jobs = text.lines().any(|line| matches!(line, "kind: Job" | "kind: CronJob"));
        let is_same = ours.is_ok_and(|built| built.print() == text);
        self.built += 1;
        self.identical += usize::from(is_same);
        self.built_with_jobs += usize::from(has_jobs);
        self.identical_with_jobs += usize::from(has_jobs && is_same);
        is_same
    }
}
