//! Second Life meshes: assets, and the viewer's `.slm` files.

use ::slmesh::{Asset as Mesh, Kind, Lod, Slm};

use super::{Asset, Fact, Format, findings, generic, no_form, same_type};
use crate::error::{Error, Result};
use crate::files::{File, Files};
use crate::finding::Finding;
use crate::limits::Budget;
use crate::options::{ReadOptions, WriteOptions};
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
        facts.extend(Fact::names("materials", self.material_list.iter().flatten()));
        facts
    }

    fn tree(&self, _: &ReadOptions) -> Box<dyn Node + '_> {
        generic::root("mesh", self)
    }

    fn files(&self, options: &ReadOptions) -> Result<Vec<File>> {
        let (mut budget, mut files) = (Budget::new(options), Files::default());
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
        Ok(files.into_vec())
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
        let mut facts =
            vec![Fact::count("meshes", self.meshes.len()), Fact::count("instances", self.instances.len())];
        facts.extend(Fact::names(
            "names",
            self.instances.iter().filter_map(|instance| instance.label.as_ref()),
        ));
        facts
    }

    fn tree(&self, _: &ReadOptions) -> Box<dyn Node + '_> {
        generic::root("slm", self)
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
