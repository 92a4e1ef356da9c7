//! What each deployer in force does with each workload at each event, for rules of the user.

use std::collections::BTreeMap;

use job_lifecycle::{
    Event, Object,
    forecast::{DeployedWorkload, forecast_unit},
};
use kubernetes_cel::Value;

use crate::context::Context;

/// The outcomes by the index of the object, then by deployer.
#[derive(Default)]
pub(super) struct Outcomes(BTreeMap<usize, BTreeMap<&'static str, Value>>);

impl Outcomes {
    pub(super) fn of(context: &Context<'_>) -> Self {
        let mut all = Self::default();
        let indexes: Vec<_> = (0..context.objects.len()).collect();
        // Files that nothing deploys together are forecast one object at a time.
        let size = if context.together { indexes.len().max(1) } else { 1 };
        for group in indexes.chunks(size) {
            all.add_group(group, context);
        }
        all
    }

    fn add_group(&mut self, group: &[usize], context: &Context<'_>) {
        let objects: Vec<&Object> = group.iter().map(|index| &context.objects[*index]).collect();
        for deployer in context.deployers {
            let works = group.iter().filter_map(|index| {
                let object = &context.objects[*index];
                let role = context.role(object, deployer);
                let work = DeployedWorkload::new(object, role, context.from_chart())?;
                let work = work.deleted_by(context.deleters(object));
                Some((*index, (work, context.changes.or_edited(object))))
            });
            let (indexes, works): (Vec<_>, Vec<_>) = works.unzip();
            let rows = forecast_unit(&works, &objects, deployer, &Event::ALL);
            for (index, row) in indexes.into_iter().zip(rows) {
                let events = row.events.iter().map(|(event, forecast)| {
                    (event.name().replace('-', "_"), Value::from(forecast.outcome.name()))
                });
                let events: Vec<_> = events.collect();
                let events =
                    Value::map(events.iter().map(|(name, value)| (&**name, value.clone())));
                self.0.entry(index).or_default().insert(deployer.tool.name(), events);
            }
        }
    }

    /// `forecast` for one object.
    pub(super) fn of_object(&self, index: usize) -> Value {
        let tools = self.0.get(&index).into_iter().flatten();
        Value::map(tools.map(|(tool, events)| (*tool, events.clone())))
    }
}
