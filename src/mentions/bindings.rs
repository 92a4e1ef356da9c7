//! What a repository says about the roles of a ServiceAccount.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use job_lifecycle::Object;
use yaml_spans::Source;

use super::{CHART, Names, Texts};
use crate::{
    discover::absolute,
    load::load_text,
    scripts::words_at,
    unit::{File, UnitKind},
};

/// The kinds that say what a ServiceAccount may do.
const KINDS: [&str; 5] =
    ["ServiceAccount", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];

/// What makes bindings that no manifest holds: Terraform, programs, patches.
const PROGRAMS: [&str; 9] = [
    "/subjects",
    "KubeRoleBinding",
    "RoleBinding(",
    "RoleBindingArgs",
    "RoleBindingV1(",
    "RoleBinding{",
    "kubernetes_cluster_role_binding",
    "kubernetes_role_binding",
    "rbacSubjects",
];

/// Groups of which every ServiceAccount, or each of a namespace, is a member
/// (<https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-subjects>).
pub(crate) const GROUPS: [&str; 3] =
    ["system:serviceaccounts", "system:authenticated", "system:unauthenticated"];

/// What a line says that binds a role, or describes how: `kubectl create rolebinding`, `oc adm policy add-role-to-user -z`.
const BINDING: [&str; 7] =
    ["-to-user", "-z ", "--serviceaccount", "account:", "account=", "bind", "cluster-admin"];

/// The most of a command in front of the name of an account.
const NEAR: usize = 200;

impl Names<'_> {
    /// The names of the roles that the manifests of the repository bind to an account, apart from those that a chart renders for
    /// itself; `None` if that cannot be told, or something else may bind a role to it.
    pub(crate) fn roles_of(self, account: &str) -> Option<Vec<String>> {
        let texts = self.mentions.complete(self.unit)?;
        let own = self.chart();
        let is_open = |text: &str| {
            PROGRAMS.iter().any(|one| text.contains(one))
                || GROUPS.iter().any(|one| places_in_bindings(text, one))
        };
        if is_open(&texts.all) || is_bound_by_command(&texts.all, account) {
            return None;
        }
        let mut roles = Vec::new();
        for (path, text) in texts.each() {
            if own.as_deref().is_some_and(|own| path.starts_with(own)) {
                continue;
            }
            for subjects in subjects(text) {
                let names = values(subjects.block);
                if names.iter().any(|name| name.rsplit(':').next() == Some(account)) {
                    roles.extend(roles_in(subjects.document));
                } else if account == "default" && names.iter().any(|name| is_dynamic(name)) {
                    return None;
                }
            }
        }
        Some(roles)
    }

    /// The ServiceAccounts, roles and bindings in the folder of an object, in a unit of plain files: those are parsed only as far
    /// as they hold Jobs.
    pub(crate) fn roles_beside(self, object: &Object) -> Vec<Object> {
        let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let near = folder(&object.source.path);
        let is_near = |file: &&File| folder(&file.shown) == near;
        let is_plain = self.unit.kind == UnitKind::Plain;
        let files = self.unit.files.iter().filter(|file| is_plain && is_near(file));
        let source = |file: &File| match file.shown == object.source.path {
            true => Some(object.source.clone()),
            false => {
                let text = self.unit.boundary.read_to_string(&file.path).ok()?;
                let is_of_roles = text.contains("ServiceAccount");
                is_of_roles.then(|| Arc::new(Source::new(file.shown.as_str(), text)))
            }
        };
        let wanted = |text: &str| text.contains("Role") || text.contains("ServiceAccount");
        let all = files
            .filter_map(source)
            .flat_map(|source| load_text(&source, &mut |text| wanted(text)).objects);
        all.filter(|one| KINDS.contains(&one.kind())).collect()
    }

    /// How many bindings the files of the chart hold; as many as can be if that cannot be told.
    pub(crate) fn bindings_of_chart(self) -> usize {
        let (Some(texts), Some(own)) = (self.mentions.complete(self.unit), self.chart()) else {
            return usize::MAX;
        };
        let of_chart = texts.each().filter(|(path, _)| path.starts_with(&own));
        of_chart.map(|(_, text)| text.matches("RoleBinding\n").count()).sum()
    }

    /// The folder of the chart that the unit is.
    fn chart(self) -> Option<PathBuf> {
        let root = absolute(&self.unit.root);
        let root = if root.file_name().is_some_and(|own| own == CHART) {
            root.parent().map(Path::to_owned)
        } else {
            Some(root)
        };
        root.filter(|_| self.unit.kind == UnitKind::Chart)
    }
}

impl Texts {
    /// Each file with its text.
    pub(super) fn each(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.files.iter().enumerate().map(|(index, (path, start))| {
            let end = self.files.get(index + 1).map_or(self.all.len(), |(_, next)| *next);
            (path.as_path(), &self.all[*start..end])
        })
    }
}

/// The subjects of a binding, and the document that they are in.
struct Subjects<'t> {
    block: &'t str,
    document: &'t str,
}

fn subjects(text: &str) -> Vec<Subjects<'_>> {
    let documents = text.split("\n---").filter(|one| one.contains("subjects"));
    let of = |document| {
        ["subjects:", "\"subjects\":"].into_iter().flat_map(move |key: &str| {
            let starts = str::match_indices(document, key);
            starts.map(move |(at, _)| Subjects { block: block(document, at), document })
        })
    };
    documents.flat_map(of).collect()
}

/// A field at an offset of a text: its line, and what is deeper, or an item of its list.
fn block(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let indent = at - start;
    let own = |line: &str| {
        let rest = line.trim_start();
        let depth = line.len() - rest.len();
        rest.trim_end().is_empty()
            || depth > indent
            || depth == indent && rest.starts_with(['-', ']'])
            || rest.starts_with("{{")
    };
    let rest = &text[at..];
    let mut end = rest.find('\n').map_or(rest.len(), |end| end + 1);
    for line in rest[end..].split_inclusive('\n') {
        if !own(line) {
            break;
        }
        end += line.len();
    }
    &rest[..end]
}

/// The values of the fields `name` of a block.
fn values(block: &str) -> Vec<&str> {
    let is_key = |at: usize| !block[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-');
    let all = block.match_indices("name").filter(|(at, _)| is_key(*at));
    let value = |(at, key): (usize, &str)| {
        let rest = block[at + key.len()..].trim_start_matches('"').trim_start();
        let rest = rest.strip_prefix(':')?.trim_start_matches([' ', '"', '\'']);
        let end = rest.find(['"', '\'', ',', '}', '\n', ' ']).unwrap_or(rest.len());
        let end = if is_dynamic(rest) { rest.find('\n').unwrap_or(rest.len()) } else { end };
        Some(rest[..end].trim_end())
    };
    all.filter_map(value).collect()
}

/// Whether a value is filled in: by a template, a variable or an alias.
fn is_dynamic(value: &str) -> bool {
    value.starts_with(['{', '$', '*', '%', '<'])
}

/// The names of the roles to which a document refers.
fn roles_in(document: &str) -> Vec<String> {
    let all = document.match_indices("roleRef").map(|(at, _)| block(document, at));
    all.flat_map(values).map(str::to_owned).collect()
}

/// Whether a binding names a group as its subject.
fn places_in_bindings(text: &str, group: &str) -> bool {
    text.match_indices(group).any(|(at, _)| {
        // `system:serviceaccounts` in a guide or a policy binds nothing.
        let before = &text[start_before(text, at)..at];
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.contains("name") || line.contains("group")
    })
}

/// Whether a command, or a sentence of a guide, binds a role to the account.
fn is_bound_by_command(text: &str, account: &str) -> bool {
    words_at(text, account).any(|at| {
        let before = &text[start_before(text, at)..at];
        // A command may go on in the next line.
        let lines = before.rsplit('\n').enumerate();
        let own: Vec<_> = lines
            .take_while(|(index, line)| *index == 0 || line.trim_end().ends_with('\\'))
            .map(|(_, line)| line.to_ascii_lowercase())
            .collect();
        let is_name = own[0].trim_end().ends_with("name:");
        let says = |line: &String| BINDING.iter().any(|one| line.contains(one));
        !is_name && own.iter().any(says) && is_about_accounts(&own, account)
    })
}

/// Whether words in front of the name of an account may be about one: `default` has other meanings.
fn is_about_accounts(lines: &[String], account: &str) -> bool {
    let words = ["-z ", "account", "-to-user"];
    account != "default" || lines.iter().any(|line| words.iter().any(|one| line.contains(one)))
}

/// The start of what is looked at in front of a place.
fn start_before(text: &str, at: usize) -> usize {
    let start = at.saturating_sub(NEAR);
    (start..=at).find(|one| text.is_char_boundary(*one)).unwrap_or(at)
}
