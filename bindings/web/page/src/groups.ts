// The groups in which Roblox Studio shows properties, by the names that it shows.

const GROUPS: Record<string, string> = {
  Appearance:
    "BrickColor Color Color3 Material MaterialVariant Reflectance Transparency CastShadow DoubleSided RenderFidelity MeshId MeshContent TextureID TextureContent FluidFidelity UsePartColor Texture Image ImageContent ImageColor3 ImageTransparency ImageRectOffset ImageRectSize ScaleType SliceCenter SliceScale TileSize BackgroundColor3 BackgroundTransparency BorderColor3 BorderMode BorderSizePixel Brightness Range Shadows Angle Face LightEmission LightInfluence Graphic OverlayTexture ColorMap MetalnessMap NormalMap RoughnessMap AlphaMode Ambient OutdoorAmbient ColorShift_Bottom ColorShift_Top EnvironmentDiffuseScale EnvironmentSpecularScale GlobalShadows Technology ShadowSoftness ClockTime TimeOfDay GeographicLatitude ExposureCompensation WaterColor WaterReflectance WaterTransparency WaterWaveSize WaterWaveSpeed Decoration FieldOfView ResampleMode ShirtTemplate PantsTemplate TintColor Saturation Contrast",
  Data: "Name ClassName Parent Archivable Value Disabled Enabled RunContext Text SoundId SoundContent AnimationId AnimationContent Attributes Tags Rate Lifetime Priority Loop CameraSubject CameraType CurrentCamera PrimaryPart LevelOfDetail",
  Transform: "Size CFrame Position Orientation Rotation Origin InitialSize PivotOffset Scale WorldPivotData WorldPivot Offset VertexColor C0 C1 Focus",
  Collision: "CanCollide CanQuery CanTouch CollisionGroup CollisionGroupId CollisionFidelity",
  Part: "Anchored Massless RootPriority Shape CustomPhysicalProperties Locked EnableFluidForces AudioCanCollide",
  Assembly: "AssemblyLinearVelocity AssemblyAngularVelocity Velocity RotVelocity",
  "Surface inputs": "TopParamA TopParamB TopSurfaceInput BottomParamA BottomParamB BottomSurfaceInput LeftParamA LeftParamB LeftSurfaceInput RightParamA RightParamB RightSurfaceInput FrontParamA FrontParamB FrontSurfaceInput BackParamA BackParamB BackSurfaceInput",
  Surface: "TopSurface BottomSurface LeftSurface RightSurface FrontSurface BackSurface",
  Text: "Font FontFace FontSize TextColor3 TextScaled TextSize TextTransparency TextStrokeColor3 TextStrokeTransparency TextWrapped TextXAlignment TextYAlignment TextTruncate RichText LineHeight MaxVisibleGraphemes TextDirection OpenTypeFeatures",
  Layout: "AnchorPoint AutomaticSize LayoutOrder SizeConstraint ZIndex Visible ClipsDescendants SelectionOrder",
  Behavior: "Active Selectable Modal AutoButtonColor Draggable ResetOnSpawn IgnoreGuiInset DisplayOrder ZIndexBehavior Playing Looped Volume PlaybackSpeed PlayOnRemove TimePosition RollOffMode RollOffMinDistance RollOffMaxDistance MaxActivationDistance Neutral TeamColor Duration AllowTeamChangeOnTouch",
  Physics: "Gravity FallenPartsDestroyHeight AirDensity AirTurbulenceIntensity GlobalWind Part0 Part1 Attachment0 Attachment1 MaxForce MaxTorque Density Friction",
  Streaming: "StreamingEnabled StreamingMinRadius StreamingTargetRadius StreamingIntegrityMode StreamOutBehavior ModelStreamingMode ModelStreamingBehavior",
  Script: "Source LinkedSource ScriptGuid",
  "In the file": "UniqueId HistoryId SourceAssetId Capabilities Sandboxed DefinesCapabilities SerializedOverrides AeroMeshData PhysicsData PhysicalConfigData MeshData MeshData2 ChildData ChildData2 TagsSerialize LODData NeedsPivotMigration ModelMeshData ModelMeshSize ModelMeshCFrame UnscaledCofm UnscaledVolInertiaDiags UnscaledVolInertiaOffDiags UnscaledVolume HasJointOffset HasSkinnedMesh VertexCount AttributesReplicate IsInferredCapabilityState",
};

const found = new Map<string, string>();
for (const [group, names] of Object.entries(GROUPS)) for (const name of names.split(" ")) found.set(name, group);

/** Groups whose properties are rarely wanted, and which are closed at first. */
export const CLOSED = new Set(["Surface inputs", "In the file"]);
const ORDER = Object.keys(GROUPS);

function groupOf(title: string) {
  const known = found.get(title);
  if (known) return known;
  if (/Color|Transparency|Texture|Image|Material/.test(title)) return "Appearance";
  if (/CFrame|Position|Size$|Offset|Rotation/.test(title)) return "Transform";
  if (/Serialize|Data$|Internal|Guid/.test(title)) return "In the file";
  return "Behavior";
}

/** What has the same text together, in the order of the first of each. */
export function grouped<T>(all: T[], key: (one: T) => string) {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return groups;
}

/** Properties in the groups and the order of Studio. */
export function inGroups<T extends { title: string }>(properties: T[]) {
  const groups = grouped(properties, ({ title }) => groupOf(title));
  const rank = (group: string) => (ORDER.indexOf(group) + 1 || 50) + (group === "In the file" ? 100 : 0);
  return [...groups].sort(([a], [b]) => rank(a) - rank(b)).map(([group, all]) => [group, all.sort((a, b) => a.title.localeCompare(b.title))] as const);
}
