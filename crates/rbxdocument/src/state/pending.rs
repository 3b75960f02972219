//! What the steps of a patch change together: removed values, metadata and the order of children are written once.

use std::collections::HashMap;

use rbxcore::{Dom, InstanceId};

use super::cleared::Cleared;
use crate::view::{View as _, children_of};
use geom::wire::{Budget, Error, Loss, Result};

/// The most moves of one step that are made one by one.
const FEW: u64 = 64;

/// What steps change that is written once for all of them.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// The values that are removed.
    pub(super) cleared: Cleared,
    metadata: Option<Metadata>,
    /// The children of the parent that the last steps ordered.
    order: Option<Order>,
}

/// The metadata of a document, and where each key is.
#[derive(Debug)]
struct Metadata {
    all: Vec<(String, Option<Vec<u8>>)>,
    places: HashMap<String, usize>,
}

/// Children that get other places.
#[derive(Debug)]
struct Order {
    path: String,
    parent: Option<InstanceId>,
    before: Vec<InstanceId>,
    now: Vec<InstanceId>,
}

impl Pending {
    /// Writes the order of children, unless the next step is about the children of the same path, too. Returns whether paths
    /// changed.
    ///
    /// # Errors
    /// If the document cannot be edited.
    pub(super) fn settle(&mut self, document: &mut dyn Dom, next: Option<&str>) -> Result<bool> {
        let Some(Order { parent, before, now, .. }) = self.order.take_if(|of| Some(&*of.path) != next) else {
            return Ok(false);
        };
        in_order(document, parent, &before, &now)?;
        Ok(true)
    }

    /// Gives children of a parent, by their places, other places among all of them; all others keep their order.
    ///
    /// # Errors
    /// `InvalidArgument` if a place is none or is there twice.
    pub(super) fn reorder(
        &mut self,
        path: &str,
        moves: Vec<(usize, usize)>,
        (document, parent): (&dyn Dom, Option<InstanceId>),
        budget: &mut Budget,
    ) -> Result<()> {
        let mut of = self.order.take().unwrap_or_else(|| {
            let before = children_of(document, parent);
            Order { path: path.to_owned(), parent, now: before.clone(), before }
        });
        let count = (moves.len() as u64).min(FEW);
        budget.work((count + 1) * (of.now.len() as u64 / 8 + 64), "the orders of children")?;
        of.reorder(moves)?;
        self.order = Some(of);
        Ok(())
    }

    /// Sets or removes a value about the whole document.
    pub(super) fn set_metadata(&mut self, document: &dyn Dom, key: &str, value: Option<Vec<u8>>) {
        let Metadata { all, places } = self.metadata.get_or_insert_with(|| {
            let all: Vec<_> = document.meta().into_iter().map(|(key, value)| (key, Some(value))).collect();
            let places = all.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect();
            Metadata { all, places }
        });
        match places.get(key) {
            Some(&at) => all[at].1 = value,
            None => {
                places.insert(key.to_owned(), all.len());
                all.push((key.to_owned(), value));
            }
        }
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// If the document cannot be edited.
    pub(super) fn finish(self, document: &mut dyn Dom) -> Result<Vec<Loss>> {
        if let Some(Metadata { all, .. }) = self.metadata {
            let all = all.into_iter().filter_map(|(key, value)| Some((key.into(), value?.into())));
            document.set_metadata(all.collect())?;
        }
        self.cleared.finish(document)
    }
}

impl Order {
    /// Moves children to their new places.
    fn reorder(&mut self, mut moves: Vec<(usize, usize)>) -> Result<()> {
        let count = self.now.len();
        geom::sort::by_key(&mut moves, |&(from, _)| std::cmp::Reverse(from));
        let mut to: Vec<usize> = moves.iter().map(|&(_, to)| to).collect();
        to.sort_unstable();
        let is_twice = moves.windows(2).any(|pair| pair[0].0 == pair[1].0)
            || to.windows(2).any(|pair| pair[0] == pair[1]);
        if let Some((from, to)) = moves.iter().find(|&&(from, to)| is_twice || from >= count || to >= count) {
            let what = format!("expected places below {count}, each once, found {from} and {to}");
            return Err(Error::argument(what));
        }
        if moves.len() as u64 > FEW {
            let mut placed: Vec<Option<InstanceId>> = vec![None; count];
            let mut is_moved = vec![false; count];
            for &(from, to) in &moves {
                placed[to] = Some(self.now[from]);
                is_moved[from] = true;
            }
            let mut others =
                self.now.iter().zip(&is_moved).filter(|(_, is_moved)| !**is_moved).map(|(id, _)| *id);
            let now = placed.into_iter().filter_map(|place| place.or_else(|| others.next())).collect();
            self.now = now;
            return Ok(());
        }
        let mut placed: Vec<(usize, InstanceId)> =
            moves.into_iter().map(|(from, to)| (to, self.now.remove(from))).collect();
        geom::sort::by_key(&mut placed, |&(to, _)| to);
        placed.into_iter().for_each(|(to, id)| self.now.insert(to, id));
        Ok(())
    }
}

/// Gives children an order.
fn in_order(
    document: &mut dyn Dom,
    parent: Option<InstanceId>,
    now: &[InstanceId],
    wanted: &[InstanceId],
) -> Result<()> {
    let first = wanted.iter().zip(now).position(|(one, other)| one != other);
    first.map_or(&[][..], |first| &wanted[first..]).iter().try_for_each(|&id| document.move_to(id, parent))
}
