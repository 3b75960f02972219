//! Documents for other years, what fills them, and terrain in pieces.

use rbxcore::Value;
use rbxcore::geom::Vec3;
use rezkit::blobs::SmoothGrid;
use rezkit::blobs::terrain::Voxel;

use super::run::Folder;
use crate::{binary_of, instance};

/// A mesh of version 3.00 with the id 5, and a place that refers to it, to an image in a script, and to a mesh that is
/// nowhere.
fn place() -> Folder {
    let triangle = crate::mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    let mesh = rbxmesh::Mesh::from_tri_mesh(&triangle).expect("a mesh");
    let (mesh, _) = mesh.to_version(rbxmesh::Version::V3_00, rbxmesh::LodChoice::First);
    let content = |text: &str| Value::ContentId(text.into());
    let statue = instance("MeshPart", "Statue")
        .property("MeshId", content("rbxassetid://5"))
        .property("size", Vec3::new(1.0, 1.0, 1.0));
    let lost = instance("SpecialMesh", "Lost").property("MeshId", content("rbxassetid://6"));
    let script = instance("Script", "Script").property("Source", "local a = 'rbxassetid://5'");
    let workspace = instance("Workspace", "Workspace").service(true).child(statue.child(lost)).child(script);
    let folder = Folder::new(&[("place.rbxl", &binary_of([workspace]))]);
    folder.write("found/5.mesh", rbxmesh::to_vec(&mesh).expect("bytes"));
    folder
}

/// Studio writes Zstandard since January 2025.
#[test]
fn old_clients_get_no_zstandard() {
    let folder = place();
    let error = folder.fails("convert --client 2016-04 --compression zstd place.rbxl old.rbxl", 2);
    assert!(error.contains("clients of 2016-04 read no chunks in Zstandard"), "{error}");
    folder.ok("convert --client 2016-04 --compression lz4 place.rbxl old.rbxl");
}

#[test]
fn meshes_are_written_in_the_version_of_the_client() {
    let folder = place();
    // The dates are those of a description of old clients: 2.00 came with April 2010, 3.00 with April 2019.
    for (month, version) in
        [("2009-01", "1.00"), ("2016-08", "2.00"), ("2019-04", "3.00"), ("2023-01", "3.00")]
    {
        let ran = folder.run(&format!(
            "convert --client {month} --assets found --assets {month} place.rbxl {month}.rbxl --verbose"
        ));
        assert_eq!(ran.status, Some(0), "{}", ran.err);
        let lost = "Lost.MeshId: a mesh or image that was not found";
        assert!(ran.err.contains(lost) && ran.err.contains("[client.asset-missing]"), "{}", ran.err);
        let names = folder.names(month);
        let mesh = names.iter().find(|name| name.ends_with(".mesh")).expect("a mesh");
        let name = mesh.rsplit('/').next().expect("a name");
        let bytes = folder.read(&format!("{month}/{name}"));
        assert!(bytes.starts_with(format!("version {version}").as_bytes()), "{month}");
        // The document and its script refer to the file, and the manifest has both.
        let found = folder.ok(&format!("assets {month}.rbxl"));
        let address = format!("rbxasset://{month}/{name}");
        assert!(found.contains(&address) && found.contains("rbxassetid://6"), "{found}");
        assert!(!found.contains("rbxassetid://5"), "{found}");
        let manifest = folder.text(&format!("{month}/manifest.json"));
        assert!(manifest.contains(&address) && manifest.contains("Script.Source"), "{manifest}");
        // Each loss has its id once.
        let line = ran.err.lines().find(|line| line.contains("[client.")).expect("a loss");
        assert_eq!(line.matches("[client.").count(), 1, "{line}");
    }
}

/// A fixture.
fn blob(name: &str) -> Vec<u8> {
    testkit::fixture("rbxblobs", name)
}

/// The mesh of a union is a file for clients without unions, with a texture if it has several colours; without a folder for
/// files, and where the mesh cannot be read, a block stands for it.
#[test]
fn meshes_of_unions_are_files_for_clients_without_unions() {
    let one_color = blob("mesh-2.bin");
    let mut two_colors = one_color.clone();
    // The colour of the first vertex, C4281C, becomes 00FF00. The key applies to both.
    two_colors[42 + 8 + 24..]
        .iter_mut()
        .zip([0xc4, 0x28 ^ 0xff, 0x1c])
        .for_each(|(byte, bits)| *byte ^= bits);
    let union = |name: &str, mesh: Vec<u8>, own_color: bool| {
        instance("UnionOperation", name)
            .property("UsePartColor", own_color)
            .property("MeshData", Value::from(if name == "Hulls" { Vec::new() } else { mesh.clone() }))
            .property("PhysicsData", Value::from(if name == "Hulls" { mesh } else { Vec::new() }))
            .property("size", Vec3::new(2.0, 4.0, 6.0))
            .property("InitialSize", Vec3::new(1.0, 2.0, 2.0))
            .property("Color3uint8", rbxcore::Color3uint8 { r: 0, g: 0, b: 255 })
    };
    let all = [
        union("One", one_color.clone(), false),
        union("Again", one_color.clone(), false),
        union("Own", one_color, true),
        union("Two", two_colors, false),
        union("Broken", b"nothing".to_vec(), false),
        union("Hulls", blob("collision-7.bin"), false),
    ];
    let workspace = instance("Workspace", "Workspace").service(true);
    let workspace = all.into_iter().fold(workspace, rbxbinary::NewInstance::child);
    let folder = Folder::new(&[("a.rbxl", &binary_of([workspace]))]);
    let ran = folder.run("convert --client 2012-06 --assets old a.rbxl old.rbxlx --verbose");
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    for line in [
        "One: Part with a mesh of its shape stands for UnionOperation, which came with 2014-07 (and 4 more)",
        "Hulls: a union becomes its collision hulls",
        "Broken: Part that is a block stands for UnionOperation",
        "Broken: the mesh of a union cannot be read, so that it is a block",
    ] {
        assert!(ran.err.contains(line), "{line}: {}", ran.err);
    }
    let old = rbxdocument::from_slice(&folder.read("old.rbxlx")).expect("a place");
    let value = |path: &str, name: &str| {
        let id = old.find(format!("Workspace/{path}")).expect(path);
        old.get(id, name).map(|value| value.to_value())
    };
    let text = |path: &str, name: &str| {
        String::from_utf8(value(path, name).expect(name).as_bytes().expect(name).to_vec()).expect("text")
    };
    assert_eq!(value("One/Mesh", "Scale"), Some(Vec3::new(2.0, 2.0, 3.0).into()));
    // The nearest of the palette: of the mesh, red; of the part itself, blue.
    assert_eq!(value("One", "BrickColor"), Some(Value::Int32(21)));
    assert_eq!(value("Own", "BrickColor"), Some(Value::Int32(1010)));
    let (mesh, texture) = (text("Two/Mesh", "MeshId"), text("Two/Mesh", "TextureId"));
    assert_eq!(text("One/Mesh", "MeshId"), text("Again/Mesh", "MeshId"));
    assert_eq!(
        (text("One/Mesh", "TextureId"), text("Own/Mesh", "TextureId")),
        (String::new(), String::new())
    );
    assert!(old.find("Workspace/Broken/Mesh").is_none());
    let beside = |address: &str| folder.read(address.strip_prefix("rbxasset://").expect("an address"));
    let mesh = rbxmesh::from_slice(&beside(&mesh)).expect("a mesh");
    assert_eq!((mesh.version, mesh.faces.len()), (rbxmesh::Version::V2_00, 4));
    let picture = rezkit::scene::images::decode(&beside(&texture), 1 << 20).expect("an image");
    let color = |corner: u32| {
        let uv = mesh.vertices[corner as usize].uv;
        #[allow(clippy::cast_possible_truncation, reason = "within the picture")]
        let at = |part: f32, size: u32| (part * size as f32) as u32;
        picture.pixel(at(uv.x, picture.width()), at(uv.y, picture.height()))
    };
    let (red, green) = ([0xc4, 0x28, 0x1c, 255], [0, 255, 0, 255]);
    let colors: Vec<[u8; 4]> = mesh.faces.iter().map(|face| color(face[0])).collect();
    assert!(colors.contains(&red) && colors.contains(&green), "{colors:?}");
    assert!(mesh.faces.iter().all(|face| face.iter().all(|&corner| color(corner) == color(face[0]))));
    let hulls = rbxmesh::from_slice(&beside(&text("Hulls/Mesh", "MeshId"))).expect("a mesh");
    assert_eq!(hulls.faces.len(), 8);
    folder.ok("convert --client 2012-06 --assets block --unions box a.rbxl block.rbxlx");
    assert!(!folder.ok("tree block.rbxlx").contains("SpecialMesh"));
    // The manifest has all files, and clients that have unions keep them.
    assert!(folder.text("old/manifest.json").contains("Workspace/Two/Mesh.TextureId"));
    folder.ok("convert --client 2016-06 --assets new a.rbxl new.rbxl");
    assert!(folder.ok("tree new.rbxl").contains("UnionOperation"));
    assert!(!folder.path("new").exists());
}

/// Clients that have unions get the same for meshes of a form of 2025. Files of today have the older properties, too, but
/// empty; these do not count.
#[test]
fn meshes_of_newer_unions_are_files() {
    let of_today = |name: &str, mesh: &str, solid: &[u8]| {
        instance("UnionOperation", name)
            .property("MeshData", Value::from(Vec::new()))
            .property("MeshData2", Value::SharedString(blob(mesh).as_slice().into()))
            .property("SolidMeshHolder", Value::SharedString(solid.into()))
    };
    let solid = blob("solid-mesh.bin");
    let empty = of_today("Solid", "mesh-4.bin", &solid)
        .property("MeshData2", Value::SharedString(b"".as_slice().into()));
    let workspace = instance("Workspace", "Workspace").service(true);
    let workspace = workspace.child(of_today("Mesh", "mesh-4.bin", &[])).child(empty);
    let folder = Folder::new(&[("b.rbxl", &binary_of([workspace]))]);
    let ran = folder.run("convert --client 2016-06 --assets new b.rbxl new.rbxl");
    let line =
        "Solid: Part with a mesh of its shape stands for UnionOperation, whose mesh is of a newer form";
    assert!(ran.err.contains(line), "{}", ran.err);
    let new = rbxdocument::from_slice(&folder.read("new.rbxl")).expect("a place");
    let id = new.find("Workspace/Mesh").expect("a union");
    assert_eq!(
        new.get(id, "MeshData").and_then(|data| data.as_bytes().map(<[u8]>::len)),
        Some(blob("mesh-4.bin").len())
    );
    assert!(new.find("Workspace/Solid/Mesh").is_some());
}

/// If the document becomes a scene, the folder is that of its meshes, as without a client.
#[test]
fn a_scene_of_an_older_client_reads_its_meshes() {
    let folder = place();
    let ran = folder.run("convert --client 2016-08 --assets found place.rbxl scene.glb");
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    assert!(!ran.err.contains("rbxassetid://5 was not found"), "{}", ran.err);
    assert_eq!(folder.names("found").len(), 1);
}

/// A place with 8 by 8 by 8 full voxels from the origin on.
fn terrain() -> Vec<u8> {
    let mut grid = SmoothGrid::default();
    grid.edit([0; 3], [8; 3], |at, voxel| *voxel = Voxel::full(if at[1] < 4 { 2 } else { 5 }));
    let terrain =
        instance("Terrain", "Terrain").property("SmoothGrid", Value::from(grid.to_vec().expect("bytes")));
    binary_of([instance("Workspace", "Workspace").service(true).child(terrain)])
}

/// The materials of the voxels at places of a file.
fn materials(folder: &Folder, file: &str, places: &[[i32; 3]]) -> Vec<u8> {
    let document = rbxdocument::from_slice(&folder.read(file)).expect("a place");
    let terrain = document.find("Workspace/Terrain").expect("terrain");
    let value = document.get(terrain, "SmoothGrid").expect("a grid");
    let grid: SmoothGrid = rezkit::blobs::from_slice(value.as_bytes().expect("bytes")).expect("a grid");
    places.iter().map(|&place| grid.get(place).material).collect()
}

#[test]
fn regions_of_terrain_are_cut_moved_copied_and_pasted() {
    let folder = Folder::new(&[("a.rbxl", &terrain())]);
    let edited = |script: &str, output: &str| {
        let ran = folder.piped(&format!("edit a.rbxl -o {output}"), script);
        assert_eq!(ran.status, Some(0), "{}", ran.err);
    };
    let places = [[0, 0, 0], [1, 1, 1], [3, 7, 3], [7, 7, 7], [32, 0, 0], [35, 7, 3]];
    // A box from corner to corner, in studs; voxels that it only touches are in it, too.
    edited("terrain cut 0,0,0 16,32,15", "cut.rbxl");
    assert_eq!(materials(&folder, "cut.rbxl", &places), [0, 0, 0, 5, 0, 0]);
    edited("terrain move 0,0,0 16,32,16 128,0,0", "moved.rbxl");
    assert_eq!(materials(&folder, "moved.rbxl", &places), [0, 0, 0, 5, 2, 5]);
    edited(
        "{\"do\": \"terrain\", \"action\": \"copy\", \"from\": [0,0,0], \"to\": [16,32,16], \"by\": [128,0,0]}",
        "copied.rbxl",
    );
    assert_eq!(materials(&folder, "copied.rbxl", &places), [2, 2, 5, 5, 2, 5]);
    // There and back is nothing.
    edited("terrain move 0,0,0 16,32,16 128,0,0\nterrain move 128,0,0 144,32,16 -128,0,0", "same.rbxl");
    assert_eq!(materials(&folder, "same.rbxl", &places), materials(&folder, "a.rbxl", &places));
    // Another place, which has no voxels yet, and needs its form for collisions, too.
    folder.ok("new other.rbxlx");
    folder.ok("add other.rbxlx Terrain Workspace");
    let ran = folder.piped("edit other.rbxlx", "terrain paste a.rbxl 0,0,0 32,32,32 0,-4,0");
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    assert_eq!(materials(&folder, "other.rbxlx", &[[0, -1, 0], [0, 6, 0], [0, 7, 0]]), [2, 5, 0]);
    assert!(folder.ok("get other.rbxlx Workspace/Terrain.PhysicsGrid").len() > 20);
    for (script, error) in [
        ("terrain cut 0,0,0", "expected `terrain cut FROM TO`"),
        ("terrain cut 0,0 1,1,1", "expected three whole numbers of studs"),
        ("terrain move 0,0,0 4,4,4 2,0,0", "terrain moves by whole voxels of 4 studs, found 2"),
        ("terrain cut 0,0,0 0,4,4", "a region of terrain has 1 to"),
        ("terrain paste none.rbxl 0,0,0 4,4,4", "none.rbxl"),
    ] {
        let ran = folder.piped("edit a.rbxl -o x.rbxl", script);
        assert!(ran.status != Some(0) && ran.err.contains(error), "{script}: {}", ran.err);
    }
}

/// A place with terrain of the form before 2015: grass, as high as each of 3 columns of 4 by 4 voxels.
fn old_terrain(property: &str, heights: [i32; 3]) -> Vec<u8> {
    let mut grid = SmoothGrid::default();
    for (column, height) in (0..).zip(heights) {
        grid.edit([4 * column, 0, 0], [4 * column + 4, height, 4], |_, voxel| *voxel = Voxel::full(2));
    }
    let cells = rezkit::blobs::ClusterGrid::of_smooth(&grid).0.to_vec().expect("bytes");
    let terrain = instance("Terrain", "Terrain").property(property, Value::from(cells));
    binary_of([instance("Workspace", "Workspace").service(true).child(terrain)])
}

/// Terrain of the form before 2015 is changed, and pasted, as smooth terrain, which is listed.
#[test]
fn regions_of_old_terrain_become_smooth() {
    let place = old_terrain("ClusterGridV3", [8, 8, 0]);
    let folder = Folder::new(&[("a.rbxl", &place)]);
    folder.ok("new b.rbxl");
    for (command, script, expected) in [
        ("edit a.rbxl -o cut.rbxl", "terrain cut 0,0,0 16,32,32", [0, 1]),
        ("edit b.rbxl -o cut.rbxl -f", "terrain paste a.rbxl 16,0,0 32,32,32", [0, 1]),
    ] {
        let ran = folder.piped(command, script);
        assert_eq!(ran.status, Some(0), "{}", ran.err);
        assert!(ran.err.contains("terrain of the form before 2015"), "{}", ran.err);
        let found = materials(&folder, "cut.rbxl", &[[1, 1, 1], [6, 1, 1]]);
        assert_eq!(
            found.iter().map(|material| u8::from(*material > 0)).collect::<Vec<_>>(),
            expected,
            "{script}"
        );
    }
}

/// The heights of terrain of the form before 2015 are an image, which makes the same ground, and the form is listed.
/// As for the terrain of today: the bytes as a file, which `pack` puts back, and the surface as a mesh.
#[test]
fn old_terrain_is_extracted() {
    let place = old_terrain("ClusterGridV3", [8, 8, 0]);
    let folder = Folder::new(&[("old.rbxl", &place)]);
    folder.ok("extract -q old.rbxl -o out");
    assert_eq!(folder.names("out/geometry"), ["Workspace_Terrain.ClusterGridV3.glb"]);
    let grid = folder.read("out/terrain/Workspace_Terrain.ClusterGridV3.bin");
    folder.ok("set old.rbxl Workspace/Terrain.ClusterGridV3 @out/terrain/Workspace_Terrain.ClusterGridV3.bin -o same.rbxl");
    assert_eq!(folder.read("same.rbxl"), place);
    folder.ok("new empty.rbxl");
    folder.ok("pack out empty.rbxl -o back.rbxl");
    let document = rbxdocument::from_slice(&folder.read("back.rbxl")).expect("a place");
    let id = document.find("Workspace/Terrain").expect("terrain");
    assert_eq!(document.get(id, "ClusterGridV3").expect("a grid").as_bytes(), Some(&*grid));
}

/// Files keep their names, and what is no document is left.
#[test]
fn a_folder_of_places_is_for_an_older_client() {
    let folder = place();
    folder.write("in/a.rbxl", folder.read("place.rbxl"));
    folder
        .write("in/b/a.rbxlx", b"<roblox version=\"4\"><Item class=\"Part\" referent=\"1\"></Item></roblox>");
    folder.write("in/5.mesh", folder.read("found/5.mesh"));
    folder.ok("convert -q --client 2012-06 in out");
    assert_eq!(
        (folder.names("out"), folder.names("out/b")),
        (vec!["a.rbxl".into(), "b".into()], vec!["a.rbxlx".into()])
    );
    assert!(folder.read("out/a.rbxl").starts_with(b"<roblox "));
    // A place of before 2013 is a place in binary, too.
    folder.ok("convert -q --to lz4 out again");
    assert_eq!(
        (folder.names("again"), folder.names("again/b")),
        (vec!["a.rbxl".into(), "b".into()], vec!["a.rbxl".into()])
    );
    assert!(folder.fails("convert in no", 2).contains("requires an output format"));
}

#[test]
fn old_terrain_has_a_map_of_heights() {
    for property in ["ClusterGridV3", "ClusterGridV2"] {
        let folder = Folder::new(&[("a.rbxl", &old_terrain(property, [2, 8, 4]))]);
        let ran = folder.run("convert a.rbxl h.png");
        assert_eq!(ran.status, Some(0), "{}", ran.err);
        assert!(ran.err.contains("terrain of the form before 2015"), "{}", ran.err);
        assert!(ran.err.contains("`--terrain-size 48,32,16`"), "{}", ran.err);
        let bytes = folder.read("h.png");
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("an image");
        let mut pixels = vec![0; reader.output_buffer_size().expect("small")];
        let info = reader.next_frame(&mut pixels).expect("an image");
        assert_eq!((info.width, info.height, info.bit_depth), (12, 4, png::BitDepth::Sixteen));
        // A surface is at a half between a full voxel and an empty one: black is 0 studs, white 32.
        let of_columns = [0, 4, 8].map(|x| u16::from_be_bytes([pixels[2 * x], pixels[2 * x + 1]]));
        let studs = of_columns.map(|grey| (f32::from(grey) * 32.0 / 65_535.0).round());
        assert_eq!(studs, [8.0, 32.0, 16.0], "{property}");
        folder.ok("convert h.png b.rbxl --terrain-size 48,32,16");
        let places = [[-6, 1, 0], [-6, 2, 0], [-2, 7, 0], [2, 3, 0], [2, 4, 0]];
        assert_eq!(materials(&folder, "b.rbxl", &places), [2, 0, 2, 2, 0], "{property}");
    }
}

/// By request, terrain becomes parts: boxes that fill the same space.
#[test]
fn terrain_becomes_parts_for_clients_without_it() {
    let mut grid = SmoothGrid::default();
    // A step of 8 by 8 by 4 voxels of grass below 4 by 2 by 4 of water, across two chunks.
    grid.edit([28, 0, 0], [36, 8, 4], |_, voxel| *voxel = Voxel::full(2));
    grid.edit([28, 8, 0], [32, 10, 4], |_, voxel| *voxel = Voxel::full(1));
    let terrain =
        instance("Terrain", "Terrain").property("SmoothGrid", Value::from(grid.to_vec().expect("bytes")));
    let place = binary_of([instance("Workspace", "Workspace").service(true).child(terrain)]);
    let folder = Folder::new(&[("a.rbxl", &place)]);
    for (month, output) in [("2012-06", "old.rbxlx"), ("2016-06", "newer.rbxl")] {
        let ran = folder.run(&format!("convert --client {month} --terrain 1 a.rbxl {output}"));
        assert_eq!(ran.status, Some(0), "{}", ran.err);
        assert!(ran.err.contains("stored as 3 parts, whose sizes are multiples of 4 studs"), "{}", ran.err);
        let old = rbxdocument::from_slice(&folder.read(output)).expect("a place");
        let model = old.find("Workspace/TerrainParts").expect("a model");
        let vector = |id, name: &str| old.get(id, name).and_then(|value| value.as_vector3()).expect(name);
        let mut found: Vec<_> = old
            .children(model)
            .map(|id| {
                let frame = old.get(id, "CFrame").and_then(|frame| frame.as_cframe()).expect("a frame");
                let material = old.get(id, "Material").and_then(|value| value.as_enum());
                (
                    old.label(id).to_string(),
                    frame.position.to_array(),
                    vector(id, "size").to_array(),
                    material,
                )
            })
            .collect();
        found.sort_by(|one, next| one.0.cmp(&next.0).then_with(|| one.1[0].total_cmp(&next.1[0])));
        let wanted = [
            ("Grass", [120.0, 16.0, 8.0], [16.0, 32.0, 16.0], Some(1280)),
            ("Grass", [136.0, 16.0, 8.0], [16.0, 32.0, 16.0], Some(1280)),
            ("Water", [120.0, 36.0, 8.0], [16.0, 8.0, 16.0], Some(256)),
        ];
        assert_eq!(found, wanted.map(|(name, at, size, of)| (name.to_owned(), at, size, of)), "{month}");
        let ground = old.find("Workspace/Terrain").expect("terrain");
        assert!(
            old.get(ground, "SmoothGrid").is_none_or(|grid| grid.as_bytes().is_some_and(<[u8]>::is_empty))
        );
        let left = folder.run(&format!("check --client {month} {output}"));
        assert!(left.out.contains("whole"), "{}", left.out);
    }
}

#[test]
fn small_models_are_extracted_as_json_and_come_back() {
    let value = instance("IntValue", "Gold").property("Value", Value::Int64(7));
    let many = instance("Folder", "Events").child(instance("RemoteEvent", "Hit")).child(value);
    let deep = instance("Configuration", "Settings").child(many.clone());
    let part = instance("Folder", "Parts").child(instance("Part", "Part"));
    let referrer = instance("Folder", "Links")
        .child(instance("ObjectValue", "To").reference("Value", "target"))
        .child(instance("Folder", "Target").label("target"));
    let storage = instance("ReplicatedStorage", "ReplicatedStorage").service(true);
    let storage = [many, deep, part, referrer].into_iter().fold(storage, rbxbinary::NewInstance::child);
    let folder = Folder::new(&[("a.rbxl", &binary_of([storage]))]);
    folder.ok("extract --models json --geometry none a.rbxl -o out");
    let names: Vec<String> = folder.names("out/src/ReplicatedStorage");
    let has = |name: &str| names.iter().any(|own| own.ends_with(name));
    // What has parts is a model as before.
    assert!(has("Events.model.json") && has("Settings.model.json"), "{names:?}");
    assert!(has("Parts.rbxm") && has("Links.model.json"), "{names:?}");
    let links: serde_json::Value =
        serde_json::from_slice(&folder.read("out/src/ReplicatedStorage/Links.model.json")).expect("JSON");
    // As Rojo states references: the target has an id, and the instance that refers to it an attribute with this id.
    let id = links["children"][1]["id"].as_str().expect("an id");
    assert_eq!(links["children"][0]["attributes"]["Rojo_Target_Value"].as_str(), Some(id));
    let json: serde_json::Value =
        serde_json::from_slice(&folder.read("out/src/ReplicatedStorage/Events.model.json")).expect("JSON");
    // As Rojo reads it: the name is that of the file, and children keep their order.
    let wanted = serde_json::json!({ "className": "Folder", "children": [
        { "name": "Hit", "className": "RemoteEvent" },
        { "name": "Gold", "className": "IntValue", "properties": { "Value": { "Int64": 7 } } },
    ] });
    assert_eq!(json, wanted);
    folder.ok("new b.rbxl");
    folder.ok("pack out b.rbxl");
    for path in ["Settings", "Links", "Parts", "Events"] {
        let tree = |name: &str| folder.ok(&format!("tree {name} ReplicatedStorage/{path}"));
        assert_eq!(tree("a.rbxl"), tree("b.rbxl"), "{path}");
    }
    assert!(folder.ok("get b.rbxl ReplicatedStorage/Settings/Events/Gold.Value").contains('7'));
    let link = folder.ok("get b.rbxl ReplicatedStorage/Links/To.Value");
    assert!(link.contains("ReplicatedStorage/Links/Target"), "{link}");
    // In the place itself, nothing changes.
    let before = folder.read("a.rbxl");
    folder.ok("pack out a.rbxl");
    assert_eq!(folder.read("a.rbxl"), before);
}

#[test]
fn the_area_of_an_instance_is_its_size() {
    let text = |len: usize| "x".repeat(len);
    let script = |name: &str, len| instance("Script", name).property("Source", text(len).as_str());
    let model = instance("Model", "Model").child(script("Large", 30_000)).child(script("Small", 10_000));
    let folder = Folder::new(&[]);
    // Not compressed, so that both are as long as their texts.
    folder.write("a.rbxm", binary_of([model]));
    folder.ok("convert --compression none a.rbxm b.rbxm");
    folder.ok("size --picture size.png b.rbxm");
    let bytes = folder.read("size.png");
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("an image");
    let mut pixels = vec![0; reader.output_buffer_size().expect("small")];
    let info = reader.next_frame(&mut pixels).expect("an image");
    assert_eq!((info.width, info.height), (1600, 1000));
    // Of the colour of scripts, which is that of both: nearly all; and the model around them has a title of 11 pixels.
    let color = |x: usize, y: usize| &pixels[(y * 1600 + x) * 4..][..4];
    let of_scripts = (0..1600 * 1000).filter(|at| color(at % 1600, at / 1600) == color(800, 500)).count();
    assert!(of_scripts > 1_500_000, "{of_scripts}");
    // The dark edge between the two is at three quarters.
    let edge = (100..1500).find(|&x| color(x, 500) != color(x - 1, 500)).expect("an edge");
    assert!((1190..1210).contains(&edge), "{edge}");
    let error = folder.fails("size --picture size.png b.rbxm", 2);
    assert!(error.contains("already exists"), "{error}");
}

#[test]
fn studio_drops_and_renames_what_is_old() {
    let sound = instance("Sound", "Sound").property("Pitch", 1.5_f32);
    let workspace = instance("Workspace", "Workspace")
        .service(true)
        .property("ModelInPrimary", Value::CFrame(Default::default()))
        .child(sound)
        .child(instance("Timer", "Timer"))
        .child(instance("Folder", &"long ".repeat(21)));
    let part = instance("Part", "Part").service(true);
    let folder = Folder::new(&[("a.rbxl", &binary_of([workspace, part]))]);
    let ran = folder.run("check --profile roblox-studio a.rbxl");
    for (rule, what) in [
        ("class", "Timer, which is gone since 2014-01"),
        ("property", "Workspace.ModelInPrimary is gone since 2021-04"),
        ("older-property", "Studio saves PlaybackSpeed"),
        ("service", "Part is no service"),
        ("name-length", "a longer name"),
    ] {
        let line = ran.out.lines().find(|line| line.contains(&format!("[roblox-studio.{rule}]")));
        assert!(line.is_some_and(|line| line.contains(what)), "{rule}: {}", ran.out);
    }
    assert!(folder.fails("check --profile roblox-studio x.mesh", 1).contains("x.mesh"));
}

/// The type of content is that of its property, a collision group has the number of its name, and a property is in a table of
/// some year.
#[test]
fn studio_wants_one_form_of_content_and_of_collision_groups() {
    use rbxcore::Content;
    let group = |name: &str, group: &str, id: i32| {
        instance("Part", name).property("CollisionGroup", group).property("CollisionGroupId", id)
    };
    // Default with the mask of all groups, and Doors, which has the number 3.
    let groups = b"\x01\x02\x00\x04\xff\xff\xff\xff\x07Default\x03\x04\xff\xff\xff\xff\x05Doors".to_vec();
    let workspace = instance("Workspace", "Workspace").service(true);
    let workspace = workspace.property("CollisionGroupData", Value::from(groups));
    let sound = |class: &str, name: &str, value: Value| instance(class, class).property(name, value);
    let all = [
        group("Right", "Doors", 3),
        group("Plain", "Default", 0),
        group("Number", "Doors", 2),
        group("Lost", "Windows", 0),
        sound("Sound", "SoundId", Value::Content(Content::Uri("rbxassetid://1".into()))),
        sound("ImageLabel", "ImageContent", "rbxassetid://1".into()),
        sound("Decal", "Never", true.into()),
        sound("Texture", "Anchored", true.into()),
    ];
    let workspace = all.into_iter().fold(workspace, rbxbinary::NewInstance::child);
    let folder = Folder::new(&[("a.rbxl", &binary_of([workspace]))]);
    let ran = folder.run("check --profile roblox-studio a.rbxl");
    for (rule, what) in [
        ("collision-group", "Number.CollisionGroup: the number 2 instead of 3, that of Doors"),
        ("collision-group", "Lost.CollisionGroup: Windows is no group of CollisionGroupData"),
        ("content", "Sound.SoundId: an object of the type Content"),
        ("content", "ImageLabel.ImageContent: text"),
        ("unknown-property", "Decal.Never: no table of any year has it"),
        ("unknown-property", "Texture.Anchored: Texture has it in no table, but other classes do"),
    ] {
        let rule = format!("[roblox-studio.{rule}]");
        assert!(
            ran.out.lines().any(|line| line.contains(&rule) && line.contains(what)),
            "{what}: {}",
            ran.out
        );
    }
    assert_eq!(ran.out.matches("[roblox-studio.collision-group]").count(), 2, "{}", ran.out);
    assert_eq!(ran.out.matches("[roblox-studio.content]").count(), 2, "{}", ran.out);
}

/// An image of materials, in the colours of MaterialColors, and back.
#[test]
fn materials_of_terrain_are_an_image() {
    use rezkit::scene::images::{Picture, decode, png};
    let folder = Folder::new(&[("heights.png", &heights(4, 2))]);
    // Grass, slate, sand, and a colour near to that of snow, by the table of the format.
    let colors =
        [[0x6f, 0x7e, 0x3e, 255], [0x58, 0x59, 0x56, 255], [0xcf, 0xcb, 0xa7, 255], [0xec, 0xfd, 0xff, 255]];
    let picture = Picture::from_fn(4, 2, |x, _| colors[x as usize]);
    folder.write("materials.png", png(&picture).expect("a PNG"));
    let ran = folder.run("convert heights.png island.rbxl --terrain-materials materials.png");
    assert!(ran.status == Some(0) && ran.err.contains("the nearest is used (and 1 more"), "{}", ran.err);
    let found = materials(&folder, "island.rbxl", &[[-2, 0, 0], [-1, 0, 0], [0, 0, 0], [1, 0, 0]]);
    let named = |name: &str| rezkit::blobs::terrain::MATERIALS.iter().position(|known| *known == name);
    let wanted =
        ["Grass", "Slate", "Sand", "Snow"].map(|name| u8::try_from(named(name).expect(name)).expect("small"));
    assert_eq!(found, wanted);
    folder.ok("convert island.rbxl back.png --terrain-materials colors.png --terrain-size 16,256,8");
    let back = decode(&folder.read("colors.png"), 1 << 20).expect("an image");
    let row: Vec<[u8; 4]> = (0..4).map(|x| back.pixel(x, 0)).collect();
    // Those of Studio's importer, by the table of its announcement and of rbx_types, which are read as well.
    let studio = [[106, 127, 63, 255], [63, 127, 107, 255], [143, 126, 95, 255], [195, 199, 218, 255]];
    assert_eq!(row, studio);
    let ran = folder.run("convert -f heights.png island.rbxl --terrain-materials colors.png");
    assert!(ran.status == Some(0) && !ran.err.contains("nearest"), "{}", ran.err);
    assert_eq!(materials(&folder, "island.rbxl", &[[-2, 0, 0], [-1, 0, 0], [0, 0, 0], [1, 0, 0]]), wanted);
    let error =
        folder.fails("convert back.png x.rbxl --terrain-materials heights.png --terrain-material Sand", 2);
    assert!(error.contains("cannot be used with"), "{error}");
}

/// A grey image of 16 bits with one height.
fn heights(width: u32, depth: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, depth);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let pixels = vec![0x80; (width * depth * 2) as usize];
    encoder.write_header().and_then(|mut to| to.write_image_data(&pixels)).expect("an image");
    bytes
}

/// Heights have no transparency: what an image has is listed.
#[test]
fn the_transparency_of_heights_is_listed() {
    let folder = Folder::new(&[]);
    for (alpha, listed) in [(0xff, false), (0x80, true)] {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(png::ColorType::GrayscaleAlpha);
        encoder.set_depth(png::BitDepth::Eight);
        let pixels = [100, 255, 100, alpha, 100, 255, 100, 255];
        encoder.write_header().and_then(|mut to| to.write_image_data(&pixels)).expect("an image");
        folder.write("h.png", bytes);
        let ran = folder.run("convert --force h.png h.rbxl");
        assert_eq!(ran.err.contains("the transparency of a pixel"), listed, "{}", ran.err);
    }
}
