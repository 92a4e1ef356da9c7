//! Shell patterns as `fluxcd/pkg/envsubst/path` matches them: a port of Go's `path.Match` in which `*` matches `/` too.

/// Whether a text matches a pattern; `None` if the pattern is malformed and the text goes as far as the flaw.
pub(super) fn matches(mut pattern: &[u8], mut text: &[u8]) -> Option<bool> {
    'pattern: while !pattern.is_empty() {
        let (has_star, chunk, rest) = split(pattern);
        pattern = rest;
        if has_star && chunk.is_empty() {
            return Some(true);
        }
        match after(chunk, text)? {
            Some(left) if left.is_empty() || !pattern.is_empty() => {
                text = left;
                continue;
            }
            _ => {}
        }
        if has_star {
            for start in 1..=text.len() {
                match after(chunk, &text[start..])? {
                    Some(left) if pattern.is_empty() && !left.is_empty() => {}
                    Some(left) => {
                        text = left;
                        continue 'pattern;
                    }
                    None => {}
                }
            }
        }
        return Some(false);
    }
    Some(text.is_empty())
}

/// Whether the pattern starts with stars, what follows them up to the next star, and the rest.
fn split(pattern: &[u8]) -> (bool, &[u8], &[u8]) {
    let stars = pattern.iter().take_while(|byte| **byte == b'*').count();
    let pattern_left = &pattern[stars..];
    let (mut in_class, mut at) = (false, 0);
    while at < pattern_left.len() {
        match pattern_left[at] {
            b'\\' if at + 1 < pattern_left.len() => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'*' if !in_class => break,
            _ => {}
        }
        at += 1;
    }
    (stars > 0, &pattern_left[..at], &pattern_left[at..])
}

/// The rest of a text whose start matches a part of a pattern without stars.
fn after<'t>(mut chunk: &[u8], mut text: &'t [u8]) -> Option<Option<&'t [u8]>> {
    while let Some(first) = chunk.first() {
        if text.is_empty() {
            return Some(None);
        }
        match first {
            b'[' => {
                let (letter, size) = letter(text);
                text = &text[size..];
                let (found, rest) = class(&chunk[1..], letter)?;
                chunk = rest;
                if !found {
                    return Some(None);
                }
            }
            b'?' => {
                text = &text[letter(text).1..];
                chunk = &chunk[1..];
            }
            _ => {
                if *first == b'\\' {
                    chunk = &chunk[1..];
                }
                if *chunk.first()? != text[0] {
                    return Some(None);
                }
                text = &text[1..];
                chunk = &chunk[1..];
            }
        }
    }
    Some(Some(text))
}

/// Whether a letter is in a class, and what follows the class.
fn class(mut chunk: &[u8], letter: char) -> Option<(bool, &[u8])> {
    let is_negated = chunk.first() == Some(&b'^');
    if is_negated {
        chunk = &chunk[1..];
    }
    let (mut found, mut ranges) = (false, 0);
    loop {
        if ranges > 0 && chunk.first() == Some(&b']') {
            return Some((found != is_negated, &chunk[1..]));
        }
        let (low, rest) = member(chunk)?;
        let (high, rest) = match rest[0] {
            b'-' => member(&rest[1..])?,
            _ => (low, rest),
        };
        chunk = rest;
        found |= low <= letter && letter <= high;
        ranges += 1;
    }
}

/// A letter of a class, and what follows it, which is not empty.
fn member(mut chunk: &[u8]) -> Option<(char, &[u8])> {
    if matches!(chunk.first()?, b'-' | b']') {
        return None;
    }
    if chunk[0] == b'\\' {
        chunk = &chunk[1..];
    }
    let (letter, size) = letter(chunk);
    let rest = chunk.get(size..).filter(|rest| !rest.is_empty())?;
    Some((letter, rest))
}

/// The first letter of a text and its bytes. The part of a cut letter is a letter that matches nothing else.
fn letter(text: &[u8]) -> (char, usize) {
    let start = &text[..text.len().min(4)];
    let valid = match std::str::from_utf8(start) {
        Ok(valid) => valid,
        Err(error) => std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
    };
    match valid.chars().next() {
        Some(letter) => (letter, letter.len_utf8()),
        None => (char::REPLACEMENT_CHARACTER, 1),
    }
}
