//! How a stage is kept: where it is apart from what it knows, and nothing of it is lost between releases.

use super::{Stand, Told, WHOLE, done, making, pass, waiting};
use domain::states::{Stage, StageState, WaitingOn};
use engine::{
    ledger::VISIBILITY_WINDOW,
    store::{Condition, Transaction, keys::Key},
};
use serde_json::{Value, json};

#[tokio::test(start_paused = true)]
async fn a_stage_that_an_earlier_release_kept_in_one_item_loses_nothing() {
    let stand = Stand::of(WHOLE).await;
    let (store, cluster) = (&stand.product.owner.desk.store, stand.operation.cluster_id);
    stand.tick(&Told::new(Stage::ControlPlane, [making(&["a"]), waiting(WaitingOn::Aws)])).await.unwrap();
    let whole = stand.product.stage(cluster, Stage::ControlPlane).await;
    assert_eq!(whole.ledger.made("make/a", "thingId"), Some("a"));
    let (one, other) = (Key::stage(cluster, Stage::ControlPlane), Key::known(cluster, Stage::ControlPlane));
    let earlier = Transaction::new().put(&one, &whole, &Condition::Any).delete(&other, &Condition::Any);
    store.write(earlier).await.unwrap();
    assert_eq!(stand.product.stage(cluster, Stage::ControlPlane).await, whole);

    pass(VISIBILITY_WINDOW.unsigned_abs().as_secs()).await;
    stand.tick(&Told::new(Stage::ControlPlane, [done()])).await.unwrap();
    let after = stand.product.stage(cluster, Stage::ControlPlane).await;
    assert_eq!((after.state, after.ledger), (StageState::Succeeded, whole.ledger));
    let known: Value = store.read(&other).await.unwrap().unwrap();
    assert!(known["ledger"]["make/a"].is_object(), "{known:#}");
}

#[tokio::test(start_paused = true)]
async fn a_list_of_stages_tells_where_they_are_and_not_what_they_know() {
    let stand = Stand::of(WHOLE).await;
    stand.tick(&Told::new(Stage::ControlPlane, [making(&["a"]), waiting(WaitingOn::Aws)])).await.unwrap();
    let page = stand.product.front.desk.store.page_of(&"demo".parse().unwrap(), "cluster").await.unwrap().unwrap();
    let first = &page.stages[0];
    assert_eq!((first.state, first.waiting.is_some()), (StageState::Running, true));
    assert_eq!((first.ledger.get("make/a"), &first.observed), (None, &json!(null)));
    assert_eq!(page.lane.unwrap().operation_id, stand.operation.id);
    let again = stand.product.front.desk.store.page_of(&"demo".parse().unwrap(), "cluster").await.unwrap().unwrap();
    assert_eq!((again.cluster, again.stages), (page.cluster, page.stages), "asked for as what it meant before");
}
