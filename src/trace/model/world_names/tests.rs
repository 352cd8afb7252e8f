//! Copies of names, made in pieces, are those of the world.

use super::*;
use crate::model::{ContainerRow, OwnedExtras, TypeKind, TypeRow, ValueRow};

fn add_container(world: &mut World, name: &str) {
    let name = world.names.intern(name);
    let extras = OwnedExtras::NONE;
    let (parent, type_) = (ContainerId::ROOT, TypeId(0));
    world.containers.push(ContainerRow { name, alias: None, type_, parent, start: 0, end: None, extras });
}

fn add_type(world: &mut World, name: &str) {
    let name = world.names.intern(name);
    let extras = OwnedExtras::NONE;
    let kind = TypeKind::State;
    world.types.push(TypeRow {
        kind,
        name,
        alias: None,
        parent: None,
        source: None,
        target: None,
        color: None,
        extras,
    });
}

fn add_value(world: &mut World, name: &str) {
    let name = world.names.intern(name);
    world.values.push(ValueRow { type_: TypeId(0), name, alias: None, color: None, extras: OwnedExtras::NONE });
}

#[test]
fn copies_in_pieces_have_all_names_of_the_world() {
    let mut world = World::default();
    let (mut copied, mut names) = (CopiedNames::default(), WorldNames::default());
    for step in 0..5_u32 {
        for number in 0..step {
            // Some are empty, some come twice.
            add_container(&mut world, &"é".repeat((step * number) as usize % 3));
            add_type(&mut world, &format!("type {number}"));
            add_value(&mut world, &format!("value {step} {number}"));
        }
        names.extend(&WorldNames::since(&mut copied, &world));
        for id in 0..world.containers.len() as u32 {
            assert_eq!(names.container_name(ContainerId(id)), world.container_name(ContainerId(id)));
            assert_eq!(names.type_name(TypeId(id)), world.type_name(TypeId(id)));
            assert_eq!(names.value_name(ValueId(id)), world.value_name(ValueId(id)));
        }
        assert_eq!(names.container_name(ContainerId::ROOT), "0");
    }
}
