use super::place::{ARN, Place};
use crate::eks::{pod_role, web_identity};
use jiff::SignedDuration;
use serde_json::{Value, json};

const R1: &str = "arn:aws:iam::111122223333:role/s3-reader";
const R2: &str = "arn:aws:iam::111122223333:role/s3-writer";

fn place() -> Place {
    let mut place = Place::with_cluster(json!({}));
    for role in [R1, R2] {
        place.role(role, "pods.eks.amazonaws.com");
    }
    place
}

fn association(role: &str) -> Value {
    json!({ "clusterName": "demo", "namespace": "kube-system", "serviceAccount": "s3-csi-driver-sa", "roleArn": role })
}

fn id_of(answer: &Value) -> String {
    answer["association"]["associationId"].as_str().unwrap().to_owned()
}

#[test]
fn br_025_a_service_account_has_one_association_which_is_updated() {
    let mut place = place();
    let id = id_of(&place.call("CreatePodIdentityAssociation", association(R1)).unwrap());
    let refusal = place.refused("CreatePodIdentityAssociation", association(R2));
    assert_eq!(
        (refusal.code.as_str(), refusal.message),
        ("ResourceInUseException", format!("Association already exists: {id}"))
    );
    let found = place
        .call("ListPodIdentityAssociations", json!({ "clusterName": "demo", "serviceAccount": "s3-csi-driver-sa" }))
        .unwrap();
    assert_eq!(found["associations"][0]["associationId"], id.as_str());
    let change = json!({ "clusterName": "demo", "associationId": id, "roleArn": R2 });
    assert_eq!(place.call("UpdatePodIdentityAssociation", change).unwrap()["association"]["roleArn"], R2);
}

#[test]
fn br_026_a_deleted_association_is_still_seen_and_in_the_way_for_seconds() {
    let mut place = place();
    let id = id_of(&place.call("CreatePodIdentityAssociation", association(R1)).unwrap());
    place.call("DeletePodIdentityAssociation", json!({ "clusterName": "demo", "associationId": id })).unwrap();
    place.pass_seconds(1);
    let listed = place.call("ListPodIdentityAssociations", json!({ "clusterName": "demo" })).unwrap();
    assert_eq!(listed["associations"].as_array().unwrap().len(), 1);
    assert_eq!(place.refused("CreatePodIdentityAssociation", association(R1)).code, "ResourceInUseException");
    place.pass_seconds(15);
    assert_eq!(
        place.call("ListPodIdentityAssociations", json!({ "clusterName": "demo" })).unwrap()["associations"],
        json!([])
    );
    assert_ne!(id_of(&place.call("CreatePodIdentityAssociation", association(R1)).unwrap()), id);
}

#[test]
fn a_pod_acts_as_its_associated_role_if_it_is_younger_and_the_agent_is_there() {
    let mut place = place();
    let role = |place: &mut Place, made_at| {
        let now = place.now;
        pod_role(&mut place.world, ARN, "kube-system", "s3-csi-driver-sa", made_at, now)
    };
    place.call("CreatePodIdentityAssociation", association(R1)).unwrap();
    let now = place.now;
    assert_eq!(role(&mut place, now), None);
    let agent =
        json!({ "clusterName": "demo", "addonName": "eks-pod-identity-agent", "resolveConflicts": "OVERWRITE" });
    place.call("CreateAddon", agent).unwrap();
    place.pass_minutes(1);
    let now = place.now;
    assert_eq!(role(&mut place, now).as_deref(), Some(R1));
    let before = now.checked_sub(SignedDuration::from_mins(5)).unwrap();
    assert_eq!(role(&mut place, before), None);
    place.trust(R1, "ec2.amazonaws.com");
    assert_eq!(role(&mut place, now), None);
}

#[test]
fn an_addon_owns_the_associations_that_it_was_made_with() {
    let mut place = place();
    let ask = |account: &str| {
        json!({
            "clusterName": "demo",
            "addonName": "aws-mountpoint-s3-csi-driver",
            "podIdentityAssociations": [{ "serviceAccount": account, "roleArn": R1 }],
        })
    };
    assert_eq!(place.refused("CreateAddon", ask("someone-else")).code, "InvalidParameterException");
    let addon = place.call("CreateAddon", ask("s3-csi-driver-sa")).unwrap()["addon"].clone();
    let listed = place.call("ListPodIdentityAssociations", json!({ "clusterName": "demo" })).unwrap();
    assert_eq!(listed["associations"][0]["ownerArn"], addon["addonArn"]);
    assert_eq!(addon["podIdentityAssociations"][0], listed["associations"][0]["associationArn"]);
    place.call("DeleteAddon", json!({ "clusterName": "demo", "addonName": "aws-mountpoint-s3-csi-driver" })).unwrap();
    place.pass_minutes(1);
    assert_eq!(
        place.call("ListPodIdentityAssociations", json!({ "clusterName": "demo" })).unwrap()["associations"],
        json!([])
    );
}

#[test]
fn a_role_of_a_service_account_counts_when_it_trusts_the_cluster_for_it() {
    const IRSA: &str = "arn:aws:iam::111122223333:role/irsa";
    let mut place = place();
    let issuer = crate::eks::issuer(&place.world, ARN).unwrap();
    let provider = json!({ "Url": issuer, "ClientIDList": ["sts.amazonaws.com"] });
    let provider =
        place.ask("iam", "CreateOpenIDConnectProvider", provider).unwrap()["OpenIDConnectProviderArn"].clone();
    let subject = format!("{}:sub", issuer.trim_start_matches("https://"));
    let trust = json!({ "Version": "2012-10-17", "Statement": [{
        "Effect": "Allow",
        "Principal": { "Federated": provider },
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": { "StringEquals": { subject: "system:serviceaccount:kube-system:s3-csi-driver-sa" } },
    }] });
    let role = json!({ "RoleName": "irsa", "AssumeRolePolicyDocument": trust.to_string() });
    place.ask("iam", "CreateRole", role).unwrap();
    place.pass_seconds(1);
    let addon =
        json!({ "clusterName": "demo", "addonName": "aws-mountpoint-s3-csi-driver", "serviceAccountRoleArn": IRSA });
    place.call("CreateAddon", addon).unwrap();
    let now = place.now;
    let role = |place: &mut Place, account: &str| pod_role(&mut place.world, ARN, "kube-system", account, now, now);
    assert_eq!(role(&mut place, "s3-csi-driver-sa").as_deref(), Some(IRSA));
    assert_eq!(role(&mut place, "default"), None);

    let token = web_identity(&place.world, ARN, "kube-system", "s3-csi-driver-sa", now).unwrap();
    let assume = |token: &str| json!({ "RoleArn": IRSA, "RoleSessionName": "pod", "WebIdentityToken": token });
    assert!(place.ask("sts", "AssumeRoleWithWebIdentity", assume(&token)).is_ok());
    let other = web_identity(&place.world, ARN, "kube-system", "default", now).unwrap();
    assert_eq!(place.ask("sts", "AssumeRoleWithWebIdentity", assume(&other)).unwrap_err().code, "AccessDenied");
}
