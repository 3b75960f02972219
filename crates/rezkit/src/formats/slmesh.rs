//! Second Life meshes: assets, and the viewer's `.slm` files.

use ::slmesh::{Asset as Mesh, Kind, Lod, Slm};

use super::{Asset, Fact, Format, findings, generic, no_form, same_type};
use crate::error::{Error, Result};
use crate::extract::{File, file_name};
use crate::finding::{Finding, Severity};
use crate::options::WriteOptions;
use crate::tree::Node;

pub(super) static FORMAT: Format = Format {
    name: "slmesh",
    title: "Second Life mesh",
    extensions: &["llmesh", "slm"],
    forms: &[],
    detect: |bytes| ::slmesh::detect(bytes).map(|kind| kind.to_string()),
    read: |bytes, options| {
        let options = ::slmesh::ReadOptions::new().max_bytes(options.max_bytes);
        Ok(match ::slmesh::detect(bytes) {
            Some(Kind::Slm) => Box::new(options.read_slm(bytes).map_err(Error::unreadable)?),
            _ => Box::new(options.read(bytes).map_err(Error::unreadable)?),
        })
    },
    same_bytes: |a, b| a == b,
    length: |_| None,
    read_as: |_, _, _| None,
};

impl Asset for Mesh {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn version(&self) -> String {
        Kind::Asset.to_string()
    }

    fn describe(&self) -> Vec<Fact> {
        let faces = self.levels().map(|(_, level)| level.submeshes.len()).max().unwrap_or(0);
        let mut facts = vec![Fact::count("faces", faces)];
        let names = ["triangles, lowest", "triangles, low", "triangles, medium", "triangles, high"];
        for (lod, name) in Lod::ALL.into_iter().zip(names) {
            if self.level(lod).is_some() {
                facts.push(Fact::count(name, self.triangle_count(lod)));
            }
        }
        facts.push(Fact::count("joints", self.skin.as_ref().map_or(0, |skin| skin.joint_names.len())));
        facts
    }

    fn tree(&self) -> Box<dyn Node + '_> {
        Box::new(generic::Root::new("mesh", self))
    }

    fn files(&self) -> Vec<File> {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(blocks)) => {
                let blocks = blocks.into_iter().filter(|(_, block)| !block.is_null());
                blocks
                    .map(|(name, block)| File::json(&[&file_name(&format!("{name}.json"))], &block))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn check_profile(&self, profile: &str) -> Vec<Finding> {
        if profile != "secondlife-upload" {
            return Vec::new();
        }
        let mut findings = Vec::new();
        let mut add = |rule: &'static str, demands: &'static str, path: String, found: String| {
            findings.push(Finding {
                rule: rule.into(),
                severity: Severity::Error,
                demands: demands.into(),
                path,
                found,
                count: 1,
            });
        };
        // What the viewers and the simulator refuse, or drop: the limits are those of their sources.
        for (lod, level) in self.levels() {
            let faces = level.submeshes.len();
            if faces > 8 {
                let found = format!("{faces} faces");
                add("secondlife-upload.faces", "a mesh has at most 8 faces", format!("{lod:?}"), found);
            }
        }
        if self.level(Lod::High).is_none() {
            let demands = "a mesh has the level of detail `high`";
            add("secondlife-upload.high", demands, "high_lod".into(), "missing".into());
        }
        if let Some(skin) = &self.skin {
            let joints = skin.joint_names.len();
            if joints > 110 {
                let demands = "a rigged mesh has at most 110 joints, or it is uploaded without its rig";
                add(
                    "secondlife-upload.joints",
                    demands,
                    "skin.joint_names".into(),
                    format!("{joints} joints"),
                );
            }
        }
        if let Some(convex) = &self.physics_convex {
            if convex.hulls.len() > 256 {
                let found = format!("{} hulls", convex.hulls.len());
                let demands = "a physics shape has at most 256 hulls";
                add("secondlife-upload.hulls", demands, "physics_convex.hulls".into(), found);
            }
            for (index, hull) in convex.hulls.iter().enumerate().filter(|(_, hull)| hull.len() > 256) {
                let path = format!("physics_convex.hulls[{index}]");
                let demands = "a hull has at most 256 points";
                add("secondlife-upload.hull-points", demands, path, format!("{} points", hull.len()));
            }
        }
        findings
    }

    fn check(&self) -> Vec<Finding> {
        findings!(slmesh, ::slmesh::check(self))
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        match &options.form {
            Some(form) => Err(no_form(&FORMAT, form)),
            None => ::slmesh::to_vec(self).map_err(Error::unwritable),
        }
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        same_type::<Self>(other).is_some_and(|other| self == other)
    }
}

impl Asset for Slm {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn version(&self) -> String {
        Kind::Slm.to_string()
    }

    fn describe(&self) -> Vec<Fact> {
        vec![Fact::count("meshes", self.meshes.len()), Fact::count("instances", self.instances.len())]
    }

    fn tree(&self) -> Box<dyn Node + '_> {
        Box::new(generic::Root::new("slm", self))
    }

    fn check(&self) -> Vec<Finding> {
        let findings = self.meshes.iter().enumerate().flat_map(|(index, mesh)| {
            let findings: Vec<Finding> = findings!(slmesh, ::slmesh::check(mesh));
            findings.into_iter().map(move |finding| {
                let dot = if finding.path.is_empty() { "" } else { "." };
                Finding { path: format!("meshes[{index}]{dot}{}", finding.path), ..finding }
            })
        });
        findings.collect()
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        match &options.form {
            Some(form) => Err(no_form(&FORMAT, form)),
            None => self.to_vec().map_err(Error::unwritable),
        }
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        same_type::<Self>(other).is_some_and(|other| self == other)
    }
}
