//! Roles that a service is to act as: whether they let it, and what its refusal of one means.

use super::{Iam, Role, trust};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble},
    spreading::may_spread,
    states::WaitingOn,
};
use jiff::Timestamp;

impl Role {
    /// Whether the role lets `service` in: one that does not is never assumed by waiting (field report BR-002).
    ///
    /// # Errors
    /// `invalid_input`, with whom it trusts instead.
    pub fn trusts(&self, service: &str) -> Result<(), Failure> {
        if trust::lets_in(&self.trust, service) {
            return Ok(());
        }
        let (name, instead) = (&self.name, trust::principals(&self.trust));
        let text = format!("role {name} trusts {instead}, not {service}: {service} cannot assume it");
        let action =
            format!("Let {service} assume the role by its trust policy, or delete the role; then run the stage again.");
        Err(Failure::new(ErrorCode::InvalidInput, text).with_action(action))
    }
}

impl Iam {
    /// What it means that a call was refused, if the refusal is about the role of this name, which `service` is to act as.
    ///
    /// Services have no code for it: EKS says "could not be assumed" or "does not exist", SageMaker "Could not assume". IAM
    /// spreads slowly, so a role younger than three minutes is waited for; of an older one the cause is told (BR-002).
    /// Every other trouble is answered as it came.
    pub async fn judge_refusal(&self, trouble: Trouble, name: &str, service: &str, now: Timestamp) -> Trouble {
        match trouble {
            Trouble::Fatal(refusal) if is_about_a_role(&refusal, name) => match self.role(name).await {
                Ok(role) => meaning(refusal, role.as_ref(), name, service, now),
                Err(trouble) => trouble,
            },
            other => other,
        }
    }
}

/// A denial that names a role is about what we may do with it and nothing that spreads.
fn is_about_a_role(refusal: &Failure, name: &str) -> bool {
    let text = refusal.message.to_ascii_lowercase();
    let says = |words: &str| text.contains(words);
    let unknown = matches!(refusal.code, ErrorCode::InvalidInput | ErrorCode::NotFound) && refusal.upstream.is_some();
    let failing = says("assume") || says("exist") || says("not found") || says("trust");
    unknown && failing && (refusal.message.contains(name) || says("role"))
}

fn meaning(refusal: Failure, role: Option<&Role>, name: &str, service: &str, now: Timestamp) -> Trouble {
    let Some(role) = role else {
        return Trouble::Fatal(refusal.with_action(format!("Role {name} is gone: run the stage again to make it.")));
    };
    if may_spread(role.created_at, now) {
        let text = format!("waiting for IAM: {service} does not know role {name} yet");
        let failure = Failure { upstream: refusal.upstream, ..Failure::new(ErrorCode::DependencyNotReady, text) };
        return Trouble::Later { on: WaitingOn::Aws, failure };
    }
    if let Err(untrusting) = role.trusts(service) {
        return Trouble::Fatal(Failure { upstream: refusal.upstream, ..untrusting });
    }
    let action = format!(
        "Role {name} trusts {service}: look whether a condition of its trust policy, a service control policy or a \
         permissions boundary keeps the service from it, then run the stage again."
    );
    Trouble::Fatal(Failure { code: ErrorCode::PermissionDenied, ..refusal.with_action(action) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tags;
    use domain::failure::Upstream;
    use jiff::SignedDuration;
    use serde_json::json;

    const NAME: &str = "demo-s3-csi-driver-0a1b2c3d";
    const PODS: &str = "pods.eks.amazonaws.com";

    fn made() -> Timestamp {
        "2026-12-01T08:00:00Z".parse().unwrap()
    }

    fn role(service: &str) -> Role {
        Role {
            name: NAME.to_owned(),
            arn: format!("arn:aws:iam::111122223333:role/hyperpod-instantstart/{NAME}"),
            created_at: Some(made()),
            trust: json!({ "Statement": [
                { "Effect": "Allow", "Principal": { "Service": service }, "Action": "sts:AssumeRole" },
            ]}),
            tags: Tags::new(),
        }
    }

    fn refusal(code: ErrorCode, text: &str) -> Failure {
        Failure::new(code, text).from_upstream(Upstream {
            service: "eks".to_owned(),
            operation: "CreatePodIdentityAssociation".to_owned(),
            code: "InvalidParameterException".to_owned(),
            request_id: None,
        })
    }

    fn judged(role: Option<&Role>, age: i64) -> Trouble {
        let refusal = refusal(ErrorCode::InvalidInput, "Role provided in the request does not exist.");
        meaning(refusal, role, NAME, PODS, made() + SignedDuration::from_secs(age))
    }

    #[test]
    fn a_refused_role_is_waited_for_until_it_is_three_minutes_old() {
        assert!(matches!(judged(Some(&role(PODS)), 179), Trouble::Later { .. }));
        let Trouble::Fatal(late) = judged(Some(&role(PODS)), 180) else { unreachable!() };
        assert_eq!(late.code, ErrorCode::PermissionDenied);
        assert!(late.action.contains("service control policy") && late.upstream.is_some(), "{late:?}");
    }

    #[test]
    fn an_older_role_is_told_with_whom_it_trusts_and_one_that_is_gone_as_gone() {
        let Trouble::Fatal(untrusting) = judged(Some(&role("ec2.amazonaws.com")), 600) else { unreachable!() };
        assert_eq!(untrusting.code, ErrorCode::InvalidInput);
        assert!(untrusting.message.contains("trusts ec2.amazonaws.com, not pods.eks.amazonaws.com"), "{untrusting}");
        let Trouble::Fatal(gone) = judged(None, 10) else { unreachable!() };
        assert!(gone.action.contains("is gone"), "{gone:?}");
    }

    #[test]
    fn only_a_refusal_of_the_role_itself_is_about_it() {
        for text in [
            "Role with arn: x, could not be assumed because it does not exist or the trusted entity is not correct",
            "Could not assume role x. Please ensure that the role exists",
            "Role provided in the request does not exist.",
        ] {
            assert!(is_about_a_role(&refusal(ErrorCode::InvalidInput, text), NAME), "{text}");
        }
        let denied = format!("not authorized to perform: iam:PassRole on resource: {NAME} because no policy exists");
        assert!(!is_about_a_role(&refusal(ErrorCode::PermissionDenied, &denied), NAME), "a denial stays one");
        let subnet = refusal(ErrorCode::InvalidInput, "The subnet ID 'subnet-1' does not exist");
        assert!(!is_about_a_role(&subnet, NAME));
    }
}
