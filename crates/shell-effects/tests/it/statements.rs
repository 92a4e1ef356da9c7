//! Failures of the statements that clients of databases send.

use shell_effects::{Catalogue, Container, analyse, failure_hidden};

#[test]
fn psql_asks_before_what_stands_behind_its_if() {
    let relied = |statements: &str| {
        let script = format!("psql <<'EOF'\n{statements}\nEOF\n");
        let argv = ["sh", "-c", &script];
        let analysis = analyse(Catalogue::built_in(), &argv, &Container::default());
        failure_hidden(&analysis).first().map(|one| one.relied_on.is_some())
    };
    let asked = "\\if :there\n  ALTER ROLE app LOGIN;\n\\else\n  CREATE ROLE app;\n\\endif";
    assert_eq!(relied(asked), Some(false));
    assert_eq!(relied("CREATE ROLE app;"), Some(true));
    assert_eq!(relied(&format!("{asked}\nCREATE ROLE other;")), Some(true));
}

#[test]
fn what_is_dropped_first_is_made_anew() {
    let relied = |statements: &str| {
        let script =
            format!("psql <<'EOF'\nCREATE TABLE IF NOT EXISTS t (id int);\n{statements}\nEOF\n");
        let argv = ["sh", "-c", &script];
        let analysis = analyse(Catalogue::built_in(), &argv, &Container::default());
        failure_hidden(&analysis).first().map(|one| one.relied_on.is_some())
    };
    for (statements, relies) in [
        ("DROP TRIGGER IF EXISTS u ON t;\nCREATE TRIGGER u BEFORE UPDATE ON t;", false),
        ("DROP OPERATOR IF EXISTS = (uuid, text);\nCREATE OPERATOR = (LEFTARG = uuid);", false),
        ("DROP TRIGGER IF EXISTS v ON t;\nCREATE TRIGGER u BEFORE UPDATE ON t;", true),
        (
            "ALTER TABLE t DROP CONSTRAINT IF EXISTS c;\nALTER TABLE t ADD CONSTRAINT c UNIQUE (id);",
            false,
        ),
        (
            "ALTER TABLE t DROP CONSTRAINT IF EXISTS d;\nALTER TABLE t ADD CONSTRAINT c UNIQUE (id);",
            true,
        ),
    ] {
        assert_eq!(relied(statements), Some(relies), "{statements}");
    }
}

/// An anonymous block works where it names a statement that does; one that only asks, or raises a notice, does not.
#[test]
fn a_block_does_what_its_statements_do() {
    for (block, hidden) in [
        ("BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO b', d); GRANT a TO b; END", 1),
        ("BEGIN RAISE NOTICE 'hello'; END", 0),
    ] {
        let script = format!("set -e\npsql <<'SQL'\nDO $$ {block} $$;\nSQL");
        let argv = ["sh", "-c", &script];
        let found = failure_hidden(&analyse(Catalogue::built_in(), &argv, &Container::default()));
        assert_eq!(found.len(), hidden, "{block} {found:?}");
    }
}

/// The last command signs in as the user, into the database, that the statements before it make.
#[test]
fn a_client_that_signs_in_tells_that_its_user_is_missing() {
    let root = "mysql -u root -p$ROOT -e";
    let statements = format!(
        "{root} \"CREATE DATABASE $DB;\"\n{root} \"CREATE USER $U IDENTIFIED BY '$P'\"\n\
         {root} \"GRANT ALL PRIVILEGES ON $DB.* TO $U WITH GRANT OPTION;\"\n"
    );
    for (last, hidden) in [
        ("mysql -u $U -p$P $DB < /d/base.sql", 0),
        ("mysql -u$U -p$P $DB < /d/base.sql", 0),
        ("mysql -u root -p$ROOT $DB < /d/base.sql", 2),
        ("echo done", 3),
    ] {
        let script = format!("{statements}{last}");
        let argv = ["bash", "-c", &script];
        let found = failure_hidden(&analyse(Catalogue::built_in(), &argv, &Container::default()));
        assert_eq!(found.len(), hidden, "{last} {found:?}");
    }
}
