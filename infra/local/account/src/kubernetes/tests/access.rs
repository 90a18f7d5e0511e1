//! Who may do what.

use super::{House, object, refused};
use crate::kubernetes::{AccessPolicy, Scope, User, server::Door};
use k8s_openapi::api::{
    authorization::v1::SelfSubjectAccessReview,
    core::v1::{Pod, Secret},
};
use kube::api::{Api, ListParams, PostParams};
use serde_json::json;

fn reader() -> User {
    User { name: "reader".to_owned(), groups: Vec::new() }
}

#[tokio::test(start_paused = true)]
async fn nobody_may_do_anything_unless_a_role_or_policy_says_so() {
    let house = House::new();
    let pods: Api<Pod> = Api::default_namespaced(house.client_of(reader()));
    let (code, message) = refused(pods.list(&ListParams::default()).await);
    assert_eq!(code, 403);
    assert_eq!(
        message,
        "pods is forbidden: User \"reader\" cannot list resource \"pods\" in API group \"\" in the namespace \"default\""
    );
    let scope = Scope::Namespaces(vec!["default".to_owned()]);
    house.with_cluster(|cluster, _| cluster.grant("reader", AccessPolicy::EksView, scope));
    pods.list(&ListParams::default()).await.unwrap();
    let secrets: Api<Secret> = Api::default_namespaced(house.client_of(reader()));
    assert_eq!(refused(secrets.list(&ListParams::default()).await).0, 403);
    let elsewhere: Api<Pod> = Api::namespaced(house.client_of(reader()), "kube-system");
    assert_eq!(refused(elsewhere.list(&ListParams::default()).await).0, 403);
}

#[tokio::test(start_paused = true)]
async fn an_access_review_answers_what_the_authorizer_would() {
    let house = House::new();
    house.with_cluster(|cluster, _| cluster.grant("reader", AccessPolicy::EksView, Scope::Cluster));
    let reviews: Api<SelfSubjectAccessReview> = Api::all(house.client_of(reader()));
    for (verb, allowed) in [("list", true), ("delete", false)] {
        let review = object(
            json!({"metadata": {}, "spec": {"resourceAttributes": {"verb": verb, "resource": "pods", "namespace": "default"}}}),
        );
        let answer = reviews.create(&PostParams::default(), &review).await.unwrap();
        assert_eq!(answer.status.unwrap().allowed, allowed, "{verb}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_role_is_granted_holds_for_each_of_its_sessions_and_for_nobody_else() {
    let house = House::new();
    house.with_cluster(|cluster, _| cluster.grant("role/Admin/{{SessionName}}", AccessPolicy::EksView, Scope::Cluster));
    for (name, allowed) in [
        ("role/Admin/ann", true),
        ("role/Admin/access-review", true),
        ("role/Admin/", false),
        ("role/Admin/ann/bob", false),
        ("role/Other/ann", false),
    ] {
        let pods: Api<Pod> = Api::all(house.client_of(User { name: name.to_owned(), groups: Vec::new() }));
        assert_eq!(pods.list(&ListParams::default()).await.is_ok(), allowed, "{name}");
    }
}
