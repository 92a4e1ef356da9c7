//! What `helm template` printed into a file of the repository, such as an example beside its chart: its flaws are those
//! of the template.

use std::{collections::HashMap, sync::Arc};

use memchr::memmem;
use yaml_spans::Source;

use super::{cause::nameless, group::Member};
use crate::diagnostic::Diagnostic;

/// How Helm names the template above what it prints.
const SOURCE: &str = "# Source: ";

/// The most groups about a chart that a printed copy is compared with.
const MOST: usize = 100;

/// A group of findings about one cause, and those about what it prints elsewhere.
pub(super) type Family = (Vec<Member>, Vec<Member>);

/// The groups, each with those about printed copies of its templates.
pub(super) fn families(groups: Vec<Vec<Member>>) -> Vec<Family> {
    let mut templates = Templates::default();
    let mut families: Vec<(usize, Family)> = Vec::new();
    let mut printed: Vec<(usize, Vec<Printed>)> = Vec::new();
    for (at, group) in groups.into_iter().enumerate() {
        let (mut own, mut copies) = (Vec::new(), Vec::new());
        for member in group {
            match templates.of(&member.finding) {
                Some(template) => copies.push(Printed { member, template }),
                None => own.push(member),
            }
        }
        match own.is_empty() {
            true => printed.push((at, copies)),
            false => {
                let copies = copies.into_iter().map(|copy| copy.member).collect();
                families.push((at, (own, copies)));
            }
        }
    }
    let of_charts = if printed.is_empty() { HashMap::new() } else { of_charts(&families) };
    let mut alone = Vec::new();
    for (at, group) in printed {
        let candidates =
            group.first().and_then(|copy| of_charts.get(&saying(&copy.member.finding)));
        let prints = |family: &&usize| {
            let (_, (own, _)) = &families[**family];
            group.iter().all(|copy| own.iter().any(|one| is_printed_by(copy, one)))
        };
        let family = candidates.into_iter().flatten().find(prints).copied();
        let members = group.into_iter().map(|copy| copy.member);
        match family {
            Some(family) => families[family].1.1.extend(members),
            None => alone.push((at, (members.collect(), Vec::new()))),
        }
    }
    families.extend(alone);
    families.sort_by_key(|(at, _)| *at);
    families.into_iter().map(|(_, family)| family).collect()
}

/// The families with a finding about a chart, by what it says.
fn of_charts(families: &[(usize, Family)]) -> HashMap<Saying, Vec<usize>> {
    let mut known: HashMap<Saying, Vec<usize>> = HashMap::new();
    for (at, (_, (own, _))) in families.iter().enumerate() {
        for one in own.iter().filter(|one| !one.finding.value_sets.is_empty()) {
            let same = known.entry(saying(&one.finding)).or_default();
            if same.last() != Some(&at) && same.len() < MOST {
                same.push(at);
            }
        }
    }
    known
}

/// A finding about what a template has printed.
struct Printed {
    member: Member,
    /// As Helm names it: `shop/templates/job.yaml`.
    template: Arc<str>,
}

/// A rule and what it says of no object in particular.
type Saying = (&'static str, String);

fn saying(finding: &Diagnostic) -> Saying {
    (finding.rule.id, nameless(finding))
}

/// Whether a finding of a chart is about the template that prints the other one, and says the same.
fn is_printed_by(copy: &Printed, one: &Member) -> bool {
    let (template, copy, one) = (&copy.template, &copy.member.finding, &one.finding);
    one.severity >= copy.severity
        && !one.value_sets.is_empty()
        && saying(one) == saying(copy)
        && is_about(one, template, copy)
}

/// The templates that Helm names in the texts of findings. Each text is searched once.
#[derive(Default)]
struct Templates(HashMap<usize, Vec<Document>>);

/// A document, with the template that Helm names in it.
struct Document {
    start: usize,
    /// The offset of the name, and the name.
    template: Option<(usize, Arc<str>)>,
}

impl Templates {
    /// The template that Helm names above the place of a finding.
    fn of(&mut self, finding: &Diagnostic) -> Option<Arc<str>> {
        let at = &finding.location;
        let key = Arc::as_ptr(&at.source) as usize;
        let all = self.0.entry(key).or_insert_with(|| documents(&at.source));
        let next = all.partition_point(|one| one.start <= at.span.start as usize);
        let (named_at, template) = all.get(next.checked_sub(1)?)?.template.as_ref()?;
        (*named_at < at.span.start as usize).then(|| template.clone())
    }
}

/// The documents of a text; none if Helm has not printed it.
fn documents(source: &Source) -> Vec<Document> {
    let text = &*source.text;
    if memmem::find(text.as_bytes(), SOURCE.as_bytes()).is_none() {
        return Vec::new();
    }
    let mut all = vec![Document { start: 0, template: None }];
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("---") {
            all.push(Document { start, template: None });
        }
        let template = line.strip_prefix(SOURCE).map(str::trim);
        if let (Some(template), Some(last)) = (template, all.last_mut()) {
            let is_one = template.contains("/templates/");
            last.template.get_or_insert_with(|| (start, if is_one { template } else { "" }.into()));
        }
        start += line.len();
    }
    for one in &mut all {
        one.template.take_if(|(_, template)| template.is_empty());
    }
    all
}

/// Whether a finding of a chart is about a template, given as Helm names it, of the chart around a file or of that name.
fn is_about(finding: &Diagnostic, template: &str, copy: &Diagnostic) -> bool {
    let Some((name, inside)) = template.split_once('/') else { return false };
    let raised = finding.raised_at.iter().map(|at| &at.source.path);
    let mut paths = raised.chain([&finding.location.source.path]);
    paths.any(|path| {
        let Some(chart) = path.strip_suffix(inside) else { return false };
        let (chart, is_here) = (chart.trim_end_matches('/'), chart.is_empty());
        let is_below = |rest: &str| is_here || rest.starts_with('/');
        let is_around = copy.location.source.path.strip_prefix(chart).is_some_and(is_below);
        (is_here || path.len() > chart.len() + inside.len())
            && (is_around || chart.rsplit('/').next() == Some(name))
    })
}
