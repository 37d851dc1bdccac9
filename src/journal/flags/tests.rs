use proptest::prelude::*;

use super::*;
use crate::contract::breaker::Trigger;
use crate::contract::ids::{AgentId, ProjectId, RecordId};
use crate::contract::scope::Scope;

fn session(name: &str) -> Scope {
    Scope::Session {
        agent: AgentId::new(name),
    }
}

fn project(name: &str) -> Scope {
    Scope::Project {
        project: ProjectId::new(name),
    }
}

fn flag(scope: &Scope, breaker: &str) -> Flag {
    Flag::new(scope, Trigger::Git, 7, &RecordId::new(breaker), "why")
}

const B1: &str = "01a22d8a-8084-7604-ad09-75aa9454a189";

struct Here {
    _dir: tempfile::TempDir,
    path: PathBuf,
    file: FlagFile,
}

fn here() -> Here {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.flags");
    let file = FlagFile::create(&path).unwrap();
    Here {
        _dir: dir,
        path,
        file,
    }
}

#[test]
fn flags_are_set_found_and_cleared() {
    let here = here();
    assert_eq!(std::fs::metadata(&here.path).unwrap().len(), SIZE as u64);
    assert!(FlagFile::load(&here.path).unwrap().flags().is_empty());
    let (a, b) = (session("a"), session("b"));
    here.file.set(&[flag(&a, B1), flag(&b, "x")], &[]).unwrap();
    here.file.set(&[flag(&a, B1)], &[]).unwrap();
    let table = FlagFile::load(&here.path).unwrap();
    assert_eq!(table.flags().len(), 2);
    let hits = table.hits(&[Scope::Fleet, a.clone()]);
    assert_eq!(hits, [flag(&a, B1)]);
    assert_eq!(hits[0].breaker_id().as_str(), B1);
    assert_eq!(hits[0].scope(), Some(a));
    assert!(table.hits(&[Scope::Fleet]).is_empty());
    assert_eq!(here.file.clear(B1).unwrap(), 1);
    assert_eq!(here.file.clear("x").unwrap(), 1);
    assert_eq!(here.file.clear("x").unwrap(), 0);
    assert!(FlagFile::load(&here.path).unwrap().flags().is_empty());
}

#[test]
fn long_texts_are_cut_between_characters_and_the_digest_still_hits() {
    let here = here();
    let scope = project(&"ä".repeat(300));
    let long = Flag::new(
        &scope,
        Trigger::Secret,
        1,
        &RecordId::new(B1),
        &"ü€".repeat(60),
    );
    assert!(long.reason.len() <= 80 && long.key.len() <= 96);
    assert_eq!(long.scope(), None);
    here.file.set(std::slice::from_ref(&long), &[]).unwrap();
    let table = FlagFile::load(&here.path).unwrap();
    assert_eq!(table.hits(&[scope]), [long]);
}

#[test]
fn wider_scopes_step_in_when_no_slot_is_free() {
    let here = here();
    let many: Vec<Flag> = (0..PROJECT_SLOTS)
        .map(|n| flag(&session(&n.to_string()), B1))
        .collect();
    assert_eq!(here.file.set(&many, &[]).unwrap().set.len(), many.len());
    let (p, fleet) = (flag(&project("p"), "2"), flag(&Scope::Fleet, "2"));
    let late = flag(&session("late"), "2");
    let wider = [p.clone(), fleet.clone()];
    let outcome = here.file.set(std::slice::from_ref(&late), &wider).unwrap();
    assert_eq!((outcome.set.len(), outcome.fallback), (0, vec![p]));
    let projects: Vec<Flag> = (0..FLEET_SLOTS - PROJECT_SLOTS - 1)
        .map(|n| flag(&project(&n.to_string()), B1))
        .collect();
    here.file.set(&projects, &[]).unwrap();
    let other = [flag(&project("q"), "2"), fleet.clone()];
    let outcome = here.file.set(&[late], &other).unwrap();
    assert_eq!(outcome.fallback, [fleet]);
    let table = FlagFile::load(&here.path).unwrap();
    assert_eq!(table.flags().len(), FLEET_SLOTS + 1);
    for n in 0..15 {
        here.file
            .set(&[flag(&Scope::Fleet, &format!("n{n}"))], &[])
            .unwrap();
    }
    let refusal = here.file.set(&[flag(&Scope::Fleet, "z")], &[]).unwrap_err();
    assert_eq!(refusal.code, Code::FlagsDamaged);
}

#[test]
fn missing_cut_and_zeroed_files_are_damaged() {
    let here = here();
    let none = here.path.with_extension("none");
    assert_eq!(FlagFile::load(&none).unwrap_err().code, Code::FlagsDamaged);
    assert_eq!(FlagFile::open(&none).unwrap_err().code, Code::FlagsDamaged);
    std::fs::write(&here.path, vec![0; SIZE]).unwrap();
    assert!(FlagFile::load(&here.path).is_err());
    assert!(FlagFile::create(&here.path).is_err());
    std::fs::write(&here.path, vec![0; SIZE - 1]).unwrap();
    assert!(FlagFile::load(&here.path).is_err());
    let file = FlagFile::open(&here.path).unwrap();
    assert!(file.set(&[flag(&Scope::Fleet, B1)], &[]).is_err());
    file.repair(&[flag(&Scope::Fleet, B1)]).unwrap();
    assert_eq!(FlagFile::load(&here.path).unwrap().flags().len(), 1);
}

#[test]
fn a_damaged_header_costs_a_full_look_and_no_flag() {
    let here = here();
    here.file.set(&[flag(&Scope::Fleet, B1)], &[]).unwrap();
    let mut bytes = std::fs::read(&here.path).unwrap();
    bytes[15] ^= 1;
    std::fs::write(&here.path, &bytes).unwrap();
    assert_eq!(FlagFile::load(&here.path).unwrap().flags().len(), 1);
    here.file.set(&[flag(&session("s"), B1)], &[]).unwrap();
    let healed = std::fs::read(&here.path).unwrap();
    assert!(Header::parse(&healed[..SLOT]).is_some());
}

#[test]
fn a_stop_is_set_although_another_slot_is_damaged() {
    let here = here();
    here.file.set(&[flag(&session("s"), B1)], &[]).unwrap();
    let mut bytes = std::fs::read(&here.path).unwrap();
    bytes[SLOT + 70] ^= 0x40;
    std::fs::write(&here.path, &bytes).unwrap();
    here.file.set(&[flag(&Scope::Fleet, "2")], &[]).unwrap();
    assert!(FlagFile::load(&here.path).is_err());
    here.file.repair(&[]).unwrap();
    let table = FlagFile::load(&here.path).unwrap();
    assert_eq!(table.flags(), [flag(&Scope::Fleet, "2")]);
}

#[test]
fn a_writer_that_holds_the_file_is_waited_for_and_named() {
    let mut here = here();
    let held = here.file.lock().unwrap();
    here.file.set_patience(Duration::from_millis(10));
    let refusal = here.file.set(&[flag(&Scope::Fleet, B1)], &[]).unwrap_err();
    assert_eq!(refusal.code, Code::StoreBusy);
    // Readers wait for nobody.
    assert!(FlagFile::load(&here.path).is_ok());
    drop(held);
    here.file.set_patience(Duration::from_secs(10));
    assert!(here.file.set(&[flag(&Scope::Fleet, B1)], &[]).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn noise_never_panics_and_never_passes(
        noise in proptest::collection::vec(any::<u8>(), 1..600),
        at in 0..SIZE,
    ) {
        let here = here();
        here.file.set(&[flag(&session("s"), B1), flag(&Scope::Fleet, B1)], &[]).unwrap();
        let clean = std::fs::read(&here.path).unwrap();
        let mut bytes = clean.clone();
        for (place, byte) in bytes[at..].iter_mut().zip(&noise) {
            *place = *byte;
        }
        std::fs::write(&here.path, &bytes).unwrap();
        // Either the noise lies where no flag is, or the file counts as damaged.
        if let Ok(table) = FlagFile::load(&here.path) {
            prop_assert_eq!(table.flags().len(), 2);
        } else {
            prop_assert_ne!(&bytes, &clean);
        }
        here.file.repair(&[]).unwrap();
        prop_assert!(FlagFile::load(&here.path).is_ok());
    }

    #[test]
    fn a_torn_update_keeps_every_flag_or_is_damaged(cut in 0..SLOT, slot_first in any::<bool>()) {
        let here = here();
        here.file.set(&[flag(&session("old"), B1)], &[]).unwrap();
        let before = std::fs::read(&here.path).unwrap();
        here.file.set(&[flag(&Scope::Fleet, "2")], &[]).unwrap();
        let after = std::fs::read(&here.path).unwrap();
        // The process died in the middle of the header, or in the middle of the slot behind it.
        let end = if slot_first { 2 * SLOT + cut } else { cut };
        let torn = [&after[..end], &before[end..]].concat();
        std::fs::write(&here.path, torn).unwrap();
        if let Ok(table) = FlagFile::load(&here.path) {
            prop_assert_eq!(table.hits(&[session("old")]).len(), 1);
        }
    }
}
