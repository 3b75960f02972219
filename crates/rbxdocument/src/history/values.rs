//! Values in the form that an older client knew.

use std::sync::LazyLock;

use geom::{CFrame, Mat3, Vec2, Vec3};
use rbxcore::{BrickColor, Color3uint8, Kind, PhysicalProperties, Value, classes};

use super::table::{self, Month, Status};

/// Older values for a newer one, and whether they say the same.
pub(super) type Older = Option<(Vec<Value>, bool)>;

/// A property, those of older clients that mean the same, and the conversion of the value.
pub(super) struct Successor {
    /// The class that has it, or from which its classes inherit.
    class: &'static str,
    new: &'static str,
    /// One value for each.
    old: &'static [&'static str],
    turn: fn(&Value, Month) -> Older,
}

const fn row(
    class: &'static str,
    new: &'static str,
    old: &'static [&'static str],
    turn: fn(&Value, Month) -> Older,
) -> Successor {
    Successor { class, new, old, turn }
}

/// What the class table does not state, or states only for values that have an exact equal.
const SUCCESSORS: &[Successor] = &[
    row("BasePart", "Color3uint8", &["BrickColor"], nearest_color),
    row("BasePart", "CustomPhysicalProperties", &["Elasticity", "Friction"], physical),
    row("Camera", "CFrame", &["CoordinateFrame"], same),
    row("FormFactorPart", "formFactorRaw", &["formFactor"], same),
    row("GuiObject", "FontFace", &["Font"], font),
    row("GuiObject", "TextSize", &["FontSize"], font_size),
    row("GuiObject", "TextWrapped", &["TextWrap"], same),
    row("GuiObject", "TextColor3", &["TextColor"], nearest_color),
    row("ParticleEmitter", "SpreadAngle", &["VelocitySpread"], spread),
    row("PartOperation", "ChildData2", &["ChildData"], bytes),
    row("PartOperation", "MeshData2", &["MeshData"], bytes),
    row("MeshPart", "PhysicalConfigData", &["PhysicsData"], bytes),
    row("PartOperation", "PhysicalConfigData", &["PhysicsData"], bytes),
    row("ScreenGui", "ScreenInsets", &["IgnoreGuiInset"], insets),
    row("Sound", "PlaybackSpeed", &["Pitch"], same),
    row("Sound", "EmitterSize", &["MinDistance"], same),
    row("UICorner", "TopLeftRadius", &["CornerRadius"], same),
];

/// What the properties of a month say of a newer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// It is another name of the same property, which some files have.
    Alias,
    /// Another property that says the same.
    Same,
    /// The nearest value.
    Nearest,
}

impl Says {
    fn of(is_same: bool) -> Self {
        if is_same { Self::Same } else { Self::Nearest }
    }
}

/// The properties of a month for one that it did not have, with their values.
pub(super) fn older(
    class: &str,
    property: &str,
    value: &Value,
    month: Month,
) -> Option<(Vec<(&'static str, Value)>, Says)> {
    let is_known = |name: &str| matches!(table::property(class, name, month), Status::Known(_));
    let of_table = SUCCESSORS.iter().filter(|row| row.new == property && table::is_a(class, row.class));
    for row in of_table {
        if row.old.iter().all(|name| is_known(name))
            && let Some((values, is_same)) = (row.turn)(value, month)
        {
            return Some((row.old.iter().copied().zip(values).collect(), Says::of(is_same)));
        }
    }
    let known = classes::class(class)?.property(property)?;
    // Another name of the same property.
    if let Some(name) = known.names().find(|name| *name != property && is_known(name)) {
        return Some((vec![(name, value.clone())], Says::Alias));
    }
    known.older().find_map(|(older, _)| {
        let name = older.names().find(|name| is_known(name))?;
        let turned = classes::turn(known.kind(), older.kind())?(value.as_ref())?;
        Some((vec![(name, turned)], Says::Same))
    })
}

/// Whether what an older client stores depends on the value.
pub(super) fn has_older(class: &str, property: &str) -> bool {
    let is_it = |row: &Successor| row.new == property && table::is_a(class, row.class);
    let known = || classes::class(class)?.property(property)?.older().next();
    SUCCESSORS.iter().any(is_it) || known().is_some()
}

/// The properties of a month that stand for one that it did not have, if there are any.
pub fn older_names(class: &str, property: &str, month: Month) -> Vec<&'static str> {
    let is_known = |name: &str| matches!(table::property(class, name, month), Status::Known(_));
    let mut of_table = SUCCESSORS.iter().filter(|row| row.new == property && table::is_a(class, row.class));
    if let Some(row) = of_table.find(|row| row.old.iter().all(|name| is_known(name))) {
        return row.old.to_vec();
    }
    let Some(known) = classes::class(class).and_then(|class| class.property(property)) else {
        return Vec::new();
    };
    let other = known.names().find(|name| *name != property && is_known(name));
    let older = || {
        known.older().find_map(|(older, _)| {
            classes::turn(known.kind(), older.kind())?;
            older.names().find(|name| is_known(name))
        })
    };
    other.or_else(older).into_iter().collect()
}

fn same(value: &Value, _: Month) -> Older {
    Some((vec![value.clone()], true))
}

fn bytes(value: &Value, _: Month) -> Older {
    Some((vec![Value::from(value.as_bytes()?)], true))
}

fn insets(value: &Value, _: Month) -> Older {
    // `DeviceSafeInsets` and `None` both ignored the bar of the client.
    let item = value.as_enum()?;
    Some((vec![Value::Bool(item != 2)], (1..=2).contains(&item)))
}

fn physical(value: &Value, _: Month) -> Older {
    let Value::PhysicalProperties(all) = value else { return None };
    let (elasticity, friction, is_same) = match **all {
        PhysicalProperties::Default => (0.5, 0.3, true),
        PhysicalProperties::Custom(of) => (of.elasticity, of.friction, false),
    };
    Some((vec![Value::Float32(elasticity), Value::Float32(friction)], is_same))
}

/// How much a part absorbs sound, if its physical properties state it.
pub(super) fn absorption(value: &Value) -> Option<f32> {
    match value {
        Value::PhysicalProperties(all) => match **all {
            PhysicalProperties::Custom(of) => of.acoustic_absorption,
            PhysicalProperties::Default => None,
        },
        _ => None,
    }
}

/// Physical properties without that.
pub(super) fn without_absorption(value: &mut Value) {
    if let Value::PhysicalProperties(all) = value
        && let PhysicalProperties::Custom(of) = &mut **all
    {
        of.acoustic_absorption = None;
    }
}

fn spread(value: &Value, _: Month) -> Older {
    let Value::Vector2(Vec2 { x, y }) = *value else { return None };
    Some((vec![Value::Float32(x.max(y))], x.to_bits() == y.to_bits()))
}

/// The sizes in pixels of the items of `FontSize`.
const FONT_SIZES: [f32; 15] =
    [8.0, 9.0, 10.0, 11.0, 12.0, 14.0, 18.0, 24.0, 36.0, 48.0, 28.0, 32.0, 42.0, 60.0, 96.0];

fn font_size(value: &Value, month: Month) -> Older {
    let size = value.as_f32()?;
    let known = table::items("FontSize", month).filter_map(|item| {
        let size = FONT_SIZES.get(item as usize)?;
        Some((item, *size))
    });
    let distance = |at: f32| (at - size).abs();
    let (item, found) = known.min_by(|one, next| distance(one.1).total_cmp(&distance(next.1)))?;
    Some((vec![Value::Enum(item)], found.to_bits() == size.to_bits()))
}

fn font(value: &Value, month: Month) -> Older {
    let Value::Font(face) = value else { return None };
    let faces = |item: u32| match classes::font(item) {
        Some(Value::Font(of)) => Some(of),
        _ => None,
    };
    let mut best: Option<(u32, (bool, u32))> = None;
    for item in table::items("Font", month) {
        let Some(of) = faces(item).filter(|of| of.family == face.family) else { continue };
        let distance = (of.style != face.style, u32::from(of.weight.abs_diff(face.weight)));
        if best.is_none_or(|(_, known)| distance < known) {
            best = Some((item, distance));
        }
    }
    let (item, is_same) = match best {
        Some((item, distance)) => (item, distance == (false, 0)),
        None => (usual_font(u32::from(face.weight > 500), month), false),
    };
    Some((vec![Value::Enum(item)], is_same))
}

/// `SourceSans`, or `Arial` for months that did not have it; with 1, the bold one.
fn usual_font(bold: u32, month: Month) -> u32 {
    match table::items("Font", month).any(|item| item == 3) {
        true => 3 + bold,
        false => 1 + bold,
    }
}

/// The colours 301 to 365 came with the palette of 2013.
const SECOND_PALETTE: (Month, std::ops::RangeInclusive<u32>) = (Month::new(2013, 12), 301..=365);

fn nearest_color(value: &Value, month: Month) -> Older {
    let color = match value {
        Value::Color3uint8(color) => *color,
        Value::Color3(color) => Color3uint8::try_from(*color).ok()?,
        _ => return None,
    };
    let Color3uint8 { r, g, b } = color;
    if let Some(exact) = exact_color([r, g, b], month) {
        return Some((vec![exact], true));
    }
    Some((vec![nearest_brick_color(color, month)], false))
}

/// The colour of the palette of a month that looks most like another one.
pub(super) fn nearest_brick_color(Color3uint8 { r, g, b }: Color3uint8, month: Month) -> Value {
    // Green counts most for the eye, blue least.
    let distance = |[x, y, z]: [u8; 3]| {
        let part = |one: u8, next: u8| u32::from(one.abs_diff(next)).pow(2);
        3 * part(x, r) + 4 * part(y, g) + 2 * part(z, b)
    };
    let nearest = palette(month).min_by_key(|&(_, rgb)| distance(rgb));
    BrickColor(nearest.map_or(194, |(number, _)| number)).into()
}

fn exact_color(rgb: [u8; 3], month: Month) -> Option<Value> {
    palette(month).find(|&(_, known)| known == rgb).map(|(number, _)| BrickColor(number).into())
}

fn palette(month: Month) -> impl Iterator<Item = (u32, [u8; 3])> {
    let is_known = move |number: &u32| month >= SECOND_PALETTE.0 || !SECOND_PALETTE.1.contains(number);
    PALETTE.iter().copied().filter(move |(number, _)| is_known(number))
}

/// The colours of all numbers.
static PALETTE: LazyLock<Vec<(u32, [u8; 3])>> = LazyLock::new(|| {
    let numbers = classes::brick_colors().map(|(number, _)| number);
    numbers.filter_map(|number| Some((number, classes::brick_color(number)?))).collect()
});

/// The older materials that look most like a newer one, the nearest first; the table of the conversion.
pub(super) const MATERIALS: &[(u32, &[u32])] = &[
    (272, &[256]),              // SmoothPlastic: Plastic
    (288, &[272, 256]),         // Neon: SmoothPlastic, Plastic
    (528, &[512]),              // WoodPlanks: Wood
    (784, &[272, 256]),         // Marble: SmoothPlastic
    (788, &[832, 800]),         // Basalt: Granite, Slate
    (804, &[896, 800]),         // CrackedLava: Rock, Slate
    (820, &[912, 816]),         // Limestone: Sandstone, Concrete
    (832, &[816]),              // Granite: Concrete
    (836, &[816]),              // Pavement: Concrete
    (848, &[816]),              // Brick: Concrete
    (864, &[816]),              // Pebble: Concrete
    (880, &[864, 800]),         // Cobblestone: Pebble, Slate
    (896, &[800]),              // Rock: Slate
    (912, &[1296, 816]),        // Sandstone: Sand, Concrete
    (1088, &[272, 256]),        // Metal: SmoothPlastic
    (1284, &[1280]),            // LeafyGrass: Grass
    (1296, &[816]),             // Sand: Concrete
    (1312, &[272, 256]),        // Fabric: SmoothPlastic
    (1328, &[1296, 272, 256]),  // Snow: Sand, SmoothPlastic
    (1344, &[1360, 1296, 800]), // Mud: Ground, Sand, Slate
    (1360, &[1296, 800]),       // Ground: Sand, Slate
    (1376, &[816]),             // Asphalt: Concrete
    (1392, &[1296, 816]),       // Salt: Sand, Concrete
    (1552, &[1536]),            // Glacier: Ice
    (1568, &[272, 256]),        // Glass: SmoothPlastic
    (1584, &[1568, 272, 256]),  // ForceField: Glass, SmoothPlastic
    (2304, &[272, 256]),        // Cardboard: SmoothPlastic
    (2305, &[1312, 272, 256]),  // Carpet: Fabric
    (2306, &[784, 272, 256]),   // CeramicTiles: Marble
    (2307, &[848, 816]),        // ClayRoofTiles: Brick, Concrete
    (2308, &[800]),             // RoofShingles: Slate
    (2309, &[1312, 272, 256]),  // Leather: Fabric
    (2310, &[816]),             // Plaster: Concrete
    (2311, &[272, 256]),        // Rubber: SmoothPlastic
];

/// Two items of `SurfaceType`.
const SMOOTH: u32 = 0;
const SMOOTH_NO_OUTLINES: u32 = 10;

/// The least size of a part in studs before [`THIN_SINCE`](super::THIN_SINCE).
pub(super) const LEAST: f32 = 0.2;

/// The size of a part that is thinner than that.
pub(super) fn thickened(class: &str, name: &str, value: &Value) -> Option<Value> {
    let Vec3 { x, y, z } = value.as_vector3().filter(|_| name == "size" || name == "Size")?;
    let is_thin = [x, y, z].iter().any(|&of| of < LEAST);
    (is_thin && table::is_a(class, "BasePart"))
        .then(|| Vec3::new(x.max(LEAST), y.max(LEAST), z.max(LEAST)).into())
}

/// The item of an enum for one that a month did not have.
pub(super) fn nearest_item(of: &str, item: u32, default: Option<u32>, month: Month) -> Option<u32> {
    let is_known = |item: &u32| table::item_span(of, *item).is_some_and(|span| span.contains(month));
    let nearest = match of {
        "Material" => {
            let row = MATERIALS.iter().find(|(material, _)| *material == item);
            row.and_then(|(_, like)| like.iter().copied().find(is_known))
        }
        "Font" => classes::font(item).and_then(|face| font(&face, month)?.0.first()?.as_enum()),
        "SurfaceType" if item == SMOOTH_NO_OUTLINES => Some(SMOOTH),
        _ => None,
    };
    nearest.or(default.filter(is_known)).or_else(|| table::items(of, month).next())
}

/// A value as another type of the binary form; `None` if it has none. Objects as content become nothing.
pub(super) fn retyped(value: &Value, kind: Kind) -> Option<Value> {
    match (value, kind) {
        (Value::BrickColor(_), Kind::Color3uint8) => classes::turn(Kind::BrickColor, kind)?(value.as_ref()),
        (Value::Float64(number), Kind::Float32) => Some(Value::Float32(narrow(*number))),
        (Value::Float32(number), Kind::Int32) if number.fract() == 0.0 && number.abs() < 1e9 => {
            Some(Value::Int32(whole(*number)))
        }
        (Value::SharedString(bytes), Kind::String) => Some(Value::from(bytes.as_ref())),
        (Value::OptionalCFrame(frame), Kind::CFrame) => Some(Value::CFrame(frame.clone()?)),
        _ => value.converted(kind),
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the nearest is wanted")]
fn narrow(number: f64) -> f32 {
    number as f32
}

#[allow(clippy::cast_possible_truncation, reason = "the caller checked the range")]
fn whole(number: f32) -> i32 {
    number as i32
}

/// The frame of `to` relative to `from`: what a weld between two parts stores as `C0`.
pub(super) fn relative(from: CFrame, to: CFrame) -> CFrame {
    let axes = |of: Mat3| [of.x_axis, of.y_axis, of.z_axis];
    let dot = |one: Vec3, next: Vec3| one.x * next.x + one.y * next.y + one.z * next.z;
    let (start, end) = (from.position, to.position);
    let offset = Vec3::new(end.x - start.x, end.y - start.y, end.z - start.z);
    let (own, their) = (axes(from.rotation), axes(to.rotation));
    let mut cells = [0.0; 9];
    for (index, cell) in cells.iter_mut().enumerate() {
        *cell = dot(own[index / 3], their[index % 3]);
    }
    let [x, y, z] = own.map(|axis| dot(axis, offset));
    CFrame { position: Vec3::new(x, y, z), rotation: Mat3::from_rows(cells) }
}
