//! What a build may do.

use std::sync::Arc;

use crate::{charts::Charts, overrides::Overrides, substitute::Variables};

/// How to build.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which files a kustomization may name.
    pub load_restrictor: LoadRestrictor,
    /// The order of the output when `sortOptions` sets none.
    pub order: Order,
    /// Leave out what cannot be built without a network or Helm, and what depends on it, instead of failing. See
    /// [`Built::skipped`](crate::Built::skipped).
    pub is_partial: bool,
    /// Renders `helmCharts`: `--enable-helm`.
    pub charts: Option<Arc<dyn Charts>>,
    /// Fields that a deployer adds to the kustomization that is built.
    pub overrides: Option<Overrides>,
    /// Variables that Flux substitutes in the output.
    pub variables: Option<Variables>,
}

/// Which files a kustomization may name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadRestrictor {
    /// Those in or below its folder, as `kustomize build` by default.
    #[default]
    RootOnly,
    /// All, as Flux.
    None,
}

/// The order of the resources in the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By kind: namespaces first, webhooks last, as `kustomize build` by default.
    #[default]
    Legacy,
    /// As they were read, as Flux.
    Fifo,
}
