//! Selecting resources by patterns, labels and annotations.

use go_regexp::Regex;

use crate::{
    error::{Error, Result},
    go::Text,
    id::{Gvk, Id},
    resource::Resource,
    types::Selector,
};

/// A selector whose patterns are compiled.
pub(crate) struct Matcher<'s> {
    selector: &'s Selector,
    group: Option<Pattern>,
    version: Option<Pattern>,
    kind: Option<Pattern>,
    name: Option<Pattern>,
    namespace: Option<Pattern>,
    labels: Vec<Requirement>,
    annotations: Vec<Requirement>,
}

/// What a whole text must match.
enum Pattern {
    /// A name, in which a point stands for any character. To compile an expression takes longer than most builds.
    Name(String),
    Expression(Regex),
}

/// A part of a label selector.
#[derive(Clone, Debug)]
enum Requirement {
    Exists(String),
    Missing(String),
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
}

impl<'s> Matcher<'s> {
    pub(crate) fn new(selector: &'s Selector) -> Result<Self> {
        Ok(Self {
            selector,
            group: pattern(&selector.group)?,
            version: pattern(&selector.version)?,
            kind: pattern(&selector.kind)?,
            name: pattern(&selector.name)?,
            namespace: pattern(&selector.namespace)?,
            labels: requirements(&selector.label_selector)?,
            annotations: requirements(&selector.annotation_selector)?,
        })
    }

    /// Whether a patch applies to a resource, by its first or current id.
    pub(crate) fn selects(&self, resource: &Resource) -> bool {
        let (current, original) = (resource.id(), resource.original_id());
        let both = [&original, &current];
        both.iter().any(|id| fits(&self.namespace, id.effective_namespace()))
            && both.iter().any(|id| fits(&self.name, &id.name))
            && self.fits_gvk(&current.gvk)
            && self.fits_labels(resource)
    }

    /// Whether an id fits, with its namespace as it is written.
    pub(crate) fn fits_id(&self, id: &Id) -> bool {
        self.fits_gvk(&id.gvk) && fits(&self.name, &id.name) && fits(&self.namespace, &id.namespace)
    }

    fn fits_gvk(&self, gvk: &Gvk) -> bool {
        fits(&self.group, &gvk.group)
            && fits(&self.version, &gvk.version)
            && fits(&self.kind, &gvk.kind)
    }

    pub(crate) fn fits_labels(&self, resource: &Resource) -> bool {
        let all = |requirements: &[Requirement], pairs: Vec<(&str, &str)>| {
            requirements.iter().all(|requirement| requirement.fits(&pairs))
        };
        all(&self.labels, resource.labels()) && all(&self.annotations, resource.annotations())
    }

    /// Whether the selector is only about labels and annotations.
    pub(crate) fn has_no_id(&self) -> bool {
        self.selector.id() == Id::default()
    }

    pub(crate) fn selects_by_labels(&self) -> bool {
        !self.labels.is_empty() || !self.annotations.is_empty()
    }
}

fn pattern(text: &Text) -> Result<Option<Pattern>> {
    if text.is_empty() {
        return Ok(None);
    }
    if text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.')) {
        return Ok(Some(Pattern::Name(text.to_string())));
    }
    let regex = go_regexp::compile(&format!("^(?:{})$", &**text))
        .map_err(|message| Error::transformer(message).at(text.at.clone()));
    regex.map(|regex| Some(Pattern::Expression(regex)))
}

fn fits(pattern: &Option<Pattern>, text: &str) -> bool {
    match pattern {
        None => true,
        Some(Pattern::Expression(regex)) => regex.is_match(text.as_bytes()),
        Some(Pattern::Name(name)) => {
            let is_same = |(own, c)| own == c || own == '.' && c != '\n';
            name.len() == text.chars().count() && name.chars().zip(text.chars()).all(is_same)
        }
    }
}

/// Parses a label selector of Kubernetes: `a=b,c!=d,e in (f,g),h notin (i),j,!k`.
fn requirements(text: &Text) -> Result<Vec<Requirement>> {
    let fail = || {
        let message = format!("unable to parse requirement: {:?}", &**text);
        Error::transformer(message).at(text.at.clone())
    };
    parts(text).into_iter().map(|part| Requirement::parse(part.trim()).ok_or_else(fail)).collect()
}

/// Splits at commas outside of parentheses.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(&text[start..]);
    }
    parts
}

impl Requirement {
    fn parse(part: &str) -> Option<Self> {
        let key = |text: &str| {
            let text = text.trim();
            let is_key = !text.is_empty() && !text.contains([' ', '(', ')', '=', '!', ',']);
            is_key.then(|| text.to_owned())
        };
        let values = |text: &str| {
            let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
            Some(inner.split(',').map(|value| value.trim().to_owned()).collect())
        };
        if let Some(missing) = part.strip_prefix('!') {
            return key(missing).map(Self::Missing);
        }
        if let Some((name, value)) = part.split_once("!=") {
            return Some(Self::NotIn(key(name)?, vec![value.trim().to_owned()]));
        }
        if let Some((name, value)) = part.split_once('=') {
            let value = value.strip_prefix('=').unwrap_or(value).trim();
            return Some(Self::In(key(name)?, vec![value.to_owned()]));
        }
        if let Some((name, list)) = part.split_once(" notin ") {
            return Some(Self::NotIn(key(name)?, values(list)?));
        }
        if let Some((name, list)) = part.split_once(" in ") {
            return Some(Self::In(key(name)?, values(list)?));
        }
        key(part).map(Self::Exists)
    }

    fn fits(&self, pairs: &[(&str, &str)]) -> bool {
        let value = |key: &str| pairs.iter().find(|pair| pair.0 == key).map(|pair| pair.1);
        match self {
            Self::Exists(key) => value(key).is_some(),
            Self::Missing(key) => value(key).is_none(),
            Self::In(key, values) => value(key).is_some_and(|own| values.iter().any(|v| v == own)),
            Self::NotIn(key, values) => {
                !value(key).is_some_and(|own| values.iter().any(|v| v == own))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_matched_as_the_expression_that_it_is() {
        let texts =
            ["shop", "shop-a", "apps.openshift.io", "apps-openshift.io", "a.b", "a\nb", "aäb", ""];
        for name in ["shop", "apps.openshift.io", "a.b", ".", "shop-."] {
            let own = pattern(&Text { text: name.into(), ..Text::default() }).unwrap();
            assert!(matches!(own, Some(Pattern::Name(_))));
            let regex = go_regexp::compile(&format!("^(?:{name})$")).unwrap();
            for text in texts {
                assert_eq!(fits(&own, text), regex.is_match(text.as_bytes()), "{name} {text}");
            }
        }
    }
}
