//! Pixels of image files that Pillow 13.0 wrote, compared with those that it reads.

use base64::Engine as _;
use rezkit::scene::images::{self, Picture};

/// The six pixels of two of the files, as red, green, blue and alpha.
const SIX: &[u32] = &[0xff00_00ff, 0x00ff_00ff, 0x0000_ffff, 0x0a14_1eff, 0xc864_32ff, 0x0708_09ff];

/// The names and the files.
const FILES: &str = "rgb: iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAHUlEQVR4nGP4z8DA8J+BgYHhP5eIHMOJFCN2Dk4AOIgEsJxdpzMAAAAASUVORK5CYII=
rgba: iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAGklEQVR4nGP4z8Dwn+E/QwMDA8N/Bi4ROQcANsEE+dC/jCwAAAAASUVORK5CYII=
one bit: iVBORw0KGgoAAAANSUhEUgAAAAIAAAADAQAAAACRkeMsAAAADklEQVR4nGNwYGBgaAAAAcYAwV3sINMAAAAASUVORK5CYII=
palette with a transparent colour: iVBORw0KGgoAAAANSUhEUgAAAAIAAAADAgMAAADEhDYSAAAADFBMVEVkshkKFB4HCAmAAIDEL/MOAAAAAnRSTlP/AOW3MEoAAAAOSURBVHicYzjAJMCgAAAEHgDzMm1z+QAAAABJRU5ErkJggg==
grey of 16 bits: iVBORw0KGgoAAAANSUhEUgAAAAMAAAACEAAAAADoj+WFAAAAFklEQVR4nGNkYGBoYGBkaGD4//9/PQARmgR/9gz61QAAAABJRU5ErkJggg==
grey and alpha: iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAQAAADYv8WvAAAAEklEQVR4nGP0+e/VyCjL8NUBABJnA2uFvDTwAAAAAElFTkSuQmCC
gif: R0lGODdhAgADAIIAAAD/AMhkMgoUHgcICf8AAAAA/wAAAAAAACwAAAAAAgADAAAICQAJACggIMCAgAA7
progressive: /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wgARCAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAVAQEBAAAAAAAAAAAAAAAAAAAGB//aAAwDAQACEAMQAAABiA9I/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABBQJ//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPwF//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPwF//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAGPwJ//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPyF//9oADAMBAAIAAwAAABDz/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPxB//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPxB//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxB//9k=
cmyk: /9j/7gAOQWRvYmUAZAAAAAAA/9sAQwACAQEBAQECAQEBAgICAgIEAwICAgIFBAQDBAYFBgYGBQYGBgcJCAYHCQcGBggLCAkKCgoKCgYICwwLCgwJCgoK/8AAFAgACAAIBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4EQwBNAFkASwAAPwD9IK8Pr8x6/fyv/9k=
webp lossy: UklGRj4AAABXRUJQVlA4IDIAAADQAQCdASoIAAgAAMASJaACdLoB+AADsAD+2ib/7vN+09e09f1M//jKnyA/4yp/xcwAAA==
webp alpha: UklGRh4AAABXRUJQVlA4TBEAAAAvB8ABEAdQsiJXpmSBiOh/AAA=";

/// The name, the width and the pixels. Values of 16 bits are rounded to 8 bits.
const EXACT: &[(&str, u32, &[u32])] = &[
    ("rgb", 2, SIX),
    ("rgba", 2, &[0xff00_00ff, 0x00ff_0080, 0x0000_ff00, 0x0a14_1e40]),
    ("one bit", 2, &[0x0000_00ff, 0xffff_ffff, 0x0000_00ff, 0x0000_00ff, 0xffff_ffff, 0x0000_00ff]),
    (
        "palette with a transparent colour",
        2,
        &[0x8000_80ff, 0x64b2_19ff, 0x8000_80ff, 0x0a14_1e00, 0x64b2_19ff, 0x0708_09ff],
    ),
    ("grey of 16 bits", 3, &[0x0000_00ff, 0x0000_00ff, 0x0101_01ff, 0x8080_80ff, 0xffff_ffff, 0xffff_ffff]),
    ("grey and alpha", 2, &[0x4c4c_4cff, 0x9696_9680, 0x1d1d_1d00, 0x1212_1240]),
    ("gif", 2, SIX),
];

/// The name, and the colour of all 8 x 8 pixels.
const OF_ONE_COLOR: &[(&str, [u8; 4])] = &[
    ("progressive", [200, 100, 50, 255]),
    ("cmyk", [200, 100, 50, 255]),
    ("webp lossy", [201, 100, 50, 255]),
    ("webp alpha", [200, 100, 50, 100]),
];

fn file(name: &str) -> Vec<u8> {
    let line = FILES.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).expect(name);
    base64::engine::general_purpose::STANDARD.decode(line).expect("base64")
}

#[test]
fn every_kind_of_pixels_is_read() {
    for &(name, width, pixels) in EXACT {
        let file = file(name);
        let picture = images::decode(&file, 1 << 20).expect(name);
        let found: Vec<_> = picture.pixels().iter().copied().map(u32::from_be_bytes).collect();
        assert_eq!((picture.width(), &*found), (width, pixels), "{name}");
        assert_eq!(images::size(&file), Some(picture.size()), "{name}");
        let again = images::decode(&images::png(&picture).expect(name), 1 << 20).expect(name);
        assert_eq!(again, picture, "{name}");
        for end in 0..file.len() {
            let _whatever = images::decode(&file[..end], 1 << 20);
        }
    }
    for &(name, color) in OF_ONE_COLOR {
        let file = file(name);
        let picture = images::decode(&file, 1 << 20).expect(name);
        assert_eq!((images::size(&file), picture.size()), (Some((8, 8)), (8, 8)), "{name}");
        let is_near = |pixel: &[u8; 4]| pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 1);
        assert!(picture.pixels().iter().all(is_near), "{name}: {:?}", picture.pixels()[0]);
        for end in 0..file.len() {
            if let Err(error) = images::decode(&file[..end], 1 << 20) {
                let text = error.to_string();
                assert!(!text.contains("\\n") && text.trim() == text, "{name}: {text:?}");
            }
        }
        // 64 pixels, with 16 bytes each while they are decoded.
        assert!(images::decode(&file, 1023).is_err(), "{name}");
    }
}

/// Images that are combined count with all their pixels, and so does the result, which has the width of one and the
/// height of the other.
#[test]
fn combined_images_count() {
    let png = |width, height| images::png(&Picture::new(width, height, [9; 4])).expect("a PNG");
    let (wide, high) = (png(8000, 1), png(1, 8000));
    let kind = |max_bytes| {
        let budget = &mut rezkit::Budget::new(max_bytes);
        images::packed(Some(&wide), Some(&high), budget).expect_err("64 million pixels").kind()
    };
    assert_eq!(kind(1 << 20), rezkit::ErrorKind::Limit);
    let budget = &mut rezkit::Budget::new(1 << 40);
    images::work(&[&wide, &high], 400_000_000, budget).expect("the first time");
    assert_eq!(kind(0), rezkit::ErrorKind::Limit);
    let error = images::work(&[&wide, &high], 400_000_000, budget).expect_err("the second time");
    assert_eq!(error.kind(), rezkit::ErrorKind::Effort);
}

/// Materials with the same maps share the combined image.
#[test]
fn equal_pairs_of_maps_are_combined_once() {
    let model = "3dmodel 1\nn\n\n\n\n\nMaterial a\nmap_Pr r\n\nMaterial b\nmap_Pr r\n\n\
                 Material c\nmap_Pr r\nmap_Pm r\n\nEnd\n";
    let png = images::png(&Picture::new(1, 1, [9; 4])).expect("a PNG");
    let files =
        |reference: &rezkit::Reference, _: u64| Ok((reference.to_string() == "r.png").then(|| png.clone()));
    let mut opened = rezkit::open(model.as_bytes().to_vec(), "a.a3d", files).expect("a model");
    let (scene, losses) = opened.scene(&rezkit::SceneOptions::default()).expect("a scene");
    let texture = |at: usize| scene.materials[at].metallic_roughness_texture.map(|texture| texture.image);
    assert_eq!(losses, []);
    assert!(texture(0).is_some() && texture(0) == texture(1) && texture(1) != texture(2));
    assert_eq!(scene.images.len(), 3);
}

/// A GIF's frame can be smaller than its screen: this frame is the middle of three pixels.
#[test]
fn the_rest_of_a_gif_is_seen_through() {
    let mut file = Vec::new();
    let mut encoder = gif::Encoder::new(&mut file, 3, 1, &[9, 8, 7, 0, 0, 0]).expect("in memory");
    let frame = gif::Frame { left: 1, width: 1, height: 1, buffer: vec![0].into(), ..gif::Frame::default() };
    encoder.write_frame(&frame).expect("in memory");
    drop(encoder);
    let picture = images::decode(&file, 1 << 20).expect("a GIF");
    assert_eq!(picture.pixels(), [[0; 4], [9, 8, 7, 255], [0; 4]]);
}

/// The same as Pillow's BILINEAR, within 1 of 255.
#[test]
fn pictures_are_made_smaller_and_larger() {
    // Red, green and blue.
    let pixels = [
        0x00_ff00, 0x0a_f505, 0x14_eb0a, 0x1e_e10f, 0x28_d714, 0x32_cd19, 0x3c_c31e, 0x46_b923, 0x50_af28,
        0x5a_a52d, 0x64_9b32, 0x6e_9137, 0x78_873c, 0xc8_3764, 0x8c_7346, 0xff_007f, 0x00_ff00, 0xff_007f,
        0x00_ff00, 0xff_007f,
    ];
    let opaque = |color: u32| {
        let [_, r, g, b] = color.to_be_bytes();
        [r, g, b, 255]
    };
    let picture = Picture::from_pixels(5, 4, pixels.map(opaque).to_vec()).expect("20 pixels");
    let expected: [(u32, u32, &[u32]); 3] = [
        (2, 2, &[0x2e_d117, 0x46_b923, 0x75_8a3a, 0x8b_7445]),
        (3, 1, &[0x4d_b227, 0x5e_a12f, 0x6f_9038]),
        (
            7,
            5,
            &[
                0x00_ff00, 0x06_f903, 0x0d_f206, 0x14_eb0a, 0x1b_e40e, 0x22_dd11, 0x28_d714, 0x23_dc12,
                0x29_d615, 0x30_cf18, 0x37_c81c, 0x3e_c120, 0x45_ba23, 0x4b_b426, 0x4b_b426, 0x51_ae29,
                0x58_a72c, 0x5f_a030, 0x7f_8040, 0x81_7e41, 0x73_8c3a, 0x92_6d49, 0x6b_9435, 0x65_9a32,
                0xa0_5f50, 0x92_6d49, 0x9b_644d, 0xae_5157, 0xff_007f, 0x6d_9236, 0x49_b624, 0xff_007f,
                0x49_b624, 0x6d_9236, 0xff_007f,
            ],
        ),
    ];
    for (width, height, pixels) in expected {
        let smaller = picture.resized(width, height);
        assert_eq!((smaller.size(), smaller.pixels().len()), ((width, height), pixels.len()));
        for (found, expected) in smaller.pixels().iter().zip(pixels) {
            let expected = opaque(*expected);
            assert!(found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 1), "{found:?}, {expected:?}");
        }
    }
    // The colour of transparent pixels does not count: half red and half transparent is red at half opacity.
    let half = Picture::from_pixels(2, 1, vec![[255, 0, 0, 255], [0, 255, 0, 0]]).expect("two pixels");
    assert_eq!(half.resized(1, 1).pixels(), [[255, 0, 0, 128]]);
}

/// An image that has the name of a file keeps the name, unless its content has another format.
#[test]
fn extracted_images_have_one_extension() {
    let obj = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n";
    let picture = images::png(&Picture::new(1, 1, [1, 2, 3, 255])).expect("a PNG");
    for (name, extracted) in [("red.png", "red.png"), ("red.jpg", "red.jpg.png"), ("red", "red.png")] {
        let beside = |reference: &rezkit::Reference, _: u64| match reference.to_string().as_str() {
            "a.mtl" => Ok(Some(format!("newmtl a\nmap_Kd {name}\n").into_bytes())),
            file if file == name => Ok(Some(picture.clone())),
            _ => Ok(None),
        };
        let opened = rezkit::ReadOptions::new().open(obj.to_vec(), "a.obj", beside).expect("an OBJ file");
        let files = opened.extract(&rezkit::ExtractOptions::default()).expect("extracted").files;
        assert_eq!(files.iter().map(rezkit::File::path).collect::<Vec<_>>(), [extracted]);
    }
}

/// A map's file is copied only if its first bytes are those of an image, whatever its name is.
#[test]
fn only_images_are_taken_along() {
    let obj = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n";
    let secret = b"SECRET=hunter2\n";
    let picture = images::png(&Picture::new(1, 1, [1, 2, 3, 255])).expect("a PNG");
    let gif = file("gif");
    for name in [".env", "id_rsa", "key.png", "key.jpg", "sub/key.webp"] {
        for (content, extension) in [(&secret[..], None), (&picture, Some("png")), (&gif, Some("gif"))] {
            let library = format!("newmtl a\nmap_Kd {name}\n");
            let beside = |reference: &rezkit::Reference, _: u64| match reference {
                rezkit::Reference::Beside(file) if file == "a.mtl" => Ok(Some(library.clone().into_bytes())),
                rezkit::Reference::Beside(file) if file == name => Ok(Some(content.to_vec())),
                _ => Ok(None),
            };
            for form in ["obj", "glb", "gltf", "m3d", "ply"] {
                let options = rezkit::ConvertOptions::new().allow_loss(true);
                let mut opened = rezkit::open(obj.to_vec(), "a.obj", beside).expect("an OBJ file");
                let output = opened.convert(Some(form), &format!("out.{form}"), &options).expect("written");
                let what = format!("{name} {extension:?} {form}: {:?}", output.losses);
                let files = || output.files.iter().map(|file| (file.path(), &file.bytes));
                assert!(files().all(|(_, bytes)| !bytes.windows(7).any(|part| part == b"hunter2")), "{what}");
                let with = |text: &str| {
                    crate::texts(&output.losses).iter().filter(|loss| loss.contains(text)).count()
                };
                match (extension, form) {
                    (None, "ply") => assert_eq!(with("materials"), 1, "{what}"),
                    (None, _) => assert_eq!(with("is missing, or is not PNG"), 1, "{what}"),
                    (Some(extension), "obj") => {
                        let name = format!("out_0.{extension}");
                        assert!(files().any(|(path, bytes)| path == name && bytes == content), "{what}");
                    }
                    _ => {}
                }
            }
        }
    }
}

/// An image of a library's scene may contain any bytes.
#[test]
fn writers_leave_out_what_is_no_image() {
    use rezkit::scene::{Image, ImageData, Material, Scene, Texture};
    let mut scene = Scene::default();
    let data = ImageData::Bytes(b"SECRET=hunter2\n".to_vec());
    scene.images.push(Image { name: "a.png".into(), data });
    scene.materials.push(Material { base_texture: Some(Texture::new(0)), ..Material::default() });
    let obj = rezkit::scene::obj::to_obj(&scene, "a", &mut rezkit::Budget::new(1 << 20)).expect("written");
    assert!(obj.images.is_empty() && !obj.mtl.expect("a library").contains("map_Kd"));
    crate::has(&obj.losses, "images[0]: an image that is not PNG, JPEG, WebP or GIF");
}

const SPHERE: &[u8] = include_bytes!("images/sphere.j2c");
const RGBA: &[u8] = include_bytes!("images/rgba.jp2");
const GREY: &[u8] = include_bytes!("images/grey.j2c");

/// OpenJPEG made these files without loss, from formulas.
#[test]
fn jpeg_2000_is_decoded() {
    let pixels = |bytes: &[u8]| images::decode(bytes, 1 << 20).expect("an image");
    let (rgba, grey) = (pixels(RGBA), pixels(GREY));
    assert_eq!((images::size(RGBA), rgba.size(), grey.size()), (Some((10, 6)), (10, 6), (10, 6)));
    for (x, y) in (0..10_u8).flat_map(|x| (0..6_u8).map(move |y| (x, y))) {
        let [at, below] = [x, y].map(u32::from);
        assert_eq!(rgba.pixel(at, below), [x * 20, y * 40, x * y, 255 - x * 5]);
        assert_eq!(grey.pixel(at, below), [x * 20, x * 20, x * 20, 255]);
    }
    assert_eq!(images::decode(SPHERE, 100_000).expect_err("too large").kind(), rezkit::ErrorKind::Limit);
}

/// The decoder itself would take gigabytes for many tiles, or for small blocks of coefficients.
#[test]
fn jpeg_2000_stays_within_its_memory() {
    let mut tiles = SPHERE.to_vec();
    tiles[24..32].copy_from_slice(&[0, 0, 0, 1, 0, 0, 0, 1]);
    let error = images::decode(&tiles, 1 << 24).expect_err("refused");
    assert!(error.to_string().contains("too many tiles: 4096"), "{error}");
    let at = SPHERE.windows(2).position(|marker| marker == [0xff, 0x52]).expect("a style");
    let levels = usize::from(SPHERE[at + 9]);
    // Precincts of two coefficients in each direction.
    let mut small = SPHERE.to_vec();
    small[at + 3] += 1 + SPHERE[at + 9];
    small[at + 4] |= 1;
    small.splice(at + 14..at + 14, vec![0x11; 1 + levels]);
    let needs = |bytes: &[u8]| (0..).find(|step| images::decode(bytes, 1 << (16 + step)).is_ok());
    assert!(needs(SPHERE).expect("an image") < needs(&small).expect("an image"));
    let mut rng = testkit::Rng(7);
    for seed in [SPHERE, RGBA, GREY, &small] {
        for _ in 0..150 {
            let damaged = testkit::mutate(seed, &mut rng);
            let taken = testkit::measure(|| _ = images::decode(&damaged, 1 << 22)).bytes_max;
            assert!(taken <= (1 << 22) + (1 << 20), "{taken} bytes for {damaged:02x?}");
        }
    }
}

/// An image that is larger than asked for is reduced, and listed once.
#[test]
fn reduced_images_are_listed() {
    let png = images::png(&Picture::new(64, 16, [9, 9, 9, 255])).expect("a PNG");
    let floats: Vec<u8> = [0.0_f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 1.]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let (bytes, image) = (crate::xml::base64(&floats), crate::xml::base64(&png));
    let gltf = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"TEXCOORD_0":1}},"material":0}}]}}],
        "materials":[{{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}},"metallicRoughnessTexture":{{"index":0}}}}}}],
        "textures":[{{"source":0}}],"images":[{{"uri":"data:image/png;base64,{image}"}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}},
        {{"bufferView":1,"componentType":5126,"count":3,"type":"VEC2"}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteOffset":36,"byteLength":24}}],
        "buffers":[{{"byteLength":60,"uri":"data:application/octet-stream;base64,{bytes}"}}]}}"#
    );
    let folder = crate::run::Folder::new(&[("a.gltf", gltf.as_bytes())]);
    let ran = folder.run("convert a.gltf a.rbxm --assets out --max-texture 32 -v");
    assert_eq!((ran.status, ran.err.matches("roblox.texture-size").count()), (Some(0), 1), "{ran:?}");
    let sizes: Vec<_> = std::fs::read_dir(folder.path("out"))
        .expect("the images")
        .filter_map(|file| images::size(&std::fs::read(file.expect("a file").path()).expect("read")))
        .collect();
    assert!(!sizes.is_empty() && sizes.iter().all(|size| *size == (32, 8)), "{sizes:?}");
}
