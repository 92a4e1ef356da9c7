//! Gives the WebAssembly module a larger stack than the 1 MB of the linker.

/// The stack of the module, in bytes.
const STACK: usize = 16 << 20;

fn main() {
    let target = std::env::var("CARGO_CFG_TARGET_FAMILY").unwrap_or_default();
    if target.contains("wasm") {
        println!("cargo:rustc-link-arg-bins=-zstack-size={STACK}");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
