//! Calls in code that are known, by their names.

/// What a call in code does with its first texts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Runs them in a shell.
    Runs,
    Deletes,
    Writes,
    Reads,
    /// Reaches another host.
    Reaches,
    Sends,
}

/// Calls, by how they are written up to the bracket.
const CALLS: [(&str, Does); 62] = [
    ("os.system", Does::Runs),
    ("os.popen", Does::Runs),
    ("subprocess.run", Does::Runs),
    ("subprocess.call", Does::Runs),
    ("subprocess.Popen", Does::Runs),
    ("subprocess.check_call", Does::Runs),
    ("subprocess.check_output", Does::Runs),
    ("subprocess.getoutput", Does::Runs),
    ("os.execvp", Does::Runs),
    ("os.execv", Does::Runs),
    ("os.execl", Does::Runs),
    ("os.execlp", Does::Runs),
    ("os.spawnlp", Does::Runs),
    ("pty.spawn", Does::Runs),
    ("execSync", Does::Runs),
    ("execFileSync", Does::Runs),
    ("spawnSync", Does::Runs),
    ("execFile", Does::Runs),
    (".exec", Does::Runs),
    ("spawn", Does::Runs),
    ("system", Does::Runs),
    ("popen", Does::Runs),
    ("shell_exec", Does::Runs),
    ("passthru", Does::Runs),
    ("exec", Does::Runs),
    ("IO.popen", Does::Runs),
    ("Open3.capture2e", Does::Runs),
    ("Deno.Command", Does::Runs),
    ("Bun.spawn", Does::Runs),
    ("os.execute", Does::Runs),
    ("check_output", Does::Runs),
    ("check_call", Does::Runs),
    ("Popen", Does::Runs),
    ("do shell script", Does::Runs),
    ("rmtree", Does::Deletes),
    ("os.remove", Does::Deletes),
    ("os.unlink", Does::Deletes),
    ("os.rmdir", Does::Deletes),
    ("os.removedirs", Does::Deletes),
    ("rmSync", Does::Deletes),
    ("unlinkSync", Does::Deletes),
    ("rmdirSync", Does::Deletes),
    ("fs.rm", Does::Deletes),
    ("fs.unlink", Does::Deletes),
    ("rimraf", Does::Deletes),
    ("FileUtils.rm_rf", Does::Deletes),
    ("FileUtils.rm_r", Does::Deletes),
    ("FileUtils.rm", Does::Deletes),
    ("File.delete", Does::Deletes),
    ("remove_tree", Does::Deletes),
    ("Deno.remove", Does::Deletes),
    ("unlink", Does::Deletes),
    ("removeSync", Does::Deletes),
    ("writeFileSync", Does::Writes),
    ("appendFileSync", Does::Writes),
    ("File.write", Does::Writes),
    ("file_put_contents", Does::Writes),
    ("readFileSync", Does::Reads),
    ("File.read", Does::Reads),
    ("file_get_contents", Does::Reads),
    ("open", Does::Reads),
    ("SSHClient", Does::Reaches),
];

/// More calls, of which the place before the bracket says enough.
const MORE: [(&str, Does); 19] = [
    ("os.execve", Does::Runs),
    ("os.execvpe", Does::Runs),
    ("os.execle", Does::Runs),
    ("os.execlpe", Does::Runs),
    ("os.spawnl", Does::Runs),
    ("os.spawnv", Does::Runs),
    ("os.spawnvp", Does::Runs),
    (".call", Does::Runs),
    (".run", Does::Runs),
    ("asyncssh.connect", Does::Reaches),
    ("Net::SSH.start", Does::Reaches),
    ("Net::SCP.upload!", Does::Reaches),
    ("fabric.Connection", Does::Reaches),
    ("pxssh.pxssh", Does::Reaches),
    ("requests.post", Does::Sends),
    ("requests.put", Does::Sends),
    ("requests.delete", Does::Sends),
    ("requests.patch", Does::Sends),
    ("axios.post", Does::Sends),
];

/// The known call whose name stands at the end of some code.
pub(super) fn known(before: &str) -> Option<(&'static str, Does)> {
    let mut all = CALLS.iter().chain(&MORE);
    all.find(|(name, _)| named(before, name)).copied()
}

/// Whether a text ends in a name that begins there.
fn named(before: &str, name: &str) -> bool {
    before.strip_suffix(name).is_some_and(|rest| {
        name.starts_with('.')
            || !rest.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$')
    })
}
