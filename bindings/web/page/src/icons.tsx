// Icons of classes and types, from Lucide.

import {
  Activity, AppWindow, ArrowUpDown, Bone, Box, Boxes, Braces, Brush, Camera, CaseSensitive, Dot, CircleDot, Cloud, Component, Diamond, DoorOpen,
  File, FileAxis3d, FileCode, FileCode2, FileImage, FileJson, FileQuestion, Film, Flame, Folder, Gauge, Globe, Grid3x3, Hash, Image, Joystick, Lamp, Layers,
  Lightbulb, Link, List, MapPin, MessageSquare, Mountain, MousePointerClick, Music, Package, Palette, PersonStanding, Puzzle, Radio, ScrollText, Server,
  Settings, Shapes, Shirt, Sparkles, Spline, Square, SquareStack, Sun, Tag, ToggleLeft, Trophy, Type, Users, Wand, Weight, Wrench, Zap,
  type LucideIcon,
} from "lucide-preact";

type Icon = LucideIcon;
type Drawn = [Icon, string];

const [blue, green, orange, purple, grey, yellow, teal] = ["blue", "green", "orange", "purple", "grey", "yellow", "teal"];

/** The icon and the colour of classes, and of the classes that derive from them. */
const CLASSES: Record<string, Drawn> = {
  Workspace: [Globe, blue], Players: [Users, blue], Lighting: [Sun, yellow], ReplicatedStorage: [Package, orange], ReplicatedFirst: [Package, orange],
  ServerStorage: [Server, orange], ServerScriptService: [ScrollText, blue], StarterGui: [AppWindow, purple], StarterPack: [Boxes, orange],
  StarterPlayer: [PersonStanding, blue], SoundService: [Music, purple], Teams: [Users, green], MaterialService: [Palette, teal], TextChatService: [MessageSquare, blue],
  Part: [Box, blue], WedgePart: [Box, blue], MeshPart: [Shapes, blue], PartOperation: [SquareStack, blue], Terrain: [Mountain, green], SpawnLocation: [MapPin, green],
  Seat: [Box, teal], VehicleSeat: [Box, teal], BasePart: [Box, blue], Model: [Boxes, orange], Folder: [Folder, yellow], Configuration: [Settings, grey], Tool: [Wrench, orange],
  Accoutrement: [Component, purple], LocalScript: [FileCode2, blue], ModuleScript: [FileCode, purple], Script: [FileCode2, green], LuaSourceContainer: [FileCode2, green],
  Humanoid: [PersonStanding, orange], Camera: [Camera, grey], Attachment: [CircleDot, green], Bone: [Bone, grey], Motor6D: [Joystick, teal], JointInstance: [Link, grey],
  Constraint: [Spline, teal], Decal: [Image, purple], SurfaceAppearance: [Brush, purple], DataModelMesh: [Shapes, grey], Sound: [Music, purple], SoundEffect: [Activity, purple],
  Light: [Lightbulb, yellow], ParticleEmitter: [Sparkles, yellow], Fire: [Flame, orange], Smoke: [Cloud, grey], Beam: [Zap, yellow], Trail: [Zap, yellow], Sky: [Cloud, blue],
  Atmosphere: [Cloud, teal], PostEffect: [Wand, purple], Animation: [Film, purple], Animator: [Film, purple], AnimationClip: [Film, purple], Keyframe: [Diamond, purple],
  PoseBase: [PersonStanding, grey], GuiButton: [MousePointerClick, purple], TextLabel: [Type, purple], ImageLabel: [Image, purple], LayerCollector: [AppWindow, purple],
  GuiObject: [Square, purple], UIBase: [Layers, grey], ClickDetector: [MousePointerClick, green], ProximityPrompt: [MousePointerClick, green], RemoteEvent: [Radio, orange],
  RemoteFunction: [Radio, orange], BindableEvent: [Zap, orange], BindableFunction: [Zap, orange], StringValue: [CaseSensitive, grey], BoolValue: [ToggleLeft, grey],
  NumberValue: [Hash, grey], IntValue: [Hash, grey], ValueBase: [Braces, grey], Team: [Users, green], BodyMover: [Weight, teal], WeldConstraint: [Link, grey],
  NoCollisionConstraint: [DoorOpen, grey], Clothing: [Shirt, purple], Player: [PersonStanding, blue], Leaderboard: [Trophy, yellow], FaceInstance: [Image, purple], Lamp: [Lamp, yellow],
};

/** Types of nodes in other formats. */
const TYPES: Record<string, Drawn> = {
  map: [Braces, orange], array: [List, orange], list: [List, orange], integer: [Hash, blue], real: [Gauge, blue], number: [Hash, blue], string: [CaseSensitive, green],
  boolean: [ToggleLeft, purple], bool: [ToggleLeft, purple], uuid: [Tag, teal], uri: [Link, teal], date: [ArrowUpDown, grey], binary: [Grid3x3, grey], node: [Box, blue],
  mesh: [Shapes, blue], material: [Palette, purple], animation: [Film, purple], image: [Image, purple], texture: [Image, purple], object: [Box, blue], notecard: [ScrollText, grey], "body part": [PersonStanding, orange], skin: [Bone, grey], bone: [Bone, grey],
};

const bases = new Map<string, string | null>();
const services = new Set<string>();

/** Keeps the classes of the engine, of which the icons need the base classes. */
export function setClasses(classes: { name: string; base: string | null; isService: boolean }[]) {
  for (const { name, base, isService } of classes) {
    bases.set(name, base);
    if (isService) services.add(name);
  }
}

export const classNames = () => [...bases.keys()];
export const isService = (kind: string) => services.has(kind);

export function isA(kind: string, wanted: string) {
  for (let at: string | null | undefined = kind; at; at = bases.get(at)) if (at === wanted) return true;
  return false;
}

export function ClassIcon({ kind, size = 16, isLeaf = true }: { kind: string; size?: number; isLeaf?: boolean }) {
  let found: Drawn | undefined;
  for (let at: string | null | undefined = kind; at && !found; at = bases.get(at)) found = CLASSES[at];
  found ??= TYPES[kind.toLowerCase()] ?? (services.has(kind) ? [Settings, grey] : bases.has(kind) ? [Puzzle, grey] : isLeaf ? [Dot, grey] : [List, orange]);
  const [Icon, tone] = found;
  return <Icon size={size} class={`icon ${tone}`} />;
}

const FILES: [RegExp, Icon][] = [
  [/^rbx(binary|xml)$/, Boxes],
  [/^(rbxmesh|slmesh|m3d|gltf|obj|stl|collada)$/, FileAxis3d],
  [/^(bvh|anim|slanim)$/, Film],
  [/^(llsd|material)/, FileJson],
  [/image|png|texture/, FileImage],
];

export function FileIcon({ format }: { format?: string }) {
  const Icon = format === undefined ? FileQuestion : (FILES.find(([wanted]) => wanted.test(format))?.[1] ?? File);
  return <Icon size={15} class="icon" />;
}
