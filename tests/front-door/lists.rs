//! Lists: pages that join without gap or repeat, cursors that belong to one list.

use crate::{House, cluster};
use contract::journal::{Fate, JournalEntry};
use engine::store::{Condition, Transaction, keys::Key};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// All items of `name`, page by page.
async fn walk(house: &House, name: &str, filter: Value, limit: usize) -> Vec<Value> {
    let mut items = Vec::new();
    let mut input = filter;
    input["limit"] = limit.into();
    loop {
        let page = house.ask(name, input.clone(), None).await.unwrap();
        let found = page["items"].as_array().unwrap();
        assert!(found.len() <= limit, "{name}: {} of {limit}", found.len());
        items.extend(found.iter().cloned());
        match page.get("nextCursor") {
            Some(cursor) => input["cursor"] = cursor.clone(),
            None => return items,
        }
    }
}

async fn with_clusters(count: usize) -> House {
    let house = House::new().await;
    for number in 0..count {
        house.ask("create_cluster", cluster(&format!("c-{number:02}")), None).await.unwrap();
    }
    house
}

#[tokio::test(start_paused = true)]
async fn br_166_a_limit_is_the_number_of_items_and_pages_join() {
    // More stages than one BatchGetItem reads.
    let house = with_clusters(20).await;
    for limit in [1, 5, 20, 100] {
        let clusters = walk(&house, "list_clusters", json!({}), limit).await;
        let tags: Vec<&str> = clusters.iter().map(|one| one["tag"].as_str().unwrap()).collect();
        assert_eq!(tags.len(), 20);
        assert!(tags.is_sorted(), "{tags:?}");
        let operations = walk(&house, "list_operations", json!({}), limit).await;
        let ids: BTreeSet<&str> = operations.iter().map(|one| one["operationId"].as_str().unwrap()).collect();
        assert_eq!((operations.len(), ids.len()), (20, 20));
        let newest = operations[0]["operationId"].as_str().unwrap();
        assert!(ids.iter().all(|id| *id <= newest), "newest first");
    }
}

#[tokio::test(start_paused = true)]
async fn the_operations_of_one_cluster_are_its_own() {
    let house = with_clusters(2).await;
    let operations = walk(&house, "list_operations", json!({ "clusterTag": "c-01" }), 1).await;
    assert_eq!(operations.len(), 1);
    assert_eq!(operations[0]["clusterTag"], "c-01");
}

#[tokio::test(start_paused = true)]
async fn a_cursor_of_another_list_or_filter_is_refused_at_its_pointer() {
    let house = with_clusters(3).await;
    let cursor = house.ask("list_clusters", json!({ "limit": 1 }), None).await.unwrap()["nextCursor"].clone();
    for (name, filter) in [("list_operations", json!({})), ("list_operations", json!({ "clusterTag": "c-01" }))] {
        let mut input = filter;
        input["cursor"] = cursor.clone();
        let refused = house.ask(name, input, None).await.unwrap_err();
        assert_eq!((refused.status, refused.errors[0].pointer.as_str()), (400, "/cursor"));
    }
    let made_up = house.ask("list_clusters", json!({ "cursor": "AAAA" }), None).await.unwrap_err();
    assert_eq!(made_up.errors[0].pointer, "/cursor");
}

#[tokio::test(start_paused = true)]
async fn a_journal_pages_in_its_order() {
    let house = with_clusters(1).await;
    let store = &house.product.front.desk.store;
    let operation = store.operations(None, 1).await.unwrap().items.remove(0);
    house.ask("cancel_operation", json!({ "operationId": operation.id.to_string() }), None).await.unwrap();
    house.product.ended(operation.id).await;
    for sequence in 1..=7 {
        let entry = entry(sequence, operation.created_at);
        let write = Transaction::new().put(&Key::journal(operation.id, sequence), &entry, &Condition::Any);
        store.write(write).await.unwrap();
    }
    let id = json!({ "operationId": operation.id.to_string() });
    let whole = walk(&house, "get_journal", id.clone(), 100).await;
    let sequence: Vec<u64> = whole.iter().map(|entry| entry["sequence"].as_u64().unwrap()).collect();
    assert!(sequence.len() >= 7);
    assert_eq!(sequence, (1..=sequence.len() as u64).collect::<Vec<_>>());
    for limit in [1, 2, 7] {
        assert_eq!(walk(&house, "get_journal", id.clone(), limit).await, whole);
    }
}

fn entry(sequence: u32, at: jiff::Timestamp) -> JournalEntry {
    JournalEntry {
        schema: 1,
        sequence,
        attempt: 1,
        stage: Some("control-plane".to_owned()),
        change: format!("create-subnet/{sequence}"),
        title: "create a subnet".to_owned(),
        fate: Fate::Applied,
        intended_at: at,
        answered_at: Some(at),
        made: Default::default(),
        failure: None,
    }
}
