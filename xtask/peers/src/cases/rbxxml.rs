//! Roblox documents in XML, compared with rbx_xml.

use std::fmt::Write as _;
use std::rc::Rc;

use quick_xml::events::Event;
use rbx_xml::{DecodeOptions, DecodePropertyBehavior, EncodeOptions, EncodePropertyBehavior};

use super::{Rng, label};
use crate::corpus;
use crate::measure::{Case, Goal};

pub fn cases(sizes: &[usize]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &size in sizes {
        both(&mut cases, &format!("parts, {}", label(size)), place(size));
    }
    for (name, bytes) in corpus("rbxxml") {
        if bytes.len() > 100_000 && bytes.starts_with(b"<roblox ") {
            let short = name.rsplit("__").next().unwrap_or(&name).to_owned();
            let short = if short == "xml.rbxlx" { "all-instances-415".to_owned() } else { short };
            both(&mut cases, &short, bytes);
        }
    }
    cases.extend(super::edits::rbxxml());
    cases
}

fn both(cases: &mut Vec<Case>, what: &str, bytes: Vec<u8>) {
    let bytes = Rc::new(bytes);
    let [theirs, copy, events] = [(); 3].map(|()| Rc::clone(&bytes));
    let document = Rc::new(rbxxml::from_slice(&bytes).expect("a document"));
    let whole = Rc::clone(&document);
    // rbx_xml does not read some of the files.
    let Some(dom) = read_theirs(&bytes) else { return };
    let len = bytes.len();
    cases.push(
        Case::new("rbxxml", format!("read {what}"), len)
            .goal(Goal::TimesPeer(5.0))
            .ours(move || rbxxml::from_slice(&bytes).expect("a document"))
            .peer("rbx_xml", move || read_theirs(&theirs).expect("they read it before"))
            .yardstick("quick-xml, reading only the events", move || events_alone(&events))
            .yardstick("clone the document", move || rbxxml::Document::clone(&whole)),
    );
    cases.push(
        Case::new("rbxxml", format!("write {what}"), len)
            .goal(Goal::TimesPeer(4.0))
            .ours(move || rbxxml::to_vec(&document).expect("it was read"))
            .peer("rbx_xml", move || write_theirs(&dom))
            .yardstick("allocate and copy", move || copy.to_vec()),
    );
}

fn read_theirs(bytes: &[u8]) -> Option<rbx_dom_weak::WeakDom> {
    let options = DecodeOptions::new().property_behavior(DecodePropertyBehavior::ReadUnknown);
    rbx_xml::from_reader(bytes, options).ok()
}

/// Reads every event with quick-xml, and resolves the references. A reader built on quick-xml needs at least this time,
/// and that for building the document.
fn events_alone(bytes: &[u8]) -> usize {
    let mut reader = quick_xml::Reader::from_str(std::str::from_utf8(bytes).expect("UTF-8"));
    let mut len = 0;
    loop {
        match reader.read_event().expect("XML") {
            Event::Start(tag) | Event::Empty(tag) => {
                len += tag.name().0.len();
                for attribute in tag.attributes() {
                    len += attribute.expect("an attribute").unescape_value().expect("a value").len();
                }
            }
            Event::Text(text) => len += text.decode().expect("UTF-8").len(),
            Event::CData(text) => len += text.decode().expect("UTF-8").len(),
            Event::Eof => return len,
            _ => {}
        }
    }
}

fn write_theirs(dom: &rbx_dom_weak::WeakDom) -> Vec<u8> {
    let options = EncodeOptions::new().property_behavior(EncodePropertyBehavior::WriteUnknown);
    let mut bytes = Vec::new();
    rbx_xml::to_writer(&mut bytes, dom, dom.root().children(), options).expect("writes");
    bytes
}

/// A place of about this size, with parts as Studio writes them.
fn place(size: usize) -> Vec<u8> {
    let mut rng = Rng(3);
    let mut text = String::from(
        "<roblox version=\"4\">\n\t<Item class=\"Workspace\" referent=\"RBX0\">\n\t\t<Properties>\n\t\t\t\
         <string name=\"Name\">Workspace</string>\n\t\t</Properties>",
    );
    let mut index = 1;
    while text.len() < size {
        let _infallible = write!(
            text,
            "\n\t\t<Item class=\"Part\" referent=\"RBX{index:032X}\">\n\t\t\t<Properties>\n\t\t\t\t\
             <bool name=\"Anchored\">true</bool>\n\t\t\t\t<CoordinateFrame name=\"CFrame\">"
        );
        for part in ["X", "Y", "Z", "R00", "R01", "R02", "R10", "R11", "R12", "R20", "R21", "R22"] {
            let value =
                if part.len() == 1 { c_number(rng.unit() * 512.0) } else { (rng.next() % 2).to_string() };
            let _infallible = write!(text, "\n\t\t\t\t\t<{part}>{value}</{part}>");
        }
        let _infallible = write!(
            text,
            "\n\t\t\t\t</CoordinateFrame>\n\t\t\t\t<Color3uint8 name=\"Color3uint8\">{}</Color3uint8>\n\t\t\t\t\
             <token name=\"Material\">256</token>\n\t\t\t\t<string name=\"Name\">Part {index}</string>\n\t\t\t\t\
             <BinaryString name=\"Tags\"></BinaryString>\n\t\t\t\t<float name=\"Transparency\">{}</float>\n\t\t\t\t\
             <Vector3 name=\"size\">\n\t\t\t\t\t<X>4</X>\n\t\t\t\t\t<Y>{}</Y>\n\t\t\t\t\t<Z>2</Z>\n\t\t\t\t</Vector3>\n\t\t\t\
             </Properties>\n\t\t</Item>",
            0xff00_0000_u32 | rng.next() as u32 & 0xff_ffff,
            c_number(rng.unit().abs()),
            c_number(rng.unit()),
        );
        index += 1;
    }
    text.push_str("\n\t</Item>\n</roblox>");
    text.into_bytes()
}

/// A number as `%.9g` prints it if its exponent is small.
fn c_number(value: f32) -> String {
    let text = format!("{value:.8e}");
    let (digits, exponent) = text.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    if exponent < -4 {
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        return format!("{digits}e-{:02}", -exponent);
    }
    let text = format!("{value:.*}", usize::try_from(8 - exponent).expect("a small exponent"));
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
