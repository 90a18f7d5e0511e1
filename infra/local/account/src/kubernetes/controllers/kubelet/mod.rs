//! The kubelets: what happens to a pod on its node, from mounting its volumes to its end.

mod mounts;
mod program;
mod status;

use super::{Wake, nodes, pods};
use crate::kubernetes::{Cluster, Host, object, resource::known, store::Shared};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

const FROM: &str = "kubelet";

/// What the kubelet of a pod is doing; times are those of the next step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Step {
    /// Volumes are mounted at this time, after so many failures.
    Mounting { at: Timestamp, failures: u32 },
    /// The images are there at this time.
    Pulling { at: Timestamp },
    /// A container waits at its back-off before it starts again.
    Waiting { at: Timestamp, init: usize },
    /// Init container `init` runs, or all containers if `init` counts past those; until this time, if it ends.
    Running { init: usize, until: Option<Timestamp>, exit: i64 },
}

/// A pod on a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Run {
    step: Step,
    /// What each container printed.
    pub(super) logs: BTreeMap<String, String>,
    restarts: u32,
    /// When deletion was first seen.
    ending: Option<Timestamp>,
}

/// The world as one pod's kubelet sees it.
struct Scene<'a> {
    host: &'a dyn Host,
    pod: &'a Shared,
    now: Timestamp,
}

impl Scene<'_> {
    fn after(&self, pause: SignedDuration) -> Timestamp {
        self.now.saturating_add(pause).unwrap_or(Timestamp::MAX)
    }

    fn inits(&self) -> usize {
        object::list(self.pod, "/spec/initContainers").len()
    }

    /// Init container `init`, or the first container if there is none of that number.
    fn container(&self, init: usize) -> &Value {
        object::list(self.pod, "/spec/initContainers").get(init).unwrap_or(&self.pod["spec"]["containers"][0])
    }
}

pub(super) fn run(cluster: &mut Cluster, host: &dyn Host, now: Timestamp, wake: &mut Wake) {
    let placed = cluster.all("", "pods");
    cluster.life.runs.retain(|uid, _| placed.iter().any(|pod| object::uid(pod) == uid));
    for pod in placed.iter().filter(|pod| !object::text(pod, "/spec/nodeName").is_empty()) {
        let node = cluster.store.get(known("", "nodes"), "", object::text(pod, "/spec/nodeName"));
        match node.map(|node| nodes::is_alive(node)) {
            Some(true) => live(cluster, &Scene { host, pod, now }, wake),
            // The control plane marks what it cannot see as not ready.
            Some(false) => status::lose_sight(cluster, pod, now),
            None => {}
        }
    }
}

fn live(cluster: &mut Cluster, scene: &Scene<'_>, wake: &mut Wake) {
    let uid = object::uid(scene.pod).to_owned();
    let fresh = || Run {
        step: Step::Mounting { at: scene.now, failures: 0 },
        logs: BTreeMap::new(),
        restarts: 0,
        ending: None,
    };
    let mut run = cluster.life.runs.get(&uid).cloned().unwrap_or_else(fresh);
    if object::is_terminating(scene.pod) {
        end(cluster, scene, &mut run, wake);
    } else if !pods::is_over(scene.pod) {
        advance(cluster, scene, &mut run, wake);
    }
    cluster.life.runs.insert(uid, run);
}

/// Containers stop within two seconds of SIGTERM, or when the grace period ends.
fn end(cluster: &mut Cluster, scene: &Scene<'_>, run: &mut Run, wake: &mut Wake) {
    let pod = scene.pod;
    let since = *run.ending.get_or_insert(scene.now);
    let running = matches!(run.step, Step::Running { .. }) && !pods::is_over(pod);
    let limit = object::time_at(pod, "/metadata/deletionTimestamp").unwrap_or(scene.now).max(since);
    let takes = SignedDuration::from_secs(if running { 2 } else { 0 });
    let stops = since.saturating_add(takes).unwrap_or(limit).min(limit);
    if scene.now < stops {
        wake.at(stops);
        return;
    }
    let pods = known("", "pods");
    if object::list(pod, "/metadata/finalizers").is_empty() {
        cluster.store.remove(&pods.key(), object::namespace(pod), object::name(pod));
    } else {
        let mut next = pod.copy();
        next["metadata"]["deletionGracePeriodSeconds"] = 0.into();
        cluster.write(pods, pod, next);
    }
}

fn advance(cluster: &mut Cluster, scene: &Scene<'_>, run: &mut Run, wake: &mut Wake) {
    let due = match run.step {
        Step::Mounting { at, .. } | Step::Pulling { at } | Step::Waiting { at, .. } => Some(at),
        Step::Running { until, .. } => until,
    };
    match (due, run.step.clone()) {
        (None, _) => {}
        (Some(at), _) if scene.now < at => wake.at(at),
        (_, Step::Mounting { failures, .. }) => mount(cluster, scene, run, failures, wake),
        (_, Step::Pulling { .. }) => start(cluster, scene, run, 0, wake),
        (_, Step::Waiting { init, .. }) => start(cluster, scene, run, init, wake),
        (_, Step::Running { init, exit, .. }) => return stopped(cluster, scene, run, (init, exit), wake),
    }
    status::show(cluster, scene.pod, run, scene.now);
}

fn mount(cluster: &mut Cluster, scene: &Scene<'_>, run: &mut Run, failures: u32, wake: &mut Wake) {
    let at = match mounts::all(cluster, scene.host, scene.pod) {
        Ok(()) => {
            let pull = scene.host.draw(&format!("image pull {}", object::uid(scene.pod)), 2..15);
            let at = scene.after(pull);
            run.step = Step::Pulling { at };
            at
        }
        Err(why) => {
            cluster.say(scene.pod, FROM, ("FailedMount", &why), scene.now);
            // The volume manager doubles its pause from half a second to about two minutes.
            let pause = SignedDuration::from_millis(500 << failures.min(8)).min(SignedDuration::from_secs(122));
            let at = scene.after(pause);
            run.step = Step::Mounting { at, failures: failures.saturating_add(1) };
            at
        }
    };
    wake.at(at);
}

/// Starts init container `init`, or the containers if all of those are done.
fn start(cluster: &mut Cluster, scene: &Scene<'_>, run: &mut Run, init: usize, wake: &mut Wake) {
    let is_init = init < scene.inits();
    let containers: Vec<Value> = if is_init {
        vec![scene.container(init).clone()]
    } else {
        object::list(scene.pod, "/spec/containers").to_vec()
    };
    let (mut lasts, mut exit) = (Some(SignedDuration::ZERO), 0);
    for container in &containers {
        let outcome = program::run(cluster, scene.host, scene.pod, container, is_init);
        lasts = lasts.zip(outcome.lasts).map(|(one, other)| one.max(other));
        exit = exit.max(outcome.exit);
        let (name, image) = (object::text(container, "/name"), object::text(container, "/image"));
        note(run, name, &outcome.output);
        cluster.say(scene.pod, FROM, ("Pulled", &format!("Successfully pulled image {image:?}")), scene.now);
        cluster.say(scene.pod, FROM, ("Created", &format!("Created container: {name}")), scene.now);
        cluster.say(scene.pod, FROM, ("Started", &format!("Started container {name}")), scene.now);
    }
    let until = lasts.map(|lasts| scene.after(lasts));
    run.step = Step::Running { init, until, exit };
    wake.at_some(until);
}

/// Keeps the end of what a container printed.
fn note(run: &mut Run, container: &str, output: &str) {
    let log = run.logs.entry(container.to_owned()).or_default();
    log.push_str(output);
    let cut = log.len().saturating_sub(program::LONGEST_LOG);
    if let Some(cut) = (cut..log.len()).find(|at| log.is_char_boundary(*at)).filter(|cut| *cut > 0) {
        log.drain(..cut);
    }
}

/// A program ended: the next one starts, the same again, or the pod is over.
fn stopped(cluster: &mut Cluster, scene: &Scene<'_>, run: &mut Run, (init, exit): (usize, i64), wake: &mut Wake) {
    let is_init = init < scene.inits();
    if is_init && exit == 0 {
        start(cluster, scene, run, init + 1, wake);
        return status::show(cluster, scene.pod, run, scene.now);
    }
    let again = match object::text(scene.pod, "/spec/restartPolicy") {
        "Never" => false,
        "OnFailure" => exit != 0,
        _ => !is_init || exit != 0,
    };
    if !again {
        return status::finish(cluster, scene.pod, run, exit, scene.now);
    }
    // Ten seconds, doubled up to five minutes.
    let pause = SignedDuration::from_secs(10 << run.restarts.min(5)).min(SignedDuration::from_mins(5));
    run.restarts = run.restarts.saturating_add(1);
    let name = object::text(scene.container(init), "/name");
    let (pod, namespace) = (object::name(scene.pod), object::namespace(scene.pod));
    let message =
        format!("Back-off restarting failed container {name} in pod {pod}_{namespace}({})", object::uid(scene.pod));
    cluster.say(scene.pod, FROM, ("BackOff", &message), scene.now);
    let at = scene.after(pause);
    run.step = Step::Waiting { at, init };
    wake.at(at);
    status::show(cluster, scene.pod, run, scene.now);
}
