//! Roblox meshes.

use ::rbxmesh::{LodChoice, Mesh, Version};

use super::generic;
use crate::exact::Model;
use crate::fact::Fact;
use crate::file_type::{Asset, FileType, Has, equal, no_form, read_model};
use crate::options::{ReadOptions, WriteOptions};
use crate::tree::Node;
use rezkit_core::{Budget, Error, Finding, Loss, Result};

const FORMS: &[&str] = &["1.00", "1.01", "2.00", "3.00", "3.01", "4.00", "4.01", "5.00", "6.00", "7.00"];

const _: () = assert!(FORMS.len() == Version::ALL.len(), "a form for each version");

pub(super) const MESH: FileType = FileType {
    extensions: &["mesh"],
    forms: FORMS,
    writer: Some(&rezkit_scene::rbxmesh::WRITER),
    has: Has { levels: Some(usize::MAX), ..Has::NONE },
    ..FileType::exact(
        ["mesh", "rbxmesh", "Roblox mesh"],
        || ::rbxmesh::errors::RULES.to_vec(),
        |bytes| ::rbxmesh::detect(bytes).map(|version| version.to_string()),
        read_model::<Mesh>,
    )
};

impl Asset for Mesh {
    fn file_type(&self) -> &'static FileType {
        &MESH
    }

    fn version(&self) -> String {
        self.version.to_string()
    }

    fn describe(&self, _: &ReadOptions) -> Vec<Fact> {
        let controls = self.facs.iter().flat_map(|facs| facs.controls.iter());
        let mut facts = vec![
            Fact::count("vertices", self.vertices.len()),
            Fact::count("triangles", self.faces.len()),
            Fact::count("levels of detail", self.levels().len()),
        ];
        if self.levels().len() > 1 {
            let triangles =
                self.levels().enumerate().map(|(index, level)| format!("{index}: {}", level.len()));
            facts.extend(Fact::names("triangles by level", triangles));
        }
        facts.extend(Fact::bounds(self.vertices.iter().map(|vertex| vertex.position.to_array())));
        facts.push(Fact::count("bones", self.bones.len()));
        facts.extend(Fact::names("names of bones", self.bones.iter().map(|bone| &bone.name)));
        facts.push(Fact::count("facial poses", self.facs.as_ref().map_or(0, |facs| facs.pose_count())));
        facts.extend(Fact::names("facial controls", controls));
        facts
    }

    fn tree(&self, options: &ReadOptions) -> Box<dyn Node + '_> {
        generic::root("mesh", self, options.max_bytes)
    }

    fn check(&self) -> Vec<Finding> {
        ::rbxmesh::check(self).into_iter().flat_map(Finding::each).collect()
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        let Some(form) = &options.form else { return Model::write(self) };
        let version: Version = form.parse().map_err(|_| no_form(&MESH, form))?;
        if let Some(max_bytes) = options.max_bytes {
            // The copy in the other version, and the file.
            let records =
                size_of_val(&*self.vertices) + size_of_val(&*self.faces) + size_of_val(&*self.envelopes);
            Budget::new(max_bytes).take(2 * records as u64, "the mesh in another version")?;
        }
        let (mesh, dropped) = self.to_version(version, LodChoice::First);
        if let Some(first) = dropped.first().filter(|_| !options.allow_loss) {
            let what = format!("version {version} cannot represent {}", first.what);
            return Err(Error::unwritable(what).at(first.path));
        }
        Model::write(&mesh)
    }

    fn losses(&self, form: &str) -> Vec<Loss> {
        let dropped = |version| self.to_version(version, LodChoice::First).1;
        let dropped = form.parse().map(dropped).unwrap_or_default();
        let loss = |dropped: ::rbxmesh::Dropped| match dropped.is_rounded() {
            true => Loss::approximated(dropped.path, dropped.what).id("rbxmesh.version"),
            false => Loss::new(dropped.path, dropped.what).id("rbxmesh.version"),
        };
        dropped.into_iter().map(loss).collect()
    }

    /// Notes a lack of facial animation if the form is 5.00: all known 5.00 files of Roblox have it, and rbx_mesh
    /// refuses files without it.
    fn remarks(&self, form: &str) -> Vec<Loss> {
        let is_new = form == "5.00" && self.version != Version::V5_00;
        let lacks = is_new && self.facs.is_none() && self.layout.facs_unknown.is_none();
        let what = "the mesh is written as version 5.00 without facial animation, which some programs refuse \
                    (use version 4.01)";
        lacks.then(|| Loss::warning("facs", what).id("rbxmesh.no-facial-animation")).into_iter().collect()
    }

    fn scene(
        &self,
        _: &str,
        options: &crate::SceneOptions,
        _: &mut dyn crate::Sources,
    ) -> crate::file_type::SceneAndLosses {
        rezkit_scene::rbxmesh::to_scene(self, options.levels, &mut crate::Budget::new(options.max_bytes))
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        equal(self, other)
    }
}
