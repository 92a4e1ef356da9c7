use job_lifecycle::{
    kubernetes::{Field, defaults::Completions},
    workload::Kind,
};

use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "name-too-long",
    include_str!("../../rules/name-too-long.yaml"),
    Check::Workload(check),
);

/// The maximum length of a name: of any object, of a label value or host name, and of a CronJob, whose Jobs append a
/// dash and up to ten digits (kubernetes-jobs 1.3; kubernetes-jobs 3.1).
const NAME: usize = 253;
const LABEL: usize = 63;
const CRON_JOB: usize = 52;

/// How many characters of its prefix `generateName` keeps, and how many it appends.
const PREFIX: usize = 58;
const RANDOM: usize = 5;

/// The length of a dash and the minutes since 1970: eight digits until the year 2160.
const MINUTES: usize = 9;

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let metadata = Field::root(job.object).field("metadata");
    let (name, prefix) = (metadata.field("name"), metadata.field("generateName"));
    let (field, written) = if name.is_empty() { (prefix, "prefix") } else { (name, "name") };
    let Some(text) = field.text().filter(|text| !text.is_empty()) else { return };
    let generated = written == "prefix";
    let length = text.len();
    let full = if generated { length.min(PREFIX) + RANDOM } else { length };
    if let Some((full, limit, why)) = limits(job, full).iter().find(|(full, limit, _)| full > limit)
    {
        let over = full - limit;
        let counted = match generated {
            true => format!("{length} characters and {RANDOM} random ones"),
            false => format!("{length} characters"),
        };
        let room = length.min(PREFIX).saturating_sub(over);
        let message = format!(
            "the {written} of {} is too long: {full} characters, and {limit} are allowed",
            job.title()
        );
        let finding = Finding::new(field.span(), format!("{counted}, {over} too many: {why}"))
            .message(message)
            .help(format!("shorten the {written} to {room} characters"));
        // Nobody is known to deploy values that joblint chose, or those of a test.
        let is_known = !job.context.tried;
        found.push(if is_known { finding } else { finding.severity(Severity::Warning) });
    } else if generated && length > PREFIX {
        let label =
            format!("only the first {PREFIX} of {length} characters become part of the name");
        let finding = Finding::new(field.span(), label).severity(Severity::Info);
        found.push(
            finding
                .message(format!("the prefix of {} is cut to {PREFIX} characters", job.title()))
                .help(format!("shorten the prefix to {PREFIX} characters")),
        );
    }
}

/// The limits: required length, maximum length and the reason.
fn limits(job: &Subject<'_>, length: usize) -> Vec<(usize, usize, String)> {
    let spec = Field::root(job.object).at(job.job_path);
    let cron = job.kind == Kind::CronJob;
    let mut limits = vec![match job.kind {
        Kind::CronJob => {
            let why = "its Jobs add up to 11 to it, and a Job's name may have 63";
            (length, CRON_JOB, why.to_owned())
        }
        Kind::Job if spec.field("manualSelector").is_true() => {
            (length, NAME, format!("a name may have {NAME}"))
        }
        Kind::Job => {
            let why = format!("the label `job-name` takes the name, and a label may have {LABEL}");
            (length, LABEL, why)
        }
    }];
    let completions = Completions::of(&spec, cron).count.filter(|completions| *completions > 0);
    if let Some(completions) = completions.filter(|_| is_indexed(&spec)) {
        let last = format!("-{}", completions - 1);
        let own = if cron { length + MINUTES } else { length };
        let why = match cron {
            true => format!(
                "its Jobs add {MINUTES} and their pods `{last}`, and a host name may have {LABEL}"
            ),
            false => format!("the last pod adds `{last}`, and a host name may have {LABEL}"),
        };
        limits.push((own + last.len(), LABEL, why));
    }
    limits
}

fn is_indexed(spec: &Field<'_>) -> bool {
    spec.field("completionMode").text() == Some("Indexed")
}
