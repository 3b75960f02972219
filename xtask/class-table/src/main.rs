//! Prints the class table of rbxcore. The argument is a folder with `roblox-properties.tsv` (types of properties in
//! real files that do not follow from the database), `roblox-names.tsv` (names under which files store properties),
//! `roblox-brickcolors.tsv` (the palette) and `roblox-enums.tsv` (enum items that Roblox has removed).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::path::PathBuf;

use rbx_reflection::{
    ClassDescriptor, ClassTag, DataType, PropertyKind, PropertySerialization, ReflectionDatabase,
};
use rbx_types::{ContentType, FontStyle, PhysicalProperties, Variant, VariantType};

type Database = ReflectionDatabase<'static>;

/// Defaults that are not in the database, since no script can read the properties. They are taken from real files.
const KNOWN: &[(&str, &str, &str)] = &[
    ("Instance", "SerializedOverrides", ""),
    ("Instance", "SourceAssetId", "-1"),
    ("Model", "ScaleFactor", "1"),
    ("Humanoid", "Health_XML", "100"),
    ("Humanoid", "InternalHeadScale", "1"),
    ("Humanoid", "InternalBodyScale", "1 1 1"),
    ("Fire", "heat_xml", "9"),
    ("Fire", "size_xml", "5"),
    ("Smoke", "size_xml", "1"),
    ("Smoke", "opacity_xml", "0.5"),
    ("Smoke", "riseVelocity_xml", "1"),
    ("WeldConstraint", "State", "3"),
    ("Terrain", "SmoothGrid", "\\x01\\x05"),
    ("Terrain", "PhysicsGrid", "\\x02\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"),
    ("WorldRoot", "CollisionGroupData", "\\x01\\x01\\x00\\x04\\xff\\xff\\xff\\xff\\x07Default"),
    ("Workspace", "ExplicitAutoJoints", "1"),
    ("TriangleMeshPart", "InitialSize", "1 1 1"),
    ("LocalizationTable", "Contents", "[]"),
];

/// Properties under the names of other years, with the same type: the class, the stored name, and the other one. From
/// Roblox's documentation (deprecated properties), from the API dumps in `roblox-history.tsv`, and from files since 2006.
const RENAMED: &[(&str, &str, &str)] = &[
    ("BasePart", "CFrame", "CoordinateFrame"),
    ("BasePart", "CFrame", "cframe"),
    ("DoubleConstrainedValue", "value", "ConstrainedValue"),
    ("GuiBase2d", "AutoLocalize", "Localize"),
    ("Humanoid", "MaxHealth", "maxHealth"),
    ("IntConstrainedValue", "value", "ConstrainedValue"),
    ("LocalizationTable", "SourceLocaleId", "DevelopmentLanguage"),
    ("MeshPart", "MeshId", "MeshID"),
    ("Sound", "EmitterSize", "MinDistance"),
    ("Sound", "EmitterSize", "xmlRead_MinDistance_3"),
    ("Sound", "PlaybackSpeed", "Pitch"),
    ("Sparkles", "SparkleColor", "Color"),
    ("TextBox", "TextWrapped", "TextWrap"),
    ("TextButton", "TextWrapped", "TextWrap"),
    ("TextLabel", "TextWrapped", "TextWrap"),
];

/// Properties of other years that one of another type has replaced: the class, the name, the type, and the newer one. From
/// the same sources; `rbxcore::classes::turn` converts the values.
const REPLACED: &[(&str, &str, &str, &str)] = &[
    ("BodyColors", "HeadColor", "BrickColor", "HeadColor3"),
    ("BodyColors", "LeftArmColor", "BrickColor", "LeftArmColor3"),
    ("BodyColors", "LeftLegColor", "BrickColor", "LeftLegColor3"),
    ("BodyColors", "RightArmColor", "BrickColor", "RightArmColor3"),
    ("BodyColors", "RightLegColor", "BrickColor", "RightLegColor3"),
    ("BodyColors", "TorsoColor", "BrickColor", "TorsoColor3"),
    ("GuiBase3d", "Color", "BrickColor", "Color3"),
    ("GuiObject", "BackgroundColor", "BrickColor", "BackgroundColor3"),
    ("GuiObject", "BorderColor", "BrickColor", "BorderColor3"),
    ("ParticleEmitter", "VelocitySpread", "float", "SpreadAngle"),
    ("SelectionBox", "SurfaceColor", "BrickColor", "SurfaceColor3"),
    ("SelectionSphere", "SurfaceColor", "BrickColor", "SurfaceColor3"),
    ("TextBox", "FontSize", "token:FontSize", "TextSize"),
    ("TextBox", "TextColor", "BrickColor", "TextColor3"),
    ("TextButton", "FontSize", "token:FontSize", "TextSize"),
    ("TextButton", "TextColor", "BrickColor", "TextColor3"),
    ("TextLabel", "FontSize", "token:FontSize", "TextSize"),
    ("TextLabel", "TextColor", "BrickColor", "TextColor3"),
];

/// Classes and properties of other years that the database does not have, or says that no file stores: those of real files,
/// and those that look like a misspelling of a current name, from the databases of Roblox 0.377 (2019) to 0.741 and from
/// files since 2005. The kind follows a colon if the type in binary files does not determine it, or if the default is
/// known, which follows `=` (nothing for zero, as in the table): the value of at least 90 % of the instances in real files.
const OLD: &[&str] = &[
    "ABTestService",
    "AudioPlayer.AssetId",
    "AudioSearchParams.AudioSubtype",
    "AuroraScript.Tag",
    "BasePart.CastsShadows",
    "BasePart.CollisionGroups",
    "BasePart.DraggingV1:bool=",
    "BasePart.Elasticity:float=0.5",
    "BasePart.Friction:float=0.3",
    "BasePart.siz",
    "BillboardGui.DistanceStep:float=",
    "BlockMesh.Bevel_Roundness",
    "CFrame1",
    "CanvasGroup.GroupColor",
    "CanvasGroup.ResolutionScale:float=1",
    "ClusterGridV3:BinaryString",
    "DataModelMesh.LODX:token=2",
    "DataModelMesh.LODY:token=2",
    "Decal.Shiny:float=20",
    "Decal.Specular:float=",
    "ExampleService",
    "FWService",
    "FacialAnimationStreamingService",
    "GridV3:BinaryString",
    "HumanoidDescription.BackAccessory:string=",
    "HumanoidDescription.FaceAccessory:string=",
    "HumanoidDescription.FrontAccessory:string=",
    "HumanoidDescription.HairAccessory:string=",
    "HumanoidDescription.HatAccessory:string=",
    "HumanoidDescription.Head:int64=",
    "HumanoidDescription.HeadColor:Color3=",
    "HumanoidDescription.LeftArm:int64=",
    "HumanoidDescription.LeftArmColor:Color3=",
    "HumanoidDescription.LeftLeg:int64=",
    "HumanoidDescription.LeftLegColor:Color3=",
    "HumanoidDescription.NeckAccessory:string=",
    "HumanoidDescription.RightArm:int64=",
    "HumanoidDescription.RightArmColor:Color3=",
    "HumanoidDescription.RightLeg:int64=",
    "HumanoidDescription.RightLegColor:Color3=",
    "HumanoidDescription.ShouldersAccessory:string=",
    "HumanoidDescription.Torso:int64=",
    "HumanoidDescription.TorsoColor:Color3=",
    "HumanoidDescription.WaistAccessory:string=",
    "JointInstance.IsAutoJoint:bool=",
    "LODData:BinaryString",
    "ManualSurfaceJointInstance.Surface0:int=-1",
    "ManualSurfaceJointInstance.Surface1:int=-1",
    "MeshID:ContentId",
    "Model.ModelInPrimary:CoordinateFrame=",
    "NetworkSettings.IncommingReplicationLag",
    "PVInstance.Controller:token=",
    "PVInstance.ControllerFlagShown:bool=1",
    "PVInstance.Pivot Offset",
    "PackageIdSerialize:ContentId",
    "PackageLink.PackageGuid",
    "Part.shap",
    "PlaceholderColor",
    "Player.Teleported",
    "RbxService",
    "ReflectionMetadataClass.PreferredParents",
    "Script.Tag",
    "Sound.IsPlaying",
    "Sound.PlayCount:int=-1",
    "Sound.isPlaying",
    "TextBox.ShouldEmitReturnEvents:bool=",
    "TextBox.ShouldEmitUpAndDownArrowEvents:bool=",
    "TexturePack0",
    "TexturePack1",
    "Tool.GripUp",
    "TriangleMeshPart.LODData:BinaryString=",
    "WeldConstraint.Enabled:bool=1",
    "cframe",
];

/// A stored property, as its class declares it.
#[derive(Default)]
struct Property {
    kind: String,
    /// The name under which the database lists the default.
    default_name: String,
    /// The name that scripts use; empty if it is the stored one.
    script_name: String,
    shown: BTreeSet<String>,
    replaced_by: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let notes = PathBuf::from(std::env::args_os().nth(1).ok_or("classes NOTES")?);
    let read = |name: &str| std::fs::read_to_string(notes.join(name));
    let (types, names) = (read("roblox-properties.tsv")?, read("roblox-names.tsv")?);
    let (colors, items) = (read("roblox-brickcolors.tsv")?, read("roblox-enums.tsv")?);
    let mut tags = HashMap::new();
    for line in types.lines().skip(1) {
        let cells: Vec<_> = line.split('\t').collect();
        if let [class, property, binary, tag, ..] = cells[..] {
            tags.insert((class, property), (binary, tag));
        }
    }
    let database = rbx_reflection_database::get_bundled();
    let mut children: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for class in database.classes.values() {
        children.entry(class.superclass.unwrap_or_default()).or_default().insert(class.name);
    }
    let mut order: Vec<&str> = Vec::new();
    let mut waiting: Vec<&str> = children[""].iter().rev().copied().collect();
    while let Some(class) = waiting.pop() {
        order.push(class);
        waiting.extend(children.get(class).into_iter().flatten().rev());
    }
    let declared: BTreeMap<&str, BTreeMap<String, Property>> =
        order.iter().map(|&class| (class, properties(&database.classes[class], &tags, &names))).collect();
    let version: Vec<_> = database.version.iter().map(u32::to_string).collect();
    println!("# Made by `cargo xtask classes` from rbx_reflection_database (Roblox {}).", version.join("."));
    // For each class, the default of each property that it declares or inherits.
    let mut inherited: HashMap<&str, HashMap<String, String>> = HashMap::new();
    let mut enums = BTreeSet::new();
    for &name in &order {
        let class = &database.classes[name];
        let mut defaults = class.superclass.and_then(|base| inherited.get(base)).cloned().unwrap_or_default();
        let service = if class.tags.contains(&ClassTag::Service) { "\tservice" } else { "" };
        println!("{name}\t{}{service}", class.superclass.unwrap_or("-"));
        // Properties of base classes for which this class has another default.
        for base in database.superclasses_iter(class).skip(1) {
            for (stored, property) in &declared[base.name] {
                let own = default(database, class, name, stored, property);
                if let Some(own) = own.filter(|own| defaults.get(stored) != Some(own)) {
                    println!("\t={stored}\t{own}");
                    defaults.insert(stored.clone(), own);
                }
            }
        }
        for (stored, property) in &declared[name] {
            let value = default(database, class, name, stored, property)
                .or_else(|| most_frequent(database, &children, &declared, name, stored, property));
            let value = match value {
                Some(value) => value,
                // A new instance refers to no other instance, and has no id.
                None if matches!(&*property.kind, "Ref" | "UniqueId") => String::new(),
                None => "?".into(),
            };
            let mut line = format!("\t{stored}\t{}\t{value}", property.kind);
            if !property.shown.is_empty() || !property.replaced_by.is_empty() {
                // First the name that scripts use, which is empty if it is the stored one.
                let others = property.shown.iter().filter(|name| **name != property.script_name);
                let names: Vec<&str> =
                    std::iter::once(&property.script_name).chain(others).map(String::as_str).collect();
                line += &format!("\t{}", names.join(","));
            }
            if !property.replaced_by.is_empty() {
                line += &format!("\t{}", property.replaced_by.join(","));
            }
            println!("{line}");
            if let Some(of) = property.kind.strip_prefix("token:") {
                enums.insert(of.to_owned());
            }
            defaults.insert(stored.clone(), value);
        }
        inherited.insert(name, defaults);
    }
    print_enums(database, &enums, &items);
    print_fonts(database);
    print_old(database, &declared, &tags);
    for line in colors.lines().skip(1) {
        let cells: Vec<_> = line.split('\t').collect();
        if let [number, name, r, g, b, ..] = cells[..] {
            println!("@{number}\t{r} {g} {b}\t{name}");
        }
    }
    Ok(())
}

/// Prints the items of enums, those of the database and those of a list.
fn print_enums(database: &ReflectionDatabase<'_>, enums: &BTreeSet<String>, items: &str) {
    for name in enums {
        let known = &database.enums[name.as_str()].items;
        let mut all: BTreeSet<(u32, &str)> = known.iter().map(|(item, &number)| (number, *item)).collect();
        for line in items.lines() {
            let cells: Vec<_> = line.split('\t').collect();
            if let [of, item, number, ..] = cells[..]
                && of == *name
                && let Ok(number) = number.parse()
                && !known.values().any(|&known| known == number)
            {
                all.insert((number, item));
            }
        }
        println!("#{name}\t{}", listed(&all));
    }
}

/// Prints the faces that replace the items of the enum `Font`.
fn print_fonts(database: &ReflectionDatabase<'_>) {
    let of = database.classes["TextLabel"].properties.get("Font");
    if let Some(PropertyKind::Canonical { serialization: PropertySerialization::Migrate(migration) }) =
        of.map(|property| &property.kind)
    {
        for number in database.enums["Font"].items.values().copied().collect::<BTreeSet<u32>>() {
            let item = Variant::Enum(rbx_types::Enum::from_u32(number));
            let face = migration.perform(&item).ok();
            if let Some(face) = face.as_ref().and_then(text) {
                println!("~{number}\t{face}");
            }
        }
    }
}

/// Prints the properties of real files that the database no longer has.
fn print_old(
    database: &Database,
    declared: &BTreeMap<&str, BTreeMap<String, Property>>,
    tags: &HashMap<(&str, &str), (&str, &str)>,
) {
    let known = |name: &str| database.classes.values().any(|class| class.properties.contains_key(name));
    let is_old = |name: &str| OLD.iter().any(|old| old.split(':').next() == Some(name));
    let old = tags.keys().map(|(_, name)| *name).filter(|name| !known(name) && !is_old(name));
    let old = old.chain(OLD.iter().copied()).map(ToOwned::to_owned);
    let old: BTreeSet<String> = old.chain(unsaved(database, declared)).collect();
    println!("!{}", old.into_iter().collect::<Vec<_>>().join(","));
}

/// Properties that no file stores any more, with their kinds: those whose type in a binary file, or whose tag in XML, can
/// also be that of another kind.
fn unsaved<'a>(
    database: &'a Database,
    declared: &'a BTreeMap<&str, BTreeMap<String, Property>>,
) -> impl Iterator<Item = String> + 'a {
    const SHARED: [&str; 5] = ["BrickColor", "BinaryString", "ContentId", "NetAssetRef", "ProtectedString"];
    database.classes.values().flat_map(move |class| {
        let is_saved = |name: &str| {
            declared[class.name].iter().any(|(stored, of)| *stored == name || of.shown.contains(name))
        };
        let unsaved = class.properties.values().filter(move |property| !is_saved(property.name));
        unsaved.filter_map(move |property| {
            let kind = kind(&property.data_type, None).filter(|kind| SHARED.contains(&&**kind))?;
            let is_known = OLD.iter().any(|old| old.split(':').next() == Some(property.name));
            (!is_known).then(|| format!("{}.{}:{kind}", class.name, property.name))
        })
    })
}

/// Lists items in the order of their numbers, as `A,B,7=C`. An item without a number has the number after the previous
/// one; the first has 0.
fn listed(items: &BTreeSet<(u32, &str)>) -> String {
    let mut next = 0;
    let text = items.iter().map(|&(number, name)| {
        let text = if number == next { name.to_owned() } else { format!("{number}={name}") };
        next = number.wrapping_add(1);
        text
    });
    text.collect::<Vec<_>>().join(",")
}

/// The properties that a class declares and that files store.
fn properties(
    class: &ClassDescriptor<'_>,
    tags: &HashMap<(&str, &str), (&str, &str)>,
    names: &str,
) -> BTreeMap<String, Property> {
    let mut stored: BTreeMap<String, Property> = BTreeMap::new();
    let mut add = |name: &str, of: &str, data_type: &DataType<'_>, replaced_by: Vec<String>| {
        let tag = tags.get(&(class.name, name)).or_else(|| tags.get(&("*", name))).copied();
        let Some(kind) = kind(data_type, tag) else { return };
        let property = stored.entry(name.into()).or_default();
        property.kind = kind;
        // The database lists the default under the name that scripts use.
        if property.default_name.is_empty() || of != name {
            property.default_name = of.into();
        }
        if of != name {
            property.shown.insert(of.into());
            property.script_name = of.into();
        }
        // A property with the address of an asset was replaced by one with content, which has the same default.
        if property.kind == "ContentId"
            && let [new] = &replaced_by[..]
        {
            property.default_name = new.clone();
        }
        property.replaced_by = replaced_by;
    };
    for property in class.properties.values() {
        if let PropertyKind::Canonical { serialization } = &property.kind {
            match serialization {
                PropertySerialization::Serializes => {
                    add(property.name, property.name, &property.data_type, Vec::new());
                }
                PropertySerialization::SerializesAs(name) => {
                    let data_type =
                        class.properties.get(name).map_or(&property.data_type, |to| &to.data_type);
                    add(name, property.name, data_type, Vec::new());
                }
                PropertySerialization::Migrate(migration) => {
                    let new = migration.new_property_names().iter().map(ToString::to_string).collect();
                    add(property.name, property.name, &property.data_type, new);
                }
                _ => {}
            }
        }
    }
    // Aliases, under which old files store properties. The property that an alias leads to can be stored under a third
    // name.
    for property in class.properties.values() {
        if let PropertyKind::Alias { alias_for } = property.kind {
            let to = stored.iter_mut().find(|(name, to)| *name == alias_for || to.shown.contains(alias_for));
            if let Some((_, to)) = to.filter(|(name, _)| *name != property.name) {
                to.shown.insert(property.name.into());
            }
        }
    }
    for line in names.lines().skip(1) {
        let cells: Vec<_> = line.split('\t').collect();
        if let [of, name, shown, "saved-as", ..] = cells[..]
            && of == class.name
            && let Some(property) = stored.get_mut(name)
        {
            property.shown.insert(shown.into());
            if property.script_name.is_empty() {
                property.script_name = shown.into();
            }
            if !class.default_properties.contains_key(&*property.default_name) {
                property.default_name = shown.into();
            }
        }
    }
    for (_, name, older) in RENAMED.iter().filter(|(of, ..)| *of == class.name) {
        if let Some(property) = stored.get_mut(*name) {
            property.shown.insert((*older).into());
        }
    }
    for (_, older, kind, newer) in REPLACED.iter().filter(|(of, ..)| *of == class.name) {
        let replaced_by = vec![(*newer).to_owned()];
        stored.insert((*older).into(), Property { kind: (*kind).into(), replaced_by, ..Property::default() });
    }
    stored
}

/// How files store a type: the tag of its element in XML, with `ContentId` and `BrickColor` distinguished.
fn kind(data_type: &DataType<'_>, tag: Option<(&str, &str)>) -> Option<String> {
    match tag {
        Some(("0x01", "Content")) => return Some("ContentId".into()),
        Some(("0x0b", "int")) => return Some("BrickColor".into()),
        Some(("0x12", _)) | None => {}
        Some((_, tag)) => return Some(tag.into()),
    }
    Some(
        match data_type {
            DataType::Enum(name) => return Some(format!("token:{name}")),
            DataType::Value(kind) => match kind {
                VariantType::Axes => "Axes",
                VariantType::BinaryString | VariantType::Attributes | VariantType::Tags => "BinaryString",
                VariantType::MaterialColors => "BinaryString",
                VariantType::Bool => "bool",
                VariantType::BrickColor => "BrickColor",
                VariantType::CFrame => "CoordinateFrame",
                VariantType::Color3 => "Color3",
                VariantType::Color3uint8 => "Color3uint8",
                VariantType::ColorSequence => "ColorSequence",
                VariantType::Content => "Content",
                VariantType::ContentId => "ContentId",
                VariantType::Faces => "Faces",
                VariantType::Float32 => "float",
                VariantType::Float64 => "double",
                VariantType::Font => "Font",
                VariantType::Int32 => "int",
                VariantType::Int64 => "int64",
                VariantType::NetAssetRef => "NetAssetRef",
                VariantType::NumberRange => "NumberRange",
                VariantType::NumberSequence => "NumberSequence",
                VariantType::OptionalCFrame => "OptionalCoordinateFrame",
                VariantType::PhysicalProperties => "PhysicalProperties",
                VariantType::Ray => "Ray",
                VariantType::Rect => "Rect2D",
                VariantType::Ref => "Ref",
                VariantType::SecurityCapabilities => "SecurityCapabilities",
                VariantType::SharedString => "SharedString",
                VariantType::String => "string",
                VariantType::UDim => "UDim",
                VariantType::UDim2 => "UDim2",
                VariantType::UniqueId => "UniqueId",
                VariantType::Vector2 => "Vector2",
                VariantType::Vector3 => "Vector3",
                VariantType::Vector3int16 => "Vector3int16",
                _ => return None,
            },
            _ => return None,
        }
        .into(),
    )
}

/// The default of a property that a class has or inherits, as text.
fn default(
    database: &Database,
    class: &ClassDescriptor<'static>,
    name: &str,
    stored: &str,
    property: &Property,
) -> Option<String> {
    let known = KNOWN.iter().find(|(of, known, _)| *of == name && *known == stored);
    let value = match database.find_default_property(class, &property.default_name) {
        // Only for the attributes of an instance does Studio write, and read, no bytes instead of a count of zero.
        Some(Variant::Attributes(value)) if value.is_empty() && stored != "AttributesSerialize" => {
            return Some(escape(&[0; 4]));
        }
        value => value,
    };
    value.and_then(text).or_else(|| known.map(|(.., value)| (*value).to_owned()))
}

/// The most frequent default among the subclasses of a class that has no default of its own.
fn most_frequent(
    database: &Database,
    children: &BTreeMap<&str, BTreeSet<&str>>,
    declared: &BTreeMap<&str, BTreeMap<String, Property>>,
    class: &str,
    stored: &str,
    property: &Property,
) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut waiting: Vec<&str> = children.get(class).into_iter().flatten().copied().collect();
    while let Some(name) = waiting.pop() {
        if declared[name].contains_key(stored) {
            continue;
        }
        if let Some(value) = default(database, &database.classes[name], name, stored, property) {
            *counts.entry(value).or_default() += 1;
        }
        waiting.extend(children.get(name).into_iter().flatten());
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(value, _)| value)
}

/// A value as text. Values that are zero, empty, null or the identity become the empty text.
fn text(value: &Variant) -> Option<String> {
    let floats = |values: &[f32]| {
        let texts: Vec<_> = values.iter().map(ToString::to_string).collect();
        if values.iter().all(|&value| value.to_bits() == 0) { String::new() } else { texts.join(" ") }
    };
    let integer = |value: i64| if value == 0 { String::new() } else { value.to_string() };
    Some(match value {
        Variant::Bool(value) => integer((*value).into()),
        Variant::Int32(value) => integer((*value).into()),
        Variant::Int64(value) => integer(*value),
        Variant::Float32(value) => floats(&[*value]),
        Variant::Float64(value) if value.to_bits() == 0 => String::new(),
        Variant::Float64(value) => value.to_string(),
        Variant::Enum(value) => integer(value.to_u32().into()),
        Variant::BrickColor(value) => integer((*value as u16).into()),
        Variant::Faces(value) => integer(value.bits().into()),
        Variant::Axes(value) => integer(value.bits().into()),
        Variant::SecurityCapabilities(value) => integer(i64::try_from(value.bits()).ok()?),
        Variant::String(value) => escape(value.as_bytes()),
        Variant::ContentId(value) => escape(value.as_str().as_bytes()),
        Variant::Content(value) => match value.value() {
            ContentType::None => String::new(),
            ContentType::Uri(uri) => escape(uri.as_bytes()),
            _ => return None,
        },
        Variant::BinaryString(value) => escape(value.as_ref()),
        Variant::SharedString(value) => escape(value.data()),
        Variant::NetAssetRef(value) => escape(value.data()),
        Variant::Attributes(value) => {
            let mut bytes = Vec::new();
            if !value.is_empty() {
                value.to_writer(&mut bytes).ok()?;
            }
            escape(&bytes)
        }
        Variant::Tags(value) => escape(&value.encode()),
        Variant::MaterialColors(value) => escape(&value.encode()),
        Variant::Color3(value) => floats(&[value.r, value.g, value.b]),
        Variant::Color3uint8(value) => format!("{} {} {}", value.r, value.g, value.b),
        Variant::Vector2(value) => floats(&[value.x, value.y]),
        Variant::Vector3(value) => floats(&[value.x, value.y, value.z]),
        Variant::Vector3int16(value) => format!("{} {} {}", value.x, value.y, value.z),
        Variant::UDim(value) => format!("{} {}", value.scale, value.offset),
        Variant::UDim2(value) => {
            format!("{} {} {} {}", value.x.scale, value.x.offset, value.y.scale, value.y.offset)
        }
        Variant::Rect(value) => floats(&[value.min.x, value.min.y, value.max.x, value.max.y]),
        Variant::NumberRange(value) => floats(&[value.min, value.max]),
        Variant::NumberSequence(value) => {
            let keys = value.keypoints.iter().flat_map(|key| [key.time, key.value, key.envelope]);
            keys.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
        }
        Variant::ColorSequence(value) => {
            let keys = value.keypoints.iter();
            let keys = keys.flat_map(|key| [key.time, key.color.r, key.color.g, key.color.b, 0.0]);
            keys.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
        }
        Variant::CFrame(value) => {
            let (p, r) = (value.position, value.orientation);
            let all = [p.x, p.y, p.z, r.x.x, r.x.y, r.x.z, r.y.x, r.y.y, r.y.z, r.z.x, r.z.y, r.z.z];
            let identity = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0_f32];
            let same = all.map(f32::to_bits) == identity.map(f32::to_bits);
            if same { String::new() } else { all.map(|number| number.to_string()).join(" ") }
        }
        Variant::Font(value) => format!(
            "{} {} {} {}",
            value.weight.as_u16(),
            if value.style == FontStyle::Italic { 1 } else { 0 },
            value.family,
            value.cached_face_id.as_deref().unwrap_or_default(),
        )
        .trim_end()
        .to_owned(),
        Variant::Ray(value) => {
            let (o, d) = (value.origin, value.direction);
            floats(&[o.x, o.y, o.z, d.x, d.y, d.z])
        }
        Variant::PhysicalProperties(PhysicalProperties::Default)
        | Variant::OptionalCFrame(None)
        | Variant::UniqueId(_)
        | Variant::Ref(_) => String::new(),
        _ => return None,
    })
}

/// Escapes bytes so that they fit into one line.
fn escape(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\\') && !text.chars().any(char::is_control) => text.to_owned(),
        _ => bytes
            .iter()
            .map(|&byte| match byte {
                b' '..=b'~' if byte != b'\\' => char::from(byte).to_string(),
                _ => format!("\\x{byte:02x}"),
            })
            .collect(),
    }
}
