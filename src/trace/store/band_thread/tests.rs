//! Written beside is written the same, and what goes wrong there is told.

use std::path::Path;

use super::*;
use crate::model::{ContainerId, ContainerRow, CopiedNames, OwnedExtras, TypeId, TypeKind, TypeRow, ValueRow, World};
use crate::store::band::{BandRow, BandRows};
use crate::store::band_summary::SummaryOptions;
use crate::time::Resolution;

const TABLES: [StoredTable; 2] = [StoredTable::States, StoredTable::Events];

fn files(folder: &Path) -> TableFiles {
    let options = SummaryOptions { rows_per_band: 64, resolution: Resolution::default() };
    TableFiles {
        names: WorldNames::default(),
        tables: TABLES.map(|table| TableWriter::new(folder, table, options)).into(),
    }
}

/// A world that has more names with every step.
fn grow(world: &mut World, step: u32) {
    let mut intern = |text: String| world.names.intern(&text);
    let (container, type_, value) =
        (intern(format!("container {step}")), intern(format!("type {step}")), intern(format!("value {step}")));
    let (parent, kind) = (ContainerId::ROOT, TypeKind::State);
    let extras = || OwnedExtras::NONE;
    let container =
        ContainerRow { name: container, alias: None, type_: TypeId(0), parent, start: 0, end: None, extras: extras() };
    world.containers.push(container);
    let row = TypeRow {
        kind,
        name: type_,
        alias: None,
        parent: None,
        source: None,
        target: None,
        color: None,
        extras: extras(),
    };
    world.types.push(row);
    world.values.push(ValueRow { type_: TypeId(0), name: value, alias: None, color: None, extras: extras() });
}

/// Rows that name what came last.
fn band(step: u32) -> TableBand {
    let table = TABLES[step as usize % TABLES.len()];
    let row = |row: u32| {
        let start = i64::from(step * 1000 + row);
        let end = if table == StoredTable::Events { start } else { start + i64::from(row % 7) };
        BandRow { codes: [step, step, row % (step + 1), 0], ticks: [start, end] }
    };
    TableBand { table, rows: BandRows { rows: (0..300).map(row).collect(), ..BandRows::default() }, extras: vec![] }
}

/// What the manifest says of files: their checksums too.
fn entries(files: TableFiles) -> String {
    let names = files.names;
    let finished = files.tables.into_iter().map(|table| table.finish(&names, vec![]).expect("a table"));
    format!("{:?}", finished.collect::<Vec<_>>())
}

#[test]
fn what_is_written_beside_is_the_same() {
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let mut here = files(folders[0].path());
    let mut beside = BandWriting::new(files(folders[1].path()));
    let (mut world, mut copied) = (World::default(), CopiedNames::default());
    let mut emptied = 0;
    for step in 0..50 {
        grow(&mut world, step);
        let mut copied_here = copied;
        let new_names = WorldNames::since(&mut copied_here, &world);
        here.write(&mut NamedBand { new_names, band: band(step) }).expect("a row group");
        let back = beside.write(WorldNames::since(&mut copied, &world), band(step)).expect("a row group");
        emptied += usize::from(back.is_some());
    }
    assert!(matches!(beside, BandWriting::Beside(_)) || !processors::are_many());
    assert!(emptied > 0, "memory comes back");
    let beside = beside.take().expect("the files");
    let here = entries(here);
    assert!(here.contains("rows: 7500"), "{here}");
    assert_eq!(here, entries(beside));
}

#[test]
fn an_error_of_the_thread_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writing = BandWriting::new(files(&folder.path().join("is not there")));
    let mut world = World::default();
    let mut copied = CopiedNames::default();
    let mut failed = None;
    for step in 0..50 {
        grow(&mut world, step);
        // The first band has no rows: nothing is created, so that the thread is the first to fail.
        let mut band = band(step);
        if step == 0 {
            band.rows.clear();
        }
        if let Err(error) = writing.write(WorldNames::since(&mut copied, &world), band) {
            failed = Some(error);
            break;
        }
    }
    let error = failed.expect("no band can be written").to_string();
    assert!(error.contains("is not there") && error.contains("create"), "{error}");
    assert!(writing.take().is_err(), "nothing is left to take");
}

#[test]
fn nobody_goes_on_before_large_bands_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writing = BandWriting::new(files(folder.path()));
    let (mut world, mut copied) = (World::default(), CopiedNames::default());
    for step in 0..6 {
        grow(&mut world, step);
        let mut band = band(step);
        // Text that no table of these writes.
        band.rows.keys = vec![b'k'; 9 << 20];
        let back = writing.write(WorldNames::since(&mut copied, &world), band).expect("a row group");
        assert!(back.is_some_and(|back| back.rows.is_large()), "it is written");
        if let BandWriting::Beside(thread) = &writing {
            assert_eq!(thread.under_way, 0);
        }
    }
}

#[test]
fn what_is_abandoned_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writing = BandWriting::new(files(folder.path()));
    let (mut world, mut copied) = (World::default(), CopiedNames::default());
    for step in 0..4 {
        grow(&mut world, step);
        writing.write(WorldNames::since(&mut copied, &world), band(step)).expect("a row group");
    }
    writing.abandon();
    assert!(matches!(writing, BandWriting::Over));
    writing.abandon();
    assert!(writing.take().is_err());
}
