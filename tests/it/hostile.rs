//! What an untrusted pull request must not achieve; `SECURITY.md` says which test holds each promise.

mod printing;
