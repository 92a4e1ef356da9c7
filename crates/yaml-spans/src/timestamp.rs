//! Timestamps of YAML 1.1, as go-yaml reads them.

/// The time of a timestamp in RFC 3339, as Go prints it in JSON: `2001-1-2` is `2001-01-02T00:00:00Z`. `None` if go-yaml
/// does not read the text as a timestamp.
pub fn timestamp(text: &str) -> Option<String> {
    let split = text.find(['T', 't', ' ']);
    let (date, time) = match split {
        Some(at) => (&text[..at], Some((&text[at..=at], &text[at + 1..]))),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let is_year = |year: &&str| year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit());
    let year = parts.next().filter(is_year)?;
    let (month, day) = (part(parts.next()?, 1, 12)?, part(parts.next()?, 1, 31)?);
    if parts.next().is_some() || day > days(year.parse().ok()?, month) {
        return None;
    }
    let date = format!("{year}-{month:02}-{day:02}");
    let Some((mark, time)) = time else { return Some(format!("{date}T00:00:00Z")) };
    let (clock, zone) = match time.find(['Z', '+', '-']) {
        Some(at) if mark != " " => (&time[..at], &time[at..]),
        None if mark == " " => (time, "Z"),
        _ => return None,
    };
    Some(format!("{date}T{}{}", clock_of(clock)?, zone_of(zone)?))
}

fn part(text: &str, least: u32, most: u32) -> Option<u32> {
    let fits = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten().filter(|number| (least..=most).contains(number))
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn clock_of(text: &str) -> Option<String> {
    let (clock, fraction) = match text.split_once(['.', ',']) {
        Some((_, "")) => return None,
        split => split.unwrap_or((text, "")),
    };
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut parts = clock.split(':');
    let (hour, minute, second) =
        (part(parts.next()?, 0, 23)?, part(parts.next()?, 0, 59)?, part(parts.next()?, 0, 59)?);
    let fraction = fraction.get(..9).unwrap_or(fraction).trim_end_matches('0');
    let fraction = if fraction.is_empty() { String::new() } else { format!(".{fraction}") };
    parts.next().is_none().then(|| format!("{hour:02}:{minute:02}:{second:02}{fraction}"))
}

/// Go accepts 60 minutes, and prints them as an hour.
fn zone_of(text: &str) -> Option<String> {
    if text == "Z" {
        return Some("Z".into());
    }
    let (sign, zone) = text.split_at_checked(1)?;
    let (hours, minutes) = zone.split_once(':')?;
    let in_range = |text: &str, most| part(text, 0, most).filter(|_| text.len() == 2);
    let minutes = in_range(hours, 24)? * 60 + in_range(minutes, 60)?;
    Some(match minutes {
        0 => "Z".into(),
        _ => format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `time.Parse` of Go 1.26 with the layouts of go-yaml, printed as RFC 3339.
    #[test]
    fn times() {
        for (text, expected) in [
            ("2001-12-14t21:59:43.10-05:00", Some("2001-12-14T21:59:43.1-05:00")),
            ("2001-1-2 1:2:3", Some("2001-01-02T01:02:03Z")),
            ("2001-1-31T1:2:3,5Z", Some("2001-01-31T01:02:03.5Z")),
            ("2001-1-31T1:2:3+24:00", Some("2001-01-31T01:02:03+24:00")),
            ("2001-1-31T1:2:3+01:60", Some("2001-01-31T01:02:03+02:00")),
            ("2001-1-31T1:2:3-00:00", Some("2001-01-31T01:02:03Z")),
            ("2001-1-2 1:2:3Z", None),
            ("2001-1-31T1:2:3.Z", None),
            ("2001-1-31T1:2:3+25:00", None),
            ("2001-2-29", None),
        ] {
            assert_eq!(timestamp(text).as_deref(), expected, "{text}");
        }
    }
}
