//! What judging costs, in microseconds of processor time: usual commands, and 64 KiB of hostile
//! shell. `cargo bench --bench guard` prints a line for each.

use rustix::time::{ClockId, clock_gettime};
use watchfloor::contract::guard::Policy;
use watchfloor::rules::guard::{judge, judge_result};

/// Usual commands, from short to long.
const USUAL: [&str; 8] = [
    "git status",
    "ls -la src",
    "cargo test --lib parser 2>&1 | tail -20",
    "git add -A && git commit -m \"parser: read empty lines\"",
    "grep -rn 'fn parse' src | head -40",
    "cd web && npm run build",
    "cat > notes.md <<'EOF'\nA line of notes.\nAnother one; rm -rf / is only a text here.\nEOF",
    "for f in src/*.rs; do echo \"$f\"; wc -l \"$f\"; done",
];

/// Pieces that are hard to read many times over.
const HOSTILE: [&str; 24] = [
    "$(",
    "\"$(",
    "`",
    "((",
    "${a:-",
    "{a,",
    "{a,b}",
    "'",
    "\"",
    "<<E\n",
    "a|",
    "a;",
    "@(",
    "f(){ :; };f;",
    "x=$x$x$x$x;echo $x;",
    "eval ",
    "> ",
    "<(",
    "os.system(\"",
    "xargs ",
    "git -c alias.a=b a;",
    "(X=a);",
    "token=",
    "cd x;",
];

fn cost(times: u32, mut run: impl FnMut()) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        std::time::Duration::try_from(time).unwrap_or_default()
    };
    let begun = now();
    for _ in 0..times {
        run();
    }
    (now() - begun).as_secs_f64() * 1e6 / f64::from(times)
}

fn main() {
    let policy = Policy {
        workspace: "/w/app".to_owned(),
        cwd: "/w/app".to_owned(),
        home: "/home/dev".to_owned(),
        ..Policy::default()
    };
    println!("usual commands");
    for line in USUAL {
        let cost = cost(1000, || drop(judge("Bash", line, &policy)));
        println!(
            "{cost:10.1} us  {}",
            line.lines().next().unwrap_or_default()
        );
    }
    println!(
        "64 KiB made of one piece: as shell, as inline code, as a result; and a quarter as shell"
    );
    for piece in HOSTILE {
        let text = piece.repeat(65_000 / piece.len());
        let code = format!("python3 -c '{}'", text.replace('\'', "\""));
        let quarter = piece.repeat(16_250 / piece.len());
        let shell = cost(3, || drop(judge("Bash", &text, &policy)));
        let inline = cost(3, || drop(judge("Bash", &code, &policy)));
        let result = cost(3, || drop(judge_result("Bash", Some(1), &text, &policy)));
        let part = cost(3, || drop(judge("Bash", &quarter, &policy)));
        println!("{shell:10.0} {inline:10.0} {result:10.0} {part:10.0} us  {piece:?}");
    }
}
