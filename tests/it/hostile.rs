//! What a repository of somebody else cannot do. SECURITY.md lists the promises with these tests.

mod limits;
