//! What a viewer built on the SDK draws of every real model, and what our views give: the same triangles in the same
//! places with the same texture coordinates and textures, at rest and at three times of every action.
//!
//! At rest and at the times of frames the places are equal but for the rounding of floats. Between frames the SDK
//! normalises quaternions with an inverse square root that errs by 0.2 %, which adds up along a chain of bones.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use m3d::geom::Mat4;
use m3d::{AfterLast, Model, PropertyId, Variant};
use testkit::{Sample, corpus};

unsafe extern "C" {
    fn sdk_open(data: *const u8) -> *mut c_void;
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

/// x, y, z in metres, u, v downwards.
type Corner = [f64; 5];
/// The triangles of each material, in their order.
type Drawn = BTreeMap<String, Vec<[Corner; 3]>>;

/// How far apart places may be, in units of the bounding cube.
const AT_FRAMES: f64 = 1e-6;
const BETWEEN: f64 = 1e-2;

/// A model as the SDK has it. It stays open: the process ends soon.
struct Theirs(*mut c_void);

impl Theirs {
    fn open(bytes: &[u8]) -> Option<Self> {
        let padded = [bytes, &[0; 64]].concat().leak();
        // SAFETY: the SDK trusts its input, and these files are sound. It keeps a pointer to the bytes, which stay.
        let model = unsafe { sdk_open(padded.as_ptr()) };
        (!model.is_null()).then_some(Self(model))
    }

    fn faces(&self) -> u32 {
        // SAFETY: the model is the SDK's own.
        unsafe { sdk_faces(self.0) }
    }

    fn material(&self, face: u32) -> String {
        // SAFETY: there is such a face, and names end with a zero byte.
        let name = unsafe { CStr::from_ptr(sdk_material(self.0, face)) };
        name.to_string_lossy().into_owned()
    }

    fn drawn(&self, action: Option<u32>, time: u32) -> Drawn {
        let mut corners = vec![[0.0; 5]; self.faces() as usize * 3];
        let action = action.map_or(-1, u32::cast_signed);
        // SAFETY: there are five numbers for each corner of each face.
        unsafe { sdk_corners(self.0, action, time, corners.as_mut_ptr().cast()) };
        let mut drawn = Drawn::new();
        for (face, corners) in (0..).zip(corners.chunks_exact(3)) {
            let corner = |[x, y, z, u, v]: [f64; 5]| [x, y, z, u, 1.0 - v];
            drawn.entry(self.material(face)).or_default().push([0, 1, 2].map(|index| corner(corners[index])));
        }
        drawn
    }
}

/// The triangles of our groups, where matrices put them.
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

/// The greatest distance between two corners, in metres, and between two texture coordinates.
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

fn textures(model: &Model, theirs: &Theirs, what: &str) -> usize {
    let mut count = 0;
    let mut seen = std::collections::BTreeSet::new();
    for face in 0..theirs.faces() {
        let name = theirs.material(face);
        if !seen.insert(name.clone()) {
            continue;
        }
        let (mut width, mut height, mut pixels) = (0, 0, std::ptr::null());
        // SAFETY: there is such a face, and the three places are written.
        let channels = unsafe { sdk_texture(theirs.0, face, &mut width, &mut height, &mut pixels) };
        let ours = model.texture(model.material_id(&name), PropertyId::DIFFUSE);
        assert_eq!(ours.is_some(), channels != 0, "{what}: the texture of {name:?}");
        if let Some(png) = ours {
            let number = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
            assert_eq!((number(16), number(20)), (width, height), "{what}: the texture of {name:?}");
            count += 1;
        }
    }
    count
}

#[test]
fn every_real_model_is_drawn_as_the_sdk_draws_it() {
    let (mut models, mut triangles, mut poses, mut textured) = (0, 0, 0, 0);
    for Sample { name, bytes } in corpus("m3d") {
        if m3d::detect(&bytes) != Some(Variant::Binary) {
            continue;
        }
        let model = m3d::from_slice(&bytes).expect("a real model");
        let theirs = Theirs::open(&bytes).expect("the SDK reads it");
        let rest = theirs.drawn(None, 0);
        let (places, texels) = apart(&drawn(&model, None), &rest, &name);
        let scale = f64::from(model.scale_or_one());
        assert!(
            places <= AT_FRAMES * scale && texels <= AT_FRAMES,
            "{name}: at rest {places} of {scale}, {texels}"
        );
        textured += textures(&model, &theirs, &name);
        // SAFETY: the model is the SDK's own.
        let actions = unsafe { sdk_actions(theirs.0) };
        assert_eq!(actions as usize, model.actions.len(), "{name}: actions");
        for (action, index) in model.actions.iter().zip(0..) {
            // SAFETY: there is such an action.
            let duration = unsafe { sdk_duration(theirs.0, index) };
            for time in [0, duration / 3, duration / 2] {
                let pose = model.pose_with(action, time as f32, AfterLast::Wrap);
                let ours = drawn(&model, Some(&model.skinning_matrices(&pose)));
                let what = format!("{name}: {} at {time} ms", action.name);
                let (places, _) = apart(&ours, &theirs.drawn(Some(index), time), &what);
                let frame = action.frames.iter().any(|frame| frame.time == time);
                let allowed = if frame { AT_FRAMES } else { BETWEEN };
                println!(
                    "{what}: {:.1e} of its size{}",
                    places / scale,
                    if frame { ", a frame" } else { "" }
                );
                assert!(places <= allowed * scale, "{what}: {places} of {scale}");
                poses += 1;
            }
        }
        let count: usize = rest.values().map(Vec::len).sum();
        println!("{name}: {count} triangles, at rest {:.1e} of its size", places / scale);
        models += 1;
        triangles += count;
    }
    println!("{models} models, {triangles} triangles, {poses} poses, {textured} textures");
}
