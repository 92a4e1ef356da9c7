//! What a `kubectl` command needs to be allowed.

use super::{
    call::Call,
    kinds::{Kind, PODS, kind},
};

/// A permission that a command needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Need {
    /// Any of them is enough; the first is the one to grant.
    pub verbs: &'static [&'static str],
    pub kind: &'static Kind,
    /// `exec` in `pods/exec`; empty for the resource itself.
    pub subresource: &'static str,
    pub object: Which,
    pub place: Place,
    /// The command may do without.
    pub is_optional: bool,
}

/// The objects that a command asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// All, or those of a selector.
    All,
    /// One that the command names.
    One(String),
    /// One whose name the script does not state.
    Unknown,
}

/// Where a command looks for objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The namespace of the pod.
    Own,
    Namespace(String),
    /// A namespace that the script does not state.
    Unknown,
    /// All namespaces, or a kind that is in none.
    Cluster,
}

impl Need {
    /// The same need of a pod in a namespace.
    pub(super) fn seen_from(self, own: Option<&str>) -> Self {
        let place = match self.place {
            Place::Namespace(name) if own == Some(&name) => Place::Own,
            place => place,
        };
        Self { place, ..self }
    }

    /// The resource as a rule of a role names it: `pods`, `pods/exec`.
    pub(super) fn resource(&self) -> String {
        match self.subresource {
            "" => self.kind.plural.to_owned(),
            subresource => format!("{}/{subresource}", self.kind.plural),
        }
    }
}

/// A set of verbs of which one is enough.
type Verb = &'static [&'static str];

const GET: Verb = &["get"];
const LIST: Verb = &["list"];
const WATCH: Verb = &["watch"];
const CREATE: Verb = &["create"];
const PATCH: Verb = &["patch"];
const DELETE: Verb = &["delete"];
/// An unquoted variable may be a name, or nothing.
const READ: Verb = &["get", "list"];
/// Older clients write the whole scale.
const SCALE: Verb = &["patch", "update"];
/// Clients since 1.30 ask by WebSocket first, which is a GET.
const EXEC: Verb = &["create", "get"];

/// What a command does with the objects that it names, and with those that it selects.
///
/// Source: `pkg/cmd` of <https://github.com/kubernetes/kubectl>, and each row seen with kubectl and an API server of 1.36.3.
/// `delete` waits for the end of the objects, and forgives it if it may not (`delete.go`). `rollout status` and `wait` list
/// and watch one object by the field `metadata.name` (`rollout_status.go`, `wait/condition.go`): without `list` they try
/// again until their timeout; without `watch` they list again and again, and get there.
const COMMANDS: [(&[&str], &[Verb], &[Verb]); 6] = [
    (&["get"], &[GET], &[LIST]),
    (&["delete"], &[DELETE], &[LIST, DELETE]),
    (
        &[
            "patch",
            "annotate",
            "label",
            "set image",
            "set env",
            "set resources",
            "rollout restart",
            "rollout pause",
            "rollout resume",
        ],
        &[GET, PATCH],
        &[LIST, PATCH],
    ),
    (&["rollout status", "wait"], &[GET, LIST, WATCH], &[LIST, WATCH]),
    (&["scale"], &[GET], &[LIST]),
    (&["logs"], &[GET], &[LIST]),
];

/// What a call needs; nothing for what is not understood.
pub(super) fn needs(call: &Call<'_>) -> Vec<Need> {
    of_call(call).unwrap_or_default()
}

fn of_call(call: &Call<'_>) -> Option<Vec<Need>> {
    let place = place(call);
    match (&*call.verb, &call.operands[..]) {
        ("exec", [target, ..]) => in_pod(target, "exec", EXEC, &place),
        ("cp", operands) => {
            let (pod, _) = operands.iter().find_map(|one| one.split_once(':'))?;
            let (namespace, pod) = pod.split_once('/').map_or((None, pod), |(a, b)| (Some(a), b));
            in_pod(pod, "exec", EXEC, &namespace.map_or(place, stated))
        }
        ("logs", []) => {
            let all = need(LIST, &PODS, Which::All, &place);
            call.has(&["-l", "--selector"]).then(|| {
                let log = Need { subresource: "log", verbs: GET, ..all.clone() };
                vec![all, Need { object: Which::Unknown, ..log }]
            })
        }
        ("logs", [target, ..]) => in_pod(target, "log", GET, &place),
        ("create job", _) => {
            let from = call.value(&["--from"]);
            let made = need(CREATE, kind("job")?, Which::All, &place);
            let Some(from) = from else { return Some(vec![made]) };
            let name = from.strip_prefix("cronjob/").or(from.strip_prefix("cj/"))?;
            Some(vec![need(GET, kind("cronjob")?, named(name), &place), made])
        }
        (verb, _) if verb.starts_with("create ") => {
            Some(vec![need(CREATE, kind(&verb["create ".len()..])?, Which::All, &place)])
        }
        ("wait", _) if call.value(&["--for"]) == Some("create") => None,
        (verb, operands) => {
            let (_, one, all) = COMMANDS.iter().find(|(verbs, ..)| verbs.contains(&verb))?;
            of_targets(call, targets(verb, operands)?, one, all, &place)
        }
    }
}

/// What a command needs of the objects that it names or selects.
fn of_targets(
    call: &Call<'_>,
    targets: Vec<(&'static Kind, Which)>,
    one: &[Verb],
    all: &[Verb],
    place: &Place,
) -> Option<Vec<Need>> {
    let selects = ["-l", "--selector", "--field-selector", "--all", "-A", "--all-namespaces"];
    // `xargs` adds the names.
    let is_of_all = call.has(&selects) || matches!(&*call.verb, "get" | "rollout restart");
    let mut needs = Vec::new();
    for (kind, object) in targets {
        let object = match object {
            Which::All if !is_of_all => Which::Unknown,
            object => object,
        };
        let verbs = if object == Which::All { all } else { one };
        for verbs in verbs {
            let is_read = call.verb == "get" && object == Which::Unknown;
            let verbs = if is_read { READ } else { *verbs };
            let is_optional = verbs == WATCH || verbs == LIST && is_for_end(call, &object);
            needs.push(Need { is_optional, ..need(verbs, kind, object.clone(), place) });
        }
        if call.verb == "get" && call.has(&["-w", "--watch"]) {
            needs.push(need(WATCH, kind, object.clone(), place));
        }
        if call.verb == "scale" {
            let object = if object == Which::All { Which::Unknown } else { object };
            needs.push(Need { subresource: "scale", ..need(SCALE, kind, object, place) });
        }
    }
    Some(needs)
}

/// Whether a command waits for the end of an object, which may be gone.
fn is_for_end(call: &Call<'_>, object: &Which) -> bool {
    *object != Which::All && call.value(&["--for"]) == Some("delete")
}

/// What a command that works in a pod needs: `exec deploy/web`, `logs web-0`.
fn in_pod(target: &str, sub: &'static str, verbs: Verb, place: &Place) -> Option<Vec<Need>> {
    let (owner, name) = match target.split_once('/') {
        Some((owner, name)) => (kind(owner)?, name),
        None => (&PODS, target),
    };
    let mut needs = vec![need(GET, owner, named(name), place)];
    let is_pod = owner.plural == PODS.plural;
    if !is_pod {
        needs.push(need(LIST, &PODS, Which::All, place));
    }
    let object = if is_pod { named(name) } else { Which::Unknown };
    needs.push(Need { subresource: sub, ..need(verbs, &PODS, object, place) });
    Some(needs)
}

fn need(verbs: Verb, kind: &'static Kind, object: Which, place: &Place) -> Need {
    let place = if kind.is_of_cluster { Place::Cluster } else { place.clone() };
    Need { verbs, kind, subresource: "", object, place, is_optional: false }
}

/// The namespace that a command states.
fn place(call: &Call<'_>) -> Place {
    match call.value(&["-n", "--namespace"]) {
        _ if call.has(&["-A", "--all-namespaces"]) => Place::Cluster,
        Some(name) => stated(name),
        None => Place::Own,
    }
}

fn stated(namespace: &str) -> Place {
    match is_stated(namespace) {
        true => Place::Namespace(namespace.to_owned()),
        false => Place::Unknown,
    }
}

fn named(name: &str) -> Which {
    if is_stated(name) { Which::One(name.to_owned()) } else { Which::Unknown }
}

/// Whether the script states the whole of a name.
fn is_stated(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c))
}

/// The kinds and names of the objects: `TYPE[,TYPE] NAME …`, `TYPE/NAME …`. `None` if a kind is not known.
fn targets(verb: &str, operands: &[&str]) -> Option<Vec<(&'static Kind, Which)>> {
    // `label pod web tier=shop tier-`
    let is_setting = |word: &&&str| word.contains('=') || word.ends_with('-');
    let has_settings = matches!(verb, "annotate" | "label") || verb.starts_with("set ");
    let own = operands.iter().filter(|word| !(has_settings && is_setting(word)));
    let own: Vec<_> = own.copied().collect();
    let (first, names) = own.split_first()?;
    if first.contains('/') {
        let pairs = own.iter().map(|word| {
            let (resource, name) = word.split_once('/')?;
            Some((kind(resource)?, named(name)))
        });
        return pairs.collect();
    }
    let kinds: Option<Vec<_>> = first.split(',').map(kind).collect();
    let of_kind = |kind| match names.is_empty() {
        true => vec![(kind, Which::All)],
        false => names.iter().map(|name| (kind, named(name))).collect(),
    };
    Some(kinds?.into_iter().flat_map(of_kind).collect())
}
