//! Model 3D.

use ::m3d::{Model, Variant};

use super::generic;
use crate::fact::{Fact, FactValue};
use crate::file_type::{Asset, Converted, FileType, equal, no_conversion, no_form, read_model};
use crate::options::{ConvertOptions, ExtractOptions, ReadOptions, WriteOptions};
use crate::tree::Node;
use rezkit_core::{Budget, Counted, Error, File, Files, Finding, Loss, Result};

/// Model 3D in chunks, the binary form.
pub(super) const M3D: FileType = FileType {
    extensions: &["m3d"],
    forms: &["binary", "raw"],
    becomes: &["a3d", "vox"],
    length: |bytes| {
        let size: [u8; 4] = bytes.strip_prefix(b"3DMO")?.get(..4)?.try_into().ok()?;
        Some(u32::from_le_bytes(size) as usize).filter(|&size| size >= 8)
    },
    writer: Some(&rezkit_scene::m3d::M3D),
    ..FileType::exact(
        ["m3d", "m3d", "Model 3D"],
        || ::m3d::errors::RULES.to_vec(),
        |bytes| detect(bytes, Variant::Binary),
        read_model::<Model>,
    )
};

/// Model 3D as text.
pub(super) const A3D: FileType = FileType {
    extensions: &["a3d"],
    forms: &["ascii"],
    becomes: &["m3d"],
    writer: Some(&rezkit_scene::m3d::A3D),
    ..FileType::exact(
        ["a3d", "m3d", "Model 3D"],
        || ::m3d::errors::RULES.to_vec(),
        |bytes| detect(bytes, Variant::Ascii),
        read_model::<Model>,
    )
};

fn detect(bytes: &[u8], wanted: Variant) -> Option<String> {
    ::m3d::detect(bytes).filter(|variant| *variant == wanted).map(|variant| variant.to_string())
}

impl Asset for Model {
    fn file_type(&self) -> &'static FileType {
        if variant(self) == Variant::Ascii { &A3D } else { &M3D }
    }

    fn version(&self) -> String {
        variant(self).to_string()
    }

    fn describe(&self, _: &ReadOptions) -> Vec<Fact> {
        let mut facts = Vec::new();
        facts.extend(Fact::text("name", &self.name));
        facts.extend(Fact::text("author", &self.author));
        facts.extend(Fact::text("license", &self.license));
        facts.push(Fact::count("vertices", self.vertices.len()));
        facts.push(Fact { name: "triangles", value: FactValue::Count(self.triangle_count()) });
        let scale = self.scale_or_one();
        let corners = self.meshes.iter().flat_map(|mesh| &mesh.vertices);
        let points = corners.filter_map(|&vertex| self.vertices.position(vertex));
        facts.extend(Fact::bounds(points.map(|point| point.to_array().map(|axis| axis * scale))));
        facts.push(Fact::count("bones", self.bones.len()));
        facts.extend(Fact::names("names of bones", self.bones.iter().map(|bone| &bone.name)));
        facts.push(Fact::count("actions", self.actions.len()));
        let actions = self.actions.iter().map(|action| {
            let seconds = f64::from(action.duration) / 1000.0;
            let frames = Counted::new(action.frames.len(), "frames");
            let name = if action.name.is_empty() { "unnamed".into() } else { action.name.to_string() };
            format!("{name} ({seconds} s, {frames})")
        });
        facts.extend(Fact::names("names of actions", actions));
        facts.push(Fact::count("materials", self.materials.len()));
        facts.extend(Fact::names("names of materials", self.materials.iter().map(|material| &material.name)));
        facts.extend(Fact::names("textures", self.textures().map(|texture| texture.name)));
        facts.extend(Fact::names("files", self.assets.iter().map(|asset| &asset.name)));
        facts.push(Fact::count("labels", self.labels.iter().map(|group| group.labels.len()).sum()));
        facts.push(Fact::count("voxel blocks", self.voxel_blocks.len()));
        facts.push(Fact::count("shapes", self.shapes.len()));
        facts
    }

    fn tree(&self, options: &ReadOptions) -> Box<dyn Node + '_> {
        generic::root("model", self, options.max_bytes)
    }

    fn files(&self, options: &ReadOptions, _: &ExtractOptions) -> Result<(Vec<File>, Vec<Loss>)> {
        let (mut budget, mut files) = (Budget::new(options.max_bytes), Files::default());
        let mut losses = Vec::new();
        if let Some(preview) = &self.preview {
            budget.take(preview.len() as u64, "the preview image")?;
            files.add(&["preview.png"], preview.clone());
        }
        for (index, asset) in self.assets.iter().enumerate() {
            if asset.data.is_empty() {
                let what = format!("the file {:?}; the model contains only its name", asset.name);
                losses.push(Loss::missing(format!("assets[{index}]"), what).id("m3d.file-name-only"));
                continue;
            }
            // A name without an extension is that of a PNG image.
            let name = asset.name.to_string();
            let ending = if name.contains('.') { "" } else { ".png" };
            budget.take((name.len() + asset.data.len()) as u64, &name)?;
            files.add(&[&format!("{name}{ending}")], asset.data.clone());
        }
        Ok((files.into_vec(), losses))
    }

    fn check(&self) -> Vec<Finding> {
        ::m3d::check(self).into_iter().flat_map(Finding::each).collect()
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        let write = ::m3d::WriteOptions::new().max_bytes(options.max_read_bytes);
        let write = match options.form.as_deref() {
            None => write,
            Some("binary") => write.variant(Variant::Binary),
            Some("raw") => write.variant(Variant::Binary).raw(true),
            Some("ascii") => write.variant(Variant::Ascii),
            Some(form) => return Err(no_form(&M3D, form)),
        };
        write.write(self).map_err(Error::from)
    }

    /// The content that another variant cannot represent, and files that a text only names.
    fn remarks(&self, form: &str) -> Vec<Loss> {
        let is_text = variant(self) == Variant::Ascii;
        let mut outside = self.layout.outside().filter(|(path, _)| match form {
            "ascii" => !is_text,
            "raw" => is_text || path == "layout.after_stream",
            "binary" => is_text,
            _ => false,
        });
        let is_named =
            |asset: &::m3d::Asset| is_text && matches!(form, "binary" | "raw") && asset.data.is_empty();
        let named =
            self.assets.iter().enumerate().filter(|(_, asset)| is_named(asset)).map(|(index, asset)| {
                let what = format!(
                    "the model contains only the name of the file {:?}; the output does not contain the file either \
                     (keep it in the folder of the output)",
                    asset.name
                );
                Loss::warning(format!("assets[{index}]"), what).id("m3d.file-name-only")
            });
        // A text of a few megabytes can have a million unknown sections.
        let mut losses: Vec<_> = outside
            .by_ref()
            .take(1000)
            .map(|(path, what)| Loss::new(path, what).id("m3d.unknown-section"))
            .collect();
        if let Some((path, _)) = outside.next() {
            let what = "an unknown section, a comment or a block of surplus bytes";
            losses.push(Loss::new(path, what).id("m3d.unknown-section").times(1 + outside.count()));
        }
        losses.extend(named);
        losses
    }

    fn convert(&self, format: &str, options: &ConvertOptions) -> Result<Converted> {
        match format {
            "vox" => super::scenes::voxels(self, options),
            _ => Err(no_conversion(self, format)),
        }
    }

    fn scene(
        &self,
        _: &str,
        options: &crate::SceneOptions,
        sources: &mut dyn crate::Sources,
    ) -> crate::file_type::SceneAndLosses {
        let (mut lost, mut budget) = (Vec::new(), Budget::new(options.max_bytes));
        let made =
            rezkit_scene::m3d::to_scene(self, &mut budget, &mut rezkit_core::beside(sources, &mut lost));
        made.map(|(scene, losses)| (scene, losses.into_iter().chain(lost).collect()))
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        equal(self, other)
    }
}

/// Whether a model was read from chunks or from text.
fn variant(model: &Model) -> Variant {
    model.layout.variant().unwrap_or(Variant::Binary)
}
