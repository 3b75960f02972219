//! Documents for the clients of other years.

use std::collections::HashMap;

use rbxcore::InstanceId;
use rbxdocument::Dom;
use rbxdocument::Form;
use rbxdocument::history::{self, ClientOptions, Month, UnionFile};

use super::form;
use crate::Finding;
use crate::fact::Fact;
use crate::file_type::Asset;
use crate::options::month;
use rezkit_core::{Error, Loss, Result, Rule, Severity};

/// The rules that a document for a client fulfils.
pub(crate) fn rules() -> Vec<Rule> {
    let rule = |&(id, demands): &(&'static str, &'static str)| {
        Rule::new(
            id,
            Severity::Warning,
            demands,
            "the monthly dumps of Roblox's API in RobloxAPI/build-archive",
        )
    };
    history::RULES.iter().map(rule).collect()
}

/// The rules of [`rules`] that a document breaks; `None` if the asset is none.
pub(crate) fn check(asset: &dyn Asset, text: &str, max_bytes: u64) -> Result<Option<Vec<Finding>>> {
    let Some(document) = form::of(asset) else { return Ok(None) };
    let rules = rules();
    let changes = history::check_client(document, month(text)?, max_bytes)?;
    let found = changes.into_iter().filter_map(|change| {
        let rule = rules.iter().find(|rule| rule.id == change.rule)?;
        let path = match &change.property {
            Some(property) => format!("{}.{property}", change.path),
            None => change.path.clone(),
        };
        let mut finding = Finding::new(rule, path, change.what);
        finding.count = change.count;
        Some(finding)
    });
    Ok(Some(found.collect()))
}

/// A document for a client, as a file: in the binary form, or else in XML. Before the clients had a binary form, always in
/// XML.
pub(crate) fn converted(
    asset: &dyn Asset,
    text: &str,
    is_binary: Option<bool>,
    (unions, terrain_parts): (HashMap<InstanceId, UnionFile>, Option<u32>),
    max_bytes: u64,
) -> Result<(Vec<u8>, Vec<Loss>)> {
    let document =
        form::of(asset).ok_or_else(|| Error::argument("a client reads Roblox places and models only"))?;
    let month = month(text)?;
    let mut options = ClientOptions::new().unions(unions).max_bytes(max_bytes);
    if let Some(step) = terrain_parts {
        options = options.terrain_parts(step);
    }
    if let Some(is_binary) = is_binary {
        options = options.form(if is_binary { Form::Binary } else { Form::Xml });
    }
    let made = history::to_client(document, month, &options)?;
    let losses = made.changes.iter().map(Loss::from).collect();
    Ok((made.document.to_vec()?, losses))
}

/// Whether the clients of a month know shared strings.
pub(crate) fn shares(text: &str) -> Result<bool> {
    Ok(history::has_kind(rbxcore::Kind::SharedString, month(text)?))
}

/// The oldest client that reads a document whole, and what decides it.
pub(super) fn facts(document: &dyn Dom, max_bytes: u64) -> Vec<Fact> {
    let Ok(oldest) = history::oldest(document, max_bytes) else { return Vec::new() };
    let before = if oldest.month == Month::OLDEST { " or before" } else { "" };
    let since = oldest.month.since();
    let place = |of: &history::Decides| match &*of.path {
        "" => String::new(),
        path => format!(", in {path}"),
    };
    let decides = oldest.decides.iter().map(|of| format!("{} ({}{})", of.what, of.month.since(), place(of)));
    let gone = oldest.gone.iter().map(|of| format!("{} (in {})", of.what, of.path));
    let unknown = oldest.unknown.iter().map(|of| format!("{} (in {})", of.what, of.path));
    let facts = [
        Fact::text("oldest client", since + before),
        Fact::names("decided by", decides),
        Fact::names("which it lacks", gone),
        Fact::names("in no client", unknown),
    ];
    facts.into_iter().flatten().collect()
}

/// Whether a finding takes a name of another year for a misspelling.
pub(super) fn is_history(finding: &Finding) -> bool {
    let name = || finding.path.rsplit(['.', '/']).next().unwrap_or_default();
    let quoted = || finding.found.split('"').nth(1).unwrap_or_default();
    match finding.rule.split_once('.') {
        Some((_, "stored-names")) => history::has_name(name()),
        Some((_, "stored-classes")) => history::class_span(quoted()).is_some(),
        _ => false,
    }
}
