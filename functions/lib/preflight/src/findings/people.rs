//! Administrators as IAM knows them (field report BR-007), and what our own roles may do (BR-017).

use super::{blocking, finding, unchecked, warning};
use crate::{Read, request::Request, scene::Seen};
use contract::plan::{Finding, Severity};
use domain::{ErrorCode, ids::PrincipalArn};

pub(super) fn administrators(request: &Request<'_>, seen: &Seen) -> Vec<Finding> {
    let account = &request.cluster.target.account;
    let given = request.cluster.decisions.administrators.iter().zip(&seen.administrators).enumerate();
    given.filter_map(|(index, (given, known))| administrator(index, given, known, account)).collect()
}

fn administrator(index: usize, given: &PrincipalArn, known: &Read<Option<String>>, account: &str) -> Option<Finding> {
    let at = format!("/administrators/{index}");
    if given.account() != account && given.is_session() {
        let message = format!("{given} is a session of another account's role, which cannot be looked up");
        return Some(blocking(ErrorCode::InvalidInput, &at, message, "Give the ARN of its role, path included."));
    }
    if given.account() != account {
        let message = format!("{given} is of another account and cannot be looked up");
        let action = "Make sure that the ARN is complete, path included.";
        return Some(finding(Severity::Unchecked, ErrorCode::PermissionDenied, &at, message, action));
    }
    match known {
        Ok(Some(arn)) if given.is_session() => {
            let message =
                format!("{given} is a session of role {arn}: whoever takes on that role becomes an administrator");
            let action = "Nothing if that is meant; else give the ARN of a role or user.";
            Some(warning(ErrorCode::InvalidInput, &at, message, action))
        }
        Ok(Some(arn)) if given.stands_for(arn) => None,
        Ok(Some(arn)) => {
            let message = format!("IAM does not know {given}: access entries need the whole ARN, path included");
            Some(blocking(ErrorCode::InvalidInput, &at, message, format!("Give {arn}.")))
        }
        Ok(None) => {
            let message = format!("IAM does not know {given}");
            Some(blocking(ErrorCode::InvalidInput, &at, message, "Give a role or user that exists."))
        }
        Err(trouble) => Some(unchecked(&at, &format!("whether {given} exists"), trouble)),
    }
}

pub(super) fn permissions(seen: &Seen) -> Vec<Finding> {
    match &seen.permissions {
        Ok(gaps) => match &gaps.role {
            None => {
                let message = "whether our roles may make a cluster was not checked: the control-plane function's role \
                     does not show in this account";
                let action = "The stage tells what is refused.";
                vec![finding(Severity::Unchecked, ErrorCode::PermissionDenied, "", message, action)]
            }
            Some(_) if gaps.actions.is_empty() => Vec::new(),
            Some(role) => {
                let message = format!("{role} may not call {}", gaps.actions.join(", "));
                let action = "Allow all of these to the role, then send the request again.";
                vec![blocking(ErrorCode::PermissionDenied, "", message, action)]
            }
        },
        Err(trouble) => vec![unchecked("", "what our roles may do", trouble)],
    }
}
