//! More of what repeats for the kit: numbers that are far from others, few bytes that ask for much, depth, and what formats of
//! scenes have.

use targets::kit::Beside;

use super::kit::{
    Construct, animated, gltf, item, list, name, nested, of, part, repeat, roblox, triangle, with,
};
use crate::bytes::{base64, png, zip};

pub(super) const MORE: &[Construct] = &[
    // Archives.
    of("archives in one another", "a.zip", |n| {
        let stored = |inside: Vec<u8>, _| zip(&[("a.zip", &inside)]);
        (0..n.min(200)).fold(b"version 1.00\n0\n".to_vec(), stored)
    }),
    of("a long name, and small assets", "a.zip", |n| {
        let parts = b"version 1.00\n0\n".repeat(n);
        zip(&[(&format!("{}.mesh", "n".repeat(n.min(60_000))), &parts)])
    }),
    // Documents.
    of("keys that are years apart, with easing", "a.rbxmx", |n| {
        let joint = "<Ref name=\"Part0\">A</Ref><Ref name=\"Part1\">B</Ref>";
        let parts =
            ["A", "B"].map(|id| part("Part", "").replacen("<Item ", &format!("<Item referent=\"{id}\" "), 1));
        let keys = repeat(n, |at| {
            let pose = item("Pose", &(name("Part") + "<token name=\"EasingStyle\">4</token>"), "");
            item("Keyframe", &format!("<float name=\"Time\">{at}e8</float>"), &pose)
        });
        let sequence = item("KeyframeSequence", "", &keys);
        roblox(&item("Model", "", &(parts.concat() + &item("Motor6D", joint, "") + &sequence)))
    }),
    of("a shared string as long as it is often used", "a.rbxmx", |n| {
        let share = "<SharedString name=\"Source\">k</SharedString>";
        let source = base64("print(1) ".repeat(n).as_bytes());
        let shared =
            format!("<SharedStrings><SharedString md5=\"k\">{source}</SharedString></SharedStrings>");
        roblox(&(repeat(n, |_| item("Script", share, "")) + &shared))
    }),
    of("shared blobs of parts", "a.rbxmx", |n| {
        let share = "<SharedString name=\"PhysicalConfigData\">k</SharedString>";
        let blob = base64(&vec![7; n]);
        let shared = format!("<SharedStrings><SharedString md5=\"k\">{blob}</SharedString></SharedStrings>");
        let union = part("UnionOperation", "").replacen("<Properties>", &format!("<Properties>{share}"), 1);
        roblox(&(repeat(n, |_| union.clone()) + &shared))
    }),
    of("folders in one another", "a.rbxmx", |n| roblox(&nested(n, "Folder", "", ""))),
    of("parts in one another", "a.rbxmx", |n| {
        let one = part("Part", "");
        let open = one.trim_end_matches("</Item>");
        roblox(&(open.repeat(n) + &"</Item>".repeat(n)))
    }),
    of("properties of an instance", "a.rbxmx", |n| {
        roblox(&item("Folder", &repeat(n, |at| format!("<bool name=\"P{at}\">true</bool>")), ""))
    }),
    of("children of a folder with a long name", "a.rbxmx", |n| {
        roblox(&item("Folder", &name(&"n".repeat(n * 20)), &item("Script", "", "").repeat(n)))
    }),
    of("references to instances with long paths", "a.rbxmx", |n| {
        let child = |at: usize| {
            let to = format!("<Ref name=\"To\">P{}</Ref>", (at + 1) % n);
            item("Folder", &to, "").replacen("<Item ", &format!("<Item referent=\"P{at}\" "), 1)
        };
        roblox(&item("Folder", &name(&"n".repeat(n * 20)), &repeat(n, child)))
    }),
    of("references down a chain", "a.rbxmx", |n| {
        let open = |at: usize| format!("<Item class=\"Folder\" referent=\"P{at}\"><Properties/>");
        let refers = |at: usize| item("Folder", &format!("<Ref name=\"To\">P{at}</Ref>"), "");
        roblox(&(repeat(n, refers) + &repeat(n, open) + &"</Item>".repeat(n)))
    }),
    of("parts of which each refers to the next", "a.rbxmx", |n| {
        let weld = |at: usize| {
            let to = format!("<Ref name=\"Part0\">P{at}</Ref><Ref name=\"Part1\">P{}</Ref>", (at + 1) % n);
            part("Part", &item("WeldConstraint", &to, "")).replacen(
                "<Item ",
                &format!("<Item referent=\"P{at}\" "),
                1,
            )
        };
        roblox(&repeat(n, weld))
    }),
    of("parts far away", "a.rbxmx", |n| {
        roblox(&repeat(n, |at| part("Part", "").replace("<X>0</X>", &format!("<X>{at}e34</X>"))))
    }),
    // Scenes of others.
    of("keys of a curve of steps", "a.gltf", |n| {
        let channel = "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}";
        let sampler = "{\"input\":0,\"output\":1,\"interpolation\":\"STEP\"}";
        animated(n, n, &format!("{{\"samplers\":[{sampler}],\"channels\":[{channel}]}}"))
    }),
    of("accessors without a view", "a.gltf", |n| {
        let accessors = list(n, |_| "{\"componentType\":5126,\"count\":300,\"type\":\"VEC3\"}".into());
        let primitives = list(n, |at| format!("{{\"attributes\":{{\"POSITION\":{at}}}}}"));
        gltf(&format!(
            "\"accessors\":[{accessors}],\"meshes\":[{{\"primitives\":[{primitives}]}}],\
             \"nodes\":[{{\"mesh\":0}}],\"scenes\":[{{\"nodes\":[0]}}]"
        ))
    }),
    of("morph targets without a view", "a.gltf", |n| {
        let targets = list(n, |_| "{\"POSITION\":1}".into());
        let accessors = triangle().replacen(
            "\"accessors\":[",
            "\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},",
            1,
        );
        gltf(&format!(
            "{accessors},\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":1}},\"targets\":[{}]}}]}}],\
             \"nodes\":[{{\"mesh\":0}}],\"scenes\":[{{\"nodes\":[0]}}]",
            targets.replace("\"POSITION\":1", "\"POSITION\":0")
        ))
    }),
    of("views of one compressed stream", "a.gltf", |n| {
        let view = |_| {
            "{\"buffer\":0,\"byteLength\":40,\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":1,\"byteLength\":20,\
             \"byteStride\":4,\"count\":10,\"mode\":\"INDICES\"}}}"
                .to_owned()
        };
        let stream = [0xd1, 0, 4, 4, 0xc9, 1, 4, 5, 4, 0xd5, 0x1d, 0xb0, 0x8b, 0x11, 0x8b, 0x1f, 0, 0, 0, 0];
        gltf(&format!(
            "\"extensionsUsed\":[\"EXT_meshopt_compression\"],\"buffers\":[{{\"byteLength\":40,\"extensions\":\
             {{\"EXT_meshopt_compression\":{{\"fallback\":true}}}}}},{{\"byteLength\":20,\
             \"uri\":\"data:;base64,{}\"}}],\"bufferViews\":[{}],\"nodes\":[{{}}],\"scenes\":[{{\"nodes\":[0]}}]",
            base64(&stream),
            list(n, view)
        ))
    }),
    of("instances of a node", "a.gltf", |n| {
        let zeros =
            "{\"componentType\":5126,\"count\":COUNT,\"type\":\"VEC3\"}".replace("COUNT", &n.to_string());
        gltf(&format!(
            "{},\"extensionsUsed\":[\"EXT_mesh_gpu_instancing\"],\"meshes\":[{{\"primitives\":[{{\"attributes\":\
             {{\"POSITION\":1}}}}]}}],\"nodes\":[{{\"mesh\":0,\"extensions\":{{\"EXT_mesh_gpu_instancing\":{{\"attributes\":\
             {{\"TRANSLATION\":0}}}}}}}}],\"scenes\":[{{\"nodes\":[0]}}]",
            triangle().replacen("\"accessors\":[", &format!("\"accessors\":[{zeros},"), 1)
        ))
    }),
    of("layers, ten times as many", "a.gltf", |n| {
        let node = |at: usize| format!("{{\"mesh\":0,\"translation\":[0,0,{}]}}", at as f64 * 1e-5);
        let primitive = "{\"attributes\":{\"POSITION\":0}}".to_owned();
        gltf(&format!(
            "{},\"meshes\":[{{\"primitives\":[{}]}}],\"nodes\":[{}],\"scenes\":[{{\"nodes\":[{}]}}]",
            triangle(),
            list(100, |_| primitive.clone()),
            list(n / 10 + 1, node),
            list(n / 10 + 1, |at| at.to_string())
        ))
    }),
    of("cameras and lights", "a.gltf", |n| {
        let lights = list(n, |_| "{\"type\":\"point\"}".into());
        let cameras =
            list(n, |_| "{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":1}}".into());
        let node = |at: usize| {
            format!("{{\"camera\":{at},\"extensions\":{{\"KHR_lights_punctual\":{{\"light\":{at}}}}}}}")
        };
        gltf(&format!(
            "\"extensionsUsed\":[\"KHR_lights_punctual\"],\"extensions\":{{\"KHR_lights_punctual\":{{\"lights\":[{lights}]}}}},\
             \"cameras\":[{cameras}],\"nodes\":[{}]",
            list(n, node)
        ))
    }),
    of("a large picture in few bytes", "a.gltf", |n| {
        let size = u32::try_from(n).unwrap_or(u32::MAX);
        // Its pixels are missing.
        let mut picture = png(1, 1);
        picture.splice(16..20, size.to_be_bytes());
        let uri = format!("\"images\":[{{\"uri\":\"data:image/png;base64,{}\"}}]", base64(&picture));
        let material = "{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}";
        gltf(&format!(
            "{},{uri},\"textures\":[{{\"source\":0}}],\"materials\":[{}],\"meshes\":[{{\"primitives\":[{}]}}],\
             \"nodes\":[{{\"mesh\":0}}],\"scenes\":[{{\"nodes\":[0]}}]",
            triangle(),
            list(n, |_| material.into()),
            list(n, |at| format!("{{\"attributes\":{{\"POSITION\":0}},\"material\":{at}}}"))
        ))
    }),
    of("sets of texture coordinates", "a.gltf", |n| {
        let sets = list(n, |at| format!("\"TEXCOORD_{at}\":0"));
        gltf(&format!(
            "{},\"meshes\":[{{\"primitives\":[{{\"attributes\":{{{sets},\"POSITION\":0}}}}]}}],\
             \"nodes\":[{{\"mesh\":0}}],\"scenes\":[{{\"nodes\":[0]}}]",
            triangle()
        ))
    }),
    of("triangles far away", "a.obj", |n| {
        let points = repeat(n, |at| format!("v {at}e34 1e38 0\nv 1e38 -1e38 1\nv 0 {at}e33 1e38\n"));
        (points + &repeat(n, |at| format!("f {} {} {}\n", at * 3 + 1, at * 3 + 2, at * 3 + 3))).into_bytes()
    }),
    of("a polygon, and its corners once more", "a.obj", |n| {
        let points = repeat(n, |at| format!("v {} {at} 0\n", at % 7));
        (points + "f" + &repeat(n, |at| format!(" {}", at + 1)) + "\n").into_bytes()
    }),
    of("lines that go on", "a.obj", |n| {
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf".to_owned() + &" 1 2 3 \\\n".repeat(n)).into_bytes()
    }),
    of("groups", "a.obj", |n| {
        let points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        (points.to_owned() + &repeat(n, |at| format!("g a{at} b\ns {at}\nf 1 2 3\n"))).into_bytes()
    }),
    with(
        "materials of a library, each with pictures",
        "a.obj",
        |n| {
            let points = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\n";
            (points.to_owned() + &repeat(n, |at| format!("usemtl m{at}\nf 1 2 3\n"))).into_bytes()
        },
        |n| {
            let names = |at: usize| {
                format!(
                    "newmtl m{at}\nKd 1 0 0\nmap_Kd {}t.png\nmap_Bump -s 1 1 1 t.png\n",
                    "./".repeat(at % 9)
                )
            };
            let picture = || png(64, 64);
            // The picture under each of its names.
            let mut files = Beside::from([("a.mtl".to_owned(), repeat(n, names).into_bytes())]);
            files.extend((0..9).map(|dots| ("./".repeat(dots) + "t.png", picture())));
            files
        },
    ),
    of("solids", "a.stl", |n| {
        let solid = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
        solid.repeat(n).into_bytes()
    }),
    of("faces of a binary file", "a.ply", |n| {
        let header = format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
             element face {n}\nproperty list uchar int vertex_indices\nend_header\n"
        );
        let face = [3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0];
        [header.as_bytes(), &[0; 36], &face.repeat(n)].concat()
    }),
    of("elements", "a.ply", |n| {
        let elements = repeat(n, |at| format!("element e{at} 1\nproperty list uchar int v\ncomment c\n"));
        format!("ply\nformat ascii 1.0\n{elements}end_header\n{}", "2 0 0\n".repeat(n)).into_bytes()
    }),
    // Values.
    of("lists in one another", "a.json", |n| ("[".repeat(n) + &"]".repeat(n)).into_bytes()),
    of("an array of arrays", "a.json", |n| {
        format!("[{}]", list(n, |_| "[1,{\"a\":null}]".into())).into_bytes()
    }),
    of("a text of escapes", "a.json", |n| format!("[\"{}\"]", "\\u00e9\\n".repeat(n)).into_bytes()),
];
