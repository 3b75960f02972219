//! Files that no growth of a fixture gives: each is what an attack found, or a construct of its own.

/// A name, and the bytes of a file with so many of the construct.
type Special = (&'static str, fn(usize) -> Vec<u8>);

pub(crate) fn of(format: &str) -> Vec<Special> {
    match format {
        "llsd" => vec![
            ("notation: an array", |n| notation(&format!("[{}]", "i1,".repeat(n)))),
            ("notation: nested arrays", |n| notation(&format!("{}{}", "[".repeat(n), "]".repeat(n)))),
            ("binary: nested arrays", |n| {
                [&b"<? LLSD/Binary ?>\n"[..], &b"[\0\0\0\x01".repeat(n), &b"]".repeat(n)].concat()
            }),
            ("binary: a count that the input cannot fill", |_| {
                b"<? LLSD/Binary ?>\n[\x7f\xff\xff\xff!".to_vec()
            }),
            ("binary: a length that the input cannot fill", |_| {
                b"<? LLSD/Binary ?>\nb\x7f\xff\xff\xff!".to_vec()
            }),
            ("XML: nested arrays", |n| xml(&format!("{}{}", "<array>".repeat(n), "</array>".repeat(n)))),
            ("notation: a map of different keys", |n| {
                notation(&entries(n, |index| format!("'k{index}':i1,")))
            }),
            ("notation: a map of equal keys", |n| notation(&entries(n, |_| "'k':i1,".into()))),
            ("notation: a map of maps", |n| notation(&entries(n, |index| format!("'k{index}':{{'a':i1}},")))),
            ("notation: escapes", |n| notation(&format!("'{}'", "\\n".repeat(n)))),
            ("notation: base64", |n| notation(&format!("b64\"{}\"", "QUJD".repeat(n)))),
            ("notation: blanks", |n| notation(&format!("[{}i1]", " ".repeat(n)))),
            ("XML: an array", |n| xml(&format!("<array>{}</array>", "<integer>1</integer>".repeat(n)))),
            ("XML: a map of different keys", |n| {
                let entries: String = (0..n).map(|index| format!("<key>k{index}</key><undef/>")).collect();
                xml(&format!("<map>{entries}</map>"))
            }),
            ("XML: entities", |n| xml(&format!("<string>{}</string>", "&lt;".repeat(n)))),
            ("XML: attributes", |n| {
                let attributes: String = (0..n).map(|index| format!(" a{index}='b'")).collect();
                xml(&format!("<array{attributes}></array>"))
            }),
            ("XML: comments", |n| xml(&format!("<array>{}</array>", "<!-- -->".repeat(n)))),
            ("XML: unknown elements", |n| xml(&format!("<array>{}</array>", "<other/>".repeat(n)))),
            ("XML: unknown nested elements", |n| {
                xml(&format!("<array>{}{}</array>", "<a>".repeat(n), "</a>".repeat(n)))
            }),
            ("XML: lines", |n| xml(&format!("<string>{}</string>", "\r\n".repeat(n)))),
            ("XML: CDATA", |n| xml(&format!("<string>{}</string>", "<![CDATA[a]]>".repeat(n)))),
        ],
        "rbxxml" => vec![
            ("items beside each other", |n| roblox(&item("").repeat(n))),
            ("items with different referents and a reference to the last", |n| {
                let items = (0..n).map(|index| {
                    format!(
                        "<Item class=\"Part\" referent=\"R{index}\"><Properties><Ref name=\"A\">R{}</Ref></Properties></Item>",
                        n - 1
                    )
                });
                roblox(&items.collect::<String>())
            }),
            ("items in one another", |n| {
                roblox(&format!("{}{}", "<Item class=\"Folder\">".repeat(n), "</Item>".repeat(n)))
            }),
            ("different properties of an item", |n| {
                let properties = (0..n).map(|index| format!("<bool name=\"P{index}\">true</bool>"));
                roblox(&item(&properties.collect::<String>()))
            }),
            ("equal properties of an item", |n| roblox(&item(&"<bool name=\"P\">true</bool>".repeat(n)))),
            ("attributes", |n| {
                let attributes: String = (0..n).map(|index| format!(" a{index}='b'")).collect();
                roblox(&format!("<Item class=\"Part\"{attributes}></Item>"))
            }),
            ("metadata", |n| {
                roblox(&(0..n).map(|index| format!("<Meta name=\"m{index}\">x</Meta>")).collect::<String>())
            }),
            ("shared strings", |n| {
                let strings =
                    (0..n).map(|index| format!("<SharedString md5=\"k{index}\">QUJD</SharedString>"));
                roblox(&format!("<SharedStrings>{}</SharedStrings>", strings.collect::<String>()))
            }),
            ("entities", |n| roblox(&item(&format!("<string name=\"S\">{}</string>", "&lt;".repeat(n))))),
            ("lines", |n| roblox(&item(&format!("<string name=\"S\">{}</string>", "\r\n".repeat(n))))),
            ("CDATA", |n| {
                roblox(&item(&format!("<string name=\"S\">{}</string>", "<![CDATA[a]]>".repeat(n))))
            }),
            ("unknown elements", |n| roblox(&item(&"<Other name=\"a\"><x/></Other>".repeat(n)))),
        ],
        "m3d" => vec![
            ("a polygon per line", |n| text(&format!("Vertex\n0 0 0 1\n\nMesh\n{}", "0 0 0\n".repeat(n)))),
            ("different materials", |n| {
                text(&(0..n).map(|index| format!("Material m{index}\nKd #ff00ff00\n\n")).collect::<String>())
            }),
            ("a material and its use, in turn", |n| {
                let used: String = (0..n).map(|index| format!("use m{index}\n0 0 0\n")).collect();
                text(&format!("Vertex\n0 0 0 1\n\nMesh\n{used}"))
            }),
            ("a bone in each bone", |n| {
                let bones: String =
                    (0..n.min(1000)).map(|depth| format!("{}0 0 b{depth}\n", "/".repeat(depth))).collect();
                text(&format!("Vertex\n0 0 0 1\n\nBones\n{bones}"))
            }),
            ("bones beside each other", |n| {
                let bones: String = (0..n).map(|index| format!("/0 0 b{index}\n")).collect();
                text(&format!("Vertex\n0 0 0 1\n\nBones\n0 0 root\n{bones}"))
            }),
            ("comment lines", |n| text(&"Unknown\nline\n\n".repeat(n))),
            ("a checkerboard of voxels", |n| {
                let side = (1..).find(|side: &usize| side.pow(3) >= n).unwrap_or(1);
                let parity = |at: usize| (at + at / side + at / side / side) % 2;
                let voxels = (0..side.pow(3))
                    .map(|at| if parity(at) == 0 { m3d::Voxel(0) } else { m3d::Voxel::UNSET });
                let mut block = m3d::VoxelBlock { size: [side as u32; 3], ..m3d::VoxelBlock::default() };
                block.voxels = voxels.collect();
                let model = m3d::Model {
                    voxel_types: vec![m3d::VoxelType::default()],
                    voxel_blocks: vec![block],
                    ..m3d::Model::default()
                };
                m3d::to_vec(&model).expect("a model")
            }),
            ("a star, each corner of which is far from its neighbours", |n| polygon(n, n / 2 - 1, |_| 1.0)),
            ("a gear, every second corner of which is concave", |n| {
                polygon(n, 1, |corner| if corner % 2 == 0 { 1.0 } else { 0.5 })
            }),
            ("lines of the description", |n| {
                format!("3dmodel 1\nname\n\n\n{}\n", "d\n".repeat(n)).into_bytes()
            }),
        ],
        "rbxmesh" => vec![
            ("1.00: faces", |n| {
                let face = "[0,0,0][0,0,1][0,0,0][1,0,0][0,0,1][0,0,0][0,1,0][0,0,1][0,0,0]";
                format!("version 1.00\n{n}\n{}", face.repeat(n)).into_bytes()
            }),
            ("5.00: controls of a face and poses that correct two", |n| {
                let mut mesh = rbxmesh::Mesh { version: rbxmesh::Version::V5_00, ..rbxmesh::Mesh::default() };
                let names: String = (0..n).map(|index| format!("c{index:05}\0")).collect();
                let mut facs = rbxmesh::Facs::default();
                facs.controls.bytes = names.clone().into();
                facs.face_bones.bytes = names.into();
                facs.two_pose = (0..n as u16).map(|index| [index, index / 2]).collect();
                mesh.facs = Some(facs);
                rbxmesh::to_vec(&mesh).expect("a mesh")
            }),
            ("1.00: a count of faces that the input cannot fill", |_| {
                b"version 1.00\n4294967295\n[0,0,0][0,0,1][0,0,0]".to_vec()
            }),
            ("2.00: counts that the input cannot fill", |_| {
                b"version 2.00\n\x0c\0\x28\x0c\xff\xff\xff\xff\xff\xff\xff\xff".to_vec()
            }),
            ("2.00: vertices that no face uses", |n| {
                let mut file = b"version 2.00\n\x0c\0\x28\x0c".to_vec();
                file.extend((n as u32).to_le_bytes());
                file.extend(0_u32.to_le_bytes());
                file.extend(vec![0; n * 40]);
                file
            }),
            ("6.00: chunks", |n| {
                let mut file = b"version 6.00\n".to_vec();
                for index in 0..n {
                    file.extend(format!("U{:<7}", index % 1000).bytes());
                    file.extend([1, 0, 0, 0, 0, 0, 0, 0]);
                }
                file
            }),
        ],
        "rbxbinary" => vec![
            ("counts of the header that no chunk fills", |_| binary([u32::MAX >> 1; 2], &[])),
            ("a chunk that claims to inflate to 4 GB", |_| {
                binary([1, 1], &chunk(b"INST", 4, u32::MAX, b"\x10abc"))
            }),
            ("a class of more instances than there are", |_| {
                let content =
                    [&4_u32.to_le_bytes()[..], b"\x04\0\0\0Part\0", &u32::MAX.to_le_bytes()].concat();
                binary([1, 1], &chunk(b"INST", 0, content.len() as u32, &content))
            }),
            ("classes", |n| {
                let class = |id: u32| {
                    let head = [&id.to_le_bytes()[..], b"\x04\0\0\0Part\0\x01\0\0\0"].concat();
                    let content = [head, vec![0; 4]].concat();
                    chunk(b"INST", 0, content.len() as u32, &content)
                };
                binary([n as u32; 2], &(0..n as u32).flat_map(class).collect::<Vec<u8>>())
            }),
        ],
        _ => Vec::new(),
    }
}

/// A file of version 0 with these counts of classes and instances, and these chunks.
fn binary([classes, instances]: [u32; 2], chunks: &[u8]) -> Vec<u8> {
    let mut file = b"<roblox!\x89\xff\r\n\x1a\n\0\0".to_vec();
    file.extend(classes.to_le_bytes());
    file.extend(instances.to_le_bytes());
    file.extend([0; 8]);
    file.extend(chunks);
    file.extend(chunk(b"END\0", 0, 9, b"</roblox>"));
    file
}

fn chunk(name: &[u8; 4], stored: u32, length: u32, content: &[u8]) -> Vec<u8> {
    [&name[..], &stored.to_le_bytes(), &length.to_le_bytes(), &[0; 4], content].concat()
}

fn notation(value: &str) -> Vec<u8> {
    format!("<? llsd/notation ?>\n{value}").into_bytes()
}

fn entries(count: usize, entry: impl Fn(usize) -> String) -> String {
    format!("{{{}}}", (0..count).map(entry).collect::<String>())
}

fn xml(value: &str) -> Vec<u8> {
    format!("<llsd>{value}</llsd>").into_bytes()
}

fn roblox(inside: &str) -> Vec<u8> {
    format!("<roblox version=\"4\">{inside}</roblox>").into_bytes()
}

fn item(properties: &str) -> String {
    format!("<Item class=\"Part\"><Properties>{properties}</Properties></Item>")
}

fn text(sections: &str) -> Vec<u8> {
    format!("3dmodel 1\nname\n\n\n\n\n{sections}\nEnd\n").into_bytes()
}

/// A shape that is one polygon: its corners on a circle, each so many steps after the one before and this far out.
fn polygon(n: usize, steps: usize, radius: impl Fn(usize) -> f64) -> Vec<u8> {
    let corner = |corner: usize| {
        let (sin, cos) = (std::f64::consts::TAU * (corner * steps) as f64 / n as f64).sin_cos();
        format!("{} {} 0 1\n", radius(corner) * cos, radius(corner) * sin)
    };
    let corners: String = (0..n).map(corner).collect();
    let ids: String = (0..n).map(|id| format!(" {id}")).collect();
    text(&format!("Vertex\n{corners}\nShape s\npolygon {n}[{ids} ]\n"))
}
