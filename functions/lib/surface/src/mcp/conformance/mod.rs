//! The product's server with the fixture of the MCP conformance suite beside it; not part of the product.
//!
//! The suite calls tools, prompts and resources of fixed names. They stand behind the product's own transport and beside
//! its own tools, so that what is held is what the product answers through. Built with the feature `conformance` only.

mod ask;
mod fixture;

use super::server::Server;
use crate::door::FrontDoor;
use ask::{Asks, Turn};
use fixture::{FixturePrompt, FixtureTool, fixture};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
        CompletionInfo, ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputResponses,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::json;

/// How long a client may keep a list of the fixture.
const TTL_MILLIS: u64 = 1_000;

/// The product's server and the fixture.
#[derive(Debug)]
pub(super) struct Conformance<F> {
    product: Server<F>,
}

impl<F> Clone for Conformance<F> {
    fn clone(&self) -> Self {
        Self { product: self.product.clone() }
    }
}

impl<F> Conformance<F> {
    pub(super) fn new(product: Server<F>) -> Self {
        Self { product }
    }
}

fn tool(name: &str) -> Option<&'static FixtureTool> {
    fixture()?.tools.iter().find(|one| one.tool.name == name)
}

fn prompt(name: &str) -> Option<&'static FixturePrompt> {
    fixture()?.prompts.iter().find(|one| one.prompt.name == name)
}

fn turn(
    asks: &Asks,
    responses: Option<&InputResponses>,
    state: Option<&str>,
    context: &RequestContext<RoleServer>,
) -> Result<Turn, ErrorData> {
    asks.turn(responses, state, &context.client_capabilities().unwrap_or_default())
}

async fn call(
    known: &FixtureTool,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    if let Some(asks) = &known.asks {
        let said = turn(asks, request.input_responses.as_ref(), request.request_state.as_deref(), context)?;
        return Ok(match said {
            Turn::Ask(asked) => asked.into(),
            Turn::Done(text) => CallToolResult::success(vec![ContentBlock::text(text)]).into(),
        });
    }
    if let Some(token) = context.meta.get_progress_token() {
        for progress in &known.progress {
            let told = ProgressNotificationParam::new(token.clone(), *progress).with_total(100.0);
            // A client that has hung up learns nothing, which is its own loss.
            let _gone = context.peer.notify_progress(told).await;
        }
    }
    let content = known.content.clone();
    Ok(if known.fails { CallToolResult::error(content) } else { CallToolResult::success(content) }.into())
}

impl<F: FrontDoor> ServerHandler for Conformance<F> {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.product.get_info();
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources();
        info.capabilities = capabilities.enable_completions().build();
        info
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.product.list_tools(request, context).await?;
        listed.tools.extend(fixture().into_iter().flat_map(|all| &all.tools).map(|one| one.tool.clone()));
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tool(name).map(|known| known.tool.clone()).or_else(|| self.product.get_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match tool(&request.name) {
            Some(known) => call(known, &request, &context).await,
            None => self.product.call_tool(request, context).await,
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = fixture().into_iter().flat_map(|all| &all.prompts).map(|one| one.prompt.clone());
        let mut listed = ListPromptsResult::with_all_items(prompts.collect());
        (listed.ttl_ms, listed.cache_scope) = (Some(TTL_MILLIS), Some(CacheScope::Private));
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let missing = || ErrorData::invalid_params(format!("there is no prompt {:?}", request.name), None);
        let known = prompt(&request.name).ok_or_else(missing)?;
        if let Some(asks) = &known.asks {
            let said = turn(asks, request.input_responses.as_ref(), request.request_state.as_deref(), &context)?;
            if let Turn::Ask(asked) = said {
                return Ok(asked.into());
            }
        }
        let messages = known.messages(&request.arguments.clone().unwrap_or_default()).unwrap_or_default();
        Ok(GetPromptResult::new(messages).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = fixture().into_iter().flat_map(|all| &all.resources).map(|one| one.resource.clone());
        let mut listed = ListResourcesResult::with_all_items(resources.collect());
        (listed.ttl_ms, listed.cache_scope) = (Some(TTL_MILLIS), Some(CacheScope::Private));
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = fixture().into_iter().map(|all| all.template.template.clone());
        let mut listed = ListResourceTemplatesResult::with_all_items(templates.collect());
        (listed.ttl_ms, listed.cache_scope) = (Some(TTL_MILLIS), Some(CacheScope::Private));
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let fixed = fixture().and_then(|all| all.resources.iter().find(|one| one.resource.uri == uri));
        let contents = fixed.map(|one| one.contents.clone());
        let contents = contents
            .or_else(|| fixture()?.template.contents(uri))
            .ok_or_else(|| ErrorData::invalid_params("there is no such resource", Some(json!({ "uri": uri }))))?;
        let mut read = ReadResourceResult::new(vec![contents]);
        (read.ttl_ms, read.cache_scope) = (Some(TTL_MILLIS), Some(CacheScope::Private));
        Ok(read.into())
    }

    /// Suggests arguments of the fixture's prompts that begin with what was typed.
    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let fitting = ["paris", "park", "party"].into_iter().filter(|word| word.starts_with(&request.argument.value));
        let values = CompletionInfo::new(fitting.map(str::to_owned).collect());
        values.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None))
    }
}
