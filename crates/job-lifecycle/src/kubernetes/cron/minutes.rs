//! Schedules that start a run each minute of some hours or days.

use std::ops::Range;

use super::{Field, fields};

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
    let [minutes, hours, days @ ..] = fields(text)?;
    let word = |field: &Field| &text[field.at.clone()];
    let is_range = |field: &Field| word(field).contains('-');
    // `*/1` is a step, whatever it comes to.
    let is_named =
        |field: &Field| !is_range(field) && (word(field).contains('/') || !field.is_any());
    let names_days = || days.iter().any(is_named) && !days.iter().any(is_range);
    let open = match (is_named(&hours), hours.is_any() && names_days()) {
        _ if !minutes.is_any() => return None,
        (true, _) => vec![minutes.at],
        (false, true) => vec![minutes.at, hours.at.clone()],
        (false, false) => return None,
    };
    Some(EachMinute { hours: hours.values(), open })
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
