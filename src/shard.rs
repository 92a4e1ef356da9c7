//! A part of a run: `--shard 2/5` checks every fifth unit, from the second one.

use std::{fmt, str::FromStr};

/// One of several parts of a run, which together check every unit once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    of: usize,
}

impl Shard {
    /// The number of the shard, from 1.
    pub fn index(self) -> usize {
        self.index
    }

    /// The number of shards.
    pub fn of(self) -> usize {
        self.of
    }

    /// Whether the shard also reports what belongs to no unit.
    pub(crate) fn is_first(self) -> bool {
        self.index == 1
    }

    /// The units of the shard. Neighbours, which often need the same time, go to different shards.
    pub(crate) fn take<T>(self, units: Vec<T>) -> Vec<T> {
        units.into_iter().skip(self.index - 1).step_by(self.of).collect()
    }
}

/// A text that names no shard.
#[derive(Debug, PartialEq, Eq)]
pub struct NoShard;

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        let (index, of) = text.split_once('/').ok_or(NoShard)?;
        let number = |text: &str| text.trim().parse().map_err(|_| NoShard);
        let shard = Self { index: number(index)?, of: number(of)? };
        if (1..=shard.of).contains(&shard.index) { Ok(shard) } else { Err(NoShard) }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl fmt::Display for NoShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected the number of the shard and how many there are, such as `2/5`")
    }
}

impl std::error::Error for NoShard {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_hold_every_unit_once() {
        for of in 1..=7 {
            let shards = (1..=of).map(|index| Shard { index, of }.take((0..20).collect()));
            let mut all: Vec<i32> = shards.flatten().collect();
            all.sort_unstable();
            assert_eq!(all, (0..20).collect::<Vec<_>>(), "{of} shards");
        }
    }

    #[test]
    fn texts() {
        assert_eq!("2/5".parse::<Shard>().map(|shard| shard.to_string()), Ok("2/5".into()));
        for text in ["", "2", "0/5", "6/5", "a/b", "1/0", "-1/2", "1/2/3"] {
            assert_eq!(text.parse::<Shard>(), Err(NoShard), "{text}");
        }
    }
}
