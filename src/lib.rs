//! joblint
