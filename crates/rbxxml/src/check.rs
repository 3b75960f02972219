//! Checks a document against the rules that reading does not enforce.

use std::collections::{HashMap, HashSet};

use bstr::ByteSlice as _;

use crate::consts::{NotXml, TAGS, Version};
#[cfg(feature = "classes")]
use crate::model::PhysicalProperties;
use crate::model::{Content, Document, InstanceId, Property, SharedBytes, Value};
use geom::wire::{Finding, Findings, Rule, found, rules};

rules! {
    "rbxxml":
    VERSION = Error("version", "the attribute `version` of the element `<roblox>` is 4");
    METADATA = Warning("metadata", "each metadata key occurs only once");
    SHARED_KEYS = Error("shared-string-keys", "each shared string has a unique, non-empty key");
    SHARED_DEFINED = Error("shared-strings-defined", "each key in a SharedString or NetAssetRef property is defined in the element `<SharedStrings>`");
    SHARED_USED = Warning("shared-strings-used", "each shared string is used by a property");
    REFERENTS = Error("referents", "no two instances have the same referent, and no referent is `null` or `nil`");
    NO_REFERENT = Warning("referents-missing", "each instance has a referent");
    CLASSES = Error("classes", "each instance has a class");
    PROPERTIES = Error("properties-elements", "an instance has at most one `<Properties>` element");
    NAMES = Error("property-names", "each property of an instance has a different, non-empty name");
    UNIQUE_IDS = Error("unique-ids", "no two instances have the same UniqueId");
    REFERENCES = Warning("references", "a reference is null or refers to an instance in the file");
    SEQUENCES = Error("sequences", "a NumberSequence or ColorSequence has keypoints at times 0 and 1, ordered by time");
    ENVELOPES = Warning("color-envelopes", "the envelope of a ColorSequence keypoint is 0");
    BITS = Error("axes-and-faces", "an Axes value uses only the lowest 3 bits, and a Faces value only the lowest 6");
    CHARACTERS = Error("characters", "a name or value that an edit has set contains only characters that XML can represent");
    TYPES = Warning("types", "the element name of a property is a known type");
    VALUES = Error("values", "the content of a property's element is a valid value of its type");
    STORED_CLASSES = Warning("stored-classes", "a class name does not look like a misspelling of a known one");
    STORED_TYPES = Warning("stored-types", "a property has the type with which Roblox stores it");
    STORED_NAMES = Warning("stored-names", "a property name does not look like a misspelling of a known one");
    RANGES = Warning("ranges", "a number is within the range that Roblox documents for the property");
    ITEMS = Warning("items", "an enum value is an item of its enum, and a BrickColor is in the BrickColor palette");
    ELEMENTS = Warning("elements", "every element, and every attribute of an instance or a property, is one that the format defines");
}

/// Returns one finding for each rule that the document violates, with the violations and their number.
///
/// The rules `stored-classes`, `stored-types`, `stored-names`, `ranges` and `items` are checked only with the feature
/// `classes`.
pub fn check(document: &Document) -> Vec<Finding> {
    let mut check = Check { document, findings: Findings::default() };
    check.document();
    check.shared_strings();
    check.instances();
    check.findings.into_vec()
}

struct Check<'d> {
    document: &'d Document,
    findings: Findings,
}

impl<'d> Check<'d> {
    // All instances here belong to the document, so each has a path.
    fn at(&mut self, rule: &Rule, id: InstanceId, property: &Property, found: impl FnOnce() -> String) {
        let document = self.document;
        self.findings.add(rule, || {
            let path = document.path(id).unwrap_or_default();
            (format!("{path}.{}", property.name), found())
        });
    }

    fn instance(&mut self, rule: &Rule, id: InstanceId, found: impl FnOnce() -> String) {
        let document = self.document;
        self.findings.add(rule, || (document.path(id).unwrap_or_default().to_string(), found()));
    }

    fn document(&mut self) {
        let document = self.document;
        if document.version() != Some(Version::V4) {
            self.findings.add(VERSION, || {
                let version = document.attributes.iter().find(|(name, _)| *name == "version");
                let found = version.map_or("the attribute `version` is missing".into(), |(_, value)| {
                    format!("expected \"4\", found {:?}", value.to_string())
                });
                ("roblox.version".into(), found)
            });
        }
        let mut keys = HashSet::new();
        for (index, metadata) in document.metadata.iter().enumerate() {
            if !keys.insert(&metadata.key) {
                found!(self.findings, METADATA, "metadata[{index}]", "duplicate key {:?}", metadata.key);
            }
            let texts = [metadata.key.as_bytes(), &metadata.value];
            if let Some(what) = not_xml(texts).filter(|_| !metadata.at.is_intact()) {
                found!(self.findings, CHARACTERS, "metadata[{index}]", "found {what}");
            }
        }
    }

    fn shared_strings(&mut self) {
        let document = self.document;
        let mut defined = HashMap::new();
        for (index, shared) in document.shared_strings().iter().enumerate() {
            if defined.insert(shared.key().as_str(), index).is_some() || shared.key().is_empty() {
                self.findings.add(SHARED_KEYS, || {
                    let found = match shared.key().as_str() {
                        "" => "the key is empty".to_owned(),
                        key => format!("duplicate key {key:?}"),
                    };
                    (format!("shared_strings[{index}]"), found)
                });
            }
        }
        let instances = document.instances().filter_map(|id| document.instance(id));
        let values = instances.flat_map(|instance| &instance.properties).map(|property| &property.value);
        let used: HashSet<_> = values.filter_map(Value::as_shared).map(SharedBytes::address).collect();
        for (index, shared) in document.shared_strings().iter().enumerate() {
            if !used.contains(&shared.bytes().address()) {
                self.findings.add(SHARED_USED, || {
                    (
                        format!("shared_strings[{index}]"),
                        format!("no property uses the shared string with the key {:?}", shared.key()),
                    )
                });
            }
        }
    }

    fn instances(&mut self) {
        let document = self.document;
        let (mut referents, mut unique_ids) = (HashSet::new(), HashMap::new());
        #[cfg(feature = "classes")]
        let mut misspelled = HashMap::new();
        for (id, what) in document.unknown_parts().filter(|(_, what)| !what.is_old()) {
            self.findings.add(ELEMENTS, || {
                let path = id.and_then(|id| document.path(id));
                let path = path.map_or_else(|| "roblox".to_owned(), |path| path.to_string());
                (path, format!("found the unknown {what}"))
            });
        }
        let blocks: HashMap<u32, u32> = document.source.blocks.iter().copied().collect();
        for id in document.instances() {
            let Some(instance) = document.instance(id) else { continue };
            match instance.referent.as_deref() {
                None | Some("") => {
                    self.instance(NO_REFERENT, id, || "the attribute `referent` is missing or empty".into())
                }
                Some(referent @ ("null" | "nil")) => {
                    self.instance(REFERENTS, id, || {
                        format!("the referent is {referent:?}, which means \"no instance\"")
                    });
                }
                Some(referent) if !referents.insert(referent) => {
                    self.instance(REFERENTS, id, || format!("duplicate referent {referent:?}"));
                }
                Some(_) => {}
            }
            if instance.at.place().is_none() {
                let referent = instance.referent.as_deref().unwrap_or_default();
                for (name, text) in [("class", instance.class.as_bytes()), ("referent", referent.as_bytes())]
                {
                    if let Some(what) = not_xml([text]) {
                        self.instance(CHARACTERS, id, || format!("the {name} contains {what}"));
                    }
                }
            }
            if instance.class.is_empty() {
                self.instance(CLASSES, id, || "the attribute `class` is missing or empty".into());
            }
            if let Some(elements) = blocks.get(&id.slot()) {
                self.instance(PROPERTIES, id, || format!("found {elements} <Properties> elements"));
            }
            #[cfg(feature = "classes")]
            {
                let find = || rbxcore::classes::misspelled_class(instance.class.as_bytes());
                if let Some(found) = misspelled.entry(instance.class.as_str()).or_insert_with(find) {
                    self.instance(STORED_CLASSES, id, || found.clone());
                }
            }
            let mut names = HashSet::new();
            for property in &instance.properties {
                if !names.insert(property.name.as_str()) || property.name.is_empty() {
                    let tag = property.value.tag();
                    self.at(NAMES, id, property, || match property.name.as_str() {
                        "" => format!("the property in the element <{tag}> has no name"),
                        name => format!("duplicate property name {name:?} in the element <{tag}>"),
                    });
                }
                if property.name == "UniqueId"
                    && let Some(unique_id) = property.value.as_unique_id().filter(|id| !id.is_nil())
                    && let Some(first) = unique_ids.insert(unique_id, id)
                {
                    self.at(UNIQUE_IDS, id, property, || {
                        format!("same UniqueId as {}", document.path(first).unwrap_or_default())
                    });
                }
                if !property.at.is_as_read()
                    && let Some(what) =
                        not_xml([property.name.as_bytes()]).or_else(|| not_xml(texts(&property.value)))
                {
                    self.at(CHARACTERS, id, property, || format!("found {what}"));
                }
                self.value(id, property);
                #[cfg(feature = "classes")]
                self.known(id, &instance.class, property);
            }
        }
    }

    /// Compares a property with Roblox's class table.
    #[cfg(feature = "classes")]
    fn known(&mut self, id: InstanceId, class: &str, property: &Property) {
        let Some(class) = rbxcore::classes::class(class) else { return };
        let Some(known) = class.property(property.name.as_bytes()) else {
            if let Some(closest) = class.closest(&property.name) {
                self.at(STORED_NAMES, id, property, || {
                    format!("property name looks like a misspelling of \"{closest}\"")
                });
            }
            return;
        };
        // Groups of types that files of other years and other programs use interchangeably.
        const ALIKE: [&[&str]; 6] = [
            &["string", "ProtectedString"],
            &["BinaryString", "SharedString", "NetAssetRef"],
            &["ContentId", "Content"],
            &["int", "int64", "BrickColor", "token"],
            &["float", "double"],
            &["Color3", "Color3uint8"],
        ];
        let found = property.value.kind().map_or(property.value.tag(), |kind| kind.tag());
        let expected = known.kind().tag();
        let alike = ALIKE.iter().any(|alike| alike.contains(&expected) && alike.contains(&found));
        // Under another name, it is a property of another year.
        if expected != found && !alike && known.name() == &*property.name {
            self.at(STORED_TYPES, id, property, || format!("expected the type {expected}, found {found}"));
        }
        if let Some(found) = known.not_an_item(&property.value) {
            self.at(ITEMS, id, property, || found);
        }
        if let Some(found) = out_of_range(known, &property.value) {
            self.at(RANGES, id, property, || found);
        }
    }

    fn value(&mut self, id: InstanceId, property: &Property) {
        let document = self.document;
        match &property.value {
            Value::NumberSequence(sequence) => {
                if let Some(fault) = sequence.fault() {
                    self.at(SEQUENCES, id, property, || fault);
                }
            }
            Value::ColorSequence(sequence) => {
                if let Some(fault) = sequence.fault() {
                    self.at(SEQUENCES, id, property, || fault);
                }
                if let Some(keypoint) = sequence.keypoints.iter().find(|k| k.envelope != 0.0) {
                    self.at(ENVELOPES, id, property, || {
                        format!(
                            "the keypoint at time {} has the envelope {}",
                            keypoint.time, keypoint.envelope
                        )
                    });
                }
            }
            Value::Axes(axes) if axes.0 > 7 => {
                self.at(BITS, id, property, || format!("found the bits {:#b}", axes.0));
            }
            Value::Faces(faces) if faces.0 > 63 => {
                self.at(BITS, id, property, || format!("found the bits {:#b}", faces.0));
            }
            Value::Unknown(unknown)
                if matches!(&*unknown.tag, "SharedString" | "NetAssetRef")
                    && !unknown.xml.contains(&b'<') =>
            {
                self.at(SHARED_DEFINED, id, property, || {
                    format!("no shared string has the key \"{}\"", unknown.xml)
                });
            }
            Value::Unknown(unknown) if TAGS.contains(&&*unknown.tag) => {
                self.at(VALUES, id, property, || {
                    let text: String = unknown.xml.to_str_lossy().chars().take(64).collect();
                    format!("invalid content of <{}>: {text:?}", unknown.tag)
                });
            }
            // Types of 2005 and 2006.
            Value::Unknown(unknown) if ["tokens", "Feature"].contains(&&*unknown.tag) => {}
            Value::Unknown(unknown) => {
                self.at(TYPES, id, property, || {
                    format!("<{}> is not a known property type, so its value is not decoded", unknown.tag)
                });
            }
            value if document.is_dangling(property) => {
                self.at(REFERENCES, id, property, || {
                    let text = document.text_of(property.at).map(|text| text.to_str_lossy());
                    let text: String = text.unwrap_or_default().chars().take(120).collect();
                    format!("the {} refers to an instance that does not exist: {text}", value.tag())
                });
            }
            _ => {}
        }
    }
}

/// The texts of a value that are written as text.
fn texts(value: &Value) -> [&[u8]; 2] {
    match value {
        Value::String(text) | Value::ProtectedString(text) | Value::ContentId(text) => [text, b""],
        Value::Content(Content::Uri(uri)) => [uri, b""],
        Value::Font(font) => [&font.family, &font.cached_face_id],
        _ => [b"", b""],
    }
}

fn not_xml<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Option<NotXml> {
    texts.into_iter().find_map(NotXml::find)
}

/// Describes a number that is NaN or outside its range; `None` if all are in range.
#[cfg(feature = "classes")]
fn out_of_range(of: rbxcore::classes::Property, value: &Value) -> Option<String> {
    if let Value::PhysicalProperties(physical) = value {
        let PhysicalProperties::Custom(of) = **physical else { return None };
        let numbers = [of.density, of.friction, of.elasticity, of.friction_weight, of.elasticity_weight];
        let (name, number, range) = rbxcore::classes::physical_outside(numbers)?;
        return Some(format!("expected {name} from {} to {}, found {number}", range.start(), range.end()));
    }
    let range = of.range()?;
    let outside = |number: &f32| !range.contains(number);
    let number = match value {
        Value::Float32(number) => Some(*number).filter(outside)?,
        Value::Vector3(vector) => vector.to_array().into_iter().find(outside)?,
        _ => return None,
    };
    Some(format!("expected a number from {} to {}, found {number}", range.start(), range.end()))
}
