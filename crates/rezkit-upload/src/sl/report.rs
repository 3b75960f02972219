//! The report of the result, for people and for programs.

use crate::cost::LandImpact;
use rezkit_scene::{Finding, Loss};
use serde::Serialize;

use crate::rules::{remedy, remedy_without_fix};

/// The content and the cost of an upload.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The name of the model.
    pub name: String,
    /// The scale at which the object is used, relative to the file. The land impact is that of this size.
    pub scale: f32,
    /// The cost of all objects.
    pub land_impact: Cost,
    /// The objects.
    pub parts: Vec<ReportPart>,
    /// What was tried to reach the land impact, and its cost.
    pub curve: Vec<Tried>,
    /// The rules of the platform that are broken, with remedies.
    pub findings: Vec<ReportFinding>,
    /// The changes, omissions and filled-in values.
    pub losses: Vec<Loss>,
    /// The names of the animations that are among the files.
    pub animations: Vec<String>,
    /// The files beside this report.
    pub files: Vec<String>,
}

/// Levels or hulls that were tried.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Tried {
    /// `levels` or `hulls`.
    pub what: &'static str,
    /// How coarse they are.
    pub setting: String,
    /// The streaming cost of the levels, or the physics cost of the hulls.
    pub cost: f32,
}

/// Land impact in its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Cost {
    /// The streaming cost ("download").
    pub streaming: f32,
    /// The physics cost; `None` if only the simulator can compute it.
    pub physics: Option<f32>,
    /// The server cost.
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

    fn impact(&self) -> LandImpact {
        LandImpact { streaming: self.streaming, physics: self.physics, server: self.server }
    }

    /// The total: `6.100 (the viewer shows 6)`, or `at least 6.100` if the physics cost is unknown. What the viewer shows
    /// for less than 1 is not known: the server may round.
    pub(super) fn text(&self) -> String {
        let shown =
            self.physics.filter(|_| self.shown > 0).map(|_| format!(" (the viewer shows {})", self.shown));
        self.impact().total_text() + &shown.unwrap_or_default()
    }
}

/// `6.100 (the viewer shows 6): download 6.100, physics 4.500, server 1`.
impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.text(), self.impact())
    }
}

/// An object.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct ReportPart {
    /// Its name.
    pub name: String,
    /// Its size along x, y and z, z up, in metres; the mesh itself fills a cube of 1 m.
    pub size: [f64; 3],
    /// Its centre, in metres.
    pub position: [f64; 3],
    /// The levels, the finest first.
    pub levels: Vec<Level>,
    /// The number of meshes: one per eight materials.
    pub meshes: usize,
    /// The number of convex hulls for physics.
    pub hulls: usize,
    /// The number of corners of all hulls.
    pub hull_points: usize,
    /// The number of triangles of the mesh for physics.
    pub physics_triangles: usize,
    /// The number of joints of its skin.
    pub joints: usize,
    /// Its cost.
    pub land_impact: Cost,
}

/// A level of detail.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Level {
    /// The number of triangles.
    pub triangles: usize,
    /// The number of vertices.
    pub vertices: usize,
    /// The size in the asset, in bytes.
    pub bytes: u64,
    /// The distance in metres from which the viewer shows this level, at its default level of detail factor of 1; 0 for
    /// the finest level and for worn objects.
    pub from: f64,
}

/// A finding with its remedy.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ReportFinding {
    /// The violation.
    #[serde(flatten)]
    pub finding: Finding,
    /// The remedy.
    pub remedy: &'static str,
}

impl ReportFinding {
    /// The remedy offers `--fix`, unless it was given.
    pub(super) fn new(finding: Finding, is_fixed: bool) -> Self {
        let remedy = if is_fixed { remedy_without_fix(finding.rule) } else { remedy(finding.rule) };
        Self { finding, remedy: remedy.unwrap_or_default() }
    }
}
