//! Instances that both documents inserted.

use rbxcore::classes;

use super::*;

impl Merging<'_> {
    /// Whether ours inserted the same instance, with the same content: both have it from a third version.
    pub(super) fn is_in_ours(&mut self, theirs: InstanceId) -> bool {
        let above = self.theirs.parent(theirs).and_then(|above| self.in_new(above));
        let below = above.map_or_else(
            || self.ours.top(),
            |above| if self.ours.contains(above) { self.ours.below(above) } else { Vec::new() },
        );
        let id = self
            .theirs
            .value(theirs, "UniqueId")
            .filter(|id| id.as_unique_id().is_some_and(|id| !id.is_nil()));
        for child in below.into_iter().filter(|child| !self.to_ours.from.contains_key(child)) {
            let own = self.ours.value(child, "UniqueId");
            let is_same_id = own == id
                || id.is_none() && own.is_none_or(|own| own.as_unique_id().is_none_or(|id| id.is_nil()));
            if is_same_id && equal_below(self.ours, child, self.theirs, theirs) {
                let pairs = order_below(self.ours, child).into_iter().zip(order_below(self.theirs, theirs));
                self.copies.extend(pairs.map(|(ours, theirs)| (theirs, ours)));
                if id.is_none() {
                    let what = "both inserted the same instance, which is kept once";
                    self.notes.push(Loss::approximated(self.ours.path_of(child), what));
                }
                return true;
            }
        }
        false
    }

    /// The instance that ours inserted at the path of one that theirs inserted below the same parent: the same service, or
    /// the only one of its class and name, if one of the two has no id. Lists one that has another id.
    pub(super) fn twin(&mut self, theirs: InstanceId, parent: Option<InstanceId>) -> Option<InstanceId> {
        let (class, name) = (self.theirs.class_of(theirs), self.theirs.name_of(theirs));
        let is_service = parent.is_none() && classes::is_service(&class);
        let is_same = |document: &dyn Form, id: &InstanceId| {
            document.class_of(*id) == class && (is_service || document.name_of(*id) == name)
        };
        let beside = self.theirs.parent(theirs);
        let of_theirs = self.inserted_below(self.theirs, beside, &self.to_theirs);
        let of_ours = match parent {
            // What theirs inserted, too.
            Some(parent) if !self.ours.contains(parent) => return None,
            parent => self.inserted_below(self.ours, parent, &self.to_ours),
        };
        let of_theirs = of_theirs.iter().filter(|id| is_same(self.theirs, id)).count();
        let mut of_ours = of_ours.iter().filter(|id| is_same(self.ours, id));
        let (Some(&ours), None, 1) = (of_ours.next(), of_ours.next(), of_theirs) else { return None };
        let has_id = |document: &dyn Form, id| {
            document.value(id, "UniqueId").is_some_and(|id| id.as_unique_id().is_some_and(|id| !id.is_nil()))
        };
        if !is_service && has_id(self.ours, ours) && has_id(self.theirs, theirs) {
            let what = "both inserted an instance with this name; both are kept";
            self.notes.push(Loss::warning(self.ours.path_of(ours), what));
            return None;
        }
        Some(ours)
    }

    /// The children that a document inserted below a parent, or at the root.
    fn inserted_below(
        &self,
        document: &dyn Form,
        parent: Option<InstanceId>,
        matches: &Matches,
    ) -> Vec<InstanceId> {
        let below = parent.map_or_else(|| document.top(), |parent| document.below(parent));
        below.into_iter().filter(|id| !matches.from.contains_key(id)).collect()
    }

    /// Adds the values of an instance that theirs inserted to one that ours inserted.
    pub(super) fn join(&mut self, theirs: InstanceId, ours: InstanceId) -> Result<()> {
        self.copies.insert(theirs, ours);
        let (class, path) = (self.ours.class_of(ours).into_owned(), self.ours.path_of(ours));
        for name in names(self.ours, ours, self.theirs, theirs) {
            let (now, after) = (self.ours.value(ours, &name), self.theirs.value(theirs, &name));
            let is_reference = |value: &Stored| value.as_ref().is_some_and(|of| of.as_instance().is_some());
            // References are set later, if ours has none.
            if is_noise(&class, &name) || same(&class, &name, &now, &after) || is_reference(&after) {
                continue;
            }
            match (now, after) {
                (None, Some(after)) => self.set(ours, &name, after)?,
                (now, after) => self.differ(&path, (&class, &name), [None, now, after], ours)?,
            }
        }
        Ok(())
    }
}
