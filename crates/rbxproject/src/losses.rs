//! The losses of projects.

use geom::wire::LossRule;

/// The rules of these losses.
pub const LOSSES: &[LossRule] = &[
    LossRule::new("roblox.unknown-class", "a class is unknown"),
    LossRule::new("rojo.empty-path", "a path of the project leads to nothing"),
    LossRule::new("rojo.identifier", "an identifier is dropped, since Studio generates new ones"),
    LossRule::new("rojo.line-ends", "CR LF line ends are kept, but Rojo reads them as LF"),
    LossRule::new("rojo.no-target", "the target of a reference is missing"),
    LossRule::new("rojo.not-extracted", "instances that are no scripts are in no file"),
    LossRule::new(
        "rojo.not-in-files",
        "an instance of the document, or the source of a script, is in no file",
    ),
    LossRule::new("rojo.not-packed", "a file is not packed"),
    LossRule::new("rojo.not-removed", "a script is not removed, since it has children"),
    LossRule::new("rojo.outside-service", "a script is added outside of the services"),
    LossRule::new(
        "rojo.reference",
        "a reference is dropped, since a project cannot represent it or its target is not extracted",
    ),
    LossRule::new("rojo.repeated-id", "several instances have the same id"),
    LossRule::new("rojo.same-name", "two files are instances with the same name and class"),
    LossRule::new("rojo.source-not-utf8", "a source is not UTF-8, so that Rojo cannot read it"),
    LossRule::new("rojo.unknown-key", "a key of a project or of a meta file is unknown or has no effect"),
    LossRule::new("rojo.value", "a value or an attribute is dropped, since a project cannot represent it"),
];
