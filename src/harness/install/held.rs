//! What a TOML file holds, as values.

use super::toml::Table;

/// The names of a table's keys, each on its own, or of the table where nothing but them is in it.
pub(super) fn names(table: &Table) -> Vec<Vec<String>> {
    let keys = table.keys.iter().map(|(key, _)| {
        let mut name = table.path.clone();
        name.push(key.clone());
        name
    });
    keys.collect()
}

/// Whether all of a table's keys are held as they are wanted.
pub(super) fn has(held: &toml::Table, table: &Table) -> bool {
    table
        .keys
        .iter()
        .zip(names(table))
        .all(|((_, wanted), name)| {
            let wanted = format!("x = {wanted}").parse::<toml::Table>();
            wanted.is_ok_and(|wanted| at(held, &name) == wanted.get("x"))
        })
}

/// What is held but for some names, and for what would be left empty of them.
pub(super) fn without(mut table: toml::Table, names: &[Vec<String>]) -> toml::Table {
    for name in names {
        let Some((last, way)) = name.split_last() else {
            continue;
        };
        let mut here = Some(&mut table);
        for part in way {
            here = here.and_then(|table| table.get_mut(part)?.as_table_mut());
        }
        if let Some(table) = here {
            table.remove(last);
        }
    }
    pruned(table)
}

/// A table without what is empty in it: a table that was only a way to others may go with them.
#[must_use]
pub(super) fn pruned(mut table: toml::Table) -> toml::Table {
    let empty: Vec<String> = table
        .iter_mut()
        .filter_map(|(key, value)| {
            let inner = value.as_table_mut()?;
            *inner = pruned(std::mem::take(inner));
            inner.is_empty().then(|| key.clone())
        })
        .collect();
    for key in empty {
        table.remove(&key);
    }
    table
}

/// What a file holds under a name.
#[must_use]
pub(super) fn at<'a>(root: &'a toml::Table, path: &[String]) -> Option<&'a toml::Value> {
    let (last, way) = path.split_last()?;
    let mut here = root;
    for part in way {
        here = here.get(part)?.as_table()?;
    }
    here.get(last)
}
