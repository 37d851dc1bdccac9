// Watchfloor for pi: copy this file to ~/.pi/agent/extensions/.
//
// Every event goes to `watchfloor hook pi EVENT` as JSON on stdin; the answer is JSON on
// stdout. A tool call that may change something and gets no clear answer is refused: a
// broken, late or missing watchfloor stops the agent instead of letting it go on unseen.
//
// Plain JavaScript in a .ts file, without imports from pi: every version of pi loads it.
import { spawn } from "node:child_process";

/** How long one call of watchfloor may take, in milliseconds. */
const DEADLINE_MS = 8000;
/** The longest answer that is read, in UTF-16 units. */
const LONGEST_ANSWER = 1024 * 1024;
/** Tools that only read: they run even when watchfloor gives no clear answer. */
const READING_TOOLS = new Set(["read", "grep", "find", "ls"]);

/** Calls watchfloor; resolves to `{answer}` or `{failure}`, and never throws. */
function ask(name, event, ctx) {
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
      const payload = JSON.stringify({
        hook: "pi",
        cwd: ctx?.cwd,
        session_file: ctx?.sessionManager?.getSessionFile?.(),
        session_id: ctx?.sessionManager?.getSessionId?.(),
        pid: process.pid,
        ...event,
      });
      child = spawn(binary, ["hook", "pi", name], { stdio: ["pipe", "pipe", "ignore"], cwd: ctx?.cwd });
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
      child.stdin.end(payload);
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

export default function (pi) {
  /** What the session was told at its start, until its first run begins. */
  let greeting;
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
      await ask(name, event, ctx);
    });
  }

  pi.on("session_start", async (event, ctx) => {
    const { answer } = await ask("session_start", event, ctx);
    greeting = typeof answer?.tell === "string" && answer.tell !== "" ? answer.tell : undefined;
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
    const { answer } = await ask("agent_before_settle", { type, outcome }, ctx);
    if (answer?.decision !== "block") return undefined;
    const entries = Array.isArray(event?.entries) ? event.entries : [];
    const content = String(answer.reason ?? "Watchfloor: this turn cannot end yet.");
    return {
      entries: [...entries, { type: "custom_message", customType: "watchfloor", content, display: true }],
      continue: true,
    };
  });

  pi.on("tool_call", async (event, ctx) => {
    const { answer, failure } = await ask("tool_call", event, ctx);
    if (failure === undefined) {
      if (answer.decision !== "block") return undefined;
      return { block: true, reason: String(answer.reason ?? "refused by watchfloor, which gave no reason") };
    }
    if (READING_TOOLS.has(event?.toolName)) return undefined;
    return { block: true, reason: `Refused: watchfloor ${failure}, so this call could not be checked. Tell the operator.` };
  });

  pi.on("tool_result", async (event, ctx) => {
    const { answer } = await ask("tool_result", event, ctx);
    if (typeof answer?.tell !== "string" || answer.tell === "") return undefined;
    const content = Array.isArray(event?.content) ? event.content : [];
    const told = { content: [...content, { type: "text", text: answer.tell }] };
    // A replaced content without it would drop it.
    if (event?.structuredContent !== undefined) told.structuredContent = event.structuredContent;
    return told;
  });
}
