//! Jobs: pods that end.

use super::{Wake, pods};
use crate::kubernetes::{Cluster, object, resource::known, serve::Deletion, store::Shared};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

const FROM: &str = "job-controller";
const INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// Pause after a failure, doubled with each one, up to six minutes.
const BACKOFF: SignedDuration = SignedDuration::from_secs(10);
const LONGEST: SignedDuration = SignedDuration::from_mins(6);

/// What became of a job's pods.
struct Count {
    active: Vec<Shared>,
    succeeded: Vec<Shared>,
    failed: Vec<Shared>,
}

pub(super) fn run(cluster: &mut Cluster, now: Timestamp, wake: &mut Wake) {
    for job in cluster.all("batch", "jobs") {
        if object::is_terminating(&job) {
            continue;
        }
        if object::has_condition(&job, "Complete") || object::has_condition(&job, "Failed") {
            expire(cluster, &job, now, wake);
        } else {
            step(cluster, &job, now, wake);
        }
    }
}

fn count(cluster: &Cluster, job: &Value) -> Count {
    let mut count = Count { active: Vec::new(), succeeded: Vec::new(), failed: Vec::new() };
    for pod in cluster.pods_of(job) {
        match object::text(&pod, "/status/phase") {
            "Succeeded" => count.succeeded.push(pod),
            "Failed" => count.failed.push(pod),
            _ if object::is_terminating(&pod) => {}
            _ => count.active.push(pod),
        }
    }
    count
}

fn step(cluster: &mut Cluster, job: &Shared, now: Timestamp, wake: &mut Wake) {
    let found = count(cluster, job);
    let number = |name: &str| object::number(job, &format!("/spec/{name}"));
    let done = i64::try_from(found.succeeded.len()).unwrap_or(i64::MAX);
    let failures = i64::try_from(found.failed.len()).unwrap_or(i64::MAX);
    let started = object::time_at(job, "/status/startTime");
    let deadline = number("activeDeadlineSeconds")
        .zip(started)
        .and_then(|(seconds, start)| start.checked_add(SignedDuration::from_secs(seconds)).ok());
    let wanted = number("completions");
    let complete = wanted.map_or(done > 0 && found.active.is_empty(), |wanted| done >= wanted);
    let end = if complete {
        Some(("Complete", "CompletionsReached", "Reached expected number of succeeded pods"))
    } else if failures > number("backoffLimit").unwrap_or(6) {
        Some(("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit"))
    } else if deadline.is_some_and(|deadline| now >= deadline) {
        Some(("Failed", "DeadlineExceeded", "Job was active longer than specified deadline"))
    } else {
        None
    };
    if let Some(end) = end {
        return finish(cluster, job, &found, end, now);
    }
    wake.at_some(deadline);
    if job["spec"]["suspend"] == true {
        for pod in &found.active {
            cluster.drop_pod(job, pod, FROM, now);
        }
    } else {
        start_pods(cluster, job, &found, now, wake);
    }
    let found = count(cluster, job);
    let mut next = job.copy();
    status(&mut next, &found);
    if started.is_none() && job["spec"]["suspend"] != true {
        object::put(&mut next, "/status/startTime", object::time(now));
    }
    cluster.write(known("batch", "jobs"), job, next);
}

fn status(job: &mut Value, found: &Count) {
    let ready = found.active.iter().filter(|pod| pods::is_ready(pod)).count();
    let counts = [("active", found.active.len()), ("succeeded", found.succeeded.len()), ("failed", found.failed.len())];
    let status = object::entry(job, "/status");
    for (name, count) in counts {
        if count > 0 {
            status[name] = count.into();
        } else if let Some(status) = status.as_object_mut() {
            status.shift_remove(name);
        }
    }
    status["ready"] = ready.into();
    status["terminating"] = 0.into();
    status["uncountedTerminatedPods"] = json!({});
}

fn start_pods(cluster: &mut Cluster, job: &Shared, found: &Count, now: Timestamp, wake: &mut Wake) {
    let last = found
        .failed
        .iter()
        .filter_map(|pod| object::time_at(pod, "/status/containerStatuses/0/state/terminated/finishedAt"))
        .max();
    if let Some(last) = last {
        let doublings = u32::try_from(found.failed.len().saturating_sub(1)).unwrap_or(6).min(6);
        let pause = (BACKOFF * 2_i32.pow(doublings)).min(LONGEST);
        let until = last.saturating_add(pause).unwrap_or(Timestamp::MAX);
        if now < until {
            wake.at(until);
            return;
        }
    }
    let number =
        |name: &str| object::number(job, &format!("/spec/{name}")).and_then(|number| usize::try_from(number).ok());
    let parallel = number("parallelism").unwrap_or(1);
    let left = number("completions")
        .map_or(if found.succeeded.is_empty() { parallel } else { found.active.len() }, |wanted| {
            wanted.saturating_sub(found.succeeded.len())
        });
    let target = parallel.min(left);
    for pod in found.active.iter().skip(target) {
        cluster.drop_pod(job, pod, FROM, now);
    }
    let indexed = job["spec"]["completionMode"] == "Indexed";
    let taken: Vec<&str> = found.active.iter().chain(&found.succeeded).map(|pod| index(pod)).collect();
    let mut free =
        (0..number("completions").unwrap_or(0)).map(|at| at.to_string()).filter(|at| !taken.contains(&at.as_str()));
    for _ in found.active.len()..target {
        let mut pod = pods::from_template(job);
        if indexed {
            let Some(at) = free.next() else { return };
            put_index(&mut pod, job, &at);
        }
        if !cluster.make_pod(job, pod, FROM, now) {
            return;
        }
    }
}

fn index(pod: &Value) -> &str {
    pod["metadata"]["annotations"][INDEX].as_str().unwrap_or_default()
}

fn put_index(pod: &mut Value, job: &Value, at: &str) {
    pod["metadata"]["generateName"] = format!("{}-{at}-", object::name(job)).into();
    object::entry(pod, "/metadata/annotations")[INDEX] = at.into();
    object::entry(pod, "/metadata/labels")[INDEX] = at.into();
    pod["spec"]["hostname"] = format!("{}-{at}", object::name(job)).into();
    let variable = json!({"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": format!("metadata.labels['{INDEX}']")}}});
    for container in pod["spec"]["containers"].as_array_mut().into_iter().flatten() {
        object::put_default(container, "/env", json!([]));
        if let Some(env) = container["env"].as_array_mut() {
            env.push(variable.clone());
        }
    }
}

fn finish(
    cluster: &mut Cluster,
    job: &Shared,
    found: &Count,
    (kind, reason, message): (&str, &str, &str),
    now: Timestamp,
) {
    for pod in &found.active {
        cluster.drop_pod(job, pod, FROM, now);
    }
    let found = count(cluster, job);
    let mut next = job.copy();
    status(&mut next, &found);
    let first = if kind == "Complete" { "SuccessCriteriaMet" } else { "FailureTarget" };
    object::set_condition(&mut next, first, true, (reason, message), now);
    object::set_condition(&mut next, kind, true, (reason, message), now);
    for condition in next["status"]["conditions"].as_array_mut().into_iter().flatten() {
        let time = condition["lastTransitionTime"].clone();
        condition["lastProbeTime"] = time;
    }
    if kind == "Complete" {
        object::put(&mut next, "/status/completionTime", object::time(now));
        cluster.say(job, FROM, ("Completed", "Job completed"), now);
    } else {
        cluster.say(job, FROM, (reason, message), now);
    }
    cluster.write(known("batch", "jobs"), job, next);
}

/// Removes a finished job after its time to live.
fn expire(cluster: &mut Cluster, job: &Value, now: Timestamp, wake: &mut Wake) {
    let Some(seconds) = object::number(job, "/spec/ttlSecondsAfterFinished") else { return };
    let ended = object::list(job, "/status/conditions")
        .iter()
        .filter(|one| matches!(object::text(one, "/type"), "Complete" | "Failed"))
        .find_map(|one| object::time_at(one, "/lastTransitionTime"));
    let until = ended.unwrap_or(now).saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX);
    if now < until {
        wake.at(until);
        return;
    }
    let deletion = Deletion { propagation: "Background".to_owned(), ..Deletion::default() };
    // Gone meanwhile is as good.
    _ = cluster.delete(known("batch", "jobs"), object::namespace(job), object::name(job), &deletion, now);
}
