//! Decides whether the failure of a chart hides Jobs or hooks. Without any, the failure is a remark.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};

use file_boundary::Boundary;
use helm_render::{Chart, HelmVersion, Reason, RenderedFile, TemplateFile, guards::PLACEHOLDER};
use ignore::WalkBuilder;
use job_lifecycle::{
    Object,
    suggest::words,
    workload::{any_pod, is_work, pod_path},
};
use memchr::memmem;

use super::unrendered;
use crate::{
    discover::files,
    load::declares_jobs,
    unit::{Loaded, Problem, Unit},
};

/// Words in the name of a library template that prints a Job or hook.
const NAMES: [&str; 6] = ["cronjob", "cronjobs", "hook", "hooks", "job", "jobs"];
/// How the name of a template ends that prints only a part of an object.
const PARTS: [&str; 6] = ["fullname", "image", "labels", "name", "namespace", "secret"];
/// The start of a definition.
const OPENING: &[u8] = b"define \"";

/// Decides what the failure of a chart hides. A failure that a missing dependency may have caused is a label of that
/// dependency: only its values and templates would tell whether anything is wrong with the chart.
pub(super) fn decide(chart: &Chart, views: &mut [Loaded]) {
    let Some(first) = views.first() else { return };
    let is_open = |problem: &Problem| problem.is_of_whole() && !problem.misses_work;
    let Some(whole) = first.problems.iter().position(is_open) else { return };
    let misses_work = match first.rendering.is_some() {
        true => {
            let left_out = left_out(views);
            hold_work(chart, left_out.iter().map(|template| &*template.file().data).collect())
                || is_hollow(chart, first)
        }
        false => may_be_in(chart),
    };
    let may_be_absence = !misses_work || fails_like_absence(chart, first);
    let problems = &mut views[0].problems;
    problems[whole].misses_work = misses_work;
    if !may_be_absence {
        return;
    }
    if !problems.iter().any(Problem::lacks_dependency) {
        problems.extend(unrendered::missing_below(chart));
    }
    if problems.iter().any(Problem::lacks_dependency) {
        let failure = problems.remove(whole);
        if let Some(missing) = problems.iter_mut().find(|problem| problem.lacks_dependency()) {
            missing.take(failure);
        }
    }
}

/// True when templates fail only while they run, as they do for want of values or named templates of a dependency, or print
/// what does not parse because a placeholder stands for those.
fn fails_like_absence(chart: &Chart, view: &Loaded) -> bool {
    view.rendering.as_ref().is_some_and(|one| {
        let has_placeholders = one.options.is_lint && chart.lacks_dependencies();
        one.rendered.failures.iter().all(|error| match error.reason {
            Reason::Execution => true,
            Reason::Manifest | Reason::Unset => has_placeholders,
            _ => false,
        })
    })
}

/// True when a missing dependency would print a Job or hook, or the containers of one.
pub(super) fn is_hollow(chart: &Chart, view: &Loaded) -> bool {
    let is_empty = |object: &Object| {
        pod_path(object).is_some() && is_work(object) && {
            let containers = any_pod(object).and_then(|pod| pod.get("containers"));
            containers.is_none_or(|list| list.items().is_empty())
        }
    };
    chart.lacks_dependencies()
        && (view.objects.iter().any(is_empty) || hold_work(chart, stand_ins(view).collect()))
}

/// The templates with a manifest that is nothing but a placeholder.
fn stand_ins(view: &Loaded) -> impl Iterator<Item = &[u8]> {
    let rendered = view.rendering.iter().map(|one| &one.rendered);
    let stands_in = |file: &&RenderedFile| {
        let mut manifests = file.text.split("\n---");
        manifests.any(|text| text.trim_start_matches("---").trim() == PLACEHOLDER)
    };
    rendered.flat_map(move |one| {
        let files = one.files.iter().filter(stands_in);
        files.map(|file| &*one.templates[file.template.0 as usize].file().data)
    })
}

impl Problem {
    /// Adds the failure of the chart to the problem that a dependency is missing.
    fn take(&mut self, mut failure: Problem) {
        if failure.misses_work {
            self.misses_work = true;
            let headline = self.headline();
            let what = if headline.starts_with("dependencies") { "them" } else { "it" };
            self.headline = Some(format!("{headline}, but Jobs or hooks need {what}"));
        }
        let labels = std::mem::take(&mut failure.labels);
        self.labels.push(failure.label());
        self.labels.extend(labels);
    }
}

/// Returns whether the templates of a chart and its dependencies may print Jobs or hooks.
pub(super) fn may_be_in(chart: &Chart) -> bool {
    all_templates(chart).iter().any(|text| declares_jobs(text))
}

/// Returns whether the files of a chart that cannot be loaded may hold Jobs or hooks. What linked folders hold is unknown.
pub(super) fn may_be_in_folder(unit: &Unit) -> bool {
    let root = if unit.root.as_os_str().is_empty() { ".".as_ref() } else { &*unit.root };
    // What a file that cannot be opened holds is unknown. Documentation shows Jobs that nobody deploys.
    let is_prose = |file: &Path| file.extension().is_some_and(|ending| ending == "md");
    let holds = |file: &Path| unit.boundary.read(file).map_or(true, |bytes| declares_jobs(&bytes));
    !root.is_dir()
        || unit.files.iter().filter_map(|file| file.text.as_ref()).any(|text| declares_jobs(text))
        || hides_files(root, &unit.boundary)
        || files(root).flatten().any(|file| !is_prose(&file) && holds(&file))
}

/// Returns whether a folder contains links to folders, or archives that may hold Jobs or hooks.
fn hides_files(root: &Path, boundary: &Boundary) -> bool {
    let entries = WalkBuilder::new(root).standard_filters(false).build();
    entries.map_while(Result::ok).any(|entry| {
        let is_link = entry.file_type().is_some_and(|kind| kind.is_symlink());
        let is_archive = entry.path().extension().is_some_and(|ending| ending == "tgz");
        is_archive && may_be_in_archive(entry.path(), boundary) || is_link && entry.path().is_dir()
    })
}

/// Returns whether an archive is no chart, or one that may print Jobs or hooks.
fn may_be_in_archive(path: &Path, boundary: &Boundary) -> bool {
    let chart = Chart::load_within(path, "", &[], HelmVersion::V3, boundary);
    chart.map_or(true, |chart| may_be_in(&chart))
}

/// The templates that every view leaves out.
fn left_out(views: &[Loaded]) -> Vec<TemplateFile> {
    let rendered = views.iter().filter_map(|view| Some(&view.rendering.as_ref()?.rendered));
    let mut common: Option<Vec<TemplateFile>> = None;
    for one in rendered {
        let failed = || one.failed.iter().map(|id| one.templates[id.0 as usize].clone());
        common = Some(match common {
            None => failed().collect(),
            Some(mut common) => {
                let names: BTreeSet<_> = failed().map(|template| template.name).collect();
                common.retain(|template| names.contains(&template.name));
                common
            }
        });
    }
    common.unwrap_or_default()
}

/// The texts of all templates of a chart and its dependencies.
pub(super) fn all_templates(chart: &Chart) -> Vec<&[u8]> {
    let own = chart.templates.iter().map(|file| &*file.data);
    own.chain(chart.dependencies.iter().flat_map(|one| all_templates(one))).collect()
}

/// Returns whether one of these templates may print a Job or hook: in its own text, or by the templates that it
/// includes. Of a template that the chart lacks only the name is known.
fn hold_work<'t>(chart: &'t Chart, mut left: Vec<&'t [u8]>) -> bool {
    let definitions = definitions(&all_templates(chart));
    let mut known = BTreeSet::new();
    while let Some(text) = left.pop() {
        if declares_jobs(text) {
            return true;
        }
        for name in included(text).filter(|name| known.insert(name.to_vec())) {
            match definitions.get(name) {
                Some(definition) => left.push(definition),
                None if names_work(name) => return true,
                None => {}
            }
        }
    }
    false
}

/// The names in quotes after `include` and `template`.
fn included(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let after = |word: &'static str| {
        memmem::find_iter(text, word).filter_map(move |at| {
            let rest = text[at + word.len()..].trim_ascii_start().strip_prefix(b"\"")?;
            Some(&rest[..memchr::memchr(b'"', rest)?])
        })
    };
    after("include").chain(after("template"))
}

/// The texts of the named templates, each up to the next definition.
fn definitions<'t>(templates: &[&'t [u8]]) -> HashMap<&'t [u8], &'t [u8]> {
    let mut all = HashMap::new();
    for text in templates {
        let starts: Vec<_> = memmem::find_iter(text, OPENING).collect();
        let ends = starts.iter().copied().skip(1).chain([text.len()]);
        for (start, end) in starts.iter().zip(ends) {
            let rest = &text[start + OPENING.len()..end];
            if let Some(quote) = memchr::memchr(b'"', rest) {
                all.insert(&rest[..quote], &rest[quote..]);
            }
        }
    }
    all
}

fn names_work(name: &[u8]) -> bool {
    let words = words(&String::from_utf8_lossy(name));
    // `cronJob` has the word `job`, `webhook` is one word.
    let is_part = words.last().is_some_and(|last| PARTS.contains(&&**last));
    !is_part && words.iter().any(|word| NAMES.contains(&&**word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_templates_that_print_work() {
        for name in ["common.job", "lib.cronJob.tpl", "lib.db-migration-job", "lib.preInstallHooks"]
        {
            assert!(names_work(name.as_bytes()), "{name}");
        }
        for name in ["lib.webhook.port", "lib.job.labels", "lib.hookName", "lib.jobserver", ""] {
            assert!(!names_work(name.as_bytes()), "{name}");
        }
    }
}
