//! Material assets of Second Life: LLSD that contains a glTF document with one material.

use rezkit_core::{
    Advice, Budget, Counted, Error, ErrorKind, Finding, Loss, Result, Rule, Severity, Sources,
};
use serde_json::{Map, Value, json};
use slmesh::llsd;

use crate::features::Feature;
use crate::model::{Alpha, Image, ImageData, Material, Node, Scene, Texture, UvTransform};

/// The version of the asset that is written; 1.0 is read, too.
const VERSION: &str = "1.1";
/// The kind of the content of an asset.
const TYPE: &str = "GLTF 2.0";
pub(super) const TRANSFORM: &str = "KHR_texture_transform";
/// The extra of a material in which the ids of its textures are kept.
const EXTRAS: &str = "secondlife_textures";
/// Maximum memory of a JSON value per byte of its text.
const VALUE_OF_BYTE: u64 = 40;
/// The maximum size of an asset, in bytes: far more than the viewer writes.
const MOST_BYTES: u64 = 1 << 26;

const VIEWER: &str = "the material editor and the glTF materials of Second Life's viewer";
const AS_TEXT: Rule = Rule::new(
    "slmesh.material-version",
    Severity::Error,
    "a material asset has the type \"GLTF 2.0\" and the version 1.0 or 1.1",
    VIEWER,
);
const DOCUMENT: Rule = Rule::new(
    "slmesh.material-document",
    Severity::Error,
    "the data of a material asset is a glTF document with exactly one material",
    VIEWER,
);
const IDS: Rule = Rule::new(
    "slmesh.material-texture",
    Severity::Error,
    "each texture in a material asset refers to an existing image, whose URI is a UUID",
    VIEWER,
);
const RANGE: Rule = Rule::new(
    "slmesh.material-range",
    Severity::Warning,
    "the factors and the alpha cutoff of a material asset are numbers from 0 to 1",
    VIEWER,
);
const ALPHA: Rule = Rule::new(
    "slmesh.material-alpha",
    Severity::Error,
    "the alphaMode of a material asset is OPAQUE, MASK or BLEND",
    VIEWER,
);
const OCCLUSION: Rule = Rule::new(
    "slmesh.material-occlusion",
    Severity::Warning,
    "the occlusion texture and the metallic-roughness texture of a material asset use the same image",
    VIEWER,
);

/// Every rule of material assets.
pub const RULES: [Rule; 6] = [AS_TEXT, DOCUMENT, IDS, RANGE, ALPHA, OCCLUSION];

/// The features of a scene that the asset keeps.
pub(super) const KEEPS: &[Feature] = &[
    Feature::Materials,
    Feature::BaseColor,
    Feature::BaseTexture,
    Feature::Metallic,
    Feature::Roughness,
    Feature::MetallicRoughnessTexture,
    Feature::NormalTexture,
    Feature::OcclusionTexture,
    Feature::Emissive,
    Feature::EmissiveTexture,
    Feature::AlphaTexture,
    Feature::AlphaMode,
    Feature::DoubleSided,
    Feature::TextureTransform,
];

/// The textures of a material: their names for messages, and their paths in the document's material.
pub(super) const TEXTURES: [(&str, &str); 5] = [
    ("base colour", "/pbrMetallicRoughness/baseColorTexture"),
    ("metalness and roughness", "/pbrMetallicRoughness/metallicRoughnessTexture"),
    ("normal", "/normalTexture"),
    ("occlusion", "/occlusionTexture"),
    ("emissive", "/emissiveTexture"),
];

/// Converts a material to an asset. `id` returns the UUID of an uploaded texture by the index of the image. A texture
/// without a UUID is dropped and listed, and so are features that Second Life does not have.
///
/// # Errors
/// If a number of the material is not finite.
// No budget: there is only one material.
pub fn material_to_asset(
    material: &Material,
    id: &dyn Fn(usize) -> Option<String>,
) -> Result<(Vec<u8>, Vec<Loss>)> {
    let mut losses = Vec::new();
    let mut document = Document { id, textures: Vec::new(), images: Vec::new(), losses: &mut losses };
    let mut pbr = Map::new();
    let mut fields = Map::new();
    if !material.name.is_empty() {
        fields.insert("name".into(), json!(material.name));
    }
    let numbers =
        material.base_color.iter().chain(&material.emissive).chain([&material.metallic, &material.roughness]);
    if numbers.into_iter().any(|number| !number.is_finite()) {
        return Err(Error::unwritable(
            "the base colour, emissive colour, metalness or roughness is NaN or infinite",
        )
        .at(material.name.clone()));
    }
    pbr.insert("baseColorFactor".into(), json!(material.base_color));
    pbr.insert("metallicFactor".into(), json!(material.metallic));
    pbr.insert("roughnessFactor".into(), json!(material.roughness));
    for (name, texture, to) in [
        ("baseColorTexture", &material.base_texture, true),
        ("metallicRoughnessTexture", &material.metallic_roughness_texture, true),
        ("normalTexture", &material.normal_texture, false),
        ("occlusionTexture", &material.occlusion_texture, false),
        ("emissiveTexture", &material.emissive_texture, false),
    ] {
        let own = texture.as_ref().filter(|texture| id(texture.image).is_some());
        let kept = if own.is_none() { document.kept(material, name) } else { None };
        let made = kept.or_else(|| document.texture(name, texture.as_ref()?));
        if let Some(made) = made {
            if to { &mut pbr } else { &mut fields }.insert(name.into(), made);
        }
    }
    fields.insert("emissiveFactor".into(), json!(material.emissive));
    if let Some(mode) = match material.alpha {
        Alpha::Opaque => None,
        Alpha::Mask(cutoff) => {
            fields.insert("alphaCutoff".into(), json!(cutoff));
            Some("MASK")
        }
        Alpha::Blend => Some("BLEND"),
    } {
        fields.insert("alphaMode".into(), json!(mode));
    }
    if material.double_sided {
        fields.insert("doubleSided".into(), json!(true));
    }
    fields.insert("pbrMetallicRoughness".into(), Value::Object(pbr));
    let (textures, images) = (document.textures, document.images);
    let mut left_out = |is: bool, what: &str| {
        if is {
            losses.push(
                Loss::new("", format!("{what}, which Second Life materials do not support"))
                    .id("sl.material-feature"),
            );
        }
    };
    left_out(material.unlit, "unlit shading");
    left_out(material.ior.is_some(), "index of refraction");
    left_out(material.transmission.is_some(), "transmission");
    left_out(material.specular.is_some(), "strength and colour of specular reflections");
    left_out(material.clearcoat.is_some(), "clearcoat");
    left_out(material.emissive_strength != 1.0, "emissive strength");
    left_out(material.normal_texture.is_some() && material.normal_scale != 1.0, "strength of the normal map");
    left_out(
        material.occlusion_texture.is_some() && material.occlusion_strength != 1.0,
        "strength of the occlusion texture",
    );
    let mut gltf = json!({ "asset": { "version": "2.0" }, "materials": [Value::Object(fields)] });
    if !textures.is_empty() {
        (gltf["textures"], gltf["images"]) = (Value::Array(textures), Value::Array(images));
        gltf["extensionsUsed"] = json!([TRANSFORM]);
    }
    let value = llsd::llsd!({ "data": (gltf.to_string()), "type": (TYPE), "version": (VERSION) });
    let write = llsd::WriteOptions::new().encoding(llsd::Encoding::Binary).header(llsd::Header::Python);
    let bytes = write.write(&value).map_err(Error::unwritable)?;
    Ok((bytes, losses))
}

struct Document<'a> {
    id: &'a dyn Fn(usize) -> Option<String>,
    textures: Vec<Value>,
    images: Vec<Value>,
    losses: &'a mut Vec<Loss>,
}

impl Document<'_> {
    fn texture(&mut self, name: &str, texture: &Texture) -> Option<Value> {
        let Some(id) = (self.id)(texture.image) else {
            let loss =
                Loss::new(name, "the texture, since its image has no UUID").id("sl.texture-not-uploaded");
            self.losses.push(loss.advise(Advice::UploadImage));
            return None;
        };
        if texture.set != 0 {
            let what =
                format!("the choice of TEXCOORD_{}: Second Life materials use only TEXCOORD_0", texture.set);
            self.losses.push(Loss::new(name, what).id("sl.material-feature"));
        }
        let UvTransform { offset, rotation, scale } = texture.transform;
        let transform = json!({ "offset": offset, "rotation": rotation, "scale": scale });
        Some(self.add(&id, (texture.transform != UvTransform::default()).then_some(transform)))
    }

    /// A texture whose id the material of a scene has kept from an earlier asset.
    fn kept(&mut self, material: &Material, name: &str) -> Option<Value> {
        let kept = material.extras.get(EXTRAS)?.get(name)?;
        let id = kept.get("id")?.as_str().filter(|id| id.parse::<llsd::Uuid>().is_ok())?;
        Some(self.add(id, kept.get(TRANSFORM).cloned()))
    }

    fn add(&mut self, id: &str, transform: Option<Value>) -> Value {
        let known = self.images.iter().position(|image| image["uri"] == id);
        let index = known.unwrap_or(self.images.len());
        if known.is_none() {
            self.images.push(json!({ "uri": id }));
            self.textures.push(json!({ "source": index }));
        }
        let mut made = json!({ "index": index });
        if let Some(transform) = transform {
            made["extensions"] = json!({ TRANSFORM: transform });
        }
        made
    }
}

/// Whether bytes are a material asset: binary LLSD with a header, which contains a glTF 2.0 document.
pub fn detect(bytes: &[u8]) -> bool {
    llsd::detect(bytes) == Some(llsd::Encoding::Binary)
        && memchr::memmem::find(bytes, TYPE.as_bytes()).is_some()
        && llsd::ReadOptions::new().lazy(bytes).is_ok_and(|value| {
            is_material(|key, wanted| {
                let text = value.get(key).and_then(|value| value.as_text());
                text.is_some_and(|text| wanted.is_none_or(|wanted| *text == *wanted))
            })
        })
}

/// Whether a map is a material asset. `has_text` returns whether it has a text under a key, and if given, this text.
fn is_material(has_text: impl Fn(&str, Option<&str>) -> bool) -> bool {
    has_text("type", Some(TYPE)) && has_text("data", None) && has_text("version", None)
}

/// A material asset: its LLSD, and the glTF document in it.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct Asset {
    /// The version of the asset.
    pub version: String,
    /// The kind of its content.
    #[serde(rename = "type")]
    pub kind: String,
    /// The glTF document; null if the text is not JSON.
    pub data: Value,
}

impl Asset {
    /// Reads an asset from its LLSD. A document that is not JSON is a finding of [`check`](Self::check), not an error.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) if the document needs more memory than is left, [`Argument`](ErrorKind::Argument) if
    /// the value is not a material asset.
    pub fn new(value: &llsd::Value, budget: &mut Budget) -> Result<Self> {
        let is_text = |key: &str, wanted: Option<&str>| {
            let text = value.get(key).and_then(llsd::Value::as_text);
            text.is_some_and(|text| wanted.is_none_or(|wanted| text.as_bytes() == wanted.as_bytes()))
        };
        if !is_material(is_text) {
            return Err(Error::argument(format!(
                "expected a material asset: a map with the `type` {TYPE:?}, and strings as `version` and `data`"
            )));
        }
        let text = |key: &str| value.get(key).map(|value| value.to_text().to_string()).unwrap_or_default();
        let data = text("data");
        budget.take((data.len() as u64).saturating_mul(VALUE_OF_BYTE), "the glTF document")?;
        Ok(Self {
            version: text("version"),
            kind: text("type"),
            data: serde_json::from_slice(data.as_bytes()).unwrap_or_default(),
        })
    }

    /// A field of the document's material.
    pub fn field(&self, path: &str) -> Option<&Value> {
        self.data.pointer("/materials/0").filter(|first| first.is_object())?.pointer(path)
    }

    /// The texture at a path of the material, and the UUID of its image, if the document has both.
    pub(super) fn texture(&self, path: &str) -> Option<(&Value, &str)> {
        let there = self.field(path)?;
        let source = self.data.pointer(&format!("/textures/{}/source", there.get("index")?.as_u64()?))?;
        Some((there, self.data.pointer(&format!("/images/{}/uri", source.as_u64()?))?.as_str()?))
    }

    /// The textures: the name of each, such as `base colour`, and its UUID.
    pub fn textures(&self) -> impl Iterator<Item = (&'static str, &str)> {
        TEXTURES.into_iter().filter_map(|(name, path)| Some((name, self.texture(path)?.1)))
    }

    /// Every rule of material assets that the asset violates.
    pub fn check(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.kind != TYPE || !["1.0", VERSION].contains(&&*self.version) {
            findings.push(Finding::new(&AS_TEXT, "version", self.type_and_version()));
        }
        match self.data.pointer("/materials").and_then(Value::as_array) {
            Some(list) if list.len() == 1 && list.iter().all(Value::is_object) => {}
            Some(list) => {
                let (path, found) = match list.as_slice() {
                    [other] => ("data.materials[0]", format!("found {other}, which is not a JSON object")),
                    _ => ("data.materials", format!("found {}", Counted::new(list.len(), "materials"))),
                };
                findings.push(Finding::new(&DOCUMENT, path, found));
            }
            None => findings.push(Finding::new(&DOCUMENT, "data", self.no_materials())),
        }
        let path = |path: &str| format!("data.materials[0]{}", path.replace('/', "."));
        for (_, texture) in TEXTURES {
            let Some(there) = self.field(texture) else { continue };
            match self.texture(texture) {
                Some((_, id)) if id.parse::<llsd::Uuid>().is_ok() => {}
                Some((_, id)) => findings.push(Finding::new(
                    &IDS,
                    path(texture),
                    format!("found the URI {id:?}, which is not a UUID"),
                )),
                None => {
                    let found = format!("found {there}, which refers to no image with a URI");
                    findings.push(Finding::new(&IDS, path(texture), found));
                }
            }
        }
        for factor in [
            "/pbrMetallicRoughness/baseColorFactor",
            "/pbrMetallicRoughness/metallicFactor",
            "/pbrMetallicRoughness/roughnessFactor",
            "/emissiveFactor",
            "/alphaCutoff",
        ] {
            let Some(there) = self.field(factor) else { continue };
            let numbers = there.as_array().map_or(std::slice::from_ref(there), Vec::as_slice);
            let is_in_range = |number: &Value| number.as_f64().is_some_and(|n| (0.0..=1.0).contains(&n));
            if !numbers.iter().all(is_in_range) {
                findings.push(Finding::new(&RANGE, path(factor), format!("found {there}")));
            }
        }
        if let Some(mode) = self.field("/alphaMode")
            && !["OPAQUE", "MASK", "BLEND"].contains(&mode.as_str().unwrap_or_default())
        {
            findings.push(Finding::new(&ALPHA, path("/alphaMode"), format!("found {mode}")));
        }
        let [rough, occlusion] = [TEXTURES[1].1, TEXTURES[3].1].map(|path| self.texture(path));
        if let Some((_, id)) = occlusion
            && rough.is_none_or(|(_, other)| other != id)
        {
            findings.push(Finding::new(
                &OCCLUSION,
                path(TEXTURES[3].1),
                format!("found the image {id:?}, which the metallic-roughness texture does not use"),
            ));
        }
        findings
    }

    fn type_and_version(&self) -> String {
        format!("found type {:?} and version {:?}", self.kind, self.version)
    }

    /// Why the document has no list of materials.
    fn no_materials(&self) -> &'static str {
        let is_json = !self.data.is_null();
        if is_json { "found no array `materials`" } else { "found a string that is not a JSON object" }
    }

    /// The material, and the UUIDs of its images by index.
    ///
    /// # Errors
    /// If the asset has another type or version, or its document has no material.
    pub fn material(&self) -> Result<(Material, Vec<String>)> {
        if self.kind != TYPE || !["1.0", VERSION].contains(&&*self.version) {
            let what = format!("expected type {TYPE:?} and version 1.0 or 1.1, {}", self.type_and_version());
            return Err(Error::unreadable(what));
        }
        let number = |path: &str| self.field(path).and_then(Value::as_f64).map(|number| number as f32);
        if self.field("").is_none() {
            let wrong = |path: &str, what: String| Err(Error::unreadable(what).at(path));
            return match self.data.get("materials").and_then(Value::as_array).map(Vec::as_slice) {
                Some([]) => wrong("data.materials", "expected a material, found an empty array".into()),
                Some([first, ..]) => {
                    wrong("data.materials[0]", format!("expected a JSON object, found {first}"))
                }
                None => wrong("data", format!("expected a glTF document, {}", self.no_materials())),
            };
        }
        let mut ids = Vec::new();
        let mut texture = |at: usize| {
            let (there, id) = self.texture(TEXTURES[at].1)?;
            ids.push(id.to_owned());
            let mut texture = Texture::new(ids.len() - 1);
            if let Some(moved) = there.pointer(&format!("/extensions/{TRANSFORM}")) {
                texture.transform = UvTransform {
                    offset: numbers(moved.get("offset"), [0.0; 2]),
                    rotation: moved
                        .get("rotation")
                        .and_then(Value::as_f64)
                        .map_or(0.0, |number| number as f32),
                    scale: numbers(moved.get("scale"), [1.0; 2]),
                };
            }
            Some(texture)
        };
        let material = Material {
            name: self.field("/name").and_then(Value::as_str).unwrap_or_default().to_owned(),
            base_texture: texture(0),
            metallic_roughness_texture: texture(1),
            normal_texture: texture(2),
            occlusion_texture: texture(3),
            emissive_texture: texture(4),
            base_color: numbers(self.field("/pbrMetallicRoughness/baseColorFactor"), [1.0; 4]),
            metallic: number("/pbrMetallicRoughness/metallicFactor").unwrap_or(1.0),
            roughness: number("/pbrMetallicRoughness/roughnessFactor").unwrap_or(1.0),
            emissive: numbers(self.field("/emissiveFactor"), [0.0; 3]),
            alpha: match self.field("/alphaMode").and_then(Value::as_str) {
                Some("MASK") => Alpha::Mask(number("/alphaCutoff").unwrap_or(0.5)),
                Some("BLEND") => Alpha::Blend,
                _ => Alpha::Opaque,
            },
            double_sided: self.field("/doubleSided").and_then(Value::as_bool).unwrap_or(false),
            ..Material::default()
        };
        Ok((material, ids))
    }

    /// A scene with only the material, as the viewer's upload of materials accepts it, and losses. The URIs of images
    /// are their UUIDs.
    ///
    /// # Errors
    /// As [`material`](Self::material).
    // No budget: there is only one material.
    pub fn to_scene(&self, name: &str) -> Result<(Scene, Vec<Loss>)> {
        let (mut material, ids) = self.material()?;
        if material.name.is_empty() {
            name.clone_into(&mut material.name);
        }
        // The images are not files, and glTF cannot refer to them: keep their ids for converting the material back.
        let ids_of = |(_, path): (&str, &str)| {
            let (name, (there, id)) = (path.rsplit('/').next()?, self.texture(path)?);
            let mut kept = json!({ "id": id });
            if let Some(transform) = there.pointer(&format!("/extensions/{TRANSFORM}")) {
                kept[TRANSFORM] = transform.clone();
            }
            Some((name.to_owned(), kept))
        };
        let mut kept = Map::new();
        kept.extend(TEXTURES.into_iter().filter_map(ids_of));
        if !kept.is_empty() {
            material.extras.insert(EXTRAS.into(), kept.into());
        }
        let mut scene = Scene { name: name.to_owned(), materials: vec![material], ..Scene::default() };
        scene.images =
            ids.into_iter().map(|id| Image { name: id.clone(), data: ImageData::Uri(id) }).collect();
        scene.add_node(None, Node { name: "material".into(), ..Node::default() });
        let more = self.data.pointer("/materials").and_then(Value::as_array).map_or(0, Vec::len) - 1;
        let loss = Loss::new("data.materials[1]", "a further material: viewers read only the first one")
            .id("sl.further-material");
        let mut losses = self.unread();
        loss.times(more).count_in(&mut losses);
        Ok((scene, losses))
    }
}

/// Replaces images that are only UUIDs by the files beside the asset that are named after them.
///
/// # Errors
/// If the files need more memory than is left.
pub fn find_textures(
    scene: &mut Scene,
    sources: &mut dyn Sources,
    losses: &mut Vec<Loss>,
    budget: &mut Budget,
) -> Result<()> {
    for image in &mut scene.images {
        if let ImageData::Uri(id) = &image.data
            && id.parse::<llsd::Uuid>().is_ok()
            && let Some(bytes) = texture_file(id, sources, losses, budget)?
        {
            image.data = ImageData::Bytes(bytes);
        }
    }
    Ok(())
}

/// The file of a texture: its UUID with the extension of an image.
pub(crate) fn texture_file(
    id: &str,
    sources: &mut dyn Sources,
    losses: &mut Vec<Loss>,
    budget: &mut Budget,
) -> Result<Option<Vec<u8>>> {
    let mut get = rezkit_core::beside(sources, losses);
    for extension in ["png", "jpg", "webp", "jp2", "j2c"] {
        if let Some(bytes) = get(&format!("{id}.{extension}"), budget.left())? {
            budget.take(bytes.len() as u64, "the textures")?;
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}

/// The first `N` numbers of a list; missing ones are taken from `or`.
fn numbers<const N: usize>(value: Option<&Value>, or: [f32; N]) -> [f32; N] {
    let list = value.and_then(Value::as_array);
    std::array::from_fn(|at| {
        let number = list.and_then(|list| list.get(at)).and_then(Value::as_f64);
        number.map_or(or[at], |number| number as f32)
    })
}

/// Reads the material of an asset, and the UUIDs of its images by index.
///
/// # Errors
/// If the asset is not LLSD, has another type or version, or its document has no material.
pub fn material_from_asset(bytes: &[u8]) -> Result<(Material, Vec<String>)> {
    let value = llsd::ReadOptions::new().max_bytes(MOST_BYTES).read(bytes).map_err(Error::unreadable)?;
    Asset::new(&value, &mut Budget::new(MOST_BYTES * VALUE_OF_BYTE))?.material()
}

/// Converts the first material of a scene to an asset. Images whose URI is a UUID are textures that already exist.
///
/// # Errors
/// [`Empty`](ErrorKind::Empty) if there is no material; otherwise as [`material_to_asset`].
// No budget: there is only one material.
pub fn from_scene(scene: &Scene) -> Result<(Vec<u8>, Vec<Loss>)> {
    let none =
        || Error::new(ErrorKind::Empty, "a material asset requires a material, but the scene has none");
    let id = |image: usize| match &scene.images.get(image)?.data {
        ImageData::Uri(uri) if uri.parse::<llsd::Uuid>().is_ok() => Some(uri.clone()),
        _ => None,
    };
    let (bytes, mut losses) = material_to_asset(scene.materials.first().ok_or_else(none)?, &id)?;
    losses.extend(scene.materials.iter().enumerate().skip(1).map(|(index, other)| {
        Loss::new(
            format!("materials[{index}] {:?}", other.name),
            "a material asset contains only one material: the first one was converted",
        )
        .id("sl.further-material")
    }));
    if scene.triangle_count() > 0 {
        losses.push(Loss::new("meshes", "a material asset cannot contain meshes").id("scene.meshes"));
    }
    Ok((bytes, losses))
}
