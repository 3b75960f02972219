//! An edit only changes the bytes of the values that it touches.

use std::collections::HashSet;

use rbxxml::{Document, InstanceId, NewInstance};
use testkit::{Sample, corpus, fixtures};

fn files() -> Vec<Sample> {
    let mut files = corpus("rbxxml");
    files.extend(corpus("rbxbinary"));
    files.extend(fixtures("rbxxml"));
    files.retain(|file| rbxxml::from_slice(&file.bytes).is_ok());
    files
}

/// The bytes of every `Item` element, in the order of start tags, found without the crate.
fn items(bytes: &[u8]) -> Vec<&[u8]> {
    let find = |at: usize, what: &[u8]| {
        bytes[at..]
            .windows(what.len())
            .position(|window| window == what)
            .map_or(bytes.len(), |found| at + found)
    };
    let (mut open, mut items, mut at) = (Vec::new(), Vec::new(), 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"<!--") {
            at = find(at, b"-->");
        } else if rest.starts_with(b"<![CDATA[") {
            at = find(at, b"]]>");
        } else if rest.starts_with(b"<?") {
            at = find(at, b"?>");
        } else if rest.starts_with(b"</Item") && b"> \t\r\n".contains(&rest[6]) {
            let (number, start): (usize, usize) = open.pop().unwrap();
            at = find(at, b">");
            items[number] = &bytes[start..=at];
        } else if rest.starts_with(b"<") {
            let start = at;
            let mut quote = None;
            while quote.is_some() || bytes[at] != b'>' {
                match quote {
                    Some(end) if bytes[at] == end => quote = None,
                    None if matches!(bytes[at], b'"' | b'\'') => quote = Some(bytes[at]),
                    _ => {}
                }
                at += 1;
            }
            if bytes[start..].starts_with(b"<Item") && b"/> \t\r\n".contains(&bytes[start + 5]) {
                items.push(&bytes[start..=at]);
                if bytes[at - 1] != b'/' {
                    open.push((items.len() - 1, start));
                }
            }
        }
        at += 1;
    }
    items
}

/// The bytes of every instance's element; `None` if they cannot be matched.
fn elements<'b>(document: &Document, bytes: &'b [u8]) -> Option<Vec<(InstanceId, &'b [u8])>> {
    let items = items(bytes);
    // An element `Item` inside of an unknown element is not an instance.
    (items.len() == document.len()).then(|| document.instances().zip(items).collect())
}

/// Edits a file, and checks that the elements of other instances keep their bytes. `edit` returns the touched
/// instances; the instances above them are touched, too.
fn edit(name: &str, bytes: &[u8], edit: impl FnOnce(&mut Document) -> Vec<InstanceId>) {
    let mut document = rbxxml::from_slice(bytes).unwrap();
    let Some(before) = elements(&document, bytes) else { return };
    let above = |document: &Document, id| {
        std::iter::successors(Some(id), |&id| document.parent(id)).collect::<Vec<_>>()
    };
    let old = document.clone();
    let touched = edit(&mut document);
    let touched: HashSet<InstanceId> =
        touched.into_iter().flat_map(|id| [above(&old, id), above(&document, id)].concat()).collect();
    let written = rbxxml::WriteOptions::new().illegal(rbxxml::Illegal::Escape).write(&document);
    let written = written.unwrap_or_else(|error| panic!("{name}: {error}"));
    let again = rbxxml::from_slice(&written).unwrap();
    assert!(again == document, "{name}: {}", String::from_utf8_lossy(&written));
    let after: std::collections::HashMap<_, _> = elements(&document, &written).unwrap().into_iter().collect();
    for (id, element) in before {
        if document.contains(id) && !touched.contains(&id) {
            assert!(
                after[&id] == element,
                "{name}: {:?}\n{}\n--- is now\n{}",
                document.path(id),
                String::from_utf8_lossy(element),
                String::from_utf8_lossy(after[&id])
            );
        }
    }
}

/// Instances with a reference to one of these.
fn leading_to(document: &Document, to: &HashSet<InstanceId>) -> Vec<InstanceId> {
    let leads = |&id: &InstanceId| {
        document.properties(id).any(|(_, value)| value.as_instance().is_some_and(|id| to.contains(&id)))
    };
    document.instances().filter(leads).collect()
}

#[test]
fn what_no_edit_touches_keeps_its_bytes() {
    let mut model = Document::new();
    let part = |name: &str| NewInstance::new("Configuration").property("Name", name);
    model.insert(None, part("a").child(part("b")).child(part("c"))).unwrap();
    let mut tried = 0;
    for Sample { name, bytes } in files() {
        let document = rbxxml::from_slice(&bytes).unwrap();
        let all: Vec<_> = document.instances().collect();
        // If two instances have the same referent, references can lead to the other one after an edit.
        let mut referents = HashSet::new();
        let twins =
            !all.iter().filter_map(|&id| document.referent(id)).all(|referent| referents.insert(referent));
        tried += usize::from(elements(&document, &bytes).is_some());
        for id in all.iter().copied().step_by(all.len().div_ceil(2).max(1)) {
            edit(&name, &bytes, |document| {
                if document.name(id).is_some() {
                    document.set(id, "Name", "renamed").unwrap();
                }
                vec![id]
            });
            edit(&name, &bytes, |document| {
                document.set(id, "AAA", 7).unwrap();
                vec![id]
            });
            edit(&name, &bytes, |document| {
                vec![document.insert(id, NewInstance::new("Folder").property("Name", "new")).unwrap(), id]
            });
            edit(&name, &bytes, |document| {
                document.merge(id, &model).unwrap();
                vec![id]
            });
            edit(&name, &bytes, |document| {
                document.merge(None, &model).unwrap();
                vec![]
            });
            if twins {
                continue;
            }
            let other = all[all.len() / 2];
            edit(&name, &bytes, |document| {
                let touched = document.parent(id).into_iter().collect::<Vec<_>>();
                match document.reparent(id, other) {
                    Ok(()) => [touched, vec![other]].concat(),
                    Err(_) => vec![],
                }
            });
            edit(&name, &bytes, |document| {
                let touched = document.parent(id).into_iter().collect();
                document.reparent(id, None).unwrap();
                touched
            });
            edit(&name, &bytes, |document| {
                let gone: HashSet<_> = document.descendants(id).chain([id]).collect();
                let touched = leading_to(document, &gone).into_iter().filter(|id| !gone.contains(id));
                let touched = touched.chain(document.parent(id)).collect();
                assert_eq!(document.remove(id).unwrap(), gone.len());
                touched
            });
        }
    }
    assert!(tried > 5, "{tried}");
}

/// In a file without elements, new lines begin as Studio's lines do.
#[test]
fn lines_of_a_file_without_elements() {
    let mut document = rbxxml::from_str("<roblox version=\"4\"></roblox>").unwrap();
    document.insert(None, NewInstance::new("A")).unwrap();
    assert!(rbxxml::to_string(&document).unwrap().starts_with("<roblox version=\"4\">\n\t<Item class=\"A\""));
}

/// Unknown elements and attributes are kept, and listed; a number that is no character is text.
#[test]
fn unknown_parts_are_listed() {
    let text = r#"<roblox version="4"><Item class="A" referent="a" foo="x"><Foo>1</Foo><Properties>
        <string name="B" y:z='1'>&#xFFFFFF;&#xD83D;&#65;</string><Ref name="C">none</Ref><Ref name="D">a</Ref>
        <Ref name="E">null</Ref></Properties></Item><Bar/><SharedStrings><Baz/></SharedStrings></roblox>"#;
    let mut document = rbxxml::from_str(text).unwrap();
    assert_eq!(rbxxml::to_string(&document).unwrap(), text);
    let a = document.find("A").unwrap();
    let parts: Vec<_> = document.unknown_parts().map(|(id, what)| (id, what.to_string())).collect();
    let all = [
        (Some(a), r#"attribute "foo""#),
        (Some(a), "element <Foo>"),
        (Some(a), r#"attribute "y:z" of the property "B""#),
        (None, "element <Bar>"),
        (None, "element <Baz>"),
    ];
    assert_eq!(parts, all.map(|(id, what)| (id, what.to_owned())));
    let found =
        rbxxml::check(&document).into_iter().find(|found| found.rule.id == "rbxxml.elements").unwrap();
    assert_eq!(
        (found.path.as_str(), found.found.as_str(), found.count),
        ("A", r#"found the unknown attribute "foo""#, 5)
    );
    assert_eq!(document.get(a, "B").unwrap().as_str(), Some("&#xFFFFFF;&#xD83D;A"));
    assert_eq!(document.dangling(a), ["C"]);
    document.remove(a).unwrap();
    assert_eq!(document.unknown_parts().count(), 2);
}

/// Elements in values that the values do not contain, and the bytes and hashes of assets in old files, are listed, too.
#[test]
fn elements_in_values_are_listed() {
    let text = concat!(
        r#"<roblox version="4"><Item class="A"><Properties><Content name="B"><binary>aGk=</binary></Content>"#,
        r#"<Content name="C"><hash>0</hash></Content><Content name="D"><binary></binary><null/></Content>"#,
        r#"<Content name="E"><hash /></Content><Content name="F"><url>a</url><b>1</b><c>2</c></Content>"#,
        r#"<Vector2 name="G"><X>1</X><Y>2</Y><Z>3</Z></Vector2><Font name="H"><I>1</I></Font>"#,
        r#"<Vector2 name="J"><X>1</X><Z>3</Z></Vector2></Properties></Item></roblox>"#,
    );
    let document = rbxxml::from_str(text).unwrap();
    assert_eq!(rbxxml::to_string(&document).unwrap(), text);
    let parts: Vec<_> = document.unknown_parts().map(|(_, what)| what.to_string()).collect();
    let of = [("binary", "B"), ("hash", "C"), ("null", "D"), ("b", "F"), ("Z", "G"), ("I", "H")];
    assert_eq!(parts, of.map(|(name, property)| format!("element <{name}> in the property \"{property}\"")));
}

/// In a file whose lines are indented in any way, a new part is one more line, and all others stay.
#[test]
fn new_parts_are_new_lines() {
    let file = concat!(
        "<roblox version=\"4\">\n  <Item class=\"Part\" referent=\"R0\">\n<Properties>\n",
        "         <string name=\"Name\">A</string>\n \n   <bool name=\"Locked\">true</bool>\n",
        "  <float name=\"Transparency\">0</float></Properties>\n",
        "      <Item class=\"Folder\" referent=\"R1\"></Item>\n  </Item>\n</roblox>\n"
    );
    let document = rbxxml::from_slice(file.as_bytes()).unwrap();
    let part = document.roots().next().unwrap();
    for (name, line, next) in [
        ("Anchored", "         <bool name=\"Anchored\">true</bool>\n", "         <string name=\"Name\">"),
        ("Massless", "  <bool name=\"Massless\">true</bool>\n", "  <float name=\"Transparency\">"),
    ] {
        let mut edited = document.clone();
        edited.set(part, name, true).unwrap();
        let written = String::from_utf8(rbxxml::to_vec(&edited).unwrap()).unwrap();
        assert_eq!(written, file.replacen(next, &format!("{line}{next}"), 1), "{name}");
    }
}
