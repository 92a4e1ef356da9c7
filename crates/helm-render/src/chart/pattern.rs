//! Go's `filepath.Match`.

/// A malformed pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadPattern;

/// Whether `pattern` matches the whole of `name`; `*` and `?` do not match `/`.
///
/// # Errors
///
/// The pattern is malformed. Like Go, this stops reading the pattern once the match is decided.
pub(crate) fn matches(mut pattern: &[u8], mut name: &[u8]) -> Result<bool, BadPattern> {
    while !pattern.is_empty() {
        let (has_star, chunk, rest) = next_chunk(pattern);
        pattern = rest;
        if has_star && chunk.is_empty() {
            return Ok(!name.contains(&b'/'));
        }
        if let Some(left) = match_chunk(chunk, name)?
            && (left.is_empty() || !pattern.is_empty())
        {
            name = left;
            continue;
        }
        match has_star.then(|| skip(pattern, chunk, name)).transpose()?.flatten() {
            Some(left) => name = left,
            None => return Ok(false),
        }
    }
    Ok(name.is_empty())
}

/// The rest of `name` after a star, which matches no `/`, and the chunk behind it.
fn skip<'n>(pattern: &[u8], chunk: &[u8], name: &'n [u8]) -> Result<Option<&'n [u8]>, BadPattern> {
    let reach = name.iter().position(|&byte| byte == b'/').unwrap_or(name.len());
    for skipped in 1..=reach {
        if let Some(left) = match_chunk(chunk, &name[skipped..])?
            && (!pattern.is_empty() || left.is_empty())
        {
            return Ok(Some(left));
        }
    }
    Ok(None)
}

/// Whether the pattern starts with a star, its text up to the next star, and the rest.
fn next_chunk(pattern: &[u8]) -> (bool, &[u8], &[u8]) {
    let stars = pattern.iter().take_while(|&&byte| byte == b'*').count();
    let pattern = &pattern[stars..];
    let mut in_range = false;
    let mut at = 0;
    while at < pattern.len() {
        match pattern[at] {
            b'\\' if at + 1 < pattern.len() => at += 1,
            b'[' => in_range = true,
            b']' => in_range = false,
            b'*' if !in_range => break,
            _ => {}
        }
        at += 1;
    }
    (stars > 0, &pattern[..at], &pattern[at..])
}

/// The rest of `text` after the chunk, if the chunk matches at its start.
fn match_chunk<'t>(mut chunk: &[u8], mut text: &'t [u8]) -> Result<Option<&'t [u8]>, BadPattern> {
    let mut has_failed = false;
    while let Some(&first) = chunk.first() {
        has_failed |= text.is_empty();
        match first {
            b'[' => {
                let (rune, len) = if has_failed { (0, 0) } else { decode(text) };
                text = &text[len..];
                let (is_inside, rest) = match_range(&chunk[1..], rune)?;
                has_failed |= !is_inside;
                chunk = rest;
            }
            b'?' => {
                if !has_failed {
                    has_failed |= text[0] == b'/';
                    text = &text[decode(text).1..];
                }
                chunk = &chunk[1..];
            }
            _ => {
                if first == b'\\' {
                    chunk = &chunk[1..];
                }
                let Some(&literal) = chunk.first() else { return Err(BadPattern) };
                if !has_failed {
                    has_failed |= literal != text[0];
                    text = &text[1..];
                }
                chunk = &chunk[1..];
            }
        }
    }
    Ok((!has_failed).then_some(text))
}

/// Whether a rune is in the character class that starts after `[`, and the pattern behind the
/// class.
fn match_range(mut chunk: &[u8], rune: u32) -> Result<(bool, &[u8]), BadPattern> {
    let is_negated = chunk.first() == Some(&b'^');
    chunk = &chunk[usize::from(is_negated)..];
    let mut is_inside = false;
    let mut count = 0;
    loop {
        if chunk.first() == Some(&b']') && count > 0 {
            return Ok((is_inside != is_negated, &chunk[1..]));
        }
        let (low, rest) = bound(chunk)?;
        chunk = rest;
        let mut high = low;
        if chunk.first() == Some(&b'-') {
            (high, chunk) = bound(&chunk[1..])?;
        }
        is_inside |= (low..=high).contains(&rune);
        count += 1;
    }
}

/// One end of a range.
fn bound(chunk: &[u8]) -> Result<(u32, &[u8]), BadPattern> {
    let chunk = match chunk {
        [] | [b'-' | b']', ..] => return Err(BadPattern),
        [b'\\', rest @ ..] => rest,
        _ => chunk,
    };
    if chunk.is_empty() {
        return Err(BadPattern);
    }
    let (rune, len) = decode(chunk);
    let rest = &chunk[len..];
    if (rune == 0xFFFD && len == 1) || rest.is_empty() {
        return Err(BadPattern);
    }
    Ok((rune, rest))
}

fn decode(bytes: &[u8]) -> (u32, usize) {
    go_template::runes::decode(bytes).map_or((0, 0), |(rune, len)| (rune.into(), len))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the tests of Go's `path/filepath` (`match_test.go`).
    #[test]
    fn matches_like_go() {
        for (pattern, name, expected) in [
            ("abc", "abc", Ok(true)),
            ("*", "abc", Ok(true)),
            ("*c", "abc", Ok(true)),
            ("a*", "a", Ok(true)),
            ("a*", "ab/c", Ok(false)),
            ("a*/b", "abc/b", Ok(true)),
            ("a*/b", "a/c/b", Ok(false)),
            ("a*b*c*d*e*/f", "axbxcxdxexxx/f", Ok(true)),
            ("a*b?c*x", "abxbbxdbxebxczzx", Ok(true)),
            ("a*b?c*x", "abxbbxdbxebxczzy", Ok(false)),
            ("ab[c]", "abc", Ok(true)),
            ("ab[e-g]", "abc", Ok(false)),
            ("ab[^e-g]", "abc", Ok(true)),
            ("a\\*b", "a*b", Ok(true)),
            ("a?b", "a☺b", Ok(true)),
            ("a[^a][^a][^a]b", "a☺b", Ok(false)),
            ("a?b", "a/b", Ok(false)),
            ("[\\]a]", "]", Ok(true)),
            ("[]a]", "]", Err(BadPattern)),
            ("[x-]", "x", Err(BadPattern)),
            ("[a-b-c]", "a", Err(BadPattern)),
            ("[", "a", Err(BadPattern)),
            ("a[", "a", Err(BadPattern)),
            ("a[", "ab", Err(BadPattern)),
            ("*x", "xxx", Ok(true)),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        }
    }
}
