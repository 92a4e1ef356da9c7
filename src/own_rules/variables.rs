//! The variables of the rules of the user, and where a person wrote what they hold.

use job_lifecycle::{Hook, Object, Workload, workload::pod_path};
use kubernetes_cel::{Read, Step, Value, Variables};
use yaml_spans::{Node, Span};

use crate::{
    admission::{self, Place},
    context::Context,
    workload::Subject,
};

/// The values for one object; only those that a rule asks for.
pub(super) fn of<'p>(
    object: &Object,
    context: &Context<'_>,
    forecast: Value,
    asks: &dyn Fn(&str) -> bool,
) -> Option<Variables<'p>> {
    let mut variables = Variables::new();
    let value = admission_policy::value(object, admission::namespace(context))?;
    variables.set("forecast", forecast);
    if asks("job") {
        variables.set("job", job(object, &value, context));
    }
    variables.set("object", value);
    Some(variables)
}

fn job(object: &Object, value: &Value, context: &Context<'_>) -> Value {
    let hooks = context.deployers.iter().filter_map(|deployer| context.hook(object, deployer));
    let hooks: Vec<_> = hooks.collect();
    let texts = |of: fn(&Hook) -> &Vec<String>| {
        let mut all: Vec<&String> = hooks.iter().flat_map(of).collect();
        all.sort_unstable();
        all.dedup();
        Value::list(all.into_iter().map(|text| Value::from(text.as_str())))
    };
    let subject = Subject::new(object, context);
    let idempotent = subject.as_ref().and_then(|job| job.is_idempotent());
    let renamed = subject.as_ref().is_some_and(|job| job.has_varying_name());
    let name = object.name().or(object.generate_name()).unwrap_or_default();
    let images = containers(object).filter_map(|one| one.get("image")?.as_str()).map(Value::from);
    let part = |path: &[&str]| path.iter().try_fold(value, |value, key| value.field(key));
    let parts = [("spec", spec_path(object)), ("pod", pod_path(object).unwrap_or_default())];
    let parts = parts.into_iter().filter_map(|(name, path)| {
        let part = part(path).filter(|_| !path.is_empty())?;
        Some((name, part.clone()))
    });
    let fields = [
        ("kind", object.kind().into()),
        ("name", name.into()),
        ("hook", (!hooks.is_empty()).into()),
        ("events", texts(|hook| &hook.events)),
        ("policies", texts(|hook| &hook.policies)),
        ("renamed", renamed.into()),
        ("idempotent", idempotent.map_or(Value::Null, Value::from)),
        ("commands", Value::list(subject.iter().flat_map(|job| commands(job)))),
        ("images", Value::list(images)),
    ];
    Value::map(fields.into_iter().chain(parts))
}

/// The path of the JobSpec; empty for a Pod.
fn spec_path(object: &Object) -> &'static [&'static str] {
    Workload::new(object).map(|job| job.job_path).unwrap_or_default()
}

/// What was read of the object through `job.spec` and `job.pod`.
fn of_object(object: &Object, read: &Read) -> Read {
    let path = match read.steps.first() {
        Some(Step::Field(name)) if read.root == "job" && name == "spec" => spec_path(object),
        Some(Step::Field(name)) if read.root == "job" && name == "pod" => {
            pod_path(object).unwrap_or_default()
        }
        _ => return read.clone(),
    };
    let fields = path.iter().map(|key| Step::Field((*key).to_owned()));
    Read {
        root: "object".to_owned(),
        steps: fields.chain(read.steps[1..].iter().cloned()).collect(),
        present: read.present + path.len() - usize::from(read.present > 0),
    }
}

fn commands(job: &Subject<'_>) -> Vec<Value> {
    let command = |command: &crate::command::Command<'_>| {
        let name = command.container.get("name").and_then(Node::as_str).unwrap_or_default();
        let words = ["command", "args"].into_iter().filter_map(|key| command.container.get(key));
        let words = words.flat_map(Node::items).filter_map(Node::as_str);
        Value::map([
            ("container", name.into()),
            ("text", words.collect::<Vec<_>>().join(" ").into()),
            ("harmful", command.analysis.is_harmful().into()),
        ])
    };
    job.commands().iter().map(command).collect()
}

/// All containers of the pod, init containers first.
fn containers(object: &Object) -> impl Iterator<Item = &Node> {
    let pod = pod_path(object).and_then(|path| object.root.at(path));
    let lists = ["initContainers", "containers"].into_iter();
    lists.filter_map(move |list| pod?.get(list)).flat_map(Node::items)
}

/// The part of the object behind what an expression read, whichever variable it used.
pub(super) fn place(object: &Object, reads: &[Read], forecast: &Value) -> Place {
    let reads: Vec<_> = reads.iter().map(|read| of_object(object, read)).collect();
    if reads.iter().any(|read| read.root == "object") {
        return Place::of(object, &reads);
    }
    let of_job = reads.iter().filter(|read| read.root == "job");
    if let Some(place) = of_job.filter_map(|read| of_job_field(object, read)).next_back() {
        return place;
    }
    let name = object.root.at(&["metadata", "name"]).map(|name| name.span);
    let span = name.or_else(|| object.deepest_key(&["metadata", "generateName"]));
    let read = reads.iter().rfind(|read| read.root == "forecast" && read.steps.len() > 1);
    let label = match read.map(|read| &read.steps[..2]) {
        Some([Step::Field(tool), Step::Field(event)]) => {
            let outcome = forecast.field(tool).and_then(|events| events.field(event)?.as_str());
            let outcome = outcome.unwrap_or("nothing happens");
            format!("`{}` under {tool}: {outcome}", event.replace('_', "-"))
        }
        _ => "does not meet the rule".to_owned(),
    };
    Place { span: span.unwrap_or(object.root.span), label }
}

fn of_job_field(object: &Object, read: &Read) -> Option<Place> {
    let (Step::Field(field), rest) = read.steps.split_first()? else { return None };
    let index = match rest.first() {
        Some(Step::Index(index)) => Some(*index),
        _ => None,
    };
    let hook = || {
        use job_lifecycle::annotations::{ARGO_HOOK, HELM_HOOK};
        let entry = [HELM_HOOK, ARGO_HOOK].iter().find_map(|key| object.annotation(key))?;
        Some(entry.value.span)
    };
    let span: Option<Span> = match field.as_str() {
        "images" => {
            let mut images = containers(object).filter_map(|one| one.get("image"));
            images.nth(index.unwrap_or_default()).map(|image| image.span)
        }
        "commands" => {
            let key = |one: &Node| {
                let entry = ["command", "args"].iter().find_map(|key| one.entry(key))?;
                Some(entry.key_span)
            };
            containers(object).filter_map(key).nth(index.unwrap_or_default())
        }
        "hook" | "events" | "policies" => {
            hook().or_else(|| object.deepest_key(&["metadata", "annotations"]))
        }
        "kind" => object.root.get("kind").map(|kind| kind.span),
        _ => object.root.at(&["metadata", "name"]).map(|name| name.span),
    };
    let span = span?;
    let written = object.source.slice(span);
    let label = match field.as_str() {
        "images" if !written.contains('\n') => format!("`{written}` does not meet the rule"),
        _ => format!("`{field}` does not meet the rule"),
    };
    Some(Place { span, label })
}
