//! Model 3D, compared with the SDK in C.

use std::rc::Rc;

use m3d::geom::{TriMesh, Vec2, Vec3};

use zlib_rs::InflateFlush;

use super::label;
use crate::measure::{Case, Goal};
use crate::sdk::Form;
use crate::{corpus, sdk};

pub fn cases(sizes: &[usize]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &size in sizes {
        let model = Rc::new(sheet(size));
        let raw = write(&model, Form::Raw);
        let zlib = write(&model, Form::Compressed);
        let text = write(&model, Form::Text);
        let copy = raw.clone();
        cases.push(
            read(format!("read raw, {}", label(size)), raw.clone())
                .yardstick("allocate and copy", move || copy.to_vec()),
        );
        cases.push(inflated(read(format!("read zlib, {}", label(size)), zlib.clone()), zlib, raw.len()));
        for (name, form) in [("raw", Form::Raw), ("zlib", Form::Compressed), ("ASCII", Form::Text)] {
            cases.push(save(format!("save {name}, {}", label(size)), &model, &raw, form));
        }
        let copy = text.clone();
        cases.push(read(format!("read ASCII, {}", label(size)), text));
        let only = m3d::ReadOptions::new().keep_source(false);
        cases.push(read_with(format!("read ASCII with keep_source(false), {}", label(size)), copy, only));
    }
    for (name, bytes) in corpus("m3d").into_iter().filter(|(_, bytes)| bytes.starts_with(b"3DMO")).take(3) {
        let case = read(format!("read {name}"), bytes.clone());
        // Only if the stream follows the header directly: a preview can precede it.
        cases.push(if bytes.get(8) == Some(&0x78) { inflated(case, bytes, 1 << 20) } else { case });
    }
    cases
}

/// Adds inflating alone as a yardstick, with memory that is already allocated.
fn inflated(case: Case, bytes: Vec<u8>, room: usize) -> Case {
    let mut room = vec![0; room];
    let mut inflate = zlib_rs::Inflate::new(true, 15);
    case.yardstick("inflate alone", move || {
        inflate.reset(true);
        inflate.decompress(&bytes[8..], &mut room, InflateFlush::Finish).expect("inflates")
    })
}

fn write(model: &m3d::Model, form: Form) -> Vec<u8> {
    match form {
        Form::Text => m3d::to_string(model).expect("writes").into_bytes(),
        _ => m3d::WriteOptions::new().raw(form == Form::Raw).write(model).expect("writes"),
    }
}

/// A case that reads a file. Zero bytes follow it for the SDK, which takes no length.
fn read(what: String, bytes: Vec<u8>) -> Case {
    read_with(what, bytes, m3d::ReadOptions::new())
}

fn read_with(what: String, bytes: Vec<u8>, options: m3d::ReadOptions) -> Case {
    let mut ended = bytes.clone();
    ended.extend([0; 64]);
    Case::new("m3d", what, bytes.len())
        .goal(Goal::TimesPeer(2.0))
        .ours(move || options.read(&bytes).expect("a model"))
        .peer("SDK in C", move || assert!(sdk::read(&ended), "a model"))
}

fn save(what: String, model: &Rc<m3d::Model>, raw_bytes: &[u8], form: Form) -> Case {
    let mut ended = raw_bytes.to_vec();
    ended.extend([0; 64]);
    let theirs = sdk::Model::open(&ended).expect("a model");
    let model = Rc::clone(model);
    let goal = if form == Form::Text { 2.0 } else { 5.0 };
    Case::new("m3d", what, raw_bytes.len())
        .goal(Goal::TimesPeer(goal))
        .ours(move || write(&model, form))
        .peer("SDK in C", move || {
            let _borrowed = &ended;
            assert!(theirs.save(form) > 0, "saved");
        })
}

/// A wavy sheet whose uncompressed file has about this size.
fn sheet(size: usize) -> m3d::Model {
    let side = ((size / 60) as f64).sqrt() as u32;
    let at = |x: u32, y: u32| (x as f32 / side as f32, y as f32 / side as f32);
    let places = || (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    let mesh = TriMesh {
        positions: places()
            .map(|(x, y)| {
                let (x, y) = at(x, y);
                Vec3::new(x * 2.0 - 1.0, (x * 12.0).sin() * (y * 9.0).cos() * 0.3, y * 2.0 - 1.0)
            })
            .collect(),
        normals: places()
            .map(|(x, y)| {
                let (x, y) = at(x, y);
                Vec3::new((x * 11.0).cos(), 1.0, (y * 7.0).sin()).normalize().unwrap_or_default()
            })
            .collect(),
        uvs: places().map(|(x, y)| at(x, y).into()).map(|(u, v): (f32, f32)| Vec2::new(u, v)).collect(),
        triangles: places()
            .filter(|&(x, y)| x + 1 < side && y + 1 < side)
            .flat_map(|(x, y)| {
                let v = y * side + x;
                [[v, v + side, v + 1], [v + 1, v + side, v + side + 1]]
            })
            .collect(),
        ..TriMesh::default()
    };
    m3d::Model::from_tri_mesh(&mesh).expect("a sheet is a mesh")
}
