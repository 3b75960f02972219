# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators of the menus, and the handlers of dropped files."""

import re
from pathlib import Path

import bpy
import rezkit
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import animation, from_blender, to_blender

# The import operators: name, title, extensions of files.
FORMATS = (
    ("roblox_mesh", "Roblox Mesh", (".mesh",)),
    ("roblox_place", "Roblox Model or Place", (".rbxm", ".rbxmx", ".rbxl", ".rbxlx")),
    ("second_life", "Second Life Mesh or Animation", (".llmesh", ".slm", ".anim", ".bvh")),
    ("model_3d", "Model 3D", (".m3d", ".a3d")),
)
# The export operators: form, title, extension.
VERSIONS = ("1.00", "1.01", "2.00", "3.00", "3.01", "4.00", "4.01", "5.00", "6.00", "7.00")
FORMS = (
    *((version, f"Roblox mesh {version}", ".mesh") for version in VERSIONS),
    ("llmesh", "Second Life asset", ".llmesh"),
    ("slm", "Second Life uploader file (.slm)", ".slm"),
    ("m3d", "Model 3D", ".m3d"),
)


# Since Blender 5.0, an option whose path can be relative to the saved file has to state so.
RELATIVE = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (5, 0, 0) else set()


def files_of(folder: str):
    """A function that provides the files that a file refers to, from a folder: Roblox assets by id, others by path."""
    root = Path(folder)

    def get(reference):
        if isinstance(reference, int):
            found = next((path for path in (root / str(reference), *root.glob(f"{reference}.*")) if path.is_file()), None)
        else:
            # Files outside of the folder are not provided.
            parts = reference.replace("rbxasset://", "").split("/")
            found = root.joinpath(*parts) if not {"", ".."} & set(parts) else None
        is_inside = found and found.is_file() and found.resolve().is_relative_to(root.resolve())
        return found.read_bytes() if is_inside else None

    return get


# Blender itself shows "Warning:" before each of them.
LABELS = {"left-out": "dropped", "approximated": "changed", "filled-in": "filled in", "missing": "missing", "warning": ""}


# Texts of the kit that name options of other tools, and the same with the options of this extension.
OPTIONS = (
    ("use `levels='all'`", "set All levels of detail"),
    ("use `hulls=True`", "set Hulls"),
    (" (map the names with `joints=`)", ""),
    ("; use rezkit.convert", "; choose its Format"),
    ("to use another rig, set the option rig", "to use another rig, set Rig"),
    ("the option rig sets another rig", "Rig sets another rig"),
    ("set the option rig to", "set Rig to File and choose"),
    ("the option rig has no effect", "Rig has no effect"),
    ("poses no part; remove the option", "poses no part; set Rig to Automatic"),
    ("has no animation; remove the option", "has no animation; set Rig to Automatic"),
    (": lower the option fps", ""),
    ("allow_loss=True drops or changes", "Allow losses drops or changes"),
    ("; to change this, set the option terrain, terrain=", ""),
    ("; to change this, set the terrain=", ""),
)


def upright(place: re.Match) -> str:
    """A place of the kit, where y is up, in Blender's axes."""
    x, y, z = place.groups()
    return f"x {x}, y {0 - float(z):.2f}, z {y}"


def plain(text: str) -> str:
    """A text of the kit with the names of options in this extension."""
    for ours, theirs in OPTIONS:
        text = text.replace(ours, theirs)
    # The import has no option that selects an instance.
    text = re.sub(r" \(set the option path to [^)]*\)|(?<=\d); set the option path to [^)]*(?=\))", "", text)
    text = re.sub(r"x (-?[\d.]+), y (-?[\d.]+), z (-?[\d.]+), where y is up", upright, text)
    text = re.sub(r"\.primitives\[\d+\]", "", text)
    # The numbers that Python adds to errors of the system.
    text = re.sub(r"\[(Errno|WinError) \d+\] ", "", text)
    text = re.sub(r" \(read it with the crate [\w-]+\)", "", text)
    return re.sub(r"`(\w+)=[^`]*`", lambda found: found[1].replace("_", " ").capitalize(), text)


def listed(loss, remedy: str = "put it into the folder of the file") -> str:
    """A loss as one line: kind, path, description, and the count if it is not 1. `remedy` is that for a missing file."""
    what = plain(loss.what) + (f"; {remedy}" if loss.kind == "missing" else "")
    times = f" (× {loss.count})" if loss.count != 1 else ""
    return ": ".join(filter(None, (LABELS.get(loss.kind, loss.kind), loss.path, what + times)))


def extended(path: str, extension: str, known) -> str:
    """A path with an extension, in place of a known one."""
    whole = Path(path)
    if not path or not whole.name or path.endswith(("/", "\\")) or whole.suffix == extension:
        return path
    return str(whole.with_suffix(extension) if whole.suffix in known else whole.with_name(whole.name + extension))


def check_folder(path: str) -> None:
    """Raises an error if the folder of a file does not exist."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise rezkit.Error(f"the folder {folder} does not exist")


def saved(operator, path: str, make) -> set[str]:
    """Runs an export: saves what `make` returns at a path, and reports its losses, or the error."""
    try:
        check_folder(path)
        made = make()
        made.save(path)
    except (rezkit.Error, OSError, KeyError) as error:
        # The text of a KeyError is in quotes.
        operator.report({"ERROR"}, plain(error.args[0] if isinstance(error, KeyError) else str(error)))
        return {"CANCELLED"}
    for loss in made.losses:
        operator.report({"WARNING"}, listed(loss))
    return {"FINISHED"}


class Import(ImportHelper):
    """The common part of the import operators."""

    bl_options = {"REGISTER", "UNDO"}

    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    all_levels: BoolProperty(name="All levels of detail", description="Import all levels of detail instead of only the finest one")
    hulls: BoolProperty(name="Hulls", description="Import the convex hulls for physics")
    assets: StringProperty(
        name="Assets", description="A folder with Roblox assets named by their ids; by default the folder of the file", subtype="DIR_PATH",
        options=RELATIVE,
    )

    def execute(self, context):
        paths = [Path(self.directory, file.name) for file in self.files if file.name] or [Path(self.filepath)]
        failed = 0
        assets = bpy.path.abspath(self.assets)
        if assets and not Path(assets).is_dir():
            self.report({"ERROR"}, f"the folder {assets} of the option Assets does not exist")
            return {"CANCELLED"}
        for path in paths:
            before = set(bpy.data.objects)
            try:
                files = files_of(assets or str(path.parent))
                levels = "all" if self.all_levels else "finest"
                scene = rezkit.scene(path, files=files, levels=levels, hulls=self.hulls)
                dropped = to_blender.add(context, scene, path.stem)
            except (rezkit.Error, OSError) as error:
                failed += 1
                self.report({"ERROR"}, plain(f"{path.name}: {error}"))
                continue
            made = [each for each in bpy.data.objects if each not in before]
            for each in made:
                # Roblox meshes have no name of their own.
                if self.bl_idname == "IMPORT_SCENE_OT_roblox_mesh" and (named := re.fullmatch(r"mesh(_level\d+)?(\.\d+)?", each.name)):
                    each.name = each.data.name = path.stem + (named[1] or "").replace("_level", " LOD ")
            if not made:
                self.report({"WARNING"}, f"{path.name}: contains nothing that Blender shows")
            if scene.animations and self.bl_idname == "IMPORT_SCENE_OT_roblox_place":
                self.report({"WARNING"}, f"{path.name}: to import its animations as actions of an armature, use File > Import > Roblox Animation")
            for loss in scene.losses:
                self.report({"WARNING"}, f"{path.name}: {listed(loss, 'set Assets to a folder that contains it')}")
            if dropped:
                self.report({"WARNING"}, f"{path.name}: dropped triangles that use a vertex twice: {dropped}")
        return {"CANCELLED"} if failed == len(paths) else {"FINISHED"}

    def draw(self, _context):
        self.layout.use_property_split = True
        is_second_life = self.bl_idname == "IMPORT_SCENE_OT_second_life"
        for name in ("all_levels", *(["hulls"] if is_second_life else []), "assets"):
            self.layout.prop(self, name)

    def invoke(self, context, event):
        # The paths of dropped files are known, so no file dialog is needed.
        if self.directory and any(file.name for file in self.files):
            return self.execute(context)
        return ImportHelper.invoke(self, context, event)


def import_classes():
    for name, title, extensions in FORMATS:
        # Cached Roblox meshes are named by their ids, without an extension.
        patterns = "*" if name == "roblox_mesh" else ";".join(f"*{extension}" for extension in extensions)
        operator = type(
            f"IMPORT_SCENE_OT_{name}",
            (Import, bpy.types.Operator),
            {
                "__doc__": f"Import {title}",
                "bl_idname": f"import_scene.{name}",
                "bl_label": f"Import {title}",
                "filename_ext": extensions[0],
                "__annotations__": {"filter_glob": StringProperty(default=patterns, options={"HIDDEN"})},
            },
        )
        yield operator
        yield type(
            f"REZKIT_FH_{name}",
            (bpy.types.FileHandler,),
            {
                "bl_idname": f"REZKIT_FH_{name}",
                "bl_label": title,
                "bl_import_operator": operator.bl_idname,
                "bl_file_extensions": ";".join(extensions),
                "poll_drop": classmethod(lambda cls, context: context.area is not None and context.area.type == "VIEW_3D"),
            },
        )


class EXPORT_SCENE_OT_rezkit(bpy.types.Operator, ExportHelper):
    """Export the selected objects as a Roblox mesh, a Second Life mesh or Model 3D"""

    bl_idname = "export_scene.rezkit"
    bl_label = "Export Roblox, Second Life, Model 3D"
    filename_ext = ".mesh"

    filter_glob: StringProperty(default="*.mesh;*.llmesh;*.slm;*.m3d", options={"HIDDEN"})
    form: EnumProperty(name="Format", items=[(name, title, "") for name, title, _ in FORMS], default="4.01")
    allow_loss: BoolProperty(
        name="Allow losses",
        description="Export even if the chosen version of Roblox meshes cannot represent all data of the mesh: drop and list the rest",
    )

    def check(self, _context):
        extension = next(extension for name, _, extension in FORMS if name == self.form)
        path = extended(self.filepath, extension, {extension for _, _, extension in FORMS})
        changed = path != self.filepath
        self.filepath = path
        return changed

    def execute(self, context):
        name = Path(self.filepath).stem
        return saved(self, self.filepath, lambda: from_blender.convert(context, self.form, name, self.allow_loss))


RIGS = (
    ("AUTO", "Automatic", "The rig of the file or the armature; otherwise R6 or R15, according to the names of the parts"),
    ("R6", "R6", "The avatar with six parts"),
    ("R15", "R15", "The avatar with fifteen parts"),
    ("FILE", "File", "The first model with joints in the Rig file"),
)
PRIORITIES = ("Idle", "Movement", "Action", "Action2", "Action3", "Action4", "Core")


def has_armature(operator, context) -> bool:
    """Whether the active object is an armature; the menu says why an operator cannot run."""
    active = context.view_layer.objects.active
    if active is None or active.type != "ARMATURE":
        operator.poll_message_set("The active object has to be an armature")
        return False
    return True


class REZKIT_PG_bone(bpy.types.PropertyGroup):
    """A part of a rig and the bone that moves it"""

    part: StringProperty()
    bone: StringProperty(name="Bone", description="The bone that moves the part; empty if none does")


def rig_of(options, armature=None) -> str | bytes | None:
    """The `rig` argument for the kit; None lets the kit choose."""
    if options.rig in ("R6", "R15"):
        return options.rig
    if options.rig == "FILE" and not options.rig_file:
        raise rezkit.Error("Rig is File, but no Rig file is chosen")
    path = options.rig_file if options.rig == "FILE" else armature.get(animation.RIG, "") if armature else ""
    if path in ("R6", "R15", ""):
        return path or None
    return Path(bpy.path.abspath(path)).read_bytes()


def fill_table(operator, context) -> None:
    """Lists the parts of the chosen rig, with the bones that the armature remembers or that have the names of parts."""
    armature = context.view_layer.objects.active
    if not getattr(operator, "use_table", False) or armature is None or armature.type != "ARMATURE":
        return
    try:
        parts = animation.parts_of(rig_of(operator, armature))
    except (rezkit.Error, OSError):
        parts = []
    bones = animation.table_of(armature, parts)
    operator.table.clear()
    for part in parts:
        row = operator.table.add()
        row.part, row.bone = part, bones.get(part, "")


class OfRig:
    """The common part of the operators for Roblox animations."""

    rig: EnumProperty(name="Rig", items=RIGS, update=fill_table)
    rig_file: StringProperty(name="Rig file", description="A model or a place with the rig", subtype="FILE_PATH", options=RELATIVE, update=fill_table)


class IMPORT_SCENE_OT_roblox_animation(OfRig, bpy.types.Operator, ImportHelper):
    """Import the animations of a Roblox model or place as actions of an armature with a bone for each part"""

    bl_idname = "import_scene.roblox_animation"
    bl_label = "Import Roblox Animation"
    bl_options = {"REGISTER", "UNDO"}
    filename_ext = ".rbxm"

    filter_glob: StringProperty(default="*.rbxm;*.rbxmx;*.rbxl;*.rbxlx", options={"HIDDEN"})
    onto: EnumProperty(
        name="Armature",
        items=(
            ("AUTO", "Automatic", "The active armature if its bones have the names of the parts, otherwise a new one"),
            ("ACTIVE", "Active", "The active armature, whose bones must have the names of the parts"),
            ("NEW", "New", "A new armature of the rig"),
        ),
    )

    def execute(self, context):
        try:
            is_free = context.mode == "OBJECT"
            with to_blender.in_object_mode(context):
                built = self.add(context, Path(self.filepath))
            if is_free and built:
                to_blender.choose(context, built)
        except (rezkit.Error, OSError) as error:
            self.report({"ERROR"}, plain(str(error)))
            return {"CANCELLED"}
        return {"FINISHED"}

    def add(self, context, path) -> list[bpy.types.Object]:
        """Adds the animations of a file; returns the new armatures."""
        scene = rezkit.scene(path, files=files_of(str(path.parent)), rig=rig_of(self))
        found = animation.rigs(scene)
        if not scene.animations:
            reasons = [loss.what for loss in scene.losses if "animation" in loss.what.lower() or "pose" in loss.what.lower()]
            raise rezkit.Error(f"no animation can be played: {'; '.join(reasons[:3]) or 'the file contains none'}")
        active = context.view_layer.objects.active
        if self.onto == "NEW" or active is None or active.type != "ARMATURE":
            active = None
        if self.onto == "ACTIVE" and active is None:
            raise rezkit.Error("no active armature: select one, or set Armature to New")
        made, built = [], []
        moved = {channel.node for each in scene.animations for channel in each.channels}
        used = [(rig, {joint.node: joint.part for joint in rig.joints if joint.node in moved}) for rig in found]
        # Nothing is added before the last error.
        used = [(rig, parts, active and parts.keys() & animation.bones_of(active, rig).keys()) for rig, parts in used if parts]
        parts = [part for _, parts, own in used if not own for part in parts.values()]
        if self.onto == "ACTIVE" and parts:
            raise rezkit.Error(f"no bone of {active.name} has the name of a part: {', '.join(parts[:8])}")
        for rig, parts, own in used:
            armature = active if own else None
            if armature is None:
                armature = animation.make(context, scene, rig, path.stem)
                built.append(armature)
                # Built-in rigs are stored by name, others by the path of their file.
                chosen = self.rig_file if self.rig == "FILE" else rig.name
                armature[animation.RIG] = chosen if rig.name else str(path)
            bones = animation.bones_of(armature, rig)
            missing = [part for node, part in parts.items() if node not in bones]
            if missing:
                self.report({"WARNING"}, f"no bone of {armature.name} is named {', '.join(missing[:8])}: the keys of these parts were dropped")
            played = [animation.play(context, armature, rig, each) for each in scene.animations]
            made += [(armature, action) for action in reversed(played) if action is not None]
        if not made:
            raise rezkit.Error("the animations move skinned bones: use Import Roblox Model or Place instead")
        for armature, action in made:
            to_blender.Adding.assign(armature, action)
        for loss in scene.losses:
            self.report({"WARNING"}, listed(loss))
        return built


class EXPORT_SCENE_OT_roblox_animation(OfRig, bpy.types.Operator, ExportHelper):
    """Export actions of the active armature as KeyframeSequences or CurveAnimations"""

    bl_idname = "export_scene.roblox_animation"
    bl_label = "Export Roblox Animation"
    filename_ext = ".rbxm"

    filter_glob: StringProperty(default="*.rbxm;*.rbxmx", options={"HIDDEN"})
    actions: EnumProperty(
        name="Actions",
        items=(
            ("ACTIVE", "Active action", "The action that the armature plays or, without one, those on its tracks that are not muted"),
            ("ALL", "All actions", "All actions with keys of the armature's bones, in one file"),
        ),
    )
    use_table: BoolProperty(
        name="Bones by table", description="Choose the bone of each part, for armatures whose bones have names of their own", update=fill_table,
    )
    table: CollectionProperty(type=REZKIT_PG_bone, options={"SKIP_SAVE"})
    curves: BoolProperty(name="Curves", description="Write CurveAnimations, which Roblox requires for emotes, instead of KeyframeSequences")
    priority: EnumProperty(
        name="Priority",
        items=(
            ("AUTO", "As the action", "The priority that the import stored in the action, otherwise Action"),
            *((name.upper(), name, "") for name in PRIORITIES),
        ),
    )
    loop: EnumProperty(
        name="Loop",
        items=(
            ("AUTO", "As the action", "The action's Cyclic Animation if it has a manual frame range, otherwise on"),
            ("ON", "On", ""),
            ("OFF", "Off", ""),
        ),
    )
    degrees: FloatProperty(
        name="Degrees", description="Drop keys if interpolation reproduces their rotations within this tolerance", default=0.1, min=1e-4, max=10,
    )
    studs: FloatProperty(
        name="Studs", description="Drop keys if interpolation reproduces their positions within this tolerance", default=0.001, min=1e-6, max=1, precision=4,
    )

    @classmethod
    def poll(cls, context):
        return has_armature(cls, context)

    def invoke(self, context, event):
        armature = context.view_layer.objects.active
        self.use_table = animation.TABLE in armature or self.use_table
        fill_table(self, context)
        return ExportHelper.invoke(self, context, event)

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        names = ["actions", "rig", *(["rig_file"] if self.rig == "FILE" else []), "curves", "priority", "loop", "degrees", "studs", "use_table"]
        for name in names:
            layout.prop(self, name)
        armature = context.view_layer.objects.active
        if self.use_table and not self.table:
            layout.label(text="Choose a Rig file that has joints", icon="INFO")
        # The name of the part is above that of the bone, since Blender would cut both side by side.
        for row in self.table if self.use_table else ():
            column = layout.column(align=True)
            column.label(text=row.part)
            column.prop_search(row, "bone", armature.data, "bones", text="")

    def check(self, _context):
        if Path(self.filepath).suffix == ".rbxmx":
            return False
        path = extended(self.filepath, ".rbxm", ())
        changed = path != self.filepath
        self.filepath = path
        return changed

    def execute(self, context):
        armature = context.view_layer.objects.active
        found = animation.playing(armature) if self.actions == "ACTIVE" else animation.actions_of(armature)
        priority = None if self.priority == "AUTO" else [*(name.upper() for name in PRIORITIES)].index(self.priority)

        def made():
            bones = None
            if self.use_table:
                bones = {row.part: row.bone for row in self.table if row.bone} or animation.table_of(armature, animation.parts_of(rig_of(self, armature)))
                animation.remember(armature, bones)
            return animation.convert(
                context, armature, found, Path(self.filepath).suffix[1:] or "rbxm", bones,
                name=Path(self.filepath).stem, curves=self.curves, tolerance=(self.degrees, self.studs),
                priority=1000 if priority == 6 else priority, loop={"AUTO": None, "ON": True, "OFF": False}[self.loop],
                rig=rig_of(self, armature),
            )

        return saved(self, self.filepath, made)


CLASSES = (
    *import_classes(),
    EXPORT_SCENE_OT_rezkit,
    REZKIT_PG_bone,
    IMPORT_SCENE_OT_roblox_animation,
    EXPORT_SCENE_OT_roblox_animation,
)


def import_menu(menu, _context) -> None:
    for name, title, extensions in FORMATS:
        menu.layout.operator(f"import_scene.{name}", text=f"{title} ({', '.join(extensions)})")
    menu.layout.operator(IMPORT_SCENE_OT_roblox_animation.bl_idname, text="Roblox Animation (.rbxm, .rbxmx, .rbxl, .rbxlx)")


def export_menu(menu, _context) -> None:
    menu.layout.operator(EXPORT_SCENE_OT_rezkit.bl_idname, text="Roblox, Second Life, Model 3D")
    menu.layout.operator(EXPORT_SCENE_OT_roblox_animation.bl_idname, text="Roblox Animation (.rbxm, .rbxmx)")
