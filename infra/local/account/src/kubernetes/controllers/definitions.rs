//! CustomResourceDefinitions: names are accepted, the definition is established, and its objects go with it.

use crate::kubernetes::{Cluster, custom, object, resource::known, serve::Deletion};
use jiff::Timestamp;
use serde_json::{Value, json};

const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

pub(super) fn run(cluster: &mut Cluster, now: Timestamp) {
    let definitions = known("apiextensions.k8s.io", "customresourcedefinitions");
    for definition in cluster.all("apiextensions.k8s.io", "customresourcedefinitions") {
        let mut next = definition.copy();
        if object::is_terminating(&definition) {
            if clean(cluster, &definition, now)
                && let Some(finalizers) = next["metadata"]["finalizers"].as_array_mut()
            {
                finalizers.retain(|one| one != CLEANUP);
                if finalizers.is_empty() {
                    cluster.store.remove(&definitions.key(), "", object::name(&definition));
                    continue;
                }
            }
        } else {
            object::put_default(&mut next, "/metadata/finalizers", json!([]));
            if let Some(finalizers) = next["metadata"]["finalizers"].as_array_mut()
                && finalizers.iter().all(|one| one != CLEANUP)
            {
                finalizers.push(CLEANUP.into());
            }
            accept(&mut next, now);
        }
        cluster.write(definitions, &definition, next);
    }
}

fn accept(definition: &mut Value, now: Timestamp) {
    let names = definition["spec"]["names"].clone();
    object::put(definition, "/status/acceptedNames", names);
    object::set_condition(definition, "NamesAccepted", true, ("NoConflicts", "no conflicts found"), now);
    let message = "the initial names have been accepted";
    object::set_condition(definition, "Established", true, ("InitialNamesAccepted", message), now);
    let storing = object::list(definition, "/spec/versions").iter().find(|version| version["storage"] == true);
    let name = storing.map(|version| version["name"].clone()).unwrap_or_default();
    object::put_default(definition, "/status/storedVersions", json!([]));
    if let Some(stored) = definition["status"]["storedVersions"].as_array_mut()
        && !stored.contains(&name)
    {
        stored.push(name);
    }
}

/// Deletes the objects of a definition; true when none is left.
fn clean(cluster: &mut Cluster, definition: &crate::kubernetes::store::Shared, now: Timestamp) -> bool {
    let Some(resource) = custom::versions(definition).into_iter().next() else { return true };
    let objects: Vec<_> = cluster.store.list(&resource, "").cloned().collect();
    for object in &objects {
        if !object::is_terminating(object) {
            let (namespace, name) = (object::namespace(object), object::name(object));
            // Gone meanwhile is as good.
            _ = cluster.delete(&resource, namespace, name, &Deletion::default(), now);
        }
    }
    cluster.store.list(&resource, "").next().is_none()
}
