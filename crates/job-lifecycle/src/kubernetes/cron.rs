//! CronJob schedules, parsed as by robfig/cron v3.0.1 in the API server, with its error messages.

mod dates;
mod go;
mod minutes;

use std::{error::Error, fmt, ops::Range};

pub use dates::{ImpossibleDay, impossible_day, never_comes};
use go::{DurationError, IntegerError};
pub use minutes::{EachMinute, each_minute};

/// Why a schedule is invalid, and where in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScheduleError {
    /// Byte range in the schedule.
    pub(crate) at: Range<usize>,
    /// The reason, with the message of the parser.
    pub(crate) reason: Reason,
}

/// Why a schedule is invalid. Displays as the message of the parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A time zone with no schedule after it. The parser panics; the API server of 1.34 dies, that of 1.36
    /// answers with the message of the panic.
    OnlyTimeZone,
    /// Not five fields: those it has.
    FieldCount(Vec<String>),
    /// `@reboot` and the like.
    UnknownDescriptor(String),
    /// `@every` with an invalid duration: the whole descriptor.
    Duration(String, DurationError),
    /// Not a number or a name of the field.
    Integer(IntegerError),
    /// More than one hyphen in a range.
    TooManyHyphens(String),
    /// More than one step.
    TooManySlashes(String),
    /// A range that begins below the minimum of its field.
    BelowMinimum { low: u64, min: u64, part: String },
    /// A range that ends above the maximum of its field.
    AboveMaximum { high: u64, max: u64, part: String },
    /// A range that ends before it begins.
    Reversed { low: u64, high: u64, part: String },
    /// A step of 0.
    ZeroStep(String),
}

struct Bounds {
    min: u64,
    max: u64,
    /// Names of the values from `min` on.
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

/// Checks a schedule. The time zone in a `TZ=` or `CRON_TZ=` prefix is not checked.
///
/// # Errors
/// The first problem that the parser of the API server reports.
pub(crate) fn parse(text: &str) -> Result<(), ScheduleError> {
    let spec = without_time_zone(text)?;
    let whole = || spec.start..spec.end;
    let body = &text[whole()];
    if body.starts_with('@') {
        return descriptor(body).map_err(|reason| ScheduleError { at: whole(), reason });
    }
    let fields = words(text, spec.start);
    if fields.len() != FIELDS.len() {
        let written = fields.iter().map(|field| text[field.clone()].to_owned()).collect();
        return Err(ScheduleError { at: whole(), reason: Reason::FieldCount(written) });
    }
    for (field, bounds) in fields.into_iter().zip(&FIELDS) {
        parse_field(text, field, bounds)?;
    }
    Ok(())
}

/// A field of a valid schedule.
struct Field {
    /// Its place, in bytes of the schedule.
    at: Range<usize>,
    parts: Vec<Limits>,
}

/// The five fields of a valid schedule; `None` for a descriptor and for an invalid one.
fn fields(text: &str) -> Option<[Field; 5]> {
    parse(text).ok()?;
    let spec = without_time_zone(text).ok()?;
    let field = |(at, bounds): (Range<usize>, &Bounds)| {
        let parts = text[at.clone()].split(',').filter(|part| !part.is_empty());
        let parts = parts.map(|part| limits(part, bounds).ok()).collect::<Option<_>>()?;
        Some(Field { at, parts })
    };
    let fields = words(text, spec.start).into_iter().zip(&FIELDS).map(field);
    fields.collect::<Option<Vec<_>>>()?.try_into().ok()
}

impl Field {
    /// Whether it does not restrict anything.
    fn is_any(&self) -> bool {
        self.parts.iter().any(|part| part.is_any)
    }

    /// All its values, in order.
    fn values(&self) -> Vec<u64> {
        let mut all: Vec<_> = self.parts.iter().flat_map(Limits::values).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The part after the time zone, which ends at the first space.
fn without_time_zone(text: &str) -> Result<Range<usize>, ScheduleError> {
    if !text.starts_with("TZ=") && !text.starts_with("CRON_TZ=") {
        return Ok(0..text.len());
    }
    let Some(space) = text.find(' ') else {
        return Err(ScheduleError { at: 0..text.len(), reason: Reason::OnlyTimeZone });
    };
    let rest = &text[space..];
    let start = text.len() - rest.trim_start().len();
    Ok(start..text.trim_end().len().max(start))
}

/// The ranges of the words between white space.
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

fn parse_field(text: &str, field: Range<usize>, bounds: &Bounds) -> Result<(), ScheduleError> {
    let mut start = field.start;
    for part in text[field].split(',') {
        let at = start..start + part.len();
        start = at.end + 1;
        if !part.is_empty() {
            limits(part, bounds).map_err(|reason| ScheduleError { at, reason })?;
        }
    }
    Ok(())
}

/// The values of a part of a field.
struct Limits {
    low: u64,
    high: u64,
    step: u64,
    /// A star without a step above 1: the field does not restrict anything.
    is_any: bool,
}

impl Limits {
    fn values(&self) -> impl Iterator<Item = u64> + use<> {
        (self.low..=self.high).step_by(usize::try_from(self.step).unwrap_or(usize::MAX))
    }
}

/// `*`, `?`, `5`, `5-10`, each with an optional `/STEP`.
fn limits(part: &str, bounds: &Bounds) -> Result<Limits, Reason> {
    let steps: Vec<_> = part.split('/').collect();
    let limits: Vec<_> = steps[0].split('-').collect();
    let own = || part.to_owned();
    let (low, mut high) = match limits[..] {
        ["*" | "?", ..] => (bounds.min, bounds.max),
        [only] => (value(only, bounds)?, value(only, bounds)?),
        [low, high] => (value(low, bounds)?, value(high, bounds)?),
        // The parser reads the first value before it counts the hyphens.
        _ => return value(limits[0], bounds).and(Err(Reason::TooManyHyphens(own()))),
    };
    let step = match steps[..] {
        [_] => 1,
        [_, step] => go::integer(step)?,
        _ => return Err(Reason::TooManySlashes(own())),
    };
    if steps.len() == 2 && limits.len() == 1 {
        high = bounds.max;
    }
    let Bounds { min, max, .. } = *bounds;
    if low < min {
        return Err(Reason::BelowMinimum { low, min, part: own() });
    }
    if high > max {
        return Err(Reason::AboveMaximum { high, max, part: own() });
    }
    if low > high {
        return Err(Reason::Reversed { low, high, part: own() });
    }
    if step == 0 {
        return Err(Reason::ZeroStep(own()));
    }
    let is_any = step == 1 && matches!(limits[0], "*" | "?");
    Ok(Limits { low, high, step, is_any })
}

fn value(text: &str, bounds: &Bounds) -> Result<u64, Reason> {
    let lower = text.to_lowercase();
    match bounds.names.iter().position(|name| *name == lower) {
        Some(index) => Ok(bounds.min + index as u64),
        None => Ok(go::integer(text)?),
    }
}

/// `@daily`, `@every 1h`.
fn descriptor(text: &str) -> Result<(), Reason> {
    if MACROS.contains(&text) {
        return Ok(());
    }
    let Some(duration) = text.strip_prefix("@every ") else {
        return Err(Reason::UnknownDescriptor(text.to_owned()));
    };
    go::duration(duration).map_err(|error| Reason::Duration(text.to_owned(), error))
}

impl From<IntegerError> for Reason {
    fn from(error: IntegerError) -> Self {
        Reason::Integer(error)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::OnlyTimeZone => f.write_str(
                "invalid schedule format: runtime error: slice bounds out of range [:-1]",
            ),
            Reason::FieldCount(fields) => {
                let (count, listed) = (fields.len(), fields.join(" "));
                write!(f, "expected exactly 5 fields, found {count}: [{listed}]")
            }
            Reason::UnknownDescriptor(text) => write!(f, "unrecognized descriptor: {text}"),
            Reason::Duration(text, error) => {
                write!(f, "failed to parse duration {text}: {error}")
            }
            Reason::Integer(error) => error.fmt(f),
            Reason::TooManyHyphens(part) => write!(f, "too many hyphens: {part}"),
            Reason::TooManySlashes(part) => write!(f, "too many slashes: {part}"),
            Reason::BelowMinimum { low, min, part } => {
                write!(f, "beginning of range ({low}) below minimum ({min}): {part}")
            }
            Reason::AboveMaximum { high, max, part } => {
                write!(f, "end of range ({high}) above maximum ({max}): {part}")
            }
            Reason::Reversed { low, high, part } => {
                write!(f, "beginning of range ({low}) beyond end of range ({high}): {part}")
            }
            Reason::ZeroStep(part) => {
                write!(f, "step of range should be a positive number: {part}")
            }
        }
    }
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl Error for ScheduleError {}
