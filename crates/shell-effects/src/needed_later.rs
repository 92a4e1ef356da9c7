//! Commands whose failure another command tells, for the same reason: one that needs what they make or print, and fails
//! the script without it.

use crate::{
    analysis::{Action, Analysis, HiddenBy, Invocation, Propagation, Variable, is_inside},
    command_line::flag_values,
    decided::{PASSES, WINDOW, fails_by_itself},
    deletions::{client_operands, named},
    needed_file::is_file_of_later,
    needed_object::{is_awaited_endlessly, is_object_of_later},
    needed_patch::is_list_of_later,
    prepared::is_preparation,
    text::ElementSpan,
};

/// Clients of object stores, and their subcommands that make the bucket that an operand names.
const STORES: [&str; 4] = ["aws", "gsutil", "mc", "s3cmd"];
const MAKES: [&str; 3] = ["create-bucket", "make-bucket", "mb"];

/// Variables with which clients sign in, by the beginnings of their names, and the clients.
const CREDENTIALS: [(&str, &[&str]); 10] = [
    ("ARGOCD_AUTH_TOKEN", &["argocd"]),
    ("AWS_", &["aws", "s3cmd", "s5cmd"]),
    ("BAO_", &["bao"]),
    ("CONSUL_HTTP_TOKEN", &["consul"]),
    ("GH_TOKEN", &["gh"]),
    ("GITHUB_TOKEN", &["gh"]),
    ("KUBECONFIG", &["helm", "kubectl", "oc"]),
    ("MYSQL_PWD", &["mariadb", "mariadb-dump", "mysql", "mysqldump"]),
    ("PGPASSWORD", &["createdb", "pg_dump", "pg_dumpall", "pg_restore", "psql"]),
    ("VAULT_", &["vault"]),
];

/// Options that take what a client signs in with.
const SIGNS_IN: [&str; 4] = ["--api-key", "--auth-token", "--password", "--token"];

/// Whether a later command signs in with what the invocation at `index` prints, or finds its server by it, and fails the
/// script without. Other clients may first ask with it for what that command takes: `TOKEN=$(vault login …)`,
/// `PGPASSWORD=$(vault read …)`, `pg_dump`.
pub(crate) fn is_signed_in_with(analysis: &Analysis, index: usize) -> bool {
    let own = &analysis.invocations[index];
    let Some(variable) = &own.variable else { return false };
    let mut variables = vec![variable];
    let later = analysis.invocations.iter().enumerate().skip(index + 1).take(WINDOW);
    let decides = |at: usize, one: &Invocation| {
        one.propagation.is_noticed() || one.answer_decides || is_file_of_later(analysis, at)
    };
    // `export TOKEN=$(login) && deploy`: the status of `export` is 0.
    // So is that of `TOKEN=$(login | filter) && deploy`.
    let is_lost = matches!(
        own.propagation,
        Propagation::Hidden(HiddenBy::Substitution { .. } | HiddenBy::Pipe { .. })
    );
    let mut assignments: Vec<ElementSpan> = Vec::new();
    for (at, one) in later {
        let runs_behind = |statements: &[ElementSpan]| {
            one.guards.iter().all(|guard| {
                let is_one = |statement: &ElementSpan| is_inside(*statement, guard.location);
                own.guards.contains(guard)
                    || is_lost && is_one(&own.location)
                    || statements.iter().any(is_one)
                    || guard.holds && is_sure(analysis, guard.location)
            })
        };
        let needs = |variable: &&Variable| {
            reads(one.program_name(), &variable.name) || is_given(one, variable)
        };
        let is_needed = variables.iter().any(needs);
        if is_needed && runs_behind(&[]) && decides(at, one) && fails_by_itself(one) {
            return true;
        }
        let Some(assigned) = &one.variable else { continue };
        let is_derived = is_needed || variables.iter().any(|known| known.is_in(&assigned.value));
        variables.retain(|known| known.name != assigned.name || known.value == assigned.value);
        // `|| echo "$DEFAULT"` has another value.
        if is_derived && runs_behind(&assignments) && !assigned.value.contains("||") {
            variables.push(assigned);
            assignments.push(one.location);
        }
    }
    false
}

/// Commands that hardly ever fail: `cd $(mktemp -d)`.
const SURE: [&str; 5] = ["cd", "date", "echo", "mkdir", "mktemp"];

/// Whether there is nothing but such commands at a place.
fn is_sure(analysis: &Analysis, place: ElementSpan) -> bool {
    let mut own =
        analysis.invocations.iter().filter(|one| is_inside(one.location, place)).peekable();
    own.peek().is_some() && own.all(|one| SURE.contains(&one.program_name()))
}

/// Whether a client signs in with a variable of its environment, or a program that is called after one: `vault_export.py`.
fn reads(program: &str, name: &str) -> bool {
    let is_client = |known: &&str| {
        program == *known || program.split(['_', '-', '.']).any(|word| word == *known)
    };
    CREDENTIALS
        .iter()
        .any(|(start, programs)| name.starts_with(start) && programs.iter().any(is_client))
}

/// Whether a command is given a variable as what it signs in with, or as the address of its server.
fn is_given(one: &Invocation, variable: &Variable) -> bool {
    let Variable { name, value } = variable;
    let forms = [format!("${name}"), format!("${{{name}}}"), value.clone()];
    let words: Vec<_> = one.words.iter().map(|word| word.value.as_str()).collect();
    let names = |text: &str| forms.iter().any(|form| text.contains(form));
    let is_header = |word: &&str| word.contains("uthorization:") && names(word);
    let is_address = |word: &&str| {
        let place = word.split_once("://").map_or(*word, |(_, place)| place);
        forms.iter().any(|form| place.starts_with(form))
    };
    let asks = matches!(one.program_name(), "curl" | "wget");
    SIGNS_IN.iter().flat_map(|flag| flag_values(&words, flag)).any(names)
        || asks && words.iter().skip(1).any(|word| is_header(word) || is_address(word))
}

/// Whether the next command works in the database that the invocation at `index` makes, and the script looks at how that
/// went: `createdb shop || true; if pg_restore -d shop …`.
fn is_database_of_next(analysis: &Analysis, index: usize) -> bool {
    let (own, later) = (&analysis.invocations[index], &analysis.invocations[index + 1..]);
    // `createdb shop_$(date +%s)`
    let next = later.iter().find(|one| !PASSES.contains(&one.program_name()));
    let made = own.words.last().map(|word| word.value.as_str());
    let names = |next: &&Invocation| {
        let mut words = next.words.iter().skip(1).map(|word| word.value.as_str());
        words.any(|word| Some(word.rsplit_once('=').map_or(word, |(_, value)| value)) == made)
    };
    let is_looked_at = |next: &&Invocation| !matches!(next.propagation, Propagation::Hidden(_));
    own.program_name() == "createdb" && next.filter(names).filter(is_looked_at).is_some()
}

/// Clients of databases, by the server.
const DATABASES: [&[&str]; 2] = [&["psql"], MYSQL];
const MYSQL: &[&str] = &["mariadb", "mysql"];

/// What a statement makes, and how later ones name it: `CREATE ROLE shop`, and `ALTER ROLE shop`, `GRANT … TO shop`.
const MADE: [(&str, &[&str]); 4] = [
    ("create database ", &[]),
    ("create role ", &["alter role ", " to ", "owner "]),
    ("create schema ", &["on schema "]),
    ("create user ", &["alter role ", "alter user ", " to ", "owner "]),
];

/// Options that name the user of a database.
const AS_USER: [&str; 4] = ["--user", "--username", "-U", "-u"];

/// The statement that a client sends as an argument, in lower case.
fn statement(one: &Invocation) -> Option<String> {
    let word = one.words.iter().skip(1).find(|word| word.value.contains(' '))?;
    Some(word.value.to_ascii_lowercase())
}

/// The name at the beginning of a text, without quotes.
fn first_name(text: &str) -> &str {
    let name = text.split([' ', ';', '\n']).next().unwrap_or_default();
    name.trim_matches(['"', '`', '\''])
}

/// Whether a client makes a database, role or schema that a later one needs and fails the script without:
/// `psql -c 'CREATE DATABASE shop'; psql -d shop -c …`.
fn is_made_for_statement(analysis: &Analysis, index: usize) -> bool {
    let own = &analysis.invocations[index];
    let Some(clients) = DATABASES.iter().find(|all| all.contains(&own.program_name())) else {
        return false;
    };
    let Some(text) = statement(own) else { return false };
    let made = MADE.iter().find_map(|(start, uses)| Some((text.strip_prefix(start)?, *uses)));
    // Without a grant, MySQL lets nobody into a database.
    let granted = || {
        let (_, rest) = text.strip_prefix("grant ")?.split_once(" to ")?;
        MYSQL.contains(&own.program_name()).then_some((rest, &[" to "][..]))
    };
    let Some((rest, uses)) = made.or_else(granted) else { return false };
    let name = first_name(rest);
    let is_own = |word: &str| word.eq_ignore_ascii_case(name);
    let connects = |one: &Invocation| {
        one.values().iter().skip(1).any(|word| {
            is_own(word) || word.contains("://") && word.rsplit('/').next().is_some_and(is_own)
        })
    };
    let signs_in = |one: &Invocation| {
        let values = one.values();
        AS_USER.iter().any(|flag| {
            let attached = values.iter().filter_map(|word| word.strip_prefix(flag));
            flag_values(&values, flag).into_iter().chain(attached).any(is_own)
        })
    };
    let says = |one: &Invocation| {
        let other = statement(one).unwrap_or_default();
        let is_named = |at: usize| first_name(&other[at..]) == name;
        uses.iter()
            .any(|start| other.match_indices(start).any(|(at, _)| is_named(at + start.len())))
    };
    let needs = |one: &Invocation| match uses {
        [] => connects(one),
        _ => says(one) || signs_in(one),
    };
    let mut later =
        analysis.decided_behind(index).filter(|one| clients.contains(&one.program_name()));
    !name.is_empty() && later.any(|one| fails_by_itself(one) && needs(one))
}

/// Whether a script deletes an object, applies what makes it anew, and then asks for it, which fails the script without:
/// `kubectl delete job shop; kubectl apply -f job.yaml; kubectl wait job/shop`.
fn is_made_anew(analysis: &Analysis, index: usize) -> bool {
    let own = &analysis.invocations[index];
    if !matches!(client_operands(own).first(), Some(&("apply" | "create"))) {
        return false;
    }
    let names =
        |objects: &[&str]| -> Vec<_> { named(objects).into_iter().map(|one| one.name).collect() };
    let deleted_by = |one: &Invocation| match client_operands(one).as_slice() {
        ["delete", objects @ ..] => names(objects),
        _ => Vec::new(),
    };
    let asked_by = |one: &Invocation| match client_operands(one).as_slice() {
        ["logs" | "wait", objects @ ..] | ["rollout", "status", objects @ ..] => names(objects),
        _ => Vec::new(),
    };
    let before = &analysis.invocations[index.saturating_sub(WINDOW)..index];
    let is_before = |one: &&Invocation| one.guards == own.guards;
    let deleted: Vec<_> = before.iter().filter(is_before).flat_map(deleted_by).collect();
    analysis
        .decided_behind(index)
        .any(|one| asked_by(one).iter().any(|name| deleted.contains(name)))
}

/// Whether the command of a loop comes again behind it, and fails the script: `until [ $n -ge 20 ]; do ready && break; …; done;
/// ready`.
fn is_run_again(analysis: &Analysis, index: usize) -> bool {
    let own = &analysis.invocations[index];
    let is_tried = matches!(own.propagation, Propagation::Hidden(HiddenBy::Exhausted));
    let same = |one: &Invocation| one.values() == own.values() && one.manifests == own.manifests;
    is_tried && analysis.decided_behind(index).any(|one| fails_by_itself(one) && same(one))
}

/// Commands of Redis that write its data to its own disk.
const SAVES: [&str; 4] = ["BGSAVE", "SAVE", "bgsave", "save"];

/// Whether Redis is told to save, and a later command has it send all data anyway: `redis-cli --rdb` saves by itself. A save
/// that is in progress is an error reply.
pub(crate) fn is_copied_anyway(own: &Invocation, later: &[Invocation]) -> bool {
    let has = |one: &Invocation, wanted: &[&str]| {
        one.program_name() == "redis-cli"
            && one.words.iter().any(|word| wanted.contains(&word.value.as_str()))
    };
    has(own, &SAVES) && later.iter().take(WINDOW).any(|one| has(one, &["--rdb"]))
}

/// Subcommands of Git without which a new repository has no branch of another one, and those that take one.
const FETCHES: [&str; 3] = ["fetch", "init", "remote"];
const CHECKS_OUT: [&str; 4] = ["checkout", "merge", "reset", "switch"];

/// Whether a script makes a repository, and then takes a branch that only a fetch brings: `git init; git remote add …;
/// git fetch; git checkout -t origin/main`.
fn is_checked_out(analysis: &Analysis, index: usize) -> bool {
    let is_one_of = |one: &Invocation, subcommands: &[&str]| {
        one.program_name() == "git"
            && one.words.iter().skip(1).any(|word| subcommands.contains(&word.value.as_str()))
    };
    let all = &analysis.invocations;
    let makes = |one: &Invocation| is_one_of(one, &["init"]) && one.guards == all[index].guards;
    let takes = |one: &Invocation| {
        let names_branch = one.words.iter().any(|word| word.value.contains("origin/"));
        is_one_of(one, &CHECKS_OUT)
            && names_branch
            && one.propagation.is_noticed()
            && one.guards == all[index].guards
    };
    is_one_of(&all[index], &FETCHES)
        && all[..=index].iter().any(makes)
        && all[index + 1..].iter().take(WINDOW).any(takes)
}

/// Whether a later command needs what the action of the invocation at `index` makes, and fails the script without it.
pub(crate) fn is_needed(analysis: &Analysis, index: usize, action: &Action) -> bool {
    if is_database_of_next(analysis, index) {
        return true;
    }
    let change = &analysis.invocations[index];
    if is_copied_anyway(change, &analysis.invocations[index + 1..])
        || is_checked_out(analysis, index)
        || is_made_for_statement(analysis, index)
        || is_made_anew(analysis, index)
        || is_run_again(analysis, index)
        || is_list_of_later(analysis, index)
        || is_preparation(analysis, index)
        || is_object_of_later(analysis, index, action)
        || is_awaited_endlessly(analysis, index, action)
    {
        return true;
    }
    let own = change.program_name();
    let enters = own == "cd";
    let makes = |one: &Action| one.subcommands.split(' ').any(|word| MAKES.contains(&word));
    let is_bucket = STORES.contains(&own) && makes(action);
    if !enters && !is_bucket {
        return false;
    }
    let made: Vec<_> = match enters {
        true => change.words.get(1).map(|word| word.value.as_str()).into_iter().collect(),
        false => action.objects.iter().map(String::as_str).collect(),
    };
    analysis.decided_behind(index).any(|one| {
        let is_other = !one.actions.iter().any(makes);
        let mut words = one.words.iter().skip(1);
        let needs = words.any(|word| made.iter().any(|made| is_below(&word.value, made)));
        is_other && (enters || one.program_name() == own) && needs
    })
}

/// Whether a word names something, or what is in it: `minio/bucket/file`, `s3://bucket/file`.
fn is_below(word: &str, made: &str) -> bool {
    let plain = |word: &str| {
        let word = word.split_once("://").map_or(word, |(_, rest)| rest);
        word.trim_matches('"').trim_end_matches('/').to_owned()
    };
    let (word, made) = (plain(word), plain(made));
    let rest = word.strip_prefix(&made).filter(|_| made.len() > 1);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
