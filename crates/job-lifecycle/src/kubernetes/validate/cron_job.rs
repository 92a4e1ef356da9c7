//! `validateCronJobSpec`, without its Job and without the name.

use yaml_spans::{Source, Span};

use super::{Causes, Place};
use crate::kubernetes::{Cause, Version, cron, time_zone};

const POLICIES: &[&str] = &["Allow", "Forbid", "Replace"];
const NO_ZONE_IN_SCHEDULE: &str =
    "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
const NOT_LOCAL: &str =
    "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";

/// Schedules with a time zone are refused from here on.
const NO_ZONE_SINCE: Version = Version::new(1, 29);

pub(super) fn check(spec: &Place<'_>, source: &Source, target: Version, causes: &mut Causes) {
    let at = spec.field("schedule");
    if at.is_empty() {
        causes.required(&at, "");
    } else if let Some(text) = at.text() {
        schedule(&at, text, source, target, causes);
    }
    for name in ["startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"]
    {
        causes.not_negative(&spec.field(name));
    }
    causes.one_of(&spec.field("concurrencyPolicy"), POLICIES);
    zone(&spec.field("timeZone"), causes);
}

fn schedule(at: &Place<'_>, text: &str, source: &Source, target: Version, causes: &mut Causes) {
    if text.contains("TZ") && target >= NO_ZONE_SINCE {
        causes.invalid(at, NO_ZONE_IN_SCHEDULE);
        causes.help(Some("write the time zone as `timeZone`, beside `schedule`".into()));
    }
    let Err(problem) = cron::parse(text) else { return };
    let words = format!("{}: Invalid value: {text:?}: {}", at.path(), problem.message);
    let span = inside(source, at.span(), text, problem.at.clone());
    causes.0.push(Cause { span, words, help: advice(text, &problem) });
}

/// What the author may have had in mind.
fn advice(text: &str, problem: &cron::Problem) -> Option<String> {
    let part = &text[problem.at.clone()];
    let fields = text.split_whitespace().count();
    let advice = match part {
        _ if problem.message.starts_with("expected exactly") && fields == 6 => {
            "Kubernetes schedules have no seconds: drop that field"
        }
        _ if problem.message.starts_with("end of range (7)") => "write Sunday as 0 or `sun`",
        _ if problem.message.contains("beyond end of range") => {
            "a range cannot wrap around: list both parts, as in `sat,sun`"
        }
        "@reboot" => "a CronJob has no such event: use a Job",
        _ => return None,
    };
    Some(advice.to_owned())
}

/// The part of a scalar's text; all of it where it is not written as it reads.
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

fn zone(at: &Place<'_>, causes: &mut Causes) {
    let Some(name) = at.text() else { return };
    if name.is_empty() {
        causes.invalid(at, "timeZone must be nil or non-empty string");
    } else if name.eq_ignore_ascii_case("Local") {
        causes.invalid(at, NOT_LOCAL);
    } else if !time_zone::is_well_formed(name) || !time_zone::is_known(name) {
        causes.invalid(at, &format!("unknown time zone {name}"));
        causes.help(time_zone::nearest(name).map(|zone| format!("write `{zone}`")));
    }
}
