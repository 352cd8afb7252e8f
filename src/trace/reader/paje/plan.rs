//! Which definitions have lines of the usual shape, which [`super::quick`] reads in one go.

use super::roles::Role;
use crate::model::{EventKind, FieldKind};

/// How to read the lines of one definition in one go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinePlan {
    pub kind: EventKind,
    pub order: WordOrder,
    pub tail: PlanTail,
    /// The number of the whole number that ends the line.
    pub extra: Option<u8>,
}

/// Which of the two words comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordOrder {
    TypeFirst,
    ContainerFirst,
}

/// What comes after time, type and container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanTail {
    Nothing,
    Value,
    Number,
    /// A link: value, container of this end, key.
    EndAndKey,
    /// A link: value, key, container of this end.
    KeyAndEnd,
}

impl LinePlan {
    /// The plan for an event with these fields, if they are of the usual shape.
    pub fn of(kind: EventKind, roles: &[Role]) -> Option<LinePlan> {
        let (order, rest) = match roles {
            [Role::Time, Role::Type, Role::Container, rest @ ..] => (WordOrder::TypeFirst, rest),
            [Role::Time, Role::Container, Role::Type, rest @ ..] => (WordOrder::ContainerFirst, rest),
            _ => return None,
        };
        let (rest, extra) = match rest {
            [rest @ .., Role::Extra(number, FieldKind::Int)] => (rest, Some(u8::try_from(*number).ok()?)),
            _ => (rest, None),
        };
        let tail = match rest {
            [] => PlanTail::Nothing,
            [Role::Value] => PlanTail::Value,
            [Role::Number] => PlanTail::Number,
            [Role::Value, Role::EndContainer, Role::Key] => PlanTail::EndAndKey,
            [Role::Value, Role::Key, Role::EndContainer] => PlanTail::KeyAndEnd,
            _ => return None,
        };
        Some(LinePlan { kind, order, tail, extra })
    }
}

/// The plans of a trace by the packed id of the event: a table with one place for each id.
#[derive(Debug, Clone)]
pub(super) struct Plans(Box<[(u64, Option<LinePlan>); PLANS]>);

const PLANS: usize = 1024;

impl Default for Plans {
    fn default() -> Plans {
        Plans(Box::new([(0, None); PLANS]))
    }
}

impl Plans {
    /// Sets the plan of an id; one that shares its place is read without a plan from now on.
    pub fn set(&mut self, id: u64, plan: Option<LinePlan>) {
        self.0[place(id)] = (id, plan);
    }

    #[inline(always)]
    pub fn get(&self, id: u64) -> Option<LinePlan> {
        let (known, plan) = self.0[place(id)];
        if known == id { plan } else { None }
    }
}

#[inline(always)]
fn place(id: u64) -> usize {
    (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
}
