//! `.helmignore`: which files of a directory are not part of the chart. Helm `pkg/ignore`.

use super::pattern::{self, BadPattern};

/// The rules of a chart directory.
#[derive(Debug, Default)]
pub(super) struct Rules(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    pattern: String,
    is_negated: bool,
    needs_folder: bool,
    scope: Scope,
}

/// What a pattern is matched against.
#[derive(Debug)]
enum Scope {
    Name,
    Path,
}

impl Rules {
    /// Parses a `.helmignore` file and adds Helm's built-in rule.
    pub(super) fn parse(text: &[u8]) -> Result<Self, String> {
        let mut rules = Self::default();
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        for line in String::from_utf8_lossy(text).lines() {
            rules.add(line.trim())?;
        }
        // Hidden files in `templates/` are never templates.
        rules.add("templates/.?*")?;
        Ok(rules)
    }

    /// Whether a path is ignored; the first rule that decides wins.
    pub(super) fn ignores(&self, path: &str, is_folder: bool) -> bool {
        for rule in &self.0 {
            let is_wrong_kind = rule.needs_folder && !is_folder;
            // A negated rule ignores whatever it does not match.
            match rule.is_negated {
                true if is_wrong_kind || !rule.matches(path) => return true,
                false if !is_wrong_kind && rule.matches(path) => return true,
                _ => {}
            }
        }
        false
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if line.contains("**") {
            return Err("double-star (**) syntax is not supported".into());
        }
        if pattern::matches(line.as_bytes(), b"abc") == Err(BadPattern) {
            return Err("syntax error in pattern".into());
        }
        let (is_negated, line) = strip(line, |line| line.strip_prefix('!'));
        let (needs_folder, line) = strip(line, |line| line.strip_suffix('/'));
        let (is_rooted, pattern) = strip(line, |line| line.strip_prefix('/'));
        let scope = if is_rooted || pattern.contains('/') { Scope::Path } else { Scope::Name };
        self.0.push(Rule { pattern: pattern.to_owned(), is_negated, needs_folder, scope });
        Ok(())
    }
}

impl Rule {
    fn matches(&self, path: &str) -> bool {
        let subject = match self.scope {
            Scope::Path => path,
            Scope::Name => {
                memchr::memrchr(b'/', path.as_bytes()).map_or(path, |slash| &path[slash + 1..])
            }
        };
        pattern::matches(self.pattern.as_bytes(), subject.as_bytes()) == Ok(true)
    }
}

fn strip<'l>(line: &'l str, strip: impl Fn(&'l str) -> Option<&'l str>) -> (bool, &'l str) {
    strip(line).map_or((false, line), |rest| (true, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From Helm's `pkg/ignore/rules_test.go` and its documentation.
    #[test]
    fn decides_like_helm() {
        for (rules, path, is_folder, expected) in [
            ("helm.txt", "helm.txt", false, true),
            ("helm.*", "a/helm.txt", false, true),
            ("cargo/*.txt", "cargo/a.txt", false, true),
            ("/a.txt", "b/a.txt", false, false),
            ("mast/", "mast", true, true),
            ("mast/", "mast", false, false),
            ("!*.txt", "a.yaml", false, true),
            ("!*.txt", "a.txt", false, false),
            ("", "templates/.dotfile", false, true),
            ("", "templates/sub/.dotfile", false, false),
            ("a/b", "c/a/b", false, false),
        ] {
            let rules = Rules::parse(rules.as_bytes()).unwrap();
            assert_eq!(rules.ignores(path, is_folder), expected, "{path}");
        }
        assert!(Rules::parse(b"a/**").is_err());
    }
}
