//! The cases, with a file for each format.

mod edits;
mod llsd;
mod m3d;
mod places;
mod rbxbinary;
mod rbxmesh;
mod rbxxml;
mod rezstd;
mod slmesh;

use crate::measure::Case;

/// Makes the cases of a format, with generated inputs of about these sizes in bytes.
pub type Make = fn(&[usize]) -> Vec<Case>;

pub const ALL: &[(&str, Make)] = &[
    ("rbxmesh", rbxmesh::cases),
    ("rbxbinary", rbxbinary::cases),
    ("rbxxml", rbxxml::cases),
    ("m3d", m3d::cases),
    ("llsd", llsd::cases),
    ("slmesh", slmesh::cases),
    ("rezkit", places::cases),
    ("rezstd", rezstd::cases),
];

/// A size in bytes as part of a name.
fn label(bytes: usize) -> String {
    format!("{} MB", bytes >> 20)
}

/// A random number generator with the same numbers on every run.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Between −1 and 1.
    pub fn unit(&mut self) -> f32 {
        self.next() as f32 / (1_u64 << 30) as f32 - 1.0
    }
}
