//! The README and the documents show what the commands print.

use std::{fs, path::Path};

use regex::Regex;

use super::support::{joblint, run};

const README: &str = include_str!("../../README.md");
const UPGRADE: &str = include_str!("../../docs/upgrade.md");

/// The commands that the README runs on the project's own examples, with the output that it shows below each.
fn shown() -> Vec<(&'static str, &'static str)> {
    let blocks: Vec<_> = README.split("\n```").collect();
    let pairs = blocks.windows(3).filter_map(|window| {
        let command = window[0].strip_prefix("console\n$ joblint ")?;
        Some((command, window[2].strip_prefix("text\n")?))
    });
    pairs.collect()
}

#[test]
fn the_commands_on_the_examples_print_what_the_readme_shows() {
    let shown = shown();
    assert_eq!(shown.len(), 2, "{shown:?}");
    for (command, output) in shown {
        let printed = printed(command);
        // A line of `…` stands for what is left out.
        for part in output.split("…\n").map(|part| part.trim_end_matches('…')) {
            assert!(printed.contains(part), "`{command}` does not print\n{part}\nbut\n{printed}");
        }
    }
}

/// What a command prints at the root of the repository.
fn printed(command: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let words: Vec<_> = command.split(' ').collect();
    let (_, printed, notes) = run(joblint(root, &words).env("LC_ALL", "C.UTF-8"));
    printed + &notes
}

/// `cargo xtask pictures` draws them.
#[test]
fn the_picture_shows_what_the_command_prints() {
    let printed = printed("examples/charts --select stale-hook-blocks");
    let text = Regex::new("<text[^>]*>([^<]*)</text>").unwrap();
    for scheme in ["light", "dark"] {
        let svg = fs::read_to_string(format!("docs/pictures/finding-{scheme}.svg")).unwrap();
        let parts: Vec<_> = text.captures_iter(&svg).map(|found| found[1].to_owned()).collect();
        assert!(parts.len() > 15, "{parts:?}");
        // The first two are the prompt and the command; a line that is too long ends with `…`.
        for part in &parts[2..] {
            let part = part.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            let part = part.trim_end_matches('…').trim_end();
            assert!(printed.contains(part), "`{part}` is not printed: cargo xtask pictures");
        }
    }
}

#[test]
fn the_readme_fits_on_three_screens() {
    let lines = README.lines().count();
    assert!(lines <= 150, "{lines} lines");
}

/// What `joblint upgrade` prints is compared with Git revisions of a chart elsewhere, without colours and Unicode.
#[test]
fn the_upgrade_of_the_documents_is_the_one_that_is_tested() {
    let golden = include_str!("upgrade/chart.txt");
    let (_, block) = UPGRADE.split_once("$ joblint upgrade --base v1 shop\n").expect("a block");
    let block = block.split("\n```").next().unwrap_or_default();
    let lines =
        block.lines().filter(|line| line.starts_with("error[") || line.starts_with("  Job"));
    let lines: Vec<_> = lines.collect();
    assert_eq!(lines.len(), 4, "{block}");
    let words = |line: &str| {
        let line = line.replace('→', "->").replace('①', "[1]").replace('②', "[2]");
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let printed: Vec<_> = golden.lines().map(words).collect();
    for line in lines {
        assert!(printed.contains(&words(line)), "{line}");
    }
}
