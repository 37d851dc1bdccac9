// Watchfloor for pi, behind assets/extension/call.js in one file in ~/.pi/agent/extensions/.
//
// Plain JavaScript in a .ts file, without imports from pi: every version of pi loads it.

/** Tools that only read: they run even when watchfloor gives no clear answer. */
const READING_TOOLS = new Set(["read", "grep", "find", "ls"]);

export default function (pi) {
  /** What the session was told at its start, until its first run begins. */
  let greeting;
  /** Passes an event on, and who it is from. */
  const call = (name, event, ctx) =>
    ask("pi", name, () => ({
      hook: "pi",
      cwd: ctx?.cwd,
      session_file: ctx?.sessionManager?.getSessionFile?.(),
      session_id: ctx?.sessionManager?.getSessionId?.(),
      pid: process.pid,
      ...event,
    }));
  /** An event that older versions of pi do not know. */
  const onNewer = (name, handler) => {
    try {
      pi.on(name, handler);
    } catch {
      // This version has no such event.
    }
  };

  for (const name of ["input", "session_shutdown", "ui_prompt_start", "ui_prompt_end"]) {
    onNewer(name, async (event, ctx) => {
      await call(name, event, ctx);
    });
  }

  pi.on("session_start", async (event, ctx) => {
    greeting = told(await call("session_start", event, ctx));
  });

  pi.on("before_agent_start", async () => {
    if (greeting === undefined) return undefined;
    const content = greeting;
    greeting = undefined;
    return { message: { customType: "watchfloor", content, display: false } };
  });

  // Where the end of a turn is refused, the reason is what the model reads next.
  onNewer("agent_before_settle", async (event, ctx) => {
    const { type, outcome } = event ?? {};
    const content = unfinished(await call("agent_before_settle", { type, outcome }, ctx));
    if (content === undefined) return undefined;
    const entries = Array.isArray(event?.entries) ? event.entries : [];
    return {
      entries: [...entries, { type: "custom_message", customType: "watchfloor", content, display: true }],
      continue: true,
    };
  });

  pi.on("tool_call", async (event, ctx) => {
    const reason = refusal(await call("tool_call", event, ctx), READING_TOOLS.has(event?.toolName));
    return reason === undefined ? undefined : { block: true, reason };
  });

  pi.on("tool_result", async (event, ctx) => {
    const text = told(await call("tool_result", event, ctx));
    if (text === undefined) return undefined;
    const content = Array.isArray(event?.content) ? event.content : [];
    const result = { content: [...content, { type: "text", text }] };
    // A replaced content without it would drop it.
    if (event?.structuredContent !== undefined) result.structuredContent = event.structuredContent;
    return result;
  });
}
