//! Every tick delivered twice: one after the other, and both at the same time.

use crate::{ground, ground::Ground, verdict::judge};
use account::faults::{Effect, Fault};
use domain::states::Stage;

async fn doubled(ground: &Ground, at_once: bool) {
    let what = format!("{} with every invocation twice, at once: {at_once}", ground.stage);
    let product = ground.product().await;
    let fault = Fault::new("twice", Effect::Twice { function: "*".to_owned(), at_once });
    product.account.with_world(|world| world.faults.switch_on(fault)).unwrap();
    let asked = ground.ask(&product).await;
    let ended = product.ended(asked.id).await;
    let met = product.account.read(|world| world.faults.active()[0].met);
    assert!(met > 0, "{what}: nothing was invoked");
    assert_eq!(ended.attempt, 1, "{what}");
    judge(ground, &product, &ended, &what).await;
}

#[tokio::test(start_paused = true)]
async fn every_tick_delivered_again_after_the_first_changes_nothing_more() {
    for stage in Stage::ALL {
        doubled(ground::of(*stage), false).await;
    }
}

#[tokio::test(start_paused = true)]
async fn every_tick_delivered_twice_at_the_same_time_acts_once() {
    for stage in Stage::ALL {
        doubled(ground::of(*stage), true).await;
    }
}
