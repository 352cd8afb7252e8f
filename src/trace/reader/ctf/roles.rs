//! What numbers of headers and contexts mean: in CTF 1.8 by their names, in CTF 2 as the metadata say.

use super::classes::{FieldClass, FieldRole, TraceClass, is_named};

/// Gives the numbers of CTF 1.8 their roles.
pub(super) fn by_name(trace: &mut TraceClass) {
    if let Some(header) = &mut trace.packet_header {
        name_role(header, "magic", FieldRole::Magic);
        name_role(header, "stream_id", FieldRole::StreamClass);
    }
    for stream in trace.streams.values_mut() {
        if let Some(context) = &mut stream.packet_context {
            name_role(context, "packet_size", FieldRole::TotalLength);
            name_role(context, "content_size", FieldRole::ContentLength);
            name_role(context, "timestamp_begin", FieldRole::Begin);
            name_role(context, "events_discarded", FieldRole::Discarded);
            name_role(context, "packet_seq_num", FieldRole::Sequence);
        }
        if let Some(header) = &mut stream.event_header {
            header_roles("", header);
        }
    }
}

fn name_role(class: &mut FieldClass, wanted: &str, role: FieldRole) {
    let FieldClass::Struct(fields) = class else { return };
    for (name, class) in &mut fields.members {
        if let FieldClass::Integer(integer) = class
            && is_named(name, wanted)
        {
            integer.role = Some(role);
        }
    }
}

/// Ids and timestamps of event headers may stand in variants.
fn header_roles(name: &str, class: &mut FieldClass) {
    match class {
        FieldClass::Integer(integer) if is_named(name, "id") => integer.role = Some(FieldRole::EventClass),
        FieldClass::Integer(integer) if integer.has_clock || is_named(name, "timestamp") => {
            integer.role = Some(FieldRole::Timestamp);
        }
        FieldClass::Struct(fields) => fields.members.iter_mut().for_each(|(name, class)| header_roles(name, class)),
        FieldClass::Variant { options, .. } => {
            options.iter_mut().for_each(|option| header_roles(&option.name, &mut option.class));
        }
        _ => (),
    }
}
