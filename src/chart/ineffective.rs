//! Values that are set to `false` and make no difference. Sprig's `default` takes `false` for a value that nobody set:
//! `{{ if .Values.migrate.enabled | default true }}`.

use go_template::provenance::{Input, Step};
use helm_render::{self as helm, Override, Parsing, RenderOptions, values::Tree};
use yaml_spans::{Location, Span};

use super::origin::Manifest;

/// The most values that may decide a span: each is tried with each of the others.
const MOST: usize = 4;

/// A value that decides what a span holds.
struct Switch {
    input: Input,
    name: String,
    path: Vec<Step>,
    /// Its value in force, if that is a boolean.
    is_on: Option<bool>,
    at: Option<Location>,
}

impl Switch {
    fn set(&self, value: Tree) -> Override {
        Override { path: self.path.clone(), value }
    }

    /// The value with which it decides otherwise.
    fn turned(&self) -> Override {
        self.set(self.is_on.map_or(Tree::Null, |is_on| Tree::Bool(!is_on)))
    }

    fn holds(&self, other: &Self) -> bool {
        other.path.len() > self.path.len() && other.path.starts_with(&self.path)
    }
}

impl Manifest {
    /// See [`yaml_spans::Origin::ineffective`]. What else than values decides may hide the difference, and so may values
    /// that joblint chose.
    pub(super) fn ineffective_values(&self, span: Span) -> Vec<(String, Location)> {
        let inputs = &self.rendering.rendered.provenance.inputs;
        let overlooked = inputs.members(inputs.overlooked());
        if overlooked.is_empty() {
            return Vec::new();
        }
        let spans = self.trace(span);
        let mut members: Vec<_> = spans
            .iter()
            .flat_map(|one| [one.control, one.data].map(|set| inputs.members(set)))
            .flatten()
            .collect();
        members.sort();
        members.dedup();
        let is_chosen = self.rendering.is_explored || self.rendering.options.is_lint;
        let switches: Option<Vec<_>> =
            members.into_iter().map(|input| self.switch(input)).collect();
        let Some(switches) = switches.filter(|_| !is_chosen) else { return Vec::new() };
        // A table is no value besides those in it.
        let is_table = |one: &Switch| switches.iter().any(|other| one.holds(other));
        let values: Vec<_> = switches.iter().filter(|one| !is_table(one)).collect();
        if values.len() > MOST {
            return Vec::new();
        }
        let is_overlooked = |one: &&&Switch| overlooked.contains(&one.input);
        let off = values.iter().filter(|one| one.is_on == Some(false)).filter(is_overlooked);
        let idle = off.filter(|own| self.is_ineffective(own, &values));
        idle.filter_map(|own| Some((own.name.clone(), own.at.clone()?))).collect()
    }

    /// The value behind an input; `None` for an input that is no value of the chart, or part of a list.
    fn switch(&self, input: Input) -> Option<Switch> {
        let inputs = &self.rendering.rendered.provenance.inputs;
        let steps = inputs.steps(input);
        let (first, rest) = steps.split_first()?;
        let is_values = matches!(first, Step::Key(key) if &**key == "Values");
        let rest = rest.strip_suffix(&[&Step::Keys]).unwrap_or(rest);
        let names: Option<Vec<String>> = rest
            .iter()
            .map(|step| match step {
                Step::Key(key) => Some(key.to_string()),
                _ => None,
            })
            .collect();
        let names = names.filter(|_| is_values)?;
        let setting = self.rendering.setting(&names);
        let is_on = setting.and_then(|setting| match setting.value {
            Tree::Bool(is_on) => Some(is_on),
            _ => None,
        });
        let at = setting.and_then(|setting| setting.at.clone());
        let path = rest.iter().map(|step| (*step).clone()).collect();
        Some(Switch { input, name: inputs.path(input), path, is_on, at })
    }

    /// Whether the template prints the same with `false` and `true`, now and where one of the other values decides otherwise:
    /// in `or .Values.a .Values.b`, the second may hide what the first does.
    fn is_ineffective(&self, own: &Switch, all: &[&Switch]) -> bool {
        let with = |value, change: Option<Override>| {
            self.text_with(change.into_iter().chain([own.set(Tree::Bool(value))]).collect())
        };
        let now = &self.rendering.rendered.files[self.file].text;
        let mut others = all.iter().filter(|other| other.name != own.name);
        with(true, None).as_ref() == Some(now)
            && others.all(|other| {
                let on = with(true, Some(other.turned()));
                on.is_some() && on == with(false, Some(other.turned()))
            })
    }

    /// What the template prints with other values; `None` if the chart does not render with them.
    fn text_with(&self, overrides: Vec<Override>) -> Option<String> {
        let rendering = &self.rendering;
        let templates = &rendering.rendered.templates;
        let own = rendering.rendered.files[self.file].template;
        let name = &templates[own.0 as usize].name;
        // Other templates matter only if they change state that this one reads.
        let needed = rendering.rendered.writers.iter().chain([&own]);
        let only = needed.map(|file| templates[file.0 as usize].name.clone()).collect();
        let mut options = rendering.options.clone();
        options.overrides.extend(overrides);
        let options = RenderOptions {
            only: Some(only),
            parsing: Parsing::None,
            provenance: false,
            ..options
        };
        let rendered = helm::render(&rendering.chart, &options).ok()?;
        let is_own =
            |file: &&helm::RenderedFile| rendered.templates[file.template.0 as usize].name == *name;
        let own = rendered.files.iter().find(is_own);
        Some(own.map(|file| file.text.clone()).unwrap_or_default())
    }
}
