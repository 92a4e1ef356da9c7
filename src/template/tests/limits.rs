//! Hostile templates.
