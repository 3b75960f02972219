//! The options `--allow` and `--deny`: which losses a command accepts and refuses.

use std::collections::BTreeSet;

use rezkit::{Loss, RulePolicy};

use crate::outcome::{Error, Usage, helped};

/// The losses that are accepted and refused.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Losses")]
pub(crate) struct Policy {
    /// Fail, and write nothing for that file, if a loss of this rule would be listed (repeatable): an id
    /// (`gltf.tangents`; --verbose prints them), its part before the dot (`gltf`), all, dropped, changed, filled-in,
    /// missing, or warnings
    #[arg(long, value_name = "RULE", hide_short_help = true)]
    deny: Vec<String>,
    /// Accept losses of this rule, also if --deny names them or they are an error without --allow-loss, and do not list
    /// them (repeatable)
    #[arg(long, value_name = "RULE", hide_short_help = true)]
    allow: Vec<String>,
}

impl Policy {
    /// The rules by which losses are accepted and refused.
    ///
    /// # Errors
    /// If a rule does not exist.
    pub(crate) fn of_losses(&self) -> Result<RulePolicy, Error> {
        let ids: Vec<&str> = rezkit::losses().iter().map(|rule| rule.id).collect();
        checked(self.allow.clone(), self.deny.clone(), &ids)
    }

    /// Like [`of_losses`](Self::of_losses), for a command that also has findings.
    pub(crate) fn of_all(&self) -> Result<RulePolicy, Error> {
        let losses = rezkit::losses().into_iter().map(|rule| rule.id);
        let ids: Vec<&str> = losses.chain(rezkit::rules().iter().map(|rule| rule.id)).collect();
        checked(self.allow.clone(), self.deny.clone(), &ids)
    }
}

/// A policy whose rules exist.
pub(crate) fn checked(allow: Vec<String>, deny: Vec<String>, ids: &[&str]) -> Result<RulePolicy, Error> {
    let policy = RulePolicy::new(allow, deny);
    if let Some(rule) = policy.unknown(ids).next() {
        let option = if policy.allow.iter().any(|allowed| allowed == rule) { "--allow" } else { "--deny" };
        let meant = rezkit::tree::closest(rule, ids.iter().copied());
        let meant = match meant {
            Some(meant) => format!("; did you mean {meant}?"),
            None if rezkit::rules().iter().any(|known| known.id == rule) => {
                " of losses (it is a rule of `rezkit check`)".to_owned()
            }
            None => String::new(),
        };
        let error = Usage(format!("{option} {rule}: unknown rule{meant}"));
        return Err(helped(error, "`rezkit docs --rules` lists all rules"));
    }
    Ok(policy)
}

/// The most rules that the help for an error names.
const NAMED: usize = 4;

/// An error with its remedy.
pub(crate) fn refused((error, help): (rezkit::Error, Option<String>)) -> Error {
    match help {
        Some(help) => helped(error, help),
        None => error.into(),
    }
}

/// What `make` returns, which is told whether losses are allowed: those that `--allow-loss` accepts are, if the option is
/// given or if `--allow` names each of them. With an error that `--allow-loss` mends, what that option does, and the rules
/// of the losses.
pub(crate) fn with_losses<T>(
    policy: &RulePolicy,
    is_allowed: bool,
    does: &str,
    mut make: impl FnMut(bool) -> rezkit::Result<T>,
    losses: impl Fn(&T) -> &[Loss],
) -> Result<T, (rezkit::Error, Option<String>)> {
    match make(is_allowed) {
        Err(error) if error.kind() == rezkit::ErrorKind::Unwritable && !is_allowed => {
            let Ok(made) = make(true) else { return Err((error, None)) };
            let mut others = losses(&made).to_vec();
            let is_listed = !others.is_empty();
            // Without rules to deny, this only removes what is allowed.
            let _nothing_denied = RulePolicy::new(policy.allow.clone(), [""; 0]).accept(&mut others);
            if is_listed && others.is_empty() {
                return Ok(made);
            }
            let ids: BTreeSet<&str> = others.iter().map(|loss| loss.id).collect();
            let ids: Vec<String> = ids.iter().map(|id| format!("--allow {id}")).collect();
            let only = match &ids[..] {
                [id] => format!("; {id} accepts only that"),
                [_, ..] if ids.len() <= NAMED => format!("; {} accept only those", ids.join(" ")),
                _ => String::new(),
            };
            Err((error, Some(format!("--allow-loss {does}{only}"))))
        }
        made => made.map_err(|error| (error, None)),
    }
}

/// Removes the losses that the policy allows; an error if it denies one.
pub(crate) fn accept(policy: &RulePolicy, losses: &mut Vec<Loss>) -> Result<(), Error> {
    policy.accept(losses).map_err(|error| helped(error, "--allow RULE accepts the losses of a rule"))
}
