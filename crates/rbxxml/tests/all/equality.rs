//! Tests of when documents and values are equal, and when documents have the same layout.

use rbxxml::parts::External;
use rbxxml::types::SharedBytes;
use rbxxml::{Document, Metadata, NewInstance, Value};

const TEXT: &str = "<roblox version=\"4\">\n\t<Meta name=\"m\">1</Meta>\n\t<External>e</External>\n\t\
    <Item class=\"A\" referent=\"r\">\n\t\t<Properties>\n\t\t\t<int name=\"P\">7</int>\n\t\t\t<Ref name=\"R\">r</Ref>\n\t\t\
    </Properties>\n\t\t<Item class=\"B\" referent=\"s\">\n\t\t\t<Properties>\n\t\t\t</Properties>\n\t\t</Item>\n\t</Item>\n\t\
    <SharedStrings>\n\t\t<SharedString md5=\"k\">QUFB</SharedString>\n\t</SharedStrings>\n</roblox>";

fn read(text: &str) -> Document {
    rbxxml::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Any single difference makes documents unequal.
#[test]
fn every_part_is_compared() {
    let document = read(TEXT);
    assert!(document == read(TEXT) && document.same_layout(&read(TEXT)));
    for (part, other) in [
        ("\"4\"", "\"5\""),
        (">1<", ">2<"),
        (">e<", ">f<"),
        ("\"A\"", "\"C\""),
        ("referent=\"s\"", "referent=\"t\""),
        ("\"P\"", "\"Q\""),
        (">7<", ">8<"),
        (">r<", ">s<"),
        (">r<", ">null<"),
        ("\n\t\t\t<Ref", "<int name=\"Q\">7</int><Ref"),
        ("QUFB", "QkJC"),
        ("\"k\"", "\"l\""),
        ("</Item>\n\t</Item>", "</Item>\n\t</Item><Item class=\"C\"></Item>"),
        // The same instances in a different tree.
        ("<Item class=\"B\" referent=\"s\">", "</Item><Item class=\"B\" referent=\"s\">"),
    ] {
        let mut text = TEXT.replacen(part, other, 1);
        if other.starts_with("</Item><") {
            text = text.replacen("</Item>\n\t</Item>", "</Item>", 1);
        }
        assert!(text != TEXT && read(&text) != document, "{other}");
    }
}

/// References are compared by the position of the instance in the document, not by its id.
#[test]
fn references_are_compared_by_place() {
    let text = |to: &str| {
        format!(
            "<roblox><Item class=\"A\" referent=\"a\"/><Item class=\"A\" referent=\"b\"><Properties><Ref name=\"R\">{to}</Ref>\
            <Content name=\"C\"><Ref>{to}</Ref></Content></Properties></Item></roblox>"
        )
    };
    let mut moved = read(&text("a").replace("<roblox>", "<roblox><Item class=\"Z\"/>"));
    let first = moved.roots().next().unwrap();
    moved.remove(first).unwrap();
    assert!(moved == read(&text("a")));
    assert!(moved != read(&text("b")));
}

/// Documents that are equal, but have different layouts.
#[test]
fn every_spelling_is_layout() {
    let document = read(TEXT);
    for (part, other) in [
        ("<roblox", "<!-- x --><roblox"),
        ("</roblox>", "</roblox>\n"),
        ("\"4\"", "'4'"),
        ("\n\t<Item", "\n\t<!-- x --><Item"),
        ("\"m\"", "'m'"),
        ("<External>", "<External >"),
        ("\"k\"", "'k'"),
        ("\"A\"", "'A'"),
        ("<int", "<!-- x --><int"),
        ("\"P\"", "'P'"),
        ("\"s\">", "'s'>"),
        ("\t\t\t<int", "   <int"),
        ("\" referent", "\"  referent"),
        (">7<", "> 7<"),
    ] {
        let text = TEXT.replacen(part, other, 1);
        let written = read(&text);
        assert!(text != TEXT && written == document && !written.same_layout(&document), "{other}");
        assert_eq!(rbxxml::to_string(&written).unwrap(), text);
    }
    // Also if another program wrote both.
    let odd = TEXT.replace("<int", "<!-- x --><int").replace("\"A\"", "'A'");
    for (part, other) in [(" x ", " y "), ("'A'", "'A' ")] {
        let other = read(&odd.replacen(part, other, 1));
        assert!(other == document && !other.same_layout(&read(&odd)));
    }
    let lines = read(&TEXT.replace('\n', "\r\n"));
    assert!(lines == document && !lines.same_layout(&document));
}

/// A document that this crate wrote is read without a layout of its own, even if values are long.
#[test]
fn what_is_written_has_no_layout_of_its_own() {
    let mut document = Document::new();
    document.metadata.push(Metadata::new("m", "1"));
    document.externals.push(External::new("e"));
    let long = Value::BinaryString(vec![7; 5_000].into());
    let long =
        NewInstance::new("A").property("Long", "x".repeat(5_000)).property("Bytes", long).property("B", true);
    document.insert(None, long.child(NewInstance::new("B"))).unwrap();
    let key = document.share(vec![1; 5_000]);
    document.insert(None, NewInstance::new("A").property("S", Value::SharedString(key))).unwrap();
    let again = rbxxml::from_slice(&rbxxml::to_vec(&document).unwrap()).unwrap();
    assert!(again == document && again.same_layout(&document));
}

/// A clone shares the bytes. Equal bytes share them only within a document.
#[test]
fn shared_bytes_are_shared() {
    use std::sync::Arc;
    let bytes = Arc::new(b"abc".to_vec());
    let shared = SharedBytes::from(bytes.clone());
    assert!(Arc::ptr_eq(shared.as_arc(), &bytes) && Arc::ptr_eq(shared.clone().as_arc(), &bytes));
    assert_eq!(shared, SharedBytes::from("abc"));
    let (mut document, other) = (Document::new(), SharedBytes::from("abd"));
    let all = [&shared, &other, &shared, &"abc".into()].map(|bytes| document.share(bytes.clone()));
    assert!([&all[0], &all[2], &all[3]].iter().all(|bytes| Arc::ptr_eq(bytes.as_arc(), shared.as_arc())));
    assert_eq!((all[1].as_ref(), document.shared_strings().len()), (b"abd".as_slice(), 2));
}

#[cfg(feature = "serde")]
#[test]
fn json_has_lines_twins_and_shared_strings() {
    let again = |text: &str| -> Document {
        serde_json::from_str(&serde_json::to_string(&read(text)).unwrap()).unwrap()
    };
    let text = TEXT.replace('\n', "\r\n");
    assert_eq!(rbxxml::to_string(&again(&text)).unwrap(), text);
    // Of two instances with the same referent, the first is removed.
    let mut twins =
        again("<roblox><Item class=\"A\" referent=\"x\"/><Item class=\"B\" referent=\"x\"/></roblox>");
    let [a, b] = twins.roots().collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!(twins.by_referent("x"), Some(a));
    twins.remove(a).unwrap();
    assert_eq!(twins.by_referent("x"), Some(b));
}
