//! Provenance.
