//! The days on which schedules run.

use super::fields;

/// A schedule whose day of the month never comes. The day of the week then decides: where a schedule restricts both, either
/// is enough (robfig/cron `SpecSchedule`, `dayMatches`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImpossibleDay {
    /// The days of the month.
    pub days: Vec<u64>,
    /// The months, from 1.
    pub months: Vec<u64>,
    /// The days of the week on which it runs, from 0 for Sunday.
    pub weekdays: Vec<u64>,
}

/// The most days that each month has.
const LENGTHS: [u64; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// The impossible days of a schedule that runs on days of the week; `None` for any other schedule, also an invalid one.
pub fn impossible_day(text: &str) -> Option<ImpossibleDay> {
    let Dates { days, months, weekdays, .. } =
        Dates::of(text).filter(|dates| dates.is_impossible() && !dates.is_any_weekday)?;
    (!weekdays.is_empty()).then_some(ImpossibleDay { days, months, weekdays })
}

/// Whether a schedule is valid and has no date: 31 February. A CronJob with such a one only runs when somebody makes a Job
/// of it.
pub fn never_comes(text: &str) -> bool {
    Dates::of(text).is_some_and(|dates| dates.is_impossible() && dates.is_any_weekday)
}

/// The days on which a schedule runs.
struct Dates {
    days: Vec<u64>,
    months: Vec<u64>,
    weekdays: Vec<u64>,
    is_any_day: bool,
    is_any_weekday: bool,
}

impl Dates {
    /// `None` for a descriptor and for an invalid schedule.
    fn of(text: &str) -> Option<Self> {
        let [_, _, days, months, weekdays] = fields(text)?;
        Some(Self {
            is_any_day: days.is_any(),
            is_any_weekday: weekdays.is_any(),
            days: days.values(),
            months: months.values(),
            weekdays: weekdays.values(),
        })
    }

    /// Whether none of the days is in any of the months.
    fn is_impossible(&self) -> bool {
        let length = |month: &u64| LENGTHS.get(*month as usize - 1);
        let comes = |day: &u64| self.months.iter().filter_map(length).any(|last| day <= last);
        !self.is_any_day && !self.days.is_empty() && !self.days.iter().any(comes)
    }
}
