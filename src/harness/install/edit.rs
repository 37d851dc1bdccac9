//! One file's edit in any form: what is wanted in it, what stands in it, and the texts with and
//! without. Every text that is answered was read again and holds what it should, and nothing less.

use std::ops::Range;

use serde_json::{Value, json};

use super::hand::{Sides, look_whole};
use super::held::{at, has, names, without};
use super::splice::{self, Splice, Undo, line_of};
use super::toml::{self, Table};
use super::tree::{self, Fault, Found, Node, Place, Step};
use super::words::{self, Writer};
use super::{json as jsonc, yaml};

/// How one file is edited.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// JSON, with comments where it has them.
    Json(Entries),
    /// YAML.
    Yaml(Entries),
    /// TOML: tables that are wanted, and the names under which entries of ours may stand.
    Toml {
        /// What is wanted.
        wanted: Vec<Table>,
        /// What goes with an uninstall.
        ours: Vec<Vec<String>>,
    },
    /// A file that is ours as a whole.
    Whole {
        /// The harness that it asks for.
        harness: &'static str,
        /// Its text.
        text: String,
        /// The line that it is known by.
        mark: &'static str,
    },
}

/// Entries in a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries {
    /// The harness that hooks are told apart by.
    pub harness: &'static str,
    /// What is wanted, as a file that holds nothing else.
    pub wanted: Value,
    /// Where entries stand.
    pub ways: &'static [Way],
}

/// Where a kind of entries stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Hooks that call a program, in whatever list at the end of these steps.
    Hooks(&'static [Step]),
    /// The MCP server under its name in this map.
    Server(&'static [Step]),
}

/// What stands in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// How it stands to what is wanted.
    pub standing: Standing,
    /// Hooks that somebody wrote by hand: under which name, in which line.
    pub by_hand: Vec<(String, usize)>,
    /// The line of the MCP server's entry, where somebody wrote it by hand.
    pub server_by_hand: Option<usize>,
    /// Whether another file is there under the name of a whole one, which calls nothing of ours.
    pub foreign: bool,
    /// The entries of ours, in the order of the file.
    pub entries: Vec<Value>,
}

/// How a file stands to what is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// Nothing of ours is in it.
    #[default]
    Absent,
    /// Something of ours is, and not just what is wanted.
    Stale,
    /// What is wanted, once each.
    Current,
}

/// The words that an entry runs, with the program.
#[must_use]
pub fn command(entry: &Value) -> Vec<String> {
    let texts = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    };
    match (entry.get("command"), entry.get("args")) {
        (Some(Value::String(program)), Some(args)) => {
            let mut words = vec![program.clone()];
            words.extend(texts(args));
            words
        }
        (Some(Value::String(line)), None) => words::split(line),
        (Some(list), _) => texts(list),
        (None, _) => Vec::new(),
    }
}

impl Entries {
    fn found(&self, root: &Node, text: &str) -> Result<Vec<Found>, Fault> {
        let mut all = Vec::new();
        for way in self.ways {
            let hook = |entry: &Value| words::written_by(&command(entry), self.harness);
            let server = |entry: &Value| match entry {
                Value::Null => None,
                entry => words::server_by(&command(entry)),
            };
            all.extend(match way {
                Way::Hooks(way) => tree::find(root, text, &Place { way, told: &hook })?,
                Way::Server(way) => tree::find(root, text, &Place { way, told: &server })?,
            });
        }
        Ok(all)
    }

    /// The entries that are wanted, one by one.
    fn each(&self) -> Result<Vec<Found>, Fault> {
        let text = self.wanted.to_string();
        match jsonc::parse(&text)? {
            Some(root) => self.found(&root, &text),
            None => Ok(Vec::new()),
        }
    }

    fn look(&self, root: Option<&Node>, text: &str) -> Result<Seen, Fault> {
        let found = match root {
            Some(root) => self.found(root, text)?,
            None => Vec::new(),
        };
        let (ours, hand): (Vec<Found>, Vec<Found>) = found
            .into_iter()
            .partition(|found| found.writer == Writer::Install);
        // Only a hook that runs twice is one too many.
        let hooks = self.wanted.get("hooks").is_some();
        let by_hand: Vec<(String, usize)> = hand
            .iter()
            .filter(|found| hooks && found.under != words::SERVER)
            .map(|found| (found.under.clone(), line_of(text, found.span.start)))
            .collect();
        let server = hand.iter().find(|found| found.under == words::SERVER);
        let server_by_hand = server.map(|found| line_of(text, found.span.start));
        let mut wanted = self.each()?;
        wanted.retain(|want| !by_hand.iter().any(|(under, _)| *under == want.under));
        wanted.retain(|want| want.under != words::SERVER || server_by_hand.is_none());
        let fits = |want: &Found| {
            let same =
                |have: &&Found| have.under == want.under && tree::says(&have.value, &want.value);
            ours.iter().filter(same).count() == 1
        };
        let standing = if wanted.len() == ours.len() && wanted.iter().all(fits) {
            Standing::Current
        } else if ours.is_empty() {
            Standing::Absent
        } else {
            Standing::Stale
        };
        Ok(Seen {
            standing,
            by_hand,
            server_by_hand,
            entries: ours.into_iter().map(|found| found.value).collect(),
            foreign: false,
        })
    }

    /// What is wanted beside what somebody wrote by hand.
    fn wanted_beside(&self, root: Option<&Node>, text: &str) -> Result<Value, Fault> {
        let mut wanted = self.wanted.clone();
        let seen = self.look(root, text)?;
        if let Some(map) = wanted.as_object_mut() {
            for (name, value) in map.iter_mut() {
                let Some(inner) = value.as_object_mut() else {
                    continue;
                };
                inner.retain(|under, _| match name.as_str() {
                    "hooks" => !seen.by_hand.iter().any(|(hand, _)| hand == under),
                    _ => seen.server_by_hand.is_none(),
                });
            }
            map.retain(|_, value| value.as_object().is_none_or(|inner| !inner.is_empty()));
        }
        Ok(wanted)
    }

    fn gone(&self, root: &Node, text: &str) -> Result<Vec<Range<usize>>, Fault> {
        let found = self.found(root, text)?.into_iter();
        let ours = found.filter(|found| found.writer == Writer::Install);
        let spans: Vec<_> = ours.map(|found| found.span).collect();
        Ok(tree::doomed(root, &spans))
    }
}

type Parse = fn(&str) -> Result<Option<Node>, Fault>;
type Put = fn(&str, &Value) -> Result<Vec<Splice>, Fault>;
type Take = fn(&str, &Node, &[Range<usize>]) -> Vec<Splice>;

impl Edit {
    /// The hooks that are wanted, or the whole file that holds them: what a proof is about.
    #[must_use]
    pub fn hooks(&self) -> Vec<Value> {
        match self {
            Self::Json(entries) | Self::Yaml(entries) => {
                let hooks = Entries {
                    ways: &entries.ways[..1],
                    ..entries.clone()
                };
                let each = hooks.each().unwrap_or_default().into_iter();
                each.map(|found| found.value).collect()
            }
            Self::Toml { .. } => Vec::new(),
            Self::Whole { text, .. } => vec![json!(text)],
        }
    }

    /// What stands in a file.
    ///
    /// # Errors
    /// It cannot be read as what it should be.
    pub fn look(&self, text: &str) -> Result<Seen, Fault> {
        match self {
            Self::Json(entries) => entries.look(jsonc::parse(text)?.as_ref(), text),
            Self::Yaml(entries) => entries.look(yaml::parse(text)?.as_ref(), text),
            Self::Toml { wanted, ours } => look_toml(text, &Sides::of(text, wanted, ours)?),
            Self::Whole {
                harness,
                text: own,
                mark,
            } => Ok(look_whole(text, harness, own, mark)),
        }
    }

    /// The text with what is wanted, and how that is taken back.
    ///
    /// # Errors
    /// It cannot be read, something else stands where an entry belongs, or it is written in a way
    /// that cannot be edited safely.
    pub fn put(&self, text: &str) -> Result<(String, Vec<Undo>), Fault> {
        match self {
            Self::Json(entries) => put_tree(entries, text, jsonc::parse, jsonc::put),
            Self::Yaml(entries) => put_tree(entries, text, yaml::parse, yaml::put),
            Self::Toml { wanted, ours } => {
                let wanted = Sides::of(text, wanted, ours)?.wanted;
                let done = splice::apply(text, toml::put(text, &wanted)?);
                let held = toml::value(&done.0)?;
                let all = wanted.iter().all(|table| has(&held, table));
                let names: Vec<Vec<String>> = wanted.iter().flat_map(names).collect();
                if all && without(held, &names) == without(toml::value(text)?, &names) {
                    Ok(done)
                } else {
                    Err(unsafe_edit())
                }
            }
            Self::Whole { text: own, .. } if text.is_empty() => {
                Ok(splice::apply("", vec![Splice::insert(0, own.clone())]))
            }
            Self::Whole { .. } => Err(Fault::new(1, "another file of this name is there")),
        }
    }

    /// The text without entries of ours, and without what only they had filled.
    ///
    /// # Errors
    /// It cannot be read, or is written in a way that cannot be edited safely.
    pub fn strip(&self, text: &str) -> Result<String, Fault> {
        match self {
            Self::Json(entries) => strip_tree(entries, text, jsonc::parse, jsonc::take),
            Self::Yaml(entries) => strip_tree(entries, text, yaml::parse, yaml::take),
            Self::Toml { wanted, ours } => {
                let ours = Sides::of(text, wanted, ours)?.ours;
                let (after, _) = splice::apply(text, toml::take(text, &ours)?);
                if without(toml::value(&after)?, &[]) == without(toml::value(text)?, &ours) {
                    Ok(after)
                } else {
                    Err(unsafe_edit())
                }
            }
            Self::Whole { text: own, .. } if text == own => Ok(String::new()),
            Self::Whole { .. } => Err(Fault::new(0, "it was edited since it was installed")),
        }
    }
}

fn unsafe_edit() -> Fault {
    Fault::new(
        0,
        "it is written in a way that cannot be edited without touching what is not ours",
    )
}

fn put_tree(
    entries: &Entries,
    text: &str,
    parse: Parse,
    put: Put,
) -> Result<(String, Vec<Undo>), Fault> {
    let root = parse(text)?;
    let wanted = entries.wanted_beside(root.as_ref(), text)?;
    let done = splice::apply(text, put(text, &wanted)?);
    let mut expected = root.map_or_else(|| json!({}), |root| root.value());
    tree::join(&mut expected, &wanted);
    let held = parse(&done.0).ok().flatten().map(|root| root.value());
    if held.is_some_and(|held| held == expected) {
        Ok(done)
    } else {
        Err(unsafe_edit())
    }
}

fn strip_tree(entries: &Entries, text: &str, parse: Parse, take: Take) -> Result<String, Fault> {
    let Some(root) = parse(text)? else {
        return Ok(text.to_owned());
    };
    let gone = entries.gone(&root, text)?;
    let (after, _) = splice::apply(text, take(text, &root, &gone));
    let held = parse(&after)
        .ok()
        .map(|held| held.map_or_else(|| json!({}), |held| held.value()));
    if held.is_some_and(|held| held == root.without(&gone)) {
        Ok(after)
    } else {
        Err(unsafe_edit())
    }
}

fn look_toml(text: &str, sides: &Sides) -> Result<Seen, Fault> {
    let Sides { wanted, ours, hand } = sides;
    let held = toml::value(text)?;
    let entries: Vec<Value> = ours
        .iter()
        .filter_map(|name| at(&held, name))
        .map(|value| serde_json::to_value(value).unwrap_or_default())
        .collect();
    let wanted_all = wanted.iter().all(|table| has(&held, table));
    let standing = if wanted_all && entries.len() == ours.len() {
        Standing::Current
    } else if entries.is_empty() {
        Standing::Absent
    } else {
        Standing::Stale
    };
    Ok(Seen {
        standing,
        server_by_hand: *hand,
        entries,
        ..Seen::default()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::harness::install::{Agent, Call, Level, Memory, Site};

    fn site() -> Site {
        let call = Call::new(std::path::Path::new("/opt/a b/watchfloor"), Vec::new());
        Site {
            home: "/h".into(),
            root: "/p".into(),
            config_home: "/h/.config".into(),
            claude: None,
            codex: None,
            pi: None,
            hermes: None,
            path: None,
            named: Vec::new(),
            call: call.unwrap(),
            mcp: true,
            now: "2026-01-01T00:00:00Z".to_owned(),
            memory: Memory::new("/none".into()),
        }
    }

    fn edit(agent: Agent, level: Level, number: usize) -> Edit {
        agent.targets(&site(), level).remove(number).edit
    }

    /// Values whose names are often those that matter.
    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[ -~é\\\\\"/*#]{0,9}".prop_map(Value::from),
        ];
        let name = prop_oneof![
            Just("hooks".to_owned()),
            Just("mcpServers".to_owned()),
            Just("mcp_servers".to_owned()),
            Just("PreToolUse".to_owned()),
            Just("pre_tool_call".to_owned()),
            Just("Stop".to_owned()),
            "[a-zé]{1,5}",
        ];
        leaf.prop_recursive(5, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((name.clone(), inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn document() -> impl Strategy<Value = Value> {
        prop::collection::vec(("[a-z]{1,4}|hooks|mcpServers|mcp_servers", value()), 0..5)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
    }

    /// A value as JSON in a style of its own.
    fn written(value: &Value, style: u8) -> String {
        let indent: &[u8] = match style % 4 {
            0 => return value.to_string(),
            1 => b"\t",
            2 => b"    ",
            _ => b" ",
        };
        let mut bytes = Vec::new();
        let form = serde_json::ser::PrettyFormatter::with_indent(indent);
        let mut writer = serde_json::Serializer::with_formatter(&mut bytes, form);
        serde::Serialize::serialize(value, &mut writer).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        match style / 4 % 4 {
            0 => text,
            1 => text.replace('\n', "\r\n") + "\r\n",
            2 => text.replace(",\n", ", // , ] }\n") + "\n// end",
            _ => text.replace(",\n", " /* [ */,\n") + "\n\n",
        }
    }

    /// What holds for any text that can be edited at all.
    fn there_and_back(edit: &Edit, text: &str) -> Result<(), TestCaseError> {
        let Ok((after, undo)) = edit.put(text) else {
            return Ok(());
        };
        let seen = edit.look(&after).unwrap();
        prop_assert_eq!(seen.standing, Standing::Current, "{}", after);
        prop_assert_eq!(splice::take_back(&after, &undo).unwrap(), text);
        let left = edit.strip(&after).unwrap();
        prop_assert_eq!(edit.look(&left).unwrap().standing, Standing::Absent);
        // Without memory it can be put in again all the same.
        let again = edit.put(&left).unwrap().0;
        prop_assert_eq!(edit.look(&again).unwrap().standing, Standing::Current);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(192))]

        #[test]
        fn any_json_comes_back(value in document(), style in any::<u8>()) {
            let text = written(&value, style);
            for edit in [
                edit(Agent::Claude, Level::Project, 0),
                edit(Agent::Claude, Level::Project, 1),
                edit(Agent::Gemini, Level::User, 0),
            ] {
                there_and_back(&edit, &text)?;
            }
        }

        #[test]
        fn any_yaml_comes_back(value in document()) {
            // JSON is YAML in flow form; the block form is what an install itself writes.
            let edit = edit(Agent::Hermes, Level::User, 0);
            there_and_back(&edit, &value.to_string())?;
            if let Ok(splices) = yaml::put("", &value) {
                there_and_back(&edit, &splice::apply("", splices).0)?;
            }
        }

        #[test]
        fn any_toml_comes_back(value in document(), tail in "(\n|# [a-z]{0,5}\n|\n\n)?") {
            let Ok(table) = serde_json::from_value::<::toml::Table>(value) else {
                return Ok(());
            };
            let Ok(text) = ::toml::to_string(&table) else {
                return Ok(());
            };
            there_and_back(&edit(Agent::Codex, Level::Project, 1), &format!("{text}{tail}"))?;
        }

        #[test]
        fn no_text_breaks_it(text in "[\\[\\]{}\",:/*# \n\ta-c-]{0,40}") {
            for edit in [
                edit(Agent::Claude, Level::Project, 0),
                edit(Agent::Codex, Level::Project, 1),
                edit(Agent::Hermes, Level::User, 0),
            ] {
                there_and_back(&edit, &text)?;
            }
        }
    }
}
