//! The losses of conversions, edits and merges of documents.

use geom::wire::LossRule;

/// The rules of these losses.
pub const LOSSES: &[LossRule] = &[
    LossRule::new("binary.mixed-type", "a value gets the type that the other instances of its class have"),
    LossRule::new(
        "binary.neutral-value",
        "a value is replaced by a neutral one, since the other instances of its class have another type",
    ),
    LossRule::new("binary.root-attribute", "an unknown attribute of the element <roblox> is dropped"),
    LossRule::new("client.class", "a class that the client does not know is dropped"),
    LossRule::new("client.class-replaced", "a class becomes an older one"),
    LossRule::new("client.enum-item", "an item of an enum becomes an older one"),
    LossRule::new("client.file", "what of a file is in no instance is dropped"),
    LossRule::new("client.filled", "a value that the client needs is filled in"),
    LossRule::new("client.form", "the document gets another form or compression"),
    LossRule::new("client.moved", "instances are moved to where the client looks for them"),
    LossRule::new("client.nearest", "a value becomes the nearest one that the client knows"),
    LossRule::new("client.property", "a property that the client does not know is dropped"),
    LossRule::new("client.reference", "a reference to what is dropped becomes null"),
    LossRule::new("client.renamed", "a property gets its older name"),
    LossRule::new("client.terrain", "terrain becomes that of the client, or is dropped"),
    LossRule::new("client.type", "a value gets an older type"),
    LossRule::new("client.unknown", "what the table of history does not know is dropped"),
    LossRule::new("client.without-effect", "a property without effect in the client is dropped"),
    LossRule::new("merge.both-inserted", "both versions inserted an instance with the same name or content"),
    LossRule::new("merge.not-moved", "a step is not applied, since the document does not allow it"),
    LossRule::new(
        "merge.unique-ids",
        "the unique ids of a version were issued again, so that paths identify its instances",
    ),
    LossRule::new("roblox.attributes-cut", "attributes from the first one of an unknown type on are dropped"),
    LossRule::new("roblox.changed-value", "a value is stored in another form"),
    LossRule::new(
        "roblox.converted-property",
        "a value is stored under another name of its property, or converted from an older property",
    ),
    LossRule::new("roblox.filled-value", "a property that instances lack is filled in"),
    LossRule::new(
        "roblox.kept-values",
        "values of an inserted model are dropped, since the place keeps its own",
    ),
    LossRule::new("roblox.model-metadata", "the metadata of an inserted model is dropped"),
    LossRule::new("roblox.null-reference", "a reference that would lead nowhere is replaced by null"),
    LossRule::new("roblox.odd-value", "a value is unusual, so that Roblox may ignore or replace it"),
    LossRule::new(
        "roblox.repeated-property",
        "a value is dropped, since the property or attribute is stored more than once",
    ),
    LossRule::new("roblox.unknown-default", "a value is kept, since the default of its class is not known"),
    LossRule::new("roblox.unknown-part", "an unknown part of a document is dropped"),
    LossRule::new(
        "roblox.unstored-value",
        "a value is dropped, since the document or the class cannot store it",
    ),
    LossRule::new("roblox.without-effect", "a new value has no effect, since another property replaces it"),
    LossRule::new("xml.external-object", "a reference to an external object is dropped"),
    LossRule::new("xml.nan", "the payload of a NaN is dropped"),
    LossRule::new("xml.no-shared-string", "a reference to a shared string that does not exist is dropped"),
    LossRule::new(
        "xml.parent",
        "an instance with a wrong parent, or an entry without an instance, is moved or dropped",
    ),
    LossRule::new("xml.referent", "a repeated referent is replaced"),
    LossRule::new(
        "xml.rotation",
        "a rotation is stored in another form, or has an unknown id and is dropped",
    ),
    LossRule::new("weak.not-stored", "a value of a WeakDom that documents do not store is dropped"),
    LossRule::new("xml.signature", "signatures are dropped"),
    LossRule::new("xml.text", "control characters and bytes that are not UTF-8 are replaced"),
    LossRule::new("xml.unknown-data", "data that only the binary format can store is dropped"),
];
