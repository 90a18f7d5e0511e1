//! Lists: pages that join without gap or repeat, cursors that belong to one list.

use crate::{House, cluster};
use aws_sdk_dynamodb::types::AttributeValue;
use contract::journal::{Fate, JournalEntry};
use domain::ids::OperationId;
use engine::{
    record::{Cluster, Operation},
    store::{
        Condition, Transaction,
        keys::{IndexKey, Key},
    },
};
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

/// Writes `item` with members of its own beside the record's keys, as another release or an accident would.
async fn spoil(house: &House, pk: &str, sk: &str, members: &[(&str, AttributeValue)]) {
    let product = &house.product;
    let config = product.owner.cloud.engine_config(&product.installed.home()).await;
    let client = aws_sdk_dynamodb::Client::new(&config);
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let read = client.get_item().table_name(&product.installed.table).key("pk", text(pk)).key("sk", text(sk));
    let mut item = read.send().await.unwrap().item.unwrap();
    item.extend(members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    client.put_item().table_name(&product.installed.table).set_item(Some(item)).send().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_record_that_cannot_be_read_is_told_beside_those_that_can() {
    let house = with_clusters(3).await;
    let store = &house.product.front.desk.store;
    let clusters = store.clusters(None, 3).await.unwrap().items;
    let (newer, damaged) = (&clusters[0], &clusters[1]);
    let at = |one: &Cluster| format!("CLUSTER#{}", one.id);
    spoil(&house, &at(newer), "CLUSTER", &[("schema", AttributeValue::N("99".to_owned()))]).await;
    spoil(&house, &at(damaged), "STAGE#1-control-plane", &[("state", AttributeValue::S("melted".to_owned()))]).await;
    let page = house.ask("list_clusters", json!({}), None).await.unwrap();
    assert_eq!((page["items"].as_array().unwrap().len(), &page["items"][0]["tag"]), (1, &json!("c-02")), "{page:#}");
    let told: Vec<&str> = page["unreadable"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    assert_eq!(told[0], format!("{} (c-00): written by a newer release", newer.id));
    assert!(told[1].starts_with(&format!("{} (c-01): ", damaged.id)), "{told:?}");
    let first = house.ask("list_clusters", json!({ "limit": 1 }), None).await.unwrap();
    assert_eq!(
        (&first["items"], first["unreadable"].as_array().unwrap().len()),
        (&json!([]), 1),
        "pages go on after it"
    );
    assert_eq!(walk(&house, "list_clusters", json!({}), 1).await.len(), 1);
    let operation = format!("OP#{}", newer.first_operation);
    spoil(&house, &operation, "OP", &[("state", AttributeValue::S("dreaming".to_owned()))]).await;
    for filter in [json!({}), json!({ "clusterTag": "c-02" })] {
        let page = house.ask("list_operations", filter.clone(), None).await.unwrap();
        let lines = page["unreadable"].as_array().map_or(0, Vec::len);
        let whole = filter == json!({});
        assert_eq!((page["items"].as_array().unwrap().len(), lines), if whole { (2, 1) } else { (1, 0) }, "{page:#}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tag_that_is_used_again_is_listed_with_its_tombstones_and_pages_through_them() {
    let house = with_clusters(2).await;
    let store = &house.product.front.desk.store;
    let living = store.clusters(None, 1).await.unwrap().items.remove(0);
    for _ in 0..3 {
        let id = house.product.front.desk.context.cluster_id();
        let tombstone = Cluster { id, deleted_at: Some(living.created_at), ..living.clone() };
        let index = Some(IndexKey::clusters(&living.tag, id));
        let write = Transaction::new().put_indexed(&Key::cluster(id), index, &tombstone, &Condition::Absent);
        store.write(write).await.unwrap();
    }
    assert_eq!(store.clusters(None, 10).await.unwrap().items.len(), 5);
    for limit in [1, 2, 10] {
        let tags: Vec<Value> =
            walk(&house, "list_clusters", json!({}), limit).await.iter().map(|one| one["tag"].clone()).collect();
        assert_eq!(tags, ["c-00", "c-01"], "{limit} at a time");
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
        refusals: None,
    }
}

#[tokio::test(start_paused = true)]
async fn br_056_a_cluster_with_two_groups_is_one_item_with_totals() {
    let house = House::new().await;
    house.allow("sagemaker", "ml.g5.12xlarge for cluster usage", 8.0);
    house.allow("sagemaker", "ml.m5.2xlarge for cluster usage", 8.0);
    let group = |kind: &str, count: u32| json!({ "zoneId": "usw2-az2", "instanceType": kind, "instanceCount": count });
    let mut input = cluster("a");
    input["hyperpod"] =
        json!({ "instanceGroups": { "gpu": group("ml.g5.12xlarge", 4), "cpu": group("ml.m5.2xlarge", 1) } });
    house.ask("create_cluster", input, None).await.unwrap();
    let listed = walk(&house, "list_clusters", json!({}), 100).await;
    let [one] = &listed[..] else { panic!("{listed:#?}") };
    assert_eq!(
        (&one["instanceGroups"], &one["nodesWanted"], &one["acceleratorsWanted"]),
        (&json!(2), &json!(5), &json!(16)),
        "{one:#}"
    );
}

/// Puts a hundred at a time.
async fn put(house: &House, mut each: impl FnMut(Transaction, u32) -> Transaction, count: u32) {
    let mut next = 0;
    while next < count {
        let end = (next + 100).min(count);
        let transaction = (next..end).fold(Transaction::new(), &mut each);
        house.product.front.desk.store.write(transaction).await.unwrap();
        next = end;
    }
}

#[tokio::test(start_paused = true)]
async fn br_143_three_thousand_operations_are_listed_each_once() {
    let house = with_clusters(1).await;
    let store = &house.product.front.desk.store;
    let mut operation = store.operations(None, 1).await.unwrap().items.remove(0);
    let first = operation.id;
    operation.input = json!({ "filling": "x".repeat(1_000) });
    let each = |transaction: Transaction, number: u32| {
        let id = OperationId::from_parts(1_700_000_000_000 + u64::from(number), u128::from(number));
        let record = Operation { id, ..operation.clone() };
        transaction.put_indexed(&Key::operation(id), Some(IndexKey::operations(id)), &record, &Condition::Absent)
    };
    put(&house, each, 3_000).await;
    // More than a megabyte, where DynamoDB ends a page by itself.
    assert_eq!(store.operations(None, 5_000).await.unwrap().items.len(), 3_001);
    let found = walk(&house, "list_operations", json!({}), 100).await;
    let ids: BTreeSet<&str> = found.iter().map(|one| one["operationId"].as_str().unwrap()).collect();
    assert_eq!((found.len(), ids.len()), (3_001, 3_001));
    assert_eq!(found[0]["operationId"], first.to_string(), "newest first");
}

#[tokio::test(start_paused = true)]
async fn br_142_a_long_journal_is_read_page_by_page_and_is_no_part_of_the_operation() {
    let house = with_clusters(1).await;
    let operation = house.product.front.desk.store.operations(None, 1).await.unwrap().items.remove(0);
    house.ask("cancel_operation", json!({ "operationId": operation.id.to_string() }), None).await.unwrap();
    let ended = house.product.ended(operation.id).await;
    let at = operation.created_at;
    let each = |transaction: Transaction, number: u32| {
        let mut entry = entry(number + 1, at);
        entry.title = "t".repeat(900);
        transaction.put(&Key::journal(operation.id, number + 1), &entry, &Condition::Any)
    };
    put(&house, each, 2_000).await;
    let id = json!({ "operationId": operation.id.to_string() });
    let whole = walk(&house, "get_journal", id.clone(), 1_000).await;
    let sequence: Vec<u64> = whole.iter().map(|entry| entry["sequence"].as_u64().unwrap()).collect();
    assert_eq!(sequence, (1..=2_000).collect::<Vec<_>>());
    let kept = serde_json::to_vec(&ended).unwrap().len();
    assert!(kept < 20_000, "{kept} bytes");
    let shown = house.ask("get_operation", id, None).await.unwrap().to_string().len();
    assert!(shown < 20_000, "{shown} bytes");
}

#[tokio::test(start_paused = true)]
async fn br_137_br_167_a_hundred_groups_are_told_within_what_a_client_shows() {
    let house = House::new().await;
    let group = json!({ "zoneId": "usw2-az2", "instanceType": "ml.g6.4xlarge", "instanceCount": 0 });
    let groups: serde_json::Map<String, Value> =
        (0..100).map(|number| (format!("group-{number:03}"), group.clone())).collect();
    let mut input = cluster("a");
    input["hyperpod"] = json!({ "instanceGroups": groups });
    let accepted = house.ask("create_cluster", input, None).await.unwrap();
    let id = json!({ "operationId": accepted["operationId"] });
    for (name, input) in [
        ("get_cluster", json!({ "tag": "a" })),
        ("list_clusters", json!({ "limit": 1_000 })),
        ("get_operation", id.clone()),
        ("list_operations", json!({ "limit": 1_000 })),
        ("get_stage", json!({ "tag": "a", "stage": "hyperpod" })),
        ("list_stages", json!({ "tag": "a" })),
        ("list_instance_types", json!({ "region": "us-west-2", "limit": 100 })),
    ] {
        let answer = house.ask(name, input, None).await.unwrap();
        let bytes = answer.to_string().len();
        assert!(bytes <= domain::limits::MCP_RESULT + 2_000, "{name}: {bytes} bytes");
    }
    let shown = house.ask("get_cluster", json!({ "tag": "a" }), None).await.unwrap();
    assert_eq!(shown["decisions"]["hyperpod"]["instanceGroups"].as_object().unwrap().len(), 100);
}

#[tokio::test(start_paused = true)]
async fn a_subnet_that_goes_between_two_pages_hides_no_other() {
    let house = crate::choices::research().await;
    let narrowed = json!({ "tag": "research" });
    let whole = walk(&house, "list_subnets", narrowed.clone(), 100).await;
    assert!(whole.len() >= 3, "{whole:?}");
    assert_eq!(walk(&house, "list_subnets", narrowed, 1).await, whole);
    let first = house.ask("list_subnets", json!({ "tag": "research", "limit": 1 }), None).await.unwrap();
    assert_eq!(first["items"][0], whole[0]);
    let gone = whole[0]["subnetId"].as_str().unwrap();
    house.product.account.with_world(|world| {
        assert!(world.ec2.network("us-west-2").subnets.remove(gone).is_some());
    });
    let input = json!({ "tag": "research", "limit": 100, "cursor": first["nextCursor"] });
    let rest = house.ask("list_subnets", input, None).await.unwrap();
    assert_eq!(rest["items"].as_array().unwrap()[..], whole[1..]);
    assert!(rest["vpcId"].is_string() && rest.get("nextCursor").is_none());
}
