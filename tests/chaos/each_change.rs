//! Every call that changes something, in turn: the function dies right after it, or its answer is lost.

use crate::{
    ground::{self, Change, Ground},
    verdict::judge,
};
use account::faults::{Effect, Fault};
use domain::states::Stage;
use sha2::{Digest, Sha256};

/// In how many parts the engine's own writes of a long stage are divided: one of each is disturbed, besides the first and
/// the last of all.
const PARTS: usize = 5;

/// Runs the stage with `effect` on `change` alone.
async fn disturbed(ground: &Ground, change: &Change, effect: Effect) {
    let what = format!("{} with {effect:?} at {change}", ground.stage);
    let product = ground.product().await;
    let fault = Fault::new("chaos", effect).on(&change.service, &change.action).for_role(&change.role).nth(change.nth);
    product.account.with_world(|world| world.faults.switch_on(fault)).unwrap();
    let asked = ground.ask(&product).await;
    let ended = product.ended(asked.id).await;
    let met = product.account.read(|world| world.faults.active()[0].met);
    assert_eq!(met, 1, "{what}: the fault met its call");
    assert_eq!(ended.attempt, 1, "{what}");
    judge(ground, &product, &ended, &what).await;
}

fn killed() -> Effect {
    Effect::Kill { function: "*".to_owned() }
}

/// Disturbs the stage's changes of the world, every second one of them from `offset` on.
async fn each(stage: Stage, offset: usize, effect: &Effect) {
    let ground = ground::of(stage);
    let changes: Vec<_> = ground.changes.iter().filter(|change| change.service != "dynamodb").collect();
    for change in changes.into_iter().skip(offset).step_by(2) {
        disturbed(ground, change, effect.clone()).await;
    }
}

/// Disturbs the engine's own writes: all of them where the stage is short, else the first, the last, and some between.
async fn each_write(effect: &Effect, seed: &str) {
    for ground in ground::all() {
        let short = matches!(ground.stage, Stage::Selection | Stage::Dependencies | Stage::Verification);
        let writes: Vec<&Change> = ground.changes.iter().filter(|change| change.service == "dynamodb").collect();
        let all = 0..writes.len();
        let chosen = if short { all.collect() } else { spread(writes.len(), &format!("{} {seed}", ground.stage)) };
        for place in chosen {
            disturbed(ground, writes[place], effect.clone()).await;
        }
    }
}

/// Places of a list of `length`: its ends, and one in each part of what is between, drawn by `seed`.
fn spread(length: usize, seed: &str) -> Vec<usize> {
    assert!(length > 2 * PARTS, "a stage so short is disturbed everywhere");
    let part = (length - 2) / PARTS;
    let drawn = |number: usize| usize::from(Sha256::digest(format!("{seed} {number}"))[0]) % part;
    let between = (0..PARTS).map(|number| 1 + number * part + drawn(number));
    [0].into_iter().chain(between).chain([length - 1]).collect()
}

/// A test of its own for each half of a stage's changes: they run side by side.
macro_rules! each_change {
    ($effect:expr, $($name:ident: $stage:ident from $offset:literal;)+) => {$(
        #[tokio::test(start_paused = true)]
        async fn $name() {
            each(Stage::$stage, $offset, &$effect).await;
        }
    )+};
}

each_change! { killed(),
    a_kill_after_any_change_of_the_control_plane_makes_nothing_twice: ControlPlane from 0;
    a_kill_after_any_other_change_of_the_control_plane_makes_nothing_twice: ControlPlane from 1;
    a_kill_after_any_change_of_the_dependencies_makes_nothing_twice: Dependencies from 0;
    a_kill_after_any_other_change_of_the_dependencies_makes_nothing_twice: Dependencies from 1;
    a_kill_after_any_change_of_hyperpod_makes_nothing_twice: HyperPod from 0;
    a_kill_after_any_other_change_of_hyperpod_makes_nothing_twice: HyperPod from 1;
    a_kill_after_any_change_of_the_storage_makes_nothing_twice: Storage from 0;
    a_kill_after_any_other_change_of_the_storage_makes_nothing_twice: Storage from 1;
    a_kill_after_any_change_of_the_verification_makes_nothing_twice: Verification from 0;
    a_kill_after_any_other_change_of_the_verification_makes_nothing_twice: Verification from 1;
}

each_change! { Effect::LostAnswer,
    a_lost_answer_to_any_change_of_the_control_plane_makes_nothing_twice: ControlPlane from 0;
    a_lost_answer_to_any_other_change_of_the_control_plane_makes_nothing_twice: ControlPlane from 1;
    a_lost_answer_to_any_change_of_the_dependencies_makes_nothing_twice: Dependencies from 0;
    a_lost_answer_to_any_other_change_of_the_dependencies_makes_nothing_twice: Dependencies from 1;
    a_lost_answer_to_any_change_of_hyperpod_makes_nothing_twice: HyperPod from 0;
    a_lost_answer_to_any_other_change_of_hyperpod_makes_nothing_twice: HyperPod from 1;
    a_lost_answer_to_any_change_of_the_storage_makes_nothing_twice: Storage from 0;
    a_lost_answer_to_any_other_change_of_the_storage_makes_nothing_twice: Storage from 1;
    a_lost_answer_to_any_change_of_the_verification_makes_nothing_twice: Verification from 0;
    a_lost_answer_to_any_other_change_of_the_verification_makes_nothing_twice: Verification from 1;
}

#[tokio::test(start_paused = true)]
async fn a_kill_after_writes_of_records_from_the_first_to_the_last_makes_nothing_twice() {
    each_write(&killed(), "kill").await;
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_to_writes_of_records_from_the_first_to_the_last_makes_nothing_twice() {
    each_write(&Effect::LostAnswer, "loss").await;
}

#[tokio::test(start_paused = true)]
async fn a_stage_without_changes_of_the_world_is_the_selection_alone() {
    for ground in ground::all() {
        let changes = ground.changes.iter().filter(|change| change.service != "dynamodb").count();
        println!("{}: {changes} changes, {} writes of records", ground.stage, ground.changes.len() - changes);
        assert_eq!(changes == 0, ground.stage == Stage::Selection, "{}", ground.stage);
    }
}
