//! The secret values of a run, wherever they come from.

use std::{
    collections::BTreeSet,
    sync::{Arc, LazyLock},
};

use aho_corasick::AhoCorasick;
use helm_render::{
    ParsedValues,
    values::{Setting, Table, Tree},
};
use memchr::memmem;
use regex::bytes::Regex;
use yaml_spans::{Node, Source};

use super::{Search, Secrets, command, is_file, names, recognisable, tree};

/// The values that no output of a run may contain: what the secret-looking keys of values files, Secrets and the
/// environment hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretValues {
    values: BTreeSet<Box<str>>,
    /// Names and paths that the output shows anyway, such as the name of a chart.
    public: BTreeSet<Box<str>>,
}

impl SecretValues {
    /// The values of the environment variables whose names look like those of secrets, and the passwords in URLs of
    /// all others.
    pub fn of_environment() -> Self {
        let mut all = Self::default();
        for (name, value) in std::env::vars_os() {
            if let (Some(name), Some(value)) = (name.to_str(), value.to_str()) {
                all.add_variable(name, value);
            }
        }
        all
    }

    pub(super) fn add_variable(&mut self, name: &str, value: &str) {
        /// The shell's working folders: `DB_PWD` is a password, these are paths.
        const FOLDERS: [&str; 2] = ["PWD", "OLDPWD"];
        if names::is_secret(name) && !FOLDERS.contains(&name) {
            self.add(value);
        } else if value.contains("://") {
            self.add_all(&Secrets::find(value));
        }
    }

    /// Adds a value that is known to be secret, line by line.
    pub fn add(&mut self, value: &str) {
        self.values
            .extend(value.lines().map(str::trim).filter(|line| !line.is_empty()).map(Box::from));
    }

    /// Adds a name or path that the output shows anyway. Its words are masked only if they rarely occur by chance.
    pub(crate) fn add_public(&mut self, name: &str) {
        self.public.insert(name.into());
    }

    /// Adds the secrets of a text.
    pub(crate) fn add_all(&mut self, secrets: &Secrets) {
        self.values.extend(secrets.values.iter().cloned());
    }

    /// Adds the secrets of a text of any language.
    pub(crate) fn add_text(&mut self, text: &str) {
        if mentions_secrets(text) {
            self.add_all(&Secrets::find(text));
        }
    }

    /// Adds the secrets of a `--set` flag: `db.password=x,db.user=y`.
    pub(crate) fn add_flag(&mut self, text: &str) {
        self.add_text(text);
        for setting in text.split(',') {
            if let Some((_, value)) =
                setting.split_once('=').filter(|(name, _)| names::is_secret(name))
            {
                self.add(value.trim_matches(['{', '}']));
            }
        }
    }

    /// The secrets of a manifest, which is parsed only if it may hold an object of kind Secret.
    pub(crate) fn of_manifest(manifest: &[u8]) -> Self {
        let mut all = Self::default();
        if may_hold_secret(manifest) {
            all.add_all(&Secrets::find(&String::from_utf8_lossy(manifest)));
        }
        all
    }

    /// Adds the secrets below a node of a text.
    pub(crate) fn add_node(&mut self, node: &Node, text: &str) {
        if text.get(node.span.range()).is_some_and(|text| !mentions_secrets(text)) {
            return;
        }
        let mut search = Search { text, spans: Vec::new(), values: BTreeSet::new() };
        tree::search(node, &mut search);
        self.values.extend(search.values);
    }

    /// Adds the secrets of chart values: of the files and flags that set them, and the values of keys that look
    /// like the names of secrets, such as those that `--set-file` reads.
    pub(crate) fn add_table(&mut self, table: &Table) {
        self.add_parsed_table(table, None);
    }

    /// The same where a file that sets the values is parsed already.
    pub(crate) fn add_parsed_table(&mut self, table: &Table, parsed: Option<&ParsedValues>) {
        let mut sources: Vec<&Arc<Source>> = Vec::new();
        self.add_settings(table, false, &mut sources);
        for source in sources.into_iter().filter(|source| mentions_secrets(&source.text)) {
            let documents = parsed.filter(|(own, _)| Arc::ptr_eq(own, source));
            self.add_all(&match documents {
                Some((_, documents)) => Secrets::find_parsed(&source.text, documents),
                None => Secrets::find(&source.text),
            });
        }
    }

    fn add_settings<'a>(
        &mut self,
        table: &'a Table,
        below: bool,
        sources: &mut Vec<&'a Arc<Source>>,
    ) {
        for (key, setting) in table {
            let secret = names::is_secret(key) || below && !names::is_about(key);
            self.add_setting(setting, secret, sources);
        }
    }

    fn add_setting<'a>(
        &mut self,
        setting: &'a Setting,
        secret: bool,
        sources: &mut Vec<&'a Arc<Source>>,
    ) {
        if let Some(at) = &setting.at
            && !sources.iter().rev().any(|source| Arc::ptr_eq(source, &at.source))
        {
            sources.push(&at.source);
        }
        match &setting.value {
            Tree::Table(table) => self.add_settings(table, secret, sources),
            Tree::List(items) => {
                items.iter().for_each(|item| self.add_setting(item, secret, sources));
            }
            Tree::Str(text) if secret && is_file(text) => self.values.extend(recognisable(text)),
            Tree::Str(text) if secret => self.add(text),
            _ => {}
        }
    }

    /// Adds all values and public names of another collection.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.values.extend(other.values.iter().cloned());
        self.public.extend(other.public.iter().cloned());
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|value| &**value)
    }

    /// The names and paths that the output shows anyway.
    pub(super) fn public(&self) -> impl Iterator<Item = &str> {
        self.public.iter().map(|name| &**name)
    }
}

/// True unless no object in a manifest is of kind Secret: the kind follows its key, perhaps with a tag or an anchor
/// of its own, or is an anchor that an alias repeats.
fn may_hold_secret(manifest: &[u8]) -> bool {
    static KIND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?-u)(?:kind\\?["']?\s*:\s*(?:!\S*\s+)?|&\S+\s+)(?:!\S*\s+)?\\?["']?Secret"#)
            .expect("a valid expression")
    });
    let is_kind = |at: usize| {
        let before = &manifest[..at];
        may_follow_kind(before)
            && near(before).is_none_or(|start| KIND.is_match(&manifest[start..at + SECRET.len()]))
    };
    memmem::find_iter(manifest, SECRET).any(is_kind)
        || memmem::find(manifest, b"secretGenerator").is_some()
}

const SECRET: &[u8] = b"Secret";

/// Where the words begin that can be the key, the tags and the anchor of a kind; `None` if they are too long to look for.
fn near(before: &[u8]) -> Option<usize> {
    const WORDS: usize = 6;
    const LONGEST: usize = 4 << 10;
    let floor = before.len().saturating_sub(LONGEST);
    let mut start = before.len();
    for _ in 0..WORDS {
        let left = before[floor..start].trim_ascii_end();
        start = left.iter().rposition(u8::is_ascii_whitespace).map_or(floor, |at| floor + at + 1);
    }
    (start > floor || floor == 0).then_some(start)
}

/// False where a text surely does not end with the key of a kind, a tag or an anchor: most mentions of a Secret are prose.
fn may_follow_kind(before: &[u8]) -> bool {
    // Longer words are not looked at, so that many mentions in one word take no longer.
    const LONG: usize = 256;
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'\\');
    let end = before.iter().rposition(|byte| !is_quote(byte)).map_or(0, |at| at + 1);
    let before = before[..end].trim_ascii_end();
    let near = &before[before.len().saturating_sub(LONG)..];
    let word = near.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    before.ends_with(b":")
        || word.len() == LONG
        || word.iter().any(|byte| matches!(byte, b'!' | b'&'))
}

/// True unless nothing in the text can be recognised as a secret, which spares parsing it.
fn mentions_secrets(text: &str) -> bool {
    static MARKS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let marks =
            names::STEMS.iter().copied().chain(["://", "authorization", "basic", "identified by"]);
        let marks = marks.chain(command::tools());
        AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(marks)
            .expect("a few short patterns are within the limits")
    });
    MARKS.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_that_may_hold_a_secret() {
        for manifest in [
            "kind: Secret",
            "{\"kind\": \"Secret\"}",
            "'kind' : 'Secret'",
            "? kind\n: Secret",
            "kind:\n  Secret",
            "kind: !!str Secret",
            "kind: &kind !<tag:yaml.org,2002:str> Secret",
            "a: &kind Secret\nkind: *kind",
            "kind: SecretList",
            "{\\\"kind\\\":\\\"Secret\\\"}",
            "secretGenerator:\n- name: a",
            &format!("kind: {} Secret", "!".repeat(5000)),
            &format!("kind:{}Secret", " ".repeat(5000)),
            &format!("{} kind: Secret", "a b c d e f g h ".repeat(500)),
            &format!("{} kind : !a &b Secret", "a".repeat(5000)),
        ] {
            assert!(may_hold_secret(manifest.as_bytes()), "{manifest}");
        }
        for manifest in [
            "kind: Job",
            "description: Secret of a Job",
            "imagePullSecrets: []",
            "a: in a Secret",
            "kind: Job\na: Secret",
        ] {
            assert!(!may_hold_secret(manifest.as_bytes()), "{manifest}");
        }
    }
}
