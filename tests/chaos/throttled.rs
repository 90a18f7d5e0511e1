//! Services that refuse by throttling: a share of all calls throughout, or everything for minutes.

use crate::{ground, ground::Ground, verdict::judge};
use account::{
    faults::{Effect, Fault},
    lambda,
};
use domain::states::Stage;
use harness::Product;
use std::time::Duration;

/// Roles of the product's functions.
const FUNCTIONS: &str = "hyperpod-instantstart-*";

/// Chances are drawn from the fault's name.
fn throttling(chance: f64, seed: u64) -> Fault {
    Fault::new(&format!("throttled-{seed}"), Effect::Throttle).for_role(FUNCTIONS).with_probability(chance)
}

fn switch_on(product: &Product, fault: Fault) {
    product.account.with_world(|world| world.faults.switch_on(fault)).unwrap();
}

/// How many calls were throttled.
async fn throughout(ground: &Ground, seed: u64) -> u32 {
    // Selection asks so little that a small share would meet none of its calls.
    let share = if ground.stage == Stage::Selection { 0.33 } else { 0.05 };
    let what = format!("{} with a share of {share} throttled, seed {seed}", ground.stage);
    let product = ground.product().await;
    switch_on(&product, throttling(share, seed));
    let asked = ground.ask(&product).await;
    // As long as the product waits itself: a look of which one read is refused begins anew as a whole.
    let ended = product.ended_within(asked.id, 24).await;
    let met = product.account.read(|world| world.faults.active()[0].met);
    judge(ground, &product, &ended, &what).await;
    met
}

#[tokio::test(start_paused = true)]
async fn a_share_of_throttled_calls_only_takes_longer() {
    for stage in Stage::ALL {
        let mut met = 0;
        for seed in [1, 2] {
            met += throughout(ground::of(*stage), seed).await;
        }
        assert!(met > 0, "{stage}: nothing was throttled");
    }
}

/// Nothing but throttling for five minutes, from `second` of the stage on.
async fn burst(ground: &Ground, second: u64) {
    let what = format!("{} with five minutes of throttling from second {second}", ground.stage);
    let product = ground.product().await;
    let asked = ground.ask(&product).await;
    tokio::time::sleep(Duration::from_secs(second)).await;
    let was_over = product.operation(asked.id).await.is_terminal();
    switch_on(&product, throttling(1.0, 0));
    let function = domain::naming::function_role(ground.stage.as_str());
    product.account.with_world(|world| {
        for _ in 0..5 {
            lambda::fail_next(world, &function, lambda::Fault::TooManyRequests);
        }
    });
    tokio::time::sleep(Duration::from_secs(300)).await;
    let met = product.account.read(|world| world.faults.active()[0].met);
    product.account.with_world(|world| world.faults.clear());
    let ended = product.ended(asked.id).await;
    assert!(met > 0 || was_over, "{what}: nothing was throttled");
    assert_eq!(ended.attempt, 1, "{what}");
    judge(ground, &product, &ended, &what).await;
}

#[tokio::test(start_paused = true)]
async fn minutes_of_nothing_but_throttling_are_waited_out() {
    for stage in Stage::ALL {
        for second in [0, 7] {
            burst(ground::of(*stage), second).await;
        }
    }
}
