//! Every crate that joblint depends on has a line in `docs/dependencies.md` that says what it is for.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

/// The packages of the lock file by name.
struct Lock {
    /// The crates that a package depends on, in all versions; those of the workspace also in tests.
    packages: BTreeMap<String, BTreeSet<String>>,
    /// The packages from a registry.
    foreign: BTreeSet<String>,
}

fn lock() -> Lock {
    let text = fs::read_to_string("Cargo.lock").unwrap();
    let mut lock = Lock { packages: BTreeMap::new(), foreign: BTreeSet::new() };
    for package in text.split("[[package]]").skip(1) {
        let name = package.split('"').nth(1).unwrap();
        if package.contains("\nsource = ") {
            lock.foreign.insert(name.to_owned());
        }
        let dependencies = package.split_once("dependencies = [").map_or("", |(_, rest)| rest);
        let names = dependencies.split('"').skip(1).step_by(2);
        let names = names.map(|name| name.split(' ').next().unwrap().to_owned());
        lock.packages.entry(name.to_owned()).or_default().extend(names);
    }
    lock
}

/// The packages in `[dependencies]` of a manifest of the workspace, those for some targets included.
fn direct(manifest: &str) -> BTreeSet<String> {
    let of_section = |section: &'_ str| {
        let (head, rest) = section.split_once("]\n")?;
        let is_target = head.starts_with("target.") && head.ends_with(".dependencies");
        (head == "dependencies" || is_target).then(|| rest.to_owned())
    };
    let sections: Vec<_> = manifest.split("\n[").filter_map(of_section).collect();
    let lines = sections.iter().flat_map(|section| section.lines());
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    let renamed = |name| if name == "serde_yaml" { "yaml_serde" } else { name };
    names.filter(|name| !name.is_empty()).map(|name| renamed(name).to_owned()).collect()
}

/// The crates in the program or its build.
fn shipped(lock: &Lock) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec!["joblint".to_owned()];
    while let Some(name) = open.pop() {
        if found.insert(name.clone()) {
            let manifest = match &*name {
                "joblint" => "Cargo.toml".to_owned(),
                _ => format!("crates/{name}/Cargo.toml"),
            };
            match lock.foreign.contains(&name) {
                true => open.extend(lock.packages[&name].iter().cloned()),
                false => open.extend(direct(&fs::read_to_string(manifest).unwrap())),
            }
        }
    }
    found.intersection(&lock.foreign).cloned().collect()
}

/// The crates with a line in a part of the page.
fn listed(part: &str) -> BTreeSet<String> {
    let lines = part.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    let rows = lines.map(|line| line.split_once("` | ").unwrap());
    let mut names = BTreeSet::new();
    for (name, purpose) in rows {
        assert!(purpose.len() > 5, "{name}: what is it for?");
        assert!(names.insert(name.to_owned()), "{name} has two lines");
    }
    names
}

#[test]
fn every_dependency_has_a_purpose() {
    let page = fs::read_to_string("docs/dependencies.md").unwrap();
    let (program, tests) = page.split_once("## In tests and developer commands").unwrap();
    let lock = lock();
    let shipped = shipped(&lock);
    let only_tests: BTreeSet<_> = lock.foreign.difference(&shipped).cloned().collect();
    for (expected, part) in [(shipped, program), (only_tests, tests)] {
        let listed = listed(part);
        let missing: Vec<_> = expected.difference(&listed).collect();
        let gone: Vec<_> = listed.difference(&expected).collect();
        assert!(
            missing.is_empty() && gone.is_empty(),
            "docs/dependencies.md lacks {missing:?} and lists {gone:?} in the wrong place"
        );
    }
}
