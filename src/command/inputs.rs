//! What templates fill into a command.

use helm_render::functions::Host;
use shell_effects::ElementSpan;
use yaml_spans::{Node, Source};

use super::{Command, Element};

/// What a template prints anew in each release.
const ANEW: [&str; 3] = [Host::RANDOM, Host::TIME, "Release.Revision"];

/// Whether joblint filled in a part of a value, or values leave a part of it empty.
fn is_open(source: &Source, node: &Node) -> bool {
    let origin = source.origin.as_deref();
    origin.is_some_and(|one| one.is_placeholder(node.span) || one.is_left_empty(node.span, false))
}

impl Command<'_> {
    /// Whether joblint filled in a part of an element or a mounted file, or values leave a part of it empty.
    pub(crate) fn is_made_up(&self, element: usize) -> bool {
        let Some(Element { node, file, .. }) = self.elements.get(element) else { return false };
        is_open(file.unwrap_or(&self.object.source), node)
    }

    /// The image of the container, if somebody wrote the whole of it.
    pub(crate) fn stated_image(&self) -> Option<&Node> {
        self.container.get("image").filter(|image| !is_open(&self.object.source, image))
    }

    /// Whether an operand behind a verb is another one in each release: a random value, the time or the revision is a part
    /// of it.
    pub(crate) fn is_named_anew(&self, verb: ElementSpan) -> bool {
        let invocation = self.analysis.invocations.iter().find(|one| one.holds(verb));
        let words = invocation.map(|one| &one.words[..]).unwrap_or_default();
        let at = words.iter().position(|word| word.location == verb).unwrap_or(words.len());
        let is_option = |word: &str| word.starts_with('-');
        // The value of an option stands behind it.
        let mut operands = words.windows(2).skip(at).filter(|pair| {
            let [before, own] = [&pair[0].value, &pair[1].value];
            // A server of another name has another state.
            own.starts_with("--host=")
                || !is_option(own) && (!is_option(before) || before.contains('='))
        });
        operands.any(|pair| {
            self.inputs_of(pair[1].location).iter().any(|input| ANEW.contains(&input.as_str()))
        })
    }

    /// Whether the command at a place is `helm` with the name of its own release.
    pub(crate) fn is_of_own_release(&self, at: ElementSpan) -> bool {
        let mut invocations = self.analysis.invocations.iter().filter(|one| one.holds(at));
        let names_it =
            |word: ElementSpan| self.inputs_of(word).iter().any(|own| own == "Release.Name");
        invocations.any(|one| {
            one.program_name() == "helm" && one.words.iter().any(|word| names_it(word.location))
        })
    }

    /// The inputs of a word, by data flow or by control flow: `Values.image.tag`, `Release.Name`.
    fn inputs_of(&self, word: ElementSpan) -> Vec<String> {
        let (file, span) = self.locate(self.as_written(word));
        let origin = file.unwrap_or(&self.object.source).origin.as_deref();
        origin.map(|origin| origin.inputs(span)).unwrap_or_default()
    }
}
