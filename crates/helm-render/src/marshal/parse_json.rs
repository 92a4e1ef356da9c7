//! Parsing JSON as `encoding/json` does, with its error messages.

use std::collections::BTreeMap;

use go_template::{Key, Value, quote::quote, runes::decode};

use super::{json::MarshalError, unmarshal::Decoder};

/// Go's limit for nesting.
const MAX_DEPTH: usize = 10_000;

pub(super) fn parse(text: &[u8], decoder: &mut Decoder<'_, '_>) -> Result<Value, MarshalError> {
    let mut parser = Parser { text, at: 0, depth: 0, decoder };
    let value = parser.value()?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(value),
        Some(byte) => Err(unexpected(byte, "after top-level value")),
    }
}

struct Parser<'t, 'd, 'c, 'e> {
    text: &'t [u8],
    at: usize,
    depth: usize,
    decoder: &'d mut Decoder<'c, 'e>,
}

/// The byte that Go's scanner receives at the end of the text before it reports the end.
const AT_END: u8 = b' ';

fn unexpected(byte: u8, place: &str) -> MarshalError {
    let shown = match byte {
        b'\'' => r"\'".to_owned(),
        b'"' => "\"".to_owned(),
        _ => {
            let quoted = quote(char::from(byte).to_string().as_bytes());
            quoted[1..quoted.len() - 1].to_owned()
        }
    };
    MarshalError::new(format!("invalid character '{shown}' {place}"))
}

fn end_of_input() -> MarshalError {
    MarshalError::new("unexpected end of JSON input")
}

impl Parser<'_, '_, '_, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// The next byte that is not white space.
    fn next_token(&mut self) -> Result<u8, MarshalError> {
        self.skip_space();
        self.peek().ok_or_else(end_of_input)
    }

    fn value(&mut self) -> Result<Value, MarshalError> {
        let start = self.next_token().map(|_| self.at)?;
        match self.text[start] {
            b'{' => self.object(),
            b'[' => self.array(),
            b'"' => {
                let text = self.string()?;
                Ok(self.decoder.string(&text, start..self.at))
            }
            b't' => self.literal("true", Value::from(true)),
            b'f' => self.literal("false", Value::from(false)),
            b'n' => self.literal("null", Value::NIL),
            b'-' | b'0'..=b'9' => self.number(),
            byte => Err(unexpected(byte, "looking for beginning of value")),
        }
    }

    fn descend(&mut self) -> Result<(), MarshalError> {
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(MarshalError::new("exceeded max depth"));
        }
        self.decoder.check()
    }

    fn object(&mut self) -> Result<Value, MarshalError> {
        self.descend()?;
        let mut entries = BTreeMap::new();
        let mut is_first = true;
        loop {
            match self.next_token()? {
                b'}' if is_first => break,
                b'"' => {}
                byte => {
                    return Err(unexpected(byte, "looking for beginning of object key string"));
                }
            }
            is_first = false;
            let key = self.string()?;
            match self.next_token()? {
                b':' => self.at += 1,
                byte => return Err(unexpected(byte, "after object key")),
            }
            let value = self.value()?;
            entries.insert(Key::from(String::from_utf8_lossy(&key)), value);
            match self.next_token()? {
                b',' => self.at += 1,
                b'}' => break,
                byte => return Err(unexpected(byte, "after object key:value pair")),
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(self.decoder.map(entries))
    }

    fn array(&mut self) -> Result<Value, MarshalError> {
        self.descend()?;
        let mut items = Vec::new();
        if self.next_token()? != b']' {
            loop {
                items.push(self.value()?);
                match self.next_token()? {
                    b',' => self.at += 1,
                    b']' => break,
                    byte => return Err(unexpected(byte, "after array element")),
                }
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(self.decoder.list(items))
    }

    fn literal(&mut self, word: &str, value: Value) -> Result<Value, MarshalError> {
        let start = self.at;
        for expected in word.bytes() {
            match self.peek() {
                Some(byte) if byte == expected => self.at += 1,
                other => {
                    let expected = char::from(expected);
                    let place = format!("in literal {word} (expecting '{expected}')");
                    return Err(unexpected(other.unwrap_or(AT_END), &place));
                }
            }
        }
        Ok(self.decoder.scalar(value, start..self.at))
    }

    fn number(&mut self) -> Result<Value, MarshalError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits("in numeric literal")?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits("after decimal point in numeric literal")?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits("in exponent of numeric literal")?;
        }
        let text = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => {
                Ok(self.decoder.scalar(Value::from(number), start..self.at))
            }
            _ => {
                let problem = format!("json: cannot unmarshal number {text}");
                Err(MarshalError::new(format!("{problem} into Go value of type float64")))
            }
        }
    }

    fn digits(&mut self, place: &str) -> Result<(), MarshalError> {
        match self.peek() {
            Some(b'0'..=b'9') => {}
            other => return Err(unexpected(other.unwrap_or(AT_END), place)),
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    /// A string as UTF-8, with invalid bytes replaced.
    fn string(&mut self) -> Result<Vec<u8>, MarshalError> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let byte = self.peek().ok_or_else(end_of_input)?;
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(out);
                }
                b'\\' => {
                    self.at += 1;
                    let c = self.escape()?;
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                ..b' ' => return Err(unexpected(byte, "in string literal")),
                _ => {
                    let (c, len) = decode(&self.text[self.at..]).unwrap_or((' ', 1));
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    self.at += len;
                }
            }
        }
    }

    /// The escape sequence after a backslash.
    fn escape(&mut self) -> Result<char, MarshalError> {
        let byte = self.peek().unwrap_or(AT_END);
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\x08',
            b'f' => '\x0c',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex()?;
                if (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with(b"\\u") {
                    let after_high = self.at;
                    self.at += 2;
                    let low = self.hex()?;
                    if (0xdc00..0xe000).contains(&low) {
                        let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                        return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    self.at = after_high;
                }
                char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(unexpected(byte, "in string escape code")),
        })
    }

    fn hex(&mut self) -> Result<u32, MarshalError> {
        let mut value = 0;
        for _ in 0..4 {
            let byte = self.peek().unwrap_or(AT_END);
            let Some(digit) = char::from(byte).to_digit(16) else {
                return Err(unexpected(byte, "in \\u hexadecimal character escape"));
            };
            value = value << 4 | digit;
            self.at += 1;
        }
        Ok(value)
    }
}
