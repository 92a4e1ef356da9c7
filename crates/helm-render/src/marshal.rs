//! Printing and parsing YAML, JSON and TOML, as the libraries do that Helm uses: sigs.k8s.io/yaml
//! (go-yaml 2), go-yaml 3, encoding/json, BurntSushi/toml.
//!
//! Scalars keep the provenance of their bytes when printed, and when parsed if the parsed text is
//! that of the source.

mod from_toml;
mod json;
mod parse_json;
mod to_toml;
mod unmarshal;
mod yaml;

pub(crate) use from_toml::from_toml;
pub(crate) use json::{JsonStyle, MarshalError, to_json};
pub(crate) use to_toml::to_toml;
pub(crate) use unmarshal::{from_json, from_yaml};
pub(crate) use yaml::{to_yaml, to_yaml_pretty};
