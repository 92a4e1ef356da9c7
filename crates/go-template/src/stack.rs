//! Bounds recursion by the native stack it uses.

/// Measures stack use from where it was made. Counting calls instead would need a limit that is
/// safe for the deepest frames of a debug build and generous enough for real charts in any.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackGuard {
    base: usize,
    limit: usize,
}

impl StackGuard {
    pub(super) fn new(limit: usize) -> Self {
        Self { base: stack_pointer(), limit }
    }

    pub(super) fn is_exhausted(self) -> bool {
        stack_pointer().abs_diff(self.base) > self.limit
    }
}

/// The address of a local: near enough to the stack pointer.
#[inline(never)]
fn stack_pointer() -> usize {
    let local = 0u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}
