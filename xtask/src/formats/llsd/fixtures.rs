//! Small documents in each encoding, laid out by hand from the tables.

use crate::formats::{Bytes, Fixture, Grade};

const ID: [u8; 16] = *b"\xd7\xf4\xae\xca\x88\xf1\x42\xa1\xb3\x85\xb9\xdb\x18\xab\xb2\x55";
const VIEWER: &str = "<? LLSD/Binary ?>\n";

pub(super) fn all() -> Vec<Fixture> {
    let mut all = binary();
    all.extend(notation());
    all.extend(xml());
    all.extend(refused());
    all
}

/// A marker, a length and text.
fn run(bytes: Bytes, marker: u8, text: impl AsRef<[u8]>) -> Bytes {
    let text = text.as_ref();
    bytes.u8(marker).u32_be(text.len() as u32).raw(text)
}

fn key(bytes: Bytes, name: &str) -> Bytes {
    run(bytes, b'k', name)
}

/// A map with a value of each type.
fn every_type() -> Bytes {
    let bytes = Bytes::new().u8(b'{').u32_be(11);
    let bytes = key(bytes, "undef").raw("!");
    let bytes = key(bytes, "yes").raw("1");
    let bytes = key(bytes, "no").raw("0");
    let bytes = key(bytes, "integer").u8(b'i').i32_be(-33);
    let bytes = key(bytes, "real").u8(b'r').f64_be(0.1);
    let bytes = key(bytes, "uuid").u8(b'u').raw(ID);
    let bytes = run(key(bytes, "string"), b's', "Kanji: 小心者");
    // Dates alone are little-endian.
    let bytes = key(bytes, "date").u8(b'd').f64(1_138_804_193.46);
    let bytes = run(key(bytes, "uri"), b'l', "http://sl.com");
    let bytes = run(key(bytes, "binary"), b'b', [0, 255, 16, 32]);
    key(bytes, "array").u8(b'[').u32_be(2).u8(b'[').u32_be(0).raw("]").u8(b'{').u32_be(0).raw("}]").raw("}")
}

fn binary() -> Vec<Fixture> {
    let file = |value: Bytes| Bytes::new().raw(VIEWER).raw(value);
    let quoted = Bytes::new().u8(b'[').u32_be(2).raw(r#""amy"'\t\x0f\q']"#);
    let quoted_key = Bytes::new().u8(b'{').u32_be(1).raw("'key'").u8(b'i').i32_be(7).raw("}");
    let twice = Bytes::new().u8(b'{').u32_be(2);
    let twice = key(key(twice, "a").u8(b'i').i32_be(1), "a").u8(b'i').i32_be(2).raw("}");
    let negative = Bytes::new().u8(b'[').i32_be(-1).raw("]");
    let numbers = Bytes::new().u8(b'[').u32_be(8);
    let numbers =
        [0x7ff8_0000_0000_0001, 0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000, 0x8000_0000_0000_0000, 1]
            .into_iter()
            .fold(numbers, |bytes, bits| bytes.u8(b'r').u64_be(bits));
    let numbers = numbers.u8(b'd').f64(-1.5).u8(b'd').f64(f64::NAN).u8(b'd').f64(-0.0).raw("]");
    let nested = Bytes::new().raw(b"[\0\0\0\x01".repeat(95)).raw("!").raw("]".repeat(95));
    vec![
        Fixture::exact("every_type.bin", "a value of each type", file(every_type())),
        Fixture::exact(
            "python.bin",
            "the header of python",
            Bytes::new().raw("<?llsd/binary?>\n").raw(every_type()),
        ),
        Fixture::exact("quoted.bin", "strings between quotes, with escapes", file(quoted)),
        Fixture::exact("quoted_key.bin", "a key between quotes", file(quoted_key)),
        Fixture::exact("twice.bin", "a key that stands twice: the first counts", file(twice)),
        Fixture::exact("negative_count.bin", "a count below zero, which is none", file(negative)),
        Fixture::exact(
            "not_numbers.bin",
            "reals and dates that are no numbers, and signed zeros",
            file(numbers),
        ),
        Fixture::exact(
            "bytes.bin",
            "a string that is no UTF-8",
            file(run(Bytes::new(), b's', [0xff, 0xfe, 0])),
        ),
        Fixture::exact("nested.bin", "95 arrays in one another", file(nested)),
        Fixture::exact("trailing.bin", "bytes behind the value", file(every_type()).raw("more")),
    ]
}

fn notation() -> Vec<Fixture> {
    let header = "<? llsd/notation ?>\n";
    let file = |text: &str| format!("{header}{text}");
    let usual = r#"{'undef':!,'yes':1,'no':0,'integer':i-33,'real':r0.1,'uuid':ud7f4aeca-88f1-42a1-b385-b9db18abb255,'string':'it\'s \xe5\xb0\x8f\n','date':d"2006-02-01T14:29:53.46Z",'uri':l"http://sl.com",'binary':b64"AP8QIA==",'array':[[],{}]}"#;
    let odd = " [ t, F true ,FALSE,, s(0x3)\"a\"c\", b(2)'\\'' b16\"DEad\"\n l'x' , d\"\", i +5, r5., r-4e-005, rinf, \
        { s(1)'k' : \"\\a\\x41\" 'l' i1, }, ] ";
    vec![
        Fixture::exact("every_type.notation", "a value of each type, as the viewer writes it", file(usual)),
        Fixture::exact("odd.notation", "every other way to write a value", file(odd)).grade(Grade::Model),
        Fixture::exact(
            "twice.notation",
            "a key that stands twice: the first counts",
            file("{'a':i1,'a':i2}"),
        )
        .grade(Grade::Model),
    ]
}

fn xml() -> Vec<Fixture> {
    let usual = "<? LLSD/XML ?>\n<llsd><map><key>undef</key><undef /><key>yes</key><boolean>1</boolean>\
        <key>integer</key><integer>-33</integer><key>real</key><real>0.1</real>\
        <key>uuid</key><uuid>d7f4aeca-88f1-42a1-b385-b9db18abb255</uuid><key>null</key><uuid />\
        <key>string</key><string>&lt; &gt; &amp; &apos; &quot; 小\n&#13;</string><key>empty</key><string />\
        <key>date</key><date>2006-02-01T14:29:53.46Z</date><key>uri</key><uri>http://sl.com</uri>\
        <key>binary</key><binary encoding=\"base64\">AP8QIA==</binary>\
        <key>array</key><array><array /><map /></array></map></llsd>\n";
    let odd = "\n<?xml version='1.0' encoding='utf-8'?>\r\n<!-- a comment -->\r\n<llsd a='b'>\r\n<map>\r\n\
        <key>kept</key><string>one<!-- -->two<![CDATA[<3>]]>&#x41;\r\nline</string>\r\n<string>no key</string>\r\n\
        <key>html</key><html><body>b</body></html>\r\n<key>16</key><binary encoding='base16'>0f A1</binary>\r\n\
        <key>85</key><binary encoding='base85'>YISXJWn>_4c4cxPbZBJ</binary>\r\n\
        <key>wrapped</key><binary>aGVs\r\nbG8=</binary>\r\n<key>int</key><integer> 12.7</integer>\r\n\
        <key>bad</key><uuid>zzz</uuid>\r\n<key>real</key><real/>\r\n<llsd><undef/></llsd>\r\n\
        <key>last</key></map>\r\n</llsd>\r\nmore";
    let twice = "<llsd><map><key>a</key><integer>1</integer><key>a</key><integer>2</integer></map></llsd>";
    vec![
        Fixture::exact("every_type.xml", "a value of each type, as the viewer writes it", usual),
        Fixture::exact("odd.xml", "what the viewer reads and nobody should write", odd).grade(Grade::Model),
        Fixture::exact("twice.xml", "a key that stands twice: the last counts", twice).grade(Grade::Model),
        Fixture::exact("empty.xml", "no value", "<llsd></llsd>").grade(Grade::Model),
    ]
}

/// Documents that an attacker sends.
fn refused() -> Vec<Fixture> {
    let refused =
        |path: &str, about: &str, bytes: Bytes| Fixture::exact(path, about, bytes).grade(Grade::Failed);
    let count = Bytes::new().raw(VIEWER).u8(b'[').i32_be(i32::MAX);
    let length = Bytes::new().raw(VIEWER).u8(b's').i32_be(i32::MAX);
    let deep = Bytes::new().raw(VIEWER).raw(b"[\0\0\0\x01".repeat(200)).raw("!").raw("]".repeat(200));
    let entity = "<!DOCTYPE llsd [<!ENTITY a 'b'>]><llsd><string>&a;</string></llsd>";
    vec![
        refused("count.bin", "a count of 2147483647", count),
        refused("length.bin", "a length of 2147483647", length),
        refused("deep.bin", "200 arrays in one another", deep),
        refused("doctype.xml", "a document type with an entity", Bytes::new().raw(entity)),
        refused("entity.xml", "an unknown entity", Bytes::new().raw("<llsd><string>&nbsp;</string></llsd>")),
        refused(
            "deep.notation",
            "200 arrays in one another",
            Bytes::new().raw("<? llsd/notation ?>\n").raw("[".repeat(200)),
        ),
    ]
}
