//! Services of its own release that a container asks, and that the chart does not make.

use job_lifecycle::{Object, Role, Tool, Workload};
use shell_effects::{Catalogue, Container, Invocation, Text, analyse};
use yaml_spans::{Node, Span};

use super::{Check, Rule};
use crate::{context::Context, finding::Finding, mentions::Names, words::titled};

pub(crate) static RULE: Rule = Rule::new(
    "service-not-found",
    include_str!("../../rules/service-not-found.yaml"),
    Check::Object(check),
);

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let is_known = context.from_chart() && !context.incomplete && !context.tried;
    // Nobody edits a packed dependency.
    let archive = object.source.path.split_once("!/").map(|(archive, _)| archive);
    let is_packed = archive.is_some_and(|archive| archive.contains("charts/"));
    if !is_known || context.enabled || is_packed || !runs(object, context) {
        return;
    }
    let finding = containers(object).into_iter().find_map(|container| {
        let words = ["command", "args"].iter().filter_map(|key| container.get(key));
        let elements: Vec<_> = words.flat_map(Node::items).collect();
        let texts: Vec<_> = elements.iter().filter_map(|one| one.as_str()).collect();
        if texts.len() < elements.len() {
            return None;
        }
        let analysis = analyse(Catalogue::built_in(), &texts, &Container::default());
        let mut asked = analysis.invocations.iter().flat_map(|one| targets(one, &elements, object));
        asked.find_map(|target| finding(&target, object, context))
    });
    found.extend(finding);
}

/// Whether a deployer runs the pod of an object: a workload, or a hook. Where Argo CD is one, nobody runs `helm test`.
fn runs(object: &Object, context: &Context<'_>) -> bool {
    let is_of_argocd = context.tools().contains(&Tool::Argocd);
    let is_test = |deployer| context.hook(object, deployer).is_some_and(|hook| hook.is_test());
    if is_of_argocd && context.deployers.iter().any(is_test) {
        return false;
    }
    let is_run = |role| match role {
        Role::Hook(_) => true,
        Role::Plain => Workload::new(object).is_some(),
        Role::Dropped => false,
    };
    context.deployers.iter().any(|deployer| is_run(context.role(object, deployer)))
}

fn containers(object: &Object) -> Vec<&Node> {
    if let Some(workload) = Workload::new(object) {
        return workload.all_containers().collect();
    }
    let is_pod = (object.api_version(), object.kind()) == ("v1", "Pod");
    let containers = object.root.at(&["spec", "containers"]).filter(|_| is_pod);
    containers.map(|all| all.items().iter().collect()).unwrap_or_default()
}

/// What a client asks: a host that carries the name of the release, and a port.
struct Target<'a> {
    /// The first label of the host.
    service: &'a str,
    /// `Err` for a colon without a port.
    port: Result<u16, NoPort>,
    span: Span,
}

/// Nothing follows the colon behind a host.
struct NoPort;

/// Programs that ask an address by HTTP.
const CLIENTS: [&str; 2] = ["curl", "wget"];

/// Options of the clients that lead elsewhere than the address says.
const DETOURS: [&str; 5] = ["--connect-to", "--proxy", "--resolve", "--unix-socket", "-x"];

fn targets<'a>(
    one: &'a Invocation,
    elements: &[&Node],
    object: &Object,
) -> impl Iterator<Item = Target<'a>> {
    let is_client = !one.is_elsewhere()
        && CLIENTS.contains(&one.program_name())
        && !one.words.iter().any(|word| DETOURS.contains(&&*word.value));
    let words = one.words.get(1..).filter(|_| is_client).unwrap_or_default();
    let before = one.words.iter().map(|word| &*word.value);
    words.iter().zip(before).filter_map(|(word, before)| {
        let target = target(word, before, one.program_name())?;
        let node = elements.get(word.location.element)?;
        let span = host_span(node, word, target.service, object)?;
        let origin = object.source.origin.as_deref()?;
        let is_own = origin.inputs(span).iter().any(|input| input == "Release.Name");
        (is_own && !origin.is_placeholder(span)).then_some(Target { span, ..target })
    })
}

/// The address in a word behind another one.
fn target<'a>(word: &'a Text, before: &str, program: &str) -> Option<Target<'a>> {
    let (scheme, rest) = match word.value.split_once("://") {
        Some((scheme @ ("http" | "https"), rest)) => (Some(scheme), rest),
        Some(_) => return None,
        None => (None, &*word.value),
    };
    let takes_value = before.starts_with("--") && !is_flag(before)
        || before.starts_with('-') && !before.chars().skip(1).all(|c| "fIkLqsSvO".contains(c));
    if scheme.is_none() && takes_value {
        return None;
    }
    let address = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let address = address.rsplit_once('@').map_or(address, |(_, address)| address);
    let (host, port) = match address.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (address, None),
    };
    let standard = if scheme == Some("https") { 443 } else { 80 };
    let port = match port {
        None => Ok(standard),
        Some("") if program == "curl" => Ok(standard),
        Some("") => Err(NoPort),
        Some(port) => Ok(port.parse().ok()?),
    };
    let labels: Vec<_> = host.split('.').collect();
    let is_host = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_of_cluster = labels.len() == 1 || labels.get(2) == Some(&"svc");
    let service = labels[0];
    let is_name = service.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_name = is_name && service.chars().all(is_host);
    (is_of_cluster && is_name).then_some(Target { service, port, span: Span::default() })
}

/// Long options that take no value.
fn is_flag(option: &str) -> bool {
    const FLAGS: [&str; 7] =
        ["--fail", "--insecure", "--location", "--quiet", "--silent", "--show-error", "--spider"];
    option.contains('=') || FLAGS.contains(&option) || option == "--no-check-certificate"
}

/// Where the name of the host is written.
fn host_span(node: &Node, word: &Text, service: &str, object: &Object) -> Option<Span> {
    let text = node.as_str()?;
    let range = word.location.span.range();
    let start = range.start + text.get(range)?.find(service)?;
    node.offsets(&object.source.text)?.span(start..start + service.len())
}

fn finding(target: &Target<'_>, object: &Object, context: &Context<'_>) -> Option<Finding> {
    let name = target.service;
    let (own, others): (Vec<_>, Vec<_>) = context
        .objects
        .iter()
        .filter(|one| one.kind() == "Service")
        .partition(|one| one.name() == Some(name));
    let answers = |port: u16| {
        own.iter().any(|one| is_open(one) || ports(one).any(|own| own == i64::from(port)))
    };
    let is_of_other = |names: Names<'_>| {
        name.match_indices('-').any(|(at, _)| names.are_of_other_chart(&name[at..]))
    };
    let is_turned_off =
        |names: Names<'_>| names.have_unrendered("Service", context.objects, &object.source.path);
    let (lack, label, help) = match &target.port {
        _ if may_be_made(name, context) => return None,
        _ if own.is_empty() && context.names.is_some_and(is_turned_off) => return None,
        _ if own.is_empty() && context.names.is_some_and(is_of_other) => return None,
        _ if own.is_empty() && others.is_empty() => {
            (format!("the chart makes no Service `{name}`"), NO_SERVICE, NOTHING_TO_ASK)
        }
        _ if own.is_empty() => {
            (format!("the chart makes no Service `{name}`"), NO_SERVICE, OTHER_SERVICE)
        }
        Ok(port) if answers(*port) => return None,
        Ok(port) => (format!("Service `{name}` has no port {port}"), NO_SUCH_PORT, OTHER_PORT),
        // Whoever can install the chart has set the value.
        Err(NoPort) if own.iter().any(|one| lacks_port(one)) => return None,
        Err(NoPort) => (format!("no port follows `{name}:`"), NO_PORT, OTHER_PORT),
    };
    let is_test = |deployer| context.hook(object, deployer).is_some_and(|hook| hook.is_test());
    let is_test = context.deployers.iter().any(is_test);
    let (message, help) = match is_test {
        true => {
            (format!("`helm test` gets no answer: {lack}"), format!("{help}, or remove the test"))
        }
        false => (format!("{} gets no answer: {lack}", titled(object)), help.to_owned()),
    };
    let finding = Finding::new(target.span, label).message(message).help(help);
    // Nobody runs what `helm create` has left in the chart of an application.
    let is_run = !is_test || context.names.is_none_or(Names::serve_others);
    let finding = if is_run { finding } else { finding.pedantic() };
    let (field, services, text) = match own.is_empty() {
        true => (["metadata", "name"], &others, "a Service that it makes"),
        false => (["spec", "ports"], &own, "the ports that it has"),
    };
    Some(services.iter().take(MOST).fold(
        finding,
        |finding, service| match service.root.at(&field) {
            Some(at) => finding.label_in(&service.source, at.span, text),
            None => finding,
        },
    ))
}

/// The most Services to show.
const MOST: usize = 2;

const NO_SERVICE: &str = "the chart makes no Service of this name";
const NO_SUCH_PORT: &str = "the Service has no such port";
const NO_PORT: &str = "no port follows";
const NOTHING_TO_ASK: &str = "Ask something that the chart makes";
const OTHER_SERVICE: &str = "Ask a Service that the chart makes";
const OTHER_PORT: &str = "Ask a port that the Service has";

fn ports(service: &Object) -> impl Iterator<Item = i64> {
    let ports = service.root.at(&["spec", "ports"]).map(Node::items).unwrap_or_default();
    ports.iter().filter_map(|port| port.get("port")?.as_int())
}

/// Whether the values leave a port of a Service empty, so that the API server refuses it.
fn lacks_port(service: &Object) -> bool {
    let ports = service.root.at(&["spec", "ports"]).map(Node::items).unwrap_or_default();
    ports.iter().any(|port| port.get("port").is_none_or(Node::is_null))
}

/// Whether the pods behind a Service, or another host, decide which ports it has.
/// <https://kubernetes.io/docs/concepts/services-networking/service/#headless-services>
fn is_open(service: &Object) -> bool {
    let text = |field| service.root.at(&["spec", field]).and_then(Node::as_str);
    text("clusterIP") == Some("None")
        || text("type") == Some("ExternalName")
        || service.root.at(&["spec", "ports"]).is_none()
}

/// Whether a controller may make a Service of a name: the chart has a custom resource with the beginning of it.
fn may_be_made(service: &str, context: &Context<'_>) -> bool {
    let is_custom = |one: &&Object| {
        let group = one.api_version().split_once('/').map_or("", |(group, _)| group);
        group.contains('.') && !group.ends_with(".k8s.io")
    };
    let mut names = context.objects.iter().filter(is_custom).map(Object::name);
    names.any(|name| name.is_none_or(|name| service.starts_with(name)))
}
