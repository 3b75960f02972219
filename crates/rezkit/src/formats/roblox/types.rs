//! What a property is in the other form, where its type does not tell.

use std::collections::HashMap;
use std::sync::LazyLock;

use ::rbxbinary::TypeId;

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types {
    pub(super) binary: TypeId,
    pub(super) element: &'static str,
}

type Table = HashMap<(&'static str, &'static str), Types>;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let lines = include_str!("types.tsv").lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        let (class, property) = (cells.next()?, cells.next()?);
        let binary = u8::from_str_radix(cells.next()?.strip_prefix("0x")?, 16).ok()?;
        Some(((class, property), Types { binary: TypeId(binary), element: cells.next()? }))
    };
    lines.filter_map(row).collect()
});

/// The line of a property; `None` where its type tells all.
pub(super) fn of(class: &str, property: &str) -> Option<Types> {
    TABLE.get(&(class, property)).or_else(|| TABLE.get(&("*", property))).copied()
}

/// Classes of services that do not end in `Service`, as far as they are in files.
const SERVICES: &[&str] = &[
    "Workspace",
    "Lighting",
    "Players",
    "ReplicatedFirst",
    "ReplicatedStorage",
    "ServerStorage",
    "StarterGui",
    "StarterPack",
    "StarterPlayer",
    "Teams",
    "Chat",
    "Debris",
    "ContentProvider",
    "CoreGui",
    "CorePackages",
    "GameSettings",
    "Geometry",
    "Hopper",
    "KeyframeSequenceProvider",
    "LuaSettings",
    "MeshContentProvider",
    "NetworkClient",
    "NetworkServer",
    "NetworkSettings",
    "Packages",
    "PhysicsSettings",
    "RenderSettings",
    "RobloxReplicatedStorage",
    "RobloxServerStorage",
    "ScriptContext",
    "Selection",
    "SolidModelContentProvider",
    "Stats",
    "Studio",
    "StudioData",
    "TaskScheduler",
    "TeamCreateData",
    "UserGameSettings",
    "VirtualInputManager",
    "VirtualUser",
    "Visit",
    "VoiceChatInternal",
    "AnimationClipProvider",
    "HSRDataContentProvider",
    "CacheableContentProvider",
    "DebuggerManager",
    "DebugSettings",
    "FacialAnimationStreamingServiceV2",
    "PlatformLibraries",
    "SharedTableRegistry",
    "SlimContentProvider",
    "WrapContentProvider",
    "WrapDeformMeshProvider",
    "TemporaryCageMeshProvider",
    "AvatarSettings",
    "RenderHooksService",
    "ScriptInformationProvider",
    "ILegacyStudioBridge",
    "LegacyStudioBridge",
    "TextBoxService",
    "BackendServerStorage",
    "BackendReplicatedStorage",
    "DebuggerConnectionManager",
    "Preloaded",
    "SelectionHighlightManager",
    "StudioScriptDebugEventListener",
    "VisibilityCheckDispatcher",
    "CoreGuiConfiguration",
    "MetaBreakpointManager",
    "PatchBundlerFileWatch",
    "RemoteDebuggerServer",
    "ScriptCloneWatcher",
    "ScriptCloneWatcherHelper",
    "SlimDebugSettings",
    "StopWatchReporter",
    "ClusterPacketCache",
    "CoreScriptDebuggingManagerHelper",
    "CrossDMScriptChangeListener",
    "DebuggablePluginWatcher",
    "FeatureRestrictionManager",
    "IncrementalPatchBuilder",
    "InternalMessagingServiceVerifier",
    "AssetDeliveryProxy",
];

/// Whether a class is a service: no class ends in `Service` without being one.
pub(super) fn is_service(class: &str) -> bool {
    class.ends_with("Service") || SERVICES.contains(&class)
}
