//! An entry as somebody submits it: English or German names, every fault at once (spec 4.1).

use super::{LONGEST_TEXT, Wants};
use crate::contract::fault::Fault;
use crate::contract::ids::{AgentId, MissionId, ProjectId, TaskId};
use crate::contract::json::{Doc, Fields, is_blank};

/// One entry as it is submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoffInput {
    /// The project.
    pub project: ProjectId,
    /// What is asked.
    pub question: String,
    /// What the asker tried already.
    pub tried: String,
    /// What the answer must hold.
    pub needed: String,
    /// What is wanted.
    pub wants: Wants,
    /// Words to filter by.
    pub tags: Vec<String>,
    /// Who asks.
    pub asker: Option<AgentId>,
    /// The task that it came up in.
    pub task: Option<TaskId>,
    /// The mission that it came up in.
    pub mission: Option<MissionId>,
}

/// What the call itself says; it stands for what the object leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputDefaults {
    /// The project.
    pub project: Option<ProjectId>,
    /// What is asked.
    pub question: Option<String>,
    /// What was tried.
    pub tried: Option<String>,
    /// What is needed.
    pub needed: Option<String>,
    /// What is wanted.
    pub wants: Option<Wants>,
    /// Words to filter by.
    pub tags: Vec<String>,
    /// Who asks.
    pub asker: Option<AgentId>,
    /// The task.
    pub task: Option<TaskId>,
    /// The mission.
    pub mission: Option<MissionId>,
}

impl HandoffInput {
    /// Reads one JSON object. `projekt`, `frage`, `versucht` and `benoetigt` are taken for
    /// `project`, `question`, `tried` and `needed`.
    ///
    /// # Errors
    /// All faults together; each required name that is missing or blank is one.
    pub fn parse(bytes: &[u8], defaults: InputDefaults) -> Result<Self, Vec<Fault>> {
        let doc = Doc::parse(bytes)?;
        let mut fields = Fields::open(&doc, "")?;
        let project = defaults.project.map(|id| id.to_string());
        let project = told(&mut fields, "project", "projekt", project);
        let question = told(&mut fields, "question", "frage", defaults.question);
        let tried = told(&mut fields, "tried", "versucht", defaults.tried);
        let needed = told(&mut fields, "needed", "benoetigt", defaults.needed);
        let asker = fields.optional_text("asker").map(AgentId::new);
        let task = fields.optional_text("task_id").map(TaskId::new);
        let mission = fields.optional_text("mission_id").map(MissionId::new);
        let mut tags = defaults.tags;
        if tags.iter().any(|tag| is_blank(tag)) {
            fields.fault("string_too_short", "tags", "must not be blank");
        }
        tags.extend(fields.texts("tags"));
        check_tags(&mut fields, &tags);
        let wants = fields.optional_word("wants", Wants::ALL, Wants::as_str);
        let faults = fields.close();
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self {
            project: ProjectId::new(project),
            question,
            tried,
            needed,
            wants: wants.or(defaults.wants).unwrap_or(Wants::Answer),
            tags,
            asker: asker.or(defaults.asker),
            task: task.or(defaults.task),
            mission: mission.or(defaults.mission),
        })
    }

    /// Takes what the call itself says, without an object.
    ///
    /// # Errors
    /// As [`HandoffInput::parse`].
    pub fn of_call(defaults: InputDefaults) -> Result<Self, Vec<Fault>> {
        Self::parse(b"{}", defaults)
    }
}

/// A required text under either name, or what the call says.
fn told(
    fields: &mut Fields<'_>,
    name: &'static str,
    german: &'static str,
    call: Option<String>,
) -> String {
    let there = fields.given(name).is_some() || fields.given(german).is_some();
    let english = fields.any_text(name);
    let other = fields.any_text(german);
    if english.is_some() && other.is_some() {
        let message = format!("stands there twice, as {name} and as {german}");
        fields.fault("duplicate_key", german, &message);
    }
    let call = call.filter(|_| !there);
    let Some(text) = english.or(other).or(call) else {
        if !there {
            fields.fault("missing", name, "is required");
        }
        return String::new();
    };
    if is_blank(&text) {
        fields.fault("string_too_short", name, "must not be blank");
    }
    if text.chars().count() > LONGEST_TEXT {
        let message = format!("must have at most {LONGEST_TEXT} characters");
        fields.fault("string_too_long", name, &message);
    }
    text
}

/// A tag is one short word or two.
fn check_tags(fields: &mut Fields<'_>, tags: &[String]) {
    const LONGEST: usize = 100;
    const MOST: usize = 50;
    if tags.len() > MOST {
        fields.fault("too_long", "tags", "must be at most 50");
    }
    if tags.iter().any(|tag| tag.chars().count() > LONGEST) {
        let message = "each must have at most 100 characters";
        fields.fault("string_too_long", "tags", message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults() -> InputDefaults {
        InputDefaults {
            project: Some(ProjectId::new("api")),
            asker: Some(AgentId::new("a")),
            ..InputDefaults::default()
        }
    }

    fn read(text: &str) -> Result<HandoffInput, Vec<String>> {
        HandoffInput::parse(text.as_bytes(), defaults()).map_err(|faults| {
            let shown = |f: &Fault| format!("{} {}", f.code, f.path);
            faults.iter().map(shown).collect()
        })
    }

    #[test]
    fn german_names_are_taken_and_the_call_fills_the_gaps() {
        let german = read(r#"{"projekt":"web","frage":"q","versucht":"t","benoetigt":"n"}"#);
        let input = german.unwrap();
        assert_eq!(input.project.as_str(), "web");
        assert_eq!(
            (&*input.question, &*input.tried, &*input.needed),
            ("q", "t", "n")
        );
        assert_eq!(
            (input.wants, input.asker),
            (Wants::Answer, Some(AgentId::new("a")))
        );
        let mixed = read(
            r#"{"question":"q","tried":"t","benoetigt":"n","wants":"action","tags":["db"],
                "asker":"b","task_id":"T","mission_id":"M"}"#,
        );
        let input = mixed.unwrap();
        assert_eq!(input.project.as_str(), "api");
        assert_eq!(
            (input.wants, input.tags),
            (Wants::Action, vec!["db".to_owned()])
        );
        assert_eq!(input.asker, Some(AgentId::new("b")));
    }

    #[test]
    fn everything_that_is_missing_is_told_at_once() {
        assert_eq!(
            read("{}"),
            Err(vec![
                "missing question".into(),
                "missing tried".into(),
                "missing needed".into()
            ])
        );
        assert_eq!(
            read(
                r#"{"project":" ","question":"q","frage":"r","tried":"\n","needed":1,
                    "wants":"money","tags":[""],"urgent":true}"#
            ),
            Err(vec![
                "string_too_short project".into(),
                "duplicate_key frage".into(),
                "string_too_short tried".into(),
                "type needed".into(),
                "string_too_short tags.0".into(),
                "literal_error wants".into(),
                "extra_forbidden urgent".into()
            ])
        );
        let long = format!(
            r#"{{"question":"q","tried":"t","needed":"{}"}}"#,
            "é".repeat(LONGEST_TEXT + 1)
        );
        assert_eq!(read(&long), Err(vec!["string_too_long needed".into()]));
    }
}
