//! Which asset a property refers to.

/// An asset that a document refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AssetRef {
    /// An asset of Roblox by its id.
    Id(u64),
    /// A file that comes with the program, relative to its content folder.
    Local(String),
}

impl AssetRef {
    /// The asset of a URI such as `rbxassetid://1` or `http://www.roblox.com/asset/?id=1`; `None` for
    /// an empty one, for one of another form, and for a local path that leaves its folder.
    ///
    /// ```
    /// use rezkit::scene::roblox::AssetRef;
    ///
    /// assert_eq!(AssetRef::parse("rbxassetid://123"), Some(AssetRef::Id(123)));
    /// assert_eq!(AssetRef::parse("http://www.roblox.com//asset/?version=1&id=45 "), Some(AssetRef::Id(45)));
    /// assert_eq!(AssetRef::parse("rbxasset://fonts/torso.mesh"), Some(AssetRef::Local("fonts/torso.mesh".into())));
    /// assert_eq!(AssetRef::parse("rbxasset://../secret"), None);
    /// ```
    pub fn parse(uri: &str) -> Option<Self> {
        let uri = uri.trim();
        let lower = uri.to_ascii_lowercase();
        if let Some(path) = lower.strip_prefix("rbxasset://") {
            let path = uri.get(uri.len() - path.len()..)?.trim_start_matches('/').replace('\\', "/");
            let leaves = path.is_empty() || path.split('/').any(|part| part == "..") || path.contains(':');
            return (!leaves).then_some(Self::Local(path));
        }
        if let Some(id) = lower.strip_prefix("rbxassetid://") {
            return id.parse().ok().map(Self::Id);
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
        query.split('&').find_map(|pair| pair.strip_prefix("id=")?.parse().ok()).map(Self::Id)
    }
}

impl std::fmt::Display for AssetRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Id(id) => write!(f, "rbxassetid://{id}"),
            Self::Local(path) => write!(f, "rbxasset://{path}"),
        }
    }
}
