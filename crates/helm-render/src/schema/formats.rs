//! The formats that older drafts assert, with the messages of the validator's `format.go`.

use std::net::Ipv6Addr;

/// Checks the format of a text; unknown formats always match.
pub(super) fn check(format: &str, text: &str) -> Result<(), String> {
    match format {
        "ipv4" => ipv4(text),
        "ipv6" => ipv6(text),
        "hostname" => hostname(text),
        "email" => email(text),
        "uri" | "iri" => uri(text),
        "date" => date(text).map_err(str::to_owned),
        "date-time" => date_time(text),
        "regex" => regex::Regex::new(text).map(drop).map_err(|_| "invalid regex".into()),
        "uuid" => uuid(text),
        _ => Ok(()),
    }
}

fn ipv4(text: &str) -> Result<(), String> {
    let parts: Vec<&str> = text.split('.').collect();
    if parts.len() != 4 {
        return Err("expected four decimals".into());
    }
    for part in parts {
        let has_zero = part.len() > 1 && part.starts_with('0');
        match part.parse::<u32>() {
            _ if has_zero => return Err("leading zeros".into()),
            Ok(number) if number > 255 => return Err("decimal must be between 0 and 255".into()),
            Ok(_) => {}
            Err(_) => return Err(format!("strconv.Atoi: parsing {part:?}: invalid syntax")),
        }
    }
    Ok(())
}

fn ipv6(text: &str) -> Result<(), String> {
    if !text.contains(':') {
        return Err("missing colon".into());
    }
    text.parse::<Ipv6Addr>().map(drop).map_err(|_| "invalid ip address".into())
}

fn hostname(text: &str) -> Result<(), String> {
    let text = text.strip_suffix('.').unwrap_or(text);
    if text.len() > 253 {
        return Err("more than 253 characters long".into());
    }
    for label in text.split('.') {
        if !(1..=63).contains(&label.len()) {
            return Err("label must be 1 to 63 characters long".into());
        }
        if label.starts_with('-') {
            return Err("label starts with hyphen".into());
        }
        if label.ends_with('-') {
            return Err("label ends with hyphen".into());
        }
        if let Some(c) = label.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '-') {
            return Err(format!("invalid character {c:?}"));
        }
    }
    Ok(())
}

fn email(text: &str) -> Result<(), String> {
    if text.len() > 254 {
        return Err("more than 255 characters long".into());
    }
    let Some((local, domain)) = text.rsplit_once('@') else { return Err("missing @".into()) };
    if local.len() > 64 {
        return Err("local part more than 64 characters long".into());
    }
    if local.starts_with('.') {
        return Err("starts with dot".into());
    }
    if local.ends_with('.') {
        return Err("ends with dot".into());
    }
    if local.contains("..") {
        return Err("consecutive dots".into());
    }
    hostname(domain).map_err(|problem| format!("invalid domain: {problem}"))
}

fn uri(text: &str) -> Result<(), String> {
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    if is_scheme { Ok(()) } else { Err("relative url".into()) }
}

fn date(text: &str) -> Result<(), &'static str> {
    const PROBLEM: &str = "invalid date";
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return Err(PROBLEM) };
    if (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return Err(PROBLEM);
    }
    let number = |text: &str| text.parse::<u32>().map_err(|_| PROBLEM);
    let (year, month, day) = (number(year)?, number(month)?, number(day)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return Err(PROBLEM),
    };
    if (1..=days).contains(&day) { Ok(()) } else { Err(PROBLEM) }
}

fn date_time(text: &str) -> Result<(), String> {
    if text.len() < 20 {
        return Err("less than 20 characters long".into());
    }
    let Some((day, time)) = text.split_at_checked(10) else { return Err("invalid date".into()) };
    if !time.starts_with(['T', 't']) {
        return Err("11th character must be t or T".into());
    }
    date(day).map_err(|_| "invalid date element")?;
    let clock: Vec<_> = time[1..].get(..8).unwrap_or_default().split(':').collect();
    let is_clock = clock.len() == 3 && clock.iter().all(|part| part.parse::<u8>().is_ok());
    if is_clock { Ok(()) } else { Err("invalid time element".into()) }
}

fn uuid(text: &str) -> Result<(), String> {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    let is_hex = text.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    if lengths == [8, 4, 4, 4, 12] && is_hex { Ok(()) } else { Err("invalid uuid".into()) }
}
