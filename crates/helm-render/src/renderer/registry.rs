//! The functions of templates, with the methods of the built-in objects.

use std::sync::OnceLock;

use go_template::Functions;

use crate::{HelmVersion, context, functions};

/// The functions and methods of a Helm version; built once.
pub(super) fn registry(version: HelmVersion) -> &'static Functions {
    static V3: OnceLock<Functions> = OnceLock::new();
    static V4: OnceLock<Functions> = OnceLock::new();
    let build = || {
        let mut functions = functions::build(version);
        context::set_methods(&mut functions);
        functions
    };
    match version {
        HelmVersion::V3 => V3.get_or_init(build),
        HelmVersion::V4 => V4.get_or_init(build),
    }
}
