//! IAM as its users see it: one file per question.

mod authorization;
mod credentials;
mod documents;
mod lag;
mod oidc;
mod roles;
