//! Files that a file refers to: buffers, images and libraries next to it, and assets by id.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::{ErrorKind, Result};
use geom::wire::Loss;

/// A file that another one refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Reference {
    /// A path relative to the file that refers to it, separated by `/`: a glTF buffer, an image or a material library.
    Beside(String),
    /// An asset of Roblox, by its id.
    Id(u64),
    /// A file of a Roblox installation, below its `content` folder.
    Local(String),
}

impl Reference {
    /// The asset of a URI such as `rbxassetid://1` or `http://www.roblox.com/asset/?id=1`; `None` for an empty one,
    /// an unknown form, and a local path that leaves its folder.
    ///
    /// ```
    /// use rezkit_core::Reference;
    ///
    /// assert_eq!(Reference::of_uri("rbxassetid://123"), Some(Reference::Id(123)));
    /// assert_eq!(Reference::of_uri("http://www.roblox.com//asset/?version=1&id= 45 "), Some(Reference::Id(45)));
    /// assert_eq!(Reference::of_uri("rbxasset://fonts/torso.mesh"), Some(Reference::Local("fonts/torso.mesh".into())));
    /// assert_eq!(Reference::of_uri("rbxasset://../secret"), None);
    /// ```
    pub fn of_uri(uri: &str) -> Option<Self> {
        let uri = uri.trim();
        let lower = uri.to_ascii_lowercase();
        if let Some(path) = lower.strip_prefix("rbxasset://") {
            let path = uri.get(uri.len() - path.len()..)?.trim_start_matches('/').replace('\\', "/");
            let leaves = path.is_empty() || path.split('/').any(|part| part == "..") || path.contains(':');
            return (!leaves).then_some(Self::Local(path));
        }
        if let Some(id) = lower.strip_prefix("rbxassetid://") {
            return id.trim_start().parse().ok().map(Self::Id);
        }
        let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://")).unwrap_or(&lower);
        let rest = rest.strip_prefix("www.").or_else(|| rest.strip_prefix("assetdelivery.")).unwrap_or(rest);
        let rest = rest.strip_prefix("roblox.com/")?.trim_start_matches('/');
        let rest = match rest.split_once('/') {
            Some((version, rest)) if version.strip_prefix('v').is_some_and(|n| n.parse::<u32>().is_ok()) => {
                rest
            }
            _ => rest,
        };
        let rest = rest.strip_prefix("asset")?;
        let query = rest.strip_prefix('/').unwrap_or(rest).strip_prefix('?')?;
        let query = query.split('#').next()?;
        query.split('&').find_map(|pair| pair.strip_prefix("id=")?.trim().parse().ok()).map(Self::Id)
    }
}

impl Reference {
    /// The names of files by asset id, for names that are a number and any extensions. If several files have one
    /// number, the first by name counts.
    ///
    /// ```
    /// use rezkit_core::Reference;
    ///
    /// let ids = Reference::ids_of(["45.png", "123.mesh", "123.bak", "place.rbxl"].map(String::from));
    /// assert_eq!(ids.into_iter().collect::<Vec<_>>(), [(45, "45.png".to_owned()), (123, "123.bak".to_owned())]);
    /// ```
    pub fn ids_of(names: impl IntoIterator<Item = String>) -> BTreeMap<u64, String> {
        let mut ids: BTreeMap<u64, String> = BTreeMap::new();
        for name in names {
            let Some(id) = name.split('.').next().and_then(|number| number.parse().ok()) else { continue };
            match ids.get(&id) {
                Some(known) if *known <= name => {}
                _ => drop(ids.insert(id, name)),
            }
        }
        ids
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Beside(path) => f.write_str(path),
            Self::Id(id) => write!(f, "rbxassetid://{id}"),
            Self::Local(path) => write!(f, "rbxasset://{path}"),
        }
    }
}

/// Provides the files that a file refers to.
pub trait Sources {
    /// The bytes of a file; `None` if it does not exist. `max_bytes` is the memory that is left for it. A source need
    /// not heed it, but one that does, reads no file that is then refused.
    ///
    /// # Errors
    /// If the file exists but cannot be read. Whatever needs the file is listed as lost, with this error's sentence.
    /// [`Limit`](crate::ErrorKind::Limit) if the file has more than `max_bytes` bytes.
    fn get(&mut self, reference: &Reference, max_bytes: u64) -> Result<Option<Vec<u8>>>;
}

/// A function that provides files beside a file by name, given the memory that is left. Lists as lost an existing file
/// that cannot be read, unless it exceeds the memory. If no file has a name with `\`, which separates names on Windows, it
/// is one with `/`. If there is none at a path, the file of the same name beside the file is used, and listed: paths are
/// often those of the computer on which the file was made.
pub fn beside<'a>(
    sources: &'a mut dyn Sources,
    losses: &'a mut Vec<Loss>,
) -> impl FnMut(&str, u64) -> Result<Option<Vec<u8>>> + 'a {
    move |name, max_bytes| {
        let slashed = name.replace('\\', "/");
        let last = slashed.rsplit('/').next().unwrap_or_default();
        let mut paths = vec![name, &slashed, last];
        paths.dedup();
        let mut failed = None;
        for path in paths {
            match sources.get(&Reference::Beside(path.to_owned()), max_bytes) {
                Ok(None) => {}
                Ok(found) => {
                    if path != name && path != slashed {
                        let what = format!(
                            "the file is not at this path: {path}, which is beside the model, is used"
                        );
                        losses.push(Loss::approximated(name, what).id("file.other-path"));
                    }
                    return Ok(found);
                }
                Err(error) if error.kind() == ErrorKind::Limit => return Err(error),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        losses.extend(failed.map(|error| Loss::new(name, error.to_string()).id("file.unreadable")));
        Ok(None)
    }
}

/// No files.
impl Sources for () {
    fn get(&mut self, _: &Reference, _: u64) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

impl<F: FnMut(&Reference, u64) -> Result<Option<Vec<u8>>>> Sources for F {
    fn get(&mut self, reference: &Reference, max_bytes: u64) -> Result<Option<Vec<u8>>> {
        self(reference, max_bytes)
    }
}
