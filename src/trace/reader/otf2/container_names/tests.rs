//! Tests of `container_names`.

use super::super::definitions::{GroupDefinition, Location, LocationGroup, SystemTreeNode};
use super::*;

/// Processes on a node each: the name of the process and those of its locations, with their kinds. The first location
/// of each has the next rank.
fn archive(processes: &[(&str, &[(&str, u8)])], paradigm: Option<u8>) -> ArchiveDefinitions {
    let mut definitions = ArchiveDefinitions::default();
    let mut next = 0;
    let mut string = |definitions: &mut ArchiveDefinitions, text: &str| {
        next += 1;
        definitions.strings.insert(next, text.to_string());
        next
    };
    let mut members = vec![];
    for (place, (process, locations)) in processes.iter().enumerate() {
        let id = place as u32;
        let (name, class) = (string(&mut definitions, &format!("n{id}")), string(&mut definitions, "node"));
        definitions.nodes.insert(id, SystemTreeNode { name, class, parent: UNDEFINED });
        let name = string(&mut definitions, process);
        definitions.location_groups.insert(id, LocationGroup { name, kind: 1, node: id, creator: None });
        for (thread, (location, kind)) in locations.iter().enumerate() {
            let name = string(&mut definitions, location);
            // Score-P numbers locations so: the process in the lower half.
            let number = (thread as u64) << 32 | u64::from(id);
            definitions.locations.insert(number, Location { name, kind: *kind, events: 0, group: id });
        }
        members.push(u64::from(id));
    }
    if let Some(paradigm) = paradigm {
        definitions.groups.insert(0, GroupDefinition { kind: GroupKind::CommLocations, paradigm, members });
    }
    definitions
}

fn shown(definitions: &ArchiveDefinitions) -> (Vec<String>, Vec<String>) {
    let names = ArchiveNames::of(definitions);
    let groups = definitions.location_groups.keys().map(|id| names.group(*id).0).collect();
    let mut by_process: Vec<u64> = definitions.locations.keys().copied().collect();
    by_process.sort_by_key(|id| (*id as u32, *id));
    (groups, by_process.into_iter().map(|id| names.location(id).0).collect())
}

const MASTER: (&str, u8) = ("Master thread", 1);

#[test]
fn the_only_thread_of_a_rank_is_the_rank() {
    let definitions = archive(&[("MPI Rank 0", &[MASTER]), ("MPI Rank 1", &[MASTER])], Some(MPI));
    let (groups, locations) = shown(&definitions);
    assert_eq!(groups, ["MPI Rank 0", "MPI Rank 1"]);
    assert_eq!(locations, ["rank 0", "rank 1"]);
    assert_eq!(ArchiveNames::of(&definitions).location(1), ("rank 1".to_string(), "Master thread".to_string()));
}

#[test]
fn threads_and_streams_of_a_rank_follow_it() {
    let threads: &[(&str, u8)] = &[MASTER, ("OMP thread 1", 1), ("CUDA[0:7]", STREAM)];
    let definitions = archive(&[("MPI Rank 0", threads), ("MPI Rank 1", &[MASTER, ("CUDA[0:7]", STREAM)])], Some(MPI));
    let expected = ["rank 0 thread 0", "rank 0 thread 1", "rank 0 CUDA[0:7]", "rank 1", "rank 1 CUDA[0:7]"];
    assert_eq!(shown(&definitions).1, expected);
}

#[test]
fn threads_of_two_kinds_are_not_confused() {
    let threads: &[(&str, u8)] = &[MASTER, ("OMP thread 1", 1), ("Pthread thread 1", 1)];
    let definitions = archive(&[("a", threads), ("b", &[MASTER])], Some(MPI));
    let expected = ["rank 0 thread 0", "rank 0 OMP thread 1", "rank 0 Pthread thread 1", "rank 1"];
    assert_eq!(shown(&definitions).1, expected);
}

#[test]
fn names_that_do_not_repeat_stay() {
    let definitions = archive(&[("MPI Rank 0", &[MASTER, ("OMP thread 1", 1)])], Some(MPI));
    assert_eq!(shown(&definitions).1, ["Master thread", "OMP thread 1"]);
}

#[test]
fn threads_of_one_name_in_one_process_are_numbered() {
    let definitions = archive(&[("MPI Rank 0", &[MASTER, ("worker", 1), ("worker", 1)])], Some(MPI));
    assert_eq!(shown(&definitions).1, ["Master thread", "worker", "worker #2"]);
}

#[test]
fn without_ranks_the_process_comes_first() {
    let definitions = archive(&[("a.out", &[MASTER]), ("a.out", &[MASTER])], None);
    let (groups, locations) = shown(&definitions);
    assert_eq!(groups, ["n0 a.out", "n1 a.out"]);
    assert_eq!(locations, ["n0 a.out Master thread", "n1 a.out Master thread"]);
}

#[test]
fn processes_of_one_name_are_called_by_their_rank() {
    let definitions = archive(&[("a.out", &[MASTER]), ("a.out", &[MASTER])], Some(MPI));
    let (groups, locations) = shown(&definitions);
    assert_eq!(groups, ["rank 0 a.out", "rank 1 a.out"]);
    assert_eq!(locations, ["rank 0", "rank 1"]);
}

#[test]
fn a_process_does_not_share_the_name_of_its_thread() {
    let definitions = archive(&[("rank 0", &[MASTER]), ("rank 1", &[MASTER, ("worker", 1), ("worker", 1)])], Some(MPI));
    let (groups, locations) = shown(&definitions);
    assert_eq!(groups, ["rank 0 process", "rank 1 process"]);
    assert_eq!(locations, ["rank 0", "rank 1 thread 0", "rank 1 worker", "rank 1 worker #2"]);
}

#[test]
fn an_accelerator_has_the_rank_of_the_process_that_made_it() {
    let mut definitions = archive(
        &[
            ("MPI Rank 0", &[MASTER]),
            ("MPI Rank 1", &[MASTER]),
            ("GPU", &[("stream 7", STREAM)]),
            ("GPU", &[("stream 7", STREAM)]),
        ],
        None,
    );
    let members = vec![0, 1];
    definitions.groups.insert(0, GroupDefinition { kind: GroupKind::CommLocations, paradigm: MPI, members });
    for (group, creator) in [(2, 1), (3, 0)] {
        definitions.location_groups.get_mut(&group).expect("a group").creator = Some(creator);
    }
    let (groups, locations) = shown(&definitions);
    assert_eq!(groups, ["MPI Rank 0", "MPI Rank 1", "rank 1 GPU", "rank 0 GPU"]);
    assert_eq!(locations, ["rank 0", "rank 1", "rank 1 stream 7", "rank 0 stream 7"]);
}
