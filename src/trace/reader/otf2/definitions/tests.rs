//! Tests of `definitions`.

use super::*;
use crate::reader::otf2::bytes::{ByteOrder, Malformed};

fn add(definitions: &mut ArchiveDefinitions, code: u8, body: &[u8]) -> ReadResult<()> {
    definitions.add(code, &mut RecordBytes::new(body, ByteOrder::Little))
}

#[test]
fn groups_of_both_versions_are_read() {
    let mut definitions = ArchiveDefinitions::default();
    // id 7, no name, old kind 4, two members 3 and 5.
    assert_eq!(add(&mut definitions, 18, &[1, 7, 0xff, 4, 1, 2, 1, 3, 1, 5]), Ok(()));
    assert_eq!(add(&mut definitions, 18, &[1, 8, 0xff, 0, 1, 2, 1, 3, 1, 5, 4, 9, 0]), Ok(()));
    assert_eq!(
        definitions.groups[&7],
        GroupDefinition { kind: GroupKind::CommGroup, paradigm: MPI, members: vec![3, 5] }
    );
    assert_eq!(
        definitions.groups[&8],
        GroupDefinition { kind: GroupKind::CommLocations, paradigm: 9, members: vec![3, 5] }
    );
    // Four thousand million members are promised, and none is there.
    assert_eq!(add(&mut definitions, 18, &[1, 9, 0xff, 4, 0xff]), Err(Malformed));
}

#[test]
fn a_metric_instance_has_the_members_of_its_class_and_a_scope() {
    let mut definitions = ArchiveDefinitions::default();
    assert_eq!(add(&mut definitions, 20, &[1, 1, 2, 1, 4, 1, 5, 0, 0]), Ok(()));
    assert_eq!(add(&mut definitions, 21, &[1, 2, 1, 1, 1, 0, 2, 1, 6]), Ok(()));
    assert_eq!(definitions.metric(1), Some((&[4, 5][..], MetricScope::Recorder)));
    assert_eq!(definitions.metric(2), Some((&[4, 5][..], MetricScope::Node(6))));
    assert_eq!(definitions.metric(3), None);
    // Kilobytes: two to the tenth.
    assert_eq!(add(&mut definitions, 19, &[1, 4, 0, 0, 0, 0, 4, 0, 1, 10, 0]), Ok(()));
    assert_eq!(definitions.members[&4].scale, 1024.0);
}

#[test]
fn unknown_definitions_are_counted_and_skipped() {
    let mut definitions = ArchiveDefinitions::default();
    assert_eq!(add(&mut definitions, 200, &[1, 2, 3]), Ok(()));
    assert_eq!(definitions.count, 1);
}
