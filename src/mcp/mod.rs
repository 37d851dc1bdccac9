//! The MCP server over the verbs (spec 6.3): standard input and output, the current revision of the
//! protocol and those before it. Who calls is told by the entry's environment or by the hook of the
//! session above this process, never by an argument.

mod answer;
mod pipes;
mod prompts;
mod resources;
mod server;
mod tools;

use std::sync::Arc;

use rmcp::service::serve_directly;
use tokio::runtime::Builder;

use crate::contract::refusal::{Code, Refusal};
use crate::ops::context::Context;

use pipes::{Ended, Pipes};
use server::Server;

/// Calls that run at once; more wait for their turn.
const THREADS: usize = 32;

/// Serves until the client closes its end.
///
/// # Errors
/// The system gives no thread.
pub fn serve(context: Context) -> Result<(), Refusal> {
    let mut builder = Builder::new_current_thread();
    let runtime = builder.enable_time().max_blocking_threads(THREADS).build();
    let runtime = runtime.map_err(|error| {
        let cause = format!("the server cannot start: {error}");
        Refusal::new(Code::Internal, cause, "watchfloor mcp --help")
    })?;
    let ended = Arc::new(Ended::default());
    runtime.block_on(async {
        let pipes = Pipes::open(std::io::stdin(), std::io::stdout(), &ended);
        let server = Server::new(context, Arc::clone(&ended));
        // What was read before the input ended is answered, for five seconds at most.
        drop(serve_directly(server, pipes, None).waiting().await);
    });
    // What still runs is a look at the store, or a transaction that is committed or is not.
    runtime.shutdown_background();
    Ok(())
}
