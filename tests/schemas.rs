//! `schemas/` holds exactly what the types say. Run with `WATCHFLOOR_WRITE_SCHEMAS=1` to write
//! the files after a contract was added.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use watchfloor::contract::schemas;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schemas")
}

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    let wanted: BTreeMap<String, String> = schemas::all()
        .into_iter()
        .map(|file| (file.name, file.text))
        .collect();
    if std::env::var_os("WATCHFLOOR_WRITE_SCHEMAS").is_some_and(|value| value == "1") {
        fs::create_dir_all(folder()).unwrap();
        for (name, text) in &wanted {
            fs::write(folder().join(name), text).unwrap();
        }
    }
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        found.insert(name, fs::read_to_string(path).unwrap());
    }
    let names: Vec<&String> = found.keys().collect();
    assert_eq!(
        names,
        wanted.keys().collect::<Vec<_>>(),
        "files of schemas/"
    );
    for (name, text) in &wanted {
        assert_eq!(&found[name], text, "{name} is out of date");
    }
}
