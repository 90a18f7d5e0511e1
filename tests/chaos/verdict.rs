//! What must be so after every run, whatever went wrong in it.

use crate::{
    ground::{self, Ground},
    inventory::Inventory,
};
use contract::journal::Fate;
use domain::{
    limits,
    states::{OperationState, Stage, StageState},
};
use engine::record::Operation;
use harness::Product;

/// Holds an ended run of the stage against the undisturbed one.
pub(crate) async fn judge(ground: &Ground, product: &Product, ended: &Operation, what: &str) {
    assert_eq!(ended.state, OperationState::Succeeded, "{what}: {ended:#?}\n{}", product.trail());
    let stage = product.stage(ended.cluster_id, ground.stage).await;
    assert_eq!(stage.state, StageState::Succeeded, "{what}: {stage:#?}");
    alike(&ground.after, product, what);
    assert_eq!(ground::made(&product.account), ground.made, "{what}: made");
    records_tell_the_truth(product, ended, what).await;
}

/// Nothing is there twice, nothing is missing, nothing was left behind.
pub(crate) fn alike(undisturbed: &Inventory, product: &Product, what: &str) {
    let differences = undisturbed.differences(&Inventory::of(&product.account));
    assert!(differences.is_empty(), "{what}:\n{}\n{}", differences.join("\n"), product.trail());
}

/// Every change's fate is known, nobody holds lane or lease, and no record is large.
pub(crate) async fn records_tell_the_truth(product: &Product, ended: &Operation, what: &str) {
    let store = &product.owner.desk.store;
    let journal = store.journal(ended.id, 0, 1000).await.unwrap().items;
    assert_eq!(journal.len(), usize::try_from(ended.journal_length).unwrap(), "{what}: entries of the journal");
    for entry in &journal {
        let told = match entry.fate {
            Fate::Applied | Fate::Refused | Fate::Observed => true,
            Fate::Uncertain => ended.state != OperationState::Succeeded,
            Fate::Intended => false,
        };
        assert!(told, "{what}: what became of this is not told: {entry:#?}\n{}", product.trail());
    }
    assert_eq!(store.lane(ended.cluster_id, &ended.lane).await.unwrap(), None, "{what}: the lane is held");
    assert_eq!(ended.lease, None, "{what}: the lease is held");
    let size = serde_json::to_vec(ended).unwrap().len();
    assert!(size <= limits::OPERATION_RECORD, "{what}: the operation's record has {size} bytes");
    for stage in Stage::ALL {
        let stage = store.stage(ended.cluster_id, *stage).await.unwrap();
        let size = serde_json::to_vec(&stage).unwrap().len();
        assert!(size <= limits::OPERATION_RECORD, "{what}: the record of {} has {size} bytes", stage.stage);
    }
}
