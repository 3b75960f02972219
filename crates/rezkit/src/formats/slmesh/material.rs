//! Second Life's material assets: LLSD with a glTF document of one material.

use ::llsd::Document;
use rezkit_scene::slmesh::material::Asset as Content;
use rezkit_scene::slmesh::material::{RULES, detect, find_textures};

use crate::exact::Model;
use crate::fact::Fact;
use crate::file_type::{Asset, FileType, Has, ReadAsset, SceneAndLosses, no_form, same_type};
use crate::formats::generic;
use crate::options::{ExtractOptions, ReadOptions, WriteOptions};
use crate::tree::Node;
use rezkit_core::{Budget, Error, File, Files, Finding, Loss, Result, Sources};

/// The version of material assets.
const VERSION: &str = "material";

pub(in super::super) const MATERIAL: FileType = FileType {
    extensions: &["material"],
    writer: Some(&rezkit_scene::slmesh::MATERIAL),
    has: Has { editable_values: true, inner_llsd: true, ..Has::NONE },
    ..FileType::exact(
        ["material", "slmesh", "Second Life material"],
        || RULES.to_vec(),
        |bytes| detect(bytes).then(|| VERSION.to_owned()),
        |_, bytes, options, _, _| read(bytes, options.max_bytes),
    )
};

/// The unchanged file, and its content.
#[derive(Debug)]
struct Material {
    document: Document,
    content: Content,
}

fn read(bytes: &[u8], max_bytes: u64) -> Result<ReadAsset> {
    let (document, held) = <Document as Model>::read(bytes, max_bytes)?;
    Ok((Box::new(Material::new(document, max_bytes)?), held))
}

impl Material {
    fn new(document: Document, max_bytes: u64) -> Result<Self> {
        let content = Content::new(&document.value, &mut Budget::new(max_bytes))?;
        Ok(Self { document, content })
    }
}

impl Asset for Material {
    fn file_type(&self) -> &'static FileType {
        &MATERIAL
    }

    fn version(&self) -> String {
        VERSION.to_owned()
    }

    fn describe(&self, _: &ReadOptions) -> Vec<Fact> {
        let field = |name, path: &str| {
            let value = self.content.field(path)?;
            Fact::text(name, value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        let mut facts = vec![Fact::count("materials", 1)];
        facts.extend(Fact::text("material asset version", &self.content.version));
        facts.extend(field("name", "/name"));
        facts.extend(field("base colour", "/pbrMetallicRoughness/baseColorFactor"));
        facts.extend(field("metalness", "/pbrMetallicRoughness/metallicFactor"));
        facts.extend(field("roughness", "/pbrMetallicRoughness/roughnessFactor"));
        facts.extend(field("emissive colour", "/emissiveFactor"));
        facts.extend(field("alpha mode", "/alphaMode"));
        facts.extend(field("double-sided", "/doubleSided"));
        facts.extend(Fact::names(
            "textures",
            self.content.textures().map(|(name, id)| format!("{name} {id}")),
        ));
        facts
    }

    fn tree(&self, options: &ReadOptions) -> Box<dyn Node + '_> {
        generic::root("material", &self.content, options.max_bytes)
    }

    /// Sets a value of the LLSD; the glTF document in it is one text, and its values cannot be set.
    fn set(
        &mut self,
        path: &str,
        value: &str,
        kind: Option<&str>,
        options: &ReadOptions,
    ) -> Result<Vec<Loss>> {
        if path.starts_with("data/") {
            let what =
                "the values of `data`, a JSON text, cannot be set one by one (set `data` to the whole text)";
            return Err(Error::argument(what).at(path));
        }
        let mut document = self.document.clone();
        Asset::set(&mut document, path, value, kind, options)?;
        *self = Self::new(document, options.max_bytes)?;
        Ok(Vec::new())
    }

    fn replace_texts(&mut self, replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> Result<usize> {
        let mut document = self.document.clone();
        let count = document.replace_texts(replace)?;
        *self = Self::new(document, ReadOptions::new().max_bytes)?;
        Ok(count)
    }

    fn check(&self) -> Vec<Finding> {
        [Asset::check(&self.document), self.content.check()].concat()
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        match options.form.as_deref() {
            None => Ok(self.document.to_vec()?),
            Some(form) => Err(no_form(&MATERIAL, form)),
        }
    }

    /// The glTF document as a file.
    fn files(&self, _: &ReadOptions, _: &ExtractOptions) -> Result<(Vec<File>, Vec<Loss>)> {
        let mut files = Files::default();
        let text = self.document.value.get("data").map(|data| data.to_text().to_string());
        files.add(&["material.gltf"], text.unwrap_or_default().into_bytes());
        Ok((files.into_vec(), Vec::new()))
    }

    fn scene(&self, stem: &str, options: &crate::SceneOptions, sources: &mut dyn Sources) -> SceneAndLosses {
        let (mut scene, mut losses) = self.content.to_scene(stem)?;
        find_textures(&mut scene, sources, &mut losses, &mut Budget::new(options.max_bytes))?;
        Ok((scene, losses))
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        same_type::<Self>(other).is_some_and(|other| self.document.value.identical(&other.document.value))
    }
}
