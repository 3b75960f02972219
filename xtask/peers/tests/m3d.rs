//! Compares our views of every real model with the triangles that a viewer built on the SDK draws: the same triangles
//! at the same positions with the same texels, at rest and at three times of every action, for the model and for the
//! text that we write of it. Voxels must be the same squares with the same colours. The SDK has no code that evaluates
//! shapes.
//!
//! At rest and at the times of frames, positions are equal except for the rounding of floats. Between frames, the SDK
//! normalizes quaternions with an inverse square root whose error of 0.2 % adds up along a chain of bones.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use m3d::geom::Mat4;
use m3d::{AfterLast, Model, PropertyId, Variant, WriteOptions};
use testkit::{Sample, corpus};

unsafe extern "C" {
    fn sdk_open(data: *const u8) -> *mut c_void;
    fn sdk_open_voxels(data: *const u8) -> *mut c_void;
    fn sdk_color(model: *mut c_void, face: c_uint) -> c_uint;
    fn sdk_faces(model: *mut c_void) -> c_uint;
    fn sdk_actions(model: *mut c_void) -> c_uint;
    fn sdk_duration(model: *mut c_void, action: c_uint) -> c_uint;
    fn sdk_material(model: *mut c_void, face: c_uint) -> *const c_char;
    fn sdk_texture(
        model: *mut c_void,
        face: c_uint,
        width: *mut c_uint,
        height: *mut c_uint,
        pixels: *mut *const u8,
    ) -> c_uint;
    fn sdk_corners(model: *mut c_void, action: c_int, msec: c_uint, out: *mut f64);
}

/// x, y and z in metres, and u and v, with v downwards.
type Corner = [f64; 5];
/// The triangles of each material, in their order.
type Drawn = BTreeMap<String, Vec<[Corner; 3]>>;

/// The greatest distance between positions, in units of the bounding cube.
const AT_FRAMES: f64 = 1e-6;
const BETWEEN: f64 = 1e-2;
/// In a text, weights have three digits. We read them as multiples of 1/255, and the SDK without rounding.
const IN_TEXT: f64 = 5e-4;

/// A model that the SDK has read. It is never freed, since the process ends soon.
struct Theirs(*mut c_void);

impl Theirs {
    fn open(bytes: &[u8], voxels: bool) -> Option<Self> {
        let padded = [bytes, &[0; 64]].concat().leak();
        let open = if voxels { sdk_open_voxels } else { sdk_open };
        // SAFETY: the SDK trusts its input, and these files are valid. It keeps a pointer to the bytes, which are never
        // freed.
        let model = unsafe { open(padded.as_ptr()) };
        (!model.is_null()).then_some(Self(model))
    }

    fn faces(&self) -> u32 {
        // SAFETY: the pointer comes from the SDK.
        unsafe { sdk_faces(self.0) }
    }

    fn material(&self, face: u32) -> String {
        // SAFETY: the face exists, and names end with a zero byte.
        let name = unsafe { CStr::from_ptr(sdk_material(self.0, face)) };
        name.to_string_lossy().into_owned()
    }

    fn corners(&self, action: Option<u32>, time: u32) -> Vec<[Corner; 3]> {
        let mut corners = vec![[[0.0; 5]; 3]; self.faces() as usize];
        let action = action.map_or(-1, u32::cast_signed);
        // SAFETY: `corners` has space for five numbers for each corner of each face.
        unsafe { sdk_corners(self.0, action, time, corners.as_mut_ptr().cast()) };
        for corner in corners.iter_mut().flatten() {
            corner[4] = 1.0 - corner[4];
        }
        corners
    }

    fn drawn(&self, action: Option<u32>, time: u32) -> Drawn {
        let mut drawn = Drawn::new();
        for (face, corners) in (0..).zip(self.corners(action, time)) {
            drawn.entry(self.material(face)).or_default().push(corners);
        }
        drawn
    }
}

/// The triangles of our groups, moved by these matrices.
fn drawn(model: &Model, matrices: Option<&[Mat4]>) -> Drawn {
    let mut drawn = Drawn::new();
    for group in model.material_groups().expect("a real model is small") {
        let corner = |vertex: u32| {
            let index = vertex as usize;
            let rest = group.mesh.positions[index];
            let position = matrices
                .and_then(|matrices| model.skinned_position(group.vertices[index], matrices))
                .unwrap_or(rest);
            let [u, v] = group.mesh.uvs.get(index).map_or([0.0, 1.0], |uv| uv.to_array());
            let [x, y, z] = position.to_array();
            [x, y, z, u, v].map(f64::from)
        };
        let triangles = group.mesh.triangles.iter().map(|triangle| triangle.map(corner));
        drawn.entry(group.name.to_string()).or_default().extend(triangles);
    }
    drawn
}

/// The greatest distances between corners, in metres, and between texture coordinates.
fn apart(ours: &Drawn, theirs: &Drawn, what: &str) -> (f64, f64) {
    let counts =
        |drawn: &Drawn| drawn.iter().map(|(name, list)| (name.clone(), list.len())).collect::<Vec<_>>();
    assert_eq!(counts(ours), counts(theirs), "{what}: the triangles of each material");
    let (mut places, mut texels) = (0.0_f64, 0.0_f64);
    for (ours, theirs) in ours.values().flatten().flatten().zip(theirs.values().flatten().flatten()) {
        let difference = |index: usize| (ours[index] - theirs[index]).abs();
        places = (0..3).map(difference).fold(places, f64::max);
        texels = (3..5).map(difference).fold(texels, f64::max);
    }
    (places, texels)
}

/// An image with four channels.
struct Image {
    size: [usize; 2],
    pixels: Vec<[u8; 4]>,
}

impl Image {
    fn new(size: [u32; 2], channels: usize, bytes: &[u8]) -> Self {
        let pixel = |pixel: &[u8]| match *pixel {
            [grey] => [grey, grey, grey, 255],
            [grey, alpha] => [grey, grey, grey, alpha],
            [r, g, b] => [r, g, b, 255],
            [r, g, b, a] => [r, g, b, a],
            _ => unreachable!("one to four channels"),
        };
        let pixels = bytes.chunks_exact(channels).map(pixel).collect();
        Self { size: size.map(|side| side as usize), pixels }
    }

    fn decode(png: &[u8]) -> Self {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().expect("a PNG image");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a small image")];
        let info = reader.next_frame(&mut bytes).expect("pixels");
        Self::new([info.width, info.height], info.color_type.samples(), &bytes)
    }

    /// The texel at u, v, and the distance to the nearest border of a texel, in texels.
    fn at(&self, u: f64, v: f64) -> ([u8; 4], f64) {
        let place = |part: f64, size: usize| {
            let exact = part.rem_euclid(1.0) * size as f64;
            ((exact as usize).min(size - 1), (exact - exact.round()).abs())
        };
        let ((x, near_x), (y, near_y)) = (place(u, self.size[0]), place(v, self.size[1]));
        (self.pixels[y * self.size[0] + x], near_x.min(near_y))
    }
}

/// Compares the texels at each corner and in the middle of each triangle; returns their number. Each side decodes the
/// image with its own decoder.
fn texels(model: &Model, theirs: &Theirs, ours: &Drawn, drawn: &Drawn, what: &str) -> usize {
    let (mut count, mut seen) = (0, BTreeSet::new());
    for face in 0..theirs.faces() {
        let name = theirs.material(face);
        if !seen.insert(name.clone()) {
            continue;
        }
        let (mut width, mut height, mut pixels) = (0, 0, std::ptr::null());
        // SAFETY: the face exists, and the three pointers are valid.
        let channels = unsafe { sdk_texture(theirs.0, face, &mut width, &mut height, &mut pixels) } as usize;
        let png = model.texture(model.material_id(&name), PropertyId::DIFFUSE);
        assert_eq!(png.is_some(), channels != 0, "{what}: the texture of {name:?}");
        let Some(png) = png else { continue };
        let image = Image::decode(png);
        // SAFETY: the SDK has decoded this many pixels.
        let bytes =
            unsafe { std::slice::from_raw_parts(pixels, width as usize * height as usize * channels) };
        let theirs = Image::new([width, height], channels, bytes);
        assert!(
            (image.size, &image.pixels) == (theirs.size, &theirs.pixels),
            "{what}: the image of {name:?}"
        );
        for (ours, drawn) in ours[&name].iter().zip(&drawn[&name]) {
            let middle =
                |corners: &[Corner; 3], part: usize| corners.iter().map(|c| c[part]).sum::<f64>() / 3.0;
            let places = |corners: &[Corner; 3]| {
                let [a, b, c] = corners.map(|corner| [corner[3], corner[4]]);
                [a, b, c, [middle(corners, 3), middle(corners, 4)]]
            };
            for ([u, v], [their_u, their_v]) in places(ours).into_iter().zip(places(drawn)) {
                let (pixel, near) = image.at(u, v);
                // At the border of two texels, rounding decides.
                if near > 1e-3 {
                    assert_eq!(pixel, theirs.at(their_u, their_v).0, "{what}: {name:?} at {u}, {v}");
                    count += 1;
                }
            }
        }
    }
    count
}

/// The squares of voxels, as twice their middles in units of a voxel, with their colours.
fn squares(
    triangles: impl Iterator<Item = ([[f64; 3]; 3], [u8; 4])>,
    voxel: f64,
) -> Vec<([i64; 3], [u8; 4])> {
    // Each of the two triangles of a square has the bounding box of the square, however it is divided.
    let mut squares: Vec<_> = triangles
        .map(|(corners, color)| {
            let (low, high) = [0, 1, 2]
                .map(|axis| {
                    let along = corners.map(|corner| corner[axis] / voxel);
                    (along.into_iter().fold(f64::MAX, f64::min), along.into_iter().fold(f64::MIN, f64::max))
                })
                .into_iter()
                .unzip::<f64, f64, Vec<_>, Vec<_>>();
            ([0, 1, 2].map(|axis| (low[axis] + high[axis]).round() as i64), color)
        })
        .collect();
    squares.sort_unstable();
    squares
}

/// Compares the voxels; returns the number of their triangles.
fn voxels(model: &Model, bytes: &[u8], what: &str) -> usize {
    let theirs = Theirs::open(bytes, true).expect("the SDK reads it");
    // The triangles of polygons come first.
    let polygons = usize::try_from(model.triangle_count()).expect("a real model is small");
    let corners: Vec<_> = theirs.corners(None, 0).into_iter().skip(polygons).collect();
    let color = |face: usize| {
        // SAFETY: the face exists.
        let color = unsafe { sdk_color(theirs.0, face as u32) }.to_le_bytes();
        if color == [0; 4] { [255; 4] } else { color }
    };
    let voxel = f64::from(model.voxel_size());
    let drawn = corners
        .iter()
        .enumerate()
        .map(|(face, corners)| (corners.map(|[x, y, z, ..]| [x, y, z]), color(polygons + face)));
    let mesh = model.voxel_mesh().expect("a real model is small");
    let ours = mesh.triangles.iter().map(|triangle| {
        let corners = triangle.map(|index| mesh.positions[index as usize].to_array().map(f64::from));
        (corners, mesh.colors[triangle[0] as usize].to_array())
    });
    let ours = squares(ours, voxel);
    assert!(ours == squares(drawn, voxel), "{what}: voxels");
    ours.len()
}

/// The numbers of what was compared.
#[derive(Debug, Default)]
struct Compared {
    triangles: usize,
    texels: usize,
    poses: usize,
    voxels: usize,
}

/// Compares all triangles of a file, which is binary or a text that the SDK reads.
fn compare(bytes: &[u8], name: &str, compared: &mut Compared) {
    let model = m3d::from_slice(bytes).expect("a real model");
    let theirs = Theirs::open(bytes, false).expect("the SDK reads it");
    let (ours, rest) = (drawn(&model, None), theirs.drawn(None, 0));
    let (places, coordinates) = apart(&ours, &rest, name);
    let scale = f64::from(model.scale_or_one());
    assert!(
        places <= AT_FRAMES * scale && coordinates <= AT_FRAMES,
        "{name}: at rest {places} of {scale}, {coordinates}"
    );
    let binary = m3d::detect(bytes) == Some(Variant::Binary);
    if binary {
        // For a text, the SDK asks its caller for the images, and it reads voxels incorrectly.
        compared.texels += texels(&model, &theirs, &ours, &rest, name);
        compared.voxels += voxels(&model, bytes, name);
    }
    // SAFETY: the pointer comes from the SDK.
    let actions = unsafe { sdk_actions(theirs.0) };
    assert_eq!(actions as usize, model.actions.len(), "{name}: actions");
    for (action, index) in model.actions.iter().zip(0..) {
        // SAFETY: the action exists.
        let duration = unsafe { sdk_duration(theirs.0, index) };
        for time in [0, duration / 3, duration / 2] {
            let pose = model.pose_with(action, time as f32, AfterLast::Wrap);
            let ours = drawn(&model, Some(&model.skinning_matrices(&pose)));
            let what = format!("{name}: {} at {time} ms", action.name);
            let (places, _) = apart(&ours, &theirs.drawn(Some(index), time), &what);
            let frame = action.frames.iter().any(|frame| frame.time == time);
            let allowed = if !frame {
                BETWEEN
            } else if binary {
                AT_FRAMES
            } else {
                IN_TEXT
            };
            println!("{what}: {:.1e} of its size{}", places / scale, if frame { ", a frame" } else { "" });
            assert!(places <= allowed * scale, "{what}: {places} of {scale}");
            compared.poses += 1;
        }
    }
    let count: usize = rest.values().map(Vec::len).sum();
    println!("{name}: {count} triangles, at rest {:.1e} of its size", places / scale);
    compared.triangles += count;
}

#[test]
fn every_real_model_is_drawn_as_the_sdk_draws_it() {
    let (mut models, mut compared) = (0, Compared::default());
    for Sample { name, bytes } in corpus("m3d") {
        if m3d::detect(&bytes) != Some(Variant::Binary) {
            continue;
        }
        compare(&bytes, &name, &mut compared);
        models += 1;
    }
    println!("{models} models: {compared:?}");
}

#[test]
fn the_text_of_every_real_model_is_drawn_as_the_sdk_draws_it() {
    let (mut models, mut compared) = (0, Compared::default());
    for Sample { name, bytes } in corpus("m3d") {
        let model = m3d::from_slice(&bytes).expect("a real model");
        let text = match m3d::detect(&bytes) {
            Some(Variant::Ascii) => bytes,
            _ => WriteOptions::new()
                .variant(Variant::Ascii)
                .write(&model)
                .expect("the format has words for it"),
        };
        compare(&text, &format!("{name}, as text"), &mut compared);
        let again = m3d::from_slice(&text).expect("what was written");
        assert!(again.textures().eq(model.textures()), "{name}: the images in the text");
        assert_eq!(again.voxel_mesh().expect("small"), model.voxel_mesh().expect("small"), "{name}: voxels");
        assert_eq!(
            again.scene().expect("small").shapes,
            model.scene().expect("small").shapes,
            "{name}: shapes"
        );
        models += 1;
    }
    println!("{models} texts: {compared:?}");
}

/// Vertices with one to eight bones, with a missing bone, and without a skin: the SDK must read the text up to its end.
#[test]
fn the_sdk_reads_vertices_of_any_number_of_bones() {
    use m3d::geom::Vec4;
    use m3d::{Bone, BoneId, Skin, SkinId, VertexId};

    let mut model = Model::default();
    let mut skins: Vec<Skin> =
        (1..=8_u32).map(|count| Skin::new((0..count).map(|bone| (BoneId(bone), 31)))).collect();
    skins.push(Skin::rigid(BoneId(3)));
    skins.push(Skin::rigid(BoneId::NONE));
    skins.push(Skin::new([(BoneId::NONE, 128), (BoneId(1), 127)]));
    skins.push(Skin::new([(BoneId(1), 128), (BoneId::NONE, 127)]));
    let ids = (0..skins.len() as u32).map(SkinId).chain([SkinId::NONE, SkinId::QUATERNION, SkinId::NONE]);
    model.vertices.skins = ids.collect();
    let count = model.vertices.skins.len() as u32;
    model.vertices.coords = (0..count).map(|x| Vec4::new(x as f32 / 20.0, 0.5, 0.25, 1.0)).collect();
    let (position, orientation) = (VertexId(0), VertexId(count - 1));
    let bone =
        |place: u32| Bone { parent: BoneId::NONE, name: format!("b{place}").into(), position, orientation };
    model.bones = (0..8).map(bone).collect();
    model.skins = skins;
    for first in 0..count - 2 {
        model.meshes.resize_with(1, Default::default);
        let corners = [first, first + 1, first + 2].map(VertexId);
        model.meshes[0].add_polygons(m3d::Polygons { count: 1, sides: 3, parts: m3d::CornerParts(0) });
        model.meshes[0].vertices.extend(corners);
    }
    let text = m3d::to_string(&model).expect("rows have it");
    assert_eq!(m3d::from_str(&text).expect("what was written"), model);
    let theirs = Theirs::open(text.as_bytes(), false).expect("the SDK reads it");
    assert_eq!(theirs.faces(), count - 2, "{text}");
    for (face, corners) in theirs.corners(None, 0).into_iter().enumerate() {
        for (corner, [x, ..]) in corners.into_iter().enumerate() {
            assert!((x - (face + corner) as f64 / 20.0).abs() < 1e-6, "face {face}: {x}");
        }
    }
}
