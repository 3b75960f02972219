//! Second Life meshes: assets, the viewer's `.slm` files, and keyframe motions.

mod material;

pub(super) use material::MATERIAL;

use std::collections::HashSet;

use ::slmesh::motion::{self, HAND_POSES, Motion};
use ::slmesh::{Asset as Mesh, Instance, Kind as Form, Lod, Slm, Submesh};

use super::generic;
use crate::exact::MOTION;
use crate::fact::Fact;
use crate::file_type::same_type;
use crate::file_type::{self, Asset, FileType, Has, equal, no_form, read_model};
use crate::options::{ExtractOptions, ReadOptions, WriteOptions};
use crate::tree::Node;
use rezkit_core::{Budget, Error, File, Files, Finding, Loss, Result};

/// Mesh assets.
pub(super) const LLMESH: FileType = FileType {
    extensions: &["llmesh"],
    forms: &["asset"],
    becomes: &["slm"],
    writer: Some(&rezkit_scene::slmesh::LLMESH),
    has: Has { levels: Some(4), hulls: true, inner_llsd: true, ..Has::NONE },
    ..FileType::exact(
        ["llmesh", "slmesh", "Second Life mesh"],
        || ::slmesh::errors::RULES.to_vec(),
        |bytes| detect(bytes, Form::Asset),
        read_model::<Mesh>,
    )
};

/// The files of the viewer's uploader.
pub(super) const SLM: FileType = FileType {
    extensions: &["slm"],
    forms: &["slm"],
    becomes: &["llmesh"],
    writer: Some(&rezkit_scene::slmesh::SLM),
    has: Has { levels: Some(4), hulls: true, inner_llsd: true, ..Has::NONE },
    ..FileType::exact(
        ["slm", "slmesh", "Second Life mesh"],
        || ::slmesh::errors::RULES.to_vec(),
        |bytes| detect(bytes, Form::Slm),
        read_model::<Slm>,
    )
};

/// Keyframe motions.
pub(super) const ANIM: FileType = FileType {
    extensions: &["anim", "animatn"],
    writer: Some(&rezkit_scene::slmesh::ANIM),
    has: Has { motion: Some(file_type::Motion::SecondLife), ..Has::NONE },
    // The version 1.0: other values of the header are errors of the motion.
    fits_name: |bytes| bytes.starts_with(&[1, 0, 0, 0]),
    ..FileType::exact(
        ["anim", "slmesh", "Second Life animation"],
        || motion::RULES.to_vec(),
        |bytes| motion::detect(bytes).then(|| MOTION.to_owned()),
        read_model::<Motion>,
    )
};

fn detect(bytes: &[u8], wanted: Form) -> Option<String> {
    ::slmesh::detect(bytes).filter(|form| *form == wanted).map(|form| form.to_string())
}

/// Facts about the materials that meshes name.
fn materials<'a>(meshes: impl IntoIterator<Item = &'a Mesh>) -> impl Iterator<Item = Fact> {
    let all: Vec<_> = meshes.into_iter().flat_map(|mesh| mesh.material_list.iter().flatten()).collect();
    let count = all.iter().collect::<HashSet<_>>().len();
    [Some(Fact::count("materials", count)), Fact::names("names of materials", all)].into_iter().flatten()
}

/// A point of an object's mesh, transformed to the object's place.
fn at(object: &Instance, [x, y, z]: [f32; 3]) -> [f32; 3] {
    let Some(rows) = object.transform else { return [x, y, z] };
    let point = [f64::from(x), f64::from(y), f64::from(z), 1.0];
    #[allow(clippy::cast_possible_truncation, reason = "bounds have 32 bits")]
    let axis = |axis: usize| (0..4).map(|row| point[row] * rows[4 * row + axis]).sum::<f64>() as f32;
    [0, 1, 2].map(axis)
}

fn land_impact(mesh: &Mesh, max_bytes: u64) -> Option<Fact> {
    // The levels are written, and read again to see whether the writer changes them.
    const FACE: usize = 1000;
    const VERTEX: usize = 60;
    let levels = mesh.levels().map(|(_, level)| FACE * level.submeshes.len() + VERTEX * level.vertex_count());
    if levels.sum::<usize>() as u64 > max_bytes {
        return Fact::text(
            "land impact",
            "not computed, since it needs more memory than max_bytes (--max-bytes) allows",
        );
    }
    let sizes = ::slmesh::WriteOptions::new().level_sizes(mesh).ok()?;
    let high = mesh.high_lod.as_ref()?;
    let size = high.submeshes.iter().find_map(|face| face.normalized_scale).unwrap_or([1.0; 3]);
    #[allow(clippy::cast_possible_truncation, reason = "sizes in metres")]
    let cost = rezkit_upload::land_impact(mesh, sizes, size.map(|side| side as f32));
    let [x, y, z] = size;
    Fact::text("land impact", format!("{} at {x:.3} x {y:.3} x {z:.3} m: {cost}", cost.total_text()))
}

impl Asset for Mesh {
    fn file_type(&self) -> &'static FileType {
        &LLMESH
    }

    fn version(&self) -> String {
        Form::Asset.to_string()
    }

    fn describe(&self, options: &ReadOptions) -> Vec<Fact> {
        let faces = self.levels().map(|(_, level)| level.submeshes.len()).max().unwrap_or(0);
        let finest = self.lod(Lod::High).map(|(_, level)| (level.vertex_count(), level.triangle_count()));
        let (vertices, triangles) = finest.unwrap_or_default();
        let mut facts = vec![
            Fact::count("faces", faces),
            Fact::count("vertices", vertices),
            Fact::count("triangles", triangles),
        ];
        let names = ["triangles, lowest", "triangles, low", "triangles, medium", "triangles, high"];
        for (lod, name) in Lod::ALL.into_iter().zip(names) {
            if self.level(lod).is_some() {
                facts.push(Fact::count(name, self.triangle_count(lod)));
            }
        }
        facts.extend(Fact::bounds(
            self.bounds()
                .into_iter()
                .flat_map(|bounds| [bounds.min, bounds.max].map(|corner| corner.to_array())),
        ));
        let joints = self.skin.as_ref().map_or(&[][..], |skin| &skin.joint_names);
        facts.push(Fact::count("joints", joints.len()));
        facts.extend(Fact::names("names of joints", joints));
        if let Some(physics) = &self.physics_mesh {
            facts.push(Fact::count("triangles, physics", physics.triangle_count()));
        }
        if let Some(convex) = &self.physics_convex {
            facts.push(Fact::count("hulls", convex.hulls.len()));
        }
        facts.extend(materials([self]));
        facts.extend(land_impact(self, options.max_bytes));
        facts
    }

    fn tree(&self, options: &ReadOptions) -> Box<dyn Node + '_> {
        generic::root("mesh", self, options.max_bytes)
    }

    fn files(&self, options: &ReadOptions, _: &ExtractOptions) -> Result<(Vec<File>, Vec<Loss>)> {
        let (mut budget, mut files) = (Budget::new(options.max_bytes), Files::default());
        macro_rules! blocks {
            ($($name:ident)+) => {
                $(let bytes = budget.json(&self.$name, stringify!($name))?;
                if bytes != b"null\n" {
                    files.add(&[concat!(stringify!($name), ".json")], bytes);
                })+
            };
        }
        blocks!(
            version creator date lowest_lod low_lod medium_lod high_lod physics_mesh physics_convex physics_havok
            physics_cost_data skin material_list submodel_id other_blocks extra layout
        );
        Ok((files.into_vec(), Vec::new()))
    }

    fn check(&self) -> Vec<Finding> {
        ::slmesh::check(self).into_iter().flat_map(Finding::each).collect()
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        match options.form.as_deref() {
            None | Some("asset") => ::slmesh::to_vec(self).map_err(Error::from),
            Some("slm") => Ok(Slm::of_asset(self.clone(), "").to_vec()?),
            Some(form) => Err(no_form(&LLMESH, form)),
        }
    }

    fn scene(
        &self,
        stem: &str,
        options: &crate::SceneOptions,
        _: &mut dyn crate::Sources,
    ) -> crate::file_type::SceneAndLosses {
        let budget = &mut crate::Budget::new(options.max_bytes);
        rezkit_scene::slmesh::to_scene(self, stem, options.levels, options.hulls, budget)
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        equal(self, other)
    }
}

impl Asset for Slm {
    fn file_type(&self) -> &'static FileType {
        &SLM
    }

    fn version(&self) -> String {
        Form::Slm.to_string()
    }

    fn describe(&self, _: &ReadOptions) -> Vec<Fact> {
        let mut facts =
            vec![Fact::count("meshes", self.meshes.len()), Fact::count("objects", self.instances.len())];
        facts.extend(Fact::names(
            "names of objects",
            self.instances.iter().filter_map(|instance| instance.label.as_ref()),
        ));
        let mesh = |object: &Instance| self.meshes.get(usize::try_from(object.mesh_id?).ok()?);
        let placed: Vec<_> =
            self.instances.iter().filter_map(|of| Some((of, mesh(of)?.lod(Lod::High)?.1))).collect();
        facts.push(Fact::count("vertices", placed.iter().map(|(_, level)| level.vertex_count()).sum()));
        facts.push(Fact::count("triangles", placed.iter().map(|(_, level)| level.triangle_count()).sum()));
        let corners = placed.iter().flat_map(|(object, level)| {
            let points = level.submeshes.iter().flat_map(Submesh::points);
            points.map(|point| at(object, point.to_array()))
        });
        facts.extend(Fact::bounds(corners));
        let joints = self.meshes.iter().filter_map(|mesh| mesh.skin.as_ref());
        let joints: HashSet<_> = joints.flat_map(|skin| &skin.joint_names).collect();
        facts.push(Fact::count("joints", joints.len()));
        facts.extend(materials(&self.meshes));
        facts
    }

    fn tree(&self, options: &ReadOptions) -> Box<dyn Node + '_> {
        generic::root("slm", self, options.max_bytes)
    }

    fn check(&self) -> Vec<Finding> {
        let findings = self.meshes.iter().enumerate().flat_map(|(index, mesh)| {
            let findings: Vec<Finding> = ::slmesh::check(mesh).into_iter().flat_map(Finding::each).collect();
            findings.into_iter().map(move |finding| {
                let dot = if finding.path.is_empty() { "" } else { "." };
                Finding { path: format!("meshes[{index}]{dot}{}", finding.path), ..finding }
            })
        });
        ::slmesh::Slm::check(self).into_iter().flat_map(Finding::each).chain(findings).collect()
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        match (options.form.as_deref(), self.meshes.as_slice()) {
            (None | Some("slm"), _) => self.to_vec().map_err(Error::from),
            (Some("asset"), [mesh]) => Ok(::slmesh::to_vec(mesh)?),
            (Some("asset"), meshes) => Err(Error::unwritable(format!(
                "a mesh asset contains exactly one mesh, but this file contains {} (write an .slm file)",
                meshes.len()
            ))
            .at("meshes")),
            (Some(form), _) => Err(no_form(&SLM, form)),
        }
    }

    /// For the form `asset`, lists the objects and the unknown keys, which a mesh asset cannot contain.
    fn remarks(&self, form: &str) -> Vec<Loss> {
        let plain = Slm::of_asset(Default::default(), "");
        let place = plain.instances.first().and_then(|instance| instance.transform);
        let is_plain = |instance: &::slmesh::Instance| {
            instance.mesh_id == Some(0)
                && instance.transform == place
                && instance.label.as_ref().is_none_or(|label| label.is_empty())
                && instance.material.is_none()
                && instance.extra.is_empty()
        };
        let others = self.instances.iter().enumerate().filter(|(_, instance)| !is_plain(instance));
        let objects = others.filter(|_| form == "asset").map(|(index, _)| {
            Loss::new(
                format!("instances[{index}]"),
                "the name, position and material of an object, which a mesh asset cannot store",
            )
            .id("sl.object")
        });
        let has_extra = form == "asset" && !self.extra.is_empty();
        let extra = has_extra.then(|| {
            Loss::new("extra", "unknown keys of the file, which a mesh asset cannot store")
                .id("sl.unknown-data")
        });
        objects.chain(extra).collect()
    }

    fn scene(
        &self,
        _: &str,
        options: &crate::SceneOptions,
        _: &mut dyn crate::Sources,
    ) -> crate::file_type::SceneAndLosses {
        let budget = &mut crate::Budget::new(options.max_bytes);
        rezkit_scene::slmesh::slm_to_scene(self, options.levels, options.hulls, budget)
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        equal(self, other)
    }
}

impl Asset for Motion {
    fn file_type(&self) -> &'static FileType {
        &ANIM
    }

    fn version(&self) -> String {
        MOTION.to_owned()
    }

    fn describe(&self, _: &ReadOptions) -> Vec<Fact> {
        let keys = |keys: fn(&motion::Joint) -> usize| self.joints.iter().map(keys).sum();
        let pose = usize::try_from(self.hand_pose).ok().and_then(|pose| HAND_POSES.get(pose));
        let mut facts = Vec::new();
        facts.extend(Fact::text("seconds", self.duration));
        facts.extend(Fact::text("priority", self.priority));
        if self.looped != 0 {
            facts.extend(Fact::text("loop", format!("{} to {} s", self.loop_in, self.loop_out)));
        }
        facts.extend(pose.and_then(|pose| Fact::text("hands", pose)));
        facts.push(Fact::count("joints", self.joints.len()));
        facts.extend(Fact::names("names of joints", self.joints.iter().map(|joint| &joint.name)));
        facts.push(Fact::count("rotation keys", keys(|joint| joint.rotations.len())));
        facts.push(Fact::count("position keys", keys(|joint| joint.positions.len())));
        facts.push(Fact::count("constraints", self.constraints.len()));
        facts.push(Fact::count("animations", 1));
        facts
    }

    fn tree(&self, options: &ReadOptions) -> Box<dyn Node + '_> {
        generic::root("motion", self, options.max_bytes)
    }

    fn check(&self) -> Vec<Finding> {
        motion::check(self).into_iter().flat_map(Finding::each).collect()
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        match options.form.as_deref() {
            None => Ok(motion::to_vec(self)?),
            Some(form) => Err(no_form(&ANIM, form)),
        }
    }

    fn scene(
        &self,
        stem: &str,
        options: &crate::SceneOptions,
        _: &mut dyn crate::Sources,
    ) -> crate::file_type::SceneAndLosses {
        rezkit_scene::slmesh::motion_to_scene(self, stem, &mut crate::Budget::new(options.max_bytes))
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        equal(self, other)
    }
}

/// A motion with changes, as a file, and what was changed otherwise; `None` if the asset is no motion.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if a change does not fit.
pub(crate) fn changed(
    asset: &dyn Asset,
    changes: &rezkit_scene::slmesh::ChangeOptions,
) -> Result<Option<(Vec<u8>, Vec<Loss>)>> {
    let Some(mut motion) = same_type::<Motion>(asset).cloned() else { return Ok(None) };
    let losses = changes.apply(&mut motion)?;
    Ok(Some((motion::to_vec(&motion)?, losses)))
}

/// A motion with other playback options.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if the asset is no motion, or an option does not fit.
pub(crate) fn with_playback(
    asset: &dyn Asset,
    options: &rezkit_scene::slmesh::MotionOptions,
) -> Result<Vec<u8>> {
    let mut motion =
        same_type::<Motion>(asset).cloned().ok_or_else(|| Error::argument("expected a motion"))?;
    options.apply(&mut motion)?;
    Ok(motion::to_vec(&motion)?)
}
