//! Two prompts: how to ask well, and how to help well.

use rmcp::model::{GetPromptResult, Prompt, PromptMessage, Role};

struct Template {
    name: &'static str,
    about: &'static str,
    text: &'static str,
}

const PROMPTS: [Template; 2] = [
    Template {
        name: "ask_for_help",
        about: "Hand a question to another agent, and go on with its answer",
        text: "You are stuck on something that you cannot find out yourself. Hand it over:\n\
1. Call handoff_open. question: one thing, answerable without your context. tried: what you did and how \
each try failed, so that nobody repeats it. needed: what the answer must hold for you to go on.\n\
2. Go on with what does not need the answer; then call handoff_wait. When it runs out, call it again.\n\
3. If the holder asks back, answer with handoff_reply. There is one such question, so say everything.\n\
4. Do with the answer what you asked it for, then call handoff_use with the files that show it.\n\
A blocked entry means that nobody can help: choose another way, and do not ask the same again.",
    },
    Template {
        name: "help_others",
        about: "Take what other agents are stuck on, and answer it",
        text: "Other agents wait for answers. Help one at a time:\n\
1. Call handoff_next with claim. You hold the entry for 10 minutes.\n\
2. Read tried and ledger first, and do not walk those ways again. Look the answer up; do not act in the \
asker's place.\n\
3. Only if the question cannot be answered as it stands, call handoff_ask, once, then handoff_show for \
the reply.\n\
4. Call handoff_answer with exactly what needed asks for, and where it is from.\n\
If you cannot help, call handoff_release for another agent to try, or handoff_block when nobody can. What \
costs money, goes out to others, cannot be undone, needs credentials or changes priorities is a person's: \
call handoff_escalate.",
    },
];

/// The prompts as clients list them.
pub(super) fn all() -> Vec<Prompt> {
    let prompts = PROMPTS.iter();
    prompts
        .map(|prompt| Prompt::new(prompt.name, Some(prompt.about), None))
        .collect()
}

/// One of them.
pub(super) fn get(name: &str) -> Option<GetPromptResult> {
    let prompt = PROMPTS.iter().find(|prompt| prompt.name == name)?;
    let message = PromptMessage::new_text(Role::User, prompt.text);
    Some(GetPromptResult::new(vec![message]).with_description(prompt.about))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tools;

    #[test]
    fn prompts_name_tools_that_exist() {
        for prompt in &PROMPTS {
            let words = prompt
                .text
                .split(|c: char| !c.is_ascii_lowercase() && c != '_');
            for word in words.filter(|word| word.starts_with("handoff_")) {
                assert!(tools::find(word).is_some(), "{word}");
            }
            assert!(get(prompt.name).is_some());
        }
        assert!(get("nothing").is_none());
    }
}
