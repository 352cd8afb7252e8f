//! What every call record holds: the layouts, read once from `calls.txt`.
//!
//! ```text
//! line   = function { name ":" [ "?" ] kind }        in the order of the function's number
//! kind   = "b" | "w" | "i" | "l"                     one number of 1, 2, 4 or 8 bytes
//!        | "B" | "W" | "I"                           a 32-bit length, then that many of them
//!        | "J"                                       a length, then that many "I"
//!        | "S" | "T" | "U"                           text, a list of texts, a list of "T"
//!        | "s"                                       statuses
//! ```
//! A field with a `?` is there only when the caller is the root.

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

const CALLS: &str = include_str!("calls.txt");

macro_rules! arguments {
    ($($variant:ident $($name:literal)|+;)+) => {
        /// The arguments that the reader looks at; all others are `Other`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum MpiArgument { $($variant,)+ Other }

        impl MpiArgument {
            pub(super) fn of(name: &str) -> MpiArgument {
                match name { $($($name)|+ => MpiArgument::$variant,)+ _ => MpiArgument::Other }
            }
        }
    };
}

arguments! {
    Count "count";
    Datatype "datatype";
    Dest "dest";
    Source "source";
    Tag "tag";
    Comm "comm";
    Request "request";
    Flag "flag";
    Index "index";
    SendCount "sendcount";
    SendType "sendtype";
    SendTag "sendtag";
    RecvCount "recvcount";
    RecvType "recvtype";
    RecvTag "recvtag";
    Root "root";
    CommRank "commrank" | "oldcommrank";
    OldComm "oldcomm" | "localcomm";
    NewComm "newcomm" | "parent";
    LocalLeader "localleader";
    RemoteComm "remotecomm";
    RemoteLeader "remoteleader";
    High "high";
    Color "color";
    Key "key";
    Nodes "nodes";
    Group "group";
    Group1 "group1";
    Group2 "group2";
    NewGroup "newgroup";
    OldType "oldtype";
    NewType "newtype";
    BlockLength "blocklength";
    Size "size";
    Requests "requests";
    Indices "indices";
    SendCounts "sendcounts";
    RecvCounts "recvcounts";
    SendTypes "sendtypes";
    Ranks "ranks";
    Ranges "ranges";
    Lengths "lengths" | "blocklengths";
    OldTypes "oldtypes";
    Dims "dims";
    RemainDims "remain_dims";
    SubSizes "subsizes";
    Displacements "displacments";
    Address "fn";
}

/// How many arguments the reader looks at.
pub(super) const ARGUMENTS: usize = MpiArgument::Other as usize;

/// How a field is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentEncoding {
    /// A number of that many bytes.
    Number(u8),
    /// A length and that many numbers of that many bytes.
    Numbers(u8),
    /// Lists of 32-bit numbers.
    Lists,
    /// Text, nested that many times in lists.
    Text(u8),
    Statuses,
}

/// One field of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldLayout {
    pub name: &'static str,
    pub argument: MpiArgument,
    pub kind: ArgumentEncoding,
    /// Only the root of the operation has it.
    pub is_roots: bool,
}

/// The record of one function.
#[derive(Debug)]
pub(super) struct CallLayout {
    /// As in the table: without `MPI_`.
    pub short_name: &'static str,
    pub name: String,
    pub fields: Vec<FieldLayout>,
}

/// A function, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Function(pub u16);

impl Function {
    /// Markers of compiled functions; beyond the numbers of all calls.
    pub(super) const ENTER: Function = Function(u16::MAX - 1);
    pub(super) const EXIT: Function = Function(u16::MAX);

    pub(super) fn layout(self) -> Option<&'static CallLayout> {
        match self {
            Function::ENTER => Some(&markers()[0]),
            Function::EXIT => Some(&markers()[1]),
            Function(number) => layouts().get(usize::from(number)),
        }
    }

    pub(super) fn name(self) -> &'static str {
        self.layout().map_or("unknown", |layout| &layout.name)
    }

    pub(super) fn short_name(self) -> &'static str {
        self.layout().map_or("unknown", |layout| layout.short_name)
    }

    /// Finds a function by the name that a user knows, such as `MPI_Send`.
    pub(super) fn of_name(name: &str) -> Option<Function> {
        let place = layouts().iter().position(|layout| layout.name == name)?;
        Some(Function(place as u16))
    }
}

/// The layouts of all calls, by number.
pub(super) fn layouts() -> &'static [CallLayout] {
    static LAYOUTS: OnceLock<Vec<CallLayout>> = OnceLock::new();
    LAYOUTS.get_or_init(|| CALLS.lines().filter_map(layout_of).collect())
}

fn markers() -> &'static [CallLayout] {
    static MARKERS: OnceLock<Vec<CallLayout>> = OnceLock::new();
    MARKERS.get_or_init(|| ["Function_enter fn:l", "Function_exit fn:l"].into_iter().filter_map(layout_of).collect())
}

fn layout_of(line: &'static str) -> Option<CallLayout> {
    let mut words = line.split_ascii_whitespace();
    let short_name = words.next()?;
    let fields = words.filter_map(field_of).collect();
    let name = match short_name.strip_prefix("IO_") {
        Some(name) => format!("MPIO_{name}"),
        None => format!("MPI_{short_name}"),
    };
    Some(CallLayout { short_name, name, fields })
}

fn field_of(word: &'static str) -> Option<FieldLayout> {
    let (name, kind) = word.split_once(':')?;
    let (kind, is_roots) = match kind.strip_prefix('?') {
        Some(kind) => (kind, true),
        None => (kind, false),
    };
    let kind = match kind {
        "b" => ArgumentEncoding::Number(1),
        "w" => ArgumentEncoding::Number(2),
        "i" => ArgumentEncoding::Number(4),
        "l" => ArgumentEncoding::Number(8),
        "B" => ArgumentEncoding::Numbers(1),
        "W" => ArgumentEncoding::Numbers(2),
        "I" => ArgumentEncoding::Numbers(4),
        "J" => ArgumentEncoding::Lists,
        "S" => ArgumentEncoding::Text(0),
        "T" => ArgumentEncoding::Text(1),
        "U" => ArgumentEncoding::Text(2),
        "s" => ArgumentEncoding::Statuses,
        _ => return None,
    };
    Some(FieldLayout { name, argument: MpiArgument::of(name), kind, is_roots })
}
