//! Analyses the commands of a workload's containers and maps every word of their scripts back to source
//! positions.

pub(crate) mod clients;
mod edits;
mod escapes;
mod inputs;
mod mount;
mod program;
pub(crate) mod switches;
mod variables;

use std::{cell::OnceCell, sync::Arc};

use job_lifecycle::{Object, Workload};
use shell_effects::{self as script, Analysis, Container, ElementSpan, Invocation};
use yaml_spans::{Node, Offsets, Source, Span};

use self::escapes::Unescaped;
pub(crate) use self::mount::{are_fresh, keys, not_executable, provided_with};
use crate::{
    context::{Context, is_substitution_off},
    finding::Finding,
    images::{has_busybox, has_plain_sh},
    words::{one_line, titled},
};

/// The command of one container.
#[derive(Debug)]
pub struct Command<'a> {
    /// The container.
    pub container: &'a Node,
    /// Whether this is an init container.
    pub init: bool,
    /// The analysis of its script.
    pub analysis: Arc<Analysis>,
    object: &'a Object,
    elements: Vec<Element<'a>>,
    setup: Container,
    /// The key of `command` or `args`, whichever comes first.
    key: Span,
}

/// An element of the argument list, or a mounted file.
#[derive(Debug)]
struct Element<'a> {
    node: &'a Node,
    value: Unescaped,
    /// The source of a mounted file; `None` for elements of the object itself.
    file: Option<&'a Arc<Source>>,
    /// Whether it is the image's entry point, which is not in the manifest.
    implied: bool,
    /// Where its text is written, once that is known.
    offsets: OnceCell<Option<Offsets>>,
}

impl<'a> Command<'a> {
    /// The commands of all containers that have one.
    pub(crate) fn all(job: &Workload<'a>, context: &Context<'a>) -> Vec<Self> {
        let init = job.init_containers().iter().map(|container| (container, true));
        let main = job.containers().iter().map(|container| (container, false));
        init.chain(main)
            .filter_map(|(container, init)| Self::of(job, context, container, init))
            .collect()
    }

    fn of(
        job: &Workload<'a>,
        context: &Context<'a>,
        container: &'a Node,
        init: bool,
    ) -> Option<Self> {
        let keys = ["command", "args"].map(|key| container.entry(key));
        let key = keys.iter().flatten().find(|entry| !entry.value.items().is_empty())?.key_span;
        let implied = keys[0].is_none().then(|| program::of(container)).flatten();
        let mut elements: Vec<_> = implied.into_iter().collect();
        let items = keys.iter().flatten().flat_map(|entry| entry.value.items());
        let is_escaped = context.substitutes() == Some(true) && !is_substitution_off(job.object);
        elements.extend(items.map(|node| Element::new(node, expanded(container, node))));
        let image = container.get("image").and_then(Node::as_str);
        let mut setup = Container {
            persistent_mounts: mount::persistent(job, container),
            restart_mounts: mount::restarted(job, container),
            refilled_mounts: if init { mount::refilled(job, container) } else { Vec::new() },
            files: Vec::new(),
            has_plain_sh: image.is_some_and(has_plain_sh),
            has_busybox: image.is_some_and(has_busybox),
            working_directory: container
                .get("workingDir")
                .and_then(Node::as_str)
                .map(str::to_owned),
            pod_fields: variables::pod_fields(container),
        };
        let count = elements.len();
        for mount::Mounted { path, node, source } in mount::files(job, context, container) {
            let text = node.as_str().unwrap_or_default().to_owned();
            let text = match is_escaped {
                true => Unescaped::by_flux(text),
                false => Unescaped::as_written(text),
            };
            setup.files.push(script::MountedFile { path, text: text.text.clone() });
            elements.push(Element { file: Some(source), ..Element::new(node, text) });
        }
        let words = elements[..count].iter().map(|one| one.value.text.clone()).collect();
        let analysis = context.policy.analyse(words, &setup);
        Some(Self { container, init, analysis, object: job.object, elements, setup, key })
    }

    /// A finding at a location in the script. For one in a mounted file, where the container names the file is a secondary
    /// label.
    pub(crate) fn finding(&self, location: ElementSpan, label: impl Into<String>) -> Finding {
        self.finding_written(self.as_written(location), label)
    }

    /// Like [`Self::finding`], at a location in the text as it is written.
    pub(crate) fn finding_written(
        &self,
        location: ElementSpan,
        label: impl Into<String>,
    ) -> Finding {
        match self.locate(location) {
            (None, span) => Finding::new(span, label),
            (Some(file), span) => {
                let mention = self.mention(location.element);
                Finding::new_in(file, span, label).label(mention, "this runs it")
            }
        }
    }

    /// Adds a secondary label at a location in the script.
    pub(crate) fn label(
        &self,
        finding: Finding,
        location: ElementSpan,
        text: impl Into<String>,
    ) -> Finding {
        self.label_written(finding, self.as_written(location), text)
    }

    /// Like [`Self::label`], at a location in the text as it is written.
    pub(crate) fn label_written(
        &self,
        finding: Finding,
        location: ElementSpan,
        text: impl Into<String>,
    ) -> Finding {
        match self.locate(location) {
            (None, span) => finding.label(span, text),
            (Some(file), span) => finding.label_in(file, span, text),
        }
    }

    /// Whether a file at a path may be there before the container starts: on a volume, not in an `emptyDir` of this pod.
    pub(crate) fn keeps(&self, path: &str) -> bool {
        self.setup.outlives_container(path)
    }

    /// The elements in the manifest as written, by index; with `mounted` also the mounted files that run.
    pub fn scripts(&self, mounted: bool) -> impl Iterator<Item = (usize, &str)> {
        let runs = |index: usize| {
            let mut invocations = self.analysis.invocations.iter();
            invocations.any(|invocation| invocation.location.element == index)
        };
        let elements = self.elements.iter().enumerate();
        elements
            .filter(move |(index, one)| match one.file {
                None => !one.implied,
                Some(_) => mounted && runs(*index),
            })
            .map(|(index, one)| (index, one.node.as_str().unwrap_or_default()))
    }

    /// The whole text of an element or a mounted file.
    pub(crate) fn script(&self, element: usize) -> &str {
        self.elements.get(element).map_or("", |one| &one.value.text)
    }

    /// The command at a location in a few words: the program and the word at the location.
    pub(crate) fn named(&self, location: ElementSpan) -> String {
        const LONG: usize = 40;
        let word = one_line(self.text(location));
        let invocations = &self.analysis.invocations;
        let holder = invocations.iter().find(|one| one.holds(location));
        // `echo "INSERT …" | psql`: it is `psql` that runs the statement.
        let acts = |one: &&Invocation| one.actions.iter().any(|own| own.location == location);
        let sends = holder.filter(|one| !acts(one)).and_then(|_| invocations.iter().find(acts));
        let invocation = sends.or(holder);
        let program = invocation.and_then(|one| one.words.first()).map(|word| word.value.as_str());
        let program = program.and_then(|path| path.rsplit('/').next()).unwrap_or_default();
        let verb = invocation.and_then(|one| {
            let first = one.words.get(1).map(|word| word.value.as_str());
            first.filter(|first| !first.starts_with('-') && word.starts_with('-'))
        });
        let subcommands = invocation.map(|one| one.subcommands(location)).unwrap_or_default();
        let verb = verb.filter(|_| subcommands.is_empty());
        let last = if subcommands.is_empty() { &*word } else { subcommands };
        let named = match program.is_empty() || word.split([' ', '/']).any(|own| own == program) {
            true => word,
            // An option alone does not say what the program does.
            false => [program].into_iter().chain(verb).chain([last]).collect::<Vec<_>>().join(" "),
        };
        match named.chars().nth(LONG) {
            None => format!("`{named}`"),
            Some(_) if program.is_empty() => "a command".to_owned(),
            Some(_) => format!("`{program}`"),
        }
    }

    /// Kind and name of the object: Job `migrate`.
    pub(crate) fn title(&self) -> String {
        titled(self.object)
    }

    /// The text at a location.
    pub fn text(&self, location: ElementSpan) -> &str {
        let element = self.elements.get(location.element);
        element.and_then(|one| one.value.text.get(location.span.range())).unwrap_or_default()
    }

    /// The text of the script behind a location.
    pub(crate) fn text_after(&self, location: ElementSpan) -> &str {
        let element = self.elements.get(location.element);
        let end = location.span.range().end;
        element.and_then(|one| one.value.text.get(end..)).unwrap_or_default()
    }

    /// The text at a location, as it is written.
    pub(crate) fn written(&self, location: ElementSpan) -> &str {
        let element = self.elements.get(location.element);
        let text = element.and_then(|one| one.node.as_str()).unwrap_or_default();
        text.get(location.span.range()).unwrap_or_default()
    }

    /// Where the text at a location is written.
    pub(crate) fn as_written(&self, location: ElementSpan) -> ElementSpan {
        let Some(element) = self.elements.get(location.element) else { return location };
        let range = element.value.written(location.span.range());
        ElementSpan { span: script::ast::Span::new(range.start, range.end), ..location }
    }

    /// The span of a written location in its file, and the source if that is a mounted file.
    fn locate(&self, location: ElementSpan) -> (Option<&'a Arc<Source>>, Span) {
        let Some(element) = self.elements.get(location.element) else { return (None, self.key) };
        let offsets = element.offsets(self.object);
        let span = offsets.and_then(|offsets| offsets.span(location.span.range()));
        (element.file, span.filter(|span| !span.is_empty()).unwrap_or(element.node.span))
    }

    /// Where the container names a mounted file: its path or name, outside comments, else the last argument that is a
    /// path, else the key.
    fn mention(&self, file: usize) -> Span {
        let own = |one: &&Element<'_>| one.file.is_none() && !one.implied;
        let is_path = |one: &&Element<'_>| {
            let text = &one.value.text;
            text.contains('/') && !text.contains("/bin/") && !text.contains('\n')
        };
        self.named_at(file).unwrap_or_else(|| {
            let path = self.elements.iter().filter(own).rfind(is_path);
            path.map_or(self.key, |one| one.node.span)
        })
    }

    /// Where the arguments hold the path of a mounted file, or its name.
    fn named_at(&self, file: usize) -> Option<Span> {
        let path = &*self.setup.files.get(file.checked_sub(self.own_count())?)?.path;
        let name = path.rsplit('/').next()?;
        let own = || self.elements.iter().enumerate().take(self.own_count());
        [path, name].into_iter().find_map(|words| {
            own().filter(|(_, one)| !one.implied).find_map(|(element, one)| {
                if one.value.text == path {
                    return Some(one.node.span);
                }
                let start = uncommented(&one.value.text, words)?;
                let span = script::ast::Span::new(start, start + words.len());
                Some(self.locate(self.as_written(ElementSpan { element, span })).1)
            })
        })
    }

    /// The number of elements that are no mounted files.
    fn own_count(&self) -> usize {
        self.elements.len() - self.setup.files.len()
    }
}

/// Where a script names a path, outside lines of comment.
fn uncommented(script: &str, path: &str) -> Option<usize> {
    script.match_indices(path).map(|(at, _)| at).find(|at| {
        let line = script[..*at].rfind('\n').map_or(0, |line| line + 1);
        !script[line..].trim_start().starts_with('#')
    })
}

impl<'a> Element<'a> {
    fn new(node: &'a Node, value: Unescaped) -> Self {
        Self { node, value, file: None, implied: false, offsets: OnceCell::new() }
    }

    /// Where its text is written, in its file or in this object.
    fn offsets(&self, object: &Object) -> Option<&Offsets> {
        let source = self.file.unwrap_or(&object.source);
        self.offsets.get_or_init(|| self.node.offsets(&source.text)).as_ref()
    }
}

/// What the container gets to see of an argument: `$(NAME)` of a variable that Kubernetes expands is written as the shell
/// does, `${NAME}`, and `$$` is `$`. Kubernetes reads from left to right, so the second `$` of a pair starts nothing
/// (`expansion.Expand` in k8s.io/kubernetes/third_party/forked/golang/expansion).
fn expanded(container: &Node, node: &Node) -> Unescaped {
    let value = node.as_str().unwrap_or_default();
    let mut text = value.to_owned();
    let has_unknown = container.get("envFrom").is_some();
    let (mut from, mut end) = (0, 0);
    while let Some(at) = value[from..].find('$').map(|at| from + at) {
        let rest = &value[at + 1..];
        from = at + 1 + usize::from(rest.starts_with('$'));
        if !rest.starts_with('(') {
            continue;
        }
        if end <= at {
            let Some(length) = rest.find(')') else { break };
            end = at + 1 + length;
        }
        let name = &value[at + 2..end];
        let is_upper =
            name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        let is_variable = variables::has_variable(container, name) || has_unknown && is_upper;
        if !name.is_empty() && is_variable {
            text.replace_range(at + 1..at + 2, "{");
            text.replace_range(end..end + 1, "}");
        }
    }
    Unescaped::by_kubernetes(text)
}
