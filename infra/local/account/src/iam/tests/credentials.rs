//! Keys and sessions.

use crate::iam::{authenticate, root_credentials, session_for_role, test_world::*};
use jiff::SignedDuration;
use serde_json::json;

#[test]
fn root_is_the_same_for_one_seed_and_may_everything() {
    let world = world();
    let root = root_credentials(&world);
    assert_eq!(root, root_credentials(&crate::world::World::new(7, 100)));
    assert_ne!(root.secret_access_key, root_credentials(&crate::world::World::new(8, 1)).secret_access_key);
    let found = authenticate(&world, &root.access_key_id, None, noon()).unwrap();
    assert_eq!((found.secret, found.caller.arn.as_str()), (root.secret_access_key, "arn:aws:iam::111122223333:root"));
}

#[test]
fn a_session_ends_and_needs_its_token() {
    let mut world = world();
    role(&mut world, "r", json!([{ "Effect": "Allow", "Action": "*", "Resource": "*" }]));
    let session = session_for_role(&mut world, "r", "run-1", noon()).unwrap();
    let (key, token) = (session.access_key_id.as_str(), session.session_token.as_deref());
    let found = authenticate(&world, key, token, noon()).unwrap();
    assert_eq!(found.caller.arn, "arn:aws:sts::111122223333:assumed-role/r/run-1");
    assert_eq!(found.secret, session.secret_access_key);
    assert_eq!(authenticate(&world, key, None, noon()).unwrap_err().code, "InvalidClientTokenId");
    assert_eq!(authenticate(&world, key, Some("other"), noon()).unwrap_err().code, "InvalidClientTokenId");
    let end = noon() + SignedDuration::from_hours(1);
    assert!(authenticate(&world, key, token, end - SignedDuration::from_secs(1)).is_ok());
    assert_eq!(authenticate(&world, key, token, end).unwrap_err().code, "ExpiredToken");
    assert_eq!(session_for_role(&mut world, "missing", "s", noon()), None);
}

#[test]
fn a_user_signs_with_an_active_key() {
    let mut world = world();
    iam(&mut world, "CreateUser", json!({ "UserName": "ops", "Path": "/people/" })).unwrap();
    let made = iam(&mut world, "CreateAccessKey", json!({ "UserName": "ops" })).unwrap();
    let (id, secret) = (made["AccessKey"]["AccessKeyId"].as_str().unwrap(), &made["AccessKey"]["SecretAccessKey"]);
    let found = authenticate(&world, id, None, noon()).unwrap();
    assert_eq!(
        (found.secret.as_str(), found.caller.arn.as_str()),
        (secret.as_str().unwrap(), "arn:aws:iam::111122223333:user/people/ops")
    );
    let input = json!({ "UserName": "ops", "AccessKeyId": id, "Status": "Inactive" });
    iam(&mut world, "UpdateAccessKey", input).unwrap();
    assert_eq!(authenticate(&world, id, None, noon()).unwrap_err().code, "InvalidClientTokenId");
    assert_eq!(authenticate(&world, "AKIAUNKNOWN", None, noon()).unwrap_err().status, 403);
}

#[test]
fn no_secret_is_kept_or_shown() {
    let mut world = world();
    role(&mut world, "r", json!([{ "Effect": "Allow", "Action": "*", "Resource": "*" }]));
    let session = session_for_role(&mut world, "r", "s", noon()).unwrap();
    let found = authenticate(&world, &session.access_key_id, session.session_token.as_deref(), noon()).unwrap();
    let shown = format!("{session:?} {found:?} {}", serde_json::to_string(&world).unwrap());
    assert!(shown.contains(&session.access_key_id) && !shown.contains(&session.secret_access_key));
    assert!(!shown.contains(session.session_token.as_deref().unwrap()));
}

#[test]
fn a_world_that_was_written_down_is_the_same_when_it_is_read() {
    let mut world = world();
    role(&mut world, "r", json!([{ "Effect": "Allow", "Action": "*", "Resource": "*" }]));
    let read: crate::world::World = serde_json::from_str(&serde_json::to_string(&world).unwrap()).unwrap();
    assert_eq!(read, world);
}
