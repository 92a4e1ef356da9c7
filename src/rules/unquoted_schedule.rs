use super::{Check, Rule};
use crate::{finding::Finding, mentions::Names, template_fix::unquoted, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "unquoted-schedule",
    include_str!("../../rules/unquoted-schedule.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(schedule) = job.cron().and_then(|cron| cron.entry("schedule")) else { return };
    let Some(origin) = job.source.origin.as_deref() else { return };
    let span = schedule.value.span;
    let is_given = origin.inputs(span).iter().any(|input| input.starts_with("Values."));
    if !is_given || !job.context.from_chart() || origin.is_placeholder(span) {
        return;
    }
    let Some((fix, quoted)) = unquoted(job.object, schedule) else { return };
    let title = job.title();
    let message =
        format!("a schedule such as `*/10 * * * *` for {title} breaks the chart: it is not quoted");
    let label = "a value that begins with `*` or `@` is not valid YAML here";
    let mut finding = Finding::new(schedule.key_span, label).message(message);
    finding.fixes.push(fix);
    let finding = finding.help(format!("Quote it: `{quoted}`"));
    // Whoever sets the values of a chart that is not published knows its templates.
    let is_for_others = job.context.names.is_none_or(Names::serve_others);
    found.push(if is_for_others { finding } else { finding.pedantic() });
}
