//! Paths with parts that nothing in the repository tells: `clusters/${CLUSTER}/apps`.

/// How such a part starts and ends. A name without braces ends where its letters do.
pub(super) const PARTS: [(&str, &str); 4] = [("${{", "}}"), ("{{", "}}"), ("${", "}"), ("$(", ")")];

/// Words of templates that choose between texts.
const CHOICES: [&str; 5] = ["if", "else", "end", "range", "with"];

/// The known pieces of a path, with something unknown between any two.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern(Vec<String>);

impl Pattern {
    /// The pattern of a path relative to the root.
    pub(super) fn of(written: &str) -> Self {
        let mut pieces = vec![String::new()];
        let mut rest = written.trim_start_matches("./").trim_matches('/');
        while let Some(next) = rest.chars().next() {
            let Some(after) = behind_unknown(rest) else {
                if let Some(last) = pieces.last_mut() {
                    last.push(next);
                }
                rest = &rest[next.len_utf8()..];
                continue;
            };
            let inner = &rest[..rest.len() - after.len()];
            let is_choice = |word: &str| CHOICES.contains(&word);
            if inner.split(|c: char| !c.is_ascii_alphanumeric()).any(is_choice) {
                pieces.push(String::new());
                return Self(pieces);
            }
            pieces.push(String::new());
            rest = after;
        }
        match &pieces[..] {
            [only] if only == "." => Self(vec![String::new()]),
            _ => Self(pieces),
        }
    }

    /// The pattern of a path below an unknown folder, or at the root.
    pub(super) fn below(written: &str) -> Self {
        let Self(mut pieces) = Self::of(written);
        pieces.insert(0, String::new());
        Self(pieces)
    }

    /// Whether a part is unknown.
    pub(super) fn is_open(&self) -> bool {
        self.0.len() > 1
    }

    /// Whether any path may be meant.
    pub(super) fn is_any(&self) -> bool {
        self.is_open() && self.0.iter().all(|piece| piece.trim_matches('/').is_empty())
    }

    /// Whether a path may be meant.
    pub(super) fn is(&self, path: &str) -> bool {
        let [first, middle @ .., last] = &self.0[..] else { return self.0[0] == path };
        let Some(mut rest) = path.strip_prefix(&**first) else { return false };
        for piece in middle {
            match rest.split_once(&**piece) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        rest.ends_with(&**last)
    }

    /// Whether a path or a folder above it may be meant.
    pub(super) fn covers(&self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        self.0.iter().all(String::is_empty) || ends.into_iter().any(|end| self.is(&path[..end]))
    }
}

/// What follows the unknown part that a text begins with; `None` if it begins with something known.
fn behind_unknown(text: &str) -> Option<&str> {
    if let Some((start, end)) = PARTS.iter().find(|(start, _)| text.starts_with(start)) {
        let inner = &text[start.len()..];
        return Some(inner.split_once(end).map_or("", |(_, after)| after));
    }
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match text.strip_prefix('$').filter(|rest| rest.starts_with(is_of_name)) {
        Some(name) => Some(name.trim_start_matches(is_of_name)),
        None => text.strip_prefix(['*', '?']),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_parts_match_any_folders() {
        for (written, path) in [
            ("apps/shop", "apps/shop"),
            ("./apps/shop/", "apps/shop/jobs"),
            ("./clusters/${CLUSTER}/apps", "clusters/eu/west/apps/shop"),
            ("apps/{{ .name }}/overlays/{{env}}-eu", "apps/shop/overlays/prod-eu"),
            ("{{path}}", "apps"),
            ("apps/$1", "apps/shop"),
            ("apps/*/", "apps/shop"),
            ("apps/{{ if .a }}one{{ else }}two{{ end }}", "apps/two"),
            (".", "apps"),
        ] {
            assert!(Pattern::of(written).covers(path), "{written} {path}");
        }
        for (written, path) in [
            ("apps/shop", "apps/shops"),
            ("apps/shop", "apps"),
            ("clusters/${CLUSTER}/apps", "clusters/eu/jobs"),
            ("apps/{{name}}-eu", "apps/shop-us"),
        ] {
            assert!(!Pattern::of(written).covers(path), "{written} {path}");
        }
        assert!(Pattern::below("jobs").covers("deploy/jobs/a") && Pattern::of("{{a}}").is_any());
    }
}
