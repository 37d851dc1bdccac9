// Watchfloor for opencode: copy this file to ~/.config/opencode/plugin/.
//
// Every event goes to `watchfloor hook opencode EVENT` as JSON on stdin; the answer is JSON on
// stdout. A tool call that may change something and gets no clear answer is refused: a
// broken, late or missing watchfloor stops the agent instead of letting it go on unseen.
import { spawn } from "node:child_process";

/** How long one call of watchfloor may take, in milliseconds. */
const DEADLINE_MS = 8000;
/** The longest answer that is read, in UTF-16 units. */
const LONGEST_ANSWER = 1024 * 1024;
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

/** Calls watchfloor; resolves to `{answer}` or `{failure}`, and never throws. */
function ask(name, payload, cwd) {
  return new Promise((resolve) => {
    const binary = process.env.WATCHFLOOR_BIN ?? "watchfloor";
    let child;
    let stdout = "";
    let timer;
    const end = (result) => {
      clearTimeout(timer);
      resolve(result);
    };
    const giveUp = (failure) => {
      end({ failure });
      child?.kill("SIGKILL");
    };
    try {
      const text = JSON.stringify({ hook: "opencode", type: name, cwd, ...payload });
      child = spawn(binary, ["hook", "opencode", name], { stdio: ["pipe", "pipe", "ignore"], cwd });
      timer = setTimeout(() => giveUp(`gave no answer within ${DEADLINE_MS / 1000} s`), DEADLINE_MS);
      child.on("error", (error) => end({ failure: `cannot be started (${error.code ?? error.message})` }));
      // It may end before it has read everything; its exit tells the story.
      child.stdin.on("error", () => {});
      child.stdout.setEncoding("utf8");
      child.stdout.on("data", (chunk) => {
        stdout += chunk;
        if (stdout.length > LONGEST_ANSWER) giveUp("answered more than 1 MiB");
      });
      child.on("close", (code, signal) => end(readAnswer(stdout, code, signal)));
      child.stdin.end(text);
    } catch (error) {
      giveUp(`cannot be called (${error?.message ?? error})`);
    }
  });
}

/** What a finished call said. A refusal counts whatever the exit code is. */
function readAnswer(stdout, code, signal) {
  let answer;
  try {
    answer = JSON.parse(stdout);
  } catch {
    answer = undefined;
  }
  const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  if (isObject && answer.decision === "block") return { answer };
  if (signal) return { failure: `was ended by ${signal}` };
  if (code !== 0) return { failure: `ended with exit code ${code}` };
  if (!isObject) return { failure: "gave no JSON answer" };
  return { answer };
}

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
    ask(name, { ...own, parent_id: parents.get(session), ...payload }, directory);

  /** The end of a turn: where it is refused, the reason is the next prompt. */
  async function idle(event, session) {
    if (brokenOff.delete(session) || parents.has(session)) return;
    const { answer } = await call(event.type, session, { event });
    if (answer?.decision !== "block") return;
    const parts = [{ type: "text", text: String(answer.reason) }];
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
      const { answer } = await call(event.type, session, { event });
      if (event.type === "session.created" && typeof answer?.tell === "string") greetings.set(session, answer.tell);
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
      const { answer, failure } = await call("tool.execute.before", input?.sessionID, {
        input,
        output: { args: output?.args },
      });
      if (failure === undefined) {
        if (answer.decision !== "block") return;
        throw new Error(String(answer.reason ?? "Refused: watchfloor gave no reason"));
      }
      if (READING_TOOLS.has(input?.tool)) return;
      throw new Error(
        `Refused: watchfloor ${failure}, so this call could not be checked. Tell the operator.`,
      );
    },

    "tool.execute.after": async (input, output) => {
      const { answer } = await call("tool.execute.after", input?.sessionID, { input, output });
      if (typeof answer?.tell !== "string" || answer.tell === "" || !output) return;
      if (typeof output.output === "string") output.output += `\n${answer.tell}`;
      else if (Array.isArray(output.content)) output.content.push({ type: "text", text: answer.tell });
    },
  };
};
