//! What the server says of itself, and how a request finds its verb.

use std::future::{Future, ready};
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult,
    GetPromptRequestParams, GetPromptResponse, Implementation, InitializeRequestParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::Semaphore;

use crate::contract::refusal::{Code, Refusal};
use crate::ops::context::Context;

use super::pipes::Ended;
use super::{answer, prompts, resources, tools};

/// Calls that wait for something at once; the other threads stay free for the rest.
const WAITS: usize = 24;
/// What the server tells every session of itself.
const INSTRUCTIONS: &str = "Shared desk of agents that work on this machine. Stuck after real tries? \
handoff_open, then handoff_wait. Plan a fix with attempt_plan, record its result with attempt_record.";

/// The server of one session.
pub(super) struct Server {
    context: Arc<Context>,
    ended: Arc<Ended>,
    waits: Arc<Semaphore>,
}

impl Server {
    pub(super) fn new(context: Context, ended: Arc<Ended>) -> Self {
        Self {
            context: Arc::new(context),
            ended,
            waits: Arc::new(Semaphore::new(WAITS)),
        }
    }

    /// Runs work of the verbs, which blocks, on a thread of its own.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Context) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let context = Arc::clone(&self.context);
        let done = tokio::task::spawn_blocking(move || work(&context)).await;
        done.unwrap_or_else(|error| {
            let cause = format!("the call failed inside: {error}");
            Err(Refusal::new(Code::Internal, cause, "watchfloor verify"))
        })
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let Some(tool) = tools::find(&request.name) else {
            let message = format!("there is no tool {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let permit = if tool.waits {
            match Arc::clone(&self.waits).try_acquire_owned() {
                Ok(permit) => Some(permit),
                Err(_) => return Ok(answer::refused(&crowded())),
            }
        } else {
            None
        };
        let (given, ended) = (request.arguments.unwrap_or_default(), self.ended.clone());
        let done = self.blocking(move |store| {
            let _held = permit;
            let over = || ended.is() || context.ct.is_cancelled();
            tools::run(tool, store, given, &over)
        });
        Ok(match done.await {
            Ok(value) => answer::given(value),
            Err(refusal) => answer::refused(&refusal),
        })
    }
}

fn crowded() -> Refusal {
    let cause = format!("{WAITS} calls of this session wait already");
    Refusal::new(Code::StoreBusy, cause, "watchfloor handoff list")
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("watchfloor", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    /// The revision that was agreed on holds for the session, not the one that was asked for.
    fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<InitializeResult, ErrorData>> + Send + '_ {
        let agreed = self.negotiate_initialize(&request);
        if let Ok(agreed) = &agreed {
            let mut client = request;
            client.protocol_version = agreed.protocol_version.clone();
            context.peer.set_peer_info(client);
        }
        ready(agreed)
    }

    fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send + '_ {
        ready(Ok(ListToolsResult::with_all_items(tools::all())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.call(request, context).await?.into())
    }

    fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListResourcesResult, ErrorData>> + Send + '_ {
        ready(Ok(ListResourcesResult::with_all_items(resources::all())))
    }

    fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListResourceTemplatesResult, ErrorData>> + Send + '_ {
        let templates = resources::templates();
        ready(Ok(ListResourceTemplatesResult::with_all_items(templates)))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let read = self.blocking(move |context| resources::read(context, &uri));
        match read.await {
            Ok(result) => Ok(result.into()),
            Err(refusal) => Err(answer::error(&refusal)),
        }
    }

    fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListPromptsResult, ErrorData>> + Send + '_ {
        ready(Ok(ListPromptsResult::with_all_items(prompts::all())))
    }

    fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<GetPromptResponse, ErrorData>> + Send + '_ {
        let found = prompts::get(&request.name).ok_or_else(|| {
            let message = format!("there is no prompt {}", request.name);
            ErrorData::invalid_params(message, None)
        });
        ready(found.map(Into::into))
    }

    /// A request that has one of the methods above and not its form comes here, too.
    fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CustomResult, ErrorData>> + Send + '_ {
        ready(Err(answer::unknown(&request.method)))
    }
}
