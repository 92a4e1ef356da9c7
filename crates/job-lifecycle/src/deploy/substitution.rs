//! Variable substitution by a Flux Kustomization with `postBuild`.
//!
//! Sources: `fluxcd/pkg` `kustomize/kustomize_varsub.go` and `envsubst`; observed with kustomize-controller
//! 1.9. After the build, Flux substitutes variables in the whole text of every object, scripts included. Only
//! `${…}` is a variable; `$NAME` and `$(…)` stay.

use std::ops::Range;

/// A part of a text that Flux replaces or fails on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substitution<'t> {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// What Flux does with it.
    pub kind: SubstitutionKind<'t>,
}

/// What Flux does with a part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubstitutionKind<'t> {
    /// Replaces it with the variable of this name.
    Variable(&'t str),
    /// Reads `${X:+y}` and `${X:?y}` as `${X:-y}`; holds the operator.
    Default(&'t str),
    /// Replaces `$$` with `$`.
    Dollar,
    /// Replaces `$${X}` with the text `${X}`.
    Escape,
    /// Fails the build with this error.
    Failure(&'static str),
}

/// The substitutions in a text, in order.
pub fn substitutions(text: &str) -> Vec<Substitution<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find('$').map(|at| from + at) {
        let rest = &text[start + 1..];
        let (length, kind) = match rest.as_bytes() {
            [b'$', b'{', ..] => (3, SubstitutionKind::Escape),
            // What only a single `$` makes sense before: `$$(date)`, `$$name`.
            [b'$', next, ..] if *next == b'(' || *next == b'_' || next.is_ascii_alphanumeric() => {
                (2, SubstitutionKind::Escape)
            }
            // `$$$$` becomes `$$`: the author has escaped it.
            [b'$', b'$', b'$', ..] => {
                from = start + 4;
                continue;
            }
            [b'$', ..] => (2, SubstitutionKind::Dollar),
            [b'{', ..] => {
                let inner = &rest[1..1 + closing(&rest[1..])];
                (inner.len() + 3, read(inner))
            }
            _ => {
                from = start + 1;
                continue;
            }
        };
        from = (start + length).min(text.len());
        found.push(Substitution { range: start..from, kind });
    }
    found
}

/// The offset of the brace that closes the one before the text, or of the end of the line.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return at,
            '}' => depth -= 1,
            '\n' => return at,
            _ => {}
        }
    }
    text.len()
}

fn read(inner: &str) -> SubstitutionKind<'_> {
    let name = inner.strip_prefix('#').unwrap_or(inner);
    let letters = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let (name, operand) = name.split_at(name.find(letters).unwrap_or(name.len()));
    if name.is_empty() {
        return SubstitutionKind::Failure("unable to parse variable name");
    }
    match operand.as_bytes() {
        [b':', b'+' | b'?', ..] => SubstitutionKind::Default(&operand[..2]),
        [b'-' | b'+' | b'[', ..] => SubstitutionKind::Failure("missing closing brace"),
        _ => SubstitutionKind::Variable(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observed with kustomize-controller 1.9.
    #[test]
    fn substitutions_match_what_was_observed() {
        use SubstitutionKind::{Default, Dollar, Escape, Failure, Variable};
        let brace = Failure("missing closing brace");
        let name = Failure("unable to parse variable name");
        let cases: &[(&str, &[(&str, SubstitutionKind)])] = &[
            ("$TAG $(cmd) `cmd` {{ a }} 5$", &[]),
            ("${TAG} ${TAG=d}", &[("${TAG}", Variable("TAG")), ("${TAG=d}", Variable("TAG"))]),
            ("${#TAG}${TAG##*/}", &[("${#TAG}", Variable("TAG")), ("${TAG##*/}", Variable("TAG"))]),
            ("a$${X}b", &[("$${", Escape)]),
            ("pid=$$;", &[("$$", Dollar)]),
            ("pid=$$$$;", &[]),
            ("${X:?m}${X:+y}", &[("${X:?m}", Default(":?")), ("${X:+y}", Default(":+"))]),
            ("${X-d} ${X+d}", &[("${X-d}", brace), ("${X+d}", brace)]),
            ("${arr[@]}", &[("${arr[@]}", brace)]),
            ("${@}${!X}${}", &[("${@}", name), ("${!X}", name), ("${}", name)]),
            ("${1}", &[("${1}", Variable("1"))]),
            ("${A:-${B}} ${é", &[("${A:-${B}}", Variable("A")), ("${é", name)]),
        ];
        for (text, expected) in cases {
            let found = substitutions(text);
            let seen: Vec<_> =
                found.iter().map(|one| (&text[one.range.clone()], one.kind)).collect();
            assert_eq!(seen, *expected, "{text}");
        }
    }
}
