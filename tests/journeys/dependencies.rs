//! The dependencies stage: the set installed without a node, what others run respected, add-ons judged by where they can run.

use crate::inside::{make, objects, run, with_control_plane};
use account::{
    eks::AddonOutcome,
    faults::{Effect, Fault},
};
use domain::states::{OperationState, Stage};
use engine::record::Operation;
use harness::Product;
use jiff::SignedDuration;
use serde_json::{Value, json};

const DAEMON_SETS: [&str; 5] = [
    "aws-efa-k8s-device-plugin",
    "health-monitoring-agent",
    "health-monitoring-agent-non-nvidia",
    "neuron-device-plugin-daemonset",
    "nvidia-device-plugin",
];

async fn dependencies(product: &Product, made: &Operation) -> Operation {
    run(product, made, Stage::Dependencies, Stage::Dependencies).await
}

/// The outcome of the stage, which must have succeeded.
async fn outcome(product: &Product, ended: &Operation) -> Value {
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    product.stage(ended.cluster_id, Stage::Dependencies).await.outcome
}

fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap()
}

/// Names of our DaemonSets.
fn installed(product: &Product) -> Vec<String> {
    let sets = objects(product, "/apis/apps/v1/daemonsets");
    let ours =
        sets.iter().filter(|set| set["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "hyperpod-instantstart");
    let mut names: Vec<_> = ours.map(|set| set["metadata"]["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// Objects in the cluster by their resource versions: they change with any write.
fn versions(product: &Product) -> Vec<(String, String)> {
    let lists =
        ["/apis/apps/v1/daemonsets", "/apis/rbac.authorization.k8s.io/v1/clusterroles", "/api/v1/serviceaccounts"];
    let all = lists.into_iter().flat_map(|list| objects(product, list));
    let text = |object: &Value, member: &str| object["metadata"][member].as_str().unwrap_or_default().to_owned();
    all.map(|object| (text(&object, "name"), text(&object, "resourceVersion"))).collect()
}

#[tokio::test(start_paused = true)]
async fn without_a_node_the_set_is_installed_and_coredns_waits_for_nodes() {
    for outcome_of_addon in [AddonOutcome::Degraded, AddonOutcome::CreateFailed] {
        let (product, made) = with_control_plane(11, json!({})).await;
        product.account.with_world(|world| world.eks.addon_outcome = Some(outcome_of_addon));
        let ended = dependencies(&product, &made).await;
        let outcome = outcome(&product, &ended).await;
        assert_eq!(installed(&product), DAEMON_SETS);
        assert_eq!(named(&outcome["addons"], "coredns")["state"], "waitingForNodes", "{outcome:#}");
        assert_eq!(named(&outcome["addons"], "vpc-cni")["state"], "active");
        assert_eq!(named(&outcome["components"], "nvidia-device-plugin")["requiredFor"], "GPUs in pods");
        let took = ended.finished_at.unwrap().duration_since(ended.created_at);
        assert!(took < SignedDuration::from_mins(5), "settles in minutes, took {took}");
        assert_eq!(product.made("eks", "DeleteAddon"), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_finished_stage_that_is_run_again_changes_nothing() {
    let (product, made) = with_control_plane(12, json!({})).await;
    dependencies(&product, &made).await;
    let (before, addons) = (versions(&product), product.made("eks", "CreateAddon"));
    let again = dependencies(&product, &made).await;
    assert_eq!(again.state, OperationState::Succeeded, "{again:#?}");
    assert_eq!(again.journal_length, 0);
    assert_eq!(versions(&product), before);
    assert_eq!(product.made("eks", "CreateAddon"), addons);
}

#[tokio::test(start_paused = true)]
async fn what_others_have_installed_is_respected_and_named() {
    let (product, made) = with_control_plane(13, json!({})).await;
    let labels = json!({ "app": "their-plugin" });
    let set = json!({
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": { "name": "gpu-operator-device-plugin", "namespace": "default" },
        "spec": {
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{ "name": "plugin", "image": "nvcr.io/nvidia/k8s-device-plugin:v0.17.0" }] },
            },
        },
    });
    make(&product, "/apis/apps/v1/namespaces/default/daemonsets", &set);
    let outcome = outcome(&product, &dependencies(&product, &made).await).await;
    let plugin = named(&outcome["components"], "nvidia-device-plugin");
    assert_eq!(plugin["state"], "respected", "{outcome:#}");
    assert!(plugin["detail"].as_str().unwrap().contains("gpu-operator-device-plugin"), "{plugin}");
    assert!(!installed(&product).contains(&"nvidia-device-plugin".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_on_any_change_leaves_the_set_as_it_should_be() {
    let (ground, made) = with_control_plane(15, json!({})).await;
    for nth in 1..=12_u32 {
        let product = Product::over(ground.account.fork().unwrap()).await;
        let fault = Fault::new("lost", Effect::LostAnswer).on("kubernetes", "*").on_mutations().nth(nth);
        product.account.with_world(|world| world.faults.switch_on(fault)).unwrap();
        let ended = dependencies(&product, &made).await;
        assert_eq!(ended.state, OperationState::Succeeded, "lost answer {nth}: {ended:#?}");
        assert_eq!(installed(&product), DAEMON_SETS, "lost answer {nth}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_does_not_answer_is_waited_for() {
    let (product, made) = with_control_plane(14, json!({})).await;
    let fault = Fault::new("down", Effect::ServerError { status: 503 }).on("kubernetes", "*").times(10);
    product.account.with_world(|world| world.faults.switch_on(fault)).unwrap();
    let ended = dependencies(&product, &made).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
    assert_eq!(installed(&product), DAEMON_SETS);
}
