//! Assets as rows.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{Float32Builder, Int64Builder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use rezkit::Document;
use rezkit::document::Listed;
use rezkit::{Budget, Error, ErrorKind, FactValue, Opened, ReadOptions, Result, Severity, Unwrapped};

use crate::schema::{BOUNDS, COUNTS, Table};

/// Options of a scan.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The memory that reading one asset may allocate, in bytes: 1 GiB by default.
    pub max_bytes: u64,
    /// The upload profiles (of [`rezkit::PROFILES`]) that `findings` checks in addition to the rules of the formats.
    pub profiles: Vec<String>,
    /// Whether `properties` contains only stored values: no defaults, and no values from older forms.
    pub stored: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_bytes: rezkit::DEFAULT_MAX_BYTES, profiles: Vec::new(), stored: false }
    }
}

/// Turns a batch of assets, given as paths and bytes, into a batch of rows in the same order. gzip and ZIP are opened;
/// the path of an asset in a ZIP archive is `ARCHIVE/PATH`. An asset that cannot be read becomes a row of `assets` and
/// of `findings` with the error, and has no rows in the other tables.
///
/// # Errors
/// If a profile is unknown, or if the strings of a column exceed 2 GiB, the limit of one batch: scan fewer assets at
/// once.
pub fn scan<'a>(
    batch: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    table: Table,
    options: &Options,
) -> Result<RecordBatch, ArrowError> {
    scan_opened(batch.into_iter().map(|(path, bytes)| (path, Ok(bytes))), table, options)
}

/// Like [`scan`], but the bytes may be the error of a file that could not be opened. The row of such a file has the
/// error and no hash.
///
/// # Errors
/// Like [`scan`].
pub fn scan_opened<'a>(
    batch: impl IntoIterator<Item = (&'a str, std::result::Result<&'a [u8], String>)>,
    table: Table,
    options: &Options,
) -> Result<RecordBatch, ArrowError> {
    if let Some(profile) = options.profiles.iter().find(|name| !rezkit::PROFILES.contains(&name.as_str())) {
        let known = rezkit::PROFILES.join(", ");
        return Err(ArrowError::InvalidArgumentError(format!(
            "unknown profile {profile:?}, expected one of {known}"
        )));
    }
    let mut rows = Rows::new(table);
    for (path, bytes) in batch {
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(why) => {
                rows.asset(path, "", 0, Err(Error::unreadable(why)), options)?;
                continue;
            }
        };
        let hash = blake3::hash(bytes).to_hex();
        let read = ReadOptions::new().max_bytes(options.max_bytes);
        match rezkit::unwrap(bytes.to_vec(), &read) {
            Ok(parts) if parts.is_empty() => {
                let error =
                    Error::new(ErrorKind::Unknown, "the archive contains no asset that rezkit can read");
                rows.asset(path, &hash, bytes.len(), Err(error), options)?;
            }
            Ok(parts) => {
                for part in &parts {
                    let inner = match part.name.is_empty() || part.name.starts_with('#') {
                        true => format!("{path}{}", part.name),
                        false => format!("{path}/{}", part.name),
                    };
                    let opened = open(&read, part, path);
                    rows.asset(&inner, &hash, part.bytes.len(), opened, options)?;
                }
            }
            Err(error) => rows.asset(path, &hash, bytes.len(), Err(error), options)?,
        }
    }
    rows.finish()
}

fn open(read: &ReadOptions, part: &Unwrapped, path: &str) -> Result<Opened<'static>> {
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    read.open_part(part, file, ())
}

/// The builders of the columns of one table.
#[allow(clippy::large_enum_variant, reason = "there is one of them")]
enum Rows {
    Assets {
        first: [StringBuilder; 4],
        bytes: UInt64Builder,
        counts: [UInt64Builder; COUNTS.len()],
        references: UInt64Builder,
        bounds: [Float32Builder; BOUNDS.len()],
        errors: [StringBuilder; 2],
    },
    Findings {
        texts: [StringBuilder; 7],
        count: UInt64Builder,
    },
    Instances {
        first: [StringBuilder; 2],
        numbers: [Int64Builder; 2],
        texts: [StringBuilder; 3],
    },
    References {
        texts: [StringBuilder; 3],
        asset: UInt64Builder,
        last: [StringBuilder; 2],
    },
    Properties {
        first: [StringBuilder; 2],
        referent: Int64Builder,
        texts: [StringBuilder; 6],
    },
}

/// Adds a text to a column. It is an error if the texts exceed 2 GiB, the limit of the column's 32-bit offsets.
fn push(column: &mut StringBuilder, text: Option<&str>) -> Result<(), ArrowError> {
    let length = column.values_slice().len() + text.map_or(0, str::len);
    if i32::try_from(length).is_err() {
        return Err(ArrowError::OffsetOverflowError(length));
    }
    column.append_option(text);
    Ok(())
}

/// Adds a row of texts.
fn push_all<'a, const N: usize>(
    columns: &mut [StringBuilder; N],
    texts: [impl Into<Option<&'a str>>; N],
) -> Result<(), ArrowError> {
    columns.iter_mut().zip(texts).try_for_each(|(column, text)| push(column, text.into()))
}

impl Rows {
    fn new(table: Table) -> Self {
        match table {
            Table::Assets => Self::Assets {
                first: Default::default(),
                bytes: Default::default(),
                counts: Default::default(),
                references: Default::default(),
                bounds: Default::default(),
                errors: Default::default(),
            },
            Table::Findings => Self::Findings { texts: Default::default(), count: Default::default() },
            Table::Instances => Self::Instances {
                first: Default::default(),
                numbers: Default::default(),
                texts: Default::default(),
            },
            Table::References => Self::References {
                texts: Default::default(),
                asset: Default::default(),
                last: Default::default(),
            },
            Table::Properties => Self::Properties {
                first: Default::default(),
                referent: Default::default(),
                texts: Default::default(),
            },
        }
    }

    fn table(&self) -> Table {
        match self {
            Self::Assets { .. } => Table::Assets,
            Self::Findings { .. } => Table::Findings,
            Self::Instances { .. } => Table::Instances,
            Self::References { .. } => Table::References,
            Self::Properties { .. } => Table::Properties,
        }
    }

    fn asset(
        &mut self,
        path: &str,
        hash: &str,
        length: usize,
        opened: Result<Opened<'static>>,
        options: &Options,
    ) -> Result<(), ArrowError> {
        match self {
            Self::Assets { first, bytes, counts, references, bounds, errors } => {
                let info = opened.as_ref().map(Opened::info);
                let known = info.as_ref().ok();
                let uses = opened.as_ref().ok().filter(|opened| can_refer(opened)).map(Opened::assets);
                references
                    .append_option(uses.as_ref().and_then(|uses| Some(uses.as_ref().ok()?.len() as u64)));
                push_all(
                    first,
                    [Some(path), Some(hash), known.map(|info| info.format), known.map(|info| &*info.version)],
                )?;
                bytes.append_value(length as u64);
                let facts = known.map_or(&[][..], |info| &info.facts);
                for (column, (_, names)) in counts.iter_mut().zip(COUNTS) {
                    column.append_option(names.iter().find_map(|name| counted(facts, name)));
                }
                let corners = facts.iter().find_map(|fact| match fact.value {
                    FactValue::Bounds(corners) => Some(corners),
                    _ => None,
                });
                for (index, column) in bounds.iter_mut().enumerate() {
                    column.append_option(corners.map(|corners| corners[index / 3][index % 3]));
                }
                let error =
                    info.as_ref().err().copied().or(uses.as_ref().and_then(|uses| uses.as_ref().err()));
                let text = error.map(ToString::to_string);
                push_all(errors, [error.map(|error| error.kind().as_str()), text.as_deref()])
            }
            Self::Findings { texts, count } => {
                let checked = opened.and_then(|opened| checked(opened, options));
                let mut add = |row: [&str; 4], demands: Option<&str>, number: usize| {
                    count.append_value(number as u64);
                    let [rule, severity, at, found] = row.map(Some);
                    push_all(texts, [Some(path), Some(hash), rule, severity, at, found, demands])
                };
                match checked {
                    Ok(findings) => findings.iter().try_for_each(|finding| {
                        let severity = finding.severity.as_str();
                        let row = [finding.rule, severity, &finding.path, &finding.found];
                        add(row, Some(finding.demands), finding.count)
                    }),
                    Err(error) => {
                        let severity = Severity::Error.as_str();
                        add([error.kind().as_str(), severity, error.path(), error.reason()], None, 1)
                    }
                }
            }
            Self::Instances { first, numbers, texts } => {
                let document = opened.ok().and_then(|opened| Document::of(opened.into_content()).ok());
                match document {
                    Some(document) => {
                        instances(&document, [path, hash], options.max_bytes, first, numbers, texts)
                    }
                    None => Ok(()),
                }
            }
            Self::References { texts, asset, last } => {
                let Some(Ok(uses)) = opened.ok().filter(can_refer).map(|opened| opened.assets()) else {
                    return Ok(());
                };
                let places = uses
                    .iter()
                    .flat_map(|(reference, places)| places.iter().map(move |place| (reference, place)));
                for (reference, place) in places {
                    let (at, property) = match place.rsplit_once('.') {
                        Some((at, property)) if !property.contains('/') => (at, Some(property)),
                        _ => (&**place, None),
                    };
                    push_all(texts, [path, hash, reference])?;
                    asset.append_option(rezkit::assets::id(reference).and_then(|id| id.parse().ok()));
                    push_all(last, [property, Some(at)])?;
                }
                Ok(())
            }
            Self::Properties { first, referent, texts } => {
                let document = opened.ok().and_then(|opened| Document::of(opened.into_content()).ok());
                let Some(document) = document else { return Ok(()) };
                let mut add = |number: Option<usize>, row: [Option<&str>; 6]| {
                    push_all(first, [path, hash])?;
                    referent.append_option(number.and_then(|number| i64::try_from(number).ok()));
                    push_all(texts, row)
                };
                match properties(&document, [path, hash], options, &mut add)? {
                    Ok(()) => Ok(()),
                    Err(error) => add(None, [None, None, None, None, None, Some(&error.to_string())]),
                }
            }
        }
    }

    fn finish(self) -> Result<RecordBatch, ArrowError> {
        let schema = self.table().schema();
        let columns: Vec<ArrayRef> = match self {
            Self::Assets { first, mut bytes, counts, mut references, bounds, errors } => {
                let mut columns = strings(first);
                columns.push(Arc::new(bytes.finish()));
                columns.extend(counts.map(|mut column| Arc::new(column.finish()) as ArrayRef));
                columns.push(Arc::new(references.finish()));
                columns.extend(bounds.map(|mut column| Arc::new(column.finish()) as ArrayRef));
                columns.extend(strings(errors));
                columns
            }
            Self::Findings { texts, mut count } => {
                let mut columns = strings(texts);
                columns.push(Arc::new(count.finish()));
                columns
            }
            Self::Instances { first, numbers, texts } => {
                let mut columns = strings(first);
                columns.extend(numbers.map(|mut column| Arc::new(column.finish()) as ArrayRef));
                columns.extend(strings(texts));
                columns
            }
            Self::References { texts, mut asset, last } => {
                let mut columns = strings(texts);
                columns.push(Arc::new(asset.finish()));
                columns.extend(strings(last));
                columns
            }
            Self::Properties { first, mut referent, texts } => {
                let mut columns = strings(first);
                columns.push(Arc::new(referent.finish()));
                columns.extend(strings(texts));
                columns
            }
        };
        RecordBatch::try_new(schema, columns)
    }
}

/// The number of things of a kind in a file.
fn counted(facts: &[rezkit::Fact], name: &str) -> Option<u64> {
    facts.iter().find_map(|fact| match fact.value {
        FactValue::Count(count) if fact.name == name => Some(count),
        _ => None,
    })
}

/// Whether texts of a format can refer to assets. In other formats, links in texts such as licences are no references.
fn can_refer(opened: &Opened<'_>) -> bool {
    opened.file_type().has_editable_values()
}

fn strings<const N: usize>(columns: [StringBuilder; N]) -> Vec<ArrayRef> {
    columns.map(|mut column| Arc::new(column.finish()) as ArrayRef).into()
}

/// Adds a row for each instance. Paths are null after the first that exceeds `max_bytes` in total: in a chain of
/// instances, each path is longer than the last.
fn instances(
    document: &Document,
    [path, hash]: [&str; 2],
    max_bytes: u64,
    first: &mut [StringBuilder; 2],
    [referents, parents]: &mut [Int64Builder; 2],
    texts: &mut [StringBuilder; 3],
) -> Result<(), ArrowError> {
    let mut row_of: HashMap<_, usize> = HashMap::with_capacity(document.len());
    let (mut paths, mut budget, mut fits) = (document.paths(), Budget::new(max_bytes), true);
    for (row, id) in document.instances().enumerate() {
        let parent = document.parent(id).and_then(|parent| row_of.get(&parent).copied());
        row_of.insert(id, row);
        push_all(first, [path, hash])?;
        referents.append_value(i64::try_from(row).unwrap_or(i64::MAX));
        parents.append_option(parent.and_then(|parent| i64::try_from(parent).ok()));
        let own = if fits { paths.of(id, &mut budget).ok() } else { None };
        fits = own.is_some();
        let [class, name] = [document.class(id), document.name(id)].map(|of| of.map(ToString::to_string));
        push_all(texts, [class.as_deref(), name.as_deref(), own.as_deref()])?;
    }
    Ok(())
}

type Add<'a> = dyn FnMut(Option<usize>, [Option<&str>; 6]) -> Result<(), ArrowError> + 'a;

/// Calls `add` with a row for each property of each instance. The inner error is that of a document whose rows exceed
/// `max_bytes`.
fn properties(
    document: &Document,
    [path, hash]: [&str; 2],
    options: &Options,
    add: &mut Add<'_>,
) -> Result<Result<()>, ArrowError> {
    let (mut paths, mut budget) = (document.paths(), Budget::new(options.max_bytes));
    for (number, id) in document.instances().enumerate() {
        let class = document.class(id).unwrap_or_default().to_string();
        let listed = document.listed(id, options.stored, &mut paths, &mut budget);
        let listed = listed.and_then(|listed| {
            let each = (path.len() + hash.len() + class.len()) * listed.len();
            budget.take(each as u64, "the rows of properties").map(|()| listed)
        });
        let listed = match listed {
            Ok(listed) => listed,
            Err(error) => return Ok(Err(error)),
        };
        for Listed { property, kind, value, source, .. } in &listed {
            let row = [&*class, property, kind, value, source.as_str()].map(Some);
            let [class, property, kind, value, source] = row;
            add(Some(number), [class, property, kind, value, source, None])?;
        }
    }
    Ok(Ok(()))
}

/// The findings of an asset, with those of the profiles that apply to it.
fn checked(mut opened: Opened<'static>, options: &Options) -> rezkit::Result<Vec<rezkit::Finding>> {
    let profiles: Vec<&str> = options.profiles.iter().map(String::as_str).collect();
    match opened.check(&profiles, None) {
        // A profile that does not apply to the asset, such as one without geometry, is left out.
        Err(error) if matches!(error.kind(), ErrorKind::Argument | ErrorKind::Empty) => {
            opened.check(&[], None)
        }
        checked => checked,
    }
}
