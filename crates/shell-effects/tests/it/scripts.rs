//! The labelled scripts of `testdata/scripts`; the README there describes their format.

use std::{fs, path::Path};

use shell_effects::Container;

/// The labels, from harmless to harmful.
pub const ANSWERS: [&str; 6] = ["safe", "unknown", "rotates", "duplicates", "fails", "destroys"];

/// A script and what a person says about it.
pub struct Labelled {
    /// File and line of the label.
    pub location: String,
    /// One of [`ANSWERS`].
    pub label: String,
    /// The failure of a command that changes state is hidden.
    pub hidden: bool,
    /// It may wait without a limit.
    pub waits: bool,
    /// It gives up, and ends with 0.
    pub succeeds: bool,
    /// A shell runs the last argument.
    pub is_shell: bool,
    pub argv: Vec<String>,
    pub container: Container,
}

pub fn labelled_scripts() -> Vec<Labelled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/scripts");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|ext| ext == "sh")).collect();
    paths.sort();
    paths.iter().flat_map(|path| read(path)).collect()
}

fn read(path: &Path) -> Vec<Labelled> {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut scripts: Vec<(Vec<String>, String, String)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(words) = line.strip_prefix("#:") {
            let words = words.split_whitespace().map(str::to_owned).collect();
            scripts.push((words, format!("{name}:{}", number + 1), String::new()));
        } else {
            let (.., body) = scripts.last_mut().expect("a label precedes the script");
            body.push_str(line);
            body.push('\n');
        }
    }
    scripts.into_iter().map(|(words, location, body)| labelled(location, &words, body)).collect()
}

fn labelled(location: String, words: &[String], body: String) -> Labelled {
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let known = ["hidden", "waits", "succeeds", "bash", "argv"];
    for word in &words[1..] {
        assert!(known.contains(&word.as_str()) || word.starts_with("kept="), "{location}: {word}");
    }
    assert!(ANSWERS.contains(&words[0].as_str()), "{location}: {}", words[0]);
    let mounts = words.iter().filter_map(|word| word.strip_prefix("kept="));
    let container = Container {
        persistent_mounts: mounts.map(str::to_owned).collect(),
        ..Container::default()
    };
    let shell = if has("bash") { "bash" } else { "sh" };
    Labelled {
        location,
        label: words[0].clone(),
        hidden: has("hidden"),
        waits: has("waits"),
        succeeds: has("succeeds"),
        is_shell: !has("argv"),
        argv: match has("argv") {
            true => serde_json::from_str(&body).unwrap(),
            false => vec![shell.to_owned(), "-c".to_owned(), body],
        },
        container,
    }
}
