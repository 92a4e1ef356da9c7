//! Several texts in one input, separated by NUL bytes.

/// The parts of an input; there is at least one.
pub fn of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0)
}
