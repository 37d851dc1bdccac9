//! What the hooks cost, as a histogram per harness (spec 6.1): a small file of fixed size beside
//! the store, changed in place. It is no record: nothing is synced, and of two hooks that count
//! in the same moment one may be lost.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::contract::refusal::{Code, Refusal};
use crate::contract::rollout::HookCost;
use crate::contract::tool::HookEvent;
use crate::journal::Paths;

use super::context::Context;

/// What the file begins with.
const MAGIC: &[u8; 8] = b"wfcost1\n";
/// Rows: a harness and a kind of event each.
const ROWS: usize = 32;
/// Bytes of a row's name.
const NAME: usize = 24;
/// Bounds of time in a row.
const BUCKETS: usize = 25;
/// Bytes of a row: its name, how often each bound was kept, and the longest time.
const ROW: usize = NAME + 4 * BUCKETS + 4;
/// Bytes of the file.
const SIZE: usize = MAGIC.len() + ROWS * ROW;

/// Upper bounds in microseconds, each about 1.4 times the one before; the last row of counts is
/// for what took longer than all.
const BOUNDS: [u32; BUCKETS - 1] = [
    500, 700, 1_000, 1_400, 2_000, 2_800, 4_000, 5_600, 8_000, 11_000, 16_000, 22_000, 32_000,
    45_000, 64_000, 90_000, 128_000, 180_000, 256_000, 360_000, 512_000, 720_000, 1_000_000,
    1_400_000,
];

static BEGAN: OnceLock<Instant> = OnceLock::new();

/// The process begins: from here on its one hook is timed.
pub fn begin() {
    BEGAN.get_or_init(Instant::now);
}

/// Counts the hook that is about to answer. What cannot be counted is left out.
pub fn note(context: &Context, harness: &str, event: &HookEvent) {
    let kind = match event {
        HookEvent::Before(_) => "before",
        HookEvent::After(_) => "after",
        _ => "other",
    };
    if let Some(began) = BEGAN.get() {
        drop(count(
            context,
            &format!("{harness} {kind}"),
            began.elapsed(),
        ));
    }
}

/// Reads the histogram: a line a harness and kind of event; none where nothing was counted yet.
///
/// # Errors
/// The file is there and cannot be read.
pub fn read(context: &Context) -> Result<Vec<HookCost>, Refusal> {
    let path = Paths::of(&context.store).cost;
    let failed = |error: &std::io::Error| {
        let cause = format!("{} cannot be read: {error}", path.display());
        Refusal::new(Code::FileUnreadable, cause, "watchfloor status")
    };
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(&error)),
    };
    let table = Table::of(&file).map_err(|error| failed(&error))?;
    Ok((0..ROWS).filter_map(|row| table.cost(row)).collect())
}

fn count(context: &Context, name: &str, took: Duration) -> std::io::Result<()> {
    let path = Paths::of(&context.store).cost;
    count_in(&path, context.store.exists(), name, took)
}

fn count_in(path: &Path, make: bool, name: &str, took: Duration) -> std::io::Result<()> {
    let file = opened(path, make)?;
    let mut table = Table::of(&file)?;
    let Some(row) = table.row_for(name) else {
        return Ok(());
    };
    let us = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
    table.add(row, us);
    let at = row * ROW + MAGIC.len();
    if table.fresh {
        return file.write_all_at(&table.bytes, 0);
    }
    file.write_all_at(&table.bytes[at..at + ROW], at as u64)
}

/// The file; it is made only beside a store.
fn opened(path: &Path, make: bool) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match options.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && make => {
            options.create(true).mode(0o600).open(path)
        }
        other => other,
    }
}

/// The file's bytes.
struct Table {
    bytes: Vec<u8>,
    /// It was empty, or none of ours: it is written anew.
    fresh: bool,
}

impl Table {
    fn of(file: &File) -> std::io::Result<Self> {
        let mut bytes = vec![0; SIZE];
        let mut read = 0;
        while read < SIZE {
            match file.read_at(&mut bytes[read..], read as u64)? {
                0 => break,
                more => read += more,
            }
        }
        let fresh = read < SIZE || !bytes.starts_with(MAGIC);
        if fresh {
            bytes.fill(0);
            bytes[..MAGIC.len()].copy_from_slice(MAGIC);
        }
        Ok(Self { bytes, fresh })
    }

    fn name(&self, row: usize) -> &[u8] {
        let at = MAGIC.len() + row * ROW;
        let name = &self.bytes[at..at + NAME];
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(NAME);
        &name[..end]
    }

    /// The row with this name, or a free one that gets it.
    fn row_for(&mut self, name: &str) -> Option<usize> {
        let name = name.as_bytes();
        if name.len() > NAME || name.contains(&0) {
            return None;
        }
        let known = (0..ROWS).find(|row| self.name(*row) == name);
        known.or_else(|| {
            let row = (0..ROWS).find(|row| self.name(*row).is_empty())?;
            let at = MAGIC.len() + row * ROW;
            self.bytes[at..at + name.len()].copy_from_slice(name);
            Some(row)
        })
    }

    fn number(&self, row: usize, index: usize) -> u32 {
        let at = MAGIC.len() + row * ROW + NAME + 4 * index;
        let bytes = self.bytes[at..at + 4].try_into();
        bytes.map_or(0, u32::from_le_bytes)
    }

    fn put(&mut self, row: usize, index: usize, number: u32) {
        let at = MAGIC.len() + row * ROW + NAME + 4 * index;
        self.bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }

    fn add(&mut self, row: usize, us: u32) {
        let bucket = BOUNDS.partition_point(|bound| *bound < us);
        let counted = self.number(row, bucket).saturating_add(1);
        self.put(row, bucket, counted);
        let longest = self.number(row, BUCKETS).max(us);
        self.put(row, BUCKETS, longest);
    }

    fn cost(&self, row: usize) -> Option<HookCost> {
        let name = String::from_utf8_lossy(self.name(row)).into_owned();
        let (harness, event) = name.split_once(' ')?;
        let counts: Vec<u64> = (0..BUCKETS)
            .map(|i| u64::from(self.number(row, i)))
            .collect();
        let calls = counts.iter().sum();
        let max_us = u64::from(self.number(row, BUCKETS));
        let share = |hundredths: u64| {
            let mut left = calls * hundredths / 100;
            for (count, bound) in counts.iter().zip(BOUNDS) {
                if left < *count {
                    return u64::from(bound).min(max_us);
                }
                left -= count;
            }
            max_us
        };
        (calls > 0).then(|| HookCost {
            harness: harness.to_owned(),
            event: event.to_owned(),
            calls,
            p50_us: share(50),
            p95_us: share(95),
            p99_us: share(99),
            max_us,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut bytes = vec![0; SIZE];
        bytes[..MAGIC.len()].copy_from_slice(MAGIC);
        Table {
            bytes,
            fresh: false,
        }
    }

    #[test]
    fn the_shares_are_bounds_that_hold() {
        let mut table = table();
        let row = table.row_for("claude before").unwrap();
        for us in 1..=1_000 {
            table.add(row, us * 10);
        }
        let cost = table.cost(row).unwrap();
        assert_eq!(
            (cost.harness.as_str(), cost.event.as_str()),
            ("claude", "before")
        );
        assert_eq!((cost.calls, cost.max_us), (1_000, 10_000));
        for (bound, exact) in [
            (cost.p50_us, 5_000),
            (cost.p95_us, 9_500),
            (cost.p99_us, 9_900),
        ] {
            assert!(
                bound >= exact && bound <= exact * 3 / 2,
                "{bound} for {exact}"
            );
        }
        table.add(row, u32::MAX);
        assert_eq!(table.cost(row).unwrap().max_us, u64::from(u32::MAX));
    }

    #[test]
    fn counting_makes_a_small_file_and_costs_microseconds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.cost");
        assert!(count_in(&path, false, "pi before", Duration::from_millis(3)).is_err());
        std::fs::write(&path, b"something else").unwrap();
        let begun = Instant::now();
        for number in 0..1_000 {
            let took = Duration::from_micros(1_000 + number);
            count_in(&path, true, "pi before", took).unwrap();
        }
        let each = begun.elapsed() / 1_000;
        assert!(each < Duration::from_millis(2), "{each:?}");
        println!("{each:?} a count");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), SIZE as u64);
        let table = Table::of(&File::open(&path).unwrap()).unwrap();
        assert_eq!(table.cost(0).unwrap().calls, 1_000);
    }

    #[test]
    fn rows_are_found_again_until_there_are_no_more() {
        let mut table = table();
        for number in 0..ROWS {
            assert_eq!(table.row_for(&format!("h{number} after")), Some(number));
        }
        assert_eq!(table.row_for("h3 after"), Some(3));
        assert_eq!(table.row_for("one more"), None);
        assert_eq!(table.row_for(&"x".repeat(NAME + 1)), None);
    }
}
