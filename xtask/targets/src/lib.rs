//! What must be true of any bytes: a function per reader, per round trip and per model. They panic where
//! it is not.

mod geometry;
pub mod kit;
pub mod llsd;
pub mod m3d;
mod model;
mod pictures;
pub mod rbxbinary;
mod rbxblobs;
pub mod rbxmesh;
pub mod rbxxml;
pub mod rezstd;
mod scene;
pub mod slmesh;
mod upload;

use rezkit::{Grade, ReadOptions};

pub use {model::EDIT, slmesh::block_seeds, slmesh::motion_seeds};

/// A function that is fed with bytes.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name: crate, then what it does.
    pub name: &'static str,
    /// The crate, whose fixtures are the seeds.
    pub seeds: &'static str,
    /// Panics where something that must be true is not.
    pub run: fn(&[u8]),
}

pub const TARGETS: &[Target] = &[
    Target { name: "geom", seeds: "geom", run: geometry::geom },
    Target {
        name: "kit_unwrap",
        seeds: "kit",
        run: |data| kit::named(data, &kit::PLAIN, &["unwrap", "info", "check"]),
    },
    Target {
        name: "kit_files",
        seeds: "kit",
        run: |data| kit::named(data, &kit::PLAIN, &["tree", "diff", "extract", "scripts"]),
    },
    Target {
        name: "kit_foreign",
        seeds: "kit",
        run: |data| kit::named(data, &kit::FOREIGN, &["info", "check", "tree", "diff", "write", "scene"]),
    },
    Target {
        name: "kit_scene",
        seeds: "kit",
        run: |data| kit::named(data, &kit::FOREIGN, &["scene", "convert"]),
    },
    Target {
        name: "kit_render",
        seeds: "kit",
        run: |data| kit::named(data, &kit::FOREIGN, &["render", "render lines"]),
    },
    Target { name: "kit_edit", seeds: "kit", run: |data| kit::named(data, &kit::PLAIN, &["assets", "edit"]) },
    Target { name: "kit_luau", seeds: "kit", run: kit::luau },
    Target { name: "kit_project", seeds: "kit", run: kit::project },
    Target { name: "llsd_read", seeds: "llsd", run: llsd::read },
    Target { name: "llsd_roundtrip", seeds: "llsd", run: |data| round_trip(data, "llsd", &["binary"]) },
    Target { name: "llsd_notation", seeds: "llsd", run: llsd::notation },
    Target { name: "llsd_differential", seeds: "llsd", run: llsd::differential },
    Target { name: "m3d_read", seeds: "m3d", run: m3d::read },
    Target { name: "m3d_roundtrip", seeds: "m3d", run: |data| round_trip(data, "m3d", &[]) },
    Target { name: "m3d_ascii", seeds: "m3d", run: m3d::ascii },
    Target { name: "m3d_model", seeds: "m3d", run: m3d::model },
    Target { name: "m3d_differential", seeds: "m3d", run: m3d::differential },
    Target { name: "rbxbinary_read", seeds: "rbxbinary", run: rbxbinary::read },
    Target {
        name: "rbxbinary_roundtrip",
        seeds: "rbxbinary",
        run: |data| round_trip(data, "rbxbinary", &[""]),
    },
    Target { name: "rbxbinary_kept", seeds: "rbxbinary", run: rbxbinary::kept },
    Target { name: "rbxbinary_model", seeds: "rbxbinary", run: rbxbinary::model },
    Target { name: "rbxbinary_differential", seeds: "rbxbinary", run: rbxbinary::differential },
    Target { name: "rbxblobs_properties", seeds: "rbxblobs", run: rbxblobs::properties },
    Target { name: "rbxblobs_terrain", seeds: "rbxblobs", run: rbxblobs::terrain },
    Target { name: "rbxblobs_collision", seeds: "rbxblobs", run: rbxblobs::collision },
    Target { name: "rbxblobs_mesh", seeds: "rbxblobs", run: rbxblobs::mesh },
    Target { name: "rbxmesh_read", seeds: "rbxmesh", run: rbxmesh::read },
    Target {
        name: "rbxmesh_roundtrip",
        seeds: "rbxmesh",
        run: |data| round_trip(data, "rbxmesh", &["2.", "3.", "4.", "5.", "6.", "7."]),
    },
    Target { name: "rbxmesh_model", seeds: "rbxmesh", run: rbxmesh::model },
    Target { name: "rbxmesh_differential", seeds: "rbxmesh", run: rbxmesh::differential },
    Target { name: "rbxxml_read", seeds: "rbxxml", run: rbxxml::read },
    Target { name: "rbxxml_roundtrip", seeds: "rbxxml", run: |data| round_trip(data, "rbxxml", &[""]) },
    Target { name: "rbxxml_model", seeds: "rbxxml", run: rbxxml::model },
    Target { name: "rbxxml_differential", seeds: "rbxxml", run: rbxxml::differential },
    Target { name: "rezstd_read", seeds: "rezstd", run: rezstd::read },
    Target { name: "rezstd_roundtrip", seeds: "rezstd", run: rezstd::round_trip },
    Target { name: "scene_model", seeds: "scene", run: scene::model },
    Target { name: "slmesh_read", seeds: "slmesh", run: slmesh::read },
    Target { name: "slmesh_roundtrip", seeds: "slmesh", run: |data| round_trip(data, "slmesh", &[""]) },
    Target { name: "slmesh_blocks", seeds: "slmesh", run: slmesh::blocks },
    Target { name: "slmesh_model", seeds: "slmesh", run: slmesh::model },
    Target { name: "slmesh_differential", seeds: "slmesh", run: slmesh::differential },
    Target { name: "slmesh_motion", seeds: "slmesh", run: slmesh::motion },
    Target { name: "upload_levels", seeds: "scene", run: upload::levels },
    Target { name: "upload_hulls", seeds: "scene", run: upload::shapes },
];

/// Runs a target.
///
/// # Panics
/// Where the target finds something, and where there is no such target.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of the table");
    (target.run)(data);
}

/// What a read may take: less than what the fuzzer allows the process.
const MAX_BYTES: u64 = 64 << 20;

fn limits() -> ReadOptions {
    ReadOptions::new().max_bytes(MAX_BYTES)
}

/// What is read is written, and what was written reads as an equal model, by value and bits. The same
/// bytes come back (after decompression, in compressed containers) where the version begins with one of
/// `exact`: there the format promises it.
fn round_trip(data: &[u8], format: &str, exact: &[&str]) {
    let report = rezkit::roundtrip_with(data, &limits());
    if report.format.is_none_or(|found| found != format) {
        return;
    }
    match report.grade {
        Grade::Exact => {}
        Grade::Model => {
            let version = report.version.unwrap_or_default();
            let promised = exact.iter().any(|prefix| version.starts_with(prefix));
            assert!(!promised, "other bytes came back");
        }
        // Refusing to read is no failure.
        _ => assert!(
            limits().read(data).is_err(),
            "{}",
            report.error.map_or_else(String::new, |error| error.to_string())
        ),
    }
}

/// What rezkit does with any asset.
fn examine(data: &[u8]) {
    if let Ok(asset) = limits().read(data) {
        let _findings = asset.check();
        let _facts = asset.describe();
        let _text = format!("{asset:?}");
    }
}
