//! The parts of SARIF 2.1.0 that joblint writes. Field names follow the standard.

use serde::Serialize;

use crate::{finding::Confidence, results::Part};

#[derive(Serialize)]
pub(crate) struct Log<'a> {
    #[serde(rename = "$schema")]
    pub(crate) schema: &'static str,
    pub(crate) version: &'static str,
    pub(crate) runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Run<'a> {
    pub(crate) tool: Tool,
    pub(crate) invocations: [Invocation; 1],
    pub(crate) original_uri_base_ids: BaseIds,
    pub(crate) column_kind: &'static str,
    pub(crate) results: Vec<ResultOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) properties: Option<RunProperties<'a>>,
}

#[derive(Serialize)]
pub(crate) struct RunProperties<'a> {
    /// What `merge` reads of a shard.
    pub(crate) shard: &'a Part,
}

#[derive(Serialize)]
pub(crate) struct Tool {
    pub(crate) driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Driver {
    pub(crate) name: &'static str,
    pub(crate) semantic_version: &'static str,
    pub(crate) information_uri: &'static str,
    pub(crate) rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor {
    pub(crate) id: &'static str,
    pub(crate) short_description: Text,
    pub(crate) full_description: Text,
    pub(crate) help: Help,
    pub(crate) help_uri: String,
    pub(crate) default_configuration: Configuration,
    pub(crate) properties: RuleProperties,
}

#[derive(Serialize)]
pub(crate) struct Help {
    pub(crate) text: String,
    pub(crate) markdown: String,
}

#[derive(Serialize)]
pub(crate) struct Configuration {
    pub(crate) level: &'static str,
}

/// Properties that GitHub code scanning reads.
#[derive(Serialize)]
pub(crate) struct RuleProperties {
    pub(crate) tags: Vec<&'static str>,
    pub(crate) precision: &'static str,
    #[serde(rename = "problem.severity")]
    pub(crate) problem_severity: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invocation {
    pub(crate) execution_successful: bool,
    pub(crate) exit_code: u8,
    pub(crate) exit_code_description: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tool_execution_notifications: Vec<Notification>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tool_configuration_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(crate) struct Notification {
    pub(crate) level: &'static str,
    pub(crate) message: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) locations: Vec<ReportedLocation>,
}

#[derive(Serialize)]
pub(crate) struct BaseIds {
    #[serde(rename = "%SRCROOT%")]
    pub(crate) root: Base,
}

#[derive(Serialize)]
pub(crate) struct Base {
    pub(crate) description: Text,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResultOut {
    pub(crate) rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule_index: Option<usize>,
    pub(crate) level: &'static str,
    pub(crate) message: Text,
    pub(crate) locations: [ReportedLocation; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) related_locations: Vec<ReportedLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) partial_fingerprints: Option<Fingerprints>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fixes: Vec<FixOut>,
    pub(crate) properties: ResultProperties,
}

#[derive(Serialize)]
pub(crate) struct ResultProperties {
    pub(crate) confidence: Confidence,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) deployers: Vec<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) assumed: bool,
}

#[derive(Serialize)]
pub(crate) struct Fingerprints {
    #[serde(rename = "joblint/v1")]
    pub(crate) own: String,
}

/// A `location` object of SARIF.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReportedLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<usize>,
    pub(crate) physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<Text>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) logical_locations: Vec<Logical>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Logical {
    pub(crate) name: String,
    pub(crate) fully_qualified_name: String,
    pub(crate) kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Physical {
    pub(crate) artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) region: Option<Region>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Artifact {
    pub(crate) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uri_base_id: Option<&'static str>,
}

/// A text region. Lines and columns count from 1; the end is exclusive.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Region {
    pub(crate) start_line: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) start_column: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) end_line: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) end_column: usize,
}

impl Region {
    /// A whole line.
    pub(crate) fn line(line: usize) -> Self {
        Self { start_line: line, start_column: 0, end_line: 0, end_column: 0 }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FixOut {
    pub(crate) description: Text,
    pub(crate) artifact_changes: [ArtifactChange; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArtifactChange {
    pub(crate) artifact_location: Artifact,
    pub(crate) replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replacement {
    pub(crate) deleted_region: Region,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) inserted_content: Option<Text>,
}

#[derive(Serialize)]
pub(crate) struct Text {
    pub(crate) text: String,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
