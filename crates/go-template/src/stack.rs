//! Limits recursion by the native stack it uses.

/// Measures stack use from the point where it was created. Counting calls instead would need one limit
/// that suits both the large frames of a debug build and real templates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackGuard {
    base: usize,
    limit: usize,
}

impl StackGuard {
    pub(crate) fn new(limit: usize) -> Self {
        Self { base: stack_pointer(), limit }
    }

    pub(crate) fn is_exhausted(self) -> bool {
        stack_pointer().abs_diff(self.base) > self.limit
    }
}

/// The address of a local: near enough to the stack pointer.
#[inline(never)]
fn stack_pointer() -> usize {
    let local = 0u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}
