//! The rows of an earlier run that `--resume` continues.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rezkit_table::arrow_array::RecordBatch;
use rezkit_table::arrow_array::cast::AsArray as _;

/// A row's path and hash.
pub(crate) type Row = (String, String);

/// The paths and the file hashes of the existing rows; as inputs are read, which rows are current and which outdated.
#[derive(Default)]
pub(crate) struct Known {
    rows: BTreeMap<String, BTreeSet<String>>,
    current: HashSet<Row>,
    outdated: HashSet<Row>,
}

impl Known {
    /// Adds the rows of a batch.
    pub(crate) fn add(&mut self, batch: &RecordBatch) {
        for (path, hash) in rows(batch) {
            match self.rows.get_mut(path) {
                Some(hashes) if hashes.contains(hash) => {}
                Some(hashes) => _ = hashes.insert(hash.to_owned()),
                None => _ = self.rows.insert(path.to_owned(), BTreeSet::from([hash.to_owned()])),
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether a file has rows with this hash; its rows with another hash become outdated. A file that cannot be opened
    /// has no hash: only the row of its own path is compared, not the rows of files in it.
    pub(crate) fn has(&mut self, path: &str, hash: Option<&str>) -> bool {
        let mut has = false;
        // The path of a file in an archive begins with the archive's path.
        let below = ["/", "#"].map(|mark| format!("{path}{mark}"));
        let below = below.iter().filter(|_| hash.is_some()).flat_map(|start| {
            let after = self.rows.range(start.clone()..);
            after.take_while(move |(row, _)| row.starts_with(start))
        });
        for (row, hashes) in self.rows.get_key_value(path).into_iter().chain(below) {
            for known in hashes {
                let row = (row.clone(), known.clone());
                match known == hash.unwrap_or_default() {
                    true => {
                        has = true;
                        self.current.insert(row);
                    }
                    false => _ = self.outdated.insert(row),
                }
            }
        }
        has
    }

    /// The outdated rows. A row that is also current is kept: an archive can have several files of one name.
    pub(crate) fn replaced(&self) -> HashSet<&Row> {
        self.outdated.difference(&self.current).collect()
    }
}

/// The path and the hash of each row.
pub(crate) fn rows(batch: &RecordBatch) -> impl Iterator<Item = (&str, &str)> {
    let texts = |name: &str| {
        let column = batch.column_by_name(name).map(|column| column.as_string::<i32>());
        column.into_iter().flat_map(|column| column.iter().map(Option::unwrap_or_default))
    };
    texts("path").zip(texts("blake3"))
}
