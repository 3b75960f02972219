//! What the tests of both forms share. A test takes an empty document, and is run with one of each form.

use std::any::Any;

use rbxcore::UniqueId;
use rbxdocument::errors::ErrorKind;
use rbxdocument::{AnyDocument, Dom, InstanceId, NewInstance, Result, from_slice};
use testkit::{Sample, corpus, fixtures};

/// Runs tests with an empty document of each form.
macro_rules! both {
    ($($test:ident)*) => {
        mod binary {
            $(#[test] fn $test() { super::$test(&mut rbxbinary::Document::new()) })*
        }
        mod xml {
            $(#[test] fn $test() { super::$test(&mut rbxxml::Document::new()) })*
        }
    };
}
pub(crate) use both;

/// The fixtures and the real files of both forms.
pub(crate) fn files() -> impl Iterator<Item = Sample> {
    ["rbxbinary", "rbxxml"].into_iter().flat_map(|name| fixtures(name).into_iter().chain(corpus(name)))
}

/// A copy of the document that can be compared and written.
pub(crate) fn any(document: &dyn Dom) -> AnyDocument {
    let any: &dyn Any = document;
    match any.downcast_ref::<rbxbinary::Document>() {
        Some(binary) => binary.clone().into(),
        None => any.downcast_ref::<rbxxml::Document>().unwrap().clone().into(),
    }
}

/// One of two values for the form of the document.
pub(crate) fn by_form<T>(document: &dyn Dom, binary: T, xml: T) -> T {
    if matches!(any(document), AnyDocument::Binary(_)) { binary } else { xml }
}

pub(crate) fn named(class: &str, name: &str) -> NewInstance {
    NewInstance::new(class).property("Name", name)
}

pub(crate) fn unique(index: u32) -> UniqueId {
    UniqueId { random: 7, time: 8, index }
}

/// A workspace with a model, which has a door, and lighting.
pub(crate) fn place(document: &mut dyn Dom) -> [InstanceId; 4] {
    let model =
        named("Model", "a/b").child(named("Door", "Part").label("part")).reference("PrimaryPart", "part");
    let workspace = named("Workspace", "Workspace").service(true).child(model);
    let workspace = document.insert(None, workspace).unwrap();
    let lighting = document.insert(None, named("Lighting", "Lighting").service(true)).unwrap();
    let model = document.children(workspace).next().unwrap();
    [workspace, model, document.children(model).next().unwrap(), lighting]
}

pub(crate) fn names(document: &dyn Dom) -> Vec<String> {
    document.instances().map(|id| document.label(id).to_string()).collect()
}

/// The instance to which a property refers.
pub(crate) fn target(document: &dyn Dom, id: InstanceId, property: &str) -> Option<InstanceId> {
    document.get(id, property).unwrap().as_instance()
}

/// All instances with all their values, in which references are paths.
pub(crate) fn describe(document: &dyn Dom) -> Vec<String> {
    let describe = |(id, path)| {
        let value = |(name, value): (&_, rbxcore::ValueRef<'_>)| match value.as_instance() {
            Some(id) => format!("{name}={}", document.path(id).unwrap()),
            None => format!("{name}={value:?}"),
        };
        let mut values: Vec<String> = document.properties(id).map(value).collect();
        values.sort();
        format!("{} {path} {values:?}", document.class(id).unwrap())
    };
    document.paths().map(describe).collect()
}

/// What `check` finds: the rule without the name of the crate, the path, the text and the count.
pub(crate) fn findings(document: &dyn Dom) -> Vec<String> {
    let findings = match any(document) {
        AnyDocument::Binary(document) => rbxbinary::check(&document),
        AnyDocument::Xml(document) => rbxxml::check(&document),
        other => panic!("{other:?}"),
    };
    let show = |of: &rbxcore::geom::wire::Finding| {
        let rule = of.rule.id.split_once('.').unwrap().1;
        format!("{rule}: {}: {} ({})", of.path, of.found, of.count)
    };
    // The new documents of these tests have no metadata.
    findings.iter().map(show).filter(|found| !found.starts_with("metadata-chunk")).collect()
}

/// Writes the document and reads it again: it is the same, and breaks no rule.
pub(crate) fn again(document: &dyn Dom) -> AnyDocument {
    let document = any(document);
    let read = from_slice(&document.to_vec().unwrap()).unwrap();
    assert!(read == document, "{read:?}\n{document:?}");
    assert_eq!(describe(&*read), describe(&*document));
    // In XML, a shared string stays when its last use goes.
    let found: Vec<_> = findings(&*read);
    assert!(found.iter().all(|found| found.starts_with("shared-strings-used")), "{found:?}");
    // Children come before their parent.
    if let AnyDocument::Binary(read) = &read {
        let parents = read.parents();
        for (row, parent) in parents.parents.iter().enumerate().filter(|(_, parent)| !parent.is_null()) {
            assert!(parents.children.iter().position(|child| child == parent).unwrap() > row);
        }
    }
    read
}

/// Checks that an edit is refused and leaves the document unchanged: by value, in what a walk returns, and in the bytes
/// that are written or the error of writing. Returns the error.
pub(crate) fn refused<T>(
    document: &mut dyn Dom,
    edit: impl FnOnce(&mut dyn Dom) -> Result<T>,
) -> rbxdocument::Error {
    let seen = |document: &dyn Dom| {
        let written = any(document).to_vec().map_err(|error| error.to_string());
        (document.instances().collect::<Vec<_>>(), describe(document), written)
    };
    let (before, seen_before) = (any(document), seen(document));
    let Err(error) = edit(document) else { panic!("not refused") };
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument(_)), "{error}");
    let after = any(document);
    assert!(after == before, "{error}: the document was changed");
    assert!(seen(document) == seen_before, "{error}: the index or the bytes were changed");
    if let (AnyDocument::Xml(after), AnyDocument::Xml(before)) = (after, before) {
        assert!(after.same_layout(&before), "{error}: the layout was changed");
    }
    error
}

pub(crate) type Edit<'a> = &'a dyn Fn(&mut dyn Dom) -> Result<()>;

/// Checks that each edit is refused with its text.
pub(crate) fn all_refused<'a>(
    document: &mut dyn Dom,
    edits: impl IntoIterator<Item = (Edit<'a>, impl AsRef<str>)>,
) {
    for (edit, text) in edits {
        assert_eq!(refused(document, edit).to_string(), text.as_ref());
    }
}

/// A binary file that ends in its header is no wrong XML.
#[test]
fn a_file_that_ends_in_its_header_is_binary() {
    let error = rbxdocument::from_slice(b"<roblox!").expect_err("no document").to_string();
    assert!(error.contains("unexpected end") && !error.contains("XML"), "{error}");
}
