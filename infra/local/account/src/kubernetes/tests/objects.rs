//! Reading and writing objects: versions, pages, watches, apply, schemas.

use super::{House, object, refused};
use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

fn map(name: &str, data: Value) -> ConfigMap {
    object(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}))
}

#[tokio::test(start_paused = true)]
async fn a_watch_tells_what_happens_later_and_ends_in_time() {
    let house = House::new();
    let maps: Api<ConfigMap> = Api::default_namespaced(house.client());
    let version = maps.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    let mut watch = maps.watch(&WatchParams::default().timeout(120), &version).await.unwrap().boxed();
    maps.create(&PostParams::default(), &map("late", json!({}))).await.unwrap();
    let first = watch.next().await.unwrap().unwrap();
    assert!(matches!(first, WatchEvent::Added(one) if one.metadata.name.as_deref() == Some("late")));
    let rest: Vec<_> = watch.collect().await;
    assert!(rest.iter().all(|event| matches!(event, Ok(WatchEvent::Bookmark(_)))), "{rest:?}");
}

#[tokio::test(start_paused = true)]
async fn a_stale_update_is_a_conflict() {
    let maps: Api<ConfigMap> = Api::default_namespaced(House::new().client());
    let first = maps.create(&PostParams::default(), &map("x", json!({"a": "1"}))).await.unwrap();
    let mut next = first.clone();
    next.data.as_mut().unwrap().insert("a".to_owned(), "2".to_owned());
    maps.replace("x", &PostParams::default(), &next).await.unwrap();
    let (code, message) = refused(maps.replace("x", &PostParams::default(), &first).await);
    assert_eq!(code, 409);
    assert!(
        message.starts_with("Operation cannot be fulfilled on configmaps \"x\": the object has been modified"),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn pages_join_to_the_whole_list() {
    let maps: Api<ConfigMap> = Api::namespaced(House::new().client(), "kube-public");
    for number in 0..5 {
        maps.create(&PostParams::default(), &map(&format!("m{number}"), json!({}))).await.unwrap();
    }
    let first = maps.list(&ListParams::default().limit(4)).await.unwrap();
    assert_eq!(first.metadata.remaining_item_count, Some(2));
    let token = first.metadata.continue_.unwrap();
    let second = maps.list(&ListParams::default().limit(4).continue_token(&token)).await.unwrap();
    let names: Vec<_> = first.items.iter().chain(&second.items).map(|one| one.metadata.name.clone().unwrap()).collect();
    assert_eq!(names, ["kube-root-ca.crt", "m0", "m1", "m2", "m3", "m4"]);
    assert_eq!(second.metadata.continue_, None);
}

#[tokio::test(start_paused = true)]
async fn an_apply_conflicts_until_it_is_forced() {
    let maps: Api<ConfigMap> = Api::default_namespaced(House::new().client());
    let apply = |who: &str| PatchParams::apply(who);
    maps.patch("x", &apply("one"), &Patch::Apply(map("x", json!({"a": "1", "b": "1"})))).await.unwrap();
    let two = map("x", json!({"a": "2"}));
    let (code, message) = refused(maps.patch("x", &apply("two"), &Patch::Apply(&two)).await);
    assert_eq!((code, message.as_str()), (409, "Apply failed with 1 conflict: conflict with \"one\": .data.a"));
    let forced = maps.patch("x", &apply("two").force(), &Patch::Apply(&two)).await.unwrap();
    assert_eq!(forced.data.unwrap(), [("a".to_owned(), "2".to_owned()), ("b".to_owned(), "1".to_owned())].into());
    let left = maps.patch("x", &apply("one"), &Patch::Apply(map("x", json!({})))).await.unwrap();
    assert_eq!(left.data.unwrap(), [("a".to_owned(), "2".to_owned())].into());
}

#[tokio::test(start_paused = true)]
async fn the_same_apply_again_changes_nothing() {
    let maps: Api<ConfigMap> = Api::default_namespaced(House::new().client());
    let wanted = map("x", json!({"a": "1"}));
    let first = maps.patch("x", &PatchParams::apply("one"), &Patch::Apply(&wanted)).await.unwrap();
    tokio::time::advance(std::time::Duration::from_secs(60)).await;
    let second = maps.patch("x", &PatchParams::apply("one"), &Patch::Apply(&wanted)).await.unwrap();
    assert_eq!(first, second);
}

#[tokio::test(start_paused = true)]
async fn strict_validation_names_the_unknown_field() {
    let house = House::new();
    let request = http::Request::post("/api/v1/namespaces/default/pods?fieldValidation=Strict")
        .header("content-type", "application/json")
        .body(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"containers": [], "nope": 1}}).to_string().into_bytes())
        .unwrap();
    let (code, message) = refused(house.client().request::<Pod>(request).await);
    assert_eq!(code, 400);
    assert_eq!(
        message,
        "Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: unknown field \"spec.nope\""
    );
}

#[tokio::test(start_paused = true)]
async fn custom_resources_are_served_and_checked_once_their_definition_is_established() {
    let client = House::new().client();
    let kind =
        |group: &str, version: &str, kind: &str| ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
    let definitions: Api<DynamicObject> =
        Api::all_with(client.clone(), &kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"));
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "minimum": 1}, "mode": {"type": "string", "enum": ["a", "b"], "default": "a"}}}}});
    let definition: DynamicObject = object(json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]},
    }));
    definitions.create(&PostParams::default(), &definition).await.unwrap();
    let things: Api<DynamicObject> = Api::default_namespaced_with(client, &kind("example.com", "v1", "Thing"));
    let thing = |spec: Value| -> DynamicObject {
        object(json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "x"}, "spec": spec}))
    };
    let made = things.create(&PostParams::default(), &thing(json!({"size": 2, "other": 1}))).await.unwrap();
    assert_eq!(made.data["spec"], json!({"size": 2, "mode": "a"}));
    let (code, message) = refused(things.create(&PostParams::default(), &thing(json!({"mode": "c"}))).await);
    assert_eq!(code, 422);
    assert!(
        message.contains("spec.size: Required value") && message.contains("spec.mode: Unsupported value: \"c\""),
        "{message}"
    );
}
