//! A scheduler or an executor as a process of the program.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ocellus");
/// Longest wait for a sign of life, on a busy machine too.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// Between two looks.
pub const PAUSE: Duration = Duration::from_millis(20);

/// A scheduler or an executor; it ends with the test.
pub struct ClusterProcess(Child, Arc<Mutex<String>>);

impl ClusterProcess {
    /// Starts one and waits until it says that it is ready; returns the last word of that.
    pub fn start(arguments: &[&str]) -> (ClusterProcess, String) {
        let mut child = Command::new(PROGRAM)
            .arg("cluster")
            .args(arguments)
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .expect("a process");
        let mut said = BufReader::new(child.stderr.take().expect("its standard error"));
        let mut line = String::new();
        said.read_line(&mut line).expect("a line");
        let last = line.split_whitespace().last().unwrap_or_default().to_string();
        assert!(line.contains("listens on") || line.contains("works for"), "{line}");
        // Somebody must read what it says later; a test that fails tells it.
        let words = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&words);
        std::thread::spawn(move || {
            for line in said.lines().map_while(Result::ok) {
                heard.lock().expect("words").push_str(&format!("{line}\n"));
            }
        });
        (ClusterProcess(child, words), last)
    }

    /// Asks it to stop, as a service manager does, and waits for it.
    pub fn stop(self) {
        self.signal("-TERM");
        let status = self.end();
        assert!(status.success(), "{status}");
    }

    /// Waits until it ends.
    pub fn end(mut self) -> ExitStatus {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.0.try_wait().expect("a status") {
                return status;
            }
            std::thread::sleep(PAUSE);
        }
        panic!("it does not stop");
    }

    /// Sends a signal, such as `-TERM`.
    pub fn signal(&self, signal: &str) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill").success());
    }

    /// Fails when it has ended.
    pub fn assert_runs(&mut self) {
        let ended = self.0.try_wait().expect("a status");
        assert!(ended.is_none(), "{ended:?}: {}", self.1.lock().expect("words"));
    }

    /// Hundredths of a second that it has used a processor for.
    pub fn used(&self) -> u64 {
        let path = format!("/proc/{}/stat", self.0.id());
        let stat = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        // The second field, the name of the program in parentheses, may hold anything.
        let fields = stat.rsplit_once(')').map(|(_, fields)| fields).expect("a name");
        fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum()
    }
}

impl Drop for ClusterProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
