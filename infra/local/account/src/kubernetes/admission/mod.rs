//! What happens to a write between its reading and its keeping: the admission plugins that EKS has on, and webhooks.

mod services;
mod webhooks;

use super::{
    Cluster, User, object,
    refusal::Refusal,
    resource::{Resource, known},
    serve::Options,
};
use serde_json::{Value, json};

/// Fills what the server assigns before defaults: accounts, addresses, classes.
pub(super) fn prepare(
    cluster: &mut Cluster,
    resource: &Resource,
    value: &mut Value,
    options: &Options,
) -> Result<(), Refusal> {
    namespace_lives(cluster, resource, value)?;
    if resource.custom.is_some() {
        return Ok(());
    }
    match resource.plural.as_str() {
        "pods" => pod(cluster, resource, value),
        "services" => services::assign(cluster, value),
        "jobs" => {
            label_job(value);
            Ok(())
        }
        "persistentvolumeclaims" => {
            if value["spec"]["storageClassName"].is_null()
                && let Some(class) = default_class(cluster)
            {
                object::put(value, "/spec/storageClassName", class);
            }
            finalizer(value, "kubernetes.io/pvc-protection");
            Ok(())
        }
        "persistentvolumes" => {
            finalizer(value, "kubernetes.io/pv-protection");
            Ok(())
        }
        "clusterroles" | "roles" | "clusterrolebindings" | "rolebindings" => {
            no_escalation(cluster, resource, value, options)
        }
        _ => Ok(()),
    }
}

/// Asks the webhooks, for controllers' writes too; `old` is the object before an update.
pub(super) fn admit(cluster: &Cluster, resource: &Resource, value: &Value, old: Option<&Value>) -> Result<(), Refusal> {
    webhooks::ask(cluster, resource, value, if old.is_some() { "UPDATE" } else { "CREATE" })
}

fn namespace_lives(cluster: &Cluster, resource: &Resource, value: &Value) -> Result<(), Refusal> {
    let name = object::namespace(value);
    if !resource.namespaced || name.is_empty() {
        return Ok(());
    }
    let namespaces = known("", "namespaces");
    let found = cluster.find(namespaces, "", name)?;
    if object::is_terminating(found) && resource.plural != "events" {
        let detail = format!("unable to create new content in namespace {name} because it is being terminated");
        let mut refusal = Refusal::forbidden(resource, object::name(value), &detail);
        refusal.details["causes"] = json!([{"reason": "NamespaceTerminating", "message": format!("namespace {name} is being terminated"), "field": "metadata.namespace"}]);
        return Err(refusal);
    }
    Ok(())
}

fn finalizer(value: &mut Value, name: &str) {
    object::put_default(value, "/metadata/finalizers", json!([]));
    if let Some(finalizers) = value["metadata"]["finalizers"].as_array_mut()
        && finalizers.iter().all(|one| one != name)
    {
        finalizers.push(name.into());
    }
}

fn default_class(cluster: &Cluster) -> Option<String> {
    let classes = cluster.store.list(known("storage.k8s.io", "storageclasses"), "");
    let is_default =
        |class: &Value| class["metadata"]["annotations"]["storageclass.kubernetes.io/is-default-class"] == "true";
    classes.filter(|class| is_default(class)).map(|class| object::name(class).to_owned()).next()
}

/// Jobs select their pods by a label with their own uid.
fn label_job(value: &mut Value) {
    if value["spec"]["manualSelector"] == true {
        return;
    }
    let (uid, name) = (value["metadata"]["uid"].clone(), value["metadata"]["name"].clone());
    let labels = object::entry(value, "/spec/template/metadata/labels");
    for (key, content) in [("controller-uid", &uid), ("job-name", &name)] {
        labels[key] = content.clone();
        labels[format!("batch.kubernetes.io/{key}")] = content.clone();
    }
    object::put(value, "/spec/selector", json!({"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}));
}

/// ServiceAccount, Priority and DefaultTolerationSeconds.
fn pod(cluster: &mut Cluster, resource: &Resource, value: &mut Value) -> Result<(), Refusal> {
    let (namespace, name) = (object::namespace(value).to_owned(), object::name(value).to_owned());
    object::put_default(value, "/spec/serviceAccountName", "default");
    let account = object::text(value, "/spec/serviceAccountName").to_owned();
    let found = cluster.store.get(known("", "serviceaccounts"), &namespace, &account).cloned();
    let Some(found) = found else {
        let detail =
            format!("error looking up service account {namespace}/{account}: serviceaccount {account:?} not found");
        return Err(Refusal::forbidden(resource, &name, &detail));
    };
    let mounts = value["spec"]["automountServiceAccountToken"].as_bool();
    if mounts.or_else(|| found["automountServiceAccountToken"].as_bool()).unwrap_or(true) {
        mount_token(cluster, value);
    }
    let class = object::text(value, "/spec/priorityClassName").to_owned();
    let priority = match class.as_str() {
        "" => 0,
        "system-cluster-critical" => 2_000_000_000,
        "system-node-critical" => 2_000_001_000,
        other => match cluster.store.get(known("scheduling.k8s.io", "priorityclasses"), "", other) {
            Some(class) => class["value"].as_i64().unwrap_or_default(),
            None => {
                let detail = format!("no PriorityClass with name {other} was found");
                return Err(Refusal::forbidden(resource, &name, &detail));
            }
        },
    };
    object::put_default(value, "/spec/priority", priority);
    object::put_default(value, "/spec/preemptionPolicy", "PreemptLowerPriority");
    object::put_default(value, "/spec/enableServiceLinks", true);
    object::put_default(value, "/spec/tolerations", json!([]));
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        if let Some(tolerations) = value["spec"]["tolerations"].as_array_mut()
            && !tolerations.iter().any(|one| {
                one["operator"] == "Exists"
                    && (one["key"] == key || one["key"].is_null())
                    && (one["effect"] == "NoExecute" || one["effect"].is_null())
            })
        {
            tolerations
                .push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
        }
    }
    value["status"] = json!({"phase": "Pending", "qosClass": quality(&value["spec"])});
    Ok(())
}

fn mount_token(cluster: &mut Cluster, value: &mut Value) {
    const PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
    let name = format!("kube-api-access-{}", cluster.store.new_suffix());
    let mut used = false;
    for list in ["initContainers", "containers"] {
        for container in value["spec"].get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            if object::list(container, "/volumeMounts").iter().any(|mount| mount["mountPath"] == PATH) {
                continue;
            }
            used = true;
            object::put_default(container, "/volumeMounts", json!([]));
            if let Some(mounts) = container["volumeMounts"].as_array_mut() {
                mounts.push(json!({"name": name, "readOnly": true, "mountPath": PATH}));
            }
        }
    }
    if !used {
        return;
    }
    object::put_default(value, "/spec/volumes", json!([]));
    if let Some(volumes) = value["spec"]["volumes"].as_array_mut() {
        volumes.push(json!({"name": name, "projected": {"defaultMode": 420, "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}},
        ]}}));
    }
}

fn quality(spec: &Value) -> &'static str {
    let containers: Vec<&Value> =
        object::list(spec, "/containers").iter().chain(object::list(spec, "/initContainers")).collect();
    let parts = |container: &Value| {
        ["cpu", "memory"].map(|name| {
            let (limit, request) = (&container["resources"]["limits"][name], &container["resources"]["requests"][name]);
            (
                super::quantity::of(limit),
                if request.is_null() { super::quantity::of(limit) } else { super::quantity::of(request) },
            )
        })
    };
    if containers.iter().all(|one| parts(one).iter().all(|(limit, request)| *limit == 0 && *request == 0)) {
        "BestEffort"
    } else if containers.iter().all(|one| parts(one).iter().all(|(limit, request)| *limit > 0 && limit == request)) {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

/// Who writes a role or binds one must hold its rules, or the verbs `escalate` and `bind`.
fn no_escalation(cluster: &Cluster, resource: &Resource, value: &Value, options: &Options) -> Result<(), Refusal> {
    let Some(user) = options.user.as_ref().filter(|user| !is_master(user)) else { return Ok(()) };
    let namespace = object::namespace(value);
    let binds = resource.plural.ends_with("bindings");
    let (plural, name) = if binds {
        let plural = if value["roleRef"]["kind"] == "Role" { "roles" } else { "clusterroles" };
        (plural, object::text(value, "/roleRef/name").to_owned())
    } else {
        (resource.plural.as_str(), object::name(value).to_owned())
    };
    let wanted = super::access::Attributes {
        verb: if binds { "bind" } else { "escalate" }.to_owned(),
        group: resource.group.clone(),
        resource: plural.to_owned(),
        namespace: namespace.to_owned(),
        name: name.clone(),
        path: String::new(),
    };
    if cluster.allows(user, &wanted).is_some() {
        return Ok(());
    }
    let within = if plural == "roles" { namespace } else { "" };
    let rules = if binds {
        let role = cluster.find(known("rbac.authorization.k8s.io", plural), within, &name)?;
        object::list(role, "/rules").to_vec()
    } else {
        object::list(value, "/rules").to_vec()
    };
    match rules.iter().find(|rule| !cluster.holds(user, namespace, rule)) {
        None => Ok(()),
        Some(rule) => {
            let detail = format!(
                "user {:?} (groups={:?}) is attempting to grant RBAC permissions not currently held:\n{rule}",
                user.name, user.groups
            );
            Err(Refusal::forbidden(resource, object::name(value), &detail))
        }
    }
}

fn is_master(user: &User) -> bool {
    user.groups.iter().any(|group| group == "system:masters")
}

impl Cluster {
    /// Whether `user` may do everything that `rule` allows.
    fn holds(&self, user: &User, namespace: &str, rule: &Value) -> bool {
        let words = |name: &str| object::list(rule, &format!("/{name}")).iter().filter_map(Value::as_str);
        let names: Vec<&str> = words("resourceNames").collect();
        words("verbs").all(|verb| {
            let paths = words("nonResourceURLs")
                .all(|path| self.allows(user, &super::access::Attributes::of_path(verb, path)).is_some());
            let resources = words("apiGroups").all(|group| {
                words("resources").all(|resource| {
                    let names = if names.is_empty() { &[""][..] } else { names.as_slice() };
                    names.iter().all(|name| {
                        let wanted = super::access::Attributes {
                            verb: verb.to_owned(),
                            group: group.to_owned(),
                            resource: resource.to_owned(),
                            namespace: namespace.to_owned(),
                            name: (*name).to_owned(),
                            path: String::new(),
                        };
                        self.allows(user, &wanted).is_some()
                    })
                })
            });
            paths && resources
        })
    }
}
