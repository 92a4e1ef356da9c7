//! Statements that make the account, or give it the rights, with which a later command of the same client signs in.

use crate::{
    analysis::{Analysis, Invocation},
    command_line::flag_values,
    decided::{WINDOW, fails_by_itself},
};

/// Clients, and the options that name the account.
const ACCOUNTS: [(&str, [&str; 2]); 3] =
    [("mariadb", ["-u", "--user"]), ("mysql", ["-u", "--user"]), ("psql", ["-U", "--username"])];

/// Whether the invocation at `index` names, in what it sends, the account of a later one that fails the script: without the
/// account or its rights that fails as well.
pub(crate) fn is_login_of_later(analysis: &Analysis, index: usize) -> bool {
    let own = &analysis.invocations[index];
    let Some(first) = account(own) else { return false };
    let mut later = analysis.invocations[index + 1..].iter().take(WINDOW);
    later.any(|one| {
        one.program_name() == own.program_name()
            && one.propagation.is_noticed()
            && fails_by_itself(one)
            && account(one).is_some_and(|name| name != first && gives(own, name))
    })
}

/// The account with which a client signs in.
fn account(one: &Invocation) -> Option<&str> {
    let (_, flags) = ACCOUNTS.iter().find(|(program, _)| *program == one.program_name())?;
    let values = one.values();
    flags.iter().find_map(|flag| flag_values(&values, flag).first().copied())
}

/// Whether a client makes an account, or gives it rights.
fn gives(own: &Invocation, name: &str) -> bool {
    let is_account = |word: &str| word.trim_matches(['\'', '"', '`', ';', ',']) == name;
    own.values().iter().any(|text| {
        let upper = text.to_ascii_uppercase();
        let is_grant =
            ["CREATE USER", "CREATE ROLE", "GRANT "].iter().any(|own| upper.contains(own));
        // The host stands behind the account in MySQL.
        is_grant && text.split([' ', '@', '\n']).any(is_account)
    })
}
