//! What was made, for people and for programs.

use rezkit_scene::{Finding, Loss};
use serde::Serialize;
use slmesh::LandImpact;

use crate::rules::remedy;

/// What an upload has and costs.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The name of the model.
    pub name: String,
    /// How many times as large as in the file the object is used: land impact is of that size.
    pub scale: f32,
    /// What all objects cost.
    pub land_impact: Cost,
    /// The objects.
    pub parts: Vec<Part>,
    /// The rules of the platform that are broken, with what helps.
    pub findings: Vec<Advice>,
    /// What was changed, left out, or filled in.
    pub losses: Vec<Loss>,
    /// The joints and animations.
    pub animations: Vec<String>,
    /// The files beside this report.
    pub files: Vec<String>,
}

/// Land impact in its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Cost {
    /// What it costs to stream ("download").
    pub streaming: f32,
    /// What it costs to simulate; `None` if only the simulator can compute it.
    pub physics: Option<f32>,
    /// What it costs to keep.
    pub server: f32,
    /// The greatest of the three, as far as they are known.
    pub total: f32,
    /// The total as the viewer shows it.
    pub shown: u32,
}

impl Cost {
    pub(super) fn new(impact: LandImpact) -> Self {
        Self {
            streaming: impact.streaming,
            physics: impact.physics,
            server: impact.server,
            total: impact.total(),
            shown: impact.shown(),
        }
    }
}

/// `6 (6.100): download 6.100, physics 4.500, server 1`.
impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let &Self { streaming, physics, server, total, shown } = self;
        write!(f, "{shown} ({total:.3}): {}", LandImpact { streaming, physics, server })
    }
}

/// An object.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its size along x, y and z, z up, in metres; the mesh itself fills a cube of 1 m.
    pub size: [f64; 3],
    /// Its centre, in metres.
    pub position: [f64; 3],
    /// The levels, the finest first.
    pub levels: Vec<Level>,
    /// How many meshes it is: one for each eight materials.
    pub meshes: usize,
    /// The convex hulls for physics.
    pub hulls: usize,
    /// The corners of all hulls.
    pub hull_points: usize,
    /// The triangles of the mesh for physics.
    pub physics_triangles: usize,
    /// Joints that its skin has.
    pub joints: usize,
    /// What it costs.
    pub land_impact: Cost,
}

/// A level of detail.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Level {
    /// Its triangles.
    pub triangles: usize,
    /// Its vertices.
    pub vertices: usize,
    /// Its bytes in the asset.
    pub bytes: u64,
}

/// A finding with what helps.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// What was found.
    #[serde(flatten)]
    pub finding: Finding,
    /// What to do.
    pub remedy: &'static str,
}

impl Advice {
    pub(super) fn new(finding: Finding) -> Self {
        let remedy = remedy(&finding.rule);
        Self { finding, remedy }
    }
}
