//! The fields of an event: `comm=lto cgu.10 pid=4412 prio=120`, and the fields of switches between threads.

#[cfg(test)]
mod tests;

/// The fields of a text; a value ends where the next key begins. What stands before the first key has the key `text`.
pub(super) fn fields(text: &str) -> Vec<(&str, &str)> {
    let mut found = vec![];
    let mut key = "text";
    let mut start = 0;
    for (equals, _) in text.match_indices('=') {
        let name = text[start..equals].rsplit([' ', ',', '[', '(']).next().unwrap_or_default();
        if !is_key(name) {
            continue;
        }
        push(&mut found, key, &text[start..equals - name.len()]);
        key = name;
        start = equals + 1;
    }
    push(&mut found, key, &text[start..]);
    found
}

fn push<'a>(found: &mut Vec<(&'a str, &'a str)>, key: &'a str, value: &'a str) {
    let mut value = value.trim().trim_end_matches([' ', ',', '[', '(']).trim_end();
    for (open, close) in [('[', ']'), ('(', ')')] {
        if value.ends_with(close) && !value.contains(open) {
            value = &value[..value.len() - 1];
        }
    }
    if !value.is_empty() {
        found.push((key, value));
    }
}

fn is_key(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.')
}

/// A switch from one thread to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ThreadSwitch<'a> {
    pub previous: SwitchedThread<'a>,
    pub state: &'a str,
    pub next: SwitchedThread<'a>,
}

/// One of the threads of a switch, or a thread that is woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SwitchedThread<'a> {
    pub comm: &'a str,
    pub tid: u32,
    pub priority: Option<i64>,
}

impl<'a> ThreadSwitch<'a> {
    /// `prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120`, or what trace-cmd
    /// prints: `a:1 [120] S ==> b:2 [120]`.
    pub fn parse(text: &'a str) -> Option<ThreadSwitch<'a>> {
        let (before, after) = text.split_once(" ==> ")?;
        if !before.contains("prev_pid=") {
            let (previous, state) = before.rsplit_once(' ')?;
            return Some(ThreadSwitch { previous: short(previous)?, state, next: short(after)? });
        }
        let before = fields(before);
        let state = before.iter().find(|(key, _)| *key == "prev_state")?.1;
        let previous = SwitchedThread::of(&before, ["prev_comm", "prev_pid", "prev_prio"])?;
        let next = SwitchedThread::of(&fields(after), ["next_comm", "next_pid", "next_prio"])?;
        Some(ThreadSwitch { previous, state, next })
    }
}

impl<'a> SwitchedThread<'a> {
    /// The thread that is woken: `comm=a pid=1 prio=120 …`, or `a:1 [120] …`.
    pub fn woken(text: &'a str) -> Option<SwitchedThread<'a>> {
        if text.contains("pid=") {
            return SwitchedThread::of(&fields(text), ["comm", "pid", "prio"]);
        }
        short(&text[..text.find(']')? + 1])
    }

    fn of(fields: &[(&'a str, &'a str)], keys: [&str; 3]) -> Option<SwitchedThread<'a>> {
        let get = |key: &str| fields.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
        let [comm, tid, priority] = keys.map(get);
        Some(SwitchedThread {
            comm: comm.unwrap_or_default(),
            tid: tid?.parse().ok()?,
            priority: priority.and_then(|priority| priority.parse().ok()),
        })
    }
}

/// `comm:TID [PRIORITY]`
fn short(text: &str) -> Option<SwitchedThread<'_>> {
    let (task, priority) = text.trim().strip_suffix(']')?.rsplit_once(" [")?;
    let (comm, tid) = task.rsplit_once(':')?;
    Some(SwitchedThread { comm, tid: tid.parse().ok()?, priority: priority.parse().ok() })
}

/// The name of a state of a thread.
pub(super) fn state_name(letters: &str) -> &str {
    match letters {
        "R" => "Runnable",
        "R+" => "Runnable (preempted)",
        "S" => "Sleeping",
        "D" => "Uninterruptible sleep",
        "T" => "Stopped",
        "t" => "Traced",
        "X" => "Dead",
        "Z" => "Zombie",
        "I" => "Idle",
        "P" => "Parked",
        "W" => "Waking",
        other => other,
    }
}
