"""Checks that python-llsd reads what the crate llsd writes by default.

    pip install llsd
    cargo run -p llsd-format --example defaults -- FOLDER
    python xtask/oracles/python_llsd.py FOLDER

The example writes one value in every form with default options into a folder. This program reads each file with
python-llsd and, if it is XML, with an XML parser, and compares the values.
"""

import datetime
import pathlib
import sys
import uuid
import xml.etree.ElementTree

import llsd

EXPECTED = {
    "undef": None,
    "yes": True,
    "no": False,
    "integer": -33,
    "real": 0.1,
    "uuid": uuid.UUID("d7f4aeca-88f1-42a1-b385-b9db18abb255"),
    "string": "it's <&> \"小\"\n\t",
    "empty": "",
    "date": datetime.datetime(2006, 2, 1, 14, 29, 53),
    "uri": "http://sl.com/?a=b&c",
    "binary": bytes([0, 255, 16, 32]),
    "array": [[], {}, 1],
}


def main(folder):
    failed = 0
    files = sorted(pathlib.Path(folder).iterdir())
    for path in files:
        data = path.read_bytes()
        try:
            # Without a header, the type of binary data must be passed separately.
            bare = path.name == "write_binary"
            found = llsd.parse(data, llsd.BINARY_MIME_TYPE) if bare else llsd.parse(data)
            if "xml" in path.name:
                xml.etree.ElementTree.fromstring(data)
            problem = None if found == EXPECTED else f"reads as {found!r}"
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        failed += problem is not None
        print(f"{path.name}: {problem or 'equal'}")
    if failed or not files:
        sys.exit(f"{failed} of {len(files)} files differ")


main(sys.argv[1])
