//! Requests that tell a server how the work before them went: `pg_dump …; curl -X POST $URL -d '{"status": "done"}'`.

use crate::{
    analysis::{Action, Analysis, Invocation, is_inside},
    catalogue::Verdict,
    dumps::is_dump,
    effects::http,
    text::ElementSpan,
};

/// Keys of a body that hold the outcome of something.
const OUTCOMES: [&str; 6] = ["event:", "outcome:", "result:", "state:", "status:", "success:"];

/// Parts of an address at which messages for people, or numbers about a run, arrive, in lower case.
const RECEIVERS: [&str; 9] = [
    "alert",
    "chat.googleapis.com",
    "discord",
    "healthchecks",
    "heartbeat",
    "notif",
    "pushgateway",
    "slack",
    "webhook",
];

/// Parts of an address at which a monitor expects a sign of life, and raises an alarm where none arrives, in lower case.
const MONITORS: [&str; 7] =
    ["/api/push/", "cronitor", "hc-ping", "hchk.io", "healthchecks", "heartbeat", "nosnch.in"];

/// Programs that send mail.
const MAILERS: [&str; 7] = ["mail", "mailx", "msmtp", "mutt", "s-nail", "sendmail", "swaks"];

/// Subcommands of `aws` that send a message.
const MESSAGES: [[&str; 2]; 3] =
    [["sns", "publish"], ["ses", "send-email"], ["sesv2", "send-email"]];

/// Whether a command sends a message to people.
pub(crate) fn tells_people(one: &Invocation) -> bool {
    let program = one.program_name();
    let is_sent = || one.values().windows(2).any(|pair| MESSAGES.iter().any(|own| pair == own));
    MAILERS.contains(&program) || program == "aws" && is_sent()
}

/// Whether a request goes to such an address.
fn is_to_people(words: &[&str]) -> bool {
    // A backup may be sent to a chat.
    let sends_file = words.iter().any(|word| word.contains("=@") || word.starts_with("@/"));
    let is_address = |word: &&&str| word.contains("://") || word.starts_with('$');
    let addresses = words.iter().skip(1).filter(is_address).map(|word| word.to_lowercase());
    !sends_file
        && addresses.into_iter().any(|address| RECEIVERS.iter().any(|part| address.contains(part)))
}

/// Whether an invocation sends the outcome of other work, which comes before it, and nothing depends on its answer.
pub(crate) fn is_report(analysis: &Analysis, index: usize) -> bool {
    let own = &analysis.invocations[index];
    let words: Vec<_> = own.words.iter().map(|word| word.value.as_str()).collect();
    let (before, after) = (&analysis.invocations[..index], &analysis.invocations[index + 1..]);
    let is_kept = own.variable.is_some() || own.answer_decides || !own.downloads.is_empty();
    let changes = |one: &Invocation| one.actions.iter().any(Action::changes_more_than_files);
    let is_work = |(at, one): (usize, &Invocation)| {
        let is_request = one.actions.iter().any(Action::is_request);
        let depends = |action: &Action| action.verdict == Verdict::Depends;
        let is_program = !one.recognised || one.actions.iter().any(depends);
        !is_request && (changes(one) || is_program || is_dump(one, before.get(at + 1)))
    };
    let only_ends = |one: &Invocation| {
        !changes(one) || one.actions.iter().all(|action| action.minor) || is_same(one, own)
    };
    let tells_failure = |one: &Invocation| one.never_succeeds && is_same(one, own);
    let is_request = own.actions.iter().any(Action::is_request);
    let says_how_it_went = tells_people(own)
        || http::sends_key(&words, &OUTCOMES)
        || is_to_people(&words)
        || is_request
            && (analysis.invocations.iter().any(tells_failure) || is_optional(analysis, own));
    says_how_it_went
        && !is_kept
        && before.iter().enumerate().any(is_work)
        && after.iter().all(only_ends)
}

/// Whether a monitor misses its sign of life where the command at a location fails: `pg_dump … && curl https://hc-ping.com/… ||
/// echo failed`.
pub(crate) fn is_missed_by_monitor(analysis: &Analysis, location: ElementSpan) -> bool {
    let depends = |one: &Invocation| {
        one.guards.iter().any(|guard| guard.holds && is_inside(location, guard.location))
    };
    let is_sign = |one: &Invocation| {
        let words = one.words.iter().skip(1).map(|word| word.value.to_lowercase());
        let mut addresses = words.filter(|word| word.contains("://") || word.starts_with('$'));
        one.actions.iter().any(Action::is_request)
            && addresses.any(|address| MONITORS.iter().any(|part| address.contains(part)))
    };
    analysis.invocations.iter().any(|one| depends(one) && is_sign(one))
}

/// Whether a script makes a request only where it has an address for it: `if [ -n "$URL" ]; then curl … "$URL"; fi`.
fn is_optional(analysis: &Analysis, own: &Invocation) -> bool {
    let tests_address = |one: &Invocation| {
        let mut pairs = one.words.windows(2);
        pairs.any(|pair| {
            pair[0].value == "-n"
                && pair[1].value.starts_with('$')
                && own.words.iter().any(|word| word.value == pair[1].value)
        })
    };
    let mut guards = own.guards.iter().filter(|guard| guard.holds);
    guards.any(|guard| {
        let mut tests =
            analysis.invocations.iter().filter(|one| is_inside(one.location, guard.location));
        tests.any(tests_address)
    })
}

/// Whether two commands send to the same address: one branch says that it went well, the other that it did not.
fn is_same(one: &Invocation, other: &Invocation) -> bool {
    let address = |one: &Invocation| {
        let mut words = one.words.iter().map(|word| word.value.clone());
        words.find(|word| word.contains("://") || word.starts_with('$'))
    };
    one.program_name() == other.program_name() && address(one) == address(other)
}

#[cfg(test)]
mod tests {
    use crate::{Catalogue, Container, analyse_script, failure_hidden};

    /// Whether each hidden request of a script is a report.
    fn reports(script: &str) -> Vec<bool> {
        let analysis = analyse_script(Catalogue::built_in(), script, &Container::default());
        let hidden = failure_hidden(&analysis).into_iter();
        hidden.map(|one| one.is_report).collect()
    }

    #[test]
    fn a_message_after_the_work_is_a_report() {
        for script in [
            "set -e\npg_dump shop > /backup/a.sql\ncurl -X POST \"$SLACK_URL\" --data \"$BODY\"\n",
            "if python backup.py; then curl -d ok $URL; else curl -d bad $URL; exit 1; fi\n",
            "python backup.py || { curl -d bad $URL; exit 1; }\ncurl -d ok $URL\n",
            "set -e\npython backup.py\nif [ -n \"$URL\" ]; then curl -d ok \"$URL\"; fi\n",
            "pg_dump -f /b/x shop || exit 1\nmail -s ok a@b < /dev/null\necho done\n",
            "set -e\npg_dump -f /b/x shop\naws sns publish --topic-arn t --message ok || true\n",
            "node update.js\nif [ $? -eq 0 ]; then curl -X POST $NOTIFICATION_URL -d good; else curl -X POST $NOTIFICATION_URL -d bad; fi\n",
        ] {
            let found = reports(script);
            assert!(!found.is_empty() && found.iter().all(|one| *one), "{script}: {found:?}");
        }
        for script in [
            "set -e\npg_dump shop > /backup/a.sql\ncurl -X POST \"$STORE_URL\" -d @/backup/a.sql\n",
            "set -e\npg_dump shop > /backup/a.sql\ncurl -F file=@/backup/a.sql \"$DISCORD_WEBHOOK\"\n",
            "set -e\nif [ -n \"$URL\" ]; then curl -d ok \"$URL\"; fi\n",
            "set -e\npython backup.py\nif [ -n \"$NAME\" ]; then curl -d ok \"$URL\"; fi\n",
            "python backup.py || { curl -d bad $OTHER; exit 1; }\ncurl -d ok $URL\n",
            "set -e\ncurl -X POST http://api/webhook -d a\npsql -c 'DELETE FROM a'\n",
        ] {
            let found = reports(script);
            assert!(!found.is_empty() && found.iter().all(|one| !one), "{script}: {found:?}");
        }
    }
}
