//! What the fixture has: tools, prompts and resources as the conformance suite describes them, read from `fixture.json`.

use super::ask::Asks;
use rmcp::model::{ContentBlock, Prompt, PromptMessage, Resource, ResourceContents, ResourceTemplate, Tool};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Everything.
#[derive(Debug, Deserialize)]
pub(super) struct Fixture {
    pub tools: Vec<FixtureTool>,
    pub prompts: Vec<FixturePrompt>,
    pub resources: Vec<FixtureResource>,
    pub template: FixtureTemplate,
}

/// A tool that answers `content` after it has told `progress`, or asks the client first.
#[derive(Debug, Deserialize)]
pub(super) struct FixtureTool {
    pub tool: Tool,
    #[serde(default)]
    pub progress: Vec<f64>,
    #[serde(default)]
    pub content: Vec<ContentBlock>,
    #[serde(default)]
    pub fails: bool,
    pub asks: Option<Asks>,
}

/// A prompt; `{name}` in a message stands for an argument.
#[derive(Debug, Deserialize)]
pub(super) struct FixturePrompt {
    pub prompt: Prompt,
    pub asks: Option<Asks>,
    messages: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct FixtureResource {
    pub resource: Resource,
    pub contents: ResourceContents,
}

/// Resources by template: `{id}` stands for the part of the URI.
#[derive(Debug, Deserialize)]
pub(super) struct FixtureTemplate {
    pub template: ResourceTemplate,
    contents: Value,
}

/// The fixture; none of it if its file is broken, which the suite tells.
pub(super) fn fixture() -> Option<&'static Fixture> {
    static FIXTURE: LazyLock<Option<Fixture>> = LazyLock::new(|| {
        let read = serde_json::from_str(include_str!("fixture.json"));
        read.inspect_err(|error| tracing::error!(%error, "the conformance fixture cannot be read")).ok()
    });
    FIXTURE.as_ref()
}

impl FixturePrompt {
    /// The messages for `arguments`.
    pub(super) fn messages(&self, arguments: &Map<String, Value>) -> Option<Vec<PromptMessage>> {
        let mut messages = self.messages.clone();
        for (name, value) in arguments {
            fill(&mut messages, name, value.as_str().unwrap_or_default());
        }
        serde_json::from_value(messages).ok()
    }
}

impl FixtureTemplate {
    /// The contents at `uri`, if it is of this template.
    pub(super) fn contents(&self, uri: &str) -> Option<ResourceContents> {
        let (before, after) = self.template.uri_template.split_once("{id}")?;
        let id = uri.strip_prefix(before)?.strip_suffix(after)?;
        let mut contents = self.contents.clone();
        fill(&mut contents, "id", id);
        serde_json::from_value(contents).ok()
    }
}

/// Puts `value` in the place of `{name}` in every text.
fn fill(whole: &mut Value, name: &str, value: &str) {
    match whole {
        Value::String(text) => *text = text.replace(&format!("{{{name}}}"), value),
        Value::Array(elements) => elements.iter_mut().for_each(|element| fill(element, name, value)),
        Value::Object(members) => members.values_mut().for_each(|member| fill(member, name, value)),
        _ => {}
    }
}
