//! The front door's own writes: the transaction that records a request, and the start of its execution.

use crate::{ground, verdict::judge};
use account::faults::{Effect, Fault};
use domain::states::Stage;
use harness::Product;

/// Submits the shortest stage with `effect` on one call of the front door, and holds it against the undisturbed run.
async fn submitted(service: &str, action: &str, effect: Effect) -> Product {
    let what = format!("{service}:{action} with {effect:?}");
    let ground = ground::of(Stage::Selection);
    let product = ground.product().await;
    let fault = Fault::new("chaos", effect).on(service, action).for_role(&domain::naming::function_role("api")).nth(1);
    product.account.with_world(|world| world.faults.switch_on(fault)).unwrap();
    let asked = product.front.desk.submit(ground.request(&product).await).await.unwrap().operation;
    let met = product.account.read(|world| world.faults.active()[0].met);
    assert_eq!(met, 1, "{what}: the fault met its call");
    let ended = product.ended(asked.id).await;
    judge(ground, &product, &ended, &what).await;
    assert_eq!(product.made("states", "StartExecution"), 1, "{what}: one execution");
    product
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_recording_was_not_answered_is_recorded_and_started_once() {
    submitted("dynamodb", "TransactWriteItems", Effect::LostAnswer).await;
}

#[tokio::test(start_paused = true)]
async fn a_start_whose_answer_was_lost_is_no_second_start() {
    submitted("states", "StartExecution", Effect::LostAnswer).await;
}

#[tokio::test(start_paused = true)]
async fn a_start_that_is_refused_is_made_up_for_by_the_sweep() {
    let product = submitted("states", "StartExecution", Effect::Throttle).await;
    let all = product.account.read(|world| world.calls.count("states", "StartExecution").all);
    assert_eq!(all, 2, "the front door's and the sweep's");
}
