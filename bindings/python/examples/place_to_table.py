"""The parts of a place as a table in Parquet: python examples/place_to_table.py PLACE TABLE"""

import sys

import pandas as pd

import rezkit

place = rezkit.RobloxDocument.load(sys.argv[1])
names = ["Name", "ClassName", "Position", "Size", "Color", "Material", "Anchored", "Transparency"]
table = pd.DataFrame(place.columns("BasePart", names, enums="names"))
table.insert(0, "Path", [part.path for part in place.query("BasePart")])
table.to_parquet(sys.argv[2])
print(table.groupby("Material")["Name"].count().to_string())
