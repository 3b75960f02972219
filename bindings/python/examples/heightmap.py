"""A greyscale picture, or any 2-D array in a .npy file, as columns of parts: python examples/heightmap.py HEIGHTS MODEL"""

import sys

import numpy as np

import rezkit

STUDS, LARGEST = 4, 100

heights = np.load(sys.argv[1]).astype(float)
heights = 1 + (LARGEST - 1) * (heights - heights.min()) / max(np.ptp(heights), 1e-9)
model = rezkit.RobloxDocument.new("model")
hills = model.insert(None, "Model", Name="Hills")
for (z, x), height in np.ndenumerate(heights):
    material = "Snow" if height > 0.8 * LARGEST else "Grass" if height > 0.2 * LARGEST else "Sand"
    hills.insert("Part", Name=f"{x},{z}", Size=(STUDS, height, STUDS), Position=(STUDS * x, height / 2, STUDS * z),
                 Anchored=True, Material=material)
model.save(sys.argv[2])
print(f"{heights.size} parts")
