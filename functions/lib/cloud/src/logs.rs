//! CloudWatch Logs: the last line of a stream.

use crate::{Cloud, Who, errors};
use aws_sdk_cloudwatchlogs::Client;
use domain::failure::Trouble;
use engine::record::Target;

/// Longest line that is taken over, in characters.
const LINE: usize = 400;

/// CloudWatch Logs of one target.
#[derive(Debug, Clone)]
pub struct Logs {
    read: Client,
}

impl Logs {
    /// CloudWatch Logs of `target`.
    pub async fn new(cloud: &Cloud, target: &Target, who: &Who) -> Self {
        Self { read: Client::new(&cloud.configs(target, who).await.read) }
    }

    /// The newest line of a stream, cut to a readable length; none if there is no group, no stream, or nothing in it.
    pub async fn last_line(&self, group: &str, stream: &str) -> Result<Option<String>, Trouble> {
        let call = self.read.get_log_events().log_group_name(group).log_stream_name(stream);
        let answer = call.limit(1).start_from_head(false).send().await;
        let Some(answer) = errors::maybe("logs", "GetLogEvents", answer)? else { return Ok(None) };
        let line = answer.events().last().and_then(|event| event.message());
        Ok(line.map(|line| line.trim_end().chars().take(LINE).collect()))
    }
}
