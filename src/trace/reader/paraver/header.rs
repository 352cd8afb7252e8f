//! The first line of a trace: its length, its machine, its applications.
//!
//! ```text
//! #Paraver (09/10/2019 at 16:08):6082352213_ns:2(4,4):1:4(1:1,1:1,2:2,1:2),5
//!           date                  end     unit nodes   │ │ │            └─ lines of communicators
//!                                              CPUs    │ │ └─ of each task: threads, node
//!                                         applications ┘ └─ tasks of the first; others follow after : or ,
//! ```

#[cfg(test)]
mod tests;

/// A task of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ParaverTask {
    pub threads: u32,
    /// Counted from 1.
    pub node: u32,
}

/// What the first line says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ParaverHeader {
    /// As it is written.
    pub date: String,
    /// The end of the trace, in its unit.
    pub end: i64,
    /// How many of its units make a second.
    pub per_second: u64,
    /// CPUs of each node.
    pub nodes: Vec<u32>,
    pub applications: Vec<Vec<ParaverTask>>,
    /// How many lines describe communicators.
    pub communicators: u64,
}

impl ParaverHeader {
    /// Reads what can be read of the line; says what is wrong with the rest.
    pub fn parse(line: &str) -> (ParaverHeader, Option<String>) {
        let mut header = ParaverHeader { per_second: 1_000_000, ..ParaverHeader::default() };
        let fault = header.read(line).err();
        (header, fault)
    }

    fn read(&mut self, line: &str) -> Result<(), String> {
        let rest = line.strip_prefix("#Paraver (").ok_or("the first line is no header")?;
        let (date, rest) = rest.split_once("):").ok_or("the header has no end of its date")?;
        self.date = date.to_string();
        let (end, rest) = rest.split_once(':').ok_or("the header ends after its date")?;
        let (end, unit) = end.split_once('_').unwrap_or((end, "us"));
        self.per_second = match unit {
            "ns" => 1_000_000_000,
            "us" => 1_000_000,
            "ms" => 1000,
            _ => return Err(format!("the unit {unit} of the times is none of ns, us and ms; they are taken as us")),
        };
        self.end = end.parse().map_err(|_| format!("the end of the trace is {end}"))?;
        let mut text = HeaderText { rest };
        let count = text.number().ok_or("the header does not say how many nodes there are")?;
        if text.take(b'(') {
            while let Some(cpus) = text.number() {
                self.nodes.push(u32::try_from(cpus).unwrap_or(u32::MAX));
                if !text.take(b',') {
                    break;
                }
            }
            if !text.take(b')') || self.nodes.len() as u64 != count {
                return Err(format!("the header lists {} of its {count} nodes", self.nodes.len()));
            }
        }
        if !text.take(b':') {
            return Err("the header ends after its nodes".to_string());
        }
        let applications = text.number().ok_or("the header does not say how many applications there are")?;
        while text.take(b':') || text.take(b',') {
            let Some(count) = text.number() else { break };
            if text.take(b'(') {
                let tasks = tasks(&mut text);
                let found = tasks.len() as u64;
                self.applications.push(tasks);
                if found != count {
                    return Err(format!("the header lists {found} of {count} tasks of an application"));
                }
            } else if count > 0 || text.rest.is_empty() {
                self.communicators = count;
            } else {
                // An application without tasks.
                self.applications.push(vec![]);
            }
        }
        match self.applications.len() as u64 {
            found if found == applications => Ok(()),
            found => Err(format!("the header describes {found} of {applications} applications")),
        }
    }
}

/// `1:1,1:1,2:2)`: threads and node of each task.
fn tasks(text: &mut HeaderText<'_>) -> Vec<ParaverTask> {
    let mut tasks = vec![];
    while let Some(threads) = text.number() {
        let node = if text.take(b':') { text.number().unwrap_or(0) } else { 0 };
        let clamp = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        tasks.push(ParaverTask { threads: clamp(threads), node: clamp(node) });
        if !text.take(b',') {
            break;
        }
    }
    text.take(b')');
    tasks
}

/// What is left of the line.
struct HeaderText<'a> {
    rest: &'a str,
}

impl HeaderText<'_> {
    fn number(&mut self) -> Option<u64> {
        let end = self.rest.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(self.rest.len());
        let number = self.rest[..end].parse().ok()?;
        self.rest = &self.rest[end..];
        Some(number)
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.rest.as_bytes().first() == Some(&byte);
        if is_there {
            self.rest = &self.rest[1..];
        }
        is_there
    }
}
