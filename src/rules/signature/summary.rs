//! How many tests failed, as the summaries of common test runners tell it.

/// The number of failing tests in a test runner's output; `None` when no summary was found.
/// Summaries of several runs are added up.
#[must_use]
pub fn failing_tests(text: &str) -> Option<u64> {
    let mut total = None;
    for line in text.lines() {
        if let Some(failing) = line_count(line.trim()) {
            total = Some(total.unwrap_or(0_u64).saturating_add(failing));
        }
    }
    total
}

fn line_count(line: &str) -> Option<u64> {
    // go, TAP: a line a failing test.
    if line.starts_with("--- FAIL:") || line.starts_with("not ok ") {
        return Some(1);
    }
    // cargo, nextest, jest, vitest.
    let heads = ["test result: ", "Summary [", "Tests:", "Tests  "];
    if heads.iter().any(|head| line.starts_with(head)) {
        return told(line);
    }
    // unittest.
    if let Some(counts) = line.strip_prefix("FAILED (") {
        let pairs = counts.trim_end_matches(')').split(", ");
        let failing = pairs.filter_map(|pair| {
            let (name, number) = pair.split_once('=')?;
            let number = number.parse::<u64>().ok()?;
            matches!(name, "failures" | "errors").then_some(number)
        });
        return failing.reduce(u64::saturating_add);
    }
    // pytest.
    let bare = line.trim_matches('=').trim();
    let (counts, time) = bare.rsplit_once(" in ")?;
    let seconds = time.split(' ').next()?.strip_suffix('s')?;
    let timed = seconds.parse::<f64>().is_ok();
    let counted = counts.starts_with(|c: char| c.is_ascii_digit());
    if timed && counted { told(counts) } else { None }
}

/// The number before each `failed` and `error`; 0 where only passing ones are told.
fn told(line: &str) -> Option<u64> {
    let mut words = line
        .split([' ', ';', ',', '|', '.', '\t'])
        .filter(|w| !w.is_empty());
    let mut previous = words.next()?;
    let mut failing = None;
    for word in words {
        if let Ok(number) = previous.parse::<u64>() {
            let counts = match word {
                "failed" | "error" | "errors" => number,
                "passed" | "skipped" | "total" => 0,
                _ => {
                    previous = word;
                    continue;
                }
            };
            failing = Some(failing.unwrap_or(0_u64).saturating_add(counts));
        }
        previous = word;
    }
    failing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_common_runners_are_read() {
        for (text, failing) in [
            (
                "test result: FAILED. 1 passed; 2 failed; 0 ignored; finished in 0.1s",
                Some(2),
            ),
            ("test result: ok. 3 passed; 0 failed; 0 ignored", Some(0)),
            (
                "test result: FAILED. 1 failed\nx\ntest result: FAILED. 2 failed",
                Some(3),
            ),
            (
                "     Summary [   0.005s] 3 tests run: 1 passed, 2 failed, 0 skipped",
                Some(2),
            ),
            ("=== 2 failed, 3 passed in 0.12s ===", Some(2)),
            ("1 failed, 2 passed, 1 error in 0.03s", Some(2)),
            ("3 passed in 1.20s", Some(0)),
            ("2 errors in 0.03s", Some(2)),
            (
                "Test Suites: 1 failed, 1 total\nTests:       4 failed, 5 total",
                Some(4),
            ),
            (
                " Test Files  1 failed (1)\n      Tests  3 failed | 2 passed (5)",
                Some(3),
            ),
            (
                "--- FAIL: TestA (0.00s)\nok\n--- FAIL: TestB (0.00s)",
                Some(2),
            ),
            ("ok 1 - a\nnot ok 2 - b\nnot ok 3 - c", Some(2)),
            (
                "Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=2, skipped=4)",
                Some(3),
            ),
            ("FAILED (skipped=4)", None),
            ("error: could not compile", None),
            ("7 failed attempts", None),
            ("failed 3 times in 4s", None),
            ("3 failed in the end", None),
            ("3 failed in 4 tries", None),
            ("3 failed in 63.5s (0:01:03)", Some(3)),
            ("Tests: none", None),
            ("test result:", None),
            ("", None),
        ] {
            assert_eq!(failing_tests(text), failing, "{text}");
        }
    }
}
