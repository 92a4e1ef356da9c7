//! `.Values`: the coalesced tables as maps that templates share and modify, with an input for every
//! value.

use std::{rc::Rc, sync::Arc};

use foldhash::HashMap;
use go_template::{
    Data, FuncError, Functions, List, Map, Method, Params, Text, TextBuilder, Type, Value,
    provenance::{Input, InputSet, Inputs, Taint},
};
use yaml_spans::Location;

use super::by_version;
use crate::{
    HelmVersion,
    dependencies::ChartView,
    marshal::to_yaml,
    reads::InputValues,
    values::{GLOBAL, Item, Setting, SharedTable, Table, Tree},
};

static VALUES_V3: Type = values("chartutil.Values");
static VALUES_V4: Type = values("common.Values");
static METHODS_V3: [Method; 4] = methods(HelmVersion::V3);
static METHODS_V4: [Method; 4] = methods(HelmVersion::V4);

const fn values(name: &'static str) -> Type {
    Type::map(name, &Type::INTERFACE).named(&Type::MAP)
}

pub(super) fn set_methods(functions: &mut Functions) {
    functions.set_methods(&VALUES_V3, &METHODS_V3);
    functions.set_methods(&VALUES_V4, &METHODS_V4);
}

/// The Go type of `.Values`.
pub(crate) fn values_type(version: HelmVersion) -> &'static Type {
    by_version(version, &VALUES_V3, &VALUES_V4)
}

const fn methods(version: HelmVersion) -> [Method; 4] {
    [
        Method {
            name: "YAML",
            params: Params::NONE,
            call: |context, receiver, _| {
                let yaml =
                    to_yaml(context, receiver).map_err(|error| FuncError::new(error.message))?;
                let mut text = TextBuilder::new();
                text.push_text(&mut context.tracker, &yaml);
                text.push(&mut context.tracker, "\n", yaml.taint());
                Ok(text.finish())
            },
        },
        Method {
            name: "AsMap",
            params: Params::NONE,
            call: |_, receiver, _| {
                let map = receiver.as_map().map(|map| map.converted(&Type::MAP));
                Ok(Value::from(map.unwrap_or_default()).with_taint(receiver.taint()))
            },
        },
        Method {
            name: "Table",
            params: Params::fixed(&[&Type::STRING]),
            call: match version {
                HelmVersion::V3 => |_, receiver, arguments| table(&VALUES_V3, receiver, arguments),
                HelmVersion::V4 => |_, receiver, arguments| table(&VALUES_V4, receiver, arguments),
            },
        },
        Method {
            name: "PathValue",
            params: Params::fixed(&[&Type::STRING]),
            call: |_, receiver, arguments| path_value(receiver, arguments),
        },
    ]
}

fn table(
    go_type: &'static Type,
    receiver: &Value,
    arguments: &[Value],
) -> Result<Value, FuncError> {
    let path = arguments[0].as_text().map(Text::to_str).unwrap_or_default();
    let map = find_table(receiver, &path)?;
    Ok(Value::from(map.converted(go_type)).with_taint(receiver.taint()))
}

fn find_table(receiver: &Value, path: &str) -> Result<Map, FuncError> {
    let mut map = receiver.as_map().cloned().unwrap_or_default();
    for key in path.split('.') {
        let below = map.get(key).and_then(|value| value.as_map().cloned());
        map = below.ok_or_else(|| FuncError::new(format!("{} is not a table", quoted(key))))?;
    }
    Ok(map)
}

fn path_value(receiver: &Value, arguments: &[Value]) -> Result<Value, FuncError> {
    let path = arguments[0].as_text().map(Text::to_str).unwrap_or_default();
    if path.is_empty() {
        return Err(FuncError::new("YAML path cannot be empty"));
    }
    let (above, key) = path.rsplit_once('.').map_or((None, &*path), |(a, key)| (Some(a), key));
    let none = || FuncError::new(format!("{} is not a value", quoted(key)));
    let map = match above {
        Some(above) => find_table(receiver, above).map_err(|_| none())?,
        None => receiver.as_map().cloned().unwrap_or_default(),
    };
    map.get(key).filter(|value| value.as_map().is_none()).ok_or_else(none)
}

fn quoted(key: &str) -> String {
    go_template::quote::quote(key.as_bytes())
}

/// Converts tables to maps, each table once, and records the location behind every input.
pub(crate) struct ValuesLabeller<'i> {
    pub(crate) inputs: &'i mut Inputs,
    pub(crate) locations: Vec<(Input, Location)>,
    pub(crate) values: InputValues,
    is_on: bool,
    /// The input of the values of the chart whose values are being converted.
    chart: Input,
    maps: HashMap<usize, Map>,
}

fn has_null(table: &Table) -> bool {
    table.values().any(|setting| match &setting.value {
        Tree::Null => true,
        Tree::Table(table) => has_null(table),
        _ => false,
    })
}

/// A table and the input of its keys' parent.
type LabelledTable = (SharedTable, Input);

impl<'i> ValuesLabeller<'i> {
    pub(crate) fn new(inputs: &'i mut Inputs, is_on: bool) -> Self {
        let chart = inputs.root("Values");
        let (locations, values, maps) = Default::default();
        Self { inputs, locations, values, is_on, chart, maps }
    }

    /// The values of the root chart, which contain those of its dependencies.
    pub(crate) fn root(&mut self, chart: &Rc<ChartView>, values: &SharedTable) -> Map {
        self.chart(chart, values, self.chart, &[])
    }

    /// The values of a chart; `globals` are the `global` tables of the charts above it.
    fn chart(
        &mut self,
        chart: &ChartView,
        values: &SharedTable,
        input: Input,
        globals: &[LabelledTable],
    ) -> Map {
        if let Some(map) = self.known(values, input) {
            return map;
        }
        let above = std::mem::replace(&mut self.chart, input);
        let mut entries = std::collections::BTreeMap::new();
        let mut globals = globals.to_vec();
        let below = self.inputs.child(input, GLOBAL);
        match values.get(GLOBAL) {
            Some(Item::Table(own, at)) => {
                self.record(below, at.as_ref());
                globals.push((own.clone(), below));
                entries.insert(GLOBAL.into(), Value::from(self.global(&own, &globals)));
            }
            // A `global` table that the user sets here reaches the charts below.
            None => globals.push((SharedTable::new(), below)),
            Some(Item::Leaf(_)) => {}
        }
        for (key, item) in values.snapshot() {
            if entries.contains_key(&key) {
                continue;
            }
            let input = self.inputs.child(input, &key);
            let dependencies = chart.dependencies();
            let sub = dependencies.iter().find(|sub| sub.name() == key);
            let value = match (sub, &item) {
                (Some(sub), Item::Table(table, at)) => {
                    self.record(input, at.as_ref());
                    let map = self.chart(sub, table, input, &globals);
                    let own = chart.chart.values.get(&key).and_then(Setting::as_table);
                    self.control_nulls(&map, input, [Some(&sub.chart.values), own]);
                    Value::from(map)
                }
                _ => self.item(&item, input),
            };
            // A dependency adds its defaults only if it is enabled.
            let control = match self.is_on {
                true => chart.conditions_of(&key, self.inputs),
                false => InputSet::EMPTY,
            };
            let taint = self.inputs.join(value.taint(), Taint { control, ..Taint::NONE });
            entries.insert(key, value.with_taint(taint));
        }
        let map = self.finish(values, entries, input);
        self.chart = above;
        map
    }

    /// A table below `global`.
    ///
    /// A value that a chart above supplies is that chart's input, and so is a missing value,
    /// because that chart could set it. Every chart of the chain controls the result: a null in any
    /// of them removes a value, and charts further down can set it in tables that they share with
    /// charts above.
    fn global(&mut self, own: &SharedTable, chain: &[LabelledTable]) -> Map {
        let shared = chain.first().and_then(|(_, input)| self.known(own, *input));
        if let Some(map) = shared {
            self.decide(&map, chain);
            return map;
        }
        let mut entries = std::collections::BTreeMap::new();
        for (key, item) in own.snapshot() {
            let has = |(table, _): &&LabelledTable| table.get(&key).is_some();
            let Some((_, above)) = chain.iter().find(has).or(chain.last()) else { continue };
            let input = self.inputs.child(*above, &key);
            let value = match &item {
                Item::Table(table, at) => {
                    self.record(input, at.as_ref());
                    let below = chain.iter().filter_map(|(table, above)| {
                        Some((table.table(&key)?, self.inputs.child(*above, &key)))
                    });
                    let below: Vec<LabelledTable> = below.collect();
                    Value::from(self.global(table, &below))
                }
                Item::Leaf(_) => self.item(&item, input),
            };
            entries.insert(key, value);
        }
        let Some((_, input)) = chain.first() else { return Map::new() };
        let map = self.finish(own, entries, *input);
        if chain.len() > 1 {
            self.decide(&map, chain);
        }
        map
    }

    /// Marks every table of the chain as controlling the leaves of a map.
    fn decide(&mut self, map: &Map, chain: &[LabelledTable]) {
        if !self.is_on {
            return;
        }
        let keys = chain.iter().map(|(_, input)| InputSet::of(self.inputs.keys(*input)));
        let keys: Vec<_> = keys.collect();
        let control =
            keys.into_iter().fold(InputSet::EMPTY, |all, one| self.inputs.union(all, one));
        map.reshape_in(self.inputs, Taint { control, ..Taint::NONE });
        for (key, value) in map.entries() {
            let below = chain.iter().map(|(table, input)| {
                (table.table(&key).unwrap_or_default(), self.inputs.child(*input, &key))
            });
            let below: Vec<LabelledTable> = below.collect();
            match value.as_map() {
                Some(map) => self.decide(map, &below),
                None => {
                    let mut taint = value.taint();
                    for (_, input) in below {
                        let control = InputSet::of(input);
                        taint = self.inputs.join(taint, Taint { control, ..Taint::NONE });
                    }
                    map.insert(key, value.with_taint(taint));
                }
            }
        }
    }

    /// Adds the inputs that decide about nulls in the defaults of a sub-chart.
    ///
    /// Helm drops a null from a table that nothing was merged over and keeps it otherwise. Whether
    /// a null in the sub-chart's own defaults, or in its parent's defaults for it, takes effect
    /// therefore depends on whether the user sets any value of the sub-chart or any global.
    fn control_nulls(&mut self, map: &Map, input: Input, defaults: [Option<&Table>; 2]) {
        if !self.is_on || !defaults.iter().flatten().any(|table| has_null(table)) {
            return;
        }
        let values = self.inputs.root("Values");
        let global = self.inputs.child(values, GLOBAL);
        let control = self.inputs.union(InputSet::of(input), InputSet::of(global));
        let control = self.inputs.union(control, InputSet::APPROXIMATE);
        for table in defaults.into_iter().flatten() {
            self.control_nulls_in(map, table, control);
        }
    }

    fn control_nulls_in(&mut self, map: &Map, defaults: &Table, control: InputSet) {
        for (key, setting) in defaults {
            match (&setting.value, map.get(key)) {
                (Tree::Null, _) => map.decide_in(self.inputs, key, control),
                (Tree::Table(defaults), Some(value)) => {
                    if let (true, Some(map)) = (has_null(defaults), value.as_map()) {
                        self.control_nulls_in(map, defaults, control);
                    }
                }
                _ => {}
            }
        }
    }

    fn table(&mut self, table: &SharedTable, input: Input) -> Map {
        if let Some(map) = self.known(table, input) {
            return map;
        }
        let mut entries = std::collections::BTreeMap::new();
        for (key, item) in table.entries().iter() {
            let input = self.child(input, key);
            entries.insert(key.clone(), self.item(item, input));
        }
        self.finish(table, entries, input)
    }

    fn finish(
        &mut self,
        table: &SharedTable,
        entries: std::collections::BTreeMap<Arc<str>, Value>,
        input: Input,
    ) -> Map {
        let map = self.map(entries, input);
        self.maps.insert(table.address(), map.clone());
        map
    }

    fn map(&mut self, entries: std::collections::BTreeMap<Arc<str>, Value>, input: Input) -> Map {
        if !self.is_on {
            return Map::of(&Type::MAP, entries);
        }
        let keys = self.inputs.keys(input);
        self.values.add(self.chart, keys, entries.keys().collect::<Vec<_>>());
        Map::loaded(self.inputs, &Type::MAP, entries, input)
    }

    /// The map of a table that was reached before. Whether tables are shared counts as a value too.
    fn known(&mut self, table: &SharedTable, input: Input) -> Option<Map> {
        let map = self.maps.get(&table.address())?.clone();
        if self.is_on {
            self.values.add(self.chart, input, "shared");
        }
        Some(map)
    }

    fn item(&mut self, item: &Item, input: Input) -> Value {
        match item {
            Item::Leaf(setting) => self.setting(setting, input),
            Item::Table(table, at) => {
                self.record(input, at.as_ref());
                Value::from(self.table(table, input))
            }
        }
    }

    fn setting(&mut self, setting: &Setting, input: Input) -> Value {
        self.record(input, setting.at.as_ref());
        if self.is_on {
            let scalar = setting.value.scalar();
            scalar.into_iter().for_each(|value| self.values.add(self.chart, input, value));
        }
        let value = match &setting.value {
            Tree::Null => Value::NIL,
            Tree::Bool(flag) => Value::from(*flag),
            Tree::Int(number) => Value::int64(*number),
            Tree::Float(number) => Value::from(*number),
            Tree::Str(text) => Value::from(Text::new(Arc::<[u8]>::from(text.clone()))),
            Tree::List(items) => return self.list(items, input),
            Tree::Table(table) => {
                let entries = table.iter().map(|(key, setting)| {
                    let input = self.child(input, key);
                    (key.clone(), self.setting(setting, input))
                });
                let entries = entries.collect();
                return Value::from(self.map(entries, input));
            }
        };
        if self.is_on { value.with_taint(Taint::of(input)) } else { value }
    }

    fn list(&mut self, items: &[Setting], input: Input) -> Value {
        let values = items.iter().enumerate().map(|(index, item)| {
            let input = if self.is_on { self.inputs.item(input, index) } else { input };
            self.setting(item, input)
        });
        let list = List::new(values.collect());
        if !self.is_on {
            return Value::from(Data::List(list));
        }
        let keys = self.inputs.keys(input);
        self.values.add(self.chart, keys, items.len());
        Value::from(list.shaped_by(Taint::of(keys)))
    }

    fn child(&mut self, input: Input, key: &str) -> Input {
        if self.is_on { self.inputs.child(input, key) } else { input }
    }

    fn record(&mut self, input: Input, at: Option<&Location>) {
        if let (true, Some(at)) = (self.is_on, at) {
            self.locations.push((input, at.clone()));
        }
    }
}
