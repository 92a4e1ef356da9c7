//! Schedules that start a run each minute of some hours or days.

use std::ops::Range;

use super::{FIELDS, Limits, fields, parts};

/// A schedule that starts a run each minute, and names the hours or days on which it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EachMinute {
    /// The hours, from 0.
    pub hours: Vec<u64>,
    /// The fields that name no time and should: that of the minutes, and that of the hours, in bytes of the schedule.
    pub open: Vec<Range<usize>>,
}

/// The hours in each minute of which a schedule starts a run, though it names hours or days one by one or by a step:
/// `* 2 * * *` starts sixty, `* */6 * * *` starts 240 a day, and `* * 1 * *` starts 1,440. Who writes a range, as in
/// `* 9-17 * * 1-5`, means each minute of it.
pub fn each_minute(text: &str) -> Option<EachMinute> {
    let is_each = |index: usize| Some(parts(text, index)?.iter().any(|part| part.is_any));
    let written = fields(text)?;
    let words = written.clone().map(|field| &text[field]);
    // A range is meant. `*/1` is a step, whatever it comes to.
    let is_named = |index: usize| {
        let word = words[index];
        !word.contains('-') && (word.contains('/') || !is_each(index).unwrap_or(true))
    };
    let days = 2..FIELDS.len();
    let are_days_named =
        || days.clone().any(is_named) && !days.clone().any(|day| words[day].contains('-'));
    let is_hour_open = is_each(1)?;
    let is_slip = is_named(1) || is_hour_open && are_days_named();
    if !is_each(0)? || !is_slip {
        return None;
    }
    let [minutes, hours, ..] = written;
    let open = if is_named(1) { vec![minutes] } else { vec![minutes, hours] };
    Some(EachMinute { hours: Limits::all(&parts(text, 1)?), open })
}

#[cfg(test)]
mod tests {
    use super::each_minute;

    #[test]
    fn hours_and_days_that_are_named_have_a_minute() {
        for (schedule, hours, open) in [
            ("* 2 * * *", 1, "*"),
            ("*/1 2 * * 1-5", 1, "*/1"),
            ("TZ=Europe/Berlin * 0,12 1 * *", 2, "*"),
            ("* */6 * * *", 4, "*"),
            ("* */1 * * *", 24, "*"),
            ("* * 2 * *", 24, "* *"),
            ("* * * * sun", 24, "* *"),
        ] {
            let found = each_minute(schedule).unwrap_or_else(|| panic!("{schedule}"));
            assert_eq!(found.hours.len(), hours, "{schedule}");
            let words: Vec<_> = found.open.into_iter().map(|range| &schedule[range]).collect();
            assert_eq!(words.join(" "), open, "{schedule}");
        }
        for schedule in [
            "0 2 * * *",
            "*/5 2 * * *",
            "0-59 2 * * *",
            "* 9-17 * * 1-5",
            "* 9-17,20 * * *",
            "* 9-17 1 * *",
            "* * * * *",
            "*/1 * * * *",
            "* * * * 1-5",
            "@daily",
            "* 2 * *",
        ] {
            assert_eq!(each_minute(schedule), None, "{schedule}");
        }
    }
}
