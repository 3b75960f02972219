//! Small documents, laid out by hand as Studio and others write them.

use super::values::{EVERY_TYPE, ODD};
use crate::formats::{Fixture, Grade};

/// The start tag that Studio writes.
const START: &str = "<roblox xmlns:xmime=\"http://www.w3.org/2005/05/xmlmime\" \
    xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
    xsi:noNamespaceSchemaLocation=\"http://www.roblox.com/roblox.xsd\" version=\"4\">";
const EXTERNALS: &str = "\n\t<External>null</External>\n\t<External>nil</External>";

pub(super) fn all() -> Vec<Fixture> {
    let mut all = studio();
    all.extend(others());
    all.extend(broken());
    all
}

/// Lines with tabs in front of all but those that stand within text.
fn indent(text: &str, levels: usize) -> String {
    let mut inside = false;
    let mut indented = String::new();
    for line in text.lines() {
        let tabs = if inside { String::new() } else { "\t".repeat(levels) };
        indented += &format!("\n{tabs}{line}");
        // A line that opens text and does not close it goes on as it is.
        let opens = line.contains("<![CDATA[") && !line.contains("]]></")
            || line.starts_with("<string") && !line.contains("</string>")
            || line.starts_with("<Baloney");
        let closes = line.contains("]]></") || line.contains("</string>") || line.contains("</Baloney>");
        inside = (inside || opens) && !closes;
    }
    indented
}

/// An item as Studio writes it.
fn item(class: &str, referent: &str, properties: &str, children: &str, level: usize) -> String {
    let tabs = "\t".repeat(level);
    format!(
        "\n{tabs}<Item class=\"{class}\" referent=\"{referent}\">\n{tabs}\t<Properties>{}\n{tabs}\t</Properties>{children}\n{tabs}</Item>",
        indent(properties, level + 2)
    )
}

fn studio() -> Vec<Fixture> {
    let meta = "\n\t<Meta name=\"ExplicitAutoJoints\">true</Meta>";
    let first = item("Folder", "RBX00112233445566778899AABBCCDDEEFF", EVERY_TYPE, "", 1);
    // "Rojo is cool!" five times makes two lines of base64.
    let shared = "\n\t<SharedStrings>\
        \n\t\t<SharedString md5=\"yuZpQdnvvUBOTYh1jqZ2cA==\"></SharedString>\
        \n\t\t<SharedString md5=\"ZGVra29ub3Rfd2FzX2hlcmU=\">Um9qbyBpcyBjb29sIQ==</SharedString>\
        \n\t\t<SharedString md5=\"long\">Um9qbyBpcyBjb29sIVJvam8gaXMgY29vbCFSb2pvIGlzIGNvb2whUm9qbyBpcyBjb29sIVJv\nam8gaXMgY29vbCE=</SharedString>\
        \n\t</SharedStrings>";
    let name = |name: &str| format!("<string name=\"Name\">{name}</string>");
    let leaf = item("Part", "RBX2", &format!("<Ref name=\"Adornee\">RBX0</Ref>\n{}", name("Leaf")), "", 3);
    let model = item("Model", "RBX1", &name("Model"), &leaf, 2);
    let tree = item("Workspace", "RBX0", &name("Workspace"), &model, 1)
        + &item("Lighting", "RBX3", &name("Lighting"), "", 1);
    vec![
        Fixture::exact(
            "every_type.rbxmx",
            "a property of every type, as Studio writes it",
            format!("{START}{meta}{EXTERNALS}{first}{shared}\n</roblox>"),
        ),
        Fixture::exact("tree.rbxlx", "items in items", format!("{START}{EXTERNALS}{tree}\n</roblox>")),
        Fixture::exact(
            "empty.rbxlx",
            "no items",
            format!("{START}\n\t<Meta name=\"ExplicitAutoJoints\">true</Meta>{EXTERNALS}\n</roblox>"),
        ),
    ]
}

fn others() -> Vec<Fixture> {
    let odd: String = ODD.iter().map(|line| format!("\n\t\t\t{line}")).collect();
    let odd = format!(
        "{START}{EXTERNALS}\n\t<Item class=\"Odd\" referent=\"RBX0\">\n\t\t<Properties>{odd}\n\t\t</Properties>\n\t</Item>\n</roblox>"
    );
    let rojo = "<roblox version=\"4\">\n  <Item class=\"Folder\">\n    <Properties>\n      \
        <string name=\"Name\">DumpFolder</string>\n      <Vector2 name=\"Size\">\n        <X>0.1</X>\n        \
        <Y>1</Y>\n      </Vector2>\n    </Properties>\n  </Item>\n</roblox>";
    let crlf = format!(
        "{START}{EXTERNALS}{}\n</roblox>\n",
        item(
            "Script",
            "RBX0",
            "<ProtectedString name=\"Source\"><![CDATA[a\n\tb]]></ProtectedString>",
            "",
            1
        )
    );
    let messy = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- made by hand -->\n\
        <roblox\n   version='4'  author=\"me\">\n<!-- one --><Item referent=\"a\" class='Folder'/>\n \
        <Item class=\"Folder\" note=\"kept\"></Item><Meta name=\"late\">x</Meta>\n\
        <Item class=\"Folder\"><Item class=\"Part\"><Properties/></Item><Properties><!-- two -->\
        <string name=\"Name\">first</string></Properties><Thing>3</Thing>\
        <Properties><string name=\"Name\">second</string></Properties></Item>\n\
        <SharedStrings/><External/>text</roblox> <!-- end -->\n\n";
    let control = b"<roblox version=\"4\">\n\t<Item class=\"Folder\">\n\t\t<Properties>\n\t\t\t\
        <string name=\"Control\">a\x01b\x00</string>\n\t\t\t<string name=\"Latin\">caf\xe9</string>\n\t\t\t\
        <string name=\"Reference\">&#1;&#x1F;&#65534;</string>\n\t\t\t<string name=\"Signs\">a & b ]]> c</string>\n\t\t\
        </Properties>\n\t</Item>\n</roblox>\x00\x1a"
        .as_slice();
    let prefix = "<roblox xsi:noNamespaceSchemaLocation=\"http://www.roblox.com/roblox.xsd\" version=\"4\">\n\t\
        <Item class=\"Folder\" referent=\"RBX0\">\n\t\t<Properties>\n\t\t</Properties>\n\t</Item>\n</roblox>";
    let mut deep = String::from("<roblox version=\"4\">");
    deep += &"<Item class=\"Folder\"><Properties></Properties>".repeat(300);
    deep += &"</Item>".repeat(300);
    deep += "</roblox>";
    vec![
        Fixture::exact("odd.rbxmx", "numbers, types and forms that Studio reads and does not write", odd),
        Fixture::exact("rojo.rbxlx", "two spaces per level, shortest numbers, no referents", rojo),
        Fixture::exact("crlf.rbxmx", "lines end with CR LF", crlf.replace('\n', "\r\n")),
        Fixture::exact("mark.rbxmx", "a byte order mark", format!("\u{feff}{crlf}")),
        Fixture::exact(
            "one_line.rbxmx",
            "all in one line",
            "<roblox version=\"4\"><Meta name=\"a\">b</Meta><Item class=\"Folder\"><Properties>\
             <string name=\"Name\">x</string><Vector2 name=\"V\"><X>1</X><Y>2</Y></Vector2></Properties></Item></roblox>",
        ),
        Fixture::exact("messy.rbxmx", "comments, order, quotes, elements without a place", messy),
        Fixture::exact("control.rbxm", "what XML forbids, and a bare ampersand", control),
        Fixture::exact("prefix.rbxmx", "a prefix that is not declared", prefix),
        Fixture::exact("deep.rbxmx", "300 items in one another", deep),
    ]
}

fn broken() -> Vec<Fixture> {
    let property = |property: &str| {
        format!(
            "<roblox version=\"4\"><Item class=\"Part\" referent=\"RBX1\"><Properties>{property}</Properties></Item></roblox>"
        )
    };
    let refused =
        |path: &str, about: &str, text: String| Fixture::exact(path, about, text).grade(Grade::Failed);
    vec![
        refused(
            "broken/dtd.rbxmx",
            "a document type with an entity",
            "<!DOCTYPE roblox [<!ENTITY a \"aaaa\">]><roblox version=\"4\">&a;</roblox>".into(),
        ),
        refused("broken/int.rbxmx", "no number", property("<int name=\"Size\">x</int>")),
        refused(
            "broken/base64.rbxmx",
            "no base64",
            property("<BinaryString name=\"Tags\">a*b</BinaryString>"),
        ),
        refused(
            "broken/missing.rbxmx",
            "a vector without z",
            property("<Vector3 name=\"V\"><X>1</X><Y>2</Y></Vector3>"),
        ),
        refused("broken/end.rbxmx", "no end", "<roblox version=\"4\"><Item class=\"Part\">".into()),
        refused(
            "broken/tags.rbxmx",
            "tags that cross",
            "<roblox version=\"4\"><Item></roblox></Item>".into(),
        ),
    ]
}
