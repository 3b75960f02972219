//! Options of reading and writing.

pub use rbxdocument::convert::Fill;
pub use rbxproject::{ExtractOptions, PackOptions};
use rezkit_core::settable;
use rezkit_scene::{
    ModelOptions, SceneOptions,
    roblox::AnimationOptions,
    slmesh::{ChangeOptions, JointNames, MotionOptions},
};

settable! {
    /// Options of reading a file.
    ReadOptions {
        /// The number of bytes that reading one file may allocate: 1 GiB by default.
        max_bytes: u64 = rezkit_core::DEFAULT_MAX_BYTES, u64 => max_bytes;
        /// Read the content as this form, without recognizing it: `binary`, `xml` or `notation` for LLSD
        /// without a header, `json` for LLSD written as JSON, `gltf`, `obj` or `stl`.
        form: Option<String> = None, impl Into<String> => Some(form.into());
    }
}

settable! {
    /// Options of writing an asset: as it was read, unless a form is set.
    WriteOptions {
        /// The name of a form of the asset's format: a version, an encoding, a compression. See
        /// [`FileType::forms`](crate::FileType::forms).
        form: Option<String> = None, impl Into<String> => Some(form.into());
        /// The level of the form `zstd`, 1 to 22.
        level: Option<u32> = None, u32 => Some(level);
        /// Drop what the form cannot represent, instead of refusing.
        allow_loss: bool = false, bool => allow_loss;
        /// Indent LLSD as XML or notation, with an entry on each line.
        pretty: bool = false, bool => pretty;
        /// The number of bytes that writing a Roblox document or LLSD as JSON may allocate, since these can be much
        /// larger than the model in memory: the file has at most half of this size. Unlimited by default.
        max_bytes: Option<u64> = None, u64 => Some(max_bytes);
        /// The number of bytes that writing a Model 3D file may allocate in addition to the file, 1 GiB by default: for
        /// a table of names, and for the original of an edited text, which is read again.
        max_read_bytes: u64 = rezkit_core::DEFAULT_MAX_BYTES, u64 => max_read_bytes;
    }
}

impl WriteOptions {
    /// The maximum size of a file that grows while it is written, which needs twice its size.
    pub(crate) fn most(&self) -> Option<u64> {
        self.max_bytes.map(|max_bytes| max_bytes / 2)
    }
}

settable! {
    /// Options of converting an asset to another format. By default, defaults of classes are filled in, and only
    /// conversions to formats of scenes, such as glTF, drop anything.
    ConvertOptions {
        /// The number of bytes that the result may allocate: 1 GiB by default.
        max_bytes: u64 = rezkit_core::DEFAULT_MAX_BYTES, u64 => max_bytes;
        /// Drop and list what the other format cannot represent, instead of refusing. Conversions to formats of scenes
        /// always do so.
        allow_loss: bool = false, bool => allow_loss;
        /// Write a Roblox document for the client of this month, such as `2016-04`, or of this version, such as `0.240`.
        client: Option<String> = None, impl Into<String> => Some(client.into());
        /// The compression of a binary Roblox document: `none`, `lz4` or `zstd`, and the level of zstd.
        compression: Option<(String, Option<u32>)> = None, (String, Option<u32>) => Some(compression);
        /// Store bytes that several instances of a Roblox document have alike once, as shared strings.
        share: bool = false, bool => share;
        /// Indent LLSD that is written as XML or notation, with an entry on each line.
        pretty: bool = false, bool => pretty;
        /// The source of values that the other format requires and the asset lacks. They are listed.
        fill: Fill = Fill::Defaults, Fill => fill;
        /// The options of the scene, if the conversion uses one.
        scene: SceneOptions = SceneOptions::default(), SceneOptions => scene;
        /// Maps joints of the scene to those of Second Life's avatar.
        joints: Option<JointNames> = None, JointNames => Some(joints);
        /// Playback options of the resulting Second Life motions and Roblox animations. It is an error if there is no
        /// animation, or if an option belongs to the other platform.
        motion: MotionOptions = MotionOptions::default(), MotionOptions => motion;
        /// Changes of the animations. It is an error if they have no effect.
        changes: ChangeOptions = ChangeOptions::default(), ChangeOptions => changes;
        /// Options for writing animations for Roblox.
        animation: AnimationOptions = AnimationOptions::default(), AnimationOptions => animation;
        /// Options for writing a scene as a Roblox model.
        model: ModelOptions = ModelOptions::default(), ModelOptions => model;
        /// Convert only this animation, given by its name or index. It is an error if it does not exist.
        action: Option<String> = None, impl Into<String> => Some(action.into());
    }
}

settable! {
    /// Options of edits.
    EditOptions {
        /// The options of converting an inserted file of another format to a model. With `allow_loss`, values of inserted
        /// models that the document cannot store are dropped. It is an error if an option has no effect.
        convert: ConvertOptions = ConvertOptions::default(), ConvertOptions => convert;
        /// The paths are those before the first edit, whatever the edits before one rename or move. An instance that was
        /// removed with its parent may be removed once more.
        paths_before: bool = false, bool => paths_before;
        /// Apply the steps of a patch also where the document has another value than the patch expects.
        any_old: bool = false, bool => any_old;
    }
}

/// The month of a client, as people write it.
///
/// # Errors
/// If the text is neither a month nor a version that is known.
#[cfg(feature = "history")]
pub(crate) fn month(text: &str) -> rezkit_core::Result<rbxdocument::history::Month> {
    rbxdocument::history::Month::parse(text).ok_or_else(|| {
        let what = "expected a month, such as 2016-04, or a version of Roblox since 0.47, such as 0.240";
        rezkit_core::Error::argument(format!("{what}; found `{text}`"))
    })
}
