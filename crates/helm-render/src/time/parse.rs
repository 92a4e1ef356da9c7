//! `time.Parse`.

use std::fmt;

use super::{
    SECOND, Time,
    civil::{MONTHS, WEEKDAYS, days, days_in, is_leap},
    layout::{Element, ZoneForm, next},
    zone_name::zone_name_len,
};

/// Why a text does not match a layout; prints as Go's `ParseError`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParseTimeError(String);

impl fmt::Display for ParseTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `time.ParseInLocation` in a location with the given offset, named UTC if the offset is 0.
pub(crate) fn parse(layout: &str, value: &str, offset: i32) -> Result<Time, ParseTimeError> {
    let mut fields = ParsedFields { month: -1, day: -1, year_day: -1, ..ParsedFields::default() };
    let mut rest = value;
    let mut layout_rest = layout;
    loop {
        let (prefix, element, suffix) = next(layout_rest);
        let text = &layout_rest[prefix.len()..layout_rest.len() - suffix.len()];
        rest = skip(rest, prefix).map_err(|rest| mismatch(layout, value, prefix, rest))?;
        let Some(element) = element else {
            if !rest.is_empty() {
                return Err(problem(value, &format!(": extra text: {}", quote(rest))));
            }
            break;
        };
        layout_rest = suffix;
        match fields.read(element, rest, layout_rest) {
            Ok(after) => rest = after,
            Err(Mismatch::Bad) => return Err(mismatch(layout, value, text, rest)),
            Err(Mismatch::Range(what)) => {
                return Err(problem(value, &format!(": {what} out of range")));
            }
        }
    }
    fields.time(offset).map_err(|message| problem(value, message))
}

fn problem(value: &str, message: &str) -> ParseTimeError {
    ParseTimeError(format!("parsing time {}{message}", quote(value)))
}

fn mismatch(layout: &str, value: &str, element: &str, rest: &str) -> ParseTimeError {
    let (value, layout) = (quote(value), quote(layout));
    let (rest, element) = (quote(rest), quote(element));
    ParseTimeError(format!("parsing time {value} as {layout}: cannot parse {rest} as {element}"))
}

/// The quoting of Go's `time` package: bytes beyond printable ASCII are escaped.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' '..='~' => quoted.push(c),
            _ => {
                let mut buffer = [0; 4];
                for byte in c.encode_utf8(&mut buffer).bytes() {
                    quoted.push_str(&format!("\\x{byte:02x}"));
                }
            }
        }
    }
    quoted + "\""
}

/// Removes the literal text before an element; runs of spaces match any run of spaces.
fn skip<'v>(mut value: &'v str, mut prefix: &str) -> Result<&'v str, &'v str> {
    while let Some(first) = prefix.bytes().next() {
        if first == b' ' {
            if value.bytes().next().is_some_and(|b| b != b' ') {
                return Err(value);
            }
            prefix = prefix.trim_start_matches(' ');
            value = value.trim_start_matches(' ');
            continue;
        }
        let c = prefix.chars().next().unwrap_or_default();
        value = value.strip_prefix(c).ok_or(value)?;
        prefix = &prefix[c.len_utf8()..];
    }
    Ok(value)
}

enum Mismatch {
    Bad,
    Range(&'static str),
}

type Read<'v, T> = Result<(T, &'v str), Mismatch>;

#[derive(Default)]
struct ParsedFields {
    year: i64,
    /// -1 if the layout has no such element; so for the next two fields.
    month: i64,
    day: i64,
    year_day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nano: i64,
    is_pm: bool,
    is_am: bool,
    is_utc: bool,
    zone_offset: Option<i32>,
    zone_name: String,
}

impl ParsedFields {
    /// Reads one element and returns the rest of the text.
    fn read<'v>(
        &mut self,
        element: Element,
        value: &'v str,
        layout: &str,
    ) -> Result<&'v str, Mismatch> {
        let rest = match element {
            Element::Year => {
                let (year, rest) = digits(value, 2)?;
                self.year = if year >= 69 { year + 1900 } else { year + 2000 };
                rest
            }
            Element::LongYear => set(&mut self.year, digits(value, 4)?),
            Element::Month => set(&mut self.month, name(&MONTHS, 3, value)?),
            Element::LongMonth => set(&mut self.month, name(&MONTHS, 0, value)?),
            Element::NumMonth | Element::ZeroMonth => {
                let rest = set(&mut self.month, number(value, element == Element::ZeroMonth)?);
                in_range(1 <= self.month && self.month <= 12, "month")?;
                rest
            }
            Element::Weekday => name(&WEEKDAYS, 3, value)?.1,
            Element::LongWeekday => name(&WEEKDAYS, 0, value)?.1,
            Element::UnderDay => {
                let value = value.strip_prefix(' ').unwrap_or(value);
                set(&mut self.day, number(value, false)?)
            }
            Element::Day | Element::ZeroDay => {
                set(&mut self.day, number(value, element == Element::ZeroDay)?)
            }
            Element::UnderYearDay | Element::ZeroYearDay => {
                let is_fixed = element == Element::ZeroYearDay;
                let once = value.strip_prefix(' ').unwrap_or(value);
                let twice = once.strip_prefix(' ').unwrap_or(once);
                set(&mut self.year_day, number3(if is_fixed { value } else { twice }, is_fixed)?)
            }
            Element::Hour => {
                let rest = set(&mut self.hour, number(value, false)?);
                in_range(self.hour < 24, "hour")?;
                rest
            }
            Element::Hour12 | Element::ZeroHour12 => {
                let rest = set(&mut self.hour, number(value, element == Element::ZeroHour12)?);
                in_range(self.hour <= 12, "hour")?;
                rest
            }
            Element::Minute | Element::ZeroMinute => {
                let rest = set(&mut self.minute, number(value, element == Element::ZeroMinute)?);
                in_range(self.minute < 60, "minute")?;
                rest
            }
            Element::Second | Element::ZeroSecond => {
                let rest = set(&mut self.second, number(value, element == Element::ZeroSecond)?);
                in_range(self.second < 60, "second")?;
                self.implied_fraction(rest, layout)?
            }
            Element::UpperPm => self.half(value, "PM", "AM")?,
            Element::LowerPm => self.half(value, "pm", "am")?,
            Element::Zone { z, form } => self.zone(value, z, form)?,
            Element::ZoneName => self.zone_name(value)?,
            Element::Fraction { digits, trimmed: false, .. } => {
                if value.len() < 1 + digits {
                    return Err(Mismatch::Bad);
                }
                self.fraction(value, 1 + digits)?
            }
            Element::Fraction { .. } => match fraction_len(value) {
                0 => value,
                len => self.fraction(value, len)?,
            },
        };
        Ok(rest)
    }

    /// A fraction after the seconds that the layout does not mention.
    fn implied_fraction<'v>(&mut self, value: &'v str, layout: &str) -> Result<&'v str, Mismatch> {
        let is_announced = matches!(next(layout).1, Some(Element::Fraction { .. }));
        match fraction_len(value) {
            len if len >= 2 && !is_announced => self.fraction(value, len),
            _ => Ok(value),
        }
    }

    /// A separator and digits, `len` bytes together.
    fn fraction<'v>(&mut self, value: &'v str, len: usize) -> Result<&'v str, Mismatch> {
        let text = value.get(..len).ok_or(Mismatch::Bad)?;
        let digits = text.strip_prefix(['.', ',']).ok_or(Mismatch::Bad)?;
        let shown = &digits[..digits.len().min(9)];
        if shown.is_empty() || !shown.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Mismatch::Bad);
        }
        let scale = 10_i64.pow(9 - shown.len() as u32);
        self.nano = shown.parse::<i64>().map_err(|_| Mismatch::Bad)? * scale;
        Ok(&value[len..])
    }

    fn half<'v>(&mut self, value: &'v str, pm: &str, am: &str) -> Result<&'v str, Mismatch> {
        if let Some(rest) = value.strip_prefix(pm) {
            self.is_pm = true;
            return Ok(rest);
        }
        self.is_am = true;
        value.strip_prefix(am).ok_or(Mismatch::Bad)
    }

    fn zone<'v>(&mut self, value: &'v str, z: bool, form: ZoneForm) -> Result<&'v str, Mismatch> {
        if let (true, Some(rest)) = (z, value.strip_prefix('Z')) {
            self.is_utc = true;
            return Ok(rest);
        }
        let (len, colon, parts) = match form {
            ZoneForm::Short => (3, false, 1),
            ZoneForm::Minutes => (5, false, 2),
            ZoneForm::ColonMinutes => (6, true, 2),
            ZoneForm::Seconds => (7, false, 3),
            ZoneForm::ColonSeconds => (9, true, 3),
        };
        let text = value.get(..len).ok_or(Mismatch::Bad)?;
        let sign = match text.as_bytes()[0] {
            b'+' => 1,
            b'-' => -1,
            _ => return Err(Mismatch::Bad),
        };
        let mut total = [0; 3];
        let mut rest = &text[1..];
        for (i, part) in total.iter_mut().enumerate().take(parts) {
            if colon && i > 0 {
                rest = rest.strip_prefix(':').ok_or(Mismatch::Bad)?;
            }
            (*part, rest) = number(rest, true)?;
        }
        let [hours, minutes, seconds] = total;
        in_range(hours <= 24, "time zone offset hour")?;
        in_range(minutes <= 60, "time zone offset minute")?;
        in_range(seconds <= 60, "time zone offset second")?;
        self.zone_offset = Some(sign * ((hours * 60 + minutes) * 60 + seconds) as i32);
        Ok(&value[len..])
    }

    fn zone_name<'v>(&mut self, value: &'v str) -> Result<&'v str, Mismatch> {
        if let Some(rest) = value.strip_prefix("UTC") {
            self.is_utc = true;
            return Ok(rest);
        }
        let len = zone_name_len(value).ok_or(Mismatch::Bad)?;
        self.zone_name = value[..len].into();
        Ok(&value[len..])
    }

    fn time(mut self, local: i32) -> Result<Time, &'static str> {
        if self.is_pm && self.hour < 12 {
            self.hour += 12;
        } else if self.is_am && self.hour == 12 {
            self.hour = 0;
        }
        self.settle_day()?;
        let (month, day) = (self.month.max(1) as u32, self.day);
        if day < 1 || day > i64::from(days_in(month, self.year)) {
            return Err(": day out of range");
        }
        let clock = (self.hour * 60 + self.minute) * 60 + self.second;
        let seconds = days(self.year, month, day as u32) * 86_400 + clock;
        let nanos = i128::from(seconds) * SECOND + i128::from(self.nano);
        let at = |offset: i32, zone: &str| Time {
            nanos: nanos - i128::from(offset) * SECOND,
            offset,
            zone: zone.into(),
            monotonic: None,
        };
        if self.is_utc {
            return Ok(at(0, "UTC"));
        }
        if let Some(offset) = self.zone_offset {
            let is_local = offset == local && matches!(&*self.zone_name, "" | "UTC");
            return Ok(at(offset, if is_local && local == 0 { "UTC" } else { &self.zone_name }));
        }
        if !self.zone_name.is_empty() {
            let hours = self.zone_name.strip_prefix("GMT").unwrap_or_default();
            let offset = hours.parse::<i32>().unwrap_or(0) * 3600;
            // Go reads the clock as UTC here.
            return Ok(Time { offset, zone: self.zone_name.as_str().into(), ..Time::utc(nanos) });
        }
        Ok(at(local, if local == 0 { "UTC" } else { "" }))
    }

    /// Derives month and day from the day of the year, and applies their defaults.
    fn settle_day(&mut self) -> Result<(), &'static str> {
        if self.year_day >= 0 {
            let len = 365 + i64::from(is_leap(self.year));
            if self.year_day < 1 || self.year_day > len {
                return Err(": day-of-year out of range");
            }
            let (mut month, mut day) = (1, self.year_day);
            while day > i64::from(days_in(month, self.year)) {
                day -= i64::from(days_in(month, self.year));
                month += 1;
            }
            if self.month >= 0 && self.month != i64::from(month) {
                return Err(": day-of-year does not match month");
            }
            if self.day >= 0 && self.day != day {
                return Err(": day-of-year does not match day");
            }
            (self.month, self.day) = (i64::from(month), day);
        }
        if self.month < 0 {
            self.month = 1;
        }
        if self.day < 0 {
            self.day = 1;
        }
        Ok(())
    }
}

fn set<'v>(field: &mut i64, (value, rest): (i64, &'v str)) -> &'v str {
    *field = value;
    rest
}

fn in_range(is_in: bool, what: &'static str) -> Result<(), Mismatch> {
    if is_in { Ok(()) } else { Err(Mismatch::Range(what)) }
}

/// Exactly `len` digits.
fn digits(value: &str, len: usize) -> Read<'_, i64> {
    let text = value.get(..len).ok_or(Mismatch::Bad)?;
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Mismatch::Bad);
    }
    Ok((text.parse().map_err(|_| Mismatch::Bad)?, &value[len..]))
}

/// One or two digits; exactly two if `fixed`.
fn number(value: &str, fixed: bool) -> Read<'_, i64> {
    digits(value, 2).or_else(|bad| if fixed { Err(bad) } else { digits(value, 1) })
}

/// One to three digits; exactly three if `fixed`.
fn number3(value: &str, fixed: bool) -> Read<'_, i64> {
    digits(value, 3).or_else(|bad| if fixed { Err(bad) } else { number(value, false) })
}

/// The 1-based index of a name, abbreviated to `len` letters unless `len` is 0.
fn name<'v>(names: &[&str], len: usize, value: &'v str) -> Read<'v, i64> {
    for (i, name) in names.iter().enumerate() {
        let name = if len > 0 { &name[..len] } else { name };
        if value.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name)) {
            return Ok((i as i64 + 1, &value[name.len()..]));
        }
    }
    Err(Mismatch::Bad)
}

/// The length of a separator and the digits after it; 0 without one.
fn fraction_len(value: &str) -> usize {
    let Some(digits) = value.strip_prefix(['.', ',']) else { return 0 };
    match digits.bytes().take_while(u8::is_ascii_digit).count() {
        0 => 0,
        count => count + 1,
    }
}
