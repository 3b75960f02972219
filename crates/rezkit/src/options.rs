//! How to read and how to write.

/// How to read a file.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    pub(crate) max_bytes: u64,
    pub(crate) form: Option<String>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { max_bytes: 1 << 30, form: None }
    }
}

impl ReadOptions {
    /// The default: 1 GiB.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes reading one file may allocate.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Read content that cannot be recognized as this form: `binary`, `xml` or `notation` are LLSD
    /// without a header, `json` is LLSD written as JSON.
    #[must_use]
    pub fn form(mut self, form: impl Into<String>) -> Self {
        self.form = Some(form.into());
        self
    }
}

/// How to write an asset: as it was read, unless a form is named.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    pub(crate) form: Option<String>,
    pub(crate) allow_loss: bool,
    pub(crate) max_bytes: Option<u64>,
}

impl WriteOptions {
    /// As it was read, and nothing is left out.
    pub fn new() -> Self {
        Self::default()
    }

    /// The name of a form of the asset's format: a version, an encoding, a compression. See
    /// [`Kind::forms`](crate::Kind::forms).
    #[must_use]
    pub fn form(mut self, form: impl Into<String>) -> Self {
        self.form = Some(form.into());
        self
    }

    /// Leave out what the form cannot represent, instead of refusing.
    #[must_use]
    pub fn allow_loss(mut self, allow_loss: bool) -> Self {
        self.allow_loss = allow_loss;
        self
    }

    /// How many bytes the file may have if it can be much larger than what is in memory: XML, whose lines are indented.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = Some(max_bytes);
        self
    }
}

/// How to turn an asset of one format into one of another.
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    pub(crate) max_bytes: u64,
    pub(crate) allow_loss: bool,
    pub(crate) fill: Fill,
    #[cfg(feature = "scene")]
    pub(crate) scene: rezkit_scene::SceneOptions,
    #[cfg(feature = "scene")]
    pub(crate) joints: Option<rezkit_scene::slmesh::JointNames>,
    #[cfg(feature = "scene")]
    pub(crate) motion: rezkit_scene::slmesh::MotionOptions,
    #[cfg(feature = "scene")]
    pub(crate) animation: rezkit_scene::roblox::AnimationOptions,
    #[cfg(feature = "scene")]
    pub(crate) action: Option<String>,
}

/// Where values come from that the other format needs and the asset does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fill {
    /// From nowhere: it is refused.
    #[default]
    Refuse,
    /// The value that means least: zero and empty; of flags and items what the class has. Refused for geometry, colours,
    /// identifiers and content.
    Neutral,
    /// The default of Roblox's class database, and the neutral one if it has none.
    Defaults,
}

impl Default for ConvertOptions {
    fn default() -> Self {
        Self {
            max_bytes: 1 << 30,
            allow_loss: false,
            fill: Fill::Refuse,
            #[cfg(feature = "scene")]
            scene: rezkit_scene::SceneOptions::default(),
            #[cfg(feature = "scene")]
            joints: None,
            #[cfg(feature = "scene")]
            motion: rezkit_scene::slmesh::MotionOptions::default(),
            #[cfg(feature = "scene")]
            animation: rezkit_scene::roblox::AnimationOptions::default(),
            #[cfg(feature = "scene")]
            action: None,
        }
    }
}

impl ConvertOptions {
    /// Nothing is left out, nothing is filled in.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leave out what the other format cannot represent, and list it.
    #[must_use]
    pub fn allow_loss(mut self, allow_loss: bool) -> Self {
        self.allow_loss = allow_loss;
        self
    }

    /// Fill in what the other format needs, and list it.
    #[must_use]
    pub fn fill(mut self, fill: Fill) -> Self {
        self.fill = fill;
        self
    }

    /// How the asset becomes a scene, if the conversion is by way of one.
    #[cfg(feature = "scene")]
    #[must_use]
    pub fn scene(mut self, scene: rezkit_scene::SceneOptions) -> Self {
        self.scene = scene;
        self
    }

    /// What the joints of the scene are of the avatar of Second Life: they get its names.
    #[cfg(feature = "scene")]
    #[must_use]
    pub fn joints(mut self, joints: rezkit_scene::slmesh::JointNames) -> Self {
        self.joints = Some(joints);
        self
    }

    /// Of several animations the only one that is converted: its name or its index. An error if it is absent.
    #[cfg(feature = "scene")]
    #[must_use]
    pub fn action(mut self, action: impl Into<String>) -> Self {
        self.action = Some(action.into());
        self
    }

    /// How animations are written for Roblox.
    #[cfg(feature = "scene")]
    #[must_use]
    pub fn animation(mut self, animation: rezkit_scene::roblox::AnimationOptions) -> Self {
        self.animation = animation;
        self
    }

    /// Whether anything is set that is of animations alone.
    pub(crate) fn has_animation_options(&self) -> bool {
        #[cfg(feature = "scene")]
        let has = self.animation != Default::default()
            || self.scene.rig.is_some()
            || self.action.is_some()
            || self.joints.is_some()
            || !self.motion.is_empty();
        #[cfg(not(feature = "scene"))]
        let has = false;
        has
    }

    /// How the motions of Second Life and the animations of Roblox are played that animations become. An error if there is no
    /// animation, or an option is of the other platform.
    #[cfg(feature = "scene")]
    #[must_use]
    pub fn motion(mut self, motion: rezkit_scene::slmesh::MotionOptions) -> Self {
        self.motion = motion;
        self
    }
}

/// How files of a project are put back into a document.
#[derive(Clone, Copy, Debug, Default)]
pub struct PackOptions {
    pub(crate) remove: bool,
}

impl PackOptions {
    /// Edited and new scripts are put back, nothing is removed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Remove scripts whose files are missing, unless something is below them.
    #[must_use]
    pub fn remove(mut self, remove: bool) -> Self {
        self.remove = remove;
        self
    }
}

/// Which files are made of what is in a file.
#[derive(Clone, Debug, Default)]
pub struct ExtractOptions {
    pub(crate) models: Option<String>,
    pub(crate) allow_loss: bool,
}

impl ExtractOptions {
    /// Scripts, textures, and what is stored as bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Write what is not a script into models, too, so that the project has everything of a place: `rbxm` for the binary
    /// form, `rbxmx` for XML.
    #[must_use]
    pub fn models(mut self, extension: impl Into<String>) -> Self {
        self.models = Some(extension.into());
        self
    }

    /// Replace bytes that XML cannot represent, in models of the form XML, and list them, instead of refusing.
    #[must_use]
    pub fn allow_loss(mut self, allow: bool) -> Self {
        self.allow_loss = allow;
        self
    }
}
