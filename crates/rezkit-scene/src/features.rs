//! The features of scenes besides triangles. Each format lists the features that it keeps; others are listed as lost.

use std::collections::{BTreeMap, HashSet};

use rezkit_core::Loss;
use rezkit_core::plain::shorten;

use crate::model::{Alpha, LEVEL, Material, Node, Scene, UvTransform, Values, Wrap};

/// Declares the features with their names in documents and in lists of losses, and the ids of these losses.
macro_rules! features {
    ($($(#[doc = $doc:literal])+ $name:ident: $title:literal => $loss:literal),+ $(,)?) => {
        /// A feature of a scene that a format may not be able to represent.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[non_exhaustive]
        pub enum Feature {
            $($(#[doc = $doc])+ $name),+
        }

        impl Feature {
            /// All features, in the order of documents.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The name, in lower case.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$name => $title),+
                }
            }

            /// The id of its loss ([`Loss::id`]), if the output does not keep it.
            pub fn loss(self) -> &'static str {
                match self {
                    $(Self::$name => $loss),+
                }
            }
        }
    };
}

features! {
    /// More than one node that is not a joint.
    Nodes: "nodes" => "scene.nodes",
    /// Positions and sizes.
    Size: "position and size" => "scene.size",
    /// Nodes that are not drawn.
    Hidden: "hidden nodes" => "scene.hidden-nodes",
    /// [`Node::light`].
    Lights: "lights" => "scene.lights",
    /// [`Node::camera`].
    Cameras: "cameras" => "scene.cameras",
    /// [`Primitive::targets`](crate::Primitive::targets) with their weights.
    Morphs: "morph targets" => "scene.morph-targets",
    /// [`Node::skin`].
    Skins: "skins" => "scene.skins",
    /// Meshes with different skins.
    SeveralSkins: "several skins" => "scene.skins",
    /// Animated joints.
    JointAnimations: "joint animations" => "scene.joint-animations",
    /// Other animated nodes, and scales.
    NodeAnimations: "animated scales, and animated nodes that are not joints" => "scene.node-animations",
    /// Animated weights of morph targets.
    WeightAnimations: "morph target animations" => "scene.weight-animations",
    /// Normals.
    Normals: "normals" => "scene.normals",
    /// Tangents.
    Tangents: "tangents" => "scene.tangents",
    /// Texture coordinates.
    Uvs: "texture coordinates" => "scene.uvs",
    /// [`Primitive::more_uvs`](crate::Primitive::more_uvs).
    MoreUvs: "texture coordinates after the first set" => "scene.more-uvs",
    /// Vertex colours.
    Colors: "vertex colours" => "scene.vertex-colors",
    /// Vertex colours with an alpha below 255.
    ColorAlpha: "alpha of vertex colours" => "scene.vertex-alpha",
    /// Materials that differ from the default one in more than the name.
    Materials: "materials" => "scene.materials",
    /// [`Material::base_color`].
    BaseColor: "base colour" => "scene.base-color",
    /// [`Material::base_texture`].
    BaseTexture: "base colour texture" => "scene.base-texture",
    /// [`Material::metallic`].
    Metallic: "metalness" => "scene.metalness-roughness",
    /// [`Material::roughness`].
    Roughness: "roughness" => "scene.metalness-roughness",
    /// [`Material::metallic_roughness_texture`].
    MetallicRoughnessTexture: "metalness and roughness texture" => "scene.metalness-roughness",
    /// [`Material::normal_texture`].
    NormalTexture: "normal map" => "scene.normal-map",
    /// [`Material::normal_scale`].
    NormalScale: "strength of the normal map" => "scene.normal-map",
    /// [`Material::occlusion_texture`].
    OcclusionTexture: "occlusion texture" => "scene.occlusion",
    /// [`Material::occlusion_strength`].
    OcclusionStrength: "strength of the occlusion texture" => "scene.occlusion",
    /// [`Material::emissive`].
    Emissive: "emissive colour" => "scene.emissive",
    /// [`Material::emissive_texture`].
    EmissiveTexture: "emissive texture" => "scene.emissive",
    /// [`Material::emissive_strength`].
    EmissiveStrength: "emissive strength" => "scene.emissive",
    /// Blending of an opaque colour by the transparency of its texture.
    AlphaTexture: "transparency of textures" => "scene.alpha-mode",
    /// An alpha mode that does not follow from the base colour and its texture: a cut-off, blending of an opaque colour, or
    /// no blending of a transparent one.
    AlphaMode: "alpha mode" => "scene.alpha-mode",
    /// [`Material::double_sided`].
    DoubleSided: "double-sided surfaces" => "scene.double-sided",
    /// [`Material::unlit`].
    Unlit: "unlit shading" => "scene.unlit",
    /// [`Material::ior`].
    Ior: "index of refraction" => "scene.extended-material",
    /// [`Material::transmission`].
    Transmission: "transmission" => "scene.extended-material",
    /// [`Material::specular`].
    Specular: "strength and colour of specular reflections" => "scene.extended-material",
    /// [`Material::clearcoat`].
    Clearcoat: "clearcoat" => "scene.extended-material",
    /// Textures that use a set of texture coordinates other than the first.
    TextureSet: "choice of the texture coordinate set (texCoord)" => "scene.texture-transform",
    /// [`Texture::transform`](crate::Texture::transform).
    TextureTransform: "texture transform (offset, rotation, scale)" => "scene.texture-transform",
    /// [`Sampler::wrap`](crate::Sampler::wrap) other than repeating.
    Wrapping: "texture wrapping (clamp or mirror)" => "scene.sampler",
    /// The filters of [`Sampler`](crate::Sampler).
    Filters: "texture filters" => "scene.sampler",
    /// Extras of the scene, of nodes, meshes, materials and animations, and the playback of animations.
    Extras: "extras (application-specific data)" => "scene.extras",
    /// [`Scene::copyright`].
    Copyright: "copyright" => "scene.copyright",
}

impl Feature {
    /// The names of all textures of materials and of their features.
    pub(crate) fn textures() -> impl Iterator<Item = &'static str> {
        let clearcoat = [Self::Clearcoat, Self::NormalScale, Self::OcclusionStrength];
        let own = [Self::BaseTexture, Self::MetallicRoughnessTexture, Self::NormalTexture];
        let more = [Self::OcclusionTexture, Self::EmissiveTexture, Self::TextureSet, Self::TextureTransform];
        let all = own.into_iter().chain(more).chain([Self::Wrapping, Self::Filters]).chain(clearcoat);
        all.map(Self::title)
    }
}

/// The first occurrence of a feature, and the number of occurrences.
type Found = BTreeMap<Feature, (String, usize)>;

fn add(found: &mut Found, feature: Feature, is_there: bool, path: impl FnOnce() -> String) {
    if is_there {
        found.entry(feature).or_insert_with(|| (path(), 0)).1 += 1;
    }
}

impl Scene {
    /// The joints of all skins, and the nodes without a mesh that hold them, such as Blender's armatures.
    pub(crate) fn skeleton(&self) -> HashSet<usize> {
        let mut found: HashSet<usize> = self.joints().collect();
        let holds =
            |node: &Node| node.mesh.is_none() && node.children.iter().any(|child| found.contains(child));
        let holders: Vec<usize> =
            (0..).zip(&self.nodes).filter(|(_, node)| holds(node)).map(|(at, _)| at).collect();
        found.extend(holders);
        found
    }

    /// The features of a scene: the first occurrence of each, and the number of occurrences.
    pub fn features(&self) -> BTreeMap<Feature, (String, usize)> {
        let mut found = Found::new();
        let joints: HashSet<usize> = self.joints().collect();
        let skeleton = self.skeleton();
        let reached = self.walk();
        let others = reached.iter().filter(|node| !skeleton.contains(node)).count();
        let skinned: HashSet<usize> = reached.iter().filter_map(|&node| self.nodes[node].skin).collect();
        let drawn = reached.iter().any(|&node| self.nodes[node].mesh.is_some());
        add(&mut found, Feature::Size, drawn, || "positions".into());
        add(&mut found, Feature::Nodes, others > 1, || "nodes".into());
        add(&mut found, Feature::SeveralSkins, skinned.len() > 1, || "skins".into());
        add(&mut found, Feature::Copyright, !self.copyright.is_empty(), || "scene".into());
        add(&mut found, Feature::Extras, !self.extras.is_empty(), || "scene".into());
        for node in reached {
            self.node_features(node, &mut found);
        }
        for (at, mesh) in self.meshes.iter().enumerate() {
            add(&mut found, Feature::Extras, !mesh.extras.is_empty(), || format!("meshes[{at}]"));
            for (part, primitive) in mesh.primitives.iter().enumerate() {
                let path = || format!("meshes[{at}].primitives[{part}]");
                let columns = &primitive.mesh;
                let material = primitive.material.and_then(|index| self.materials.get(index));
                let plain = |material: &Material| {
                    *material == Material { name: material.name.clone(), ..Material::default() }
                };
                let sees_through = columns.colors.iter().any(|color| color.a < u16::MAX);
                for (feature, is_there) in [
                    (Feature::Normals, !columns.normals.is_empty()),
                    (Feature::Tangents, !columns.tangents.is_empty()),
                    (Feature::Uvs, !columns.uvs.is_empty()),
                    (Feature::MoreUvs, primitive.more_uvs.iter().any(|set| !set.is_empty())),
                    (Feature::Colors, !columns.colors.is_empty()),
                    (Feature::ColorAlpha, sees_through),
                    (Feature::Morphs, !primitive.targets.is_empty()),
                    (Feature::Materials, material.is_some_and(|material| !plain(material))),
                ] {
                    add(&mut found, feature, is_there, path);
                }
            }
        }
        for (at, material) in self.materials.iter().enumerate() {
            material_features(material, &mut found, &|| format!("materials[{at}]"));
        }
        for (at, animation) in self.animations.iter().enumerate() {
            let kinds: HashSet<Feature> = animation
                .channels
                .iter()
                .map(|channel| match &channel.values {
                    Values::Weights(_) => Feature::WeightAnimations,
                    Values::Scale(_) => Feature::NodeAnimations,
                    _ if joints.contains(&channel.node) => Feature::JointAnimations,
                    _ => Feature::NodeAnimations,
                })
                .collect();
            kinds.into_iter().for_each(|kind| add(&mut found, kind, true, || format!("animations[{at}]")));
            let has_extras = !animation.extras.is_empty() || !animation.playback.stated().is_empty();
            add(&mut found, Feature::Extras, has_extras, || format!("animations[{at}]"));
        }
        found
    }

    fn node_features(&self, at: usize, found: &mut Found) {
        let Node { hidden, light, camera, skin, extras, .. } = &self.nodes[at];
        // The extra `lod` of Roblox meshes is not a feature that is lost.
        let has_extras = extras.keys().any(|key| key != LEVEL);
        for (feature, is_there) in [
            (Feature::Hidden, *hidden),
            (Feature::Lights, light.is_some()),
            (Feature::Cameras, camera.is_some()),
            (Feature::Skins, skin.is_some()),
            (Feature::Extras, has_extras),
        ] {
            add(found, feature, is_there, || format!("nodes[{at}]"));
        }
    }

    /// Lists columns that only some of the meshes have, each with the value that a format that joins all meshes fills in.
    pub(crate) fn filled_columns(&self, columns: &[(Feature, &str)]) -> Vec<Loss> {
        let meshes: HashSet<usize> =
            self.visible().into_iter().filter_map(|node| self.nodes[node].mesh).collect();
        let primitives = meshes.iter().flat_map(|&mesh| &self.meshes[mesh].primitives);
        let joined: Vec<&geom::TriMesh> =
            primitives.map(|primitive| &*primitive.mesh).filter(|mesh| !mesh.positions.is_empty()).collect();
        let filled = columns.iter().filter_map(|&(feature, value)| {
            let lacks = |mesh: &&&geom::TriMesh| match feature {
                Feature::Normals => mesh.normals.is_empty(),
                Feature::Uvs => mesh.uvs.is_empty(),
                Feature::Tangents => mesh.tangents.is_empty(),
                _ => mesh.colors.is_empty(),
            };
            let what = format!(
                "{0} ({value}) of meshes that lack them, since the output has {0} for all meshes or for none",
                feature.title()
            );
            let mut loss = Loss::filled_in("meshes", what).id("scene.filled-column").about([feature.title()]);
            loss.count = joined.iter().filter(lacks).count();
            if feature == Feature::Colors {
                loss = loss.about([Feature::ColorAlpha.title()]);
            }
            (1..joined.len()).contains(&loss.count).then_some(loss)
        });
        filled.collect()
    }

    /// The loss of nodes, with the first names that are lost.
    fn flattened_text(&self) -> String {
        const MOST: usize = 5;
        let mut names: Vec<String> =
            self.object_names().take(MOST + 1).map(|name| format!("{:?}", shorten(name, 50))).collect();
        if names.len() > MOST {
            names[MOST] = "…".to_owned();
        }
        let names = match names.len() {
            0 | 1 => String::new(),
            _ => format!(", without the names of its objects: {}", names.join(", ")),
        };
        format!("node hierarchy flattened into one mesh{names}")
    }

    /// The losses of a format that keeps only these features. A format that loses the size reports that itself.
    pub fn losses_but(&self, kept: &[Feature]) -> Vec<Loss> {
        let has_materials = kept.contains(&Feature::Materials);
        let of_material = Feature::BaseColor..=Feature::Filters;
        let found = self.features();
        let below: Vec<&str> = found
            .keys()
            .filter(|feature| of_material.contains(feature))
            .map(|feature| feature.title())
            .collect();
        // Meshes without their skins are listed once.
        let skins = [Feature::Skins, Feature::SeveralSkins].map(|feature| found.contains_key(&feature));
        let is_told = |feature: &Feature| {
            skins == [true; 2] && *feature == Feature::SeveralSkins && !kept.contains(&Feature::Skins)
        };
        let lost = found.iter().filter(|(feature, _)| {
            **feature != Feature::Size
                && !kept.contains(feature)
                && !is_told(feature)
                && (has_materials || !of_material.contains(feature))
        });
        lost.map(|(&feature, (path, count))| {
            let rule = feature.loss();
            let loss = match feature {
                Feature::Nodes => Loss::approximated(path.as_str(), self.flattened_text()).id(rule),
                Feature::Skins => {
                    let what = "mesh written in its rest pose, without its skin";
                    Loss::approximated(path.as_str(), what).id(rule)
                }
                Feature::SeveralSkins => {
                    let what = "meshes written in their rest pose, without their skins";
                    Loss::approximated(path.as_str(), what).id(rule)
                }
                Feature::Morphs => {
                    let what = "morph targets baked into the mesh at their current weights";
                    Loss::approximated(path.as_str(), what).id(rule)
                }
                _ => Loss::new(path.as_str(), feature.title()).id(rule),
            };
            // A material is lost with everything in it.
            let below = match feature {
                Feature::Materials => &below[..],
                Feature::Skins if skins[1] => &[Feature::SeveralSkins.title()],
                _ => &[],
            };
            loss.times(*count).about([feature.title()]).about(below.iter().copied())
        })
        .collect()
    }
}

fn material_features(material: &Material, found: &mut Found, path: &dyn Fn() -> String) {
    let default = Material::default();
    let [.., alpha] = material.base_color;
    let expected = if alpha < 1.0 { Alpha::Blend } else { Alpha::Opaque };
    let is_in_texture = material.alpha == Alpha::Blend && alpha >= 1.0 && material.base_texture.is_some();
    let wraps = material.textures().any(|texture| texture.sampler.wrap != [Wrap::Repeat; 2]);
    let filters = |sampler: crate::Sampler| (sampler.mag.or(sampler.min).or(sampler.mip)).is_some();
    for (feature, is_there) in [
        (Feature::BaseColor, material.base_color != default.base_color),
        (Feature::BaseTexture, material.base_texture.is_some()),
        (Feature::Metallic, material.metallic != default.metallic),
        (Feature::Roughness, material.roughness != default.roughness),
        (Feature::MetallicRoughnessTexture, material.metallic_roughness_texture.is_some()),
        (Feature::NormalTexture, material.normal_texture.is_some()),
        (Feature::NormalScale, material.normal_scale != default.normal_scale),
        (Feature::OcclusionTexture, material.occlusion_texture.is_some()),
        (Feature::OcclusionStrength, material.occlusion_strength != default.occlusion_strength),
        (Feature::Emissive, material.emissive != default.emissive),
        (Feature::EmissiveTexture, material.emissive_texture.is_some()),
        (Feature::EmissiveStrength, material.emissive_strength != default.emissive_strength),
        (Feature::AlphaTexture, is_in_texture),
        (Feature::AlphaMode, material.alpha != expected && !is_in_texture),
        (Feature::DoubleSided, material.double_sided),
        (Feature::Unlit, material.unlit),
        (Feature::Ior, material.ior.is_some()),
        (Feature::Transmission, material.transmission.is_some()),
        (Feature::Specular, material.specular.is_some()),
        (Feature::Clearcoat, material.clearcoat.is_some()),
        (Feature::TextureSet, material.textures().any(|texture| texture.set != 0)),
        (
            Feature::TextureTransform,
            material.textures().any(|texture| texture.transform != UvTransform::default()),
        ),
        (Feature::Wrapping, wraps),
        (Feature::Filters, material.textures().any(|texture| filters(texture.sampler))),
        (Feature::Extras, !material.extras.is_empty()),
    ] {
        add(found, feature, is_there, path);
    }
}
