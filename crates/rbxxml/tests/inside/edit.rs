//! Tests of private items of `src/edit/mod.rs`, which includes this file as a module.

use super::*;
use crate::model::NewInstance;

/// More instances than there are ids, which no test of the public interface can create.
#[test]
fn too_many_instances() {
    let mut source = Document::new();
    let first = source.insert(None, NewInstance::new("A")).unwrap();
    let mut document = source.clone();
    source.count = NONE as usize;
    let before = document.clone();
    let error = document.merge(first, &source).unwrap_err();
    assert_eq!(error.to_string(), "the document would have more than 4294967293 instances");
    assert!(document == before && document.same_layout(&before));
    assert_eq!(crate::to_vec(&document).unwrap(), crate::to_vec(&before).unwrap());
    // The greatest number means that there is no node, and the one before it marks removed nodes.
    assert!(document.accepts(None, NONE as usize - 3).is_ok());
    assert!(document.accepts(None, NONE as usize - 2).is_err());
    assert!(document.accepts(None, usize::MAX).is_err());
    assert!(EditOptions::new().missing(&document, &source).is_err());
}

/// The first numbers of SplitMix64 with the seed 0, as in any other implementation.
#[test]
fn referents_follow_from_how_many_there_are() {
    assert_eq!(
        [1, 2, 3].map(scramble),
        [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]
    );
    let first = "RBX6E789E6AA1B965F406C45D188009454F";
    let mut document = Document::new();
    let a = document.insert(None, NewInstance::new("A")).unwrap();
    assert_eq!(document.referent(a), Some(first));
    // Numbers that are taken are skipped: 1, 3, 7.
    let seventh = format!("RBX{:016X}{:016X}", scramble(6), scramble(7));
    let text = format!(
        "<roblox><Item class=\"A\" referent=\"{first}\"/><Item class=\"A\" referent=\"{seventh}\"/></roblox>"
    );
    let mut document = crate::from_str(&text).unwrap();
    let a = document.insert(None, NewInstance::new("A")).unwrap();
    assert_eq!(document.referent(a), Some(&*format!("RBX{:016X}{:016X}", scramble(14), scramble(15))));
}
