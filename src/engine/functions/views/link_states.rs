//! `link_states`: the view of `sql/views/link_states.sql`.

use crate::functions::definition::{Definition, Form, OutputColumn, View};

const fn column(name: &'static str, kind: &'static str, doc: &'static str) -> OutputColumn {
    OutputColumn { name, kind, doc }
}

pub static VIEW: View = View {
    definition: Definition {
        name: "link_states",
        family: "views",
        form: Form::View,
        description: "The state a container was in when a link left it, and that of the other when it arrived.",
        notes: "The innermost state counts. A state that starts at the instant covers it, one that ends there does not. \
                NULL where the container was in no state. A link has one row; where containers have several types of \
                states, one for each pair of them.",
        relations: &[],
        constants: &[],
        columns: &[
            column("type", "TEXT", "Type of the link."),
            column("value", "TEXT", "Value of the link."),
            column("key", "TEXT", "What matched its start to its end."),
            column("source_id", "INTEGER", "The container where it started."),
            column("source", "TEXT", "Name of that container."),
            column("target_id", "INTEGER", "The container where it ended."),
            column("target", "TEXT", "Name of that container."),
            column("start_time", "DOUBLE", "When it left."),
            column("end_time", "DOUBLE", "When it arrived."),
            column("volume", "DOUBLE", "What it carried; NULL when it does not tell."),
            column("source_state_type", "TEXT", "Type of the state of the source."),
            column("source_state", "TEXT", "State of the source when the link left."),
            column("target_state_type", "TEXT", "Type of the state of the target."),
            column("target_state", "TEXT", "State of the target when the link arrived."),
        ],
        examples: &["SELECT key, source, source_state, target, target_state FROM link_states ORDER BY start_time"],
    },
    sql: include_str!("../../../../sql/views/link_states.sql"),
};
