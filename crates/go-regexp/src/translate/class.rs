//! Bracket classes.

use super::{Result, Translator, perl_class, problem};

/// Whether a name may stand in `[:name:]`.
fn is_class_name(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
        "space", "upper", "word", "xdigit",
    ];
    NAMES.contains(&name.strip_prefix('^').unwrap_or(name))
}

impl Translator<'_> {
    /// A bracket class.
    pub(super) fn class(&mut self) -> Result<()> {
        let start = self.rest;
        self.copy(1);
        if self.rest.starts_with('^') {
            self.copy(1);
        }
        let mut is_first = true;
        loop {
            if self.rest.is_empty() {
                return Err(problem("missing closing ]", start));
            }
            if self.rest.starts_with(']') && !is_first {
                self.copy(1);
                return Ok(());
            }
            is_first = false;
            if self.named_class()? {
                continue;
            }
            let range = self.rest;
            let low = self.class_char(start)?;
            let mut high = low;
            if self.rest.starts_with('-') && !self.rest[1..].starts_with(']') {
                self.rest = &self.rest[1..];
                if self.rest.is_empty() {
                    return Err(problem("missing closing ]", start));
                }
                high = self.class_char(start)?;
                if high < low {
                    let shown = &range[..range.len() - self.rest.len()];
                    return Err(problem("invalid character class range", shown));
                }
            }
            self.push_class_char(low);
            if high != low {
                self.out.push('-');
                self.push_class_char(high);
            }
        }
    }

    /// `[:alpha:]`, `\d` or `\pL` inside a bracket class.
    fn named_class(&mut self) -> Result<bool> {
        if let Some(after) = self.rest.strip_prefix("[:")
            && let Some(end) = after.find(":]")
        {
            let shown = &self.rest[..end + 4];
            if !is_class_name(&after[..end]) {
                return Err(problem("invalid character class range", shown));
            }
            self.copy(shown.len());
            return Ok(true);
        }
        let Some(c) = self.rest.strip_prefix('\\').and_then(|after| after.chars().next()) else {
            return Ok(false);
        };
        match c {
            'd' | 's' | 'w' => self.out.push_str(perl_class(c)),
            'D' | 'S' | 'W' => {
                let class = perl_class(c);
                self.out.push_str(&format!("[^{class}]"));
            }
            'p' | 'P' => {
                let class = self.unicode_class()?;
                self.out.push_str(&class);
                return Ok(true);
            }
            _ => return Ok(false),
        }
        self.rest = &self.rest[2..];
        Ok(true)
    }

    fn class_char(&mut self, class: &str) -> Result<char> {
        match self.rest.chars().next() {
            None => Err(problem("missing closing ]", class)),
            Some('\\') => self.escaped_char(),
            Some(c) => {
                self.rest = &self.rest[c.len_utf8()..];
                Ok(c)
            }
        }
    }

    fn push_class_char(&mut self, c: char) {
        if c.is_ascii() && !c.is_ascii_alphanumeric() {
            self.out.push_str(&format!(r"\x{{{:x}}}", u32::from(c)));
        } else {
            self.out.push(c);
        }
    }
}
