//! Schedules that start a run each minute of some hours.

use std::ops::Range;

use super::{Limits, fields, parts};

/// A schedule that names hours and each minute of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EachMinute {
    /// The hours, from 0.
    pub hours: Vec<u64>,
    /// The field of the minutes, in bytes of the schedule.
    pub minutes: Range<usize>,
}

/// The hours in each minute of which a schedule starts a run, though it names hours one by one or by a step: `* 2 * * *`
/// starts sixty, `* */6 * * *` starts 240 a day. Who writes a range, `* 9-17 * * *`, means each minute of it.
pub fn each_minute(text: &str) -> Option<EachMinute> {
    let is_each = |minute: &Limits| minute.is_any;
    let is_named = |hour: &Limits| !hour.is_any && (hour.step > 1 || hour.low == hour.high);
    let hours = parts(text, 1).filter(|hours| !hours.is_empty() && hours.iter().all(is_named))?;
    let [minutes, ..] = fields(text)?;
    let is_each_minute = parts(text, 0)?.iter().any(is_each);
    is_each_minute.then(|| EachMinute { hours: Limits::all(&hours), minutes })
}

#[cfg(test)]
mod tests {
    use super::each_minute;

    #[test]
    fn hours_that_are_named_have_a_minute() {
        for (schedule, hours) in [
            ("* 2 * * *", Some(&[2][..])),
            ("*/1 2 * * 1-5", Some(&[2])),
            ("TZ=Europe/Berlin * 0,12 1 * *", Some(&[0, 12])),
            ("* */6 * * *", Some(&[0, 6, 12, 18])),
            ("0 2 * * *", None),
            ("*/5 2 * * *", None),
            ("0-59 2 * * *", None),
            ("* 9-17 * * 1-5", None),
            ("* 9-17,20 * * *", None),
            ("* * * * *", None),
            ("@daily", None),
            ("* 2 * *", None),
        ] {
            let found = each_minute(schedule);
            assert_eq!(found.as_ref().map(|one| &*one.hours), hours, "{schedule}");
            let minutes = found.map(|one| &schedule[one.minutes]);
            assert!(minutes.is_none_or(|minutes| minutes.starts_with('*')), "{schedule}");
        }
    }
}
