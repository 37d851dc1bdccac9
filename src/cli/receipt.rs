//! `receipt validate | resolve | graph | ingest | watch | show | list`, `schema list | show`.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::contract::catalog::Catalog;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::schemas;
use crate::ops::codes;
use crate::ops::receipt::{self as receipts, Ingested, Validated};
use crate::ops::store::{self, Store};

use super::args::{Global, ReceiptVerb, SchemaVerb};
use super::context;
use super::input::input;
use super::out::{Out, Reply};
use super::table::{plain, table};
use super::{receipt_graph, receipt_watch};

/// Runs one verb. Only `validate` needs no store.
pub fn run(global: &Global, verb: ReceiptVerb, out: &Out) -> Result<Reply, Refusal> {
    match verb {
        ReceiptVerb::Validate { file, catalog } => validate(global, &file, catalog.as_deref()),
        ReceiptVerb::Resolve { target, catalog } => resolve(global, &target, catalog.as_deref()),
        ReceiptVerb::Ingest { source, catalog } => ingest(global, &source, catalog.as_deref()),
        ReceiptVerb::Graph { id, catalog } => {
            receipt_graph::run(&context::of(global)?, &id, catalog.as_deref())
        }
        ReceiptVerb::Watch {
            folder,
            seconds,
            catalog: path,
        } => {
            let context = context::of(global)?;
            let catalog = judging(path.as_deref(), &mut store::open_readonly(&context)?)?;
            receipt_watch::run(&context, &folder, &catalog, seconds, out)
        }
        ReceiptVerb::Show {
            id,
            signed,
            signature,
            raw,
        } => {
            let mut journal = store::open_readonly(&context::of(global)?)?;
            if raw {
                return Ok(Reply::plain(String::from_utf8_lossy(&receipts::bytes_of(
                    &id,
                    &mut journal,
                )?)));
            }
            if signed || signature {
                let (bytes, armour) = receipts::signed(&receipts::record(&id, &mut journal)?)?;
                // The signed bytes to the byte: a line end more would be another message.
                if signed {
                    drop(std::io::Write::write_all(
                        &mut std::io::stdout().lock(),
                        &bytes,
                    ));
                    return Ok(Reply::written());
                }
                return Ok(Reply::plain(armour));
            }
            let shown = receipts::show(&id, &mut journal)?;
            let human = serde_json::to_string_pretty(&shown).unwrap_or_default();
            Reply::of(&shown, human)
        }
        ReceiptVerb::List { range } => {
            let mut journal = store::open_readonly(&context::of(global)?)?;
            let list = receipts::list(range.since, range.limit, &mut journal)?;
            let rows: Vec<Vec<String>> = list
                .receipts
                .iter()
                .map(|r| {
                    vec![
                        r.seq.to_string(),
                        r.handle.clone(),
                        r.payload_schema.clone(),
                        r.producer.clone(),
                        r.at.clone(),
                        r.id.clone(),
                    ]
                })
                .collect();
            Reply::of(
                &list,
                table(
                    &["seq", "receipt", "payload", "producer", "at", "id"],
                    &rows,
                ),
            )
        }
    }
}

/// A catalogue that was named, else what the receipts of the store say.
pub(super) fn judging(path: Option<&Path>, journal: &mut Store) -> Result<Catalog, Refusal> {
    match path {
        None => codes::by_receipts(journal),
        Some(path) => read_catalog(path),
    }
}

fn read_catalog(path: &Path) -> Result<Catalog, Refusal> {
    match Catalog::parse(&input(&path.to_string_lossy())?) {
        Ok(loaded) => Ok(loaded.catalog),
        Err(faults) => {
            let mut refusal =
                Refusal::of_faults("the catalogue", faults, format!("edit {}", path.display()));
            refusal.code = Code::CatalogInvalid;
            Err(refusal)
        }
    }
}

fn validate(global: &Global, file: &str, path: Option<&Path>) -> Result<Reply, Refusal> {
    let catalog = match path {
        None => codes::by_file(&context::of(global)?)?,
        Some(path) => read_catalog(path)?,
    };
    let validated = receipts::validate(&input(file)?, &catalog);
    let human = faults(&validated);
    let exit = u8::from(!validated.valid);
    Ok(Reply::of(&validated, human)?.exit(exit))
}

fn faults(validated: &Validated) -> String {
    if validated.valid {
        return "valid".to_owned();
    }
    let rows: Vec<Vec<String>> = validated
        .faults
        .iter()
        .map(|fault| {
            vec![
                fault.code.clone(),
                fault.path.clone(),
                fault.message.clone(),
            ]
        })
        .collect();
    format!("not valid\n{}", table(&["fault", "at", "what"], &rows))
}

fn resolve(global: &Global, target: &str, path: Option<&Path>) -> Result<Reply, Refusal> {
    let mut journal = store::open_readonly(&context::of(global)?)?;
    let bytes = if target == "-" || Path::new(target).is_file() {
        input(target)?
    } else {
        receipts::bytes_of(target, &mut journal)?
    };
    let resolution = receipts::resolve(&bytes, &judging(path, &mut journal)?, &mut journal)?;
    let human = if resolution.trusted {
        format!("trusted: {} parents resolve", resolution.refs.len())
    } else {
        format!(
            "not trusted: {}",
            resolution
                .failed_checks
                .iter()
                .map(|check| check.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        )
    };
    let exit = u8::from(!resolution.trusted);
    Ok(Reply::of(&resolution, human)?.exit(exit))
}

#[derive(Serialize)]
struct Taken {
    ingested: Vec<Ingested>,
    more: bool,
}

fn ingest(global: &Global, source: &str, path: Option<&Path>) -> Result<Reply, Refusal> {
    let context = context::of(global)?;
    let mut journal = store::open(&context)?;
    let catalog = judging(path, &mut journal)?;
    let flags = store::flags(&context);
    let mut ingested = Vec::new();
    for (name, bytes) in sources(source)? {
        ingested.push(receipts::ingest(
            &context,
            &name,
            &bytes,
            &catalog,
            &mut journal,
            &flags,
        )?);
    }
    let bad = ingested
        .iter()
        .any(|one| matches!(one.outcome.as_str(), "invalid" | "refused" | "conflict"));
    let rows: Vec<Vec<String>> = ingested
        .iter()
        .map(|one| {
            vec![
                one.outcome.clone(),
                one.receipt_id.clone().unwrap_or_default(),
                one.source.clone(),
                one.why(),
            ]
        })
        .collect();
    let human = table(&["outcome", "receipt", "source", "why"], &rows);
    // One refused text is told as a refusal is.
    if let [
        Ingested {
            refused: Some(refused),
            ..
        },
    ] = ingested.as_slice()
        && let Some(code) = Code::ALL.iter().find(|code| code.as_str() == refused.code)
    {
        return Err(Refusal::new(
            *code,
            refused.cause.clone(),
            refused.next_command.clone(),
        ));
    }
    Ok(Reply::of(
        &Taken {
            ingested,
            more: false,
        },
        human,
    )?
    .exit(u8::from(bad)))
}

/// A file, standard input, or every `*.json` file of a folder in the order of names.
fn sources(source: &str) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
    let path = Path::new(source);
    if source == "-" || !path.is_dir() {
        return Ok(vec![(source.to_owned(), input(source)?)]);
    }
    let unreadable = |error: std::io::Error| {
        Refusal::new(
            Code::FileUnreadable,
            format!("{source} cannot be read: {error}"),
            format!("ls -l {source}"),
        )
    };
    let entries = std::fs::read_dir(path).map_err(unreadable)?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json") && file.is_file());
    files.sort();
    let mut read = Vec::new();
    for file in files {
        let name = file.to_string_lossy().into_owned();
        let bytes = input(&name)?;
        read.push((name, bytes));
    }
    Ok(read)
}

#[derive(Serialize)]
struct Schemas {
    schemas: Vec<String>,
    more: bool,
}

/// `schema list | show`.
pub fn schema(verb: &SchemaVerb) -> Result<Reply, Refusal> {
    let all = schemas::all();
    match verb {
        SchemaVerb::List => {
            let names: Vec<String> = all
                .iter()
                .map(|schema| schema.name.trim_end_matches(".json").to_owned())
                .collect();
            let human = names.join("\n");
            Reply::of(
                &Schemas {
                    schemas: names,
                    more: false,
                },
                human,
            )
        }
        SchemaVerb::Show { name } => {
            let wanted = format!("{}.json", name.trim_end_matches(".json"));
            let found = all.into_iter().find(|schema| schema.name == wanted);
            let schema = found.ok_or_else(|| {
                Refusal::new(
                    Code::NotFound,
                    format!("there is no schema {}", plain(name)),
                    "watchfloor schema list",
                )
            })?;
            Ok(Reply::plain(schema.text))
        }
    }
}
