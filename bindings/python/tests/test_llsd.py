"""`rezkit.llsd` beside the package `llsd`, which it replaces."""

import datetime
import io
import uuid
from collections import OrderedDict
from typing import Any

import pytest
import rezkit
from rezkit import llsd

WHEN = datetime.datetime(2006, 2, 1, 14, 29, 53, 460000)
VALUE: Any = {
    "name": "it's \\ <&> \u5c0f", "none": None, "on": True, "off": False, "count": -7, "size": [1.5, 1e300, 1e-7, 0.1],
    "id": uuid.UUID("d7f4aeca-88f1-42a1-b385-b9db18abb255"), "null": uuid.UUID(int=0), "when": WHEN,
    "page": llsd.uri("https://example.org/?a=1&b"), "raw": b"\0\xff" * 20, "empty": [{}, [], "", b""],
    "tuple": (1, 2), "day": datetime.date(1833, 2, 1),
}
READ = {**VALUE, "tuple": [1, 2], "day": datetime.datetime(1833, 2, 1)}
FORMS = ["xml", "pretty_xml", "notation", "binary"]


def formatted(form: str, value: Any) -> bytes:
    return bytes(getattr(llsd, "format_" + form)(value))


@pytest.mark.parametrize("form", FORMS)
def test_values_are_read_as_they_were_written(form: str) -> None:
    expected = {**READ, "when": WHEN.replace(microsecond=0)} if form == "binary" else READ
    data = formatted(form, VALUE)
    assert llsd.parse(data) == llsd.parse(io.BytesIO(data)) == llsd.parse(bytearray(data)) == expected
    stream = io.BytesIO()
    getattr(llsd, "write_" + form)(stream, VALUE)
    assert stream.getvalue() == data


def test_the_bytes_are_those_of_python_llsd() -> None:
    """From its documentation and its formats: the headers, the indentation, the empty elements."""
    assert llsd.format_xml({"a": [1, uuid.UUID(int=0), None]}) == (
        b'<?xml version="1.0" ?><llsd><map><key>a</key><array><integer>1</integer><uuid/><undef/></array></map></llsd>')
    assert llsd.format_pretty_xml([{"a": 1}]) == (
        b'<?xml version="1.0" ?>\n<llsd>\n<array>\n    <map>\n      <key>a</key>\n      <integer>1</integer>\n'
        b"    </map>\n  </array>\n</llsd>\n")
    assert llsd.format_notation([True, 1.5, "it's", llsd.uri('a"b'), b"a"]) == b"[true,r1.5,'it\\'s',l\"a\\\"b\",b64\"YQ==\"]"
    assert llsd.format_binary({"k": [False, 258]}) == b"<?llsd/binary?>\n{\0\0\0\x01k\0\0\0\x01k[\0\0\0\x020i\0\0\x01\x02]}"
    assert str(llsd.LLSD(5)) == '<?xml version="1.0" ?><llsd><integer>5</integer></llsd>'
    oracle = pytest.importorskip("llsd", reason="compares with the package llsd if it is installed")
    for form in FORMS:
        theirs = {**VALUE, "page": oracle.uri(VALUE["page"])}
        assert formatted(form, VALUE) == getattr(oracle, "format_" + form)(theirs)
        assert llsd.parse(formatted(form, VALUE)) == oracle.parse(formatted(form, VALUE))


def test_the_last_date_stays_in_its_year() -> None:
    text = rezkit.Llsd(datetime.datetime.max).to_bytes()
    assert b"<date>9999-12-31T23:59:59.9999" in text, text


def test_dates_of_a_time_zone_are_utc() -> None:
    zone = datetime.timezone(datetime.timedelta(hours=2))
    when = datetime.datetime(2024, 1, 1, 1, 30, tzinfo=zone)
    assert llsd.format_notation(when) == b'd"2023-12-31T23:30:00Z"'
    for form in FORMS:
        assert llsd.parse(formatted(form, when)) == datetime.datetime(2023, 12, 31, 23, 30)


def test_keys_and_objects_become_what_llsd_has() -> None:
    assert llsd.format_notation({5: "int", WHEN: 1}) == b"{'5':'int','2006-02-01 14:29:53.460000':i1}"
    assert llsd.format_binary({5: None}) == b"<?llsd/binary?>\n{\0\0\0\x01k\0\0\0\x015!}"
    assert llsd.parse(llsd.format_xml(OrderedDict(a=llsd.LLSD(1), b=llsd.undef))) == {"a": 1, "b": None}
    assert llsd.parse(llsd.format_xml(value for value in "ab")) == ["a", "b"]
    assert llsd.parse(llsd.format_xml("a\0\x0bb\uffff")) == "ab"


def test_spellings() -> None:
    assert [llsd.parse(text) for text in (b"TRUE", b"t", b"1", b"FALSE", b"f", b"0", b"")] == [True] * 3 + [False] * 4
    assert llsd.parse(b"[i1 i2,,i3,]") == [1, 2, 3] and llsd.parse(b" <llsd><integer/></llsd>") == 0
    assert llsd.parse(b"<llsd><array/></llsd>", "application/llsd") == []
    assert llsd.parse(b"i\0\0\0\x07", llsd.BINARY_MIME_TYPE) == llsd.parse_binary(b"i\0\0\0\x07") == 7
    assert llsd.parse(b"<? LLSD/Notation ?>\n'x'") == "x" and llsd.LLSDBinaryParser().parse(b"b\0\0\0\x01a", True) is None
    stream = io.BytesIO(llsd.format_binary(1) + llsd.format_binary([2]) + b"rest")
    assert (llsd.parse(stream), llsd.parse(stream), stream.read()) == (1, [2], b"rest")
    assert llsd.LLSDXMLPrettyFormatter().format(1) == llsd.format_pretty_xml(1)


@pytest.mark.parametrize("wrong", [
    b"2", b"{'a' 'b'}", b"d\"2006#02-01T1429:53Z\"", b"i*1", b"b85\"x\"", b"'\\xzz'", b"<?llsd/binary?>\n[\\xx0{}]]",
    b"<llsd><string>1</string><lala/></llsd>", b"<array/>", b"<?llsd/binary?>\ns\0\0\0\x01\xff", "i1", 5,
    b"<llsd><integer>881071591048</integer></llsd>",
])
def test_malformed_input(wrong: Any) -> None:
    with pytest.raises(llsd.LLSDParseError):
        llsd.parse(wrong)


def test_depth_and_messages() -> None:
    deep: Any = 0
    for _ in range(200):
        deep = {"next": deep}
    for form in FORMS:
        assert llsd.parse(formatted(form, deep)) == deep
        with pytest.raises(llsd.LLSDSerializationError, match="depth of more than 200"):
            formatted(form, [deep])
    with pytest.raises(llsd.LLSDParseError) as raised:
        llsd.parse(b"<llsd>" + b"<map><key>next</key>" * 150 + b"<real>x</real>" + b"</map>" * 150 + b"</llsd>")
    assert len(str(raised.value)) < 300
    for value in (object(), 2**31, [object()]):
        for form in FORMS:
            with pytest.raises(TypeError):
                formatted(form, value)
