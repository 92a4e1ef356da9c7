//! `.Values`: the coalesced tables as maps that templates share and change, every value labelled.

use std::rc::Rc;
use std::sync::Arc;

use foldhash::HashMap;

use super::super::HelmVersion;
use super::super::dependencies::View;
use super::super::values::{GLOBAL, Item, Live, Setting, Table, Tree};
use super::super::yaml::to_yaml;
use super::by_version;
use go_template::provenance::{Input, InputSet, Inputs, Taint};
use go_template::{
    Data, FuncError, Functions, List, Map, Method, Params, Text, TextBuilder, Type, Value,
};
use yaml_spans::Location;

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

/// The named map type of `.Values`.
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

/// Turns tables into maps, once each, and remembers the place behind every input.
pub(crate) struct Labels<'i> {
    pub(crate) inputs: &'i mut Inputs,
    pub(crate) places: Vec<(Input, Location)>,
    is_on: bool,
    maps: HashMap<usize, Map>,
}

fn as_table(tree: &Tree) -> Option<&Table> {
    if let Tree::Table(table) = tree { Some(table) } else { None }
}

fn has_null(table: &Table) -> bool {
    table.values().any(|setting| match &setting.value {
        Tree::Null => true,
        Tree::Table(table) => has_null(table),
        _ => false,
    })
}

/// A table and the input it hangs from.
type Rooted = (Live, Input);

impl<'i> Labels<'i> {
    pub(crate) fn new(inputs: &'i mut Inputs, is_on: bool) -> Self {
        Self { inputs, places: Vec::new(), is_on, maps: HashMap::default() }
    }

    /// The values of the root chart, those of its dependencies inside.
    pub(crate) fn root(&mut self, chart: &Rc<View>, values: &Live) -> Map {
        let input = self.inputs.root("Values");
        self.chart(chart, values, input, &[])
    }

    /// The values of a chart; `globals` are those of the charts above.
    fn chart(&mut self, chart: &View, values: &Live, input: Input, globals: &[Rooted]) -> Map {
        if let Some(map) = self.maps.get(&values.address()) {
            return map.clone();
        }
        let mut entries = std::collections::BTreeMap::new();
        let mut globals = globals.to_vec();
        let below = self.inputs.child(input, GLOBAL);
        match values.get(GLOBAL) {
            Some(Item::Table(own, at)) => {
                self.place(below, at.as_ref());
                globals.push((own.clone(), below));
                entries.insert(GLOBAL.into(), Value::from(self.global(&own, &globals)));
            }
            // What the user sets there reaches the charts below.
            None => globals.push((Live::new(), below)),
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
                    self.place(input, at.as_ref());
                    let map = self.chart(sub, table, input, &globals);
                    if self.is_on {
                        let own = chart.chart.values.get(&key).map(|setting| &setting.value);
                        self.entangle(
                            &map,
                            input,
                            [Some(&sub.chart.values), own.and_then(as_table)],
                        );
                    }
                    Value::from(map)
                }
                _ => self.item(&item, input),
            };
            // Only a dependency that takes part adds its defaults.
            let control = match self.is_on {
                true => chart.conditions_of(&key, self.inputs),
                false => InputSet::EMPTY,
            };
            let taint = self.inputs.join(value.taint(), Taint { control, ..Taint::NONE });
            entries.insert(key, value.with_taint(taint));
        }
        self.finish(values, entries, input)
    }

    /// A table below `global`. What a chart above supplies counts as that chart's input, and so does
    /// what is missing: it would be set there. A null in any of the charts would take it away, and charts
    /// further below can set it where tables are shared with those above: their inputs decide.
    fn global(&mut self, own: &Live, chain: &[Rooted]) -> Map {
        if let Some(map) = self.maps.get(&own.address()).cloned() {
            self.decide(&map, chain);
            return map;
        }
        let mut entries = std::collections::BTreeMap::new();
        for (key, item) in own.snapshot() {
            let has = |(table, _): &&Rooted| table.get(&key).is_some();
            let Some((_, above)) = chain.iter().find(has).or(chain.last()) else { continue };
            let input = self.inputs.child(*above, &key);
            let value = match &item {
                Item::Table(table, at) => {
                    self.place(input, at.as_ref());
                    let below = chain.iter().filter_map(|(table, above)| {
                        Some((table.table(&key)?, self.inputs.child(*above, &key)))
                    });
                    let below: Vec<Rooted> = below.collect();
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

    /// All tables of the chain decide about the leaves of a map.
    fn decide(&mut self, map: &Map, chain: &[Rooted]) {
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
            let below: Vec<Rooted> = below.collect();
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

    /// Whether a null among the defaults of a sub-chart, its own or those that its parent has for it, takes
    /// effect depends on whether the user sets anything for the sub-chart or any global: Helm drops nulls
    /// from tables that nobody laid anything over, and keeps them otherwise.
    fn entangle(&mut self, map: &Map, input: Input, defaults: [Option<&Table>; 2]) {
        if !defaults.iter().flatten().any(|table| has_null(table)) {
            return;
        }
        let values = self.inputs.root("Values");
        let global = self.inputs.child(values, GLOBAL);
        let control = self.inputs.union(InputSet::of(input), InputSet::of(global));
        let control = self.inputs.union(control, InputSet::APPROXIMATE);
        for table in defaults.into_iter().flatten() {
            self.entangle_nulls(map, table, control);
        }
    }

    fn entangle_nulls(&mut self, map: &Map, defaults: &Table, control: InputSet) {
        for (key, setting) in defaults {
            match (&setting.value, map.get(key)) {
                (Tree::Null, _) => map.decide_in(self.inputs, key, control),
                (Tree::Table(defaults), Some(value)) => {
                    if let (true, Some(map)) = (has_null(defaults), value.as_map()) {
                        self.entangle_nulls(map, defaults, control);
                    }
                }
                _ => {}
            }
        }
    }

    fn table(&mut self, table: &Live, input: Input) -> Map {
        if let Some(map) = self.maps.get(&table.address()) {
            return map.clone();
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
        table: &Live,
        entries: std::collections::BTreeMap<Arc<str>, Value>,
        input: Input,
    ) -> Map {
        let map = match self.is_on {
            true => Map::loaded(self.inputs, &Type::MAP, entries, input),
            false => Map::of(&Type::MAP, entries),
        };
        self.maps.insert(table.address(), map.clone());
        map
    }

    fn item(&mut self, item: &Item, input: Input) -> Value {
        match item {
            Item::Leaf(setting) => self.setting(setting, input),
            Item::Table(table, at) => {
                self.place(input, at.as_ref());
                Value::from(self.table(table, input))
            }
        }
    }

    fn setting(&mut self, setting: &Setting, input: Input) -> Value {
        self.place(input, setting.at.as_ref());
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
                return Value::from(match self.is_on {
                    true => Map::loaded(self.inputs, &Type::MAP, entries, input),
                    false => Map::of(&Type::MAP, entries),
                });
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
        Value::from(list.shaped_by(Taint::of(self.inputs.keys(input))))
    }

    fn child(&mut self, input: Input, key: &str) -> Input {
        if self.is_on { self.inputs.child(input, key) } else { input }
    }

    fn place(&mut self, input: Input, at: Option<&Location>) {
        if let (true, Some(at)) = (self.is_on, at) {
            self.places.push((input, at.clone()));
        }
    }
}
