//! `validateCronJobSpec`, without the job template and the name.

use yaml_spans::{Source, Span};

use super::{Field, FieldErrors};
use crate::kubernetes::{
    FieldError, Version,
    cron::{self, Reason, ScheduleError},
    time_zone,
};

const POLICIES: &[&str] = &["Allow", "Forbid", "Replace"];
const NO_ZONE_IN_SCHEDULE: &str =
    "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
const NOT_LOCAL: &str =
    "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";

/// The first version that rejects a schedule with a time zone.
const NO_ZONE_SINCE: Version = Version::new(1, 29);

pub(super) fn check(spec: &Field<'_>, source: &Source, target: Version, errors: &mut FieldErrors) {
    let at = spec.field("schedule");
    if at.is_empty() {
        errors.required(&at, "");
    } else if let Some(text) = at.text() {
        schedule(&at, text, source, target, errors);
    }
    for name in ["startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"]
    {
        errors.not_negative(&spec.field(name));
    }
    errors.one_of(&spec.field("concurrencyPolicy"), POLICIES);
    zone(&spec.field("timeZone"), errors);
}

fn schedule(
    at: &Field<'_>,
    text: &str,
    source: &Source,
    target: Version,
    errors: &mut FieldErrors,
) {
    if text.contains("TZ") && target >= NO_ZONE_SINCE {
        errors.invalid(at, NO_ZONE_IN_SCHEDULE);
        errors.help(Some("write the time zone as `timeZone`, beside `schedule`".into()));
    }
    let Err(error) = cron::parse(text) else { return };
    let message = format!("{}: Invalid value: {text:?}: {error}", at.path());
    let span = inside(source, at.span(), text, error.at.clone());
    errors.0.push(FieldError { span, message, help: advice(text, &error) });
}

/// How to correct a common mistake.
fn advice(text: &str, error: &ScheduleError) -> Option<String> {
    let advice = match error.reason {
        Reason::FieldCount(_) if text.split_whitespace().count() == 6 => {
            "Kubernetes schedules have no seconds: drop that field"
        }
        Reason::AboveMaximum { high: 7, .. } => "write Sunday as 0 or `sun`",
        Reason::Reversed { .. } => "a range cannot wrap around: list both parts, as in `sat,sun`",
        _ if text[error.at.clone()] == *"@reboot" => "a CronJob has no such event: use a Job",
        _ => return None,
    };
    Some(advice.to_owned())
}

/// The span of a part of a scalar; the whole scalar where the source does not contain its text verbatim.
fn inside(source: &Source, whole: Span, text: &str, part: std::ops::Range<usize>) -> Span {
    let written = source.slice(whole);
    match written.find(text) {
        Some(quote) if !part.is_empty() => {
            let start = whole.start as usize + quote;
            Span::new(start + part.start, start + part.end)
        }
        _ => whole,
    }
}

fn zone(at: &Field<'_>, errors: &mut FieldErrors) {
    let Some(name) = at.text() else { return };
    if name.is_empty() {
        errors.invalid(at, "timeZone must be nil or non-empty string");
    } else if name.eq_ignore_ascii_case("Local") {
        errors.invalid(at, NOT_LOCAL);
    } else if !time_zone::is_well_formed(name) || !time_zone::is_known(name) {
        errors.invalid(at, &format!("unknown time zone {name}"));
        errors.help(time_zone::nearest(name).map(|zone| format!("write `{zone}`")));
    }
}
