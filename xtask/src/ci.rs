//! placeholder
use crate::Outcome;
pub(crate) fn run(_: lexopt::Parser) -> Outcome {
    Ok(())
}
