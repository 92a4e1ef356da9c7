//! Translating Go's regular expressions to those of the `regex` crate, with Go's errors.
//!
//! The crate accepts more than Go does and reads some of it differently: nested classes and set
//! operators, Unicode classes for `\d`, word boundaries `\<`.

mod class;

/// Whether a name is a general category, a script or `Any`.
fn is_unicode_class(name: &str) -> bool {
    name == "Any" || regex::Regex::new(&format!(r"\p{{{name}}}")).is_ok()
}

type Result<T> = std::result::Result<T, String>;

/// Translates an expression; the error is that of `regexp.Compile`.
pub fn translate(pattern: &str) -> Result<String> {
    let mut translator = Translator { rest: pattern, out: String::new(), depth: 0, whole: pattern };
    translator.alternatives()?;
    if translator.rest.starts_with(')') {
        return Err(problem("unexpected )", pattern));
    }
    Ok(translator.out)
}

fn problem(what: &str, part: &str) -> String {
    format!("error parsing regexp: {what}: `{part}`")
}

struct Translator<'p> {
    rest: &'p str,
    out: String,
    depth: usize,
    whole: &'p str,
}

const MAX_DEPTH: usize = 250;
const MAX_REPEAT: u32 = 1000;

impl<'p> Translator<'p> {
    /// Alternatives up to the end or to an unmatched `)`.
    fn alternatives(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(problem("expression nests too deeply", self.whole));
        }
        // What a repetition operator applies to, and the operators behind it.
        let mut has_operand = false;
        let mut operators: Option<&'p str> = None;
        while let Some(c) = self.rest.chars().next() {
            let before = self.rest;
            let mut is_operator = false;
            match c {
                ')' => break,
                '|' => {
                    self.copy(1);
                    has_operand = false;
                    operators = None;
                    continue;
                }
                '(' => has_operand = self.group()?,
                '[' => {
                    self.class()?;
                    has_operand = true;
                }
                '*' | '+' | '?' => {
                    is_operator = true;
                    let len = if self.rest[1..].starts_with('?') { 2 } else { 1 };
                    self.operator(len, has_operand, operators)?;
                }
                '{' => match repeat_len(self.rest) {
                    Some(len) => {
                        is_operator = true;
                        check_repeat(&self.rest[..len])?;
                        let lazy = usize::from(self.rest[len..].starts_with('?'));
                        self.operator(len + lazy, has_operand, operators)?;
                    }
                    None => {
                        self.out.push_str(r"\{");
                        self.rest = &self.rest[1..];
                        has_operand = true;
                    }
                },
                '\\' => {
                    self.escape()?;
                    has_operand = true;
                }
                '}' | ']' => {
                    self.out.push('\\');
                    self.copy(1);
                    has_operand = true;
                }
                _ => {
                    self.copy(c.len_utf8());
                    has_operand = true;
                }
            }
            operators = match (is_operator, operators) {
                (true, Some(first)) => Some(first),
                (true, None) => Some(before),
                (false, _) => None,
            };
        }
        self.depth -= 1;
        Ok(())
    }

    fn copy(&mut self, len: usize) {
        let (part, rest) = self.rest.split_at(len);
        self.out.push_str(part);
        self.rest = rest;
    }

    /// A repetition operator of `len` bytes.
    fn operator(&mut self, len: usize, has_operand: bool, before: Option<&'p str>) -> Result<()> {
        let operator = &self.rest[..len];
        if let Some(first) = before {
            let both = &first[..first.len() - self.rest.len() + len];
            return Err(problem("invalid nested repetition operator", both));
        }
        if !has_operand {
            return Err(problem("missing argument to repetition operator", operator));
        }
        self.copy(len);
        Ok(())
    }

    /// A group or flags. Returns whether it can be repeated.
    fn group(&mut self) -> Result<bool> {
        let start = self.rest;
        if !start.starts_with("(?") {
            self.copy(1);
            return self.finish_group().map(|()| true);
        }
        for open in ["(?P<", "(?<"] {
            let Some(after) = start.strip_prefix(open) else { continue };
            if open == "(?<" && after.starts_with(['=', '!']) {
                break;
            }
            let Some(end) = after.find('>') else {
                return Err(problem("invalid named capture", start));
            };
            let name = &after[..end];
            let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
            if name.is_empty() || !name.chars().all(is_word) {
                let shown = &start[..open.len() + end + 1];
                return Err(problem("invalid named capture", shown));
            }
            // Go allows a duplicate name and finds the first group.
            let group = format!("(?P<{name}>");
            self.out.push_str(if self.out.contains(&group) { "(" } else { &group });
            self.rest = &after[end + 1..];
            return self.finish_group().map(|()| true);
        }
        let flags = &start[2..];
        let mut has_flags = true;
        for (at, c) in flags.char_indices() {
            match c {
                'i' | 'm' | 's' | 'U' => has_flags = true,
                '-' if !flags[..at].contains('-') => has_flags = false,
                ':' | ')' if has_flags => {
                    self.copy(at + 3);
                    if c == ')' {
                        return Ok(false);
                    }
                    return self.finish_group().map(|()| true);
                }
                _ => {
                    let shown = &start[..2 + at + c.len_utf8()];
                    return Err(problem("invalid or unsupported Perl syntax", shown));
                }
            }
        }
        Err(problem("invalid or unsupported Perl syntax", start))
    }

    fn finish_group(&mut self) -> Result<()> {
        self.alternatives()?;
        if self.rest.is_empty() {
            return Err(problem("missing closing )", self.whole));
        }
        self.copy(1);
        Ok(())
    }

    /// An escape outside a class.
    fn escape(&mut self) -> Result<()> {
        let mut chars = self.rest[1..].chars();
        let Some(c) = chars.next() else {
            return Err(problem("trailing backslash at end of expression", ""));
        };
        match c {
            'Q' => {
                let text = &self.rest[2..];
                let len = text.find(r"\E").unwrap_or(text.len());
                self.out.push_str(&regex::escape(&text[..len]));
                self.rest = text[len..].strip_prefix(r"\E").unwrap_or("");
                return Ok(());
            }
            'A' | 'b' | 'B' | 'z' => {
                let translated = match c {
                    'b' => r"(?-u:\b)",
                    'B' => r"(?-u:\B)",
                    'A' => r"\A",
                    _ => r"\z",
                };
                self.out.push_str(translated);
                self.rest = &self.rest[2..];
                return Ok(());
            }
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => {
                let class = perl_class(c);
                let negation = if c.is_ascii_uppercase() { "^" } else { "" };
                self.out.push_str(&format!("[{negation}{class}]"));
                self.rest = &self.rest[2..];
                return Ok(());
            }
            'p' | 'P' => {
                let class = self.unicode_class()?;
                self.out.push_str(&class);
                return Ok(());
            }
            _ => {}
        }
        let c = self.escaped_char()?;
        self.push_literal(c);
        Ok(())
    }

    fn push_literal(&mut self, c: char) {
        self.out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    /// `\p{Name}`, `\pN` and their negations.
    fn unicode_class(&mut self) -> Result<String> {
        let start = self.rest;
        let after = &start[2..];
        let (name, len) = if let Some(braced) = after.strip_prefix('{') {
            let Some(end) = braced.find('}') else {
                return Err(problem("invalid character class range", start));
            };
            (&braced[..end], end + 2)
        } else {
            let len = after.chars().next().map_or(0, char::len_utf8);
            (&after[..len], len)
        };
        let shown = &start[..2 + len];
        let is_negated = start.starts_with(r"\P") != name.starts_with('^');
        let name = name.strip_prefix('^').unwrap_or(name);
        if name.is_empty() || !is_unicode_class(name) {
            return Err(problem("invalid character class range", shown));
        }
        self.rest = &start[2 + len..];
        Ok(format!(r"\{}{{{name}}}", if is_negated { 'P' } else { 'p' }))
    }

    /// An escape that stands for one character.
    fn escaped_char(&mut self) -> Result<char> {
        let start = self.rest;
        let mut chars = start[1..].chars();
        let Some(c) = chars.next() else {
            return Err(problem("trailing backslash at end of expression", ""));
        };
        let after = chars.as_str();
        let bad = |len: usize| {
            let shown = &start[..start.len().min(len)];
            problem("invalid escape sequence", shown)
        };
        let (found, rest) = match c {
            '0'..='7' if c == '0' || after.starts_with(|c| matches!(c, '0'..='7')) => {
                let digits = start[1..].bytes().take(3).take_while(|b| matches!(b, b'0'..=b'7'));
                let len = digits.count();
                let code = u32::from_str_radix(&start[1..1 + len], 8).unwrap_or(0);
                (char::from_u32(code), &start[1 + len..])
            }
            '1'..='9' => return Err(bad(2)),
            'x' => match after.strip_prefix('{') {
                Some(braced) => {
                    let end = braced.find(|c: char| !c.is_ascii_hexdigit());
                    let digits = &braced[..end.unwrap_or(braced.len())];
                    if digits.is_empty() || !braced[digits.len()..].starts_with('}') {
                        return Err(bad(3 + digits.len() + 1));
                    }
                    let too_large = (1..=digits.len()).find(|&len| {
                        u32::from_str_radix(&digits[..len], 16).is_ok_and(|code| code > 0x10_ffff)
                    });
                    if let Some(len) = too_large {
                        return Err(bad(3 + len));
                    }
                    let code = u32::from_str_radix(digits, 16).unwrap_or(u32::MAX);
                    (char::from_u32(code), &braced[digits.len() + 1..])
                }
                None => {
                    let digits =
                        after.get(..2).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
                    let Some(digits) = digits else { return Err(bad(4)) };
                    let code = u32::from_str_radix(digits, 16).unwrap_or(u32::MAX);
                    (char::from_u32(code), &after[2..])
                }
            },
            'a' => (Some('\x07'), after),
            'f' => (Some('\x0c'), after),
            'n' => (Some('\n'), after),
            'r' => (Some('\r'), after),
            't' => (Some('\t'), after),
            'v' => (Some('\x0b'), after),
            _ if c.is_ascii() && !c.is_ascii_alphanumeric() => (Some(c), after),
            _ => return Err(bad(1 + c.len_utf8())),
        };
        let Some(found) = found else { return Err(bad(start.len() - rest.len())) };
        self.rest = rest;
        Ok(found)
    }
}

/// The content of `\d`, `\s` or `\w`, regardless of the letter's case.
fn perl_class(c: char) -> &'static str {
    match c.to_ascii_lowercase() {
        'd' => "0-9",
        's' => r"\t\n\x0c\r\x20",
        _ => "0-9A-Za-z_",
    }
}

/// The length of a valid `{n}`, `{n,}` or `{n,m}`; other braces are literal.
fn repeat_len(text: &str) -> Option<usize> {
    let end = text.find('}')?;
    let body = &text[1..end];
    let (low, high) = body.split_once(',').unwrap_or((body, ""));
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_digit())
            && (part.len() == 1 || !part.starts_with('0'))
    };
    (is_number(low) && (high.is_empty() || is_number(high))).then_some(end + 1)
}

fn check_repeat(text: &str) -> Result<()> {
    let body = text.trim_matches(['{', '}']);
    let (low, high) = body.split_once(',').unwrap_or((body, body));
    let number = |part: &str| part.parse::<u32>().unwrap_or(u32::MAX);
    let low = number(low);
    let high = if high.is_empty() { low } else { number(high) };
    if low > MAX_REPEAT || high > MAX_REPEAT || low > high {
        return Err(problem("invalid repeat count", text));
    }
    Ok(())
}
