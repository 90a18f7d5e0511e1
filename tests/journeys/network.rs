//! The control-plane stage as far as its network: made once. What may happen on the way is the chaos suite's.

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
