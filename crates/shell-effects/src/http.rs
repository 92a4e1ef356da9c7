//! Requests by curl, wget and HTTPie.

use super::{
    analysis::Hide,
    pattern::{has_flag, program_name},
};

/// What a command line asks a server.
pub(super) struct Request {
    pub method: &'static str,
    /// Set when the client exits with 0 after an error status.
    pub hidden: Option<Hide>,
}

const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];

/// Flags of curl that send a body, and so POST.
const DATA: [&str; 7] =
    ["-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "-F", "--form"];

/// What makes curl print the status of the answer.
const CODES: [&str; 2] = ["http_code", "response_code"];

/// The request a command line makes, if its program is a client; whether something reads what it prints.
pub(super) fn request(words: &[&str], captured: bool) -> Option<Request> {
    let method = match program_name(words.first()?) {
        "curl" => curl_method(words),
        "wget" => wget_method(words),
        "http" | "https" | "xh" => words.iter().find_map(|word| named(word)).unwrap_or("GET"),
        _ => return None,
    };
    let curl = program_name(words[0]) == "curl";
    let fails = ["-f", "--fail", "--fail-with-body", "--fail-early"];
    let checked =
        fails.iter().any(|flag| has_flag(words, flag)) || captured && prints_status(words);
    // With `--fail` a second `DELETE` would be an error, so it is left out on purpose.
    let hidden = (curl && !checked && method != "DELETE")
        .then_some(Hide::Client("`curl` without `--fail` exits with 0 after an error status"));
    Some(Request { method, hidden })
}

/// Whether curl is told to print the status of the answer.
pub(super) fn prints_status(words: &[&str]) -> bool {
    words.first().is_some_and(|first| program_name(first) == "curl")
        && words.iter().any(|word| CODES.iter().any(|code| word.contains(code)))
}

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
