# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators of the menus, and what takes files that are dropped onto the window."""

from pathlib import Path

import bpy
import rezkit
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import from_blender, to_blender

# What is imported: the name of the operator, its title, the extensions of its files.
FORMATS = (
    ("roblox_mesh", "Roblox Mesh", (".mesh",)),
    ("roblox_place", "Roblox Model or Place", (".rbxm", ".rbxmx", ".rbxl", ".rbxlx")),
    ("second_life", "Second Life Mesh", (".llmesh", ".slm")),
    ("model_3d", "Model 3D", (".m3d", ".a3d")),
)
# What is exported: the form, its title, the extension.
VERSIONS = ("1.00", "1.01", "2.00", "3.00", "3.01", "4.00", "4.01", "5.00", "6.00", "7.00")
FORMS = (
    *((version, f"Roblox mesh {version}", ".mesh") for version in VERSIONS),
    ("llmesh", "Second Life asset", ".llmesh"),
    ("slm", "Second Life uploader file (.slm)", ".slm"),
    ("m3d", "Model 3D", ".m3d"),
)


def files_of(folder: str):
    """Gives the Roblox assets that a file refers to, by their ids, from a folder; and the files beside it."""
    root = Path(folder)

    def get(reference):
        if isinstance(reference, int):
            found = next((path for path in (root / str(reference), *root.glob(f"{reference}.*")) if path.is_file()), None)
        else:
            # Nothing outside of the folder.
            parts = reference.replace("rbxasset://", "").split("/")
            found = root.joinpath(*parts) if not {"", ".."} & set(parts) else None
        is_inside = found and found.is_file() and found.resolve().is_relative_to(root.resolve())
        return found.read_bytes() if is_inside else None

    return get


class Import(ImportHelper):
    """What the import operators have in common."""

    bl_options = {"REGISTER", "UNDO"}

    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    all_levels: BoolProperty(name="All levels of detail", description="Each level as a collection of its own")
    hulls: BoolProperty(name="Hulls", description="Convex hulls for physics")
    assets: StringProperty(
        name="Assets", description="A folder with the assets that a place refers to, named by their ids", subtype="DIR_PATH"
    )

    def execute(self, context):
        paths = [Path(self.directory, file.name) for file in self.files if file.name] or [Path(self.filepath)]
        failed = 0
        for path in paths:
            try:
                files = files_of(self.assets or str(path.parent))
                levels = "all" if self.all_levels else "finest"
                scene = rezkit.scene(path, files=files, levels=levels, hulls=self.hulls)
                dropped = to_blender.add(context, scene, path.stem)
            except (rezkit.Error, OSError) as error:
                failed += 1
                self.report({"ERROR"}, f"{path.name}: {error}")
                continue
            for loss in scene.losses:
                self.report({"INFO"}, f"{path.name}: {loss.path}: {loss.what} ({loss.count})")
            if dropped:
                self.report({"WARNING"}, f"{path.name}: {dropped} triangles with two corners at one vertex: left out")
        return {"CANCELLED"} if failed == len(paths) else {"FINISHED"}

    def invoke(self, context, event):
        # Dropped files are known already.
        if self.directory and any(file.name for file in self.files):
            return self.execute(context)
        return ImportHelper.invoke(self, context, event)


def import_classes():
    for name, title, extensions in FORMATS:
        patterns = ";".join(f"*{extension}" for extension in extensions)
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
    form: EnumProperty(name="Format", items=[(name, title, "") for name, title, _ in FORMS], default="5.00")
    allow_loss: BoolProperty(name="Leave out what does not fit", description="Instead of an error")

    def check(self, _context):
        extension = next(extension for name, _, extension in FORMS if name == self.form)
        path = str(Path(self.filepath).with_suffix(extension))
        changed = path != self.filepath
        self.filepath = path
        return changed

    def execute(self, context):
        try:
            made = from_blender.convert(context, self.form, Path(self.filepath).stem, self.allow_loss)
            made.save(self.filepath)
        except (rezkit.Error, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for loss in made.losses:
            self.report({"WARNING"}, f"{loss.path}: {loss.what} ({loss.count})")
        return {"FINISHED"}


CLASSES = (*import_classes(), EXPORT_SCENE_OT_rezkit)


def import_menu(menu, _context) -> None:
    for name, title, extensions in FORMATS:
        menu.layout.operator(f"import_scene.{name}", text=f"{title} ({', '.join(extensions)})")


def export_menu(menu, _context) -> None:
    menu.layout.operator(EXPORT_SCENE_OT_rezkit.bl_idname, text="Roblox, Second Life, Model 3D")
