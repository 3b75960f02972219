//! How to read and how to write.

#[cfg(feature = "scene")]
use rezkit_scene::{
    SceneOptions,
    roblox::AnimationOptions,
    slmesh::{JointNames, MotionOptions},
};

/// Options with their defaults, and a method for each that sets it.
macro_rules! options {
    ($(#[$about:meta])* $name:ident { $(
        $(#[doc = $doc:expr])* $(#[cfg($($when:tt)*)])? $field:ident: $type:ty = $default:expr, $from:ty => $value:expr;
    )* }) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct $name { $( $(#[doc = $doc])* $(#[cfg($($when)*)])? pub $field: $type, )* }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $(#[cfg($($when)*)])? $field: $default, )* }
            }
        }

        impl $name {
            /// The defaults.
            pub fn new() -> Self {
                Self::default()
            }

            $(
                $(#[doc = $doc])*
                $(#[cfg($($when)*)])?
                #[must_use]
                pub fn $field(mut self, $field: $from) -> Self {
                    self.$field = $value;
                    self
                }
            )*
        }
    };
}

options! {
    /// How to read a file.
    ReadOptions {
        /// How many bytes reading one file may allocate: 1 GiB unless set.
        max_bytes: u64 = 1 << 30, u64 => max_bytes;
        /// Read content that cannot be recognized as this form: `binary`, `xml` or `notation` are LLSD
        /// without a header, `json` is LLSD written as JSON.
        form: Option<String> = None, impl Into<String> => Some(form.into());
    }
}

options! {
    /// How to write an asset: as it was read, unless a form is named.
    WriteOptions {
        /// The name of a form of the asset's format: a version, an encoding, a compression. See
        /// [`Kind::forms`](crate::Kind::forms).
        form: Option<String> = None, impl Into<String> => Some(form.into());
        /// Leave out what the form cannot represent, instead of refusing.
        allow_loss: bool = false, bool => allow_loss;
        /// How many bytes the file may have if it can be much larger than what is in memory: XML, whose lines are indented.
        max_bytes: Option<u64> = None, u64 => Some(max_bytes);
    }
}

options! {
    /// How to turn an asset of one format into one of another. Unless set, nothing is left out and nothing is filled in.
    ConvertOptions {
        /// How many bytes the result may allocate: 1 GiB unless set.
        max_bytes: u64 = 1 << 30, u64 => max_bytes;
        /// Leave out what the other format cannot represent, and list it.
        allow_loss: bool = false, bool => allow_loss;
        /// Fill in what the other format needs, and list it.
        fill: Fill = Fill::Refuse, Fill => fill;
        /// How the asset becomes a scene, if the conversion is by way of one.
        #[cfg(feature = "scene")]
        scene: SceneOptions = SceneOptions::default(), SceneOptions => scene;
        /// What the joints of the scene are of the avatar of Second Life: they get its names.
        #[cfg(feature = "scene")]
        joints: Option<JointNames> = None, JointNames => Some(joints);
        /// How the motions of Second Life and the animations of Roblox are played that animations become. An error if there is
        /// no animation, or an option is of the other platform.
        #[cfg(feature = "scene")]
        motion: MotionOptions = MotionOptions::default(), MotionOptions => motion;
        /// How animations are written for Roblox.
        #[cfg(feature = "scene")]
        animation: AnimationOptions = AnimationOptions::default(), AnimationOptions => animation;
        /// Of several animations the only one that is converted: its name or its index. An error if it is absent.
        #[cfg(feature = "scene")]
        action: Option<String> = None, impl Into<String> => Some(action.into());
    }
}

options! {
    /// How files of a project are put back into a document: edited and new scripts, and nothing is removed.
    PackOptions {
        /// Remove scripts whose files are missing, unless something is below them.
        remove: bool = false, bool => remove;
    }
}

options! {
    /// Which files are made of what is in a file: scripts, textures, and what is stored as bytes.
    ExtractOptions {
        /// Write what is not a script into models, too, so that the project has everything of a place: `rbxm` for the binary
        /// form, `rbxmx` for XML.
        models: Option<String> = None, impl Into<String> => Some(models.into());
        /// Replace bytes that XML cannot represent, in models of the form XML, and list them, instead of refusing.
        allow_loss: bool = false, bool => allow_loss;
    }
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

impl ConvertOptions {
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
}
