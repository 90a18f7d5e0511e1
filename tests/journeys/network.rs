//! The control-plane stage as far as its network: made once, whatever happens on the way.

use account::faults::{Effect, Fault};
use domain::states::{OperationState, Stage, StageState};
use harness::{Product, decisions};
use serde_json::json;

const MADE_ONCE: [&str; 8] = [
    "CreateVpc",
    "CreateInternetGateway",
    "AllocateAddress",
    "CreateNatGateway",
    "CreateVpcEndpoint",
    "CreateSecurityGroup",
    "AttachInternetGateway",
    "ModifyVpcAttribute",
];

fn assert_made_once(product: &Product, what: &str) {
    product.account.read(|world| {
        let network = world.ec2.existing("us-west-2").unwrap();
        let vpcs = network.vpcs.values().filter(|vpc| !vpc.default).count();
        assert_eq!(vpcs, 1, "{what}: VPCs");
        let nats = network.nats.values().count();
        assert_eq!(nats, 1, "{what}: NAT gateways");
        assert_eq!(network.addresses.len(), 1, "{what}: addresses");
        assert_eq!(network.gateways.len(), 2, "{what}: internet gateways, the default VPC's included");
    });
}

#[tokio::test(start_paused = true)]
async fn the_network_is_made_once_and_found_again() {
    let product = Product::new(7).await;
    let accepted = product.create(decisions("demo", json!({})), Stage::ControlPlane).await;
    let ended = product.ended(accepted.operation.id).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
    for action in MADE_ONCE {
        assert_eq!(product.made("ec2", action), 1, "{action}");
    }
    assert_eq!(product.made("ec2", "CreateSubnet"), 4);
    assert_made_once(&product, "creation");
    let stage = product.stage(ended.cluster_id, Stage::ControlPlane).await;
    assert_eq!((stage.state, stage.attempts), (StageState::Succeeded, 1));
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_on_any_change_makes_nothing_twice() {
    for nth in 1..=26_u32 {
        let product = Product::new(nth.into()).await;
        let fault = Fault::new("lost", Effect::LostAnswer).on("ec2", "*").on_mutations().nth(nth);
        product.account.with_world(|world| world.faults.switch_on(fault)).unwrap();
        let accepted = product.create(decisions("demo", json!({})), Stage::ControlPlane).await;
        let ended = product.ended(accepted.operation.id).await;
        assert_eq!(ended.state, OperationState::Succeeded, "lost answer {nth}: {ended:#?}");
        assert_made_once(&product, &format!("lost answer {nth}"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_kill_after_any_change_makes_nothing_twice() {
    for nth in 1..=26_u32 {
        let product = Product::new(nth.into()).await;
        let kill = Effect::Kill { function: "*control-plane*".to_owned() };
        let fault = Fault::new("kill", kill).on("ec2", "*").on_mutations().nth(nth);
        product.account.with_world(|world| world.faults.switch_on(fault)).unwrap();
        let accepted = product.create(decisions("demo", json!({})), Stage::ControlPlane).await;
        let ended = product.ended(accepted.operation.id).await;
        assert_eq!(ended.state, OperationState::Succeeded, "kill {nth}: {ended:#?}");
        assert_made_once(&product, &format!("kill {nth}"));
    }
}
