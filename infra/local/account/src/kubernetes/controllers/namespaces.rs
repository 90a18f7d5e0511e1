//! Namespaces: what each of them holds from its beginning, and how it ends.

use crate::kubernetes::{
    Cluster, object,
    resource::known,
    serve::{Deletion, Options},
};
use jiff::Timestamp;
use serde_json::{Value, json};

pub(super) fn run(cluster: &mut Cluster, now: Timestamp) {
    for namespace in cluster.all("", "namespaces") {
        if object::is_terminating(&namespace) {
            end(cluster, &namespace, now);
        } else {
            furnish(cluster, &namespace, now);
        }
    }
}

/// Status, the default service account, and the certificate authority for pods.
fn furnish(cluster: &mut Cluster, namespace: &Value, now: Timestamp) {
    let namespaces = known("", "namespaces");
    if namespace["status"]["phase"] != "Active" {
        let mut next = namespace.clone();
        next["status"] = json!({"phase": "Active"});
        cluster.write(namespaces, namespace, next);
    }
    let name = object::name(namespace);
    let certificate = cluster.authority.as_ref().map_or_else(String::new, |authority| authority.certificate.clone());
    let mut make = |plural: &str, body: Value| {
        let resource = known("", plural);
        if cluster.store.get(resource, name, object::name(&body)).is_none() {
            let mut options = Options::internal("kube-controller-manager");
            // A webhook may hold this up; the next turn tries again.
            _ = cluster.create(resource, name, body, &mut options, now);
        }
    };
    make("serviceaccounts", json!({"metadata": {"name": "default"}}));
    make(
        "configmaps",
        json!({
            "metadata": {"name": "kube-root-ca.crt", "annotations": {"kubernetes.io/description": "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters."}},
            "data": {"ca.crt": certificate},
        }),
    );
}

/// Deletes all that is in it, then the namespace itself.
fn end(cluster: &mut Cluster, namespace: &Value, now: Timestamp) {
    let namespaces = known("", "namespaces");
    let name = object::name(namespace);
    let mut left = 0;
    for resource in cluster.resources().into_iter().filter(|one| one.namespaced && one.stored && !one.is_newer_event())
    {
        let objects: Vec<_> = cluster.store.list(&resource, name).cloned().collect();
        for object in objects {
            if !object::is_terminating(&object) {
                let deletion = Deletion { propagation: "Background".to_owned(), ..Deletion::default() };
                // Gone meanwhile is as good.
                _ = cluster.delete(&resource, name, object::name(&object), &deletion, now);
            }
        }
        left += cluster.store.list(&resource, name).count();
    }
    if left > 0 {
        let mut next = namespace.clone();
        let message = format!("Some content in the namespace has finalizers or is ending: {left} resource instances");
        object::set_condition(&mut next, "NamespaceContentRemaining", true, ("SomeResourcesRemain", &message), now);
        cluster.write(namespaces, namespace, next);
        return;
    }
    let mut next = namespace.clone();
    next["spec"]["finalizers"] =
        object::list(namespace, "/spec/finalizers").iter().filter(|one| *one != "kubernetes").cloned().collect();
    let held =
        !object::list(&next, "/spec/finalizers").is_empty() || !object::list(&next, "/metadata/finalizers").is_empty();
    if held {
        cluster.write(namespaces, namespace, next);
    } else {
        cluster.store.remove(&namespaces.key(), "", name);
    }
}
