//! What a Flux Kustomization with `postBuild` makes of `$` in the text of its objects.
//!
//! `fluxcd/pkg` `kustomize/kustomize_varsub.go` and `envsubst`, as observed with kustomize-controller 1.9: the
//! text of every object is substituted after the build, scripts included. Only braces count; `$NAME` and
//! `$(…)` are left alone.

use std::ops::Range;

/// A stretch of a text that Flux does not leave alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substitution<'t> {
    pub range: Range<usize>,
    pub reading: Reading<'t>,
}

/// What Flux takes it for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading<'t> {
    /// A variable of its own by this name.
    Variable(&'t str),
    /// `${X:+y}` and `${X:?y}` as if they were `${X:-y}`: the operator.
    Default(&'t str),
    /// `$$` for a single `$`.
    Dollar,
    /// `$${X}` for the text `${X}`.
    Escape,
    /// The build fails with this error.
    Failure(&'static str),
}

/// Everything in the text that is substituted, in order.
pub fn substitutions(text: &str) -> Vec<Substitution<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find('$').map(|at| from + at) {
        let rest = &text[start + 1..];
        let (length, reading) = match rest.as_bytes() {
            [b'$', b'{', ..] => (3, Reading::Escape),
            // `$$$$`: the author knows.
            [b'$', b'$', b'$', ..] => {
                from = start + 4;
                continue;
            }
            [b'$', ..] => (2, Reading::Dollar),
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
        found.push(Substitution { range: start..from, reading });
    }
    found
}

/// Where the brace is closed that was opened before the text; the end of the line when it is not.
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

fn read(inner: &str) -> Reading<'_> {
    let name = inner.strip_prefix('#').unwrap_or(inner);
    let letters = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let (name, operand) = name.split_at(name.find(letters).unwrap_or(name.len()));
    if name.is_empty() {
        return Reading::Failure("unable to parse variable name");
    }
    match operand.as_bytes() {
        [b':', b'+' | b'?', ..] => Reading::Default(&operand[..2]),
        [b'-' | b'+' | b'[', ..] => Reading::Failure("missing closing brace"),
        _ => Reading::Variable(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers of a cluster: see the module.
    #[test]
    fn read_as_observed() {
        use Reading::{Default, Dollar, Escape, Failure, Variable};
        let brace = Failure("missing closing brace");
        let name = Failure("unable to parse variable name");
        let cases: &[(&str, &[(&str, Reading)])] = &[
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
                found.iter().map(|one| (&text[one.range.clone()], one.reading)).collect();
            assert_eq!(seen, *expected, "{text}");
        }
    }
}
