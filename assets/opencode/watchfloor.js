// Watchfloor for opencode, behind assets/extension/call.js in one file in ~/.config/opencode/plugin/.

/** Tools that only read: they run even when watchfloor gives no clear answer. */
const READING_TOOLS = new Set(["read", "glob", "grep", "list", "ls"]);
/** Events that are passed on as they are. */
const PASSED_ON = new Set([
  "session.created",
  "session.deleted",
  "permission.asked",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
]);

export const Watchfloor = async ({ client, directory }) => {
  /** The session that started a subagent's. */
  const parents = new Map();
  /** What a session was told at its start. */
  const greetings = new Map();
  /** Sessions whose turn a person broke off. */
  const brokenOff = new Set();
  // Only here does the process belong to one session; a server's belongs to all of them.
  const own = process.argv.includes("run") ? { pid: process.pid } : {};
  const call = (name, session, payload) =>
    ask("opencode", name, () => ({
      hook: "opencode",
      type: name,
      cwd: directory,
      ...own,
      parent_id: parents.get(session),
      ...payload,
    }));

  /** The end of a turn: where it is refused, the reason is the next prompt. */
  async function idle(event, session) {
    if (brokenOff.delete(session) || parents.has(session)) return;
    const text = unfinished(await call(event.type, session, { event }));
    if (text === undefined) return;
    const parts = [{ type: "text", text }];
    // Not awaited: the answer is the whole next turn.
    client.session.prompt({ path: { id: session }, body: { parts } }).catch(() => {});
  }

  return {
    event: async ({ event }) => {
      const properties = event?.properties ?? {};
      const session = properties.sessionID ?? properties.info?.id;
      if (event.type === "session.idle") return idle(event, session);
      if (event.type === "session.error" && properties.error?.name === "MessageAbortedError") {
        brokenOff.add(session);
        return;
      }
      // Of the parts of a message, a tool's that failed without a result.
      const part = properties.part;
      const failed =
        event.type === "message.part.updated" && part?.type === "tool" && part.state?.status === "error";
      if (!failed && !PASSED_ON.has(event.type)) return;
      if (event.type === "session.created" && properties.info?.parentID) {
        parents.set(session, properties.info.parentID);
      }
      const words = told(await call(event.type, session, { event }));
      if (event.type === "session.created" && words !== undefined) greetings.set(session, words);
    },

    "chat.message": async (input, output) => {
      brokenOff.delete(input?.sessionID);
      await call("chat.message", input?.sessionID, { input, output: { parts: output?.parts } });
    },

    "experimental.chat.system.transform": async (input, output) => {
      const words = greetings.get(input?.sessionID);
      if (words && Array.isArray(output?.system)) output.system.push(words);
    },

    // Whoever calls watchfloor in a shell of this session calls as this session.
    "shell.env": async (input, output) => {
      const session = input?.sessionID;
      if (!session || !output?.env) return;
      const parent = parents.get(session);
      output.env.WATCHFLOOR_AGENT = parent ? `opencode:${parent}/${session}` : `opencode:${session}`;
    },

    "tool.execute.before": async (input, output) => {
      const args = output?.args;
      const answer = await call("tool.execute.before", input?.sessionID, { input, output: { args } });
      const reason = refusal(answer, READING_TOOLS.has(input?.tool));
      if (reason !== undefined) throw new Error(reason);
    },

    "tool.execute.after": async (input, output) => {
      const text = told(await call("tool.execute.after", input?.sessionID, { input, output }));
      if (text === undefined || !output) return;
      if (typeof output.output === "string") output.output += `\n${text}`;
      else if (Array.isArray(output.content)) output.content.push({ type: "text", text });
    },
  };
};
