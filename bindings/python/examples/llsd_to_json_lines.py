"""Prints each LLSD file as one line of JSON: python examples/llsd_to_json_lines.py FILE…"""

import base64
import json
import sys
from pathlib import Path
from typing import Any

from rezkit import llsd


def plain(value: Any) -> str:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


for name in sys.argv[1:]:
    try:
        print(json.dumps({"file": name, "value": llsd.parse(Path(name).read_bytes())}, default=plain))
    except llsd.LLSDParseError as error:
        print(f"{name}: {error}", file=sys.stderr)
