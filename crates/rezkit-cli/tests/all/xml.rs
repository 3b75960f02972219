//! Roblox documents as XML.

/// The rows of a CFrame that rotates nothing.
pub(crate) const UNTURNED: [f32; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// An instance with its children.
pub(crate) fn item(class: &str, name: &str, properties: &str, children: &str) -> String {
    let name = format!("<string name=\"Name\">{name}</string>");
    format!("<Item class=\"{class}\"><Properties>{name}{properties}</Properties>{children}</Item>")
}

/// An instance with an id, to which properties of others refer.
pub(crate) fn with_id(id: &str, item: String) -> String {
    item.replacen(' ', &format!(" referent=\"{id}\" "), 1)
}

/// A document of instances. Each line is one, indented by its depth, with its class, name and properties (as XML). An id
/// can follow the class after `#`.
pub(crate) fn tree(lines: &str) -> Vec<u8> {
    let (mut text, mut open) = (String::new(), 0);
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2;
        text += &"</Item>".repeat(open - depth);
        let mut parts = line.trim_start().splitn(3, '|');
        let (class, name) = (parts.next().expect("a class"), parts.next().expect("a name"));
        let (class, id) = class.split_once('#').unwrap_or((class, ""));
        let item = item(class, name, parts.next().unwrap_or_default(), "");
        let item = if id.is_empty() { item } else { with_id(id, item) };
        text += item.trim_end_matches("</Item>");
        open = depth + 1;
    }
    document(&(text + &"</Item>".repeat(open)))
}

/// A property in an element without fields.
pub(crate) fn field(element: &str, name: &str, value: impl std::fmt::Display) -> String {
    format!("<{element} name=\"{name}\">{value}</{element}>")
}

pub(crate) fn document(items: &str) -> Vec<u8> {
    format!("<roblox version=\"4\">{items}</roblox>").into_bytes()
}

pub(crate) fn vector(name: &str, [x, y, z]: [f32; 3]) -> String {
    format!("<Vector3 name=\"{name}\"><X>{x}</X><Y>{y}</Y><Z>{z}</Z></Vector3>")
}

/// A CFrame with its position and the rows of its rotation.
pub(crate) fn cframe(name: &str, position: [f32; 3], rows: [f32; 9]) -> String {
    let names = ["X", "Y", "Z", "R00", "R01", "R02", "R10", "R11", "R12", "R20", "R21", "R22"];
    let numbers = names.iter().zip(position.into_iter().chain(rows));
    let tags: String = numbers.map(|(name, n)| format!("<{name}>{n}</{name}>")).collect();
    format!("<CoordinateFrame name=\"{name}\">{tags}</CoordinateFrame>")
}

/// The properties of an instance that is at this position.
pub(crate) fn at(position: [f32; 3]) -> String {
    cframe("CFrame", position, UNTURNED)
}

/// The properties of a part of this size that is at this position.
pub(crate) fn sized(position: [f32; 3], size: [f32; 3]) -> String {
    at(position) + &vector("size", size)
}

/// A property with the bytes of a fixture of `rbxblobs`.
pub(crate) fn blob(name: &str, file: &str) -> String {
    binary(name, testkit::fixture("rbxblobs", file))
}

/// A property with these bytes.
pub(crate) fn binary(name: &str, bytes: impl AsRef<[u8]>) -> String {
    field("BinaryString", name, base64(bytes))
}

pub(crate) fn base64(bytes: impl AsRef<[u8]>) -> String {
    base64::Engine::encode(&base64::prelude::BASE64_STANDARD, bytes)
}

/// A script whose source is a shared string.
pub(crate) const SHARED_SCRIPT: &str =
    "<Item class=\"Script\"><Properties><SharedString name=\"Source\">k</SharedString></Properties></Item>";

/// A document of these instances and a shared string.
pub(crate) fn with_shared(items: &str, text: impl AsRef<[u8]>) -> Vec<u8> {
    let text = base64(text);
    document(&format!("{items}<SharedStrings><SharedString md5=\"k\">{text}</SharedString></SharedStrings>"))
}
