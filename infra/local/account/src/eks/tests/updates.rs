use super::place::Place;
use serde_json::{Value, json};

fn update(place: &mut Place, id: &Value) -> Value {
    place.call("DescribeUpdate", json!({ "name": "demo", "updateId": id })).unwrap()["update"].clone()
}

#[test]
fn br_010_one_call_holds_one_kind_of_change() {
    let mut place = Place::with_cluster(json!({}));
    let logging = json!({ "clusterLogging": [{ "types": ["api", "audit"], "enabled": true }] });
    let endpoint = json!({ "endpointPrivateAccess": true, "publicAccessCidrs": ["203.0.113.0/24"] });
    let both = json!({ "name": "demo", "logging": logging, "resourcesVpcConfig": endpoint });
    let refusal = place.refused("UpdateClusterConfig", both);
    assert_eq!(
        (refusal.code.as_str(), refusal.message.as_str()),
        ("InvalidParameterException", "Only one type of update can be allowed")
    );

    let started = place.call("UpdateClusterConfig", json!({ "name": "demo", "logging": logging })).unwrap();
    let id = started["update"]["id"].clone();
    assert_eq!(
        (&started["update"]["type"], &started["update"]["status"]),
        (&json!("LoggingUpdate"), &json!("InProgress"))
    );
    assert_eq!(place.cluster()["status"], "UPDATING");
    let second = json!({ "name": "demo", "resourcesVpcConfig": endpoint });
    let busy = place.refused("UpdateClusterConfig", second.clone());
    assert_eq!(busy.code, "ResourceInUseException");
    assert!(busy.message.contains(id.as_str().unwrap()));

    place.pass_minutes(2);
    assert_eq!(update(&mut place, &id)["status"], "Successful");
    assert_eq!(place.cluster()["logging"]["clusterLogging"][0], json!({ "types": ["api", "audit"], "enabled": true }));
    place.call("UpdateClusterConfig", second).unwrap();
    place.pass_minutes(7);
    assert_eq!(place.cluster()["resourcesVpcConfig"]["publicAccessCidrs"], json!(["203.0.113.0/24"]));
    assert_eq!(place.call("ListUpdates", json!({ "name": "demo" })).unwrap()["updateIds"].as_array().unwrap().len(), 2);
}

#[test]
fn a_change_to_what_is_already_so_is_refused() {
    let mut place = Place::with_cluster(json!({}));
    let same = json!({ "name": "demo", "resourcesVpcConfig": { "endpointPrivateAccess": true } });
    let refusal = place.refused("UpdateClusterConfig", same);
    assert!(
        refusal.message.starts_with("Cluster is already at the desired configuration with endpointPrivateAccess: true")
    );
    let logging = json!({ "clusterLogging": [{ "types": ["api"], "enabled": false }] });
    let refusal = place.refused("UpdateClusterConfig", json!({ "name": "demo", "logging": logging }));
    assert_eq!(refusal.message, "No changes needed for the logging config provided");
    assert_eq!(place.refused("UpdateClusterConfig", json!({ "name": "demo" })).code, "InvalidParameterException");
}

#[test]
fn the_authentication_mode_never_goes_back() {
    let mut place = Place::with_cluster(json!({}));
    for mode in ["CONFIG_MAP", "API_AND_CONFIG_MAP"] {
        let change = json!({ "name": "demo", "accessConfig": { "authenticationMode": mode } });
        assert_eq!(place.refused("UpdateClusterConfig", change).code, "InvalidParameterException");
    }
    place
        .call("UpdateClusterConfig", json!({ "name": "demo", "accessConfig": { "authenticationMode": "API" } }))
        .unwrap();
    place.pass_minutes(3);
    assert_eq!(place.cluster()["accessConfig"]["authenticationMode"], "API");
}

#[test]
fn a_version_goes_up_by_one_minor() {
    let mut place = Place::with_cluster(json!({}));
    for version in ["1.35", "1.33", "1.32", "1.99"] {
        assert_eq!(
            place.refused("UpdateClusterVersion", json!({ "name": "demo", "version": version })).code,
            "InvalidParameterException"
        );
    }
    let started = place.call("UpdateClusterVersion", json!({ "name": "demo", "version": "1.34" })).unwrap();
    place.pass_minutes(8);
    assert_eq!(place.cluster()["version"], if place.cluster()["status"] == "ACTIVE" { "1.34" } else { "1.33" });
    place.pass_minutes(4);
    assert_eq!(update(&mut place, &started["update"]["id"])["status"], "Successful");
    assert_eq!((&place.cluster()["version"], &place.cluster()["status"]), (&json!("1.34"), &json!("ACTIVE")));
}

#[test]
fn the_same_token_starts_one_update() {
    let mut place = Place::with_cluster(json!({}));
    let change = json!({ "name": "demo", "deletionProtection": true, "clientRequestToken": "t" });
    let first = place.call("UpdateClusterConfig", change.clone()).unwrap();
    place.pass_seconds(10);
    let again = place.call("UpdateClusterConfig", change).unwrap();
    assert_eq!(first["update"]["id"], again["update"]["id"]);
    assert_eq!(again["update"]["status"], "Successful");
}

#[test]
fn updates_are_refused_while_the_cluster_is_not_there() {
    let mut place = Place::new();
    place.call("CreateCluster", super::place::request()).unwrap();
    let change = json!({ "name": "demo", "deletionProtection": true });
    assert_eq!(place.refused("UpdateClusterConfig", change.clone()).code, "InvalidRequestException");
    assert_eq!(
        place.refused("DescribeUpdate", json!({ "name": "demo", "updateId": "none" })).code,
        "ResourceNotFoundException"
    );
}
