//! What controllers, the scheduler and kubelets make of objects.

use super::{House, object, refused};
use k8s_openapi::api::{
    apps::v1::{DaemonSet, Deployment},
    batch::v1::Job,
    core::v1::{Event, Node, PersistentVolume, PersistentVolumeClaim, Pod},
    policy::v1::PodDisruptionBudget,
};
use kube::api::{Api, EvictParams, ListParams, LogParams, PostParams};
use serde_json::{Value, json};

async fn create<K>(api: &Api<K>, value: Value) -> K
where
    K: Clone + std::fmt::Debug + serde::Serialize + serde::de::DeserializeOwned,
{
    api.create(&PostParams::default(), &object(value)).await.unwrap()
}

fn workload(kind: &str, replicas: u32, limits: Value) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "app"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "x"}}, "template": {
            "metadata": {"labels": {"app": "x"}},
            "spec": {"containers": [{"name": "c", "image": "i:1", "resources": {"limits": limits}}]}}},
    })
}

async fn phases(pods: &Api<Pod>) -> Vec<String> {
    let list = pods.list(&ListParams::default()).await.unwrap();
    let mut phases: Vec<String> = list.items.into_iter().map(|pod| pod.status.unwrap().phase.unwrap()).collect();
    phases.sort();
    phases
}

#[tokio::test(start_paused = true)]
async fn two_gpu_pods_on_one_gpu_are_one_running_and_one_pending() {
    let house = House::new();
    let client = house.client();
    create(&Api::<Node>::all(client.clone()), House::node("n0", 1)).await;
    create(
        &Api::<Deployment>::default_namespaced(client.clone()),
        workload("Deployment", 2, json!({"nvidia.com/gpu": 1})),
    )
    .await;
    house.pass(60).await;
    assert_eq!(phases(&Api::default_namespaced(client.clone())).await, ["Pending", "Running"]);
    let events = Api::<Event>::default_namespaced(client).list(&ListParams::default()).await.unwrap();
    let why = events.items.iter().find(|event| event.reason.as_deref() == Some("FailedScheduling")).unwrap();
    assert!(
        why.message.as_deref().unwrap().starts_with("0/1 nodes are available: 1 Insufficient nvidia.com/gpu."),
        "{why:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_daemon_set_follows_a_new_node() {
    let house = House::new();
    let client = house.client();
    let mut set = workload("DaemonSet", 0, json!({}));
    set["spec"].as_object_mut().unwrap().shift_remove("replicas");
    let sets: Api<DaemonSet> = Api::default_namespaced(client.clone());
    create(&sets, set).await;
    assert_eq!(sets.get("app").await.unwrap().status.unwrap().desired_number_scheduled, 0);
    create(&Api::<Node>::all(client), House::node("n0", 0)).await;
    house.pass(60).await;
    assert_eq!(sets.get("app").await.unwrap().status.unwrap().number_ready, 1);
}

async fn volume(house: &House, bucket: &str) {
    let client = house.client();
    create(
        &Api::<PersistentVolume>::all(client.clone()),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"},
            "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "storageClassName": "",
                "csi": {"driver": "s3.csi.aws.com", "volumeHandle": "h", "volumeAttributes": {"bucketName": bucket}}},
        }),
    )
    .await;
    create(&Api::<PersistentVolumeClaim>::default_namespaced(client.clone()), json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"},
        "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": "", "volumeName": "v", "resources": {"requests": {"storage": "1Gi"}}},
    })).await;
    create(&Api::<Node>::all(client.clone()), House::node("n0", 0)).await;
    create(&Api::<Job>::default_namespaced(client), json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "c"}}],
            "containers": [{"name": "c", "image": "i:1", "command": ["cat", "/data/hello.txt"], "volumeMounts": [{"name": "d", "mountPath": "/data"}]}]}}},
    })).await;
    house.pass(60).await;
}

#[tokio::test(start_paused = true)]
async fn a_job_reads_a_mounted_file_and_completes() {
    let house = House::new();
    volume(&house, "good").await;
    let job = Api::<Job>::default_namespaced(house.client()).get("j").await.unwrap();
    assert_eq!(job.status.unwrap().succeeded, Some(1));
    let pods: Api<Pod> = Api::default_namespaced(house.client());
    let name = pods.list(&ListParams::default()).await.unwrap().items[0].metadata.name.clone().unwrap();
    assert_eq!(pods.logs(&name, &LogParams::default()).await.unwrap(), "hello\n");
}

#[tokio::test(start_paused = true)]
async fn a_claim_binds_though_its_mount_is_broken() {
    let house = House::new();
    volume(&house, "broken").await;
    let claim = Api::<PersistentVolumeClaim>::default_namespaced(house.client()).get("c").await.unwrap();
    assert_eq!(claim.status.unwrap().phase.as_deref(), Some("Bound"));
    assert_eq!(phases(&Api::default_namespaced(house.client())).await, ["Pending"]);
    let events = Api::<Event>::default_namespaced(house.client()).list(&ListParams::default()).await.unwrap();
    let failed = events.items.iter().find(|event| event.reason.as_deref() == Some("FailedMount")).unwrap();
    assert!(failed.count.unwrap() > 1, "the kubelet tries again: {failed:?}");
}

#[tokio::test(start_paused = true)]
async fn an_eviction_that_breaks_the_budget_is_refused() {
    let house = House::new();
    let client = house.client();
    create(&Api::<Node>::all(client.clone()), House::node("n0", 0)).await;
    create(&Api::<Deployment>::default_namespaced(client.clone()), workload("Deployment", 2, json!({}))).await;
    create(
        &Api::<PodDisruptionBudget>::default_namespaced(client.clone()),
        json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"},
            "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "x"}}},
        }),
    )
    .await;
    house.pass(60).await;
    let pods: Api<Pod> = Api::default_namespaced(client);
    let name = pods.list(&ListParams::default()).await.unwrap().items[0].metadata.name.clone().unwrap();
    let (code, message) = refused(pods.evict(&name, &EvictParams::default()).await);
    assert_eq!((code, message.as_str()), (429, "Cannot evict pod as it would violate the pod's disruption budget."));
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_was_written_down_is_the_same_cluster() {
    let house = House::new();
    volume(&house, "good").await;
    let cluster = house.cluster.lock().unwrap();
    let written = serde_json::to_string(&*cluster).unwrap();
    assert!(serde_json::from_str::<crate::kubernetes::Cluster>(&written).unwrap() == *cluster);
}
