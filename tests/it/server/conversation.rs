//! How a conversation starts and ends, and what the server makes of messages that it cannot use.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::tree;

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_conversation_starts_and_ends() {
    let folder = tree(&[]);
    let mut client = Client::start(folder.path());
    assert_eq!(code(&client.request("textDocument/hover", json!({}))), -32002);
    assert_eq!(code(&client.request("initialize", json!({ "capabilities": 1 }))), -32602);
    let answer = client.request("initialize", json!({ "capabilities": {} }));
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(capabilities["positionEncoding"], "utf-16", "what every client knows");
    assert_eq!(capabilities["textDocumentSync"]["change"], 2, "incremental");
    assert_eq!(answer["result"]["serverInfo"]["name"], "joblint");
    assert_eq!(code(&client.request("initialize", json!({ "capabilities": {} }))), -32600);
    let answer = client.request("shutdown", Value::Null);
    assert!(answer.get("error").is_none() && answer["result"].is_null(), "{answer}");
    assert_eq!(code(&client.request("textDocument/hover", json!({}))), -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.end(), 0);
}

#[test]
fn a_client_may_leave_without_exit() {
    let folder = tree(&[]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.request("shutdown", Value::Null);
    assert_eq!(client.leave(), 0);
    let client = Client::in_folder(folder.path(), "utf-16");
    assert_eq!(client.leave(), 1, "without `shutdown`");
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.notify("exit", Value::Null);
    assert_eq!(client.end(), 1, "without `shutdown`");
}

#[test]
fn messages_that_cannot_be_used_do_not_end_the_server() {
    let folder = tree(&[]);
    let mut client = Client::in_folder(folder.path(), "utf-8");
    client.raw(b"Content-Length: 7\r\n\r\n{\"id\":1");
    client.raw(b"Content-Length: 2\r\n\r\n[]");
    client.raw(b"hello\r\n");
    client.wait(|client| (client.refusals.len() == 3).then_some(()));
    let codes: Vec<_> = client.refusals.iter().map(code).collect();
    assert_eq!(codes, [-32700, -32600, -32700]);
    assert!(client.refusals.iter().all(|one| one["id"].is_null()));
    assert_eq!(code(&client.request("textDocument/unknown", json!({}))), -32601);
    assert_eq!(code(&client.request("textDocument/hover", json!({ "position": 1 }))), -32602);
    client.notify("$/unknown", json!({}));
    client.notify("textDocument/didOpen", json!({ "textDocument": 1 }));
    let range =
        json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 0, "character": 0 } });
    let document = json!({ "uri": client.uri("a.yaml"), "version": 2 });
    let change = json!({ "textDocument": document, "contentChanges": [{ "text": "" }] });
    client.notify("textDocument/didChange", change);
    client.open("a.yaml", "a: 1\nb: 2\n");
    client.change("a.yaml", json!({ "range": range, "text": "" }));
    let huge = json!({ "line": u32::MAX, "character": u32::MAX });
    client.change("a.yaml", json!({ "range": { "start": huge, "end": huge }, "text": "c: 3\n" }));
    client.open("untitled", "a: 1\n");
    client.hover("a.yaml", 0, 0);
    assert_eq!(client.log.len(), 3, "{:?}", client.log);
    assert!(client.log[0].starts_with("textDocument/didOpen: "), "{:?}", client.log);
    assert!(client.log[1].ends_with("changed, but not open"), "{:?}", client.log);
    assert!(client.log[2].ends_with("a range ends before it starts"), "{:?}", client.log);
}

/// A request that waits for a check can be cancelled. The check may be faster than the cancellation, so several
/// are tried; each has an answer.
#[test]
fn a_waiting_request_is_cancelled() {
    let folder = tree(&[]);
    let mut client = Client::in_folder(folder.path(), "utf-8");
    client.open("a.yaml", "apiVersion: batch/v1\nkind: Job\n");
    let is_cancelled = |client: &mut Client| {
        client.change("a.yaml", json!({ "text": "apiVersion: batch/v1\nkind: Job\n# more\n" }));
        let position = json!({ "line": 0, "character": 0 });
        let params = json!({ "textDocument": client.document("a.yaml"), "position": position });
        let id = client.ask("textDocument/hover", params);
        client.notify("$/cancelRequest", json!({ "id": id }));
        let answer = client.answer(id);
        assert!(answer.get("result").is_some() || code(&answer) == -32800, "{answer}");
        answer.get("error").is_some()
    };
    assert!((0..50).any(|_| is_cancelled(&mut client)));
    client.notify("$/cancelRequest", json!({ "id": "none" }));
    client.hover("a.yaml", 0, 0);
}
