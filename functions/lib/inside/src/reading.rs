//! The proof that the bucket can be read in the cluster: a pod on a HyperPod node that lists it and prints a file which we
//! put there. A claim is bound whether or not it works, so nothing less counts (SPEC C7).
//!
//! Each attempt of an operation has a pod of its own: what an earlier one met says nothing about now. It is removed once it
//! has proven something; that removal, in the ledger, is the proof that stays.

use domain::{
    codes::ErrorCode,
    failure::{Failure, Trouble, Upstream},
    naming::{self, STORAGE_CLAIM},
    spreading::may_spread,
    states::{Stage, WaitingOn},
};
use engine::{
    ledger::Sent,
    plan::{Guard, Wait},
    reconciler::{Made, Scene},
};
use jiff::{SignedDuration, Timestamp};
use kubernetes::{Kubernetes, Object, Pod, PodPhase};
use manifests::{CLUSTER_LABEL, COMPONENT_LABEL, Owner, PURPOSE_LABEL, Probe};
use serde::Serialize;

/// The namespace of the claim and of the pods that prove it.
pub const NAMESPACE: &str = "default";

/// The file that probes read, below the mount: the storage stage puts it there.
pub const FILE: &str = "hyperpod-instantstart.txt";

/// What the file says: one line that no other cluster's file has.
pub fn content(scene: Scene<'_>) -> String {
    format!("cluster {}\n", scene.cluster.id)
}

/// How long a pod may take to be scheduled, to mount and to read.
const PATIENCE: SignedDuration = SignedDuration::from_mins(15);

/// The probe of this attempt as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Probed {
    /// Its name.
    pub name: String,
    /// The pod; none if it was not made yet, or was removed.
    pub pod: Option<Pod>,
    /// What it printed.
    pub log: String,
    /// The texts of warnings about it, newest last.
    pub warnings: Vec<String>,
    /// Probes of earlier attempts that are still there, by name.
    pub left: Vec<String>,
}

/// What comes of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// To be made, or to be removed.
    Change(ReadChange),
    /// Not yet.
    Wait(Wait),
    /// The bucket was read, on this node.
    Read(String),
    /// It cannot be read as things are.
    Failed(Failure),
}

/// A change of the probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "change")]
pub enum ReadChange {
    /// Makes the pod.
    Create {
        /// Its name.
        name: String,
        /// The file that it prints, below the mount.
        file: String,
    },
    /// Removes a pod that has done its work, or that an earlier attempt left.
    Remove {
        /// Its name.
        name: String,
        /// The node on which it read the bucket; none if it proved nothing.
        read_on: Option<String>,
    },
}

impl ReadChange {
    /// As in the ledger.
    pub fn key(&self) -> String {
        match self {
            Self::Create { name, .. } => format!("create-probe/{name}"),
            Self::Remove { name, .. } => remove_key(name),
        }
    }

    /// For people.
    pub fn title(&self) -> String {
        match self {
            Self::Create { file, .. } => format!("read {file} through {STORAGE_CLAIM} in a pod on a HyperPod node"),
            Self::Remove { name, .. } => format!("remove probe pod {name}"),
        }
    }

    /// Names guard both.
    pub const fn guard(&self) -> Guard {
        Guard::Service
    }
}

fn remove_key(name: &str) -> String {
    format!("remove-probe/{name}")
}

/// The name of this attempt's probe for `stage`.
fn name_of(scene: Scene<'_>, stage: Stage) -> String {
    naming::probe(stage.as_str(), scene.operation.id, scene.operation.attempt)
}

/// What picks the probes that any attempt made for `stage`.
fn selector(scene: Scene<'_>, stage: Stage) -> String {
    let id = scene.cluster.id.to_string();
    let labels = [(COMPONENT_LABEL, "probe"), (CLUSTER_LABEL, id.as_str()), (PURPOSE_LABEL, stage.as_str())];
    labels.map(|(label, value)| format!("{label}={value}")).join(",")
}

fn object(scene: Scene<'_>, stage: Stage, name: &str) -> Object {
    let owner = Owner { cluster_id: scene.cluster.id.to_string() };
    let probe = Probe {
        name: name.to_owned(),
        purpose: stage.to_string(),
        namespace: NAMESPACE.to_owned(),
        file: FILE.to_owned(),
    };
    manifests::probe(&owner, &probe)
}

/// Looks at the probes of `stage`.
///
/// # Errors
/// A read was refused or lost.
pub async fn look(kubernetes: &Kubernetes, scene: Scene<'_>, stage: Stage) -> Result<Probed, Trouble> {
    let name = name_of(scene, stage);
    let pods = kubernetes.pods(Some(NAMESPACE), &selector(scene, stage)).await?;
    let left = pods.iter().filter(|pod| pod.name != name).map(|pod| pod.name.clone()).collect();
    let pod = pods.into_iter().find(|pod| pod.name == name);
    let mut probed = Probed { name, pod, left, ..Probed::default() };
    match probed.pod.as_ref().map(|pod| pod.phase) {
        Some(PodPhase::Succeeded | PodPhase::Failed) => {
            probed.log = kubernetes.log(NAMESPACE, &probed.name).await?.unwrap_or_default();
        }
        Some(PodPhase::Pending | PodPhase::Running | PodPhase::Unknown) => {
            let events = kubernetes.events(NAMESPACE, "Pod", &probed.name).await?;
            let warnings = events.into_iter().filter(kubernetes::Happening::is_warning);
            probed.warnings = warnings.map(|event| format!("{}: {}", event.reason, event.message)).collect();
        }
        None => {}
    }
    Ok(probed)
}

/// Judges the probe: has it printed what we put into the bucket? Pure. `access_since` is when we last changed who the
/// driver is or what it may do.
pub fn judge(scene: Scene<'_>, probed: &Probed, access_since: Option<Timestamp>) -> Reading {
    if let Some(old) = probed.left.first() {
        return Reading::Change(ReadChange::Remove { name: old.clone(), read_on: None });
    }
    let removal = scene.ledger.get(&remove_key(&probed.name)).filter(|entry| entry.sent != Sent::Refused);
    let Some(pod) = &probed.pod else {
        // It is removed only after it has read the bucket.
        return match removal {
            Some(entry) => Reading::Read(entry.made.get("readOn").cloned().unwrap_or_default()),
            None => Reading::Change(ReadChange::Create { name: probed.name.clone(), file: FILE.to_owned() }),
        };
    };
    match pod.phase {
        PodPhase::Succeeded if probed.log.contains(content(scene).trim()) => {
            Reading::Change(ReadChange::Remove { name: pod.name.clone(), read_on: pod.node.clone() })
        }
        PodPhase::Succeeded => Reading::Failed(another_bucket(pod)),
        PodPhase::Failed => Reading::Failed(refused(&format!("the probe pod failed: {} {}", pod.message, probed.log))),
        PodPhase::Pending | PodPhase::Running | PodPhase::Unknown => {
            on_its_way(pod, &probed.warnings, may_spread(access_since, scene.now))
        }
    }
}

/// Access that is denied does not come by waiting, unless it still spreads: kubelets mount again by themselves.
/// Everything else gets its time.
fn on_its_way(pod: &Pod, warnings: &[String], spreads: bool) -> Reading {
    let denied =
        |text: &&String| ["AccessDenied", "Forbidden", "No signing credentials"].iter().any(|it| text.contains(it));
    if let Some(text) = warnings.iter().rev().find(denied).filter(|_| !spreads) {
        return Reading::Failed(refused(text));
    }
    let told = warnings.last().cloned().unwrap_or_else(|| pod.message.clone());
    let more = if told.is_empty() { String::new() } else { format!(" ({told})") };
    let on = if pod.node.is_some() { WaitingOn::Aws } else { WaitingOn::Nodes };
    let reason = format!("waiting for the probe pod to read the bucket{more}");
    let failure = Failure::new(ErrorCode::DependencyNotReady, format!("the probe pod did not read the bucket{more}"))
        .with_action(format!("Look at pod {} in namespace {NAMESPACE}, then run the stage again.", pod.name));
    let wait = Wait::new(on, reason).of("probe");
    Reading::Wait(Wait { deadline: Some(PATIENCE), failure: Some(failure), ..wait })
}

fn refused(text: &str) -> Failure {
    let denied = ["AccessDenied", "Forbidden", "Permission denied", "No signing credentials"];
    let code = if denied.iter().any(|it| text.contains(it)) {
        ErrorCode::PermissionDenied
    } else {
        ErrorCode::DependencyNotReady
    };
    let message =
        format!("claim {STORAGE_CLAIM} is Bound, but a pod cannot read the bucket through it: {}", text.trim());
    Failure::new(code, message)
        .with_action(
            "Give the CSI driver's role s3:ListBucket on the bucket and s3:GetObject on its objects (an explicit deny, a \
             bucket policy or a key policy may be in the way), then run the stage again.",
        )
        .from_upstream(Upstream {
            service: "kubernetes".to_owned(),
            operation: "mount".to_owned(),
            code: if code == ErrorCode::PermissionDenied { "AccessDenied" } else { "FailedMount" }.to_owned(),
            request_id: None,
        })
}

fn another_bucket(pod: &Pod) -> Failure {
    Failure::new(
        ErrorCode::Conflict,
        format!(
            "claim {STORAGE_CLAIM} was read by pod {}, but {FILE} there is not what we put into the bucket",
            pod.name
        ),
    )
    .with_action(
        "The volume behind the claim shows another bucket or prefix: remove claim and volume, then run it again.",
    )
}

/// Makes the change, of the probes of `stage`.
///
/// # Errors
/// What the cluster refuses.
pub async fn apply(
    kubernetes: &Kubernetes,
    scene: Scene<'_>,
    stage: Stage,
    change: &ReadChange,
) -> Result<Made, Trouble> {
    match change {
        ReadChange::Create { name, .. } => {
            let uid = kubernetes.apply(&object(scene, stage, name)).await?;
            Ok(Made::from([("podUid".to_owned(), uid)]))
        }
        ReadChange::Remove { name, read_on } => {
            kubernetes.delete(&object(scene, stage, name)).await?;
            Ok(read_on.iter().map(|node| ("readOn".to_owned(), node.clone())).collect())
        }
    }
}

#[cfg(test)]
#[path = "reading_tests.rs"]
mod tests;
