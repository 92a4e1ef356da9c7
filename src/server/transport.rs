//! Frames of the protocol: headers, then JSON. A message that cannot be read becomes an event, and the next one is read.

use std::io::{self, BufRead, Read, Write};

use lsp_server::{ErrorCode, Message, RequestId};
use serde_json::{Value, json};

/// The longest message that is kept, in bytes.
const LONGEST: u64 = 256 << 20;
/// The longest line of a header, in bytes.
const LONGEST_LINE: u64 = 4096;

/// What was read.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A message of the protocol.
    Message(Message),
    /// Something else; the client is told what is wrong with it.
    Malformed(Malformed),
}

/// A message that cannot be answered, only refused.
#[derive(Debug)]
pub(super) struct Malformed {
    id: Option<RequestId>,
    code: ErrorCode,
    reason: String,
}

/// Reads the next message; `None` at the end.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let length = match header(input)? {
        Header::End => return Ok(None),
        Header::Length(length) => length,
        Header::Wrong(reason) => return Ok(Some(refused(ErrorCode::ParseError, reason))),
    };
    let mut body = input.by_ref().take(length);
    if length > LONGEST {
        io::copy(&mut body, &mut io::sink())?;
        let reason = format!("a message of {length} bytes is too long");
        return Ok(Some(refused(ErrorCode::InvalidRequest, reason)));
    }
    let mut bytes = Vec::new();
    body.read_to_end(&mut bytes)?;
    Ok(((bytes.len() as u64) == length).then(|| parsed(&bytes)))
}

/// The headers of a message.
enum Header {
    End,
    Length(u64),
    Wrong(String),
}

fn header(input: &mut impl BufRead) -> io::Result<Header> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(Header::End);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        match (line.split_once(':'), length) {
            (None, Some(length)) if line.is_empty() => return Ok(Header::Length(length)),
            // Blank lines between messages do no harm.
            (None, None) if line.is_empty() => {}
            (Some((name, value)), _) if name.eq_ignore_ascii_case("content-length") => {
                match value.trim().parse() {
                    Ok(value) => length = Some(value),
                    Err(_) => return Ok(Header::Wrong(format!("`{line}` is no length"))),
                }
            }
            (Some((name, _)), _) if name.eq_ignore_ascii_case("content-type") => {}
            _ => return Ok(Header::Wrong(format!("`{line}` is no header"))),
        }
    }
}

fn parsed(bytes: &[u8]) -> Incoming {
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => return refused(ErrorCode::ParseError, error.to_string()),
    };
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    match serde_json::from_value(value) {
        Ok(message) => Incoming::Message(message),
        Err(_) => {
            let reason = "this is no message of the protocol".to_owned();
            Incoming::Malformed(Malformed { id, code: ErrorCode::InvalidRequest, reason })
        }
    }
}

fn refused(code: ErrorCode, reason: String) -> Incoming {
    Incoming::Malformed(Malformed { id: None, code, reason })
}

impl Malformed {
    /// Writes the refusal. An unknown id is null, which no other answer may have.
    ///
    /// # Errors
    /// The output is closed.
    pub(super) fn answer(&self, output: &mut impl Write) -> io::Result<()> {
        let error = json!({ "code": self.code as i32, "message": self.reason });
        let text = json!({ "jsonrpc": "2.0", "id": self.id, "error": error }).to_string();
        write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut input = text.as_bytes();
        let next = || read(&mut input).unwrap();
        let shown = |incoming| match incoming {
            Incoming::Message(Message::Request(request)) => request.method,
            Incoming::Message(Message::Notification(own)) => own.method,
            Incoming::Message(Message::Response(_)) => "response".to_owned(),
            Incoming::Malformed(own) => format!("{} {}", own.code as i32, own.reason),
        };
        std::iter::from_fn(next).map(shown).collect()
    }

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn a_bad_message_leaves_the_next_one() {
        let good = framed(r#"{"jsonrpc":"2.0","method":"a"}"#);
        let request = framed(r#"{"jsonrpc":"2.0","id":1,"method":"b"}"#);
        assert_eq!(all(&format!("{good}{request}")), ["a", "b"]);
        let broken = all(&format!("{}{good}", framed("{")));
        assert!(broken[0].starts_with("-32700 EOF"), "{broken:?}");
        assert_eq!(broken[1], "a");
        let other = all(&format!("{}{good}", framed("[1]")));
        assert_eq!(other, ["-32600 this is no message of the protocol", "a"]);
        let noise = all(&format!("noise\r\n{good}"));
        assert_eq!(noise, ["-32700 `noise` is no header", "a"]);
        let length = all(&format!("Content-Length: -1\r\n\r\n{good}"));
        assert_eq!(length, ["-32700 `Content-Length: -1` is no length", "a"]);
    }

    #[test]
    fn nothing_is_allocated_for_a_length_that_is_not_sent() {
        assert_eq!(
            all("Content-Length: 9999999999999\r\n\r\n{}"),
            ["-32600 a message of 9999999999999 bytes is too long"]
        );
        assert_eq!(all("Content-Length: 9999999\r\n\r\n{}"), Vec::<String>::new());
    }
}
