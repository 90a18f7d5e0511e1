//! Everything at once, by chance: whole creations under seeded mixtures of faults. A run that fails names its seed.

use crate::{
    ground,
    verdict::{alike, records_tell_the_truth},
};
use account::faults::{Effect, Fault};
use domain::states::{OperationState, Stage, StageState};
use harness::Product;

/// Retries that a person has the patience for.
const PATIENCE: u32 = 6;

/// Kinds of fault in a mixture.
const KINDS: usize = 8;

/// Faults and the chance of each, drawn from their names. A look at the control plane takes some twenty calls, and one that
/// fails is another look: the chances of what meets reads are small, or nothing would ever be seen. Slow calls are slower than a read's time-out and quicker than a change's.
fn mixture(seed: u64) -> [Fault; KINDS] {
    let function = || "hyperpod-instantstart-*".to_owned();
    let effects = [
        (Effect::Kill { function: function() }, true, 0.02),
        (Effect::LostAnswer, true, 0.04),
        (Effect::LostAnswer, false, 0.002),
        (Effect::Throttle, false, 0.01),
        (Effect::ServerError { status: 500 }, false, 0.005),
        (Effect::ServerError { status: 503 }, false, 0.005),
        (Effect::Slow { seconds: 7 }, false, 0.003),
        (Effect::Twice { function: function(), at_once: seed % 2 == 0 }, false, 0.3),
    ];
    let mut number = 0;
    effects.map(|(effect, only_mutating, chance)| {
        let fault = Fault::new(&format!("mixture-{seed}-{number}"), effect).with_probability(chance);
        number += 1;
        Fault { only_mutating, ..fault.for_role(&function()) }
    })
}

/// How often each fault of the mixture met something, in its order.
async fn mixed(seed: u64) -> Vec<u32> {
    let what = format!("mixture of seed {seed}");
    let (first, last) = (ground::of(Stage::ControlPlane), ground::of(Stage::Verification));
    let product: Product = first.product().await;
    product.account.with_world(|world| {
        for fault in mixture(seed) {
            world.faults.switch_on(fault).unwrap();
        }
    });
    let asked = product.create(ground::decided(), Stage::Verification).await.operation;
    let mut ended = product.ended(asked.id).await;
    while ended.state == OperationState::Failed && ended.attempt <= PATIENCE {
        let failure = ended.failure.as_ref().unwrap();
        assert!(!failure.action.is_empty(), "{what}: nothing says what to do: {failure:#?}");
        records_tell_the_truth(&product, &ended, &what).await;
        ended = product.again(ended.id).await;
    }
    assert_eq!(ended.state, OperationState::Succeeded, "{what}: {ended:#?}\n{}", product.trail());
    for stage in Stage::ALL {
        let record = product.stage(ended.cluster_id, *stage).await;
        assert_eq!(record.state, StageState::Succeeded, "{what}: {record:#?}");
    }
    alike(&last.after, &product, &what);
    for (call, made) in ground::made(&product.account) {
        let once: u64 = ground::all().iter().map(|ground| ground.made[call]).sum();
        assert_eq!(made, once, "{what}: {call}");
    }
    records_tell_the_truth(&product, &ended, &what).await;
    product.account.read(|world| world.faults.active().iter().map(|fault| fault.met).collect())
}

/// Runs a mixture of each of `seeds`; every kind of fault must have met something in one of them.
async fn all_met(seeds: [u64; 3]) {
    let mut all = [0; KINDS];
    for seed in seeds {
        let met = mixed(seed).await;
        println!("mixture of seed {seed}: its faults met {met:?}");
        assert!(met.iter().any(|met| *met > 0), "seed {seed} disturbed nothing");
        all.iter_mut().zip(met).for_each(|(all, met)| *all += met);
    }
    assert!(all.iter().all(|met| *met > 0), "a fault of the mixture met nothing with {seeds:?}: {all:?}");
}

#[tokio::test(start_paused = true)]
async fn creations_under_mixtures_of_faults_end_well_even_seeds() {
    all_met([2, 4, 6]).await;
}

#[tokio::test(start_paused = true)]
async fn creations_under_mixtures_of_faults_end_well_odd_seeds() {
    all_met([1, 3, 5]).await;
}
