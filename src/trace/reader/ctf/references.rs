//! Lengths and selectors find the numbers that they refer to.
//!
//! A name is looked for among the fields before it, from the innermost struct outwards, and then in the scopes before its own:
//! payload, contexts, event header, packet context, packet header. In: the classes of a trace. Out: the same, each number
//! that others refer to with a slot where its value is kept.

#[cfg(test)]
mod tests;

use super::classes::{
    EventClass, FieldClass, FieldLength, FieldReference, FieldScope, StreamClass, TraceClass, ValueRange, is_named,
};

/// Connects all references of a trace; adds faults for those that lead nowhere.
pub(super) fn connect(trace: &mut TraceClass) {
    let TraceClass { packet_header, streams, slots, faults, .. } = trace;
    let mut slot_count = 0;
    connect_last(&mut [packet_header.as_mut()], "the trace", &mut slot_count, faults);
    for stream in streams.values_mut() {
        let StreamClass { packet_context, event_header, event_context, events, .. } = stream;
        let mut outer =
            [packet_header.as_mut(), packet_context.as_mut(), event_header.as_mut(), event_context.as_mut()];
        for last in 2..=4 {
            connect_last(&mut outer[..last], "a stream", &mut slot_count, faults);
        }
        for event in events.values_mut() {
            let EventClass { name, context, payload, .. } = event;
            let [header, packet, event_header, common] = &mut outer;
            let mut scopes = [
                header.as_deref_mut(),
                packet.as_deref_mut(),
                event_header.as_deref_mut(),
                common.as_deref_mut(),
                context.as_mut(),
                payload.as_mut(),
            ];
            connect_last(&mut scopes[..5], name, &mut slot_count, faults);
            connect_last(&mut scopes, name, &mut slot_count, faults);
        }
    }
    *slots = slot_count;
}

/// A reference, and where in its scope it stands.
struct FoundReference {
    path: Vec<usize>,
    reference: FieldReference,
}

/// Connects the references of the last of the scopes.
fn connect_last(scopes: &mut [Option<&mut FieldClass>], owner: &str, slots: &mut usize, faults: &mut Vec<String>) {
    let last = scopes.len() - 1;
    let Some(class) = scopes[last].as_deref() else { return };
    let mut found = vec![];
    collect(class, &mut vec![], &mut found);
    for FoundReference { path, reference } in found {
        if reference.slot.is_some() {
            continue;
        }
        let Some((scope, target)) = find(scopes, &path, &reference) else {
            faults.push(format!("{owner}: a field refers to {}, which is not there", reference.names.join(".")));
            continue;
        };
        let mut labels = vec![];
        let Some(FieldClass::Integer(integer)) = scopes[scope].as_deref_mut().and_then(|class| at(class, &target))
        else {
            faults.push(format!("{owner}: a field refers to {}, which is no whole number", reference.names.join(".")));
            continue;
        };
        let slot = *integer.slot.get_or_insert_with(|| {
            *slots += 1;
            *slots - 1
        });
        if let Some(known) = &integer.labels {
            labels.extend(known.iter().cloned());
        }
        if let Some(class) = scopes[last].as_deref_mut().and_then(|class| at(class, &path)) {
            set(class, slot, &labels);
        }
    }
}

/// The class at a path, to be changed.
fn at<'a>(class: &'a mut FieldClass, path: &[usize]) -> Option<&'a mut FieldClass> {
    let mut class = class;
    for place in path {
        class = class.child_mut(*place)?;
    }
    Some(class)
}

/// All references below a class.
fn collect(class: &FieldClass, path: &mut Vec<usize>, found: &mut Vec<FoundReference>) {
    let reference = match class {
        FieldClass::Array { length: FieldLength::Of(reference), .. }
        | FieldClass::SizedText(FieldLength::Of(reference))
        | FieldClass::Blob(FieldLength::Of(reference))
        | FieldClass::Variant { selector: reference, .. }
        | FieldClass::Optional { selector: reference, .. } => Some(reference),
        _ => None,
    };
    if let Some(reference) = reference {
        found.push(FoundReference { path: path.clone(), reference: reference.clone() });
    }
    for place in 0..class.children() {
        path.push(place);
        if let Some(child) = class.child(place) {
            collect(child, path, found);
        }
        path.pop();
    }
}

/// The scope and the path of the field that a reference leads to.
fn find(scopes: &[Option<&mut FieldClass>], path: &[usize], reference: &FieldReference) -> Option<(usize, Vec<usize>)> {
    let last = scopes.len() - 1;
    if let Some(scope) = reference.scope {
        let scope = scope as usize;
        let class = scopes.get(scope)?.as_deref()?;
        return follow(class, &reference.names, usize::MAX).map(|target| (scope, target));
    }
    let own = scopes[last].as_deref()?;
    for depth in (0..path.len()).rev() {
        let mut class = own;
        for place in &path[..depth] {
            class = class.child(*place)?;
        }
        if let Some(target) = follow(class, &reference.names, path[depth]) {
            return Some((last, [&path[..depth], &target].concat()));
        }
    }
    for scope in (0..last).rev() {
        let class = scopes[scope].as_deref();
        if let Some(target) = class.and_then(|class| follow(class, &reference.names, usize::MAX)) {
            return Some((scope, target));
        }
    }
    None
}

/// The path that names lead to, from a struct of which only the first `before` members count.
fn follow(class: &FieldClass, names: &[String], before: usize) -> Option<Vec<usize>> {
    let FieldClass::Struct(fields) = class else { return None };
    let (first, rest) = names.split_first()?;
    let known = fields.members.iter().take(before).rposition(|(name, _)| is_named(name, first))?;
    if rest.is_empty() {
        return Some(vec![known]);
    }
    let inner = follow(&fields.members[known].1, rest, usize::MAX)?;
    Some([vec![known], inner].concat())
}

/// Notes the slot of what a class refers to; the options of a variant get the values of their labels.
fn set(class: &mut FieldClass, slot: usize, labels: &[(String, Vec<ValueRange>)]) {
    match class {
        FieldClass::Array { length: FieldLength::Of(reference), .. }
        | FieldClass::SizedText(FieldLength::Of(reference))
        | FieldClass::Blob(FieldLength::Of(reference))
        | FieldClass::Optional { selector: reference, .. } => reference.slot = Some(slot),
        FieldClass::Variant { selector, options } => {
            selector.slot = Some(slot);
            for option in options.iter_mut().filter(|option| option.ranges.is_empty()) {
                let known = labels.iter().filter(|(label, _)| is_named(label, &option.name));
                option.ranges = known.flat_map(|(_, ranges)| ranges.iter().copied()).collect();
            }
        }
        _ => (),
    }
}

impl FieldScope {
    /// The scope that dotted names of TSDL start with, and how many names that takes.
    pub fn of_names(names: &[String]) -> Option<(FieldScope, usize)> {
        let known: [(&[&str], FieldScope); 6] = [
            (&["trace", "packet", "header"], FieldScope::PacketHeader),
            (&["stream", "packet", "context"], FieldScope::PacketContext),
            (&["stream", "event", "header"], FieldScope::EventHeader),
            (&["stream", "event", "context"], FieldScope::CommonContext),
            (&["event", "context"], FieldScope::SpecificContext),
            (&["event", "fields"], FieldScope::Payload),
        ];
        let starts = |prefix: &[&str]| names.len() > prefix.len() && names.iter().zip(prefix).all(|(a, b)| a == b);
        known.into_iter().find(|(prefix, _)| starts(prefix)).map(|(prefix, scope)| (scope, prefix.len()))
    }
}
