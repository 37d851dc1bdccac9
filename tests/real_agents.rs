//! Real agents, headless, against a scripted model: `scripts/real_agents` does it, and proves each
//! fact. `WATCHFLOOR_HARNESSES` names the folder that they are installed in.

use std::io::Write;
use std::path::Path;
use std::process::Command;

#[test]
fn a_breaker_stops_real_agents_and_a_reset_lets_them_go_on() {
    let Some(harnesses) = std::env::var_os("WATCHFLOOR_HARNESSES").filter(|at| !at.is_empty())
    else {
        // Past the capture of tests: who runs them should see that this one did nothing.
        let why = "real_agents skipped: WATCHFLOOR_HARNESSES names no folder of installed agents";
        drop(writeln!(std::io::stderr(), "{why}"));
        return;
    };
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/real_agents");
    let status = Command::new("python3")
        .arg(program)
        .args(["--binary", env!("CARGO_BIN_EXE_watchfloor")])
        .arg("--harnesses")
        .arg(harnesses)
        .status();
    assert!(status.is_ok_and(|status| status.success()));
}
