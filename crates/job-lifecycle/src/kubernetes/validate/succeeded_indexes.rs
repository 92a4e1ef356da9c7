//! `succeededIndexes` of a success policy: lists of indexes and intervals such as `1,3-5` (`validateIndexesFormat`).

use std::{error::Error, fmt};

/// Why a text is not a list of indexes. Displays as the API server words it.
#[derive(Debug)]
pub(super) enum IndexesError {
    /// An interval with more than two parts.
    TooManyParts(String),
    /// An index that does not come after the one before it.
    NotIncreasing { previous: i64, current: i64 },
    /// Not an integer.
    NotAnInteger(String),
    /// An index that is not below `completions`.
    TooLarge(String),
}

/// The number of indexes that a text names.
pub(super) fn count(text: &str, completions: i64) -> Result<i64, IndexesError> {
    let (mut total, mut last) = (0, None);
    for interval in text.split(',').filter(|_| !text.is_empty()) {
        let parts: Vec<_> = interval.split('-').collect();
        if parts.len() > 2 {
            return Err(IndexesError::TooManyParts(interval.to_owned()));
        }
        let limits: Vec<_> =
            parts.iter().map(|part| index(part, completions)).collect::<Result<_, _>>()?;
        let (low, high) = (limits[0], limits[limits.len() - 1]);
        if limits.len() > 1 && low >= high {
            return Err(IndexesError::NotIncreasing { previous: low, current: high });
        }
        if let Some(last) = last.filter(|last| *last >= low) {
            return Err(IndexesError::NotIncreasing { previous: last, current: low });
        }
        total += high - low + 1;
        last = Some(high);
    }
    Ok(total)
}

fn index(text: &str, completions: i64) -> Result<i64, IndexesError> {
    match text.parse::<i64>() {
        Ok(number) if number < completions => Ok(number),
        Ok(_) => Err(IndexesError::TooLarge(text.to_owned())),
        Err(_) => Err(IndexesError::NotAnInteger(text.to_owned())),
    }
}

impl fmt::Display for IndexesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexesError::TooManyParts(interval) => write!(
                f,
                "the fragment {interval:?} violates the requirement that an index interval can have at most two \
                 parts separated by '-'"
            ),
            IndexesError::NotIncreasing { previous, current } => {
                write!(f, "non-increasing order, previous: {previous}, current: {current}")
            }
            IndexesError::NotAnInteger(text) => {
                write!(f, "cannot convert string to integer for index: {text:?}")
            }
            IndexesError::TooLarge(text) => write!(f, "too large index: {text:?}"),
        }
    }
}

impl Error for IndexesError {}
