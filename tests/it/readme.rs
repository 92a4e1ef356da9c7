//! The README shows what the commands print.

use std::path::Path;

use super::support::{joblint, run};

const README: &str = include_str!("../../README.md");

/// The commands that the README runs on the project's own examples, with the output that it shows below each.
fn shown() -> Vec<(&'static str, &'static str)> {
    let blocks: Vec<_> = README.split("\n```").collect();
    let pairs = blocks.windows(3).filter_map(|window| {
        let command = window[0].strip_prefix("console\n$ cargo run --release -- ")?;
        Some((command, window[2].strip_prefix("text\n")?))
    });
    pairs.collect()
}

#[test]
fn the_commands_on_the_examples_print_what_the_readme_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shown = shown();
    assert_eq!(shown.len(), 2, "{shown:?}");
    for (command, output) in shown {
        let (_, printed, notes) =
            run(joblint(root, &["check"]).args(command.split(' ')).env("LC_ALL", "C.UTF-8"));
        let printed = printed + &notes;
        // A line of `…` stands for what is left out.
        for part in output.split("…\n").map(|part| part.trim_end_matches('…')) {
            assert!(printed.contains(part), "`{command}` does not print\n{part}\nbut\n{printed}");
        }
    }
}

/// What `joblint upgrade` prints is compared with Git revisions of a chart elsewhere, without colours and Unicode.
#[test]
fn the_upgrade_of_the_readme_is_the_one_that_is_tested() {
    let golden = include_str!("upgrade/chart.txt");
    let (_, block) = README.split_once("$ joblint upgrade --base v1 shop\n").expect("a block");
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
