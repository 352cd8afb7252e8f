//! Checks of containers and links against their types.

use super::context::Context;
use super::links::LinkSide;
use crate::diagnostics::{Code, quote};
use crate::model::{ContainerId, OwnedExtras, TypeId, TypeKind, TypeRow, World};

/// The type of the container that stands for the root.
pub(super) fn root_type_of(known: &mut Option<TypeId>, world: &mut World) -> TypeId {
    *known.get_or_insert_with(|| {
        let name = world.names.intern("0");
        let id = TypeId(world.types.len() as u32);
        world.types.push(TypeRow {
            kind: TypeKind::Container,
            name,
            alias: None,
            parent: None,
            source: None,
            target: None,
            color: None,
            extras: OwnedExtras::NONE,
        });
        id
    })
}

#[cold]
pub(super) fn mismatch(world: &World, context: &mut Context<'_>, type_: TypeId, holder: Option<TypeId>) {
    let name_of = |id: Option<TypeId>| id.map_or("0", |id| world.type_name(id)).to_string();
    context.note(Code::TypeMismatch, u64::from(type_.0), || {
        format!(
            "{} belongs to containers of type {}, and is used on one of type {}; it was accepted",
            quote(world.type_name(type_).as_bytes()),
            quote(name_of(world.types[type_.0 as usize].parent).as_bytes()),
            quote(name_of(holder).as_bytes())
        )
    });
}

/// Notes a link that starts or ends on a container of another type than its definition names.
#[inline(always)]
pub(super) fn check_end(world: &World, context: &mut Context<'_>, type_: TypeId, side: LinkSide, at: ContainerId) {
    let definition = &world.types[type_.0 as usize];
    let expected = if side == LinkSide::Start { definition.source } else { definition.target };
    if expected != Some(world.containers[at.0 as usize].type_) {
        end_mismatch(world, context, type_, side, at, expected);
    }
}

#[cold]
fn end_mismatch(
    world: &World,
    context: &mut Context<'_>,
    type_: TypeId,
    side: LinkSide,
    at: ContainerId,
    expected: Option<TypeId>,
) {
    let (verb, bit) = if side == LinkSide::Start { ("start", 1 << 32) } else { ("end", 2 << 32) };
    context.note(Code::TypeMismatch, u64::from(type_.0) | bit, || {
        format!(
            "links of {} {verb} on containers of type {}, and one is on a container of type {}; it was accepted",
            quote(world.type_name(type_).as_bytes()),
            quote(expected.map_or("0", |id| world.type_name(id)).as_bytes()),
            quote(world.type_name(world.containers[at.0 as usize].type_).as_bytes())
        )
    });
}
