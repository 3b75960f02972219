# SPDX-License-Identifier: GPL-3.0-or-later
"""Images and materials of a scene of the kit, as those of Blender."""

import bpy
import numpy as np


def image(source) -> bpy.types.Image | None:
    """An image of a scene; None if its data is missing."""
    if source.data is None:
        return None
    image = bpy.data.images.new(source.name or "image", 8, 8)
    image.pack(data=source.data, data_len=len(source.data))
    image.source = "FILE"
    return image


def material(source, images: list[bpy.types.Image | None]) -> bpy.types.Material:
    """A material of a scene, with the scene's images."""
    material = bpy.data.materials.new(source.name or "material")
    # Since Blender 5.0, materials always have nodes.
    if material.node_tree is None:
        material.use_nodes = True
    material.use_backface_culling = not source.double_sided
    tree = material.node_tree
    surface = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    *color, alpha = source.base_color
    surface.inputs["Base Color"].default_value = (*color, 1)
    surface.inputs["Metallic"].default_value = source.metallic
    surface.inputs["Roughness"].default_value = source.roughness
    surface.inputs["Alpha"].default_value = 1 if source.alpha == "opaque" else alpha
    surface.inputs["Emission Color"].default_value = (*source.emissive, 1)
    surface.inputs["Emission Strength"].default_value = source.emissive_strength if any(source.emissive) else 0
    material.diffuse_color = source.base_color

    def texture(name: str, space: str):
        found = source.textures.get(name)
        image = images[found[0]] if found else None
        if image is None:
            return None
        node = tree.nodes.new("ShaderNodeTexImage")
        node.image = image
        image.colorspace_settings.name = space
        return node

    def link(output, name: str, factor: float | list[float]) -> None:
        """Links an output, multiplied by a factor, to an input of the surface."""
        is_color = isinstance(factor, (list, tuple))
        if np.all(np.equal(factor, 1)):
            tree.links.new(output, surface.inputs[name])
            return
        product = tree.nodes.new("ShaderNodeMix" if is_color else "ShaderNodeMath")
        if is_color:
            product.data_type, product.blend_type = "RGBA", "MULTIPLY"
            product.inputs["Factor"].default_value = 1
            # Sockets are selected by index, since those for colours, numbers and vectors have the same names.
            a, b, result = product.inputs[6], product.inputs[7], product.outputs[2]
        else:
            product.operation = "MULTIPLY"
            a, b, result = *product.inputs[:2], product.outputs[0]
        tree.links.new(output, a)
        b.default_value = (*factor, 1) if is_color else factor
        tree.links.new(result, surface.inputs[name])

    base = texture("base_color", "sRGB")
    if base is not None:
        link(base.outputs["Color"], "Base Color", color)
        if source.alpha != "opaque":
            link(base.outputs["Alpha"], "Alpha", alpha)
    normal = texture("normal", "Non-Color")
    if normal is not None:
        bump = tree.nodes.new("ShaderNodeNormalMap")
        tree.links.new(normal.outputs["Color"], bump.inputs["Color"])
        tree.links.new(bump.outputs["Normal"], surface.inputs["Normal"])
    rough = texture("metallic_roughness", "Non-Color")
    if rough is not None:
        split = tree.nodes.new("ShaderNodeSeparateColor")
        tree.links.new(rough.outputs["Color"], split.inputs["Color"])
        link(split.outputs["Green"], "Roughness", source.roughness)
        link(split.outputs["Blue"], "Metallic", source.metallic)
    light = texture("emissive", "sRGB")
    if light is not None:
        link(light.outputs["Color"], "Emission Color", list(source.emissive))
    return material


def is_colored(mesh) -> bool:
    """Whether a mesh of a scene has colours that its materials show. The exporter would drop transparent ones."""
    found = [part.geometry.colors for part in mesh.primitives if part.geometry.colors is not None]
    return any((each[:, :3] != 65535).any() for each in found) and all((each[:, 3] == 65535).all() for each in found)


def color(material: bpy.types.Material, layer: str) -> None:
    """Multiplies the base colour of a material by the colours of vertices."""
    tree = material.node_tree
    base = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED").inputs["Base Color"]
    color, product = (tree.nodes.new(f"ShaderNode{kind}") for kind in ("VertexColor", "Mix"))
    color.layer_name = layer
    product.data_type, product.blend_type = "RGBA", "MULTIPLY"
    product.inputs["Factor"].default_value = 1
    product.inputs[6].default_value = base.default_value
    for link in base.links:
        tree.links.new(link.from_socket, product.inputs[6])
    tree.links.new(color.outputs["Color"], product.inputs[7])
    tree.links.new(product.outputs[2], base)


def all_of(scene) -> list[bpy.types.Material]:
    """The materials of a scene, with its images."""
    images = [image(each) for each in scene.images]
    return [material(each, images) for each in scene.materials]
