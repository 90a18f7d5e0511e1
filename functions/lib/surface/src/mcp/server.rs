//! The tools: listed by scope, called through the gate.

use crate::{
    check::Schema,
    door::{Caller, FrontDoor, Request},
    gate::Gate,
    headers::id_of,
    problem,
    rest::is_key,
    tools::{IDEMPOTENCY_KEY, INSTRUCTIONS, catalogue},
};
use contract::{ALL, Descriptor, list::find, problem::Problem};
use domain::FieldError;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::{Map, Value};
use std::{collections::HashMap, sync::Arc};

/// How long a client may keep the list of tools: it changes with a release only.
const LIST_TTL_MILLIS: u64 = 300_000;

/// One server for all requests.
#[derive(Debug)]
pub(super) struct Server<F> {
    gate: Arc<Gate<F>>,
    tools: Arc<Vec<Tool>>,
    schemas: Arc<HashMap<&'static str, Schema>>,
}

impl<F> Clone for Server<F> {
    fn clone(&self) -> Self {
        Self { gate: Arc::clone(&self.gate), tools: Arc::clone(&self.tools), schemas: Arc::clone(&self.schemas) }
    }
}

impl<F: FrontDoor> Server<F> {
    pub(super) fn new(gate: Arc<Gate<F>>) -> Self {
        let schemas = ALL.iter().map(|descriptor| (descriptor.name, Schema::new(descriptor.input_schema()))).collect();
        Self { gate, tools: Arc::new(catalogue()), schemas: Arc::new(schemas) }
    }

    async fn call(
        &self,
        descriptor: &'static Descriptor,
        arguments: Map<String, Value>,
        caller: Caller,
        request_id: String,
    ) -> Result<Value, Problem> {
        let (input, key) = self.input(descriptor, arguments).map_err(problem::of_fields)?;
        let request = Request {
            principal: caller.principal,
            scopes: caller.scopes,
            request_id,
            idempotency_key: key,
            expected_generation: None,
            validate_only: descriptor.validates.is_some(),
        };
        self.gate.call(descriptor, input, request).await
    }

    fn input(
        &self,
        descriptor: &Descriptor,
        mut arguments: Map<String, Value>,
    ) -> Result<(Value, Option<String>), Vec<FieldError>> {
        let mut found = Vec::new();
        let given = if descriptor.hints.read_only { None } else { arguments.remove(IDEMPOTENCY_KEY) };
        let key = given.as_ref().and_then(Value::as_str).filter(|key| is_key(key)).map(str::to_owned);
        if given.is_some() && key.is_none() {
            let detail = "expected 1 to 255 visible ASCII characters";
            found.push(FieldError::new(format!("/{IDEMPOTENCY_KEY}"), detail));
        }
        let input = Value::Object(whole(arguments));
        if let Some(schema) = self.schemas.get(descriptor.name) {
            found.extend(schema.check(&input));
        }
        if found.is_empty() { Ok((input, key)) } else { Err(found) }
    }
}

/// Whole numbers as integers, as REST reads them.
fn whole(arguments: Map<String, Value>) -> Map<String, Value> {
    let text = Value::Object(arguments).to_string();
    match crate::json::read(text.as_bytes()) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

impl<F: FrontDoor> ServerHandler for Server<F> {
    fn get_info(&self) -> ServerConfig {
        let us =
            Implementation::new("hyperpod-instantstart", env!("CARGO_PKG_VERSION")).with_title("HyperPod InstantStart");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(us)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|page| page.cursor.is_some()) {
            return Err(ErrorData::invalid_params("the list of tools has one page: leave the cursor out", None));
        }
        let (caller, _) = who(&context)?;
        let allowed = |tool: &&Tool| find(&tool.name).is_some_and(|known| caller.scopes.contains(&known.scope));
        let mut result = ListToolsResult::with_all_items(self.tools.iter().filter(allowed).cloned().collect());
        result.ttl_ms = Some(LIST_TTL_MILLIS);
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(descriptor) = find(&request.name) else {
            let text =
                format!("there is no tool {:?}; see tools/list", request.name.chars().take(80).collect::<String>());
            return Err(ErrorData::invalid_params(text, None));
        };
        let (caller, request_id) = who(&context)?;
        let arguments = request.arguments.unwrap_or_default();
        let answered = self.call(descriptor, arguments, caller, request_id.clone()).await;
        Ok(match answered {
            Ok(value) => CallToolResult::structured(value),
            Err(problem) => {
                let problem = Problem { request_id, ..problem };
                let text = serde_json::to_string(&problem).unwrap_or_default();
                CallToolResult::error(vec![ContentBlock::text(text)])
            }
        }
        .into())
    }
}

fn who(context: &RequestContext<RoleServer>) -> Result<(Caller, String), ErrorData> {
    let parts = context.extensions.get::<http::request::Parts>();
    let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
    match (parts, caller) {
        (Some(parts), Some(caller)) => Ok((caller.clone(), id_of(&parts.extensions))),
        _ => Err(ErrorData::invalid_request("the request carries no valid credential", None)),
    }
}
