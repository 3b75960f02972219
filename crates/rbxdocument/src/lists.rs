//! Tags and attributes that are found by name while they are changed.

use std::collections::{BTreeMap, HashMap, HashSet};

use bstr::BString;

use rbxblobs::{Attribute, Attributes, Tags};

/// Tags that are found by name.
#[derive(Debug, Default)]
pub struct Tagged {
    tags: BTreeMap<usize, BString>,
    places: HashMap<BString, Vec<usize>>,
    next: usize,
}

impl Tagged {
    /// These tags.
    pub fn new(old: Tags) -> Self {
        let mut tags = Self::default();
        old.0.into_iter().for_each(|tag| tags.push(tag));
        tags
    }

    fn push(&mut self, tag: BString) {
        self.places.entry(tag.clone()).or_default().push(self.next);
        self.tags.insert(self.next, tag);
        self.next += 1;
    }

    /// Adds a tag at the end, unless there is one with this name.
    pub fn add(&mut self, tag: &str) {
        if !self.places.contains_key(tag.as_bytes()) {
            self.push(tag.into());
        }
    }

    /// Removes a tag.
    pub fn remove(&mut self, tag: &str) {
        for place in self.places.remove(tag.as_bytes()).unwrap_or_default() {
            self.tags.remove(&place);
        }
    }

    /// The tags, in their order.
    pub fn finish(self) -> Tags {
        Tags(self.tags.into_values().collect())
    }
}

/// Attributes that are found by name.
#[derive(Debug)]
pub struct Attributed {
    old: Attributes,
    /// The last attribute with each name in `old`.
    places: HashMap<BString, usize>,
    removed: HashSet<BString>,
    new: HashMap<BString, Attribute>,
}

impl Attributed {
    /// These attributes.
    pub fn new(old: Attributes) -> Self {
        let places = old.0.iter().enumerate().map(|(place, (name, _))| (name.clone(), place)).collect();
        Self { old, places, removed: HashSet::new(), new: HashMap::new() }
    }

    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        let old = || {
            let place =
                self.places.get(name.as_bytes()).filter(|_| !self.removed.contains(name.as_bytes()))?;
            Some(&self.old.0[*place].1)
        };
        self.new.get(name.as_bytes()).or_else(old)
    }

    /// Sets an attribute.
    pub fn set(&mut self, name: &str, value: Attribute) {
        self.new.insert(name.into(), value);
    }

    /// Removes an attribute.
    pub fn remove(&mut self, name: &str) {
        self.new.remove(name.as_bytes());
        self.removed.insert(name.into());
    }

    /// The names of all attributes, also of removed ones.
    pub fn names(&self) -> impl Iterator<Item = &BString> {
        self.old.0.iter().map(|(name, _)| name).chain(self.new.keys())
    }

    /// The attributes: the old ones in their order, then the new ones.
    pub fn finish(self) -> Attributes {
        let mut attributes = self.old;
        attributes.0.retain(|(name, _)| !self.removed.contains(name));
        attributes.extend(self.new);
        attributes
    }
}
