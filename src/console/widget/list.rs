//! Columns of a list: which are shown in so many columns, and how wide.

/// One column of a list.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name, on the line above the rows.
    pub title: &'static str,
    /// Columns of the terminal that it takes at least.
    pub width: usize,
    /// Its share of what is left over; 0 keeps it at its width.
    pub share: usize,
    /// Shown when the list is at least so wide.
    pub from: usize,
}

/// A column that is always shown.
#[must_use]
pub const fn column(title: &'static str, width: usize) -> Column {
    Column {
        title,
        width,
        share: 0,
        from: 0,
    }
}

impl Column {
    /// Takes a share of what is left over.
    #[must_use]
    pub const fn share(mut self, share: usize) -> Self {
        self.share = share;
        self
    }

    /// Only in lists that are at least so wide.
    #[must_use]
    pub const fn from(mut self, from: usize) -> Self {
        self.from = from;
        self
    }
}

/// The width of each column; 0 for those that are not shown. One blank stands between two.
#[must_use]
pub fn widths(columns: &[Column], total: usize) -> Vec<usize> {
    let shown = |c: &&Column| total >= c.from;
    let count = columns.iter().filter(shown).count();
    let fixed: usize = columns.iter().filter(shown).map(|c| c.width).sum();
    let shares: usize = columns.iter().filter(shown).map(|c| c.share).sum();
    let spare = total.saturating_sub(fixed + count.saturating_sub(1));
    let (mut left, mut shares) = (spare, shares);
    let mut widths = Vec::with_capacity(columns.len());
    for c in columns {
        let extra = if total < c.from {
            0
        } else {
            left * c.share / shares.max(1)
        };
        widths.push(if total < c.from { 0 } else { c.width + extra });
        if total >= c.from {
            left -= extra;
            shares -= c.share;
        }
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_share_what_is_left_and_step_aside() {
        let columns = [
            column("a", 4),
            column("b", 4).share(1),
            column("c", 6).from(40),
        ];
        assert_eq!(widths(&columns, 20), [4, 15, 0]);
        assert_eq!(widths(&columns, 40), [4, 28, 6]);
        assert_eq!(widths(&columns, 3), [4, 4, 0]);
    }
}
