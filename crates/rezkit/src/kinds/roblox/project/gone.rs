//! Scripts of a document whose files are missing from a folder.

use std::collections::HashMap;

use rbxcore::InstanceId;

use super::super::Form;

/// A script whose file is missing.
pub(super) struct Gone {
    pub(super) id: InstanceId,
    pub(super) file: String,
    pub(super) source: Vec<u8>,
}

/// Scripts whose files are missing, by class and source, which identify a new file as one of them.
pub(super) struct Missing {
    gone: Vec<Option<Gone>>,
    /// The indices of the scripts with a class and a source. The last one is taken first.
    same: HashMap<(String, Vec<u8>), Vec<usize>>,
    /// The indices of the scripts with a class, a source and a name.
    named: HashMap<(String, Vec<u8>, String), Vec<usize>>,
    /// The indices of the scripts.
    index_of: HashMap<InstanceId, usize>,
    /// The indices of the scripts that are not all in new files, by parent and name.
    placed: HashMap<(Option<InstanceId>, String), usize>,
}

impl Missing {
    /// `new` are the classes and sources of the new files.
    pub(super) fn new(
        document: &dyn Form,
        gone: Vec<Gone>,
        new: impl Iterator<Item = (String, Vec<u8>)>,
    ) -> Self {
        let (mut same, mut named): (HashMap<_, Vec<_>>, HashMap<_, Vec<_>>) = Default::default();
        for (index, one) in gone.iter().enumerate().rev() {
            let (class, source) = (document.class_of(one.id).into_owned(), one.source.clone());
            same.entry((class.clone(), source.clone())).or_default().push(index);
            named.entry((class, source, document.name_of(one.id).into_owned())).or_default().push(index);
        }
        let index_of = gone.iter().enumerate().map(|(index, one)| (one.id, index)).collect();
        let mut counts: HashMap<_, usize> = HashMap::new();
        new.for_each(|key| *counts.entry(key).or_default() += 1);
        let mut placed = HashMap::new();
        for (key, all) in &same {
            if counts.get(key).is_none_or(|count| *count < all.len()) {
                let place = |id| (document.parent(id), document.name_of(id).into_owned());
                placed.extend(all.iter().map(|&index| (place(gone[index].id), index)));
            }
        }
        Self { gone: gone.into_iter().map(Some).collect(), same, named, index_of, placed }
    }

    /// The missing script that a new file is, preferably one with the same name.
    pub(super) fn take(&mut self, class: &str, source: &[u8], name: &str) -> Option<Gone> {
        let key = (class.to_owned(), source.to_vec());
        let named = self.named.get_mut(&(class.to_owned(), source.to_vec(), name.to_owned()));
        let lists = named.into_iter().chain(self.same.get_mut(&key));
        // A script is in both lists, so it may already have been taken by way of the other.
        lists.flat_map(|list| std::iter::from_fn(|| list.pop())).find_map(|index| self.gone[index].take())
    }

    /// The missing script that a new one of another class replaces.
    pub(super) fn replaced(&mut self, parent: Option<InstanceId>, name: &str) -> Option<InstanceId> {
        let index = *self.placed.get(&(parent, name.to_owned()))?;
        self.gone[index].take().map(|one| one.id)
    }

    /// Notes that an instance is not missing.
    pub(super) fn found(&mut self, id: InstanceId) {
        if let Some(&index) = self.index_of.get(&id) {
            self.gone[index] = None;
        }
    }

    /// Scripts without a file, the deepest first.
    pub(super) fn into_deepest_first(self) -> Vec<Gone> {
        let mut gone: Vec<_> = self.gone.into_iter().flatten().collect();
        gone.sort_by_cached_key(|one| {
            // A script with a folder is above the content of the folder.
            let is_folder = one.file.contains("/init.");
            (std::cmp::Reverse(one.file.matches('/').count() * 2 - usize::from(is_folder)), one.file.clone())
        });
        gone
    }
}
