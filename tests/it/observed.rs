//! The forecast equals what was observed on a real API server, cell by cell. `cargo xtask observe` writes the tables
//! in `testdata/observed`.

#[path = "../../xtask/src/observe/cases.rs"]
#[allow(dead_code, reason = "players use the rest")]
pub mod cases;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use cases::Version;
use job_lifecycle::{Deployer, Event};

const FOLDER: &str = "testdata/observed";

/// A row: a workload, an event, and the outcome with its side effects.
struct Cell {
    work: String,
    event: Event,
    seen: String,
    /// File name of the table, without its extension.
    table: String,
}

/// All rows by case and deployer. Some cells appear twice: played with an engine, and with its controller.
fn cells() -> BTreeMap<(String, String), Vec<Cell>> {
    let mut all: BTreeMap<_, Vec<Cell>> = BTreeMap::new();
    let mut keys = BTreeSet::new();
    let mut files: Vec<_> =
        fs::read_dir(FOLDER).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "tsv")) {
        let text = fs::read_to_string(file).unwrap();
        let table = file.file_stem().unwrap().to_str().unwrap();
        let version = text.lines().next().unwrap();
        assert!(version.starts_with("# ") && !version.contains("unknown"), "{version}");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<_> = line.split('\t').collect();
            let [case, work, deployer, event, outcome, also, ..] = words[..] else {
                panic!("{}: {line}", file.display())
            };
            let key = [table, case, work, deployer, event].map(str::to_owned);
            assert!(keys.insert(key), "duplicate row: {line}");
            let event = Event::ALL.into_iter().find(|known| known.name() == event).unwrap();
            let seen = format!("{outcome} {also}").trim_end().to_owned();
            let key = (case.to_owned(), deployer.to_owned());
            let (work, table) = (work.to_owned(), table.to_owned());
            all.entry(key).or_default().push(Cell { work, event, seen, table });
        }
    }
    all
}

#[test]
fn the_forecast_equals_the_observation() {
    let cases = cases::cases(Path::new(FOLDER));
    let (mut count, mut wrong) = (0, Vec::new());
    for ((name, deployer), cells) in cells() {
        let case = cases.iter().find(|case| case.case == name).unwrap_or_else(|| panic!("{name}"));
        let parsed: Deployer = deployer.parse().unwrap();
        let forecasts = case.forecast(&parsed, &Event::ALL);
        for Cell { work, event, seen, table } in cells {
            count += 1;
            let is_played =
                case.events.is_empty() || case.events.iter().any(|own| own == event.name());
            assert!(
                is_played && case.deployers.contains(&deployer),
                "{name}: {deployer} {event:?}"
            );
            let predicted = forecasts.get(&(work.clone(), event)).map_or_else(
                || "absent".to_owned(),
                |(outcome, also)| {
                    let words = [&[*outcome][..], also].concat();
                    words.iter().map(|word| word.name()).collect::<Vec<_>>().join(" ")
                },
            );
            let compared = case.comparison(&parsed, event).remove(&(work.clone(), event));
            if let Some((outcome, also)) = compared {
                let words = [&[outcome][..], &also].concat();
                let words: Vec<_> = words.iter().map(|word| word.name()).collect();
                assert_eq!(words.join(" "), seen, "{table}: {name}: `upgrade` of {work}");
            }
            if predicted != seen {
                let event = event.name();
                wrong.push(format!(
                    "{table}: {name}: {work} {deployer} {event}: forecast {predicted}, observed {seen}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} cells:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 300, "{count}");
}

#[test]
fn the_documentation_states_the_number_of_cells() {
    let with_comma = |count: usize| match count {
        0..1000 => count.to_string(),
        _ => format!("{},{:03}", count / 1000, count % 1000),
    };
    let (mut tables, mut distinct) = (BTreeMap::new(), BTreeSet::new());
    for ((name, deployer), cells) in cells() {
        for Cell { work, event, table, .. } in cells {
            *tables.entry(table).or_insert(0) += 1;
            distinct.insert((name.clone(), deployer.clone(), work, event));
        }
    }
    let docs = fs::read_to_string("docs/observed.md").unwrap();
    for (table, count) in tables {
        let row = format!("| `{table}` | {} |", with_comma(count));
        assert!(docs.contains(&row), "docs/observed.md: {row}");
    }
    let total = with_comma(distinct.len());
    assert!(docs.contains(&format!("{total} cells")), "docs/observed.md: {total}");
    let readme = fs::read_to_string("README.md").unwrap();
    assert!(readme.contains(&format!("{total} of its cells")), "README.md: {total}");
}

/// The next version of a unit has another text and the same workloads.
#[test]
fn every_unit_has_two_versions() {
    for case in cases::cases(Path::new(FOLDER)) {
        for text in &case.deployers {
            let deployer: Deployer = text.parse().unwrap();
            let texts = [Version::First, Version::Next].map(|version| {
                let folder = tempfile::tempdir().unwrap();
                case.write(folder.path(), &deployer, version, true);
                let read = |name: &str| fs::read_to_string(folder.path().join(name)).ok();
                ["values.yaml", "all.yaml", "settings.yaml"].into_iter().find_map(read).unwrap()
            });
            assert_ne!(texts[0], texts[1], "{}", case.case);
        }
    }
}
