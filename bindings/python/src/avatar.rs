//! Avatar items of Roblox.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping};
use rezkit::ReadOptions;
use rezkit::avatar::{CheckOptions, Fitted, ItemReport, ItemType, Numbers, Row, Verdict};

use crate::error::{Error, Result, losses, python_type};
use crate::handle::{Handle, copied};
use crate::input::{Input, MAX_BYTES};
use crate::working::{self, Progress};

/// The name of the profile.
pub(crate) const PROFILE: &str = "roblox-avatar";

/// The arguments `rules` and `item_type`.
pub(crate) fn options(rules: Option<&Bound<'_, PyAny>>, item_type: Option<&str>) -> Result<CheckOptions> {
    let mut options = CheckOptions::default();
    if let Some(rules) = rules {
        let bytes = match rules.cast::<PyMapping>() {
            Ok(table) => {
                let text = table.py().import("json")?.call_method1("dumps", (table,))?;
                text.extract::<String>()?.into_bytes()
            }
            Err(_) => Input::of(rules, MAX_BYTES)?.bytes,
        };
        options.numbers = Numbers::from_json(&bytes)?;
    }
    if let Some(name) = item_type {
        options.kind = Some(ItemType::of_name(name).ok_or_else(|| {
            let known: Vec<&str> = ItemType::all().map(ItemType::name).collect();
            Error::Argument("item_type", format!("expected one of {}, found {name}", known.join(", ")))
        })?);
    }
    Ok(options)
}

/// The items of an asset, with the verdict of each rule.
pub(crate) fn items<'py>(
    py: Python<'py>,
    asset: &Handle,
    files: Option<Py<PyAny>>,
    (options, progress): (CheckOptions, &Progress),
) -> Result<Vec<Bound<'py, PyAny>>> {
    let asset = asset.held();
    let report = working::watched(py, progress, move || {
        let files = asset.beside.files(files);
        let found = asset.opened(&files).check_avatar(&options);
        files.after(found)
    })??;
    let item = |item: &ItemReport| {
        let row = |row: &Row| {
            let severity = row.severity.as_str();
            let verdict = if row.verdict == Verdict::Unseen { "unseen" } else { row.verdict.as_str() };
            let arguments = (row.rule, severity, &row.path, &row.found, &row.allowed, verdict, row.remedy);
            python_type!(py, "AvatarRow", arguments)
        };
        let rows = item.rows.iter().map(row).collect::<PyResult<Vec<_>>>()?;
        let head = format!("{} ({}): {}\n", item.path, item.kind.unwrap_or("unknown type"), item.sentence());
        let arguments = (&item.path, item.kind, item.scale, item.is_accepted(), rows, head + &item.table());
        python_type!(py, "AvatarItem", arguments)
    };
    Ok(report.items.iter().map(item).collect::<PyResult<_>>()?)
}

/// Mends the items of a document.
pub(crate) fn fit<'py>(
    py: Python<'py>,
    base: &Handle,
    files: Option<Py<PyAny>>,
    options: &CheckOptions,
) -> Result<Bound<'py, PyAny>> {
    let shared = base.shared();
    let (held, options) = (base.held(), options.clone());
    let made = working::run(py, move || {
        let files = held.beside.files(files);
        // A copy is edited, so that nothing is changed if the items cannot be mended.
        let copy = copied(held.shared())?;
        let mut opened = ReadOptions::new().max_bytes(held.max_bytes).open_content(copy, "model", &files);
        let fitted = opened.fit_avatar(&options);
        let fitted = files.after(fitted)?;
        Ok::<_, Error>((opened.into_content(), fitted))
    })?;
    let (asset, Fitted { changes, meshes, losses: lost, .. }) = made?;
    base.put(&shared, asset)?;
    let change = |change: &rezkit::avatar::Change| {
        python_type!(py, "Mended", (change.rule, &change.path, &change.before, &change.after))
    };
    let changes = changes.iter().map(change).collect::<PyResult<Vec<_>>>()?;
    let by_id = PyDict::new(py);
    for (id, mesh) in &meshes {
        by_id.set_item(id, PyBytes::new(py, mesh))?;
    }
    Ok(python_type!(py, "Fitted", (changes, by_id, losses(py, &lost)?))?)
}
