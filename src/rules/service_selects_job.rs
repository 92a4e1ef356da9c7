//! Services that send the requests for a server to the pods of a Job.

use job_lifecycle::{Event, Object, Outcome, Workload, workload::Kind};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{context::Context, finding::Finding, unit::UnitKind, words::titled, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "service-selects-job",
    include_str!("../../rules/service-selects-job.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let context = job.context;
    let metadata = job.template.get("metadata");
    let Some(labels) = metadata.and_then(|own| own.entry("labels")) else { return };
    if !(context.from_chart() || context.together) || may_serve(job) {
        return;
    }
    let is_near = |service: &&Object| service.namespace() == job.object.namespace();
    let services = context.objects.iter().filter(is_near).filter_map(Serving::of);
    let mut services = services.filter(|service| holds(&labels.value, service.selector));
    let found_server = services.find_map(|service| Some((service.server(context)?, service)));
    let Some((server, service)) = found_server else { return };
    let name = service.object.name().unwrap_or_default();
    let message = format!("Service `{name}` sends requests to the pods of {} too", job.title());
    let label = format!("the Service takes these pods for those of {}", titled(server.object));
    let finding = Finding::new(labels.key_span, label)
        .message(message)
        .help(service.help(&server, context))
        .label_in(&service.object.source, service.selector.span, "all that the Service asks for");
    // At the installation there is nobody yet to send a request.
    found.push(if runs_beside(job) { finding } else { finding.pedantic() });
}

/// Whether the pods run while the server does: those of a CronJob, and those that the next upgrade starts.
fn runs_beside(job: &Subject<'_>) -> bool {
    let starts = |deployer| match job.outcome(deployer, &job.release_changes(), Event::Upgrade) {
        Some(Outcome::Loop | Outcome::Runs | Outcome::Replaced | Outcome::RunsAgain) => true,
        None
        | Some(
            Outcome::Unknown
            | Outcome::Rejected
            | Outcome::Blocked
            | Outcome::FalseSuccess
            | Outcome::Deleted
            | Outcome::Orphaned
            | Outcome::LeftBehind
            | Outcome::Drift
            | Outcome::Skipped
            | Outcome::Unchanged,
        ) => false,
    };
    match job.kind {
        Kind::CronJob => job.running_schedule().is_some(),
        Kind::Job => !job.is_test() && job.context.deployers.iter().any(starts),
    }
}

/// Whether the pods may answer requests, or never get any: one that states its ports or a readiness probe.
fn may_serve(job: &Subject<'_>) -> bool {
    let mut containers = job.all_containers();
    containers.any(|one| one.set("ports").is_some() || one.set("readinessProbe").is_some())
}

/// In the name of a port that only Prometheus asks, which counts another pod at most.
const METRICS: &str = "metrics";

/// A Service that sends requests to numbered ports of the pods that it selects.
struct Serving<'a> {
    object: &'a Object,
    /// The labels that it asks for.
    selector: &'a Node,
    /// The ports of the pods.
    ports: Vec<i64>,
}

impl<'a> Serving<'a> {
    /// `None` for any other object. A Service without an address of its own only tells which pods there are, and one that names its
    /// target port finds it in no pod that declares none
    /// (<https://kubernetes.io/docs/concepts/services-networking/service/>).
    fn of(object: &'a Object) -> Option<Self> {
        let spec = object.root.get("spec").filter(|_| object.api_version() == "v1")?;
        let text = |field| spec.get(field).and_then(Node::as_str);
        let has_address = text("clusterIP") != Some("None") && text("type") != Some("ExternalName");
        let is_scraped = |port: &Node| {
            port.get("name").and_then(Node::as_str).is_some_and(|name| name.contains(METRICS))
        };
        let number = |port: &Node| {
            let target = port.set("targetPort").or(port.get("port"))?;
            target.as_int().filter(|_| !is_scraped(port))
        };
        let selector =
            spec.get("selector").filter(|_| object.kind() == "Service" && has_address)?;
        let ports: Vec<_> = spec.get("ports")?.items().iter().filter_map(number).collect();
        let is_any = ports.is_empty() || selector.entries().is_empty();
        (!is_any).then_some(Self { object, selector, ports })
    }

    /// A workload that it is there for.
    fn server<'o>(&self, context: &Context<'o>) -> Option<Workload<'o>> {
        let mut servers = context.objects.iter().filter_map(Workload::long_lived);
        servers.find(|server| {
            let labels = server.template.at(&["metadata", "labels"]);
            labels.is_some_and(|labels| holds(labels, self.selector))
        })
    }

    /// How the pods get out of its way. The labels that a kustomization gives to all objects cannot be others in one.
    fn help(&self, server: &Workload<'_>, context: &Context<'_>) -> String {
        let ports = server.containers().iter().filter_map(|one| one.get("ports"));
        let mut ports = ports.flat_map(Node::items);
        let number = |port: &Node| port.get("containerPort").and_then(Node::as_int);
        let own = ports.find(|port| number(port).is_some_and(|own| self.ports.contains(&own)));
        let named = own.and_then(|port| port.get("name")?.as_str());
        let other = "give the pods of the Job another value of one of the labels";
        match named {
            Some(name) => format!(
                "let `targetPort` of the Service be `{name}`, a port that these pods lack, or {other}"
            ),
            None if context.kind == UnitKind::Overlay => format!(
                "give the port of {} a name, and let `targetPort` of the Service be that name",
                titled(server.object)
            ),
            None => other.to_owned(),
        }
    }
}

/// Whether labels have all that a selector asks for.
fn holds(labels: &Node, selector: &Node) -> bool {
    let is_held = |key: &str, value: &Node| {
        value.as_str().is_some() && labels.get(key).and_then(Node::as_str) == value.as_str()
    };
    selector.entries().iter().all(|entry| is_held(&entry.key, &entry.value))
}
