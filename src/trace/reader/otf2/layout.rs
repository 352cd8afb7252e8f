//! The event records of the format: their numbers, names and fields.
//!
//! Which bytes a field takes and what an id in it counts is all that it takes to read any of them; those
//! that become states, links or variables are picked out in [`super::events`], all others are emitted as
//! events with their fields as columns.

#[cfg(test)]
mod tests;

use super::local::Mapping::{
    self, Comm, Context, File, Group, Handle, Interrupt, Metric, Parameter, Region, String, Window,
};

/// What a field of an event record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordFieldKind {
    U8,
    U32,
    U64,
    I64,
    /// A timestamp of full width.
    Time,
    /// A definition, by the location's own number.
    Id(Mapping),
}

use RecordFieldKind::{I64, Id, Time, U8, U32, U64};

/// An event record.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RecordLayout {
    pub code: u8,
    pub name: &'static str,
    pub fields: &'static [(&'static str, RecordFieldKind)],
}

/// The most fields that a record has here.
pub(super) const MOST_FIELDS: usize = 6;

const FIRST: u8 = 10;

/// The layout of a record; `None` for one that is not known.
pub(super) fn of(code: u8) -> Option<&'static RecordLayout> {
    LAYOUTS.get(usize::from(code.checked_sub(FIRST)?))
}

const fn record(code: u8, name: &'static str, fields: &'static [(&'static str, RecordFieldKind)]) -> RecordLayout {
    RecordLayout { code, name, fields }
}

/// By code, from [`FIRST`] on.
const LAYOUTS: &[RecordLayout] = &[
    record(10, "BufferFlush", &[("stop_time", Time)]),
    record(11, "MeasurementOnOff", &[("mode", U8)]),
    record(12, "Enter", &[("region", Id(Region))]),
    record(13, "Leave", &[("region", Id(Region))]),
    record(14, "MpiSend", &[("receiver", U32), ("communicator", Id(Comm)), ("tag", U32), ("bytes", U64)]),
    record(
        15,
        "MpiIsend",
        &[("receiver", U32), ("communicator", Id(Comm)), ("tag", U32), ("bytes", U64), ("request_id", U64)],
    ),
    record(16, "MpiIsendComplete", &[("request_id", U64)]),
    record(17, "MpiIrecvRequest", &[("request_id", U64)]),
    record(18, "MpiRecv", &[("sender", U32), ("communicator", Id(Comm)), ("tag", U32), ("bytes", U64)]),
    record(
        19,
        "MpiIrecv",
        &[("sender", U32), ("communicator", Id(Comm)), ("tag", U32), ("bytes", U64), ("request_id", U64)],
    ),
    record(20, "MpiRequestTest", &[("request_id", U64)]),
    record(21, "MpiRequestCancelled", &[("request_id", U64)]),
    record(22, "MpiCollectiveBegin", &[]),
    record(
        23,
        "MpiCollectiveEnd",
        &[("collective_op", U8), ("communicator", Id(Comm)), ("root", U32), ("size_sent", U64), ("size_received", U64)],
    ),
    record(24, "OmpFork", &[("requested_threads", U32)]),
    record(25, "OmpJoin", &[]),
    record(26, "OmpAcquireLock", &[("lock_id", U32), ("acquisition_order", U32)]),
    record(27, "OmpReleaseLock", &[("lock_id", U32), ("acquisition_order", U32)]),
    record(28, "OmpTaskCreate", &[("task_id", U64)]),
    record(29, "OmpTaskSwitch", &[("task_id", U64)]),
    record(30, "OmpTaskComplete", &[("task_id", U64)]),
    record(31, "Metric", &[("metric", Id(Metric)), ("values", U8)]),
    record(32, "ParameterString", &[("parameter", Id(Parameter)), ("text", Id(String))]),
    record(33, "ParameterInt", &[("parameter", Id(Parameter)), ("number", I64)]),
    record(34, "ParameterUnsignedInt", &[("parameter", Id(Parameter)), ("number", U64)]),
    record(35, "RmaWinCreate", &[("window", Id(Window))]),
    record(36, "RmaWinDestroy", &[("window", Id(Window))]),
    record(37, "RmaCollectiveBegin", &[]),
    record(
        38,
        "RmaCollectiveEnd",
        &[
            ("collective_op", U8),
            ("sync_level", U32),
            ("window", Id(Window)),
            ("root", U32),
            ("bytes_sent", U64),
            ("bytes_received", U64),
        ],
    ),
    record(39, "RmaGroupSync", &[("sync_level", U32), ("window", Id(Window)), ("group", Id(Group))]),
    record(40, "RmaRequestLock", &[("window", Id(Window)), ("remote", U32), ("lock_id", U64), ("lock_type", U8)]),
    record(41, "RmaAcquireLock", &[("window", Id(Window)), ("remote", U32), ("lock_id", U64), ("lock_type", U8)]),
    record(42, "RmaTryLock", &[("window", Id(Window)), ("remote", U32), ("lock_id", U64), ("lock_type", U8)]),
    record(43, "RmaReleaseLock", &[("window", Id(Window)), ("remote", U32), ("lock_id", U64)]),
    record(44, "RmaSync", &[("window", Id(Window)), ("remote", U32), ("sync_type", U8)]),
    record(45, "RmaWaitChange", &[("window", Id(Window))]),
    record(46, "RmaPut", &[("window", Id(Window)), ("remote", U32), ("bytes", U64), ("matching_id", U64)]),
    record(47, "RmaGet", &[("window", Id(Window)), ("remote", U32), ("bytes", U64), ("matching_id", U64)]),
    record(
        48,
        "RmaAtomic",
        &[
            ("window", Id(Window)),
            ("remote", U32),
            ("atomic_type", U8),
            ("bytes_sent", U64),
            ("bytes_received", U64),
            ("matching_id", U64),
        ],
    ),
    record(49, "RmaOpCompleteBlocking", &[("window", Id(Window)), ("matching_id", U64)]),
    record(50, "RmaOpCompleteNonBlocking", &[("window", Id(Window)), ("matching_id", U64)]),
    record(51, "RmaOpTest", &[("window", Id(Window)), ("matching_id", U64)]),
    record(52, "RmaOpCompleteRemote", &[("window", Id(Window)), ("matching_id", U64)]),
    record(53, "ThreadFork", &[("model", U8), ("requested_threads", U32)]),
    record(54, "ThreadJoin", &[("model", U8)]),
    record(55, "ThreadTeamBegin", &[("thread_team", Id(Comm))]),
    record(56, "ThreadTeamEnd", &[("thread_team", Id(Comm))]),
    record(57, "ThreadAcquireLock", &[("model", U8), ("lock_id", U32), ("acquisition_order", U32)]),
    record(58, "ThreadReleaseLock", &[("model", U8), ("lock_id", U32), ("acquisition_order", U32)]),
    record(59, "ThreadTaskCreate", &[("thread_team", Id(Comm)), ("creating_thread", U32), ("generation_number", U32)]),
    record(60, "ThreadTaskSwitch", &[("thread_team", Id(Comm)), ("creating_thread", U32), ("generation_number", U32)]),
    record(
        61,
        "ThreadTaskComplete",
        &[("thread_team", Id(Comm)), ("creating_thread", U32), ("generation_number", U32)],
    ),
    record(62, "ThreadCreate", &[("thread_contingent", Id(Comm)), ("sequence_count", U64)]),
    record(63, "ThreadBegin", &[("thread_contingent", Id(Comm)), ("sequence_count", U64)]),
    record(64, "ThreadWait", &[("thread_contingent", Id(Comm)), ("sequence_count", U64)]),
    record(65, "ThreadEnd", &[("thread_contingent", Id(Comm)), ("sequence_count", U64)]),
    record(66, "CallingContextEnter", &[("calling_context", Id(Context)), ("unwind_distance", U32)]),
    record(67, "CallingContextLeave", &[("calling_context", Id(Context))]),
    record(
        68,
        "CallingContextSample",
        &[("calling_context", Id(Context)), ("unwind_distance", U32), ("interrupt_generator", Id(Interrupt))],
    ),
    record(
        69,
        "IoCreateHandle",
        &[("handle", Id(Handle)), ("mode", U8), ("creation_flags", U32), ("status_flags", U32)],
    ),
    record(70, "IoDestroyHandle", &[("handle", Id(Handle))]),
    record(71, "IoDuplicateHandle", &[("old_handle", Id(Handle)), ("new_handle", Id(Handle)), ("status_flags", U32)]),
    record(72, "IoSeek", &[("handle", Id(Handle)), ("offset_request", I64), ("whence", U8), ("offset_result", U64)]),
    record(73, "IoChangeStatusFlags", &[("handle", Id(Handle)), ("status_flags", U32)]),
    record(74, "IoDeleteFile", &[("io_paradigm", U8), ("file", Id(File))]),
    record(
        75,
        "IoOperationBegin",
        &[("handle", Id(Handle)), ("mode", U8), ("operation_flags", U32), ("bytes_request", U64), ("matching_id", U64)],
    ),
    record(76, "IoOperationTest", &[("handle", Id(Handle)), ("matching_id", U64)]),
    record(77, "IoOperationIssued", &[("handle", Id(Handle)), ("matching_id", U64)]),
    record(78, "IoOperationComplete", &[("handle", Id(Handle)), ("bytes_result", U64), ("matching_id", U64)]),
    record(79, "IoOperationCancelled", &[("handle", Id(Handle)), ("matching_id", U64)]),
    record(80, "IoAcquireLock", &[("handle", Id(Handle)), ("lock_type", U8)]),
    record(81, "IoReleaseLock", &[("handle", Id(Handle)), ("lock_type", U8)]),
    record(82, "IoTryLock", &[("handle", Id(Handle)), ("lock_type", U8)]),
    record(83, "ProgramBegin", &[("program_name", Id(String)), ("arguments", U32)]),
    record(84, "ProgramEnd", &[("exit_status", I64)]),
    record(85, "NonBlockingCollectiveRequest", &[("request_id", U64)]),
    record(
        86,
        "NonBlockingCollectiveComplete",
        &[
            ("collective_op", U8),
            ("communicator", Id(Comm)),
            ("root", U32),
            ("size_sent", U64),
            ("size_received", U64),
            ("request_id", U64),
        ],
    ),
    record(87, "CommCreate", &[("communicator", Id(Comm))]),
    record(88, "CommDestroy", &[("communicator", Id(Comm))]),
];
