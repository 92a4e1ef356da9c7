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
    /// Which resources are printed, by the texts of their keys and scalars; `None` for all. A resource is as needed as
    /// the most needed of its texts; one whose name ends in a hash is needed.
    pub needs: Option<fn(&str) -> Need>,
}

/// Whether a text of a resource makes it worth printing, for callers that look at some resources only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// The resource need not be printed because of it.
    #[default]
    Nothing,
    /// The resource is printed.
    Resource,
    /// All resources are printed.
    All,
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
