//! Go's `time`: instants, layouts, durations.

mod civil;
mod duration;
mod layout;
mod parse;
mod zone_name;

use std::rc::Rc;

pub(crate) use duration::{format_duration, parse_duration};
pub(crate) use parse::parse;

use self::civil::Civil;

pub(crate) const SECOND: i128 = 1_000_000_000;

/// An instant as seen in a time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Time {
    /// Nanoseconds since 1970.
    pub nanos: i128,
    /// Seconds east of UTC.
    pub offset: i32,
    /// The zone's abbreviation at that instant; may be empty.
    pub zone: Rc<str>,
    /// Seconds on the monotonic clock, which only `now` has and which is printed.
    pub monotonic: Option<i64>,
}

impl Time {
    /// An instant in UTC, which is also the local time zone of a render.
    pub(crate) fn utc(nanos: i128) -> Self {
        Self { nanos, offset: 0, zone: "UTC".into(), monotonic: None }
    }

    /// Go's zero time: January 1, year 1.
    pub(crate) fn zero() -> Self {
        Self::utc(-62_135_596_800 * SECOND)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.nanos == Self::zero().nanos
    }

    /// `Time.Unix`.
    pub(crate) fn unix(&self) -> i64 {
        self.nanos.div_euclid(SECOND) as i64
    }

    /// The same instant in a zone of the tz database; `None` for an unknown zone.
    pub(crate) fn in_zone(&self, name: &str) -> Option<Self> {
        let (offset, zone) = match name {
            "" | "UTC" | "Local" => (0, "UTC".into()),
            _ => return None,
        };
        Some(Self { nanos: self.nanos, offset, zone, monotonic: None })
    }

    /// `Time.Add`. It saturates where Go wraps, thousands of years away.
    pub(crate) fn plus(&self, nanos: i64) -> Self {
        Self { nanos: self.nanos + i128::from(nanos), ..self.clone() }
    }

    /// `Time.Format`.
    pub(crate) fn format(&self, layout: &str) -> String {
        layout::format(self, layout)
    }

    pub(crate) fn civil(&self) -> Civil {
        Civil::of(self)
    }
}

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.format("2006-01-02 15:04:05.999999999 -0700 MST"))?;
        match self.monotonic {
            Some(nanos) => {
                let (seconds, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
                write!(f, " m=+{seconds}.{rest:09}")
            }
            None => Ok(()),
        }
    }
}

impl Time {
    /// `Time.AddDate`: days beyond the end of the month run into the next.
    pub(crate) fn plus_date(&self, years: i64, months: i64, days: i64) -> Self {
        let civil = self.civil();
        let month = i64::from(civil.month) - 1 + months.clamp(-1_000_000, 1_000_000);
        let year = civil.year + years.clamp(-1_000_000, 1_000_000) + month.div_euclid(12);
        let start = civil::days(year, month.rem_euclid(12) as u32 + 1, 1);
        let before = civil::days(civil.year, civil.month, civil.day);
        let after = start + i64::from(civil.day) - 1 + days.clamp(-1_000_000_000, 1_000_000_000);
        let nanos = self.nanos + i128::from(after - before) * 86_400 * SECOND;
        Self { nanos, monotonic: None, ..self.clone() }
    }
}
