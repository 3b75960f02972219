//! The validator: a valid model breaks no rule, and each broken rule is found, with its path.

use m3d::errors::Severity;
use m3d::geom::{Rgba8, Vec2, Vec4};
use m3d::{
    Action, Arg, Asset, Bone, BoneId, Command, CommandId, CornerParts, Corners, Extra, Frame, Label,
    LabelGroup, Material, Mesh, Model, Procedural, Property, PropertyId, Shape, Skin, SkinId, Tag,
    TexCoordId, Transform, Value, VertexId, Voxel, VoxelBlock, VoxelItem, VoxelType,
};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10";

/// The layout of a file with these chunks, and with these bytes after its end.
fn layout(chunks: &[(&[u8; 4], Vec<u8>)], trailing: &[u8]) -> m3d::Layout {
    let mut bytes = crate::hostile::file(crate::hostile::NARROW, b"n\0\0\0\0", chunks);
    bytes.extend(trailing);
    let size = u32::try_from(bytes.len()).unwrap().to_le_bytes();
    bytes[4..8].copy_from_slice(&size);
    m3d::from_slice(&bytes).unwrap().layout
}

/// A model with every feature, which breaks no rule.
fn sound() -> Model {
    let mut model = Model { name: "all".into(), scale: 2.0, preview: Some(PNG.to_vec()), ..Model::default() };
    model.vertices.coords = [
        [1.0, 0.0, 0.0, 1.0],
        [0.0, 1.0, 0.0, 1.0],
        [0.0, 0.0, 1.0, 1.0],
        // The identity quaternion.
        [0.0, 0.0, 0.0, 1.0],
    ]
    .map(Vec4::from)
    .to_vec();
    model.vertices.skins = vec![SkinId(0), SkinId(0), SkinId(0), SkinId::QUATERNION];
    model.tex_coords.uvs = vec![Vec2::new(0.0, 0.0)];
    model.bones = vec![Bone {
        name: "root".into(),
        position: VertexId(0),
        orientation: VertexId(3),
        ..Bone::default()
    }];
    model.skins = vec![Skin::rigid(BoneId(0))];
    let mut steel = Material { name: "steel".into(), ..Material::default() };
    steel.set(PropertyId::DIFFUSE, Value::Color(Rgba8::WHITE));
    steel.set(PropertyId::MAP_DIFFUSE, Value::Map("skin".into()));
    model.materials = vec![steel];
    let mut mesh = Mesh::default();
    mesh.use_material("steel");
    mesh.push(Corners {
        vertices: &[0, 1, 2].map(VertexId),
        tex_coords: &[TexCoordId(0); 3],
        normals: &[VertexId(0); 3],
        ..Corners::default()
    })
    .unwrap();
    model.meshes = vec![mesh];
    model.procedurals = vec![Procedural { script: "make.lua".into() }];
    let item = VoxelItem { count: 1, name: "gold".into() };
    model.voxel_types = vec![VoxelType { name: "chest".into(), items: vec![item], ..VoxelType::default() }];
    let block = VoxelBlock {
        size: [1, 1, 1],
        voxels: vec![Voxel(0)],
        uncertainty: 55,
        group: 1,
        ..VoxelBlock::default()
    };
    model.voxel_blocks = vec![block.clone(), VoxelBlock { uncertainty: 200, ..block }];
    let circle = Command {
        id: CommandId::CIRCLE,
        args: vec![Arg::Vertex(VertexId(0)), Arg::Quaternion(VertexId(3)), Arg::Coord(1.0)],
    };
    model.shapes = vec![Shape { name: "ring".into(), group: BoneId(0), commands: vec![circle] }];
    let label = Label { vertex: VertexId(0), text: "a text".into() };
    model.labels =
        vec![LabelGroup { language: "en_US".into(), labels: vec![label], ..LabelGroup::default() }];
    let transform = Transform { bone: BoneId(0), position: VertexId(1), orientation: VertexId(3) };
    let frame = |time| Frame { time, transforms: vec![transform] };
    model.actions = vec![Action { name: "go".into(), duration: 100, frames: vec![frame(0), frame(100)] }];
    model.assets = vec![
        Asset { name: "skin".into(), data: PNG.to_vec() },
        Asset { name: "make.lua".into(), data: Vec::new() },
    ];
    model.extras = vec![Extra { tag: Tag(*b"blnd"), data: Vec::new() }];
    model
}

#[test]
fn a_sound_model_breaks_no_rule() {
    assert_eq!(m3d::check(&sound()), []);
    let read = m3d::from_slice(&m3d::to_vec(&sound()).unwrap()).unwrap();
    assert_eq!(m3d::check(&read), []);
}

/// A rule: its id, a path, its severity, and a change of the sound model that breaks it.
type Broken = (&'static str, &'static str, Severity, fn(&mut Model));

const BROKEN: &[Broken] = &[
    ("m3d.scale", "scale", Severity::Error, |m| m.scale = f32::NAN),
    ("m3d.model-name", "name", Severity::Warning, |m| m.name = "".into()),
    ("m3d.utf-8", "author", Severity::Error, |m| m.author = b"\xff".into()),
    ("m3d.identifier", "bones[0].name", Severity::Error, |m| m.bones[0].name = "a b".into()),
    ("m3d.name", "materials[1].name", Severity::Error, |m| m.materials.push(Material::default())),
    ("m3d.material-names", "materials[1].name", Severity::Error, |m| {
        m.materials.push(Material { name: "steel".into(), ..Material::default() });
    }),
    ("m3d.property-twice", "materials[0].properties[2]", Severity::Error, |m| {
        m.materials[0]
            .properties
            .push(Property { id: PropertyId::DIFFUSE, value: Value::Color(Rgba8::WHITE) });
    }),
    ("m3d.property-kind", "materials[0].properties[2]", Severity::Error, |m| {
        m.materials[0].properties.push(Property { id: PropertyId::SHEEN, value: Value::Byte(1) });
    }),
    ("m3d.property-unknown", "materials[0].properties[2]", Severity::Warning, |m| {
        m.materials[0].properties.push(Property { id: PropertyId(99), value: Value::Other(Vec::new()) });
    }),
    ("m3d.illumination", "materials[0].properties[2]", Severity::Error, |m| {
        m.materials[0].set(PropertyId::ILLUMINATION, Value::Byte(11));
    }),
    ("m3d.finite-coordinates", "vertices.coords[1]", Severity::Error, |m| {
        m.vertices.coords[1].y = f32::INFINITY
    }),
    ("m3d.finite-tex-coords", "tex_coords.uvs[0]", Severity::Error, |m| m.tex_coords.uvs[0].x = f32::NAN),
    ("m3d.vertex-columns", "vertices.colors", Severity::Error, |m| {
        m.vertices.colors = vec![Rgba8::WHITE];
    }),
    ("m3d.skin-index", "vertices.skins[2]", Severity::Error, |m| m.vertices.skins[2] = SkinId(7)),
    ("m3d.quaternion-length", "vertices.coords[3]", Severity::Warning, |m| {
        m.vertices.coords[3].w = 0.5;
    }),
    ("m3d.vertex-index", "meshes[0].polygons[0].normal", Severity::Error, |m| {
        m.meshes[0].normals[1] = VertexId(99);
    }),
    ("m3d.tex-coord-index", "meshes[0].polygons[0].tex_coord", Severity::Error, |m| {
        m.meshes[0].tex_coords[1] = TexCoordId(1);
    }),
    ("m3d.degenerate", "meshes[0].polygons[0].vertex", Severity::Warning, |m| {
        m.meshes[0].vertices[1] = VertexId(0);
    }),
    ("m3d.corner-columns", "meshes[0].normals", Severity::Error, |m| {
        m.meshes[0].normals.push(VertexId(0));
    }),
    ("m3d.triangles", "meshes[0].records[2]", Severity::Warning, |m| {
        m.meshes[0].push(Corners { vertices: &[VertexId(0)], ..Corners::default() }).unwrap();
    }),
    ("m3d.polygon-reserved", "meshes[0].records[1]", Severity::Error, |m| {
        let m3d::MeshRecord::Polygons(polygons) = &mut m.meshes[0].records[1] else { unreachable!() };
        polygons.parts = polygons.parts.with(CornerParts(8));
    }),
    ("m3d.maximum-parameter", "meshes[0].records[2]", Severity::Warning, |m| {
        m.meshes[0]
            .push(Corners {
                vertices: &[0, 1, 2].map(VertexId),
                maximums: &[0, 1, 2].map(VertexId),
                ..Corners::default()
            })
            .unwrap();
    }),
    ("m3d.material-defined", "meshes[0].records[0].material", Severity::Warning, |m| {
        m.materials[0].name = "brass".into();
    }),
    ("m3d.material-order", "meshes[0].records[5]", Severity::Warning, |m| {
        for name in ["brass", "steel"] {
            m.materials.push(Material { name: name.into(), ..Material::default() });
            m.meshes[0].use_material(name);
            m.meshes[0].push(Corners { vertices: &[0, 1, 2].map(VertexId), ..Corners::default() }).unwrap();
        }
        m.materials.pop();
    }),
    ("m3d.no-material-first", "meshes[0].records[3]", Severity::Warning, |m| {
        m.meshes[0].use_material("");
        m.meshes[0].push(Corners { vertices: &[0, 1, 2].map(VertexId), ..Corners::default() }).unwrap();
    }),
    ("m3d.bounding-cube", "vertices.coords[2]", Severity::Error, |m| {
        m.vertices.coords[2].z = 1.5;
    }),
    ("m3d.cube-filled", "vertices.coords[0]", Severity::Warning, |m| {
        m.vertices.coords[..3].iter_mut().for_each(|c| *c = Vec4::new(c.x / 2.0, c.y / 2.0, c.z / 2.0, 1.0));
    }),
    ("m3d.winding", "meshes[0]", Severity::Warning, |m| m.meshes[0].vertices.swap(1, 2)),
    ("m3d.bone-parent", "bones[0].parent", Severity::Error, |m| m.bones[0].parent = BoneId(0)),
    ("m3d.quaternion-mark", "bones[0].orientation", Severity::Error, |m| {
        m.bones[0].orientation = VertexId(1);
    }),
    ("m3d.weights", "skins[0].weights", Severity::Warning, |m| m.skins[0].weights[0] = 200),
    ("m3d.bone-index", "skins[0].bones[0]", Severity::Error, |m| m.skins[0].bones[0] = BoneId(1)),
    ("m3d.action-frames", "actions[0].frames", Severity::Error, |m| m.actions[0].frames.clear()),
    ("m3d.action-duration", "actions[1].duration", Severity::Warning, |m| {
        let mut short = m.actions[0].clone();
        (short.duration, short.frames) = (9, vec![Frame::default()]);
        m.actions.push(short);
    }),
    ("m3d.frame-order", "actions[0].frames[1].time", Severity::Error, |m| m.actions[0].frames[1].time = 0),
    ("m3d.frame-time", "actions[0].frames[1].time", Severity::Warning, |m| {
        m.actions[0].duration = 99;
    }),
    ("m3d.bone-twice", "actions[0].frames[0].transforms[1].bone", Severity::Warning, |m| {
        let again = m.actions[0].frames[0].transforms[0];
        m.actions[0].frames[0].transforms.push(again);
    }),
    ("m3d.voxel-look", "voxel_types[0].color", Severity::Error, |m| {
        (m.voxel_types[0].name, m.voxel_types[0].items) = ("".into(), Vec::new());
    }),
    ("m3d.voxel-items", "voxel_types[0].items", Severity::Error, |m| {
        (m.voxel_types[0].name, m.voxel_types[0].color) = ("".into(), Rgba8::WHITE);
    }),
    ("m3d.voxel-shape", "voxel_types[0].shape", Severity::Error, |m| m.voxel_types[0].shape = 512),
    ("m3d.voxel-rotation", "voxel_types[0].rotation", Severity::Error, |m| m.voxel_types[0].rotation = 0x40),
    ("m3d.voxel-shape-reserved", "voxel_types[0].shape", Severity::Warning, |m| m.voxel_types[0].shape = 18),
    ("m3d.voxel-type", "voxel_blocks[1].voxels[0]", Severity::Error, |m| {
        m.voxel_blocks[1].voxels[0] = Voxel(1);
    }),
    ("m3d.block-voxels", "voxel_blocks[0].voxels", Severity::Warning, |m| m.voxel_blocks[0].voxels.clear()),
    ("m3d.block-size", "voxel_blocks[0].size", Severity::Error, |m| {
        (m.voxel_blocks[0].size, m.voxel_blocks[0].voxels) = ([1, 0, 1], Vec::new());
    }),
    ("m3d.group-uncertainty", "voxel_blocks[0].uncertainty", Severity::Error, |m| {
        m.voxel_blocks[1].uncertainty = 202;
    }),
    ("m3d.group-blocks", "voxel_blocks[1].group", Severity::Error, |m| {
        (m.voxel_blocks[0].group, m.voxel_blocks[1].uncertainty) = (0, 255);
    }),
    ("m3d.command-empty", "shapes[0].commands[1]", Severity::Error, |m| {
        m.shapes[0].commands.push(Command { id: CommandId::LINE, args: Vec::new() });
    }),
    ("m3d.shape-order", "shapes[0].commands[1].args[0]", Severity::Error, |m| {
        let args = vec![Arg::Shape(m3d::ShapeId(0)), Arg::Vertex(VertexId(0)), Arg::Quaternion(VertexId(3))];
        m.shapes[0].commands.push(Command { id: CommandId::INCLUDE, args });
    }),
    ("m3d.language", "labels[0].language", Severity::Error, |m| m.labels[0].language = "english".into()),
    ("m3d.translations", "labels[1].labels", Severity::Error, |m| {
        m.labels.push(LabelGroup { language: "hu_HU".into(), ..LabelGroup::default() });
    }),
    ("m3d.script-name", "procedurals[0].script", Severity::Error, |m| {
        m.procedurals[0].script = "make".into();
    }),
    ("m3d.asset-png", "assets[0].data", Severity::Error, |m| {
        m.assets[0].data = b"GIF89a".to_vec();
    }),
    ("m3d.asset-names", "assets[2].name", Severity::Error, |m| m.assets.push(m.assets[0].clone())),
    ("m3d.preview-png", "preview", Severity::Error, |m| m.preview = Some(Vec::new())),
    ("m3d.preview-size", "preview", Severity::Warning, |m| {
        m.preview.as_mut().unwrap()[18] = 2;
    }),
    ("m3d.tag-case", "extras[0].tag", Severity::Warning, |m| m.extras[0].tag = Tag(*b"NEWS")),
    ("m3d.chunk-twice", "extras[0].tag", Severity::Error, |m| m.extras[0].tag = Tag::VERTICES),
    ("m3d.defined-first", "layout.chunks[1]", Severity::Error, |m| {
        m.layout = layout(&[(b"MESH", Vec::new()), (b"VRTS", Vec::new())], b"");
    }),
    ("m3d.trailing", "layout.trailing", Severity::Error, |m| {
        m.layout = layout(&[], b"\0");
    }),
];

#[test]
fn each_rule_is_found_where_it_is_broken() {
    for (rule, path, severity, break_it) in BROKEN {
        let mut model = sound();
        break_it(&mut model);
        let findings = m3d::check(&model);
        let found = findings.iter().find(|finding| finding.rule.id == *rule);
        let found = found.unwrap_or_else(|| panic!("{rule}: not found among {findings:?}"));
        assert_eq!((found.path.as_str(), found.rule.severity), (*path, *severity), "{rule}");
        let others: Vec<&m3d::errors::Finding> =
            findings.iter().filter(|finding| finding.rule.id != *rule).collect();
        assert!(others.len() <= 2, "{rule}: {others:?}");
    }
}

#[test]
fn colours_that_nobody_defines() {
    let model = m3d::from_slice(&testkit::fixture("m3d", "colors-1.m3d")).unwrap();
    let findings = m3d::check(&model);
    let rule = |rule: &str| {
        findings.iter().find(|finding| finding.rule.id == rule).map(|finding| finding.path.as_str())
    };
    assert_eq!(rule("m3d.color-index"), Some("layout.palette"));
    assert_eq!(rule("m3d.palette-twice"), Some("layout.palette[2]"));
    assert_eq!(rule("m3d.palette-order"), Some("layout.palette[1]"));
}

/// The number of undefined colours is a number in the layout, which an edit in memory can make as large as it likes.
#[cfg(feature = "serde")]
#[test]
fn colours_that_nobody_defines_are_counted_at_once() {
    let model = m3d::from_slice(&testkit::fixture("m3d", "colors-1.m3d")).unwrap();
    let mut json = serde_json::to_value(model).unwrap();
    json["layout"]["outside_colors"]["count"] = u32::MAX.into();
    let model: Model = serde_json::from_value(json).unwrap();
    let findings = m3d::check(&model);
    let found = findings.iter().find(|finding| finding.rule.id == "m3d.color-index").unwrap();
    assert_eq!((found.count, found.more.len()), (u32::MAX as usize, 0));
}

#[test]
fn translations_may_stand_far_apart() {
    let mut model = sound();
    let group = |name: String, language: &str, vertices: &[u32]| LabelGroup {
        name: name.into(),
        language: language.into(),
        labels: vertices.iter().map(|&id| Label { vertex: VertexId(id), text: "x".into() }).collect(),
        ..LabelGroup::default()
    };
    model.labels = vec![group("far".into(), "en_US", &[0, 1]), group("far".into(), "en_US", &[2])];
    model.labels.extend((0..200).map(|number| group(format!("group{number}"), "en_US", &[0])));
    model.labels.push(group("far".into(), "hu_HU", &[0, 1]));
    let found = |model: &Model| {
        let findings = m3d::check(model);
        let found = findings.iter().find(|finding| finding.rule.id == "m3d.translations");
        found.map(|finding| (finding.path.clone(), finding.count))
    };
    assert_eq!(found(&model), None);
    model.labels.push(group("far".into(), "de_DE", &[1, 0]));
    assert_eq!(found(&model), Some(("labels[203].labels".into(), 1)));
}

/// Polygons whose material is named again follow each other.
#[test]
fn a_material_that_is_named_again() {
    let mut model = sound();
    let again = model.materials[0].name.clone();
    // No polygons have the second material.
    model.meshes[0].use_material("steel");
    model.meshes[0].use_material(again);
    model.meshes[0].push(Corners { vertices: &[0, 1, 2].map(VertexId), ..Corners::default() }).unwrap();
    let rules: Vec<_> = m3d::check(&model).iter().map(|finding| finding.rule.id).collect();
    assert!(!rules.contains(&"m3d.material-order"), "{rules:?}");
}

/// A text that breaks off inside of a section is read, and reported.
#[test]
fn texts_that_break_off() {
    let found = |text: &str| {
        let model = m3d::from_slice(text.as_bytes()).unwrap();
        m3d::check(&model).iter().any(|finding| finding.rule.id == "m3d.text-end")
    };
    let text = "3dmodel 1\nname\n\n\n\n\nVertex\n0 0 0 1\n1 0 0 1\n0 1 0 1\n\nMesh\n0 1 2\n";
    assert!(found(text));
    assert!(!found(&format!("{text}\n")));
    assert!(!found(&format!("{text}\nEnd\n")));
    assert!(!found(&format!("{text}\nEnd")));
}
