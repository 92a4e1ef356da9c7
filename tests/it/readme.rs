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
