//! Kubernetes' errors in our words, once for all calls; what a code means for one call is said where the call is made.

use crate::{
    reach::Unreachable,
    refusal::{self, Refusal},
    token::NoToken,
};
use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble, Upstream},
    naming::KubernetesRole,
    states::WaitingOn,
};
use kube::core::Status;

/// Upstream code of a call that had no answer in time.
pub const NO_ANSWER: &str = "NoAnswer";

/// Upstream code of an endpoint that could not be connected to.
pub const UNREACHABLE: &str = "Unreachable";

/// Status reason of an identity that the cluster does not know.
pub const UNAUTHORIZED: &str = "Unauthorized";

/// Status reason of an identity that may not do this.
pub const FORBIDDEN: &str = "Forbidden";

/// What was asked, for translation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// `list nodes`, `apply DaemonSet aws-hyperpod/health-monitoring-agent`.
    pub(crate) operation: &'a str,
    /// Whether the call changes something.
    pub(crate) changes: bool,
    /// Whether the identity's access may not have spread yet.
    pub(crate) young: bool,
}

/// A call that was given up.
pub(crate) fn timed_out(asked: Asked<'_>) -> Trouble {
    let failure =
        failure(asked, ErrorCode::NetworkUnreachable, NO_ANSWER, "the Kubernetes endpoint did not answer in time")
            .with_action("Check that the endpoint is public, or that it can be reached from where the functions run.");
    lost(asked, failure)
}

/// What kube's error means.
pub(crate) fn translate(asked: Asked<'_>, error: &kube::Error) -> Trouble {
    if let Some(refusal) = refusal::behind(error) {
        return refused(asked, refusal);
    }
    match error {
        kube::Error::Service(cause) => unsent(asked, cause.as_ref()),
        kube::Error::HyperError(cause) => {
            lost(asked, failure(asked, ErrorCode::UpstreamUnavailable, NO_ANSWER, &cause.to_string()))
        }
        kube::Error::SerdeError(cause) if asked.changes => {
            Trouble::Uncertain(failure(asked, ErrorCode::UpstreamUnavailable, "Unreadable", &cause.to_string()))
        }
        other => Trouble::Fatal(failure(asked, ErrorCode::Internal, "Unreadable", &other.to_string())),
    }
}

/// A request that had no answer: was it connected at all?
fn unsent(asked: Asked<'_>, cause: &(dyn std::error::Error + 'static)) -> Trouble {
    let mut link = Some(cause);
    while let Some(error) = link {
        if let Some(unreachable) = error.downcast_ref::<Unreachable>() {
            let failure = failure(asked, ErrorCode::NetworkUnreachable, UNREACHABLE, &unreachable.to_string())
                .with_action("Check the cluster's endpoint access and that its host name resolves.");
            return Trouble::Later { on: WaitingOn::Aws, failure };
        }
        if let Some(no_token) = error.downcast_ref::<NoToken>() {
            let failure = failure(asked, ErrorCode::UpstreamUnavailable, "NoToken", &no_token.to_string());
            return Trouble::Later { on: WaitingOn::Aws, failure };
        }
        link = error.source();
    }
    lost(asked, failure(asked, ErrorCode::UpstreamUnavailable, NO_ANSWER, &cause.to_string()))
}

/// No answer: nothing happened if it was a read, and nobody knows if it was a change.
fn lost(asked: Asked<'_>, failure: Failure) -> Trouble {
    if asked.changes { Trouble::Uncertain(failure) } else { Trouble::Later { on: WaitingOn::Aws, failure } }
}

/// An answer that refuses.
fn refused(asked: Asked<'_>, Refusal { status, audit_id }: &Refusal) -> Trouble {
    let (code, later) = verdict(asked, status);
    let reason = if status.reason.is_empty() { status.code.to_string() } else { status.reason.clone() };
    let mut failure = failure(asked, code, &reason, &message(status)).with_action(action(status));
    if let Some(upstream) = &mut failure.upstream {
        upstream.request_id.clone_from(audit_id);
    }
    match later {
        Some(on) => Trouble::Later { on, failure },
        // An API server that fails while it acts may have acted.
        None if asked.changes && status.code >= 500 => Trouble::Uncertain(failure),
        None => Trouble::Fatal(failure),
    }
}

/// Our code, and what is waited for if it may get better by itself.
fn verdict(asked: Asked<'_>, status: &Status) -> (ErrorCode, Option<WaitingOn>) {
    match status.code {
        // Whoever asks: nothing new is let into a namespace on its way out, and it can be made again once it is gone.
        403 if is_namespace_going(status) => (ErrorCode::DependencyNotReady, Some(WaitingOn::Aws)),
        401 | 403 => (ErrorCode::PermissionDenied, asked.young.then_some(WaitingOn::Aws)),
        404 => (ErrorCode::NotFound, None),
        409 => (ErrorCode::Conflict, None),
        // A list whose next page is of a revision that was compacted since: it is read again from its beginning.
        410 => (ErrorCode::UpstreamUnavailable, (!asked.changes).then_some(WaitingOn::Aws)),
        429 => (ErrorCode::Throttled, Some(WaitingOn::Throttled)),
        // A webhook whose pods have nowhere to run yet: the request was refused before anything was stored.
        500 if is_webhook(status) => (ErrorCode::DependencyNotReady, Some(WaitingOn::Nodes)),
        503 => (ErrorCode::UpstreamUnavailable, Some(WaitingOn::Aws)),
        500.. => (ErrorCode::UpstreamUnavailable, (!asked.changes).then_some(WaitingOn::Aws)),
        _ => (ErrorCode::InvalidInput, None),
    }
}

fn is_namespace_going(status: &Status) -> bool {
    causes(status).any(|cause| cause.reason == "NamespaceTerminating")
}

/// What can be done about a refusal; empty where it gets better by itself or is not the user's to mend.
fn action(status: &Status) -> String {
    if matches!(status.code, 401 | 403) && !is_namespace_going(status) {
        let [reader, writer] = KubernetesRole::ALL.map(KubernetesRole::name);
        return format!(
            "Run the stage control-plane again: it makes missing access entries of the roles {reader} and {writer}. Of an \
             import without grantAccess, make them yourself (AmazonEKSAdminViewPolicy and AmazonEKSClusterAdminPolicy)."
        );
    }
    let text = match status.code {
        403 => "",
        404 => {
            "Check that the namespace, the kind and the object named here are in the cluster: make what is missing (for a \
             kind, its CustomResourceDefinition), then run it again."
        }
        409 if is_field_conflict(status) => {
            "Let the other manager give the fields up, or remove the object, then run it again."
        }
        409 => "Wait until whoever else changes the object is done, then run it again.",
        410 => "Run it again: what was to be read has changed since, and is read from the beginning.",
        413 => "Ask for less in one object: the API server takes 3 MiB at most, and etcd 1.5 MiB.",
        429 => {
            "Nothing, if it passes: it is tried again by itself. If it stays, look for clients that flood the API server \
             (API Priority and Fairness)."
        }
        400 | 422 => {
            "Mend what the message names: a value of the request, or an admission policy of the cluster that refuses it; \
             then run it again."
        }
        405.. if status.code < 500 => {
            "Check that the cluster's Kubernetes version is one that HyperPod supports and that no proxy or admission \
             webhook stands before its API server, then run it again."
        }
        _ => "",
    };
    text.to_owned()
}

fn is_webhook(status: &Status) -> bool {
    status.message.contains("failed calling webhook")
}

fn is_field_conflict(status: &Status) -> bool {
    causes(status).any(|cause| cause.reason == "FieldManagerConflict")
}

fn causes(status: &Status) -> impl Iterator<Item = &kube::core::response::StatusCause> {
    status.details.iter().flat_map(|details| details.causes.iter())
}

/// The server's text; for a conflict over fields, each manager with its field.
fn message(status: &Status) -> String {
    if !is_field_conflict(status) {
        return status.message.clone();
    }
    let each: Vec<_> = causes(status).map(|cause| format!("{} over {}", cause.message, cause.field)).collect();
    each.join("; ")
}

fn failure(asked: Asked<'_>, code: ErrorCode, upstream: &str, text: &str) -> Failure {
    Failure::new(code, format!("kubernetes {}: {text}", asked.operation)).from_upstream(Upstream {
        service: "kubernetes".to_owned(),
        operation: asked.operation.to_owned(),
        code: upstream.to_owned(),
        request_id: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const READ: Asked<'static> = Asked { operation: "list nodes", changes: false, young: false };
    const CHANGE: Asked<'static> = Asked { operation: "apply DaemonSet x", changes: true, young: false };

    fn trouble(asked: Asked<'_>, status: Value) -> Trouble {
        let refusal = Refusal { status: serde_json::from_value(status).unwrap(), audit_id: Some("a-1".to_owned()) };
        translate(asked, &kube::Error::Service(Box::new(refusal)))
    }

    #[test]
    fn a_refusal_of_a_new_access_entry_is_a_wait_and_of_an_old_one_a_verdict() {
        let status = json!({ "code": 403, "reason": "Forbidden", "message": "nodes is forbidden" });
        let young = trouble(Asked { young: true, ..READ }, status.clone());
        assert!(matches!(young, Trouble::Later { on: WaitingOn::Aws, .. }), "{young:?}");
        let old = trouble(READ, status);
        assert!(matches!(&old, Trouble::Fatal(failure) if failure.code == ErrorCode::PermissionDenied), "{old:?}");
        assert!(old.is_upstream(FORBIDDEN));
    }

    #[test]
    fn br_032_a_webhook_without_pods_is_waited_for_and_leaves_no_uncertainty() {
        let message =
            "Internal error occurred: failed calling webhook \"vingress.elbv2.k8s.aws\": no endpoints available";
        let told = trouble(CHANGE, json!({ "code": 500, "reason": "InternalError", "message": message }));
        assert!(matches!(told, Trouble::Later { on: WaitingOn::Nodes, .. }), "{told:?}");
        assert_eq!(told.failure().code, ErrorCode::DependencyNotReady);
    }

    #[test]
    fn br_031_a_namespace_on_its_way_out_is_waited_for_and_is_no_lack_of_rights() {
        let told = trouble(
            CHANGE,
            json!({ "code": 403, "reason": "Forbidden", "message": "daemonsets.apps \"x\" is forbidden: unable to create new \
                content in namespace aws-hyperpod because it is being terminated", "details": { "causes": [
                { "reason": "NamespaceTerminating", "message": "namespace aws-hyperpod is being terminated",
                  "field": "metadata.namespace" },
            ] } }),
        );
        assert!(matches!(told, Trouble::Later { on: WaitingOn::Aws, .. }), "{told:?}");
        assert_eq!(told.failure().code, ErrorCode::DependencyNotReady);
    }

    #[test]
    fn a_server_that_fails_while_it_changes_leaves_uncertainty() {
        let told = trouble(CHANGE, json!({ "code": 500, "reason": "InternalError", "message": "etcd" }));
        assert!(matches!(told, Trouble::Uncertain(_)), "{told:?}");
        let read = trouble(READ, json!({ "code": 500, "reason": "InternalError", "message": "etcd" }));
        assert!(matches!(read, Trouble::Later { .. }), "{read:?}");
    }

    #[test]
    fn a_conflict_names_manager_and_field() {
        let told = trouble(
            CHANGE,
            json!({ "code": 409, "reason": "Conflict", "message": "Apply failed with 1 conflict", "details": { "causes": [
                { "reason": "FieldManagerConflict", "message": "conflict with \"helm\" using apps/v1",
                  "field": ".spec.template.spec.containers[name=\"agent\"].image" },
            ] } }),
        );
        let text = told.failure().message.clone();
        assert!(text.contains("\"helm\"") && text.contains(".image"), "{text}");
        assert_eq!(told.failure().code, ErrorCode::Conflict);
    }

    #[test]
    fn every_refusal_of_a_request_says_what_can_be_done_and_how_it_is_found_again() {
        let mut actions = std::collections::BTreeSet::new();
        let codes = [
            (400, ErrorCode::InvalidInput),
            (403, ErrorCode::PermissionDenied),
            (404, ErrorCode::NotFound),
            (405, ErrorCode::InvalidInput),
            (409, ErrorCode::Conflict),
            (410, ErrorCode::UpstreamUnavailable),
            (413, ErrorCode::InvalidInput),
            (422, ErrorCode::InvalidInput),
            (429, ErrorCode::Throttled),
        ];
        for (status, code) in codes {
            let told = trouble(CHANGE, json!({ "code": status, "reason": "Any", "message": "no" }));
            let failure = told.failure();
            assert_eq!(failure.code, code, "{status}");
            assert!(!failure.action.is_empty(), "{status}");
            actions.insert(failure.action.clone());
            let upstream = failure.upstream.as_ref().unwrap();
            assert_eq!((upstream.code.as_str(), upstream.request_id.as_deref()), ("Any", Some("a-1")), "{status}");
        }
        assert_eq!(actions.len(), codes.len() - 1, "400 and 422 are mended alike, no others");
    }

    #[test]
    fn a_list_whose_next_page_has_expired_is_read_again() {
        let told = trouble(READ, json!({ "code": 410, "reason": "Expired", "message": "the continue token expired" }));
        assert!(matches!(told, Trouble::Later { on: WaitingOn::Aws, .. }), "{told:?}");
    }

    #[test]
    fn too_many_requests_is_waited_for() {
        let told = trouble(CHANGE, json!({ "code": 429, "reason": "TooManyRequests", "message": "later" }));
        assert!(matches!(told, Trouble::Later { on: WaitingOn::Throttled, .. }), "{told:?}");
    }

    #[test]
    fn an_endpoint_without_connection_changed_nothing() {
        let cause = Unreachable { url: "https://demo".to_owned(), why: "no route to host".to_owned() };
        let told = translate(CHANGE, &kube::Error::Service(Box::new(cause)));
        assert_eq!(told.failure().code, ErrorCode::NetworkUnreachable);
        assert!(matches!(told, Trouble::Later { .. }) && told.is_upstream(UNREACHABLE), "{told:?}");
    }

    #[test]
    fn an_answer_that_is_lost_leaves_a_change_uncertain() {
        assert!(matches!(timed_out(CHANGE), Trouble::Uncertain(_)));
        assert!(matches!(timed_out(READ), Trouble::Later { .. }));
    }
}
