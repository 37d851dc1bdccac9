//! What the two agents do: their prompts, the files of A's task, and a script for each model.
//! Neither script holds the fact, and neither names the other agent.

use crate::run::model::{Act, Step, Until};

/// The task that A works on.
pub const TASK: &str = "two-halves";
/// The word by which B looks for entries.
pub const TAG: &str = "acceptance";
/// The first half, which A can do alone.
pub const FIRST: &str = "half-1.txt";
/// The second half, which needs the fact.
pub const SECOND: &str = "half-2.txt";
/// The check by which A looks for the fact.
pub const LOOK_UP: &str = "look-up.sh";
/// The name of the fact.
pub const NAME: &str = "release_word";

/// What A is told.
#[must_use]
pub fn prompt_of_a() -> String {
    "Do the task in TASK.md. If you are stuck, hand off with watchfloor.".to_owned()
}

/// What B is told; what it knows stands on its standard input.
#[must_use]
pub fn prompt_of_b() -> String {
    "Answer what waits in watchfloor from what you know. What you know follows.".to_owned()
}

/// What B knows.
#[must_use]
pub fn known(fact: &str) -> String {
    format!("\n{{\"{NAME}\": \"{fact}\"}}\n")
}

/// The files of A's project.
#[must_use]
pub fn files_of_a() -> [(&'static str, String); 2] {
    let task = format!(
        "Write {FIRST}: one line on what a release is.\n\
         Write {SECOND}: the line `released as WORD`, where WORD is the release word.\n\
         `sh {LOOK_UP}` looks for the release word in this project.\n"
    );
    let look_up = format!(
        "grep -rhs '^{NAME}=' --include='*.txt' . && exit 0\n\
         echo 'error: {NAME} stands in no file of this project' >&2\nexit 1\n"
    );
    [("TASK.md", task), (LOOK_UP, look_up)]
}

/// A: does half 1, finds no word for half 2, asks, waits, uses the answer; asks a second thing
/// that nobody knows, replies once, and lives with no answer.
#[must_use]
pub fn script_of_a() -> Vec<Step> {
    vec![
        Step::shell("cat TASK.md"),
        Step::of(Act::Write {
            path: FIRST.to_owned(),
            text: "A release is what was built, tested and given a word.\n".to_owned(),
        }),
        Step::shell(format!("watchfloor exec -- sh {LOOK_UP}")),
        Step::shell(open(
            "Which word was this release given?",
            "sh look-up.sh: the word stands in no file of this project",
            "the release word, as one word",
        ))
        .keep("first"),
        Step::shell("watchfloor handoff wait {first.id} --timeout 5 --key {turn} --json")
            .until(Until::Is("state".to_owned(), "resolved".to_owned()))
            .keep("answered"),
        Step::of(Act::Write {
            path: SECOND.to_owned(),
            text: "released as {answered.answer}\n".to_owned(),
        }),
        Step::shell(format!(
            "watchfloor handoff use {{first.id}} --evidence {SECOND} --json"
        )),
        Step::shell(open(
            "Who chose the release word?",
            "asked for the word, which came without a name",
            "the name of who chose it",
        ))
        .keep("second"),
        Step::shell("watchfloor handoff wait {second.id} --timeout 5 --key {turn} --json")
            .until(Until::Is("state".to_owned(), "claimed".to_owned())),
        Step::shell(
            "watchfloor handoff reply {second.id} --text 'the word of the release in TASK.md' --json",
        ),
        Step::shell("watchfloor handoff wait {second.id} --timeout 5 --key {turn} --json")
            .until(Until::Is("state".to_owned(), "blocked".to_owned())),
        Step::text("Both halves are done. Nobody knows who chose the word."),
    ]
}

fn open(question: &str, tried: &str, needed: &str) -> String {
    format!(
        "watchfloor handoff open --tag {TAG} --question '{question}' --tried '{tried}' --needed '{needed}' --json"
    )
}

/// B: polls, answers from what it knows; of the second entry it asks back once, and then says that
/// it cannot help.
#[must_use]
pub fn script_of_b() -> Vec<Step> {
    vec![
        poll().keep("one"),
        Step::shell(format!(
            "watchfloor handoff answer {{one.id}} --text {{told.{NAME}}} --json"
        )),
        poll().keep("two"),
        Step::shell(
            "watchfloor handoff ask {two.id} --question 'The word of which release?' --json",
        ),
        Step::shell("watchfloor handoff log {two.id} --key {turn} --json")
            .until(Until::Says("watchfloor.handoff_reply.v1".to_owned())),
        Step::shell(
            "watchfloor handoff block {two.id} --reason 'nobody told me who chose it' --json",
        ),
        Step::text("One entry is answered; about the other one nobody knows."),
    ]
}

/// A claim by polling: the key leaves a record of the verb that brought it, and makes each call
/// another one.
fn poll() -> Step {
    let command = format!("watchfloor handoff next --claim --tag {TAG} --key {{turn}} --json");
    Step::shell(command).until(Until::Has("id".to_owned()))
}
