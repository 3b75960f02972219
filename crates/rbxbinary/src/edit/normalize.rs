//! A document in the order in which Studio writes one.

use std::collections::HashMap;

use bstr::BString;

use crate::consts::{ChunkName, ClassFormat};
use crate::model::{Chunk, Class, Column, Document, Parents, Part, Referent, SharedString};
use crate::tree::Tree;

impl Document {
    /// Brings the document in the order in which Studio writes one: referents from 0 upwards, each
    /// instance before its children; ids of classes from 0 upwards, none without instances; a row for
    /// each instance among the parents, children before their parent; services marked; shared strings
    /// there once, and none that nobody uses; references to what is not there null; an END.
    ///
    /// Writing does this to an edited document, on a copy. Values and the order of rows and columns
    /// stay as they are; signatures, which would no longer be true, and columns of no class go.
    pub fn normalize(&mut self) {
        let tree = self.tree();
        let (referents, parents) = number(&tree);
        let at_root: Vec<Vec<bool>> = at_root(&tree);
        let known: HashMap<Referent, Referent> = tree
            .descendants()
            .filter_map(|instance| {
                let referent = instance.referent();
                // Of several instances with one referent, references mean the first.
                let (class, row) = tree.get(referent)?.place();
                Some((referent, referents[class][row]))
            })
            .collect();
        let version = self.parents.version;
        for ((class, new), at_root) in self.classes.iter_mut().zip(referents).zip(at_root) {
            class.referents = new;
            class.markers = match class.format {
                // Studio marks the services of a place; those of a model it does not.
                ClassFormat::SERVICE => {
                    let old = |row| class.markers.get(row).copied().unwrap_or(1);
                    at_root
                        .into_iter()
                        .enumerate()
                        .map(|(row, root)| if root { old(row) } else { 0 })
                        .collect()
                }
                _ => Vec::new(),
            };
            for property in &mut class.properties {
                property.column.map_referents(|old| known.get(&old).copied().unwrap_or_default());
            }
        }
        self.parents = Parents { version, ..parents };
        self.drop_empty_classes();
        share(&mut self.shared_strings, &mut self.classes);
        self.signatures = None;
        self.header.class_count = None;
        self.header.instance_count = None;
        if let Some(chunks) = &mut self.layout.chunks {
            for part in [Part::Parents, Part::End] {
                if !chunks.iter().any(|chunk| chunk.part == part) {
                    let end = chunks.iter().position(|chunk| chunk.part == Part::End);
                    chunks.insert(end.unwrap_or(chunks.len()), Chunk::new(part));
                }
            }
        }
        self.layout.edited = false;
    }

    /// Drops the classes without instances, and numbers the others from 0 upwards.
    #[allow(clippy::cast_possible_truncation, reason = "classes are counted with 32 bits")]
    fn drop_empty_classes(&mut self) {
        let mut places: Vec<Option<u32>> = Vec::new();
        let mut next = 0;
        for class in &self.classes {
            let stays = !class.referents.is_empty();
            places.push(stays.then_some(next));
            next += u32::from(stays);
        }
        self.classes.retain(|class| !class.referents.is_empty());
        self.classes.iter_mut().zip(0..).for_each(|(class, id)| class.id = id);
        let has_strings = !self.shared_strings.is_empty();
        let raw = &self.layout.raw;
        let Some(chunks) = &mut self.layout.chunks else { return };
        chunks.retain_mut(|chunk| match &mut chunk.part {
            Part::Class(class) | Part::Property(class, _) => {
                match places.get(*class as usize).copied().flatten() {
                    Some(place) => {
                        *class = place;
                        true
                    }
                    None => false,
                }
            }
            Part::Signatures => false,
            Part::SharedStrings => has_strings,
            // A column of a class that is not there: its id may be another's now.
            Part::Raw(place) => raw.get(*place as usize).is_some_and(|raw| raw.name != ChunkName::PROP),
            _ => true,
        });
    }
}

/// The new referent of each row of each class, and the parents by them.
fn number(tree: &Tree<'_>) -> (Vec<Vec<Referent>>, Parents) {
    let classes = &tree.document().classes;
    let mut referents: Vec<Vec<Referent>> =
        classes.iter().map(|class| vec![Referent::NULL; class.referents.len()]).collect();
    for (instance, next) in tree.descendants().zip(0..) {
        let (class, row) = instance.place();
        referents[class][row] = Referent(next);
    }
    // Children before their parent: each instance is written when the last of its children was.
    let mut parents = Parents::default();
    let mut open = Vec::new();
    let mut close = |open: &mut Vec<(Referent, usize)>, depth: usize| {
        while let Some(&(referent, _)) = open.last().filter(|&&(_, at)| at >= depth) {
            open.pop();
            parents.children.push(referent);
            parents.parents.push(open.last().map_or(Referent::NULL, |&(above, _)| above));
        }
    };
    let mut depths: Vec<Vec<usize>> = classes.iter().map(|class| vec![0; class.referents.len()]).collect();
    for instance in tree.descendants() {
        let (class, row) = instance.place();
        let depth = instance.parent().map_or(0, |above| {
            let (class, row) = above.place();
            depths[class][row] + 1
        });
        depths[class][row] = depth;
        close(&mut open, depth);
        open.push((referents[class][row], depth));
    }
    close(&mut open, 0);
    (referents, parents)
}

/// Whether each row of each class stands at the root.
fn at_root(tree: &Tree<'_>) -> Vec<Vec<bool>> {
    let classes = &tree.document().classes;
    let mut at_root: Vec<Vec<bool>> =
        classes.iter().map(|class| vec![false; class.referents.len()]).collect();
    for instance in tree.roots() {
        let (class, row) = instance.place();
        at_root[class][row] = true;
    }
    at_root
}

/// Keeps each shared string once, and only those that are used. A place that is none becomes that of
/// an empty string.
#[allow(clippy::cast_possible_truncation, reason = "shared strings are counted with 32 bits")]
fn share(strings: &mut Vec<SharedString>, classes: &mut [Class]) {
    let columns = || {
        classes.iter().flat_map(|class| &class.properties).filter_map(|property| match &property.column {
            Column::SharedString(places) => Some(places),
            _ => None,
        })
    };
    let mut used = vec![false; strings.len()];
    let mut dangling = false;
    for &place in columns().flatten() {
        match used.get_mut(place as usize) {
            Some(used) => *used = true,
            None => dangling = true,
        }
    }
    let mut kept: Vec<SharedString> = Vec::new();
    let mut places: HashMap<BString, u32> = HashMap::new();
    let mut new = vec![0_u32; strings.len()];
    for ((string, used), new) in std::mem::take(strings).into_iter().zip(used).zip(&mut new) {
        if used {
            *new = *places.entry(string.bytes.clone()).or_insert_with(|| {
                kept.push(string);
                kept.len() as u32 - 1
            });
        }
    }
    let mut empty = 0;
    if dangling {
        empty = *places.entry(BString::default()).or_insert_with(|| {
            kept.push(SharedString::default());
            kept.len() as u32 - 1
        });
    }
    for property in classes.iter_mut().flat_map(|class| &mut class.properties) {
        if let Column::SharedString(places) = &mut property.column {
            places.iter_mut().for_each(|place| *place = new.get(*place as usize).copied().unwrap_or(empty));
        }
    }
    *strings = kept;
}
