use super::place::{ARN, Place};
use crate::eks::{pod_role, verify_web_identity, web_identity};
use jiff::SignedDuration;
use serde_json::{Value, json};

const R1: &str = "arn:aws:iam::111122223333:role/s3-reader";
const R2: &str = "arn:aws:iam::111122223333:role/s3-writer";

fn place() -> Place {
    let mut place = Place::with_cluster(json!({}));
    for role in [R1, R2] {
        let trust = ("pods.eks.amazonaws.com".to_owned(), place.now);
        place.world.eks.surroundings.roles.insert(role.to_owned(), trust);
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
    place.world.eks.surroundings.roles.get_mut(R1).unwrap().0 = "ec2.amazonaws.com".to_owned();
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
fn a_web_identity_token_says_who_the_pod_is_for_a_day() {
    let place = place();
    let token = web_identity(&place.world, ARN, "kube-system", "s3-csi-driver-sa", place.now).unwrap();
    let said = verify_web_identity(&place.world, &token, place.now).unwrap();
    assert_eq!(said.subject, "system:serviceaccount:kube-system:s3-csi-driver-sa");
    assert_eq!(said.audience, "sts.amazonaws.com");
    let tomorrow = place.now.checked_add(SignedDuration::from_hours(25)).unwrap();
    assert_eq!(verify_web_identity(&place.world, &token, tomorrow), None);
    let (signed, signature) = token.rsplit_once('.').unwrap();
    assert_eq!(verify_web_identity(&place.world, &format!("{signed}x.{signature}"), place.now), None);
}
