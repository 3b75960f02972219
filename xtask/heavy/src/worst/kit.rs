//! What repeats for the kit: files that make it work, each with n of a construct.

use std::fmt::Write as _;

use targets::kit::Beside;

use super::more::MORE;
use crate::bytes::{base64, png, zip};

/// A construct: its name, the name of its file, the file that repeats it a number of times, and the files beside it.
pub(crate) struct Construct {
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    pub(crate) make: fn(usize) -> Vec<u8>,
    pub(crate) beside: fn(usize) -> Beside,
}

pub(super) const fn of(name: &'static str, file: &'static str, make: fn(usize) -> Vec<u8>) -> Construct {
    Construct { name, file, make, beside: |_| Beside::new() }
}

/// One whose file refers to others.
pub(super) const fn with(
    name: &'static str,
    file: &'static str,
    make: fn(usize) -> Vec<u8>,
    beside: fn(usize) -> Beside,
) -> Construct {
    Construct { name, file, make, beside }
}

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Construct> {
    ALL.iter().chain(MORE)
}

const ALL: &[Construct] = &[
    // Archives and streams.
    of("equal parts of a stream", "a", |n| b"version 1.00\n0\n".repeat(n)),
    of("chunks without a length", "a", |n| b"3DMO\0\0\0\0HEAD".repeat(n)),
    of("files of an archive", "a", |n| {
        let names: Vec<String> = (0..n).map(|at| format!("{at}.mesh")).collect();
        zip(&names.iter().map(|name| (name.as_str(), &b"version 1.00\n0\n"[..])).collect::<Vec<_>>())
    }),
    // Documents.
    of("parts beside each other", "a.rbxmx", |n| roblox(&repeat(n, |_| part("Part", "")))),
    of("scripts of one name", "a.rbxmx", |n| {
        let source = "<ProtectedString name=\"Source\">print(1)</ProtectedString>";
        roblox(&repeat(n, |_| item("Script", source, "")))
    }),
    of("scripts of different names", "a.rbxmx", |n| {
        let source = "<ProtectedString name=\"Source\">print(1)</ProtectedString>";
        let script = |at| item("Script", &(name(&format!("S{at}")) + source), "");
        roblox(&item("Folder", &name("A"), &repeat(n, script)))
    }),
    of("scripts that refer to each other", "a.rbxmx", |n| {
        let source = "<ProtectedString name=\"Source\">print(1)</ProtectedString>";
        let script = |at: usize| {
            let to = format!("<Ref name=\"To\">S{}</Ref>", (at + 1) % n);
            item("Script", &(to + source), "").replacen("<Item ", &format!("<Item referent=\"S{at}\" "), 1)
        };
        roblox(&item("Folder", "", &repeat(n, script)))
    }),
    of("a script of one long token", "a.rbxmx", |n| {
        let source = format!("local x = [{0}[{1}", "=".repeat(n), "]=".repeat(n));
        roblox(&item("Script", &format!("<ProtectedString name=\"Source\">{source}</ProtectedString>"), ""))
    }),
    of("scripts in one another", "a.rbxmx", |n| {
        let source = "<ProtectedString name=\"Source\">print(1)</ProtectedString>";
        roblox(&nested(n.min(900), "ModuleScript", source, ""))
    }),
    of("a script of lines", "a.rbxmx", |n| {
        let source = "loadstring(1) require(5) \\1\n".repeat(n);
        roblox(&item("Script", &format!("<ProtectedString name=\"Source\">{source}</ProtectedString>"), ""))
    }),
    of("scripts that share a source", "a.rbxmx", |n| {
        let share = "<SharedString name=\"Source\">k</SharedString>";
        let shared = "<SharedStrings><SharedString md5=\"k\">cHJpbnQoMSk=</SharedString></SharedStrings>";
        roblox(&(repeat(n, |_| item("Script", share, "")) + shared))
    }),
    of("models in one another, with joints in a circle and an animation", "a.rbxmx", |n| {
        let joint = "<Ref name=\"Part0\">P</Ref><Ref name=\"Part1\">P</Ref>";
        let inside = part("Part", "").replacen("<Item ", "<Item referent=\"P\" ", 1)
            + &item("Motor6D", joint, "")
            + &item("KeyframeSequence", "", "");
        roblox(&nested(n, "Model", "", &inside))
    }),
    of("models in one another, with an animation and no joints", "a.rbxmx", |n| {
        roblox(&nested(n, "Model", "", &item("KeyframeSequence", "", "")))
    }),
    of("joints of a rig, and keys of each", "a.rbxmx", |n| {
        let parts =
            repeat(n, |at| part("Part", "").replacen("<Item ", &format!("<Item referent=\"P{at}\" "), 1));
        let joints = repeat(n - 1, |at| {
            let ends = format!("<Ref name=\"Part0\">P{at}</Ref><Ref name=\"Part1\">P{}</Ref>", at + 1);
            item("Motor6D", &ends, "")
        });
        let poses = repeat(n, |at| item("Pose", &name(&format!("P{at}")), ""));
        let time = |at: usize| format!("<float name=\"Time\">{at}</float>");
        let keys = item("Keyframe", &time(0), "") + &item("Keyframe", &time(1), &poses);
        roblox(&item("Model", "", &(parts + &joints + &item("KeyframeSequence", "", &keys))))
    }),
    of("animations of one rig", "a.rbxmx", |n| {
        let joint = "<Ref name=\"Part0\">A</Ref><Ref name=\"Part1\">B</Ref>";
        let parts =
            ["A", "B"].map(|id| part("Part", "").replacen("<Item ", &format!("<Item referent=\"{id}\" "), 1));
        let sequences =
            repeat(n, |_| item("KeyframeSequence", "", &item("Keyframe", "", &item("Pose", "", ""))));
        roblox(&item("Model", "", &(parts.concat() + &item("Motor6D", joint, "") + &sequences)))
    }),
    of("keys with easing", "a.rbxmx", |n| {
        let joint = "<Ref name=\"Part0\">A</Ref><Ref name=\"Part1\">B</Ref>";
        let parts =
            ["A", "B"].map(|id| part("Part", "").replacen("<Item ", &format!("<Item referent=\"{id}\" "), 1));
        let keys = repeat(n, |at| {
            let pose = item("Pose", &(name("Part") + "<token name=\"EasingStyle\">4</token>"), "");
            item("Keyframe", &format!("<float name=\"Time\">{at}</float>"), &pose)
        });
        let sequence = item("KeyframeSequence", "", &keys);
        roblox(&item("Model", "", &(parts.concat() + &item("Motor6D", joint, "") + &sequence)))
    }),
    of("decals on a part", "a.rbxmx", |n| {
        let decal = item("Decal", "<Content name=\"Texture\"><url>rbxassetid://1</url></Content>", "");
        roblox(&part("Part", &decal.repeat(n)))
    }),
    of("parts with meshes of different ids", "a.rbxmx", |n| {
        roblox(&repeat(n, |at| {
            let id = format!("<Content name=\"MeshId\"><url>rbxassetid://{at}</url></Content>");
            part("MeshPart", "").replacen("<Properties>", &format!("<Properties>{id}"), 1)
        }))
    }),
    of("unions with hulls of their own", "a.rbxmx", |n| roblox(&repeat(n, |at| union(&hulls(1, at as f32))))),
    of("hulls of a union", "a.rbxmx", |n| roblox(&union(&hulls(n, 1.0)))),
    of("chunks of terrain", "a.rbxmx", |n| {
        // Half of each is grass, in runs of 256 voxels, and each is beside the last.
        let chunk = |first: bool| {
            let mut bytes = vec![0; 9];
            bytes.extend([u8::from(!first), 0, 0]);
            bytes.extend([0x82, 0xff].repeat(64));
            bytes.extend([0x80, 0xff].repeat(64));
            bytes
        };
        let chunks: Vec<u8> = (0..n / 50).flat_map(|at| chunk(at == 0)).collect();
        let grid = base64(&[&[1, 5][..], &chunks].concat());
        let terrain =
            item("Terrain", &format!("<BinaryString name=\"SmoothGrid\">{grid}</BinaryString>"), "");
        roblox(&item("Workspace", "", &terrain))
    }),
    of("bones in a mesh part", "a.rbxmx", |n| roblox(&part("MeshPart", &nested(n.min(900), "Bone", "", "")))),
    of("lights in a part", "a.rbxmx", |n| roblox(&part("Part", &item("PointLight", "", "").repeat(n)))),
    of("instances of which each has a property of its own", "a.rbxmx", |n| {
        roblox(&repeat(n, |at| item("Folder", &format!("<bool name=\"P{at}\">true</bool>"), "")))
    }),
    of("two instances with different properties", "a.rbxmx", |n| {
        let properties = |letter: char| repeat(n, |at| format!("<bool name=\"{letter}{at}\">true</bool>"));
        roblox(&(item("Folder", &properties('A'), "") + &item("Folder", &properties('B'), "")))
    }),
    of("properties stored twice", "a.rbxmx", |n| {
        roblox(&item("Folder", &"<bool name=\"P\">true</bool>".repeat(n), ""))
    }),
    of("classes", "a.rbxmx", |n| roblox(&repeat(n, |at| item(&format!("C{at}"), &name("x"), "")))),
    of("tags and attributes", "a.rbxmx", |n| {
        let mut attributes = u32::try_from(n).unwrap_or(0).to_le_bytes().to_vec();
        (0..n).for_each(|at| {
            let name = format!("a{at}");
            attributes.extend(u32::try_from(name.len()).unwrap_or(0).to_le_bytes());
            attributes.extend(name.bytes().chain([3, 1]));
        });
        let tags = repeat(n, |at| format!("t{at}\0"));
        let text = |property: &str, bytes: &[u8]| {
            format!("<BinaryString name=\"{property}\">{}</BinaryString>", base64(bytes))
        };
        let both = text("AttributesSerialize", &attributes) + &text("Tags", tags.as_bytes());
        roblox(&item("Folder", &both, ""))
    }),
    of("references to assets", "a.rbxmx", |n| {
        let text = repeat(n, |at| format!("rbxassetid://{at} "));
        roblox(&item("Folder", &format!("<string name=\"S\">{text}</string>"), ""))
    }),
    of("references to one asset", "a.rbxmx", |n| {
        roblox(&repeat(n, |_| item("Decal", "<string name=\"S\">rbxassetid://1</string>", "")))
    }),
    // Scenes of others.
    of("nodes", "a.gltf", |n| gltf(&format!("\"nodes\":[{}]", list(n, |_| "{}".into())))),
    of("nodes in one another", "a.gltf", |n| {
        let child = |at| if at + 1 < n { format!("{{\"children\":[{}]}}", at + 1) } else { "{}".into() };
        gltf(&format!("\"nodes\":[{}],\"scenes\":[{{\"nodes\":[0]}}]", list(n, child)))
    }),
    of("joints of a skin", "a.gltf", |n| {
        let nodes = list(n, |at| {
            if at == 0 {
                format!("{{\"children\":[{}]}}", list(n - 1, |at| (at + 1).to_string()))
            } else {
                "{}".into()
            }
        });
        skinned(&nodes, &format!("{{\"joints\":[{}]}}", list(n, |at| at.to_string())), "0")
    }),
    of("joints far below each other", "a.gltf", |n| {
        // A chain of which the lower half are joints in as many fans.
        let half = n / 2;
        let nodes = list(n, |at| match at {
            at if at + 1 < half => format!("{{\"children\":[{}]}}", at + 1),
            at if at + 1 == half => {
                format!("{{\"children\":[{}]}}", list(n - half, |at| (at + half).to_string()))
            }
            _ => "{}".into(),
        });
        skinned(&nodes, &format!("{{\"joints\":[{}]}}", list(n - half, |at| (at + half).to_string())), "0")
    }),
    of("skins of one joint", "a.gltf", |n| skinned("{}", &list(n, |_| "{\"joints\":[0]}".into()), "0")),
    of("meshes with one skin of some joints", "a.gltf", |n| {
        let positions = triangle();
        let nodes = list(n, |_| "{\"mesh\":0,\"skin\":0}".into());
        gltf(&format!(
            "{positions},\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}}}]}}],\
             \"skins\":[{{\"joints\":[0,1]}}],\"nodes\":[{nodes}],\"scenes\":[{{\"nodes\":[{}]}}]",
            list(n, |at| at.to_string())
        ))
    }),
    of("materials with one image", "a.gltf", |n| textured(n, |_| 0, 1)),
    of("materials with an image each", "a.gltf", |n| textured(n, |at| at, n)),
    of("primitives", "a.gltf", |n| {
        let primitives = list(n, |_| "{\"attributes\":{\"POSITION\":0}}".into());
        gltf(&format!(
            "{},\"meshes\":[{{\"primitives\":[{primitives}]}}],\"nodes\":[{{\"mesh\":0}}],\"scenes\":[{{\"nodes\":[0]}}]",
            triangle()
        ))
    }),
    of("morph targets", "a.gltf", |n| {
        let targets = list(n, |_| "{\"POSITION\":0}".into());
        gltf(&format!(
            "{},\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}},\"targets\":[{targets}]}}]}}],\
             \"nodes\":[{{\"mesh\":0}}],\"scenes\":[{{\"nodes\":[0]}}]",
            triangle()
        ))
    }),
    of("placed meshes", "a.gltf", |n| {
        let nodes = list(n, |_| "{\"mesh\":0}".into());
        gltf(&format!(
            "{},\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}}}]}}],\"nodes\":[{nodes}],\
             \"scenes\":[{{\"nodes\":[{}]}}]",
            triangle(),
            list(n, |at| at.to_string())
        ))
    }),
    of("channels of an animation", "a.gltf", |n| {
        let channel = |at| format!("{{\"sampler\":0,\"target\":{{\"node\":{at},\"path\":\"translation\"}}}}");
        animated(n, 2, &format!("{{\"samplers\":[{}],\"channels\":[{}]}}", SAMPLER, list(n, channel)))
    }),
    of("keys of a channel", "a.gltf", |n| {
        let channel = "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}";
        animated(n, n, &format!("{{\"samplers\":[{SAMPLER}],\"channels\":[{channel}]}}"))
    }),
    of("animations", "a.gltf", |n| {
        let channel = "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}";
        animated(n, 2, &list(n, |_| format!("{{\"samplers\":[{SAMPLER}],\"channels\":[{channel}]}}")))
    }),
    of("triangles", "a.stl", |n| {
        let mut text = String::from("solid a\n");
        (0..n).for_each(|at| {
            text += "facet normal 0 0 1\nouter loop\n";
            let _ = writeln!(text, "vertex {at} 0 0\nvertex {at} 1 0\nvertex 0 {at} 1\nendloop\nendfacet");
        });
        (text + "endsolid a\n").into_bytes()
    }),
    of("a polygon of corners", "a.ply", |n| {
        let points = repeat(n, |at| format!("{} {} 0\n", at % 7, at));
        let corners = repeat(n, |at| format!(" {at}"));
        format!(
            "ply\nformat ascii 1.0\nelement vertex {n}\nproperty float x\nproperty float y\nproperty float z\n\
             element face 1\nproperty list uint uint vertex_index\nend_header\n{points}{n}{corners}\n"
        )
        .into_bytes()
    }),
    of("properties of a vertex", "a.ply", |n| {
        let properties = repeat(n, |at| format!("property float p{at}\n"));
        format!("ply\nformat ascii 1.0\nelement vertex 1\n{properties}end_header\n{}\n", "0 ".repeat(n))
            .into_bytes()
    }),
    of("objects and materials", "a.obj", |n| {
        let points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        (points.to_owned() + &repeat(n, |at| format!("o o{at}\nusemtl m{at}\nf 1 2 3\n"))).into_bytes()
    }),
    of("materials by turns", "a.obj", |n| {
        let points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        (points.to_owned() + &repeat(n, |at| format!("usemtl m{}\nf 1 2 3\n", at % 2))).into_bytes()
    }),
    of("libraries of materials", "a.obj", |n| {
        (repeat(n, |at| format!("mtllib m{at}.mtl\n")) + "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").into_bytes()
    }),
    // Model 3D.
    of("materials with textures that are missing", "a.a3d", |n| {
        m3d(&repeat(n, |at| format!("Material m{at}\nmap_Kd t{at}\n\n")))
    }),
    of("materials with textures in the file", "a.m3d", |n| {
        let mut model = m3d::Model::default();
        for at in 0..n {
            let mut material = m3d::Material { name: format!("m{at}").into(), properties: Vec::new() };
            material.set(m3d::PropertyId::MAP_DIFFUSE, m3d::Value::Map(format!("t{at}").into()));
            model.materials.push(material);
            model.assets.push(m3d::Asset { name: format!("t{at}").into(), data: png(1, 1) });
        }
        m3d::to_vec(&model).unwrap_or_default()
    }),
    of("bones, and an action of each", "a.a3d", |n| {
        let bones = repeat(n, |at| format!("0 0 b{at}\n"));
        let actions = repeat(n, |at| format!("Action 1000 a{at}\nframe 0\n{at} 0 0\n\n"));
        m3d(&format!("Vertex\n0 0 0 1\n0 0 0 1\n\nBones\n{bones}\n{actions}"))
    }),
    of("uses of materials", "a.a3d", |n| {
        let materials = repeat(n, |at| format!("Material m{at}\nKd #ff00ff00\n\n"));
        let used = repeat(n, |at| format!("use m{at}\n0 1 2\n"));
        m3d(&format!("Vertex\n0 0 0 1\n1 0 0 1\n0 1 0 1\n\n{materials}Mesh\n{used}"))
    }),
    of("labels", "a.a3d", |n| {
        m3d(&format!("Vertex\n0 0 0 1\n\nLabels en,layer\n{}", repeat(n, |at| format!("0 text{at}\n"))))
    }),
    // Second Life.
    of("instances of a mesh", "a.slm", |n| {
        let Ok(asset) = slmesh::from_slice(&testkit::fixture("slmesh", "all.llmesh")) else {
            return Vec::new();
        };
        let mut slm = slmesh::Slm::of_asset(asset, "a");
        slm.instances = slm.instances.iter().cycle().take(n).cloned().collect();
        slm.to_vec().unwrap_or_default()
    }),
    of("keys of a map", "a.json", |n| {
        format!("{{{}}}", list(n, |at| format!("\"k{at}\":{at}"))).into_bytes()
    }),
    of("a map of maps", "a.json", |n| {
        format!("{{{}}}", list(n, |at| format!("\"k{at}\":{{\"a\":[1]}}"))).into_bytes()
    }),
];

pub(super) fn repeat(n: usize, one: impl Fn(usize) -> String) -> String {
    (0..n).map(one).collect()
}

pub(super) fn list(n: usize, one: impl Fn(usize) -> String) -> String {
    (0..n).map(one).collect::<Vec<_>>().join(",")
}

pub(super) fn roblox(inside: &str) -> Vec<u8> {
    format!("<roblox version=\"4\">{inside}</roblox>").into_bytes()
}

pub(super) fn name(name: &str) -> String {
    format!("<string name=\"Name\">{name}</string>")
}

pub(super) fn item(class: &str, properties: &str, children: &str) -> String {
    format!("<Item class=\"{class}\"><Properties>{properties}</Properties>{children}</Item>")
}

pub(super) fn part(class: &str, children: &str) -> String {
    let frame = "<CoordinateFrame name=\"CFrame\"><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02>\
                 <R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>\
                 <Vector3 name=\"size\"><X>1</X><Y>1</Y><Z>1</Z></Vector3>";
    item(class, &(name("Part") + frame), children)
}

fn union(hulls: &[u8]) -> String {
    let data = format!("<BinaryString name=\"PhysicalConfigData\">{}</BinaryString>", base64(hulls));
    part("UnionOperation", "").replacen("<Properties>", &format!("<Properties>{data}"), 1)
}

/// Collision data of version 3: tetrahedra.
fn hulls(count: usize, size: f32) -> Vec<u8> {
    let mut bytes = b"CSGPHS\x03\0\0\0".to_vec();
    for _ in 0..count {
        bytes.extend([16, 0, 0, 0].into_iter().chain([0; 16]));
        bytes.extend([16, 0, 0, 0].into_iter().chain([0; 14]).chain([0x80, 0x3f]));
        bytes.extend([12, 0, 0, 0, 4, 0, 0, 0]);
        let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, size + 1.0, 0.0, 0.0, 0.0, 1.0_f32];
        corners.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend([12, 0, 0, 0]);
        [0_u32, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3].iter().for_each(|index| bytes.extend(index.to_le_bytes()));
    }
    bytes
}

pub(super) fn nested(n: usize, class: &str, properties: &str, inside: &str) -> String {
    let open = format!("<Item class=\"{class}\"><Properties>{properties}</Properties>").repeat(n);
    open + inside + &"</Item>".repeat(n)
}

pub(super) fn gltf(rest: &str) -> Vec<u8> {
    format!("{{\"asset\":{{\"version\":\"2.0\"}},{rest}}}").into_bytes()
}

/// The positions of a triangle: the accessor 0.
pub(super) fn triangle() -> String {
    let floats = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
    format!(
        "\"buffers\":[{{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,{}\"}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":36}}],\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\
         \"min\":[0,0,0],\"max\":[1,1,0]}}]",
        base64(&bytes)
    )
}

/// A triangle with skins; the nodes are after that of the mesh.
fn skinned(nodes: &str, skins: &str, skin: &str) -> Vec<u8> {
    let count = nodes.matches('{').count();
    gltf(&format!(
        "{},\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}}}]}}],\"skins\":[{skins}],\
         \"nodes\":[{nodes},{{\"mesh\":0,\"skin\":{skin}}}],\"scenes\":[{{\"nodes\":[0,{count}]}}]",
        triangle()
    ))
}

pub(super) fn textured(n: usize, image: impl Fn(usize) -> usize, images: usize) -> Vec<u8> {
    let png = base64(&png(1, 1));
    let texture = |at: usize| format!("{{\"source\":{}}}", image(at));
    let material = |at: usize| {
        format!(
            "{{\"pbrMetallicRoughness\":{{\"baseColorTexture\":{{\"index\":{at}}},\
             \"metallicRoughnessTexture\":{{\"index\":{at}}}}}}}"
        )
    };
    gltf(&format!(
        "{},\"images\":[{}],\"textures\":[{}],\"materials\":[{}],\"meshes\":[{{\"primitives\":[{}]}}],\
         \"nodes\":[{{\"mesh\":0}}],\"scenes\":[{{\"nodes\":[0]}}]",
        triangle(),
        list(images, |_| format!("{{\"uri\":\"data:image/png;base64,{png}\"}}")),
        list(n, texture),
        list(n, material),
        list(n, |at| format!("{{\"attributes\":{{\"POSITION\":0}},\"material\":{at}}}"))
    ))
}

const SAMPLER: &str = "{\"input\":0,\"output\":1}";

/// Nodes, and animations of which the keys are the accessors 0 and 1.
pub(super) fn animated(nodes: usize, keys: usize, animations: &str) -> Vec<u8> {
    let times = (0..keys).flat_map(|at| (at as f32).to_le_bytes());
    let values = (0..keys * 3).flat_map(|at| (at as f32).to_le_bytes());
    let bytes: Vec<u8> = times.chain(values).collect();
    gltf(&format!(
        "\"buffers\":[{{\"byteLength\":{},\"uri\":\"data:application/octet-stream;base64,{}\"}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":{}}},{{\"buffer\":0,\"byteOffset\":{},\"byteLength\":{}}}],\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":{keys},\"type\":\"SCALAR\",\
         \"min\":[0],\"max\":[{}]}},{{\"bufferView\":1,\"componentType\":5126,\"count\":{keys},\"type\":\"VEC3\"}}],\
         \"nodes\":[{}],\"scenes\":[{{\"nodes\":[0]}}],\"animations\":[{animations}]",
        bytes.len(),
        base64(&bytes),
        keys * 4,
        keys * 4,
        keys * 12,
        keys - 1,
        list(nodes, |_| "{}".into())
    ))
}

pub(super) fn m3d(sections: &str) -> Vec<u8> {
    format!("3dmodel 1\nname\n\n\n\n\n{sections}\nEnd\n").into_bytes()
}
