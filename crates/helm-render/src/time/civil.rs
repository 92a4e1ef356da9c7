//! Calendar dates in the proleptic Gregorian calendar.

use super::{SECOND, Time};

/// An instant on the calendar and clock of its zone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Civil {
    pub year: i64,
    /// Starts at 1.
    pub month: u32,
    pub day: u32,
    /// Starts at 1.
    pub year_day: u32,
    /// Sunday is 0.
    pub weekday: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    pub nano: u32,
}

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

impl Civil {
    pub(super) fn of(time: &Time) -> Self {
        let local = time.nanos + i128::from(time.offset) * SECOND;
        let seconds = local.div_euclid(SECOND);
        let days = seconds.div_euclid(86_400) as i64;
        let clock = seconds.rem_euclid(86_400) as u32;
        let (year, month, day) = date(days);
        Self {
            year,
            month,
            day,
            year_day: (days - self::days(year, 1, 1)) as u32 + 1,
            weekday: (days + 4).rem_euclid(7) as u32,
            hour: clock / 3600,
            minute: clock / 60 % 60,
            second: clock % 60,
            nano: local.rem_euclid(SECOND) as u32,
        }
    }

    pub(crate) fn month_name(&self) -> &'static str {
        MONTHS[self.month as usize - 1]
    }

    pub(crate) fn weekday_name(&self) -> &'static str {
        WEEKDAYS[self.weekday as usize]
    }
}

/// The days from 1970 to a date (Howard Hinnant's `days_from_civil`).
pub(super) fn days(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month = i64::from(month);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn date(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u32;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub(super) fn days_in(month: u32, year: i64) -> u32 {
    match month {
        2 => 28 + u32::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
