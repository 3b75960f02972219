//! Options of reading and writing.

/// Options of reading a file.
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

    /// The memory that reading one file may allocate, in bytes.
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

/// Options of writing an asset: as it was read, unless a form is set.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    pub(crate) form: Option<String>,
    pub(crate) allow_loss: bool,
    pub(crate) max_bytes: Option<u64>,
}

impl WriteOptions {
    /// As it was read, and nothing is dropped.
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

    /// Drop what the form cannot represent, instead of refusing.
    #[must_use]
    pub fn allow_loss(mut self, allow_loss: bool) -> Self {
        self.allow_loss = allow_loss;
        self
    }

    /// The maximum size of the file, for forms that can be much larger than the model in memory, such as XML.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = Some(max_bytes);
        self
    }
}

/// Options of converting an asset to another format.
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

/// The source of values that the other format requires and the asset lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fill {
    /// From nowhere: it is refused.
    #[default]
    Refuse,
    /// The neutral value: zero or empty; for flags and items the class's default. Refused for geometry, colours, identifiers and
    /// content.
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
    /// Nothing is dropped or filled in.
    pub fn new() -> Self {
        Self::default()
    }

    /// Drop and list what the other format cannot represent.
    #[must_use]
    pub fn allow_loss(mut self, allow_loss: bool) -> Self {
        self.allow_loss = allow_loss;
        self
    }

    /// Fill in and list what the other format requires.
    #[must_use]
    pub fn fill(mut self, fill: Fill) -> Self {
        self.fill = fill;
        self
    }

    /// The options of the scene, if the conversion uses one.
    #[cfg(feature = "scene")]
    #[must_use]
    pub fn scene(mut self, scene: rezkit_scene::SceneOptions) -> Self {
        self.scene = scene;
        self
    }

    /// Maps joints of the scene to those of Second Life's avatar.
    #[cfg(feature = "scene")]
    #[must_use]
    pub fn joints(mut self, joints: rezkit_scene::slmesh::JointNames) -> Self {
        self.joints = Some(joints);
        self
    }

    /// Converts only this animation: its name or index. An error if it does not exist.
    #[cfg(feature = "scene")]
    #[must_use]
    pub fn action(mut self, action: impl Into<String>) -> Self {
        self.action = Some(action.into());
        self
    }

    /// Options for writing animations for Roblox.
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

    /// Playback options of the resulting Second Life motions and Roblox animations. An error if there is no animation, or
    /// if an option belongs to the other platform.
    #[cfg(feature = "scene")]
    #[must_use]
    pub fn motion(mut self, motion: rezkit_scene::slmesh::MotionOptions) -> Self {
        self.motion = motion;
        self
    }
}

/// Options of packing files of a project into a document.
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

/// Options of extracting files.
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

    /// Also write everything except scripts as models, so that the project has the whole place: `rbxm` for the binary
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
