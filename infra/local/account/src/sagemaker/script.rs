//! What a lifecycle script does on a node, as far as others can see it: its log, and whether it ends well.
//!
//! The script is read from S3 with the execution role's permissions each time that a node is made, so that a node made
//! later runs the newest version. Of its contents, `echo` and `exit` lines are followed; everything else passes.

use super::{birth::Errand, world_access, world_access::Unreadable};
use crate::{logs, world::World};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

/// How a script ended.
pub(super) enum Outcome {
    /// Well; `digest` is the SHA-256 of what ran, if anything did.
    Succeeded { digest: Option<String> },
    /// Not at all, or with an exit code other than zero.
    Failed { text: String },
}

/// Runs the group's lifecycle script on the node of `errand`.
pub(super) fn run(world: &mut World, errand: &Errand, at: Timestamp) -> Outcome {
    let config = &errand.group.spec["LifeCycleConfig"];
    let (uri, entry) =
        (config["SourceS3Uri"].as_str(), config["OnCreate"].as_str().or_else(|| config["OnInitComplete"].as_str()));
    let (Some(uri), Some(entry)) = (uri, entry) else { return Outcome::Succeeded { digest: None } };
    let log = Log::of(world, errand, at);
    let Some((bucket, prefix)) = split(uri) else { return log.failure() };
    let key = if prefix.is_empty() { entry.to_owned() } else { format!("{prefix}/{entry}") };
    log.line(world, &format!("Downloading lifecycle scripts from s3://{bucket}/{prefix}"));
    let script = match read(world, errand, &bucket, &key, at) {
        Ok(script) => script,
        Err(complaint) => {
            log.line(world, &complaint);
            return log.failure();
        }
    };
    let (lines, code) = play(&script);
    for line in &lines {
        log.line(world, line);
    }
    if code != 0 {
        log.line(world, &format!("Lifecycle script {entry} exited with code {code}"));
        return log.failure();
    }
    Outcome::Succeeded { digest: Some(hex::encode(Sha256::digest(script.as_bytes()))) }
}

fn read(world: &World, errand: &Errand, bucket: &str, key: &str, at: Timestamp) -> Result<String, String> {
    let role = errand.group.text("ExecutionRole");
    if !world_access::allows(world, role, "s3:ListBucket", &format!("arn:aws:s3:::{bucket}"), at) {
        return Err(
            "fatal error: An error occurred (AccessDenied) when calling the ListObjectsV2 operation: Access Denied"
                .to_owned(),
        );
    }
    let bytes = world_access::object(world, role, bucket, key, at).map_err(|reason| match reason {
        Unreadable::Denied => "fatal error: An error occurred (403) when calling the HeadObject operation: Forbidden".to_owned(),
        Unreadable::NoSuchBucket => {
            "fatal error: An error occurred (NoSuchBucket) when calling the ListObjectsV2 operation: The specified bucket \
             does not exist"
                .to_owned()
        }
        Unreadable::NoSuchKey => {
            format!("fatal error: An error occurred (404) when calling the HeadObject operation: Key \"{key}\" does not exist")
        }
    })?;
    String::from_utf8(bytes).map_err(|_| "cannot execute binary file: Exec format error".to_owned())
}

/// What a script prints, and its exit code.
fn play(script: &str) -> (Vec<String>, i32) {
    let mut printed = Vec::new();
    if script.lines().next().is_some() && script.contains("\r\n") {
        return (vec!["/usr/bin/env: 'bash\\r': No such file or directory".to_owned()], 127);
    }
    for line in script.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("echo ") {
            printed.push(text.trim_matches(|quote| quote == '"' || quote == '\'').to_owned());
        } else if let Some(code) = line.strip_prefix("exit ") {
            return (printed, code.trim().parse().unwrap_or(0));
        }
    }
    (printed, 0)
}

/// Bucket and prefix (without slashes at its ends) of `s3://bucket/prefix`.
pub(super) fn split(uri: &str) -> Option<(String, String)> {
    let rest = uri.strip_prefix("s3://").or_else(|| uri.strip_prefix("https://"))?;
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    Some((bucket.to_owned(), prefix.trim_matches('/').to_owned()))
}

/// The log stream of one run. It is written with the execution role's permissions, so it may stay empty.
struct Log {
    region: String,
    group: String,
    stream: String,
    instance: String,
    writable: bool,
    at: Timestamp,
}

impl Log {
    fn of(world: &World, errand: &Errand, at: Timestamp) -> Self {
        let group = world.sagemaker.clusters.get(&errand.arn).map(|cluster| cluster.log_group()).unwrap_or_default();
        let instance = errand.node.instance_id.clone().unwrap_or_default();
        let resource =
            format!("arn:aws:logs:{}:{}:log-group:{group}:log-stream:*", errand.region, crate::call::ACCOUNT_ID);
        let role = errand.group.text("ExecutionRole");
        let writable = world_access::allows(world, role, "logs:PutLogEvents", &resource, at);
        let stream = format!("LifecycleConfig/{}/{instance}", errand.node.group);
        Self { region: errand.region.clone(), group, stream, instance, writable, at }
    }

    fn line(&self, world: &mut World, text: &str) {
        if self.writable {
            logs::put(world, &self.region, &self.group, &self.stream, self.at, text);
        }
    }

    fn failure(&self) -> Outcome {
        Outcome::Failed {
            text: format!(
                "Instance {} failed to provision with the following error: \"Lifecycle scripts did not run successfully. To \
                 view lifecycle script logs, visit log group '{}' in CloudWatch Logs. The log stream is '{}'. If you cannot \
                 find corresponding lifecycle script logs in CloudWatch, verify the execution role's permissions for \
                 CloudWatch Logs and Amazon S3.\"",
                self.instance, self.group, self.stream
            ),
        }
    }
}
