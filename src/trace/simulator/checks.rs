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

/// Notes an entity or a container in a container of another type than its definition names: one row for each
/// pair of types, with a count.
#[cold]
pub(super) fn mismatch(world: &World, context: &mut Context<'_>, type_: TypeId, holder: Option<TypeId>) {
    context.note(Code::TypeMismatch, subject(type_, holder, 0), || {
        format!(
            "{} belongs to containers of type {}, and is used on containers of type {}; accepted",
            quote(type_path(world, Some(type_)).as_bytes()),
            quote(type_path(world, world.types[type_.0 as usize].parent).as_bytes()),
            quote(type_path(world, holder).as_bytes())
        )
    });
}

/// What a report is about: a type, the type of container that it was found on, and the end of a link.
fn subject(type_: TypeId, found: Option<TypeId>, end: u64) -> u64 {
    let found = found.map_or(0, |id| u64::from(id.0) + 1);
    u64::from(type_.0) | ((found << 32) & ((1 << 62) - 1)) | (end << 62)
}

/// The names of a type and of all types above it, from the top: types of one name are told apart by it.
fn type_path(world: &World, type_: Option<TypeId>) -> String {
    let mut names = vec![];
    let mut next = type_;
    // A type is defined after its parent, so this ends.
    while let Some(id) = next {
        names.push(world.type_name(id));
        next = world.types[id.0 as usize].parent;
    }
    if names.is_empty() {
        return "0".to_string();
    }
    names.reverse();
    names.join("/")
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
    let found = Some(world.containers[at.0 as usize].type_);
    let (verb, end) = if side == LinkSide::Start { ("start", 1) } else { ("end", 2) };
    context.note(Code::TypeMismatch, subject(type_, found, end), || {
        format!(
            "links of type {} {verb} on containers of type {} by their definition, and here on ones of type {}; accepted",
            quote(type_path(world, Some(type_)).as_bytes()),
            quote(type_path(world, expected).as_bytes()),
            quote(type_path(world, found).as_bytes())
        )
    });
}
