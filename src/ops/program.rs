//! Another program, run for so long and heard out for so much.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Pause between two looks whether it is over, or is to be stopped.
const LOOK: Duration = Duration::from_millis(20);

/// How much of a program is borne.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// For how long it may run.
    pub time: Duration,
    /// How many bytes of it are read.
    pub bytes: usize,
}

/// What a program said.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// What it wrote to its standard output, as far as it was read.
    pub bytes: Vec<u8>,
    /// It had more to say than is read.
    pub cut: bool,
    /// Whether it ended well.
    pub success: bool,
}

impl Ran {
    /// What it wrote, as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Why a program did not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It cannot be started.
    Missing,
    /// It took longer than is borne.
    Late,
    /// Nobody wants to know any more.
    Stopped,
}

/// Runs a program as a group of its own: no input, its errors unheard. What is left of the group
/// is ended when it takes too long, says too much, or is to be stopped.
///
/// # Errors
/// It cannot be started, takes too long, or was stopped.
pub fn run(command: &mut Command, bounds: Bounds, stop: &AtomicBool) -> Result<Ran, Broken> {
    let until = Instant::now() + bounds.time;
    // Asked before and after each wait: a program that is quick would else be heard out by someone
    // who had long lost interest.
    if let Some(why) = over(until, stop) {
        return Err(why);
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|_| Broken::Missing)?;
    let heard = hear(&mut child, bounds.bytes);
    let heard = loop {
        let told = heard.recv_timeout(LOOK);
        if let Some(why) = over(until, stop) {
            break Err(why);
        }
        match told {
            Ok(heard) => break Ok(heard),
            Err(RecvTimeoutError::Disconnected) => break Ok((Vec::new(), false)),
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    let (bytes, cut) = match heard {
        Ok(heard) => heard,
        Err(why) => {
            end(&mut child);
            return Err(why);
        }
    };
    if cut {
        end(&mut child);
        return Ok(Ran {
            bytes,
            cut,
            success: true,
        });
    }
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                return Ok(Ran {
                    bytes,
                    cut,
                    success: status.success(),
                });
            }
            Ok(None) => thread::sleep(LOOK),
            Err(_) => return Err(Broken::Missing),
        }
        if let Some(why) = over(until, stop) {
            end(&mut child);
            return Err(why);
        }
    }
}

fn over(until: Instant, stop: &AtomicBool) -> Option<Broken> {
    if stop.load(Ordering::Relaxed) {
        return Some(Broken::Stopped);
    }
    (Instant::now() >= until).then_some(Broken::Late)
}

/// Reads in a thread of its own, so that a program that says nothing keeps nobody waiting.
fn hear(child: &mut Child, most: usize) -> mpsc::Receiver<(Vec<u8>, bool)> {
    let (send, heard) = mpsc::sync_channel(1);
    if let Some(out) = child.stdout.take() {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
            let _ = out.take(limit).read_to_end(&mut bytes);
            let cut = bytes.len() > most;
            bytes.truncate(most);
            // Whoever asked may have gone.
            let _ = send.send((bytes, cut));
        });
    }
    heard
}

/// Ends a program and what it started.
fn end(child: &mut Child) {
    let group = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Bounds = Bounds {
        time: Duration::from_secs(20),
        bytes: 1_000,
    };

    fn shell(words: &str, bounds: Bounds, stop: bool) -> Result<Ran, Broken> {
        let stop = AtomicBool::new(stop);
        run(Command::new("sh").args(["-c", words]), bounds, &stop)
    }

    #[test]
    fn it_is_heard_to_its_end_and_no_further() {
        let ran = shell("printf abc; exit 3", SHORT, false).unwrap();
        assert_eq!(
            (ran.text().as_str(), ran.cut, ran.success),
            ("abc", false, false)
        );
        let ran = shell("yes", SHORT, false).unwrap();
        assert_eq!((ran.bytes.len(), ran.cut), (1_000, true));
        let none = run(
            &mut Command::new("/no/such/program"),
            SHORT,
            &AtomicBool::new(false),
        );
        assert_eq!(none.unwrap_err(), Broken::Missing);
    }

    #[test]
    fn what_hangs_is_ended_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let words = format!("sleep 600 & echo $! > {}; wait", file.display());
        let bounds = Bounds {
            time: Duration::from_secs(2),
            ..SHORT
        };
        assert_eq!(shell(&words, bounds, false).unwrap_err(), Broken::Late);
        let pid: u32 = std::fs::read_to_string(&file)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(20);
        let runs = || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !stat.is_empty() && !stat.contains(") Z ")
        };
        while runs() {
            assert!(Instant::now() < until, "{pid} still runs");
        }
    }

    #[test]
    fn who_does_not_want_to_know_is_not_told_however_quick_it_is() {
        for words in ["true", "sleep 600"] {
            let found = shell(words, SHORT, true).unwrap_err();
            assert_eq!(found, Broken::Stopped, "{words}");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("begun");
        let words = format!("echo > {}; sleep 600", file.display());
        let stop = AtomicBool::new(false);
        let found = thread::scope(|scope| {
            let ran = scope.spawn(|| run(Command::new("sh").args(["-c", &words]), SHORT, &stop));
            let until = Instant::now() + SHORT.time;
            while !file.exists() && Instant::now() < until {
                thread::yield_now();
            }
            stop.store(true, Ordering::Relaxed);
            ran.join().unwrap()
        });
        assert_eq!(found.unwrap_err(), Broken::Stopped);
        assert!(file.exists(), "it ran before it was stopped");
    }
}
