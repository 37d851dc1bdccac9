// How Watchfloor is asked inside an agent's program. This text stands before assets/pi/watchfloor.ts
// or assets/opencode/watchfloor.js in one file, which needs nothing else.
//
// Every event goes to `watchfloor hook HARNESS EVENT` as JSON on stdin; the answer is JSON on
// stdout. A tool call that may change something and gets no clear answer is refused: a
// broken, late or missing watchfloor stops the agent instead of letting it go on unseen.
import { spawn } from "node:child_process";

/** How long one call of watchfloor may take, in milliseconds. */
const DEADLINE_MS = 8000;
/** The longest answer that is read, in UTF-16 units. */
const LONGEST_ANSWER = 1024 * 1024;

/** Calls watchfloor with what `describe` makes, in its `cwd`; resolves to `{answer}` or `{failure}`, and never throws. */
function ask(harness, event, describe) {
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
      const payload = describe();
      const text = JSON.stringify(payload);
      child = spawn(binary, ["hook", harness, event], { stdio: ["pipe", "pipe", "ignore"], cwd: payload.cwd });
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

/** Why a tool call may not run; undefined where it may. One that only reads needs no clear answer. */
function refusal({ answer, failure }, onlyReads) {
  if (failure === undefined) {
    if (answer.decision !== "block") return undefined;
    return String(answer.reason ?? "Refused: watchfloor gave no reason");
  }
  if (onlyReads) return undefined;
  return `Refused: watchfloor ${failure}, so this call could not be checked. Tell the operator.`;
}

/** Why a turn may not end; undefined where it may, and where there is no clear answer. */
function unfinished({ answer }) {
  if (answer?.decision !== "block") return undefined;
  return String(answer.reason ?? "Watchfloor: this turn cannot end yet.");
}

/** What the model is told; undefined where it is nothing. */
function told({ answer }) {
  return typeof answer?.tell === "string" && answer.tell !== "" ? answer.tell : undefined;
}

