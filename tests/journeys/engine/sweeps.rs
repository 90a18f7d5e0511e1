//! The sweep: it looks at what is open, all of it in the end, whatever else is in the table.

use super::{Stand, WHOLE, pass};
use domain::states::{OperationState, Stage};
use engine::{
    store::{
        Condition, Lane, Transaction,
        keys::{IndexKey, Key},
    },
    submit::Submission,
    sweep,
};
use harness::decisions;
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn a_record_that_cannot_be_read_keeps_the_sweep_from_no_other_operation() {
    let stand = Stand::of(WHOLE).await;
    let product = &stand.product;
    let config = product.owner.cloud.engine_config(&product.installed.home()).await;
    let dynamodb = aws_sdk_dynamodb::Client::new(&config);
    let text = |text: &str| aws_sdk_dynamodb::types::AttributeValue::S(text.to_owned());
    let id = "01KBXZ3V8Y00000000000000ZZ";
    let damaged = dynamodb.put_item().table_name(&product.installed.table).item("pk", text(&format!("OP#{id}")));
    let damaged = damaged.item("sk", text("OP")).item("gsi1pk", text("OPS")).item("gsi1sk", text(id));
    damaged.item("id", text(id)).item("state", text("running")).send().await.unwrap();
    for (lane, operation) in [("LANE#damaged", None), ("LANE#of-a-damaged-one", Some(id))] {
        let item = dynamodb.put_item().table_name(&product.installed.table).item("pk", text(lane));
        let item = item.item("sk", text("LANE")).item("gsi1pk", text("OPEN")).item("gsi1sk", text(lane));
        let item = item.item("kind", text("create_cluster")).item("inputHash", text(""));
        let item = operation.map_or(item.clone(), |id| item.item("operationId", text(id)));
        item.send().await.unwrap();
    }
    pass(60).await;
    let desk = &product.front.desk;
    let accepted = product.create(decisions("other", json!({})), Stage::ControlPlane).await.operation;
    let arn = format!("{}:{}-1", product.installed.machines.cluster, accepted.id);
    let sfn = aws_sdk_sfn::Client::new(&config);
    let arn = arn.replacen(":stateMachine:", ":execution:", 1);
    sfn.stop_execution().execution_arn(arn).send().await.unwrap();
    pass(150).await;
    desk.sweep().await.unwrap();
    let ended = product.ended(accepted.id).await;
    assert_eq!(ended.state, OperationState::Failed);
    assert_eq!(desk.store.lane(accepted.cluster_id, "cluster").await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn a_sweep_looks_at_what_is_open_and_reads_nothing_that_has_ended() {
    let stand = Stand::of(WHOLE).await;
    let (product, desk) = (&stand.product, &stand.product.front.desk);
    for number in 0..8 {
        let creation = product.creation(decisions(&format!("ended-{number}"), json!({})), Stage::Verification);
        let ended = desk.submit(Submission { machine: "nowhere", ..creation }).await.unwrap().operation;
        desk.cancel(ended.id).await.unwrap();
    }
    let reads = || product.account.read(|world| world.calls.count("dynamodb", "GetItem").all);
    let before = reads();
    assert_eq!(desk.sweep().await.unwrap().open, 1);
    assert!(reads() - before <= 3, "{} reads", reads() - before);
    desk.cancel(stand.operation.id).await.unwrap();
    assert_eq!(desk.sweep().await.unwrap().open, 0);
    desk.retry(stand.operation.id).await.unwrap();
    assert_eq!(desk.sweep().await.unwrap().open, 1, "what is tried again is open again");
}

#[tokio::test(start_paused = true)]
async fn a_sweep_that_cannot_look_at_everything_goes_on_where_it_stopped() {
    let stand = Stand::of(WHOLE).await;
    let desk = &stand.product.front.desk;
    let lane = |operation_id| Lane { operation_id, kind: "create_cluster".to_owned(), input_hash: String::new() };
    for number in 0..sweep::MOST {
        let id = desk.context.operation_id();
        let key = Key::lane(stand.operation.cluster_id, &format!("of-nothing-{number}"));
        let write = Transaction::new().put_indexed(&key, Some(IndexKey::open(id)), &lane(id), &Condition::Absent);
        desk.store.write(write).await.unwrap();
    }
    let most = u32::try_from(sweep::MOST).unwrap();
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(desk.sweep().await.unwrap().open);
    }
    assert_eq!(open, [most, 1, most], "all of them in two sweeps, then from the oldest on");
}
