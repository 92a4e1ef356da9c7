//! What the emitters of go-yaml decide about strings and keys. Both versions contain a port of libyaml's emitter.

mod key_order;
mod style;
mod text;

pub use key_order::{is_digit, is_letter, sort_by_key};
pub use style::{Analysis, ScalarStyle, analyze, is_break, is_printable, style, through_json};
pub use text::{chomping, escape};

/// A version of go-yaml.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoYaml {
    /// `gopkg.in/yaml.v2`, which `sigs.k8s.io/yaml` uses.
    V2,
    /// `gopkg.in/yaml.v3`.
    V3,
}
