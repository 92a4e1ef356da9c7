//! Validation of `values.schema.json`, with the messages of the validator that Helm uses
//! (`github.com/santhosh-tekuri/jsonschema` 6).

mod failure;
mod formats;
mod json;
mod validator;

use go_template::{Budget, Limit};
use serde_json::{Map, Value as Json};
use yaml_spans::{Location, Span};

use self::{failure::Failure, validator::Validator};
use crate::{
    Error, Reason,
    chart::File,
    dependencies::ChartView,
    values::{Item, Setting, SharedTable, Tree},
};

/// Validates the values against the schemas of all charts.
pub(crate) fn validate(
    view: &ChartView,
    values: &SharedTable,
    budget: &Budget,
) -> Result<(), Error> {
    let mut problems = String::new();
    let mut at = None;
    check(view, values, budget, (&mut problems, &mut at))?;
    if problems.is_empty() {
        return Ok(());
    }
    let prefix = "values don't meet the specifications of the schema(s) in the following chart(s)";
    Err(Error::new(Reason::Schema, format!("{prefix}:\n{problems}")).at(at))
}

fn check(
    view: &ChartView,
    values: &SharedTable,
    budget: &Budget,
    (problems, at): (&mut String, &mut Option<Location>),
) -> Result<(), Limit> {
    let mut own = String::new();
    if let Some(schema) = &view.chart.schema
        && let Err(problem) = check_one(schema, values, budget, at)
    {
        own = format!("{}:\n{problem}", view.name());
    }
    budget.spend(0, own.len() as u64)?;
    problems.push_str(&own);
    for sub in view.dependencies().iter() {
        let name = sub.name();
        match values.get(&name) {
            Some(Item::Table(table, _)) => check(sub, &table, budget, (&mut *problems, &mut *at))?,
            Some(Item::Leaf(setting)) if !setting.is_null() => {
                let kind = go_type(&setting);
                let problem = "invalid type for values: expected object (map), got";
                problems.push_str(&format!("{name}:\n{problem} {kind}\n"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_one(
    schema: &File,
    values: &SharedTable,
    budget: &Budget,
    at: &mut Option<Location>,
) -> Result<(), String> {
    let root = schema.json().as_ref().map_err(|problem| {
        let place = Location { source: schema.source(), span: Span::default() };
        at.get_or_insert(place);
        problem.clone()
    })?;
    let mut validator = Validator::new(root, schema.data.len(), budget);
    let Err(failure) = validator.validate(&table_json(values)) else { return Ok(()) };
    if let Some(limit) = budget.exceeded() {
        return Err(limit.to_string());
    }
    if at.is_none() {
        *at = find(values, failure.first_path())
            .or_else(|| Some(Location { source: schema.source(), span: Span::default() }));
    }
    Err(Failure::display_all(&failure.into_causes()))
}

/// The location of the value at a path, or of the nearest value that contains it.
fn find(values: &SharedTable, path: &[String]) -> Option<Location> {
    let (first, rest) = path.split_first()?;
    match values.get(first)? {
        Item::Leaf(setting) => setting.at.clone(),
        Item::Table(table, at) => find(&table, rest).or(at),
    }
}

fn go_type(setting: &Setting) -> &'static str {
    match setting.value {
        Tree::Null => "<nil>",
        Tree::Bool(_) => "bool",
        Tree::Int(_) => "int64",
        Tree::Float(_) => "float64",
        Tree::Str(_) => "string",
        Tree::List(_) => "[]interface {}",
        Tree::Table(_) => "map[string]interface {}",
    }
}

fn table_json(table: &SharedTable) -> Json {
    let entries = table.entries();
    let mut object = Map::new();
    for (key, item) in entries.iter() {
        let json = match item {
            Item::Leaf(setting) => setting.to_json(),
            Item::Table(table, _) => table_json(table),
        };
        object.insert(key.to_string(), json);
    }
    Json::Object(object)
}
