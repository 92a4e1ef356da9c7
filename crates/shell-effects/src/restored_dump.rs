//! Dumps of PostgreSQL that are restored into databases which hold some of their objects already.

/// How many characters of a file are searched for what a dump begins with.
const LONGEST: usize = 20_000;

/// Settings with which `pg_dump` and `pg_dumpall` begin.
const SETTINGS: [&str; 2] = ["SET client_encoding", "SET standard_conforming_strings"];

/// Whether a file is what `pg_dumpall` writes: it begins with the roles, each without its attributes, which follow, or it
/// has the settings of a dump and goes from one database to the next. The role `postgres` and the database `template1`
/// are there before a restore, which therefore goes on after errors by intent
/// (<https://www.postgresql.org/docs/current/app-pg-dumpall.html>).
pub(crate) fn is_cluster_dump(text: &str) -> bool {
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    let start = &text[..end];
    start.contains("-- PostgreSQL database cluster dump")
        || begins_with_role(start)
        || connects(text) && has_settings(start)
}

/// `CREATE ROLE app;` and `ALTER ROLE app WITH …;`
fn begins_with_role(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("--") && !line.starts_with("SET "));
    let created = lines.next().and_then(|line| line.strip_prefix("CREATE ROLE "));
    let name = created.and_then(|rest| rest.strip_suffix(';'));
    let altered = lines.next().and_then(|line| line.strip_prefix("ALTER ROLE "));
    name.zip(altered).is_some_and(|(name, altered)| {
        altered.strip_prefix(name).is_some_and(|rest| rest.starts_with(" WITH "))
    })
}

fn connects(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("\\connect "))
}

fn has_settings(text: &str) -> bool {
    SETTINGS.iter().all(|setting| text.contains(setting))
}
