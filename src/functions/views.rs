//! The views that every trace has, from `sql/views/*.sql`.

use super::definition::{Definition, Form, OutputColumn, View};

pub static CONTAINER_ANCESTORS: View = View {
    definition: Definition {
        name: "container_ancestors",
        family: "views",
        form: Form::View,
        description: "Pairs every container with each of its ancestors, itself included.",
        notes: "Joining it with a table on container_id and grouping by ancestor adds up the tree. A container at \
                depth d has d + 1 rows.",
        relations: &[],
        constants: &[],
        columns: &[
            OutputColumn { name: "container_id", kind: "INTEGER", doc: "The container." },
            OutputColumn { name: "container", kind: "TEXT", doc: "Name of the container." },
            OutputColumn { name: "ancestor_id", kind: "INTEGER", doc: "The container itself, or one above it." },
            OutputColumn { name: "ancestor", kind: "TEXT", doc: "Name of that one." },
            OutputColumn { name: "ancestor_type", kind: "TEXT", doc: "Container type of that one." },
            OutputColumn { name: "ancestor_depth", kind: "INTEGER", doc: "Depth of that one; 0 for a root." },
            OutputColumn { name: "distance", kind: "INTEGER", doc: "Steps up from the container; 0 for itself." },
        ],
        examples: &[
            "SELECT container, ancestor, distance FROM container_ancestors ORDER BY container_id, distance",
        ],
    },
    sql: include_str!("../../sql/views/container_ancestors.sql"),
};
