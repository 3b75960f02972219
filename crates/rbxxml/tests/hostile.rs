//! Broken input: nothing panics, loops, overflows the stack or takes more than it may.

use rbxxml::{ErrorKind, Illegal, Item, ReadOptions, WriteOptions};
use testkit::{Hostile, fixtures, measure};

/// What a read may hold at once: properties of four bytes, `<a/>`, become a name, a value and the text
/// as it stood, in lists that may be twice as large while they grow.
fn bound(len: usize) -> u64 {
    len as u64 * 80 + 65_536
}

fn all(bytes: &[u8]) -> Result<(), String> {
    let document = rbxxml::from_slice(bytes).map_err(|error| error.to_string())?;
    let findings = rbxxml::check(&document);
    assert!(findings.iter().all(|finding| finding.count > 0));
    // What was read can be written: it stands as it stood, or it is allowed.
    let written = rbxxml::to_vec(&document).map_err(|error| error.to_string())?;
    let again = rbxxml::from_slice(&written).map_err(|error| format!("does not read again: {error}"));
    let again = again.unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(bytes)));
    assert!(
        again == document || rbxxml::to_vec(&again).ok() == Some(written),
        "another model\n{}",
        String::from_utf8_lossy(bytes)
    );
    let escaped = WriteOptions::new().illegal(Illegal::Escape).write(&document).map_err(|e| e.to_string())?;
    rbxxml::from_slice(&escaped).map_err(|error| error.to_string())?;
    Ok(())
}

const HOSTILE: Hostile<'_> = Hostile {
    name: "rbxxml",
    read: &all,
    only_read: &|bytes| rbxxml::from_slice(bytes).is_ok(),
    bound: &bound,
    mutations: 10_000,
    counts: false,
};

#[test]
fn every_truncation_and_many_mutations() {
    HOSTILE.run();
}

/// Where a file that nobody broke comes back exact, a broken one does too, if it reads at all.
#[test]
fn what_reads_comes_back_exact() {
    let mut rng = testkit::Rng(7);
    let (mut read, mut exact) = (0, 0);
    for file in fixtures("rbxxml") {
        for _ in 0..3_000 {
            let broken = testkit::mutate(&file.bytes, &mut rng);
            let Ok(document) = rbxxml::from_slice(&broken) else { continue };
            let Ok(written) = rbxxml::to_vec(&document) else { continue };
            read += 1;
            if written == broken {
                exact += 1;
            } else {
                println!(
                    "{}\n{}\n--- came back as\n{}",
                    file.name,
                    String::from_utf8_lossy(&broken),
                    String::from_utf8_lossy(&written)
                );
            }
        }
    }
    println!("{exact} of {read}");
    assert_eq!(exact, read);
}

const DEEP: usize = 1_000_000;

#[test]
fn a_million_items_in_one_another() {
    let mut text = String::from("<roblox version=\"4\">");
    text += &"<Item class=\"Folder\"><Properties></Properties>".repeat(DEEP);
    text += &"</Item>".repeat(DEEP);
    text += "</roblox>";
    let document = rbxxml::from_str(&text).unwrap();
    assert_eq!(document.len(), DEEP);
    assert!(rbxxml::to_string(&document).unwrap() == text);
    assert!(document.clone() == document);
    assert_eq!(rbxxml::check(&document).len(), 1);
    let deepest = document.items().last().unwrap().0;
    let mut up = deepest;
    let mut depth = 1;
    while let Some(parent) = document.parent(up) {
        (up, depth) = (parent, depth + 1);
    }
    assert_eq!(depth, DEEP);
    let error = ReadOptions::new().max_depth(1_000).read(text.as_bytes()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit(limit) if limit.name == "max_depth"), "{error}");
}

#[test]
fn a_million_items_made_by_hand() {
    let mut document = rbxxml::Document::new();
    let mut parent = None;
    for _ in 0..DEEP {
        parent = Some(document.insert(parent, Item::new("Folder")).unwrap());
    }
    // Without indentation: with it, the file would have a trillion tabs.
    let written = rbxxml::to_vec(&document).unwrap();
    assert!(written.len() < 100 * DEEP);
    let again = rbxxml::from_slice(&written).unwrap();
    assert!(again == document);
    assert!(rbxxml::to_vec(&again).unwrap() == written);
    let top = document.roots().next().unwrap();
    assert!(document.remove(top).is_some() && document.is_empty());
}

/// Elements within a value, an unknown type and what is passed over may nest as deep.
#[test]
fn deep_in_other_places() {
    let (open, close) = ("<a>".repeat(200_000), "</a>".repeat(200_000));
    for text in [
        format!("<roblox version=\"4\">{open}{close}</roblox>"),
        format!(
            "<roblox version=\"4\"><Item><Properties><Thing name=\"x\">{open}{close}</Thing></Properties></Item></roblox>"
        ),
        format!(
            "<roblox version=\"4\"><Item><Properties><string name=\"x\">{open}{close}</string></Properties></Item></roblox>"
        ),
        format!(
            "<roblox version=\"4\"><Item><Properties><Vector3 name=\"x\">{open}{close}</Vector3></Properties></Item></roblox>"
        ),
    ] {
        if let Ok(document) = rbxxml::from_str(&text) {
            assert!(rbxxml::to_string(&document).unwrap() == text);
        }
    }
}

#[test]
fn limits_hold() {
    let many = format!("<roblox version=\"4\">{}</roblox>", "<Item class=\"A\"></Item>".repeat(10_000));
    let error = ReadOptions::new().max_nodes(5_000).read(many.as_bytes()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit(limit) if limit.name == "max_nodes"), "{error}");
    let error = ReadOptions::new().max_bytes(100_000).read(many.as_bytes()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit(limit) if limit.name == "max_bytes"), "{error}");
    let error = ReadOptions::new().max_bytes(1_000).read_from(many.as_bytes()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
    let long = format!(
        "<roblox version=\"4\"><Item><Properties><string name=\"a\">{}</string></Properties></Item></roblox>",
        "x".repeat(1 << 20)
    );
    let error = ReadOptions::new().max_bytes(1 << 19).read(long.as_bytes()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit(limit) if limit.name == "max_bytes"), "{error}");
}

#[test]
fn many_attributes_take_no_longer_each() {
    // Comparing each with each would take minutes.
    let attributes: String = (0..300_000).map(|number| format!(" a{number}=''")).collect();
    let text = format!("<roblox{attributes}><Item{attributes} class=\"A\"></Item></roblox>");
    let document = rbxxml::from_str(&text).unwrap();
    assert_eq!(document.attributes.len(), 300_000);
    assert!(rbxxml::to_string(&document).unwrap() == text);
    let twice = text.replace("a299999", "a0");
    let error = rbxxml::from_str(&twice).unwrap_err().to_string();
    assert!(error.starts_with("malformed XML: an attribute that stands there twice"), "{error}");
}

/// However an element is spelled, and whatever must be put right: the limits are the same.
#[test]
fn limits_do_not_depend_on_the_spelling() {
    for (text, nodes) in [
        ("<roblox><a></a></roblox>", 2),
        ("<roblox><a ></a></roblox>", 2),
        ("<roblox><a/></roblox>", 2),
        ("<roblox>\n<a>x</a>\n</roblox>", 5),
        ("<roblox>\n<a >x</a>\n</roblox>", 5),
    ] {
        assert!(ReadOptions::new().max_nodes(nodes).read(text.as_bytes()).is_ok(), "{text}");
        assert!(ReadOptions::new().max_nodes(nodes - 1).read(text.as_bytes()).is_err(), "{text}");
    }
    for piece in ["&", "<!--\u{1}-->", "\u{1}"] {
        let text = format!("<roblox>{}</roblox>", piece.repeat(200_000));
        let taken = measure(|| {
            let error = ReadOptions::new().max_bytes(65_536).read(text.as_bytes()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Limit(limit) if limit.name == "max_bytes"), "{error}");
        });
        assert!(taken.bytes_max < 131_072, "{piece}: {}", taken.bytes_max);
    }
}

/// A document type is refused before anything in it is looked at.
#[test]
fn document_types_are_refused() {
    let laughs = "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><roblox>&b;</roblox>";
    let taken = measure(|| {
        let error = rbxxml::from_str(laughs).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
    });
    assert!(taken.bytes_max < 65_536);
}

#[test]
fn dense_documents_keep_the_bound() {
    for piece in [
        "<a/>",
        "<a b=\"\"/>",
        "<!---->",
        "<?a?>",
        "&amp;",
        "<a>&lt;</a>",
        "<Item/>",
        "<External/>",
        "\u{1}",
        "&#1;",
    ] {
        for [open, close] in [
            ["<roblox>", "</roblox>"],
            ["<roblox><Item><Properties>", "</Properties></Item></roblox>"],
            ["<roblox><Item><Properties><a>", "</a></Properties></Item></roblox>"],
            ["<roblox><Item><Properties><Vector3>", "</Vector3></Properties></Item></roblox>"],
        ] {
            let text = format!("{open}{}{close}", piece.repeat(20_000));
            let taken = measure(|| {
                let _either = rbxxml::from_str(&text);
            });
            println!("{open}{piece}: {:.1} times", taken.bytes_max as f64 / text.len() as f64);
            assert!(taken.bytes_max <= bound(text.len()), "{piece}: {} for {}", taken.bytes_max, text.len());
            // What is allowed is what is held, but for the names of what is open.
            let allowed = 1 << 19;
            let taken = measure(|| {
                let _either = ReadOptions::new().max_bytes(allowed).read(text.as_bytes());
            });
            let most = allowed + 5 * text.len() as u64;
            assert!(taken.bytes_max <= most, "{open}{piece}: {} of {most}", taken.bytes_max);
        }
    }
}

#[test]
fn lines_twice_missing_and_in_any_order() {
    HOSTILE.rearranged(&|bytes| testkit::pieces_up_to(bytes, b"\n>"));
}

#[test]
fn a_full_disk_is_an_error() {
    testkit::full_disks("rbxxml", &|bytes, disk| {
        let document = rbxxml::from_slice(bytes).ok()?;
        let written = rbxxml::to_writer(disk, &document);
        if let Err(error) = &written {
            assert!(matches!(error.kind(), rbxxml::ErrorKind::Io(_)), "{error}");
        }
        Some(written.is_ok())
    });
}
