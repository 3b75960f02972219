//! Rows of a text that are wrong: the message, and what only `check` finds.

use m3d::{Model, Voxel};

fn read(sections: &str) -> m3d::Result<Model> {
    m3d::from_str(&format!("3dmodel 1\nname\n\n\n\n\n{sections}"))
}

fn error(sections: &str) -> String {
    read(sections).unwrap_err().to_string()
}

/// The rules that a text breaks among those of a name, with path and text.
fn found(sections: &str, rule: &str) -> Vec<(String, String)> {
    let findings = m3d::check(&read(sections).unwrap());
    let findings = findings.into_iter().filter(|finding| finding.rule.id == format!("m3d.{rule}"));
    findings.map(|finding| (finding.path, finding.found)).collect()
}

#[test]
fn whole_numbers_end_before_a_space() {
    for (sections, message) in [
        (
            "Voxel a\npos 1-5 3\n",
            "a position in voxels (a whole number from -2147483648 to 2147483647), found `1-5` in \
             voxel_blocks[0].position",
        ),
        (
            "Action 9 a\nframe 1.5\n",
            "a time in milliseconds (a whole number from 0 to 4294967295), found `1.5` in actions[0].frames[0].time",
        ),
        (
            "Action 1.5 a\n",
            "a duration in milliseconds (a whole number from 0 to 4294967295), found `1.5` in actions[0].duration",
        ),
        (
            "Labels a\n0x y\n",
            "`color`, `lang` or the index of a vertex, found `0x` in labels[0].labels[0].vertex",
        ),
        ("Shape a\nline 1[ 0.5 ]\n", "the index of a vertex, found `0.5` in shapes[0].commands[0].args[0]"),
    ] {
        let error = error(sections);
        assert!(error.starts_with(&format!("expected {message} at line ")), "{error}");
    }
    for sections in
        ["Shape a\nbez 2[0 1]\n", "Shape a\nbez 2[ 0 1 ]\n", "Shape a\nbez 2 0\t1\n", "Shape a\ngroup 0\r\n"]
    {
        assert_eq!(read(sections).map(|model| model.shapes.len()).unwrap(), 1, "{sections}");
    }
}

#[test]
fn more_arguments_than_the_count_says() {
    let error = error("Shape a\nbez 2[ 0 1 2 ]\n");
    let message =
        "expected the end of the line (the count before the arguments is 2), found `2` in shapes[0]";
    assert!(error.starts_with(message), "{error}");
}

/// The SDK ignores `layer` rows after the last layer, but counts those before.
#[test]
fn layers_of_voxels() {
    let surplus = "Voxel a\ndim 1 1 1\nlayer\n-\n\nVoxel b\ndim 1 1 1\nlayer\n-\nlayer\nlayer\n";
    assert_eq!(read(surplus).unwrap().voxel_blocks[1].voxels, [Voxel::CLEAR]);
    let rule = found(surplus, "voxel-layers");
    assert_eq!(rule, [("voxel_blocks[1]".into(), "found a `layer` line after the last layer".into())]);
    assert_eq!(found("Voxel a\ndim 1 2 1\nlayer\n-\nlayer\n", "voxel-layers"), []);
    // The row is that of the second layer.
    let error = error("Voxel a\ndim 1 2 2\nlayer\nlayer\n0\n");
    assert!(error.contains("2 rows of 1 voxel (the size in `dim`) before the next layer"), "{error}");
}

#[test]
fn an_item_without_a_name() {
    let error = error("VoxTypes\n#ff000000 a { 1 } }\n");
    let message = "expected the name of an item, found `}` in voxel_types[0].items[0].name";
    assert!(error.starts_with(message), "{error}");
    let named = read("VoxTypes\n#ff000000 a { 1 \\{7d} }\n").unwrap();
    assert_eq!(named.voxel_types[0].items[0].name, "}");
}

#[test]
fn paths_have_every_index() {
    let error = |sections| read(sections).unwrap_err().path().to_owned();
    assert_eq!(error("Assets\na.png\n#00zz\n"), "assets[0].data");
    assert_eq!(error("Vertex\n0 0 0 1 0:x\n"), "vertices[0].skin.weight");
    assert_eq!(error("Vertex\n0 0 0 1 0:2\n"), "vertices[0].skin.weight");
}

/// A half is 127, in the specification ("127 = 0.5") and in the SDK, which does not round: two halves sum to 254.
#[test]
fn rounded_parts_sum_to_255() {
    let halves = "Vertex\n0 0 0 1 0:0.5 1:0.5\n\nVoxel x\nuncertain 50 1\ndim 1 1 1\nlayer\n-\n\n\
                  Voxel x\nuncertain 50 1\ndim 1 1 1\nlayer\n-\n";
    assert_eq!((found(halves, "weights"), found(halves, "group-uncertainty")), (vec![], vec![]));
    let less = halves.replace("0.5 1:0.5", "0.5 1:0.49").replace("uncertain 50", "uncertain 49");
    assert_eq!(found(&less, "weights"), [("skins[0].weights".into(), "the sum is 252".into())]);
    assert_eq!(found(&less, "group-uncertainty").len(), 1);
    assert_eq!(found("Vertex\n0 0 0 1 0:0.996\n", "weights").len(), 1);
}

#[test]
fn files_that_are_only_named() {
    let named = "Material a\nmap_Kd skin.png\n\nAssets\nskin.png\n";
    assert_eq!(found(named, "asset-png"), []);
    let rule = found(named, "texture-missing");
    assert_eq!(rule[0].1, "the texture \"skin.png\" is a separate file, or is missing");
    let model = read(named).unwrap();
    assert_eq!(model.textures().next().unwrap().data, None);
    assert_eq!(model.texture(m3d::MaterialId(0), m3d::PropertyId::DIFFUSE), None);
}

#[test]
fn extra_chunks_with_tags_of_the_format() {
    let first = "Extra VRTS\n00\n";
    assert_eq!(found(first, "chunk-twice"), []);
    let text = "an extra chunk has the tag VRTS, which belongs to a chunk of the format";
    assert_eq!(found(first, "tag-case"), [("extras[0].tag".into(), text.into())]);
    let mesh = found("Extra MESH\n00\n", "tag-case");
    assert_eq!(mesh[0].1, "an extra chunk has the tag MESH, which belongs to a chunk of the format");
    let second = found("Extra VRTS\n00\n\nVertex\n0 0 0 1\n", "chunk-twice");
    assert_eq!(second, [("extras[0].tag".into(), "found a second VRTS chunk".into())]);
}

#[test]
fn one_finding_for_one_fault() {
    let unnamed = "Material\nKd #ff000000\n\nMaterial\nKd #ff000000\n";
    assert_eq!((found(unnamed, "name").len(), found(unnamed, "material-names")), (1, vec![]));
    assert_eq!(found("Mesh\n-1 -1 -1\n", "degenerate"), []);
    let size = u32::MAX;
    let voxels = found(&format!("Voxel a\ndim {size} {size} {size}\nlayer\n-\n"), "block-voxels");
    // (2^32 - 1)^3
    assert!(voxels[0].1.contains("expected 79228162458924105385300197375 "), "{voxels:?}");
    let preview = Model { preview: Some(b"xxxxxxxxxxxxxxxxxxxxxxxx".to_vec()), ..Model::default() };
    let rules: Vec<_> = m3d::check(&preview).into_iter().map(|finding| finding.rule.id).collect();
    assert!(rules.contains(&"m3d.preview-png") && !rules.contains(&"m3d.preview-size"), "{rules:?}");
}

#[test]
fn what_only_the_same_variant_keeps() {
    let outside = |sections| read(sections).unwrap().layout.outside().collect::<Vec<_>>();
    let text = "Mesh  the front \n0 1 2\n\n1 0 2\n\nWeather rain\nheavy\n\nEnd\nmore\n";
    let wanted = [
        ("layout.text.comments[0]", "the comment \"the front\" at line 7"),
        ("layout.text.unknown[0]", "the unknown section \"1\" at line 10"),
        ("layout.text.unknown[1]", "the unknown section \"Weather\" at line 12"),
        ("layout.text", "the text after `End`"),
    ];
    assert_eq!(outside(text), wanted.map(|(path, what)| (path.to_owned(), what.to_owned())));
    assert_eq!(outside("Mesh\n0 1 2\n\nEnd\n\n"), []);
    // A preview without its content is a file of its own.
    let preview = [(
        "layout.text.previews[0]".to_owned(),
        "the reference to the preview file \"x.png\" at line 7".to_owned(),
    )];
    assert_eq!(outside("Preview\nx.png\n\nMesh\n0 1 2\n\nEnd\n"), preview);
    assert_eq!(outside("Preview\nx.png\n#00\n\nMesh\n0 1 2\n\nEnd\n"), []);
    let binary = m3d::from_slice(&testkit::fixture("m3d", "after-the-end.m3d")).unwrap();
    assert_eq!(binary.layout.outside().next().unwrap().0, "layout.trailing");
    let rule = found(text, "section-unknown");
    assert!(rule[0].1.starts_with("the section \"1\" at line 10 is unknown"), "{rule:?}");
}

#[test]
fn the_surplus_column_is_named() {
    let mut mesh = read("Vertex\n0 0 0 1\n\nMesh\n0//0 0//0 0//0\n").unwrap();
    mesh.meshes[0].normals.push(m3d::VertexId(0));
    assert_eq!(m3d::to_vec(&mesh).unwrap_err().path(), "meshes[0].normals");
}
