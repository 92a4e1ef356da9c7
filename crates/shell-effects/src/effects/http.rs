//! Requests by curl, wget and HTTPie.

use crate::{
    analysis::HiddenBy,
    command_line::{flag_values, has_flag, program_name},
};

/// An HTTP request.
pub(super) struct Request {
    pub(super) method: &'static str,
    /// Set if the client exits with 0 after an error status.
    pub(super) hidden: Option<HiddenBy>,
}

const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];

/// Flags of curl that send a body, which makes the request a POST.
const DATA: [&str; 7] =
    ["-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "-F", "--form"];

pub(crate) const IGNORED: &str = "`curl` without `--fail` exits with 0 after an error status";
/// A script that takes the response can see that it is an error, and reports nothing as hidden.
pub(crate) const TAKEN: &str = "the script takes the response of `curl`, which exits with 0";

/// With `--fail`, a second `DELETE` of the same object fails, so its absence may be deliberate.
pub(crate) const REMOVED: &str = "what is gone may be gone before `curl`, which exits with 0";

/// Variables of `curl --write-out` with the status code.
const STATUS_VARIABLES: [&str; 2] = ["http_code", "response_code"];

/// The request of a command line, if its program is an HTTP client. `captured` if the script takes its output.
pub(super) fn request(words: &[&str], captured: bool) -> Option<Request> {
    let method = match program_name(words.first()?) {
        "curl" => curl_method(words),
        "wget" => wget_method(words),
        "http" | "https" | "xh" => words.iter().find_map(|word| named(word)).unwrap_or("GET"),
        _ => return None,
    };
    let curl = program_name(words[0]) == "curl";
    let checked = fails_by_status(words) || captured && prints_status(words);
    let reason = match method {
        "DELETE" => REMOVED,
        _ if captured => TAKEN,
        _ => IGNORED,
    };
    let may_hide = curl && !checked && !is_of_other_protocol(words);
    Some(Request { method, hidden: may_hide.then_some(HiddenBy::Client(reason)) })
}

/// Hosts that stand for others, or that are asked whether anything answers.
const EXAMPLES: [&str; 5] =
    ["example.com", "example.org", "google.com", "httpbin.org", "ifconfig.me"];

/// Whether the words name a host that stands for another.
pub(crate) fn names_example(words: &[&str]) -> bool {
    let host = |word: &&str| {
        let rest = word.split_once("://").map_or(*word, |(_, rest)| rest);
        rest.split(['/', ':', '?']).next().unwrap_or_default().trim_start_matches("www.").to_owned()
    };
    words.iter().skip(1).map(host).any(|host| EXAMPLES.contains(&host.as_str()))
}

/// The method of a request; `None` for what is none.
pub(crate) fn method_of(words: &[&str]) -> Option<&'static str> {
    request(words, false).map(|request| request.method)
}

/// Whether the words ask `curl` to fail at a status of 400 or more.
pub(crate) fn fails_by_status(words: &[&str]) -> bool {
    let flags = ["-f", "--fail", "--fail-with-body", "--fail-early"];
    flags.iter().any(|flag| has_flag(words, flag))
}

/// Whether a URL names a protocol other than HTTP: `--fail` is about the status codes of HTTP, and curl fails where a mail is
/// refused.
fn is_of_other_protocol(words: &[&str]) -> bool {
    let schemes = words.iter().filter_map(|word| Some(word.split_once("://")?.0));
    let mut schemes = schemes.map(|before| before.rsplit('=').next().unwrap_or(before));
    schemes.any(|scheme| {
        scheme.bytes().all(|byte| byte.is_ascii_lowercase()) && !scheme.starts_with("http")
    })
}

/// Whether the words are a curl command that prints the status code of the response.
pub(crate) fn prints_status(words: &[&str]) -> bool {
    words.first().is_some_and(|first| program_name(first) == "curl")
        && words.iter().any(|word| names_status(word))
}

/// Whether a text names the variable of curl with the status code of the response.
pub(crate) fn names_status(text: &str) -> bool {
    STATUS_VARIABLES.iter().any(|code| text.contains(code))
}

/// Whether the words are a request that removes what an address stands for that is the same each time: in a schedule all that
/// is due, not one object, which is gone after the first time. `dated` if the script asks for the time.
pub(crate) fn removes_all(words: &[&str], dated: bool) -> bool {
    let path = |word: &str| {
        let rest = word.split_once("://").map_or(word, |(_, rest)| rest);
        rest.split_once('/').map(|(_, path)| path.to_owned())
    };
    let is_url = |word: &&&str| word.contains("://") || word.starts_with('$');
    let mut paths = words.iter().skip(1).filter(is_url).filter_map(|word| path(word));
    let is_new = |path: String| path.contains(['`', '*']) || path.contains('$') && dated;
    request(words, false).is_some_and(|request| request.method == "DELETE") && !paths.any(is_new)
}

/// Whether the words are a request that removes what a selector of Kubernetes finds: the API server answers with 200 where that
/// is nothing.
pub(crate) fn removes_selected(words: &[&str]) -> bool {
    let selects = |word: &&str| word.contains("labelSelector=") || word.contains("fieldSelector=");
    request(words, false).is_some_and(|request| request.method == "DELETE")
        && words.iter().any(selects)
}

/// Whether the words are a request that checks the health of a server.
pub(crate) fn is_health_check(words: &[&str]) -> bool {
    let paths = ["health", "ready", "ping", "alive", "/-/"];
    request(words, false).is_some_and(|request| request.method == "GET")
        && words.iter().any(|word| paths.iter().any(|path| word.contains(path)))
}

/// How an inline program opens a connection: `python -c "import socket; socket.create_connection(('db', 5432))"`.
const CONNECTS: [&str; 4] =
    [".connect((", "create_connection", "net.connect(", "net.createConnection("];

/// Whether the words are a request that asks only whether a server answers: for its health, without `--fail`, or by a socket.
pub(crate) fn is_connection(words: &[&str]) -> bool {
    let connects = |word: &&str| CONNECTS.iter().any(|call| word.contains(call));
    if matches!(words, [_, "-c" | "-e", code, ..] if connects(code)) {
        return true;
    }
    let asks = |one: Request| {
        matches!(one.method, "GET" | "HEAD")
            && (one.hidden.is_some() || prints_status(words) || is_health_check(words))
    };
    request(words, false).is_some_and(asks)
}

/// Flags of curl with which it tries for a time until a server takes connections.
const WAITS: [&str; 2] = ["--retry-connrefused", "--retry-max-time"];

/// Whether the words are a request that asks only whether a server takes connections: any answer will do.
pub(crate) fn is_probe(words: &[&str]) -> bool {
    WAITS.iter().all(|flag| has_flag(words, flag))
        && request(words, false).is_some_and(|request| matches!(request.method, "GET" | "HEAD"))
}

/// The bodies of a request, without quotes and blanks.
fn bodies(words: &[&str]) -> impl Iterator<Item = String> {
    let flags = DATA.iter().chain(&["--json", "--post-data", "--body-data"]);
    let is_part = |c: &char| !c.is_whitespace() && !"\"'\\".contains(*c);
    let bodies: Vec<_> = flags.flat_map(|flag| flag_values(words, flag)).collect();
    bodies.into_iter().map(move |body| body.chars().filter(is_part).collect())
}

/// Whether the body of a request is a GraphQL mutation (<https://spec.graphql.org/October2021/#sec-Language.Operations>).
/// A server answers most errors of one with 200, but not all: an unknown token with 401, a broken resolver with 500.
pub(super) fn is_mutation(words: &[&str]) -> bool {
    bodies(words).any(|body| body.contains("query:mutation"))
}

/// Whether a request sends a message to people: a JSON body with a text, as the webhooks of chats take it
/// (<https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/>,
/// <https://developers.google.com/workspace/chat/quickstart/webhooks>,
/// <https://discord.com/developers/docs/resources/webhook#execute-webhook>).
pub(super) fn is_message(words: &[&str]) -> bool {
    let is_hook = words.iter().any(|word| {
        let word = word.to_ascii_lowercase();
        HOOKS.iter().any(|name| word.contains(name))
    });
    bodies(words).any(|body| {
        let body = body.strip_prefix("payload=").unwrap_or(&body);
        let starts = |key: &&str| body.starts_with(key);
        MESSAGES.iter().any(starts)
            || ADDRESSED.iter().any(starts) && body.contains(",text:")
            || is_hook && TEXTS.iter().any(|key| body.contains(key))
    })
}

/// Whether a POST sends a JSON object, written in the command, with one of the keys at its top.
pub(crate) fn sends_key(words: &[&str], keys: &[&str]) -> bool {
    let has_key = |body: String| {
        let own = body.strip_prefix('{').unwrap_or_default();
        keys.iter().any(|key| own.starts_with(key) || own.contains(&format!(",{key}")))
    };
    request(words, false).is_some_and(|request| request.method == "POST")
        && bodies(words).any(has_key)
}

/// How the address of a chat or of a monitor is called.
const HOOKS: [&str; 4] = ["alert", "hooks.", "notif", "webhook"];

/// Keys of a body that hold a text for people.
const TEXTS: [&str; 6] = ["attachments:", "content:", "message:", "summary:", "text:", "title:"];

/// How the body of a message starts, without quotes and blanks.
const MESSAGES: [&str; 5] = ["{text:", "{attachments:", "{blocks:", "{embeds:", "{cardsV2:"];

/// How a body starts that holds a text further behind.
const ADDRESSED: [&str; 3] = ["{channel:", "{username:", "{icon_emoji:"];

fn named(word: &str) -> Option<&'static str> {
    METHODS.iter().find(|method| **method == word).copied()
}

fn curl_method(words: &[&str]) -> &'static str {
    for (index, word) in words.iter().enumerate() {
        let flag = word.starts_with('-') && !word.starts_with("--");
        let value = if *word == "--request" || (flag && word.ends_with('X') && word.len() < 6) {
            words.get(index + 1).copied()
        } else {
            word.strip_prefix("-X").or_else(|| word.strip_prefix("--request="))
        };
        if let Some(value) = value {
            return named(value).unwrap_or("GET");
        }
    }
    let data = |word: &&str| {
        DATA.contains(word)
            || word.starts_with("--data")
            || (word.starts_with("-d") && word.len() > 2)
    };
    if has_flag(words, "-T") || has_flag(words, "--upload-file") {
        "PUT"
    } else if has_flag(words, "-G") || has_flag(words, "--get") {
        "GET"
    } else if words.iter().any(data) || words.contains(&"--json") || has_flag(words, "-d") {
        "POST"
    } else if has_flag(words, "-I") || has_flag(words, "--head") {
        "HEAD"
    } else {
        "GET"
    }
}

fn wget_method(words: &[&str]) -> &'static str {
    let method = words.iter().find_map(|word| named(word.strip_prefix("--method=")?));
    let posts =
        words.iter().any(|word| word.starts_with("--post-data") || word.starts_with("--post-file"));
    method.unwrap_or(if posts { "POST" } else { "GET" })
}
