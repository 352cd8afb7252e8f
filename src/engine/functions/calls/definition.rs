//! What a SQL function is, written down once.
//!
//! One [`Definition`] feeds the checking of arguments, `ocellus_functions()`, the shell's help and
//! completion, and the generated pages. What runs it is in `sql_function`.

/// How a function is used in SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `FROM name(…)`
    Table,
    /// `SELECT name(…)`
    Scalar,
    /// `SELECT name(…) … GROUP BY …`
    Aggregate,
    /// `SELECT name(…) OVER (…)`
    Window,
    /// `FROM name`
    View,
}

impl Form {
    /// The form in words, as pages show it.
    pub fn name(self) -> &'static str {
        match self {
            Form::Table => "table function",
            Form::Scalar => "scalar function",
            Form::Aggregate => "aggregate function",
            Form::Window => "window function",
            Form::View => "view",
        }
    }
}

/// The documentation and the signature of a function or view.
#[derive(Debug)]
pub struct Definition {
    /// Its name in SQL.
    pub name: &'static str,
    /// Folder of its code, its test and its page's heading.
    pub family: &'static str,
    /// How it is used.
    pub form: Form,
    /// One sentence.
    pub description: &'static str,
    /// What else a user must know: NULL, empty input, ties, cost.
    pub notes: &'static str,
    /// Come first in a call.
    pub relations: &'static [RelationParameter],
    /// Come after the relations, by name or in this order. Of a function of values: its arguments.
    pub constants: &'static [ConstantParameter],
    /// What comes out. Of a function of values: its one value.
    pub columns: &'static [OutputColumn],
    /// Statements that run as they stand; each is a record of the function's test.
    pub examples: &'static [&'static str],
}

/// The default of a relation that need not be given, and is then without columns and rows.
pub const NO_RELATION: &str = "NULL";

/// A table, view, CTE or parenthesised query that a function reads.
#[derive(Debug)]
pub struct RelationParameter {
    /// Its name in a call.
    pub name: &'static str,
    /// Table of the current trace that is read when none is given.
    pub default: Option<&'static str>,
    /// What it is for.
    pub doc: &'static str,
}

/// A constant that a function takes.
#[derive(Debug)]
pub struct ConstantParameter {
    /// Its name in a call.
    pub name: &'static str,
    /// Its type.
    pub kind: ConstantKind,
    /// What it is when it is not given.
    pub default: DefaultValue,
    /// Which values it may have.
    pub accepts: Accepts,
    /// What it is for.
    pub doc: &'static str,
}

/// Type of a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstantKind {
    /// A number.
    Double,
    /// A whole number.
    BigInt,
    /// A text.
    Text,
    /// TRUE or FALSE.
    Boolean,
    /// A name or a number that identifies something.
    TextOrBigInt,
    /// Seconds since the zero of the trace, or a date; a checked call holds seconds.
    Moment,
}

impl ConstantKind {
    /// The type in SQL.
    pub fn name(self) -> &'static str {
        match self {
            ConstantKind::Double => "DOUBLE",
            ConstantKind::BigInt => "BIGINT",
            ConstantKind::Text => "TEXT",
            ConstantKind::Boolean => "BOOLEAN",
            ConstantKind::TextOrBigInt => "TEXT or BIGINT",
            ConstantKind::Moment => "DOUBLE or TIMESTAMP",
        }
    }
}

/// What a constant is when it is not given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DefaultValue {
    /// It must be given.
    Required,
    /// The function decides.
    Absent,
    /// A number.
    Double(f64),
    /// A whole number.
    BigInt(i64),
    /// A text.
    Text(&'static str),
    /// TRUE or FALSE.
    Boolean(bool),
}

/// Which values of a constant are accepted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accepts {
    /// All of its type.
    Anything,
    /// Neither infinite nor NaN.
    Finite,
    /// Both ends included.
    Between(f64, f64),
    /// These texts.
    OneOf(&'static [&'static str]),
    /// The name of a type of what the first relation holds.
    TypeName,
    /// The name of a value of what the first relation holds, of the argument `type` where that is given.
    ValueName,
    /// The name, path, alias or id of a container.
    ContainerName,
    /// A depth that the tree of containers has.
    TreeDepth,
}

/// A column that a function gives.
#[derive(Debug)]
pub struct OutputColumn {
    /// Its name.
    pub name: &'static str,
    /// Its type in SQL.
    pub kind: &'static str,
    /// What it holds.
    pub doc: &'static str,
}

/// A column by its name, its type in SQL and what it holds.
pub(crate) const fn column(name: &'static str, kind: &'static str, doc: &'static str) -> OutputColumn {
    OutputColumn { name, kind, doc }
}

/// A view that every trace has.
#[derive(Debug)]
pub struct View {
    /// What the head of its file says.
    pub definition: Definition,
    /// The text of its file: a query over the tables of one trace, with the head.
    pub sql: &'static str,
}

impl Definition {
    /// The call as the documentation shows it.
    pub fn signature(&self) -> String {
        if self.form == Form::View {
            return self.name.to_string();
        }
        let relations = self.relations.iter().map(|relation| match relation.default {
            Some(default) => format!("{} RELATION = {default}", relation.name),
            None => format!("{} RELATION", relation.name),
        });
        let constants = self.constants.iter().map(|constant| {
            let kind = constant.kind.name();
            match constant.default {
                DefaultValue::Required => format!("{} {kind}", constant.name),
                default => format!("{} {kind} = {default}", constant.name),
            }
        });
        let parameters: Vec<String> = relations.chain(constants).collect();
        match (self.form, self.columns) {
            (Form::Scalar | Form::Aggregate | Form::Window, [value]) => {
                format!("{}({}) -> {}", self.name, parameters.join(", "), value.kind)
            }
            _ => format!("{}({})", self.name, parameters.join(", ")),
        }
    }

    /// A call with the arguments that must be given, for hints: `events_at(time => …)`.
    pub fn shortest_call(&self) -> String {
        let relations = self.relations.iter().filter(|relation| relation.default.is_none());
        let relations = relations.map(|relation| relation.name.to_string());
        let constants = self.constants.iter().filter(|constant| constant.default == DefaultValue::Required);
        let constants = constants.map(|constant| format!("{} => …", constant.name));
        format!("{}({})", self.name, relations.chain(constants).collect::<Vec<_>>().join(", "))
    }

    /// The names of all parameters, relations first.
    pub fn parameter_names(&self) -> impl Iterator<Item = &'static str> + Clone {
        let relations = self.relations.iter().map(|relation| relation.name);
        relations.chain(self.constants.iter().map(|constant| constant.name))
    }
}

impl std::fmt::Display for DefaultValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DefaultValue::Required => f.write_str("required"),
            DefaultValue::Absent => f.write_str("NULL"),
            DefaultValue::Double(value) => write!(f, "{value}"),
            DefaultValue::BigInt(value) => write!(f, "{value}"),
            DefaultValue::Text(value) => write!(f, "'{value}'"),
            DefaultValue::Boolean(value) => write!(f, "{value}"),
        }
    }
}

impl std::fmt::Display for Accepts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Accepts::Anything => f.write_str("anything"),
            Accepts::Finite => f.write_str("a finite number"),
            Accepts::Between(least, most) => write!(f, "between {least} and {most}"),
            Accepts::OneOf(choices) => write!(f, "one of '{}'", choices.join("', '")),
            Accepts::TypeName => f.write_str("the name of a type of the trace"),
            Accepts::ValueName => f.write_str("the name of a value of the trace"),
            Accepts::ContainerName => f.write_str("a container of the trace"),
            Accepts::TreeDepth => f.write_str("a depth of the tree of containers"),
        }
    }
}
