"""The columns of `RobloxDocument.set_columns`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ._rezkit import Strings
from ._types import Columns, PropertyTypeError


def prepared(layouts: Any, table: Any) -> list[tuple[str, Any, Any]]:
    """The columns by property: an array of the property's numbers, `Strings` or a list; and which rows have a value."""
    found: dict[str, Any] = {}
    groups: dict[str, dict[str, Any]] = {}
    for name, column in _items(layouts, table):
        base, part = _split(layouts, name)
        if part is None:
            found[name] = column
        else:
            groups.setdefault(base, {})[part] = column
    for base, columns in groups.items():
        if base in found:
            raise _wrong(base, "expected the whole column or its parts, found both")
        found[base] = _joined(layouts, base, columns)
    return [(name, *_typed(layouts, name, *_plain(layouts, column))) for name, column in found.items()]


def _wrong(name: str, text: str) -> PropertyTypeError:
    return PropertyTypeError(f"{name}: {text}", "argument", name)


def _items(layouts: Any, table: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(table, Columns):
        return _whole(table).items()
    if isinstance(table, Mapping):
        return table.items()
    # pandas
    if hasattr(table, "iloc") and hasattr(table, "items"):
        return [(str(name), column) for name, column in table.items()]
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        named: dict[str, Any] = layouts.table(table)
        return named.items()
    raise TypeError(f"expected a dict of columns or a table, found {type(table).__name__}")


def _whole(columns: Columns) -> dict[str, Any]:
    """The columns with whole arrays in place of their parts, unless a part was replaced."""
    arrays, found = columns._arrays, {}
    parts: dict[str, dict[str, Any]] = {}
    for name, column in columns.items():
        whole = next((whole for whole in arrays if name.startswith(whole + ".")), None)
        if whole is None:
            found[name] = column
        else:
            parts.setdefault(whole, {})[name] = column
    for whole, views in parts.items():
        is_view = [isinstance(view, np.ndarray) and np.may_share_memory(view, arrays[whole]) for view in views.values()]
        if not all(is_view):
            found |= views
        elif whole not in found:
            found[whole] = arrays[whole]
    return found


def _split(layouts: Any, name: str) -> tuple[str, str | None]:
    """A property, and a part of its value if the name has one: `Size.X`."""
    at = name.find(".")
    while at > 0:
        base, part = name[:at], name[at + 1 :]
        layout = layouts.of(base)
        if layout is not None and part in layout[3]:
            return base, part
        at = name.find(".", at + 1)
    if layouts.of(name) is None:
        raise layouts.unknown(name)
    return name, None


def _plain(layouts: Any, column: Any) -> tuple[Any, Any]:
    """An array, `Strings` or a list, and which rows have a value if it says so."""
    if isinstance(column, tuple) and len(column) == 2 and isinstance(column[1], (np.ndarray, type(None))):
        return column  # from Arrow
    if isinstance(column, Strings):
        return column, None
    if isinstance(column, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(column)
        return column.data, ~masked.reshape(len(masked), -1).any(axis=1)
    if isinstance(column, np.ndarray):
        return column, None
    if hasattr(column, "isna") and hasattr(column, "to_numpy"):  # a column of pandas
        present = ~np.asarray(column.isna(), dtype=bool)
        if present.all():
            return column.to_numpy(), None
        return column.to_numpy(dtype=object), present
    if hasattr(column, "__arrow_c_stream__") or hasattr(column, "__arrow_c_array__"):
        values: tuple[Any, Any] = layouts.arrow(column)
        return values
    return list(column), None


def _joined(layouts: Any, base: str, columns: dict[str, Any]) -> Any:
    """The whole array of a property from columns with parts of its values; the rest keeps its numbers."""
    _, dtype, shape, parts = layouts.of(base)
    plain = {part: _plain(layouts, column) for part, column in columns.items()}
    made = [
        (part, *_numbers(f"{base}.{part}", values, present, dtype, (), layouts.rows))
        for part, (values, present) in plain.items()
    ]
    is_whole = len(made) == len(parts) and all(present is None for _, _, present in made)
    if is_whole:
        rows = np.zeros((layouts.rows, int(np.prod(shape))), dtype)
        if shape == (4, 4):
            rows[:, 15] = 1
    else:
        now = layouts.now(base)
        if now.dtype == object:
            raise _wrong(base, "expected all parts, since some rows have no value")
        rows = np.array(now, dtype).reshape(layouts.rows, -1)
    for part, values, present in made:
        index = parts.index(part)
        rows[:, index] = values if present is None else np.where(present, values, rows[:, index])
    return rows


def _typed(layouts: Any, name: str, values: Any, present: Any) -> tuple[Any, Any]:
    """A column as the property's type has it."""
    kind, dtype, shape, _ = layouts.of(name)
    if isinstance(values, Strings) and (dtype is None or kind == "Enum"):
        return _checked(name, values, layouts.rows), present
    is_text = dtype is None or (kind in ("Enum", "BrickColor", "Color3", "Color3uint8") and _is_text(values))
    is_object = kind == "Ref" and not (isinstance(values, np.ndarray) and values.dtype != object)
    if is_text or is_object:
        rows = [None if _is_null(value) else value for value in (values.tolist() if _is_flat(values) else values)]
        return _checked(name, rows, layouts.rows), present
    if _has_objects(values):
        return _checked(name, [None if _is_null(value) else value for value in values], layouts.rows), present
    return _numbers(name, values, present, dtype, shape, layouts.rows)


def _has_objects(values: Any) -> bool:
    """Whether some values are tuples with `None`, such as physical properties without a weight."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        return False
    return any(isinstance(value, tuple) and None in value for value in values)


def _checked(name: str, values: Any, rows: int) -> Any:
    if len(values) != rows:
        raise _wrong(name, f"expected {rows} rows, one for each instance, found {len(values)}")
    return values


def _is_flat(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype != object


def _is_text(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "US":
            return True
        if values.dtype != object:
            return False
    return any(isinstance(value, str) for value in values)


def _is_null(value: Any) -> bool:
    if value is None:
        return True
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def _numbers(
    name: str, values: Any, present: Any, dtype: str, shape: tuple[int, ...], rows: int
) -> tuple[Any, Any]:
    """An array of a type and a shape, and which rows have a value."""
    if not isinstance(values, np.ndarray) or values.dtype == object:
        given = [None if _is_null(value) else value for value in values]
        there = np.array([value is not None for value in given], dtype=bool)
        if not there.all():
            present = there if present is None else present & there
            first = next((value for value in given if value is not None), None)
            nothing = np.zeros(shape) if first is None else np.zeros_like(np.asarray(first))
            given = [nothing if value is None else value for value in given]
        try:
            values = np.array(given)
        except ValueError:
            raise _wrong(name, f"expected {dtype} of shape {(rows, *shape)}, found rows of several shapes") from None
    if rows == 0:
        return np.zeros((0, *shape), dtype), None
    of = (rows, *shape)
    if values.shape != of and values.size == np.prod(of) and values.shape[:1] == (rows,):
        values = values.reshape(of)
    if values.shape != of:
        if values.shape[:1] != (rows,):
            raise _wrong(name, f"expected {rows} rows, one for each instance, found shape {values.shape}")
        raise _wrong(name, f"expected {dtype} of shape {of}, found {values.dtype} of shape {values.shape}")
    wanted = np.dtype(dtype)
    if values.dtype.kind == "f":
        # A row without a value is NaN in all of its numbers.
        nan = np.isnan(values)
        missing = nan.reshape(rows, -1).all(axis=1) if nan.any() else nan
        if missing.any():
            present = ~missing if present is None else present & ~missing
    if values.dtype == wanted:
        return np.ascontiguousarray(values), present
    if values.dtype.kind not in {"b": "b", "f": "fiu"}.get(wanted.kind, "fiu"):
        raise _wrong(name, f"expected {dtype}, found {values.dtype}")
    if present is not None:
        values = np.where(present.reshape(-1, *[1] * len(shape)), values, np.zeros((), values.dtype))
    with np.errstate(all="ignore"):
        made = values.astype(wanted)
    if wanted.kind in "iu":
        if not _are_same(made, values):
            limits = np.iinfo(wanted)
            raise _wrong(name, f"expected integers from {limits.min} to {limits.max}")
    elif np.isinf(made).any() and not np.array_equal(np.isinf(made), np.isinf(values)):
        raise _wrong(name, "a number exceeds the range of a 32-bit float")
    return np.ascontiguousarray(made), present


def _are_same(made: Any, values: Any) -> bool:
    limits = np.iinfo(made.dtype)
    if values.dtype.kind in "iu":
        return bool((values >= limits.min).all() and (values <= limits.max).all())
    inside = (values >= float(limits.min)) & (values <= float(limits.max)) & (np.trunc(values) == values)
    return bool(inside.all()) and bool((made == values).all())
