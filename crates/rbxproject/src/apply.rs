//! Applies a plan to a copy of the document.

use rbxdocument::view::View as _;

use bstr::ByteSlice as _;
use geom::wire::{Budget, Error, Loss, Result};
use rbxcore::{Dom, Filled, InstanceId};

use crate::plan::Plan;
use crate::table::Is;
use crate::wants::Wants;
use rbxdocument::state::{Action, Applying, At};
use rbxdocument::view::value_text;

/// Applies the steps of a plan; returns the instances of the wanted ones, and what was filled in or dropped. After an error,
/// the document is useless.
///
/// # Errors
/// If the document cannot store a value, with the path of the file.
pub(crate) fn apply(
    document: &mut dyn Dom,
    wants: &Wants<'_>,
    is: &[Is],
    plan: &Plan,
    budget: &mut Budget,
) -> Result<(Vec<Option<InstanceId>>, Vec<Loss>)> {
    let mut losses = Vec::new();
    let mut applying = Applying::new(document).from(plan.prepared.as_deref());
    for (want, id) in is.iter().enumerate().filter_map(|(want, is)| Some((want, is.id()?))) {
        applying.know(want, id);
    }
    for step in &plan.steps {
        let at = |error: Error| match step.want {
            Some(want) if error.path().is_empty() => error.at_path(wants.file(want).to_owned()),
            _ => error,
        };
        // What is filled in for those that were there: a new one has the defaults of its class.
        let others: Option<Vec<&str>> = match &step.action {
            Action::Add { class, values, .. } if applying.one_of(class).is_some() => {
                let values = values.iter().filter(|_| applying.has_columns());
                Some(values.map(|(name, _)| &**name).collect())
            }
            Action::Add { .. } | Action::Become { .. } => Some(Vec::new()),
            _ => None,
        };
        let done = applying.act(step.action.clone(), budget).map_err(at)?;
        let is_listed =
            |of: &&Filled| others.as_ref().is_none_or(|names| names.iter().any(|name| *name == of.property));
        losses.extend(done.filled.iter().filter(is_listed).map(|of| filled_in(&*applying, of)));
        losses.extend(done.losses);
        let made = step.want.zip(done.roots.first());
        let mut waiting: Vec<(usize, InstanceId)> = made.map(|(want, &id)| (want, id)).into_iter().collect();
        while let Some((want, id)) = waiting.pop() {
            applying.know(want, id);
            if let Action::Copy { .. } = step.action {
                let children = wants.all[want].children.iter().copied();
                let children = children.filter(|&child| !wants.all[child].is_node);
                waiting.extend(children.zip(applying.below(id)));
            }
        }
    }
    let ids = (0..is.len()).map(|want| applying.id(At::Wanted(want))).collect();
    losses.extend(applying.finish(budget)?);
    Ok((ids, losses))
}

/// What an action filled in.
fn filled_in(document: &dyn Dom, of: &Filled) -> Loss {
    let (class, property) = (of.class.to_str_lossy(), of.property.to_str_lossy());
    let text = value_text(document, (&class, &property), &of.value);
    Loss::filled_with(&class, &property, text, of.instances)
}
