//! The patterns of `.Files.Glob`: `github.com/gobwas/glob` with the separator `/`.

/// A parsed pattern.
#[derive(Debug)]
pub(super) struct Glob(Vec<Token>);

#[derive(Clone, Debug)]
enum Token {
    Literal(char),
    /// `?`: one character except the separator.
    One,
    /// `*`: any characters except the separator.
    Star,
    /// `**`: any characters.
    Any,
    Class {
        is_negated: bool,
        ranges: Vec<(char, char)>,
    },
    OneOf(Vec<Vec<Token>>),
}

impl Glob {
    /// Parses a pattern. A malformed one matches everything, as in Helm.
    pub(super) fn parse(pattern: &str) -> Self {
        let chars: Vec<char> = pattern.chars().collect();
        let mut parser = Parser { chars: &chars, at: 0 };
        match parser.sequence(false) {
            Some(tokens) if parser.at == chars.len() => Self(tokens),
            _ => Self(vec![Token::Any]),
        }
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let tokens: Vec<&Token> = self.0.iter().collect();
        matches(&tokens, &name, &mut 1_000_000)
    }
}

struct Parser<'p> {
    chars: &'p [char],
    at: usize,
}

impl Parser<'_> {
    /// Tokens up to the end, or inside braces up to `,` or `}`.
    fn sequence(&mut self, is_inside: bool) -> Option<Vec<Token>> {
        let mut tokens = Vec::new();
        while let Some(&next) = self.chars.get(self.at) {
            if is_inside && matches!(next, ',' | '}') {
                break;
            }
            self.at += 1;
            tokens.push(match next {
                '\\' => {
                    self.at += 1;
                    Token::Literal(*self.chars.get(self.at - 1)?)
                }
                '?' => Token::One,
                '*' => {
                    let stars = self.chars[self.at..].iter().take_while(|c| **c == '*').count();
                    self.at += stars;
                    if stars == 0 { Token::Star } else { Token::Any }
                }
                '[' => self.class()?,
                '{' => self.one_of()?,
                literal => Token::Literal(literal),
            });
        }
        Some(tokens)
    }

    fn one_of(&mut self) -> Option<Token> {
        let mut choices = Vec::new();
        loop {
            choices.push(self.sequence(true)?);
            self.at += 1;
            match self.chars.get(self.at - 1)? {
                ',' => {}
                _ => return Some(Token::OneOf(choices)),
            }
        }
    }

    fn class(&mut self) -> Option<Token> {
        let is_negated = self.chars.get(self.at) == Some(&'!');
        self.at += usize::from(is_negated);
        let mut ranges = Vec::new();
        while *self.chars.get(self.at)? != ']' {
            let mut low = self.chars[self.at];
            if low == '\\' {
                self.at += 1;
                low = *self.chars.get(self.at)?;
            }
            self.at += 1;
            let is_range =
                self.chars.get(self.at) == Some(&'-') && *self.chars.get(self.at + 1)? != ']';
            let high = if is_range { self.chars[self.at + 1] } else { low };
            self.at += if is_range { 2 } else { 0 };
            ranges.push((low, high));
        }
        self.at += 1;
        (!ranges.is_empty()).then_some(Token::Class { is_negated, ranges })
    }
}

/// Matches by backtracking, with a step limit that only hostile patterns reach.
fn matches(tokens: &[&Token], name: &[char], budget: &mut usize) -> bool {
    let Some((first, rest)) = tokens.split_first() else { return name.is_empty() };
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    let mut one = |fits: bool| fits && matches(rest, &name[1..], budget);
    match first {
        Token::Literal(literal) => one(name.first() == Some(literal)),
        Token::One => one(name.first().is_some_and(|c| *c != '/')),
        Token::Class { is_negated, ranges } => one(name.first().is_some_and(|c| {
            ranges.iter().any(|(low, high)| (low..=high).contains(&c)) != *is_negated
        })),
        Token::Star | Token::Any => {
            let stops = matches!(first, Token::Star);
            for taken in 0..=name.len() {
                if stops && taken > 0 && name[taken - 1] == '/' {
                    return false;
                }
                if matches(rest, &name[taken..], budget) {
                    return true;
                }
            }
            false
        }
        Token::OneOf(choices) => choices.iter().any(|choice| {
            let tokens: Vec<&Token> = choice.iter().chain(rest.iter().copied()).collect();
            matches(&tokens, name, budget)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the tests of `gobwas/glob` (`glob_test.go`) that use the separator `/`.
    #[test]
    fn matches_like_gobwas() {
        for (pattern, name, expected) in [
            ("conf/*", "conf/a.yaml", true),
            ("conf/*", "conf/b/a.yaml", false),
            ("conf/**", "conf/b/a.yaml", true),
            ("**.yaml", "conf/b/a.yaml", true),
            ("*.yaml", "conf/a.yaml", false),
            ("{a,b}.txt", "b.txt", true),
            ("{a,b*}.txt", "bcd.txt", true),
            ("[a-c]?.txt", "bx.txt", true),
            ("[!a-c].txt", "b.txt", false),
            ("a\\*", "a*", true),
            ("{a", "anything", true),
        ] {
            assert_eq!(Glob::parse(pattern).matches(name), expected, "{pattern} {name}");
        }
    }
}
