//! CronJob schedules, as robfig/cron v3.0.1 parses them for the API server, with its error texts.

use std::ops::Range;

/// What is wrong with a schedule, and where in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub at: Range<usize>,
    pub message: String,
}

struct Bounds {
    min: u64,
    max: u64,
    /// Names of values from `min` on.
    names: &'static [&'static str],
}

/// Minute, hour, day of month, month, day of week.
const FIELDS: [Bounds; 5] = [
    Bounds { min: 0, max: 59, names: &[] },
    Bounds { min: 0, max: 23, names: &[] },
    Bounds { min: 1, max: 31, names: &[] },
    Bounds {
        min: 1,
        max: 12,
        names: &[
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ],
    },
    Bounds { min: 0, max: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

const MACROS: [&str; 7] =
    ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// Parses a schedule. A `TZ=` or `CRON_TZ=` prefix is skipped; its time zone is not looked at.
///
/// # Errors
/// The first problem, as the parser reports it.
pub fn parse(text: &str) -> Result<(), Problem> {
    let spec = without_time_zone(text)?;
    let whole = || spec.start..spec.end;
    let body = &text[whole()];
    if body.starts_with('@') {
        return macros(body).map_err(|message| Problem { at: whole(), message });
    }
    let fields = words(text, spec.start);
    if fields.len() != FIELDS.len() {
        let listed: Vec<_> = fields.iter().map(|field| &text[field.clone()]).collect();
        let (count, listed) = (fields.len(), listed.join(" "));
        let message = format!("expected exactly 5 fields, found {count}: [{listed}]");
        return Err(Problem { at: whole(), message });
    }
    for (field, bounds) in fields.into_iter().zip(&FIELDS) {
        parse_field(text, field, bounds)?;
    }
    Ok(())
}

/// The part after the time zone, which ends at the first space.
fn without_time_zone(text: &str) -> Result<Range<usize>, Problem> {
    if !text.starts_with("TZ=") && !text.starts_with("CRON_TZ=") {
        return Ok(0..text.len());
    }
    let Some(space) = text.find(' ') else {
        // The parser panics here; the API server of 1.34 dies, that of 1.36 answers with this.
        let message = "invalid schedule format: runtime error: slice bounds out of range [:-1]";
        return Err(Problem { at: 0..text.len(), message: message.into() });
    };
    let rest = &text[space..];
    let start = text.len() - rest.trim_start().len();
    Ok(start..text.trim_end().len().max(start))
}

/// The ranges of words between white space.
fn words(text: &str, from: usize) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut rest = from;
    for word in text[from..].split_whitespace() {
        let start = rest + text[rest..].find(word).unwrap_or_default();
        rest = start + word.len();
        words.push(start..rest);
    }
    words
}

fn parse_field(text: &str, field: Range<usize>, bounds: &Bounds) -> Result<(), Problem> {
    let mut start = field.start;
    for part in text[field].split(',') {
        let at = start..start + part.len();
        start = at.end + 1;
        if !part.is_empty() {
            range(part, bounds).map_err(|message| Problem { at, message })?;
        }
    }
    Ok(())
}

/// `*`, `?`, `5`, `5-10`, each with a step behind `/`.
fn range(part: &str, bounds: &Bounds) -> Result<(), String> {
    let steps: Vec<_> = part.split('/').collect();
    let limits: Vec<_> = steps[0].split('-').collect();
    let (low, mut high) = match limits[..] {
        ["*" | "?", ..] => (bounds.min, bounds.max),
        [only] => (value(only, bounds)?, value(only, bounds)?),
        [low, high] => (value(low, bounds)?, value(high, bounds)?),
        // The first value is read before the hyphens are counted.
        _ => return value(limits[0], bounds).and(Err(format!("too many hyphens: {part}"))),
    };
    let step = match steps[..] {
        [_] => 1,
        [_, step] => integer(step)?,
        _ => return Err(format!("too many slashes: {part}")),
    };
    if steps.len() == 2 && limits.len() == 1 {
        high = bounds.max;
    }
    let Bounds { min, max, .. } = bounds;
    if low < *min {
        return Err(format!("beginning of range ({low}) below minimum ({min}): {part}"));
    }
    if high > *max {
        return Err(format!("end of range ({high}) above maximum ({max}): {part}"));
    }
    if low > high {
        return Err(format!("beginning of range ({low}) beyond end of range ({high}): {part}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {part}"));
    }
    Ok(())
}

fn value(text: &str, bounds: &Bounds) -> Result<u64, String> {
    let lower = text.to_lowercase();
    match bounds.names.iter().position(|name| *name == lower) {
        Some(index) => Ok(bounds.min + index as u64),
        None => integer(text),
    }
}

/// Go's `strconv.Atoi`, without negative numbers.
fn integer(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    // Go reads digit by digit: what is too large already does not get to the letter behind it.
    let too_large = length > 0 && digits[..length].parse::<u64>().is_err();
    let reason = match text.parse::<i64>() {
        Ok(number) if number >= 0 => return Ok(number.unsigned_abs()),
        Ok(number) => return Err(format!("negative number ({number}) not allowed: {text}")),
        Err(_) if !too_large && (digits.is_empty() || length < digits.len()) => "invalid syntax",
        Err(_) => "value out of range",
    };
    Err(format!("failed to parse int from {text}: strconv.Atoi: parsing {text:?}: {reason}"))
}

fn macros(text: &str) -> Result<(), String> {
    if MACROS.contains(&text) {
        return Ok(());
    }
    let Some(duration) = text.strip_prefix("@every ") else {
        return Err(format!("unrecognized descriptor: {text}"));
    };
    let problem = go_duration(duration);
    problem.map_err(|reason| format!("failed to parse duration {text}: {reason}"))
}

/// Go's `time.ParseDuration`.
fn go_duration(text: &str) -> Result<(), String> {
    let invalid = || format!("time: invalid duration {}", quoted(text));
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return Ok(());
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut nanoseconds = 0f64;
    while !rest.is_empty() {
        let number = rest.bytes().take_while(|c| c.is_ascii_digit() || *c == b'.').count();
        let (digits, behind) = rest.split_at(number);
        if digits.matches('.').count() > 1 || !digits.bytes().any(|c| c.is_ascii_digit()) {
            return Err(invalid());
        }
        let length = behind.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(length);
        let scale = match unit {
            "" => return Err(format!("time: missing unit in duration {}", quoted(text))),
            "ns" => 1.0,
            "us" | "µs" | "μs" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "m" => 6e10,
            "h" => 3.6e12,
            _ => {
                let (unit, text) = (quoted(unit), quoted(text));
                return Err(format!("time: unknown unit {unit} in duration {text}"));
            }
        };
        nanoseconds += digits.parse::<f64>().unwrap_or_default() * scale;
        rest = behind;
    }
    if nanoseconds < 9.223_372_036_854_775e18 { Ok(()) } else { Err(invalid()) }
}

/// Quotes as package `time` does, which spells out the bytes of anything but ASCII.
fn quoted(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    format!("\"{}\"", text.bytes().map(escape).collect::<String>())
}
