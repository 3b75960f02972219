//! What a file holds, whatever its format.

use std::path::Path;

use crate::Outcome;

/// The forms, for the help of `convert`.
pub(crate) const FORMS: &str = "Forms:
  Roblox mesh          1.00 1.01 2.00 3.00 3.01 4.00 4.01 5.00 6.00 7.00
  Roblox binary        none lz4 zstd (the compression of the chunks)
  Model 3D             binary raw ascii
  LLSD                 binary xml notation
  Roblox XML and Second Life mesh have one form, in which they are written again";

/// The content of a file.
#[derive(Debug)]
pub(crate) enum Content {
    Mesh(Box<rbxmesh::Mesh>),
    Binary(Box<rbxbinary::Document>),
    Xml(Box<rbxxml::Document>),
    Model(Box<m3d::Model>),
    Asset(Box<slmesh::Asset>),
    Slm(Box<slmesh::Slm>),
    Llsd(Box<llsd::Document>),
}

/// A broken rule, of whichever format.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) is_error: bool,
    pub(crate) rule: &'static str,
    pub(crate) path: String,
    pub(crate) what: String,
    pub(crate) count: usize,
    /// All of it as a line.
    pub(crate) text: String,
}

macro_rules! broken {
    ($format:ident, $findings:expr) => {
        $findings
            .into_iter()
            .map(|finding| Broken {
                is_error: finding.severity == $format::Severity::Error,
                text: finding.to_string(),
                rule: finding.rule,
                path: finding.path,
                what: finding.what,
                count: finding.count,
            })
            .collect()
    };
}

impl Content {
    /// Reads a file of any known format.
    pub(crate) fn read(bytes: &[u8], max_bytes: u64) -> Outcome<Self> {
        if rbxmesh::detect(bytes).is_some() {
            let mesh = rbxmesh::ReadOptions::new().max_bytes(max_bytes).read(bytes)?;
            return Ok(Self::Mesh(mesh.into()));
        }
        if rbxbinary::detect(bytes).is_some() {
            let document = rbxbinary::ReadOptions::new().max_bytes(max_bytes).read(bytes)?;
            return Ok(Self::Binary(document.into()));
        }
        if rbxxml::detect(bytes).is_some() {
            let document = rbxxml::ReadOptions::new().max_bytes(max_bytes).read(bytes)?;
            return Ok(Self::Xml(document.into()));
        }
        if m3d::detect(bytes).is_some() {
            let model = m3d::ReadOptions::new().max_bytes(max_bytes).read(bytes)?;
            return Ok(Self::Model(model.into()));
        }
        let options = slmesh::ReadOptions::new().max_bytes(max_bytes);
        match slmesh::detect(bytes) {
            Some(slmesh::Kind::Slm) => return Ok(Self::Slm(options.read_slm(bytes)?.into())),
            Some(_) => return Ok(Self::Asset(options.read(bytes)?.into())),
            None => {}
        }
        if llsd::detect(bytes).is_some() {
            let document = llsd::ReadOptions::new().max_bytes(max_bytes).read_document(bytes)?;
            return Ok(Self::Llsd(document.into()));
        }
        Err("of no known format".into())
    }

    /// The name of the crate that reads it.
    pub(crate) fn format(&self) -> &'static str {
        match self {
            Self::Mesh(_) => "rbxmesh",
            Self::Binary(_) => "rbxbinary",
            Self::Xml(_) => "rbxxml",
            Self::Model(_) => "m3d",
            Self::Asset(_) | Self::Slm(_) => "slmesh",
            Self::Llsd(_) => "llsd",
        }
    }

    /// The version or the form within its format.
    pub(crate) fn version(&self) -> String {
        match self {
            Self::Mesh(mesh) => mesh.version.to_string(),
            Self::Binary(document) => document.header.version.to_string(),
            Self::Xml(document) => document.version().map_or_else(String::new, |version| version.to_string()),
            Self::Model(model) => variant(model).to_string(),
            Self::Asset(_) => slmesh::Kind::Asset.to_string(),
            Self::Slm(_) => slmesh::Kind::Slm.to_string(),
            Self::Llsd(document) => llsd_form(document.layout.encoding).to_owned(),
        }
    }

    /// How much of what is in it.
    pub(crate) fn facts(&self) -> Vec<(&'static str, usize)> {
        match self {
            Self::Mesh(mesh) => vec![
                ("vertices", mesh.vertices.len()),
                ("faces", mesh.faces.len()),
                ("levels of detail", mesh.lods().count()),
                ("bones", mesh.bones.len()),
                ("facial poses", mesh.facs().map_or(0, |facs| facs.pose_count())),
            ],
            Self::Binary(document) => vec![
                ("instances", document.instance_count()),
                ("roots", document.tree().roots().count()),
                ("classes", document.classes.len()),
                ("shared strings", document.shared_strings.len()),
            ],
            Self::Xml(document) => vec![
                ("instances", document.items().count()),
                ("roots", document.roots().count()),
                ("shared strings", document.shared_strings.len()),
            ],
            Self::Model(model) => vec![
                ("vertices", model.vertices.len()),
                ("triangles", model.to_tri_mesh().triangles.len()),
                ("bones", model.bones.len()),
                ("actions", model.actions.len()),
                ("materials", model.materials.len()),
                ("voxel blocks", model.voxel_blocks.len()),
                ("shapes", model.shapes.len()),
            ],
            Self::Asset(asset) => asset_facts(asset),
            Self::Slm(slm) => vec![("meshes", slm.meshes.len()), ("instances", slm.instances.len())],
            Self::Llsd(document) => vec![("values", values(&document.value))],
        }
    }

    /// The rules that it breaks.
    pub(crate) fn check(&self) -> Vec<Broken> {
        match self {
            Self::Mesh(mesh) => broken!(rbxmesh, rbxmesh::check(mesh)),
            Self::Binary(document) => broken!(rbxbinary, rbxbinary::check(document)),
            Self::Xml(document) => broken!(rbxxml, rbxxml::check(document)),
            Self::Model(model) => broken!(m3d, m3d::check(model)),
            Self::Asset(asset) => broken!(slmesh, slmesh::check(asset)),
            Self::Slm(slm) => broken!(slmesh, slm.meshes.iter().flat_map(slmesh::check)),
            Self::Llsd(document) => broken!(llsd, llsd::check(&document.value)),
        }
    }

    /// The form that the name of a file asks for.
    pub(crate) fn form_of_name(&self, path: &Path) -> Option<&'static str> {
        let extension = path.extension()?.to_str()?;
        match self {
            Self::Model(model) if extension == "m3d" && variant(model) == m3d::Variant::Ascii => {
                Some("binary")
            }
            Self::Model(_) if extension == "a3d" => Some("ascii"),
            _ => None,
        }
    }

    /// The bytes of the content in a form of its format; as it was read unless one is named.
    pub(crate) fn write(&self, to: Option<&str>, allow_loss: bool) -> Outcome<Vec<u8>> {
        let unknown = |to: &str| format!("{} is not written as {to}\n\n{FORMS}", self.format());
        Ok(match self {
            Self::Mesh(mesh) => {
                let mut options = rbxmesh::WriteOptions::new().allow_loss(allow_loss);
                if let Some(to) = to {
                    let known = rbxmesh::Version::ALL.into_iter().find(|version| version.to_string() == to);
                    options = options.version(known.ok_or_else(|| unknown(to))?);
                }
                options.write(mesh)?
            }
            Self::Binary(document) => {
                let mut options = rbxbinary::WriteOptions::new().allow_loss(allow_loss);
                if let Some(to) = to {
                    options = options.compression(match to {
                        "none" => rbxbinary::Compression::None,
                        "lz4" => rbxbinary::Compression::Lz4,
                        "zstd" => rbxbinary::Compression::Zstd,
                        _ => return Err(unknown(to).into()),
                    });
                }
                options.write(document)?
            }
            Self::Model(model) => {
                let options = m3d::WriteOptions::new();
                let options = match to {
                    None => options,
                    Some("binary") => options.variant(m3d::Variant::Binary),
                    Some("raw") => options.variant(m3d::Variant::Binary).raw(true),
                    Some("ascii") => options.variant(m3d::Variant::Ascii),
                    Some(to) => return Err(unknown(to).into()),
                };
                options.write(model)?
            }
            Self::Llsd(document) => match to {
                None => document.to_vec()?,
                Some(to) => {
                    let known = llsd::Encoding::ALL.into_iter().find(|&encoding| llsd_form(encoding) == to);
                    llsd::to_vec(&document.value, known.ok_or_else(|| unknown(to))?)?
                }
            },
            Self::Xml(_) | Self::Asset(_) | Self::Slm(_) if to.is_some() => {
                return Err(unknown(to.unwrap_or_default()).into());
            }
            Self::Xml(document) => rbxxml::to_vec(document)?,
            Self::Asset(asset) => slmesh::to_vec(asset)?,
            Self::Slm(slm) => slm.to_vec()?,
        })
    }
}

/// The name of an encoding, as `convert` takes it.
fn llsd_form(encoding: llsd::Encoding) -> &'static str {
    match encoding {
        llsd::Encoding::Binary => "binary",
        llsd::Encoding::Xml => "xml",
        llsd::Encoding::Notation => "notation",
    }
}

/// Whether a model was read from chunks or from text.
fn variant(model: &m3d::Model) -> m3d::Variant {
    if model.layout.text.is_some() { m3d::Variant::Ascii } else { m3d::Variant::Binary }
}

fn asset_facts(asset: &slmesh::Asset) -> Vec<(&'static str, usize)> {
    let mut facts =
        vec![("faces", asset.levels().map(|(_, level)| level.submeshes.len()).max().unwrap_or(0))];
    let names = ["triangles, lowest", "triangles, low", "triangles, medium", "triangles, high"];
    for (lod, name) in slmesh::Lod::ALL.into_iter().zip(names) {
        if asset.level(lod).is_some() {
            facts.push((name, asset.triangle_count(lod)));
        }
    }
    facts.push(("joints", asset.skin.as_ref().map_or(0, |skin| skin.joint_names.len())));
    facts
}

/// How many values there are, one in another counted too.
fn values(value: &llsd::Value) -> usize {
    let ends = |event: &llsd::Event<'_>| {
        matches!(event, llsd::Event::EndArray | llsd::Event::EndMap | llsd::Event::Key(_))
    };
    value.events().filter(|event| !ends(event)).count()
}
