//! Strings, numbers and times.

use super::{Parsed, Parser, Scalar};
use crate::time::{Time, parse as parse_time};

impl Parser<'_> {
    pub(super) fn literal(&mut self) -> Parsed<String> {
        let body = &self.rest[1..];
        let end = body.find(['\'', '\n']).filter(|&end| body[end..].starts_with('\''));
        let end = end.ok_or("unexpected EOF; expected \"'\"")?;
        self.rest = &body[end + 1..];
        Ok(body[..end].into())
    }

    pub(super) fn long_literal(&mut self) -> Parsed<String> {
        let body = &self.rest[3..];
        let body = body.strip_prefix("\r\n").or_else(|| body.strip_prefix('\n')).unwrap_or(body);
        let end = body.find("'''").ok_or("unexpected EOF; expected \"'''\"")?;
        self.line += self.rest[..self.rest.len() - body.len() + end].matches('\n').count();
        self.rest = &body[end + 3..];
        Ok(body[..end].into())
    }

    pub(super) fn basic(&mut self) -> Parsed<String> {
        self.rest = &self.rest[1..];
        let mut text = String::new();
        loop {
            let mut chars = self.rest.chars();
            let c = chars.next().ok_or("unexpected EOF; expected '\"'")?;
            self.rest = chars.as_str();
            match c {
                '"' => return Ok(text),
                '\n' => return Err("strings cannot contain newlines".into()),
                '\\' => text.push(self.escape()?),
                _ => text.push(c),
            }
        }
    }

    pub(super) fn long_basic(&mut self) -> Parsed<String> {
        let body = &self.rest[3..];
        self.rest = body.strip_prefix("\r\n").or_else(|| body.strip_prefix('\n')).unwrap_or(body);
        self.line += usize::from(self.rest.len() < body.len());
        let mut text = String::new();
        loop {
            if let Some(rest) = self.rest.strip_prefix("\"\"\"") {
                let extra = rest.bytes().take(2).take_while(|&b| b == b'"').count();
                text.push_str(&rest[..extra]);
                self.rest = &rest[extra..];
                return Ok(text);
            }
            let mut chars = self.rest.chars();
            let c = chars.next().ok_or("unexpected EOF; expected '\"\"\"'")?;
            self.rest = chars.as_str();
            match c {
                '\\' if self.rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n') => {
                    let rest = self.rest.trim_start();
                    self.line += self.rest[..self.rest.len() - rest.len()].matches('\n').count();
                    self.rest = rest;
                }
                '\\' => text.push(self.escape()?),
                _ => {
                    self.line += usize::from(c == '\n');
                    text.push(c);
                }
            }
        }
    }

    fn escape(&mut self) -> Parsed<char> {
        let mut chars = self.rest.chars();
        let c = chars.next().ok_or("unexpected EOF")?;
        self.rest = chars.as_str();
        let mut code = |len: usize| {
            let digits = self.rest.get(..len)?;
            self.rest = &self.rest[len..];
            char::from_u32(u32::from_str_radix(digits, 16).ok()?)
        };
        let found = match c {
            'b' => Some('\x08'),
            't' => Some('\t'),
            'n' => Some('\n'),
            'f' => Some('\x0c'),
            'r' => Some('\r'),
            'e' => Some('\x1b'),
            '"' | '\\' => Some(c),
            'x' => code(2),
            'u' => code(4),
            'U' => code(8),
            _ => None,
        };
        found.ok_or_else(|| format!("invalid escape in string '\\{c}'"))
    }
}

/// A number, a boolean or a time.
pub(super) fn scalar(text: &str) -> Option<Scalar> {
    match text {
        "true" => return Some(Scalar::Bool(true)),
        "false" => return Some(Scalar::Bool(false)),
        "inf" | "+inf" => return Some(Scalar::Float(f64::INFINITY)),
        "-inf" => return Some(Scalar::Float(f64::NEG_INFINITY)),
        "nan" | "+nan" | "-nan" => return Some(Scalar::Float(f64::NAN)),
        _ => {}
    }
    let first = text.chars().next()?;
    if !first.is_ascii_digit() && !matches!(first, '+' | '-') {
        return None;
    }
    let is_time = text.get(4..5) == Some("-") || text.get(2..3) == Some(":");
    if is_time && text.len() > 5 {
        const LAYOUTS: [&str; 6] = [
            "2006-01-02T15:04:05.999999999Z07:00",
            "2006-01-02 15:04:05.999999999Z07:00",
            "2006-01-02T15:04:05.999999999",
            "2006-01-02 15:04:05.999999999",
            "2006-01-02",
            "15:04:05.999999999",
        ];
        let mut times = LAYOUTS.iter().enumerate().filter_map(|(i, layout)| {
            let time = parse_time(layout, text, 0).ok()?;
            // Names of the zones that stand for no zone.
            let zone = ["", "", "datetime-local", "datetime-local", "date-local", "time-local"][i];
            Some(if zone.is_empty() { time } else { Time { zone: zone.into(), ..time } })
        });
        return times.next().map(Scalar::Time);
    }
    if text.starts_with('_') || text.ends_with('_') || text.contains("__") {
        return None;
    }
    let plain = text.replace('_', "");
    let unsigned = plain.trim_start_matches(['+', '-']);
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = plain.strip_prefix(prefix) {
            return i64::from_str_radix(digits, radix).ok().map(Scalar::Int);
        }
    }
    let leads_zero =
        unsigned.len() > 1 && unsigned.starts_with('0') && unsigned.as_bytes()[1].is_ascii_digit();
    if leads_zero {
        return None;
    }
    if let Ok(number) = plain.parse() {
        return Some(Scalar::Int(number));
    }
    let is_float = unsigned.starts_with(|c: char| c.is_ascii_digit()) && !unsigned.ends_with('.');
    plain.parse().ok().filter(|_| is_float).map(Scalar::Float)
}
