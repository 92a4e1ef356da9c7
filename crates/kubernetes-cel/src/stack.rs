//! Limits recursion by the native stack it uses: the frames of a debug build are many times larger than others.

/// Bytes that the recursion of one step (parsing, checking, evaluating) may use. Threads have two million at least.
const LIMIT: usize = 768 * 1024;

/// Measures stack use from the point where it was created.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack {
    base: usize,
}

impl Stack {
    pub(crate) fn here() -> Self {
        Self { base: stack_pointer() }
    }

    pub(crate) fn is_exhausted(self) -> bool {
        stack_pointer().abs_diff(self.base) > LIMIT
    }
}

/// The address of a local: near enough to the stack pointer.
#[inline(never)]
fn stack_pointer() -> usize {
    let local = 0u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}
