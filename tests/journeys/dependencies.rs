//! The dependencies stage: the set installed without a node, what others run respected, add-ons judged by where they can run.

use crate::inside::{make, objects, run, with_control_plane};
use account::{
    eks::AddonOutcome,
    faults::{Effect, Fault},
};
use domain::{
    codes::ErrorCode,
    states::{OperationState, Stage},
};
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
async fn br_020_without_a_node_the_set_is_installed_and_coredns_waits_for_nodes() {
    for outcome_of_addon in [AddonOutcome::Degraded, AddonOutcome::CreateFailed] {
        let (product, made) = with_control_plane(json!({})).await;
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
    let (product, made) = with_control_plane(json!({})).await;
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
    let (product, made) = with_control_plane(json!({})).await;
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
async fn br_019_software_that_eks_does_not_manage_is_left_alone_and_conflicts_are_never_preserved_at_creation() {
    let (product, made) = with_control_plane(json!({})).await;
    let calls = product.account.read(|world| world.calls.count("eks", "CreateAddon"));
    assert_eq!(calls.all, calls.succeeded, "EKS takes PRESERVE for updates alone, and would have refused it");
    let eks = aws_sdk_eks::Client::new(&product.owner.cloud.engine_config(&product.installed.home()).await);
    eks.delete_addon().cluster_name("demo").addon_name("coredns").preserve(true).send().await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(600)).await;
    let outcome = outcome(&product, &dependencies(&product, &made).await).await;
    let addon = named(&outcome["addons"], "coredns");
    assert_eq!((&addon["state"], &addon["status"]), (&json!("respected"), &json!(null)), "{outcome:#}");
    assert_eq!(addon["detail"], "in the cluster, not managed by EKS");
    assert_eq!(product.made("eks", "CreateAddon"), calls.succeeded);
    assert_eq!(product.account.read(|world| world.calls.count("eks", "UpdateAddon").all), 0);
}

/// A webhook that nobody answers refuses DaemonSets.
fn unheard() -> Fault {
    let message = "Internal error occurred: failed calling webhook \"mutate.example.com\": failed to call webhook: Post \
                   \"https://webhook.example.svc:443/mutate\": no endpoints available for service \"webhook\"";
    let effect = Effect::Error { code: "InternalError".to_owned(), status: 500, message: message.to_owned() };
    Fault::new("webhook", effect).on("kubernetes", "patch daemonsets")
}

#[tokio::test(start_paused = true)]
async fn br_032_a_webhook_that_comes_up_is_waited_for_and_one_that_cannot_is_told() {
    let (ground, made) = with_control_plane(json!({})).await;
    let product = Product::over(ground.account.fork().unwrap()).await;
    product.account.with_world(|world| world.faults.switch_on(unheard().times(4))).unwrap();
    let ended = dependencies(&product, &made).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
    assert_eq!(installed(&product), DAEMON_SETS);

    let product = Product::over(ground.account.fork().unwrap()).await;
    product.account.with_world(|world| world.faults.switch_on(unheard())).unwrap();
    let ended = dependencies(&product, &made).await;
    let failure = ended.failure.as_ref().unwrap();
    assert_eq!(failure.code, ErrorCode::DependencyNotReady, "{failure:#?}");
    assert!(failure.message.contains("mutate.example.com") && failure.message.contains("no node"), "{failure:#?}");
    let took = ended.finished_at.unwrap().duration_since(ended.created_at);
    assert!(took < SignedDuration::from_mins(10), "told, not tried for ever: {took}");
    product.account.with_world(|world| world.faults.clear());
    assert_eq!(dependencies(&product, &made).await.state, OperationState::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn br_038_what_the_service_may_not_do_under_somebody_elses_role_is_named() {
    let (product, made) = with_control_plane(json!({})).await;
    // An older chart's: neither lets the service cordon nodes.
    for name in ["hyperpod-patching", "job-auto-restart"] {
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": { "name": name },
            "rules": [
                { "apiGroups": [""], "resources": ["pods"], "verbs": ["list"] },
                { "apiGroups": [""], "resources": ["pods/eviction"], "verbs": ["create"] },
                { "apiGroups": [""], "resources": ["nodes"], "verbs": ["list"] },
            ],
        });
        make(&product, "/apis/rbac.authorization.k8s.io/v1/clusterroles", &role);
    }
    dependencies(&product, &made).await;
    let ended = dependencies(&product, &made).await;
    let outcome = outcome(&product, &ended).await;
    let patching = named(&outcome["components"], "hyperpod-patching");
    let detail = patching["detail"].as_str().unwrap();
    assert_eq!(patching["state"], "respected", "{outcome:#}");
    assert!(detail.contains("may not get nodes, patch nodes, which it needs for software updates"), "{detail}");
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_on_any_change_leaves_the_set_as_it_should_be() {
    let (ground, made) = with_control_plane(json!({})).await;
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
    let (product, made) = with_control_plane(json!({})).await;
    let fault = Fault::new("down", Effect::ServerError { status: 503 }).on("kubernetes", "*").times(10);
    product.account.with_world(|world| world.faults.switch_on(fault)).unwrap();
    let ended = dependencies(&product, &made).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");
    assert_eq!(installed(&product), DAEMON_SETS);
}

#[tokio::test(start_paused = true)]
async fn administrators_are_proven_to_get_in_by_a_review_of_the_cluster_itself() {
    let product = Product::new(15).await;
    let iam = aws_sdk_iam::Client::new(&product.owner.cloud.engine_config(&product.installed.home()).await);
    let trust = json!({ "Version": "2012-10-17", "Statement": [
        { "Effect": "Allow", "Principal": { "AWS": product.installed.account }, "Action": "sts:AssumeRole" },
    ]});
    let call = iam.create_role().role_name("Admin").path("/people/").assume_role_policy_document(trust.to_string());
    let role = call.send().await.unwrap().role().unwrap().arn().to_owned();
    let user = iam.create_user().user_name("ada").send().await.unwrap().user().unwrap().arn().to_owned();
    let more = json!({ "administrators": [role, user] });
    let accepted = product.create(harness::decisions("demo", more), Stage::Dependencies).await;
    let ended = product.ended(accepted.operation.id).await;
    let reviewed = outcome(&product, &ended).await["administrators"].clone();
    for (index, principal) in [&role, &user].into_iter().enumerate() {
        assert_eq!(reviewed[index]["principal"], json!(principal), "{reviewed:#}");
        assert_eq!(reviewed[index]["access"], "proven", "{reviewed:#}");
        assert!(reviewed[index]["detail"].as_str().unwrap().contains("AmazonEKSClusterAdminPolicy"), "{reviewed:#}");
    }

    // Somebody takes the entry away: the next look says so, and control-plane, run again, makes it anew.
    let eks = aws_sdk_eks::Client::new(&product.owner.cloud.engine_config(&product.installed.home()).await);
    eks.delete_access_entry().cluster_name("demo").principal_arn(&role).send().await.unwrap();
    let ended = dependencies(&product, &ended).await;
    let reviewed = outcome(&product, &ended).await["administrators"].clone();
    assert_eq!((&reviewed[0]["access"], &reviewed[1]["access"]), (&json!("missing"), &json!("proven")), "{reviewed:#}");
    let ended = run(&product, &ended, Stage::ControlPlane, Stage::Dependencies).await;
    let reviewed = outcome(&product, &ended).await["administrators"].clone();
    assert_eq!(reviewed[0]["access"], "proven", "{reviewed:#}");
}

#[tokio::test(start_paused = true)]
async fn br_007_a_session_of_a_role_lets_in_the_role_under_its_whole_arn() {
    let product = Product::new(16).await;
    let iam = aws_sdk_iam::Client::new(&product.owner.cloud.engine_config(&product.installed.home()).await);
    let trust = json!({ "Version": "2012-10-17", "Statement": [
        { "Effect": "Allow", "Principal": { "AWS": product.installed.account }, "Action": "sts:AssumeRole" },
    ]});
    let call =
        iam.create_role().role_name("AWSReservedSSO_Admin_abc").path("/aws-reserved/sso.amazonaws.com/eu-west-1/");
    let made = call.assume_role_policy_document(trust.to_string()).send().await.unwrap();
    let role = made.role().unwrap().arn().to_owned();
    let session = format!("arn:aws:sts::{}:assumed-role/AWSReservedSSO_Admin_abc/user", product.installed.account);
    // The role too: it is one principal, and gets one entry.
    let more = json!({ "administrators": [session, role] });
    let accepted = product.create(harness::decisions("demo", more), Stage::Dependencies).await;
    let ended = product.ended(accepted.operation.id).await;
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}\n{}", product.trail());
    let reviewed = outcome(&product, &ended).await["administrators"].clone();
    for one in reviewed.as_array().unwrap() {
        assert_eq!((&one["principal"], &one["access"]), (&json!(role), &json!("proven")), "{reviewed:#}");
    }
    assert_eq!(product.made("eks", "CreateAccessEntry"), 3, "ours are two, and the role's");
}
