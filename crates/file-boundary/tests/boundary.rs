//! What a boundary allows and refuses.

#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use file_boundary::{Boundary, Refusal};
use tempfile::TempDir;

/// A folder with a repository `repo` and a file `secret` beside it.
fn world() -> (TempDir, PathBuf) {
    let world = tempfile::tempdir().unwrap();
    let repo = world.path().join("repo");
    fs::create_dir_all(repo.join(".git")).unwrap();
    fs::create_dir_all(repo.join("deploy")).unwrap();
    fs::write(repo.join(".git/config"), "token").unwrap();
    fs::write(repo.join("deploy/a.yaml"), "a").unwrap();
    fs::write(world.path().join("secret"), "s").unwrap();
    (world, repo)
}

/// What reading says: the text, or why not.
fn said(boundary: &Boundary, path: &Path) -> String {
    boundary.read_to_string(path).unwrap_or_else(|refusal| refusal.to_string())
}

const OUTSIDE: &str = "leads out of the repository";
const IN_GIT: &str = "leads into the folder of Git";

#[test]
fn a_repository_is_the_boundary_of_the_paths_in_it() {
    let (world, repo) = world();
    let boundary = Boundary::around([&*repo.join("deploy")]);
    fs::write(repo.join("beside.yaml"), "b").unwrap();
    assert_eq!(said(&boundary, &repo.join("deploy/a.yaml")), "a");
    assert_eq!(said(&boundary, &repo.join("deploy/../beside.yaml")), "b");
    assert_eq!(said(&boundary, &world.path().join("secret")), OUTSIDE);
    assert_eq!(said(&boundary, &repo.join("../secret")), OUTSIDE);
    assert_eq!(said(&boundary, &repo.join("deploy/../../missing")), OUTSIDE);
    assert_eq!(said(&boundary, &repo.join(".git/config")), IN_GIT);
    assert_eq!(said(&boundary, &repo.join(".GIT/config")), IN_GIT);
    assert!(boundary.has_folder(&repo));
    assert!(!boundary.has_folder(world.path()));
    assert!(!boundary.has_folder(&repo.join(".git")));
}

#[test]
fn links_are_judged_by_where_they_lead() {
    let (world, repo) = world();
    let boundary = Boundary::around([&*repo]);
    symlink("deploy/a.yaml", repo.join("inside")).unwrap();
    symlink("../secret", repo.join("out")).unwrap();
    symlink("out", repo.join("twice")).unwrap();
    symlink("..", repo.join("folder")).unwrap();
    symlink("../missing", repo.join("nowhere")).unwrap();
    symlink("missing", repo.join("nothing")).unwrap();
    symlink("loop", repo.join("loop")).unwrap();
    symlink(".git/config", repo.join("git")).unwrap();
    assert_eq!(said(&boundary, &repo.join("inside")), "a");
    assert_eq!(said(&boundary, &repo.join("nothing")), "No such file or directory (os error 2)");
    for name in ["out", "twice", "folder/secret", "nowhere", "folder/missing"] {
        assert_eq!(said(&boundary, &repo.join(name)), OUTSIDE, "{name}");
    }
    // The system resolves `..` after the link.
    symlink(world.path().join("repo/deploy"), world.path().join("far")).unwrap();
    symlink("../../far", repo.join("deploy/back")).unwrap();
    assert_eq!(said(&boundary, &repo.join("deploy/back/../deploy/a.yaml")), "a");
    symlink("/usr/bin", repo.join("usr")).unwrap();
    assert_eq!(said(&boundary, &repo.join("usr/../deploy/a.yaml")), OUTSIDE);
    assert_eq!(said(&boundary, &repo.join("git")), IN_GIT);
    assert!(boundary.read(&repo.join("loop")).is_err());
}

#[test]
fn a_link_that_the_user_names_does_not_extend_the_boundary_of_its_repository() {
    let (world, repo) = world();
    symlink("../secret", repo.join("out")).unwrap();
    let boundary = Boundary::around([&*repo.join("out")]);
    assert_eq!(said(&boundary, &repo.join("out")), OUTSIDE);
    // Outside of repositories, nobody but the user makes links.
    symlink("secret", world.path().join("own")).unwrap();
    let boundary = Boundary::around([&*world.path().join("own")]);
    assert_eq!(said(&boundary, &world.path().join("own")), "s");
    // A link to a checkout is that checkout.
    symlink("repo", world.path().join("current")).unwrap();
    let boundary = Boundary::around([&*world.path().join("current/deploy")]);
    assert_eq!(said(&boundary, &repo.join("deploy/a.yaml")), "a");
    assert_eq!(said(&boundary, &world.path().join("secret")), OUTSIDE);
}

#[test]
fn only_ordinary_files_of_limited_size_are_read() {
    let (_world, repo) = world();
    let boundary = Boundary::around([&*repo]);
    let large = fs::File::create(repo.join("large")).unwrap();
    large.set_len(file_boundary::regular_file::MAX_SIZE + 1).unwrap();
    assert_eq!(said(&boundary, &repo.join("large")), "larger than 256 MiB");
    let made = std::process::Command::new("mkfifo").arg(repo.join("pipe")).status().unwrap();
    assert!(made.success());
    assert_eq!(said(&boundary, &repo.join("pipe")), "not a regular file");
    assert!(matches!(Boundary::everywhere().read(Path::new("/dev/zero")), Err(Refusal::Irregular)));
    let long = "a/".repeat(100_000);
    assert!(boundary.read(&repo.join(long)).is_err());
}
