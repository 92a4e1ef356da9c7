//! `Sprintf`: parses verbs and selects operands.

use super::printer::{Flags, Printer};
use crate::runes;
use crate::text::Text;
use crate::value::{Data, Value};

/// The largest width and precision.
const MAX_NUMBER: i64 = 1_000_000;

pub(super) fn print_formatted(printer: &mut Printer<'_>, format: &Value, arguments: &[Value]) {
    let Some(text) = format.as_text() else { return };
    let taint = format.taint();
    let mut state = Operands { arguments, next: 0, is_reordered: false, is_good: true };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && !printer.has_failed() {
        printer.taint = taint;
        let literal = memchr::memchr(b'%', &bytes[at..]).unwrap_or(bytes.len() - at);
        if literal > 0 {
            printer.put_piece(text, at..at + literal);
        }
        at += literal;
        if at == bytes.len() {
            break;
        }
        at = state.verb(printer, text, at + 1);
    }
    printer.taint = taint;
    if !state.is_reordered && state.next < arguments.len() {
        print_extra(printer, &arguments[state.next..]);
    }
}

fn print_extra(printer: &mut Printer<'_>, arguments: &[Value]) {
    printer.flags = Flags::default();
    printer.put("%!(EXTRA ");
    let outer = printer.taint;
    for (i, argument) in arguments.iter().enumerate() {
        printer.put(if i > 0 { ", " } else { "" });
        printer.taint = printer.tracker.join(outer, argument.taint());
        if argument.is_nil() {
            printer.put("<nil>");
        } else {
            printer.put(argument.type_name());
            printer.put("=");
            printer.print_argument(argument, 'v');
        }
        printer.taint = outer;
    }
    printer.put(")");
}

struct Operands<'v> {
    arguments: &'v [Value],
    next: usize,
    /// Whether an explicit index was used.
    is_reordered: bool,
    /// Whether the last explicit index was valid.
    is_good: bool,
}

impl Operands<'_> {
    /// One verb, from behind its `%`; returns the offset after it.
    fn verb(&mut self, printer: &mut Printer<'_>, format: &Text, start: usize) -> usize {
        let bytes = format.as_bytes();
        self.is_good = true;
        let (mut flags, mut at) = parse_flags(bytes, start);
        let mut after_index = self.index(bytes, &mut at);
        self.width(printer, bytes, &mut at, &mut flags, &mut after_index);
        if at + 1 < bytes.len() && bytes[at] == b'.' {
            at += 1;
            self.is_good &= !after_index;
            after_index = self.index(bytes, &mut at);
            self.precision(printer, bytes, &mut at, &mut flags, &mut after_index);
        }
        if !after_index {
            self.index(bytes, &mut at);
        }
        let Some((verb, len)) = runes::decode(&bytes[at.min(bytes.len())..]) else {
            printer.put("%!(NOVERB)");
            return bytes.len();
        };
        self.print(printer, flags, verb);
        at + len
    }

    fn width(
        &mut self,
        printer: &mut Printer<'_>,
        format: &[u8],
        at: &mut usize,
        flags: &mut Flags,
        after_index: &mut bool,
    ) {
        if format.get(*at) != Some(&b'*') {
            flags.width = parse_number(format, at);
            self.is_good &= !(*after_index && flags.width.is_some());
            return;
        }
        *at += 1;
        *after_index = false;
        match self.star() {
            Some(width) => {
                flags.width = Some(width.unsigned_abs() as usize);
                flags.minus |= width < 0;
                flags.zero &= width >= 0;
            }
            None => printer.put("%!(BADWIDTH)"),
        }
    }

    fn precision(
        &mut self,
        printer: &mut Printer<'_>,
        format: &[u8],
        at: &mut usize,
        flags: &mut Flags,
        after_index: &mut bool,
    ) {
        if format.get(*at) != Some(&b'*') {
            flags.precision = Some(parse_number(format, at).unwrap_or(0));
            return;
        }
        *at += 1;
        *after_index = false;
        flags.precision = self.star().and_then(|n| usize::try_from(n).ok());
        if flags.precision.is_none() {
            printer.put("%!(BADPREC)");
        }
    }

    fn print(&mut self, printer: &mut Printer<'_>, mut flags: Flags, verb: char) {
        if verb == '%' {
            printer.put("%");
        } else if !self.is_good {
            printer.put(format!("%!{verb}(BADINDEX)"));
        } else if self.next >= self.arguments.len() {
            printer.put(format!("%!{verb}(MISSING)"));
        } else {
            if matches!(verb, 'v' | 'w') {
                flags.sharp_v = std::mem::take(&mut flags.sharp);
                flags.plus_v = std::mem::take(&mut flags.plus);
            }
            printer.flags = flags;
            printer.print_argument(&self.arguments[self.next], verb);
            self.next += 1;
        }
    }

    /// Reads an explicit operand index `[n]` at `at`, if there is one. Returns whether it is a number.
    fn index(&mut self, format: &[u8], at: &mut usize) -> bool {
        if format.get(*at) != Some(&b'[') {
            return false;
        }
        self.is_reordered = true;
        let rest = &format[*at..];
        let Some(close) = rest.iter().position(|byte| *byte == b']').filter(|_| rest.len() >= 3)
        else {
            *at += 1;
            self.is_good = false;
            return false;
        };
        let mut end = 1;
        let number = parse_number(&rest[..close], &mut end).filter(|_| end == close);
        *at += close + 1;
        match number {
            Some(n) if n > 0 && n <= self.arguments.len() => {
                self.next = n - 1;
                true
            }
            number => {
                self.is_good = false;
                number.is_some()
            }
        }
    }

    /// The operand of a `*`; `None` if it is no integer in the allowed range.
    fn star(&mut self) -> Option<i64> {
        let argument = self.arguments.get(self.next)?;
        self.next += 1;
        let number = match argument.data() {
            Data::Int(_, value) => *value,
            Data::Uint(_, value) => i64::try_from(*value).ok()?,
            _ => return None,
        };
        (-MAX_NUMBER..=MAX_NUMBER).contains(&number).then_some(number)
    }
}

fn parse_flags(format: &[u8], mut at: usize) -> (Flags, usize) {
    let mut flags = Flags::default();
    while let Some(byte) = format.get(at) {
        match byte {
            b'#' => flags.sharp = true,
            b'0' => flags.zero = true,
            b'+' => flags.plus = true,
            b'-' => flags.minus = true,
            b' ' => flags.space = true,
            _ => break,
        }
        at += 1;
    }
    (flags, at)
}

/// The digits at `at` as a number. A number beyond [`MAX_NUMBER`] consumes the rest, as in Go.
fn parse_number(format: &[u8], at: &mut usize) -> Option<usize> {
    let mut number = None;
    while let Some(digit) = format.get(*at).filter(|byte| byte.is_ascii_digit()) {
        let value = number.unwrap_or(0);
        if value > MAX_NUMBER as usize {
            *at = format.len();
            return None;
        }
        number = Some(value * 10 + usize::from(digit - b'0'));
        *at += 1;
    }
    number
}
