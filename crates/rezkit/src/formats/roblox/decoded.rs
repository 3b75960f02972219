//! Shows properties whose bytes have a known layout: a summary line and values.

use ::rbxbinary::geom::Aabb;

use super::attributes::{attribute, whole};
use super::numbers::{double, number, numbers};
use crate::blobs::curves::{FloatKey, Marker, RotationKey, TICKS_PER_SECOND, ValueKey};
use crate::blobs::small::CollisionGroup;
use crate::blobs::terrain::{Chunk, MATERIALS};
use crate::blobs::union_mesh::UnionLayout;
use crate::blobs::{Attributes, Collision, MaterialColors, PhysicsGrid, SmoothGrid, Tags, UnionMesh};
use crate::tree::{self, Value, Written};
use rbxdocument::decoded::{self, Decoded, Property, Undecoded};

/// The decoded bytes of a property as a value; `None` if they are not decoded.
///
/// # Errors
/// As [`decoded::decoded`].
pub(super) fn decoded(
    property: Property<'_>,
    bytes: &[u8],
    max_bytes: u64,
) -> Result<Option<Value>, Undecoded> {
    Ok(decoded::decoded(property, bytes, max_bytes)?.map(|of| shown(&of, bytes)))
}

fn shown(of: &Decoded, bytes: &[u8]) -> Value {
    match of {
        Decoded::Attributes(attributes) => named("AttributesSerialize", attributes),
        Decoded::Tags(tags) => tags_of(tags),
        Decoded::SmoothGrid(grid) => voxels(grid),
        Decoded::PhysicsGrid(grid) => blocks(grid),
        Decoded::MaterialColors(colors) => materials(colors),
        Decoded::Collision(collision) => hulls(collision, bytes),
        Decoded::Mesh(mesh) => triangles(mesh, bytes),
        Decoded::FloatCurve(curve) => {
            let key = |key: &FloatKey| {
                let tangents = numbers(&[key.value, key.left, key.right]);
                let mask = key
                    .mask
                    .filter(|mask| *mask != 0)
                    .map_or_else(String::new, |mask| format!(", mask {mask}"));
                format!("{tangents}, {}{mask}", mode(key.mode))
            };
            keys("FloatCurve", &curve.times, &curve.keys, key)
        }
        Decoded::RotationCurve(curve) => {
            let key = |key: &RotationKey| {
                let [x, y, z, w] = key.rotation;
                let tangents = numbers(&[x, y, z, w, key.left, key.right]);
                format!("{tangents}, {}", mode(key.mode.wrapping_sub(12)))
            };
            keys("RotationCurve", &curve.times, &curve.keys, key)
        }
        Decoded::ValueCurve(curve) => {
            let key = |key: &ValueKey| {
                let tangents = numbers(&[key.left, key.right]);
                format!(
                    "{}, {tangents}, {}, mask {}",
                    attribute(&key.value.0).summary(200),
                    mode(key.mode),
                    key.mask
                )
            };
            keys("ValueCurve", &curve.times, &curve.keys, key)
        }
        Decoded::MarkerCurve(curve) => {
            keys("MarkerCurve", &curve.times, &curve.keys, |Marker(name)| format!("{name:?}"))
        }
        Decoded::Transitions(attributes) => named("PropertyTransitionsSerialize", attributes),
        Decoded::List(values) => list("values", values.iter().map(attribute)),
        Decoded::Pins(names) => list("pins", names.iter().map(quoted)),
        Decoded::RigNames(names) => list("names", names.iter().map(quoted)),
        Decoded::RigLabels(labels) => list("labels", labels.bones.iter().map(whole)),
        Decoded::RigParents(parents) => list("parents", parents.0.iter().map(whole)),
        Decoded::RigTransforms(transforms) => {
            let frame = |frame: &[f32; 12]| Value::line("f32[12]", Written::Numbers, numbers(frame));
            list("transforms", transforms.bones.iter().map(frame))
        }
        Decoded::Attenuation(attenuation) => {
            let point = |point: &[f32; 2]| Value::line("f32[2]", Written::Numbers, numbers(point));
            list("attenuation", attenuation.0.iter().map(point))
        }
        Decoded::AccessList(users) => list("users", users.0.iter().map(whole)),
        Decoded::Guid(guid) => Value::text("GUID", guid),
        Decoded::CollisionGroups(groups) => {
            let group = |group: &CollisionGroup| {
                let text = format!("{}, mask {:08x}", group.id, group.mask);
                (group.name.to_string(), Value::text("group", text))
            };
            Value::fields("CollisionGroupData", groups.0.iter().map(group).collect())
        }
    }
}

/// Tags as JSON has them; a name that is not UTF-8 makes the list a text.
fn tags_of(Tags(names): &Tags) -> Value {
    let quoted = |tag: &bstr::BString| match std::str::from_utf8(tag) {
        Ok(tag) => serde_json::Value::from(tag).to_string(),
        Err(_) => format!("{tag:?}"),
    };
    let names: Vec<_> = names.iter().map(quoted).collect();
    Value::line("Tags", Written::Texts, names.join(", "))
}

fn named(kind: &'static str, attributes: &Attributes) -> Value {
    let values = attributes.0.iter().map(|(name, value)| (name.to_string(), attribute(value)));
    Value::fields(kind, values.collect())
}

/// Values named by their position, counted from 1 as in Lua.
fn list(kind: &'static str, values: impl Iterator<Item = Value>) -> Value {
    Value::fields(kind, (1..).map(|index: usize| index.to_string()).zip(values).collect())
}

fn quoted(name: &bstr::BString) -> Value {
    Value::bytes("string", name.as_slice())
}

/// The keys of a curve by their times in seconds.
fn keys<K>(kind: &'static str, times: &[i32], keys: &[K], text: impl Fn(&K) -> String) -> Value {
    let key = |(time, key): (&i32, &K)| {
        (
            format!("{} s", double(f64::from(*time) / f64::from(TICKS_PER_SECOND))),
            Value::text("key", text(key)),
        )
    };
    Value::decoded(kind, count(keys.len(), "key"), times.iter().zip(keys).map(key).collect())
}

fn mode(mode: u8) -> String {
    let names = ["constant", "linear", "cubic"];
    names.get(usize::from(mode)).map_or_else(|| format!("mode {mode}"), |name| (*name).to_owned())
}

fn voxels(grid: &SmoothGrid) -> Value {
    let name = |index: usize| MATERIALS.get(index).copied().unwrap_or("unknown");
    let mut all = [0_u64; 64];
    let chunk = |chunk: &Chunk| {
        let mut counts = [0_u64; 64];
        let mut raw = Vec::new();
        for (voxel, run) in &chunk.runs {
            counts[usize::from(voxel.material & 63)] += u64::from(*run);
            let water = voxel.water.map_or(256, u16::from);
            let occupancy = voxel.occupancy.map_or(256, u16::from);
            for part in [u16::from(voxel.material), occupancy, water, *run] {
                raw.extend_from_slice(&part.to_le_bytes());
            }
        }
        all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        let counts = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let texts: Vec<_> = counts.map(|(index, count)| format!("{} {count}", name(index))).collect();
        let text = format!("{} #{}", texts.join(", "), hash(&raw));
        (format!("chunk{:?}", chunk.position), Value::text("voxels", text))
    };
    let chunks: Vec<_> = grid.chunks.iter().map(chunk).collect();
    // Air is not counted: its amount depends only on the space in the chunks.
    let mut most: Vec<_> = all.iter().enumerate().skip(1).filter(|(_, count)| **count > 0).collect();
    most.sort_by_key(|(index, count)| (std::cmp::Reverse(**count), *index));
    let materials: Vec<_> =
        most.iter().map(|(index, count)| format!("{} {}", name(*index), grouped(**count))).collect();
    let line = match materials.is_empty() {
        true => count(chunks.len(), "chunk"),
        false => format!("{}, voxels: {}", count(chunks.len(), "chunk"), materials.join(", ")),
    };
    Value::decoded("SmoothGrid", line, chunks)
}

fn blocks(grid: &PhysicsGrid) -> Value {
    let lists = [("surface", &grid.surface), ("second", &grid.second), ("solid", &grid.solid)];
    let list = |(name, blocks): (&str, &Vec<[i32; 3]>)| {
        let raw: Vec<u8> = blocks.iter().flatten().flat_map(|axis| axis.to_le_bytes()).collect();
        (name.to_owned(), Value::text("blocks", format!("{} #{}", blocks.len(), hash(&raw))))
    };
    let line = format!(
        "{} with a surface, {} solid",
        count(grid.surface.len(), "block"),
        grouped(grid.solid.len() as u64)
    );
    Value::decoded("PhysicsGrid", line, lists.map(list).to_vec())
}

fn materials(colors: &MaterialColors) -> Value {
    let color = |(material, name): (u8, &&str)| {
        let color = colors.get(material)?;
        Some((
            (*name).to_owned(),
            Value::line("Color3uint8", Written::Numbers, format!("{}, {}, {}", color.r, color.g, color.b)),
        ))
    };
    Value::fields("MaterialColors", (0..).zip(&MATERIALS).filter_map(color).collect())
}

fn hulls(collision: &Collision, bytes: &[u8]) -> Value {
    let Collision { version, kind, mass, hulls, .. } = collision;
    let mut fields = vec![("version".to_owned(), Value::line("u32", Written::Integer, version))];
    fields.extend(kind.map(|kind| ("kind".to_owned(), Value::line("u8", Written::Integer, kind))));
    if let Some(mass) = mass {
        fields.push(("volume".to_owned(), Value::line("f32", Written::Real, number(mass.volume))));
        fields.push((
            "center".to_owned(),
            Value::line("Vector3", Written::Numbers, numbers(&mass.center.to_array())),
        ));
        fields.push(("inertia".to_owned(), Value::line("f32[6]", Written::Numbers, numbers(&mass.inertia))));
    }
    fields.push(("hulls".to_owned(), Value::line("count", Written::Integer, hulls.len())));
    fields.push(("triangles".to_owned(), Value::line("count", Written::Integer, collision.triangle_count())));
    fields.extend(bounds(collision.bounds()));
    fields.push(digest(bytes));
    let line = match (collision.is_block(), mass) {
        (true, _) => "a box with the size of the part".to_owned(),
        (false, Some(mass)) => format!("{}, volume {}", count(hulls.len(), "hull"), rounded(mass.volume)),
        (false, None) => {
            let triangles = count(collision.triangle_count(), "triangle");
            format!("{}, {triangles}", count(hulls.len(), "hull"))
        }
    };
    Value::decoded("CSGPHS", format!("CSGPHS {version}: {line}"), fields)
}

fn triangles(mesh: &UnionMesh, bytes: &[u8]) -> Value {
    let layout = match mesh.layout {
        UnionLayout::Csgmdl(version) => format!("CSGMDL {version}"),
        _ => "SolidMesh".to_owned(),
    };
    let levels: Vec<_> = mesh.levels.iter().map(|level| grouped(level.len() as u64)).collect();
    let mut fields = vec![
        ("levels".to_owned(), Value::text("triangles", levels.join("; "))),
        ("vertices".to_owned(), Value::line("count", Written::Integer, mesh.mesh.positions.len())),
    ];
    fields.extend(bounds(mesh.mesh.bounds()));
    fields.push(digest(bytes));
    let finest = count(mesh.triangles(0).len(), "triangle");
    let line = match levels.len() {
        0 | 1 => format!("{layout}: {finest}"),
        levels => format!("{layout}: {finest}, {levels} levels of detail"),
    };
    Value::decoded("union mesh", line, fields)
}

fn bounds(bounds: Option<Aabb>) -> Option<(String, Value)> {
    let Aabb { min, max } = bounds?;
    let text = format!("{}; {}", numbers(&min.to_array()), numbers(&max.to_array()));
    Some(("box".to_owned(), Value::text("Vector3[2]", text)))
}

/// A value with a hash of the bytes, so that different contents with equal other values still differ.
fn digest(bytes: &[u8]) -> (String, Value) {
    ("bytes".to_owned(), Value::text("digest", format!("{} #{}", bytes.len(), hash(bytes))))
}

/// A hash that is long enough to distinguish two contents.
fn hash(bytes: &[u8]) -> String {
    use blake2::Digest as _;
    let digest = blake2::Blake2b512::digest(bytes);
    tree::hex(&digest[..8], 8)
}

/// A number with its noun.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number as u64), if number == 1 { "" } else { "s" })
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let comma = |index: usize| index > 0 && (digits.len() - index).is_multiple_of(3);
    let digits = digits.char_indices();
    digits.fold(String::new(), |text, (index, digit)| {
        format!("{text}{}{digit}", if comma(index) { "," } else { "" })
    })
}

/// A number with about four significant digits, for people.
fn rounded(number: f32) -> String {
    let decimals = match number.abs() {
        1000.0.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        _ => 3,
    };
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
