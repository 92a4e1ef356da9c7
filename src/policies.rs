//! Reads the user's policies: those that the settings name and those of the tree.

mod named;
mod rule;
mod schema;

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use admission_policy::{Action, Binding, Flaw, FlawKind, Policy};
use job_lifecycle::Object;
use yaml_spans::{Location, Node};

use crate::{
    admission,
    discover::{self, Discovered, Request},
    finding::{Confidence, Severity},
    gitops::{self, FoundPolicy, Reach, Resolved},
    policy::Own,
    rules::{self, Category, Meta, Persona, Rule},
    settings::Settings,
    unit::{Failure, Problem},
    words::joined,
};

pub(crate) use schema::rule_schema;

/// The policies of a run.
#[derive(Default)]
pub(crate) struct Policies {
    pub(crate) own: Arc<Own>,
    /// The rules of their findings.
    pub(crate) rules: Vec<&'static Rule>,
    /// Why some are not evaluated.
    pub(crate) problems: Vec<Problem>,
    /// What is wrong with some that are evaluated.
    pub(crate) warnings: Vec<(Location, String)>,
    pub(crate) notes: Vec<String>,
}

impl Policies {
    /// The policies that the settings name and those of the tree.
    pub(crate) fn find(request: &Request, settings: &Settings) -> Self {
        let Discovered { units, walked, .. } = discover::discover(request);
        Self::of(&mut gitops::resolve(units, walked, request), request, settings)
    }

    /// The same for a request whose files were searched.
    pub(crate) fn of(resolved: &mut Resolved, request: &Request, settings: &Settings) -> Self {
        let found = std::mem::take(&mut resolved.policies);
        let referenced = |kinds: &[(String, String)]| resolved.objects_of(kinds, request);
        Self::load(request, &settings.policies, found, referenced)
    }

    /// The settings with these policies.
    pub(crate) fn settings(&self, settings: &Settings) -> Settings {
        Settings { own: self.own.clone(), own_rules: self.rules.clone(), ..settings.clone() }
    }

    /// Reads the named files, then the objects of the tree. `referenced` finds the objects of the tree with these kinds,
    /// given as API version and kind.
    fn load(
        request: &Request,
        paths: &[std::path::PathBuf],
        found: Vec<FoundPolicy>,
        referenced: impl FnOnce(&[(String, String)]) -> Vec<Object>,
    ) -> Self {
        let mut all = Reader::default();
        let named: Vec<_> = paths.iter().flat_map(|path| all.named(path, request)).collect();
        named.iter().for_each(|object| all.add(object, Found::Named));
        found.iter().for_each(|one| all.add(&one.object, Found::Below(&one.reach)));
        let mut texts = Texts::default();
        named.iter().for_each(|object| texts.add(object));
        found.iter().for_each(|one| {
            texts.add(&one.object);
            texts.add_folder(one.reach.folder());
        });
        let set = &mut all.own.admission;
        if !set.is_empty() {
            let mut kinds = vec![("v1".to_owned(), "Namespace".to_owned())];
            kinds.extend(set.policies.iter().filter_map(Policy::param_kind));
            set.objects = referenced(&kinds);
            set.add_objects(named, &kinds);
        }
        set.objects.iter().for_each(|object| texts.add(object));
        all.own.digest = texts.0.finish();
        all.note_idle();
        let Reader { own, rules, problems, warnings, notes, .. } = all;
        Self { own: Arc::new(own), rules, problems, warnings, notes }
    }
}

/// Where a policy was found.
#[derive(Clone, Copy)]
enum Found<'a> {
    /// Behind `--policy` or in `policies:` of the settings.
    Named,
    /// Below the checked paths.
    Below(&'a Reach),
}

/// Policies while they are read.
#[derive(Default)]
struct Reader {
    /// The objects, as they were read: the settings may name a folder of the tree.
    known: Vec<Object>,
    own: Own,
    rules: Vec<&'static Rule>,
    problems: Vec<Problem>,
    warnings: Vec<(Location, String)>,
    notes: Vec<String>,
    /// The names of MutatingAdmissionPolicies.
    mutating: Vec<String>,
    /// The names of policies whose charts nothing deploys.
    confined: Vec<String>,
}

impl Reader {
    fn add(&mut self, object: &Object, found: Found<'_>) {
        let is_known = |known: &Object| known.root == object.root;
        if !gitops::is_policy(object) || is_expectation(object) || self.known.iter().any(is_known) {
            return;
        }
        self.known.push(object.clone());
        match object.kind() {
            "ValidatingAdmissionPolicy" => self.add_policy(object, found),
            "Rule" => self.add_rule(object),
            "ValidatingAdmissionPolicyBinding" => self.add_binding(object),
            kind if kind.starts_with("Mutating") && !kind.ends_with("Binding") => {
                self.mutating.push(format!("`{}`", object.display_name()));
            }
            _ => {}
        }
    }

    fn add_policy(&mut self, object: &Object, found: Found<'_>) {
        match Policy::read(object) {
            Ok(mut policy) => {
                self.flawed(object, policy.mistakes());
                match found {
                    Found::Named => policy.unbound = vec![Action::Deny],
                    Found::Below(reach) => {
                        policy.within = reach.folder().map(str::to_owned);
                        let is_confined = matches!(reach, Reach::Chart(_));
                        self.confined.extend(is_confined.then(|| policy.name.clone()));
                    }
                }
                self.rules.push(page(&policy));
                self.own.admission.policies.push(policy);
            }
            Err(flaws) => self.flawed(object, flaws),
        }
    }

    fn add_rule(&mut self, object: &Object) {
        match rule::read(object) {
            Ok((rule, page)) => {
                self.rules.push(page);
                self.own.rules.push(rule);
            }
            Err(flaws) => self.flawed(object, flaws),
        }
    }

    fn add_binding(&mut self, object: &Object) {
        match Binding::read(object) {
            Ok(binding) => self.own.admission.bindings.push(binding),
            Err(flaws) => self.flawed(object, flaws),
        }
    }

    fn flawed(&mut self, object: &Object, flaws: Vec<Flaw>) {
        let what = match object.kind() {
            "Rule" => "rule",
            kind if kind.ends_with("Binding") => "binding",
            _ => "policy",
        };
        let noun = match object.name().or(object.root.get("id").and_then(Node::as_str)) {
            Some(name) => format!("{what} `{name}`"),
            None => format!("this {what}"),
        };
        for Flaw { span, reason, help, kind } in flaws {
            let at = Location { source: object.source.clone(), span }.written();
            match kind {
                FlawKind::Refused => self.refuse(&noun, at, reason, help),
                FlawKind::Warned => self.warnings.push((at, reason)),
            }
        }
    }

    fn refuse(
        &mut self,
        noun: &str,
        Location { source, span }: Location,
        reason: String,
        help: Option<String>,
    ) {
        let headline = Some(format!("{noun} is not evaluated: {reason}"));
        let problem = Problem::new(Failure::Policy, Location { source, span }, reason);
        self.problems.push(Problem { misses_work: true, help, headline, ..problem });
    }

    /// Notes which policies are not evaluated, and which for some objects only.
    fn note_idle(&mut self) {
        let set = &self.own.admission;
        let quoted = |policy: &&Policy| format!("`{}`", policy.name);
        let (bound, idle): (Vec<_>, Vec<_>) =
            set.policies.iter().partition(|policy| set.is_enforced(policy));
        let idle: Vec<_> = idle.iter().map(quoted).collect();
        let confined = bound.iter().filter(|policy| self.confined.contains(&policy.name));
        let confined: Vec<_> = confined.map(quoted).collect();
        let notes = [
            about(&self.mutating, "MutatingAdmissionPolicy", [": not evaluated"; 2]),
            about(
                &idle,
                "policy",
                [
                    " has no binding in this repository: not evaluated",
                    " have no binding in this repository: not evaluated",
                ],
            ),
            about(
                &confined,
                "policy",
                [
                    " judges only what its chart installs: nothing here deploys the chart",
                    " judge only what their charts install: nothing here deploys these",
                ],
            ),
        ];
        self.notes.extend(notes.into_iter().flatten());
    }
}

/// A note about policies: their noun and names, then what is said about one or about several. `None` without any.
fn about(names: &[String], noun: &str, [one, several]: [&str; 2]) -> Option<String> {
    match names {
        [] => None,
        [name] => Some(format!("{noun} {name}{one}")),
        _ => Some(format!("{}ies {}{several}", noun.trim_end_matches('y'), joined(names))),
    }
}

/// Whether an object states what a test expects of another: of a policy, that it is there.
fn is_expectation(object: &Object) -> bool {
    let says = object.root.get("spec").is_some_and(|spec| !spec.entries().is_empty());
    object.kind().starts_with("Validating") && !says
}

/// A hash of the texts of objects.
#[derive(Default)]
struct Texts(DefaultHasher);

impl Texts {
    fn add(&mut self, Object { source, document, .. }: &Object) {
        (&source.path, source.slice(*document)).hash(&mut self.0);
    }

    /// Adds the folder that a policy is for: another file may decide it.
    fn add_folder(&mut self, folder: Option<&str>) {
        folder.hash(&mut self.0);
    }
}

/// The rule for the findings of a policy.
fn page(policy: &Policy) -> &'static Rule {
    let demands = policy.validations.iter().map(|one| {
        let expression = one.expression.text().replace('\n', "\n  ");
        match one.message.as_deref().map(str::trim) {
            Some(message) => format!("- {message}: `{expression}`\n"),
            None => format!("- `{expression}`\n"),
        }
    });
    let demands: String = demands.collect();
    let name = &policy.name;
    let path = &policy.object.source.path;
    rules::own(
        Meta {
            id: admission::id(name),
            summary: format!("ValidatingAdmissionPolicy `{name}` refuses it"),
            category: Category::Policy,
            severity: Severity::Error,
            confidence: Confidence::High,
            fix: None,
            since: env!("CARGO_PKG_VERSION").to_owned(),
            persona: Persona::Regular,
            deployer: false,
            applies_to: Vec::new(),
            why: format!("The policy, in `{path}`, demands:\n\n{demands}"),
            remedy: format!("Change what the policy `{name}` refuses.\n"),
            fix_safety: None,
            symptom: vec![format!("ValidatingAdmissionPolicy '{name}'")],
            references: vec![
                "https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/"
                    .to_owned(),
            ],
            options: Default::default(),
        },
        Vec::new(),
    )
}
