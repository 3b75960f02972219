//! Broken input: nothing panics, loops endlessly, overflows the stack or takes more memory than allowed.

use rbxxml::errors::ErrorKind;
use rbxxml::{Illegal, NewInstance, ReadOptions, WriteOptions};
use testkit::{Hostile, fixtures, measure};

/// The most memory for a read of this length: a property of four bytes, `<a/>`, becomes a name, a value and the text of
/// the file, in lists that can be twice as large while they grow.
fn bound(len: usize) -> u64 {
    len as u64 * 80 + 65_536
}

fn all(bytes: &[u8]) -> Result<(), String> {
    let document = rbxxml::from_slice(bytes).map_err(|error| error.to_string())?;
    let findings = rbxxml::check(&document);
    assert!(findings.iter().all(|finding| rbxxml::errors::RULES.contains(&finding.rule)));
    // What was read can be written.
    let written = rbxxml::to_vec(&document).map_err(|error| error.to_string())?;
    let again = rbxxml::from_slice(&written).map_err(|error| format!("does not read again: {error}"));
    let again = again.unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(bytes)));
    assert!(again == document, "another model\n{}", String::from_utf8_lossy(bytes));
    let escaped = WriteOptions::new().illegal(Illegal::Escape).write(&document).map_err(|e| e.to_string())?;
    rbxxml::from_slice(&escaped).map_err(|error| error.to_string())?;
    Ok(())
}

const HOSTILE: Hostile<'_> = Hostile {
    name: "rbxxml",
    read: &all,
    only_read: &|bytes| rbxxml::from_slice(bytes).is_ok(),
    bound: &bound,
    mutations: 500,
    counts: false,
};

#[test]
fn every_truncation_and_many_mutations() {
    HOSTILE.run();
}

/// A broken file that can be read is written as the same bytes, just like a valid one.
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
fn a_million_instances_in_one_another() {
    let mut text = String::from("<roblox version=\"4\">");
    text += &"<Item class=\"Folder\"><Properties></Properties>".repeat(DEEP);
    text += &"</Item>".repeat(DEEP);
    text += "</roblox>";
    let document = rbxxml::from_str(&text).unwrap();
    assert_eq!(document.len(), DEEP);
    assert!(rbxxml::to_string(&document).unwrap() == text);
    assert!(document.clone() == document);
    assert_eq!(rbxxml::check(&document).len(), 1);
    let deepest = document.instances().last().unwrap();
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
fn many_instances_in_one_another_made_by_hand() {
    const DEEP: usize = 50_000;
    let mut document = rbxxml::Document::new();
    let mut parent = None;
    for _ in 0..DEEP {
        parent = Some(document.insert(parent, NewInstance::new("Folder")).unwrap());
    }
    // Beyond 256 levels, the indentation no longer grows, since the file would have billions of tabs.
    let written = rbxxml::to_vec(&document).unwrap();
    assert!(written.len() < 4 * 320 * DEEP);
    let again = rbxxml::from_slice(&written).unwrap();
    assert!(again == document);
    assert!(rbxxml::to_vec(&again).unwrap() == written);
    let top = document.roots().next().unwrap();
    assert_eq!(document.remove(top).unwrap(), DEEP);
    assert!(document.is_empty());
}

/// Deep nesting in values, in elements of unknown types and in skipped elements.
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
    // A comparison of each attribute with all others would take minutes.
    let attributes: String = (0..300_000).map(|number| format!(" a{number}=''")).collect();
    let text = format!("<roblox{attributes}><Item{attributes} class=\"A\"></Item></roblox>");
    let document = rbxxml::from_str(&text).unwrap();
    assert_eq!(document.attributes.len(), 300_000);
    assert!(rbxxml::to_string(&document).unwrap() == text);
    let twice = text.replace("a299999", "a0");
    let error = rbxxml::from_str(&twice).unwrap_err().to_string();
    assert!(error.starts_with("malformed XML: duplicate attribute"), "{error}");
}

/// The limits do not depend on how an element is written.
#[test]
fn limits_do_not_depend_on_the_spelling() {
    for (text, nodes) in [
        ("<roblox><a></a></roblox>", 2),
        ("<roblox><a ></a></roblox>", 2),
        ("<roblox><a/></roblox>", 2),
        ("<roblox>\n<a>x</a>\n</roblox>", 2),
        ("<roblox>\n<a >x</a>\n</roblox>", 2),
        (
            "<roblox><Item><Properties><Color3><R>1</R><G>1</G><B>1</B></Color3></Properties></Item></roblox>",
            7,
        ),
        ("<roblox><!-- x --><?y?><a><![CDATA[z]]></a></roblox>", 5),
    ] {
        assert!(ReadOptions::new().max_nodes(nodes).read(text.as_bytes()).is_ok(), "{text}");
        assert!(ReadOptions::new().max_nodes(nodes - 1).read(text.as_bytes()).is_err(), "{text}");
    }
}

/// A document type declaration is refused before its content is read.
#[test]
fn document_types_are_refused() {
    let laughs = "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><roblox>&b;</roblox>";
    let taken = measure(|| {
        let error = rbxxml::from_str(laughs).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
    });
    assert!(taken.bytes_max < 65_536);
}

/// With half and a tenth of the memory that a read takes as the limit, a read takes no more than that, except for a
/// small constant. If the input comes from a reader, it counts, too.
fn keeps_max_bytes(bytes: &[u8], what: &str) {
    const SMALL: u64 = 16_384;
    let whole = measure(|| drop(rbxxml::from_slice(bytes))).bytes_max;
    for allowed in [whole / 2, whole / 10] {
        let options = ReadOptions::new().max_bytes(allowed);
        let read = measure(|| drop(options.read(bytes))).bytes_max;
        assert!(read <= allowed + SMALL, "{what}: {read} of {allowed}");
        let read = measure(|| drop(options.read_from(bytes))).bytes_max;
        assert!(read <= allowed + SMALL, "{what}: {read} of {allowed}, from a reader");
    }
    // A read does not require a much higher limit than the memory that it takes with 64-bit pointers.
    let words = 64 / u64::from(usize::BITS);
    let enough = ReadOptions::new().max_bytes(whole * 2 * words + SMALL).read(bytes).map(drop);
    assert_eq!(enough.is_ok(), rbxxml::from_slice(bytes).is_ok(), "{what}: {enough:?}, {whole}");
}

/// Text that is decoded, kept, written for comparison, or read as another type.
#[test]
fn long_values_keep_max_bytes() {
    let property = |tag: &str, text: &str| {
        format!("<roblox><Item><Properties><{tag} name=\"a\">{text}</{tag}></Properties></Item></roblox>")
    };
    for (what, text) in [
        ("line ends in a value", property("string", &"\r\n".repeat(500_000))),
        (
            "line ends in a script",
            property("ProtectedString", &format!("<![CDATA[{}]]>", "\r\n".repeat(500_000))),
        ),
        ("line ends between tags", format!("<roblox>{}</roblox>", "\r\n".repeat(500_000))),
        ("references", property("string", &"&#13;&quot;".repeat(100_000))),
        ("quotes", property("string", &"\"".repeat(1_000_000))),
        ("pieces", property("string", &"a<![CDATA[b]]><!-- c -->".repeat(50_000))),
        ("base64", property("BinaryString", &"QUJD\n".repeat(200_000))),
        ("numbers", property("NumberSequence", &"0 1 2 ".repeat(200_000))),
        ("malformed", property("Vector3", &"<X>1</X>".repeat(100_000))),
        ("names", (0..50_000).map(|n| format!("<Item class=\"c{n}\" referent=\"r{n}\"/>")).collect()),
        ("references", (0..20_000).map(|n| property("Ref", &format!("r{n}"))).collect()),
        ("attributes", format!("<roblox {}/>", (0..50_000).map(|n| format!("a{n}='' ")).collect::<String>())),
        ("metadata", "<Meta name='a'>b</Meta>".repeat(50_000)),
        ("open elements", "<a>".repeat(200_000)),
        (
            "shared strings",
            format!(
                "<SharedStrings>{}</SharedStrings>",
                "<SharedString md5='a'>QUJD</SharedString>".repeat(20_000)
            ),
        ),
        ("Properties elements", format!("<Item>{}</Item>", "<Properties><a/></Properties>".repeat(50_000))),
        ("indentation", format!("<roblox>\n{}<Meta name='a'>&#98;</Meta></roblox>", " ".repeat(100_000))),
        ("comments after the end", format!("<roblox/>{}", "<!-- x -->".repeat(100_000))),
    ] {
        let text = if text.starts_with("<roblox") { text } else { format!("<roblox>{text}</roblox>") };
        keeps_max_bytes(text.as_bytes(), what);
    }
}

/// A list that is reallocated exists twice for a moment, which counts at any point.
#[test]
fn lists_that_move_keep_max_bytes() {
    let text = format!("<roblox><Item>{}</Item></roblox>", "<Properties><a/></Properties>".repeat(5_000));
    let whole = measure(|| drop(rbxxml::from_str(&text))).bytes_max;
    for part in 1..40 {
        let allowed = whole * part / 40;
        let options = ReadOptions::new().max_bytes(allowed);
        let taken = measure(|| drop(options.read(text.as_bytes()))).bytes_max;
        assert!(taken <= allowed + 4_096, "{taken} of {allowed}");
    }
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
            keeps_max_bytes(text.as_bytes(), &format!("{open}{piece}"));
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
            assert!(matches!(error.kind(), rbxxml::errors::ErrorKind::Io(_)), "{error}");
        }
        Some(written.is_ok())
    });
}
