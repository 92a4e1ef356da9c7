//! Databases that a script makes and throws away: in a server that goes with the pod, or removed again at the end.

use crate::{
    analysis::{Action, Invocation},
    catalogue::Verdict,
    command_line::{flag_values, program_name},
    container::Container,
};

/// A database server that a script can start.
struct Server {
    /// The commands that start it, with their first operand if they have others.
    starts: &'static [(&'static str, &'static str)],
    /// Flags with its data directory as value.
    data: &'static [&'static str],
    /// The programs that talk to it.
    clients: &'static [&'static str],
}

static SERVERS: [Server; 3] = [
    Server {
        starts: &[
            ("initdb", ""),
            ("pg_ctl", "start"),
            ("pg_ctlcluster", "start"),
            ("pg_createcluster", ""),
            ("postgres", ""),
        ],
        data: &["-D", "--pgdata"],
        clients: &["psql", "createdb", "dropdb", "createuser", "dropuser", "pg_restore"],
    },
    Server {
        starts: &[("mysqld", ""), ("mysqld_safe", ""), ("mariadbd", ""), ("mariadbd-safe", "")],
        data: &["--datadir"],
        clients: &["mysql", "mariadb", "mysqladmin", "mariadb-admin"],
    },
    Server {
        starts: &[("mongod", "")],
        data: &["--dbpath"],
        clients: &["mongosh", "mongo", "mongorestore", "mongoimport"],
    },
];

/// Excuses what a script does to a database that nobody else has.
pub(super) fn excuse(invocations: &mut [Invocation], container: &Container) {
    excuse_own_server(invocations, container);
    let made = made_and_removed(invocations);
    let actions = invocations.iter_mut().flat_map(|invocation| &mut invocation.actions);
    for action in actions.filter(|action| action.objects.iter().any(|one| made.contains(one))) {
        // What is removed was made here, or left behind by an earlier run.
        match action.verdict {
            Verdict::Destroys => action.verdict = Verdict::Idempotent,
            verdict => action.after_failure |= verdict == Verdict::FailsWhenRepeated,
        }
    }
}

/// What the clients of a server do that the script itself starts, with data that goes with the pod.
fn excuse_own_server(invocations: &mut [Invocation], container: &Container) {
    for server in &SERVERS {
        let starts = |invocation: &Invocation| server.is_started_by(invocation);
        let Some(first) = invocations.iter().position(starts) else { continue };
        if invocations.iter().any(|one| starts(one) && server.keeps_data(one, container)) {
            continue;
        }
        let clients = invocations[first..].iter_mut().filter(|one| server.is_asked_by(one));
        for action in clients.flat_map(|invocation| &mut invocation.actions) {
            action.verdict = action.verdict.min(Verdict::Idempotent);
        }
    }
}

impl Server {
    fn is_started_by(&self, invocation: &Invocation) -> bool {
        let values = values(invocation);
        let program = values.first().map(|word| program_name(word));
        self.starts.iter().any(|(name, operand)| {
            program == Some(name) && (operand.is_empty() || values.contains(operand))
        })
    }

    /// Whether its data is on a volume that outlives the pod. Where nobody says where it is, any such volume may hold it.
    fn keeps_data(&self, start: &Invocation, container: &Container) -> bool {
        let values = values(start);
        let stated: Vec<_> = self.data.iter().flat_map(|flag| flag_values(&values, flag)).collect();
        let may_be = |path: &&str| path.contains('$') || container.outlives_pod(path);
        match stated.is_empty() {
            true => container.persistent_mounts.iter().any(|mount| mount.starts_with("/var")),
            false => !container.persistent_mounts.is_empty() && stated.iter().any(may_be),
        }
    }

    /// Whether a client talks to it, and not to another host.
    fn is_asked_by(&self, invocation: &Invocation) -> bool {
        let values = values(invocation);
        let hosts = ["-h", "--host"].into_iter().flat_map(|flag| flag_values(&values, flag));
        let is_here = |host: &str| host.starts_with('/') || LOCAL.contains(&host);
        let is_client =
            values.first().is_some_and(|word| self.clients.contains(&program_name(word)));
        is_client
            && hosts.into_iter().all(is_here)
            && !values.iter().any(|word| word.contains("://"))
    }
}

const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

fn values(invocation: &Invocation) -> Vec<&str> {
    invocation.words.iter().map(|word| word.value.as_str()).collect()
}

fn makes(action: &Action) -> bool {
    action.key.starts_with("createdb") || action.key.starts_with("CREATE DATABASE")
}

fn removes(action: &Action) -> bool {
    action.key.starts_with("dropdb") || action.key.starts_with("DROP DATABASE")
}

/// The databases that the script makes and removes at its end.
fn made_and_removed(invocations: &[Invocation]) -> Vec<String> {
    let actions: Vec<_> = invocations.iter().flat_map(|one| &one.actions).collect();
    let is_removed_last = |name: &String| {
        let mut named = actions.iter().rev().filter(|action| action.objects.contains(name));
        named.find(|action| makes(action) || removes(action)).is_some_and(|action| removes(action))
    };
    let made = actions.iter().filter(|action| makes(action)).flat_map(|action| &action.objects);
    made.filter(|name| is_removed_last(name)).cloned().collect()
}
