//! Broken and hostile input: reading it returns a value or an error. It never panics, overflows the stack or allocates
//! more memory than the size of the input justifies.

use llsd::errors::ErrorKind;
use llsd::{Document, Duplicates, Encoding, ReadOptions, Value, WriteOptions, transcode};
use testkit::{Hostile, measure};

/// The most memory for an input of this length. A value takes 32 bytes and an entry 56, lists exist twice while they
/// grow, and the shortest value has one byte of input.
fn bound(len: usize) -> u64 {
    len as u64 * 112 + 32 * 1024
}

/// Edits a value that was read: the file that is written must be read as the edited value.
fn edited(mut document: Document, options: &ReadOptions) {
    let options = options.clone().encoding(document.layout.encoding());
    let Ok(spans) = document.spans() else { return };
    for (turn, (path, _)) in spans.iter().enumerate().skip(spans.len() / 2).step_by(7).take(6) {
        let _before = match turn % 3 {
            0 => document.set(path, 7).ok().flatten(),
            1 => document.insert(format!("{path}/0"), "x").ok().map(|()| Value::Undef),
            _ => document.remove(path),
        };
        let Ok(written) = document.to_vec() else { continue };
        let (again, _) = options.read_used(&written).unwrap();
        assert!(again == document.value, "{path} in {}", written.escape_ascii());
        // The file that was written can be edited again.
        let again = options.read_document(&written).unwrap();
        assert!(again.to_vec().unwrap() == written);
    }
}

fn read(bytes: &[u8]) -> Result<(), String> {
    let mut answer = Ok(());
    for options in [ReadOptions::new(), ReadOptions::new().strict(true)] {
        match options.read_document(bytes) {
            Ok(document) => {
                let value = &document.value;
                llsd::check(value);
                assert!(value.identical(&value.clone()));
                let _long = format!("{value:?}{value:#}");
                // An unchanged document is written as the same file. Writing fails if a date is out of range.
                match document.to_vec() {
                    Ok(written) => assert!(written == bytes),
                    Err(error) => assert!(matches!(error.kind(), ErrorKind::Unwritable(_)), "{error}"),
                }
                edited(document.clone(), &options);
                for &encoding in Encoding::ALL {
                    let to = WriteOptions::new().encoding(encoding).indent(true);
                    if let (Ok(written), Ok(rewritten)) = (to.write(value), transcode(bytes, &options, &to)) {
                        // Text encodings do not distinguish between NaNs.
                        assert_eq!(llsd::from_slice(&written).unwrap().to_string(), value.to_string());
                        assert_eq!(llsd::from_slice(&rewritten).unwrap().to_string(), value.to_string());
                    }
                }
            }
            Err(error) => {
                assert!(error.offset().is_some_and(|offset| offset <= bytes.len() as u64));
                answer = Err(error.to_string());
            }
        }
    }
    answer
}

const HOSTILE: Hostile<'_> = Hostile {
    name: "llsd",
    read: &read,
    only_read: &|bytes| llsd::from_slice(bytes).is_ok(),
    bound: &bound,
    mutations: 500,
    counts: true,
};

#[test]
fn every_truncation_and_many_mutations() {
    HOSTILE.run();
}

#[test]
fn lying_counts() {
    for marker in *b"[{slb" {
        for count in [0x7fff_ffff_u32, 0x1000_0000, 1_000_000, 100] {
            let bytes = [&[marker], count.to_be_bytes().as_slice(), b"]]]]}}}}"].concat();
            let mut error = None;
            let taken = measure(|| error = llsd::read_binary(&bytes).err());
            assert!(matches!(error.unwrap().kind(), ErrorKind::UnexpectedEnd), "{bytes:?}");
            assert!(taken.bytes_max < 4096, "{bytes:?} took {}", taken.bytes_max);
        }
    }
    // Each array claims all remaining bytes; together, the arrays must not reserve more than that.
    let mut bytes = Vec::new();
    for left in (1..100_u32).rev() {
        bytes.push(b'[');
        bytes.extend((left * 5).to_be_bytes());
    }
    assert!(matches!(llsd::read_binary(&bytes).unwrap_err().kind(), ErrorKind::UnexpectedEnd));
    assert!(llsd::read_notation(b"s(2147483647)\"abc\"").is_err());
    assert!(llsd::read_notation(b"b(2147483647)\"abc\"").is_err());
    assert!(llsd::read_notation(b"s(99999999999999999999)\"abc\"").is_err());
    assert!(llsd::read_xml(b"<llsd><string length='2147483647'>").is_err());
}

fn nested(encoding: Encoding, depth: usize) -> Vec<u8> {
    match encoding {
        Encoding::Binary => {
            [b"[\0\0\0\x01".repeat(depth - 1), b"[\0\0\0\0".to_vec(), b"]".repeat(depth)].concat()
        }
        Encoding::Xml => {
            [b"<llsd>".to_vec(), b"<array>".repeat(depth), b"</array>".repeat(depth), b"</llsd>".to_vec()]
                .concat()
        }
        Encoding::Notation => [b"[".repeat(depth), b"]".repeat(depth)].concat(),
    }
}

#[test]
fn deep_nesting_is_refused() {
    for &encoding in Encoding::ALL {
        let error = ReadOptions::new().encoding(encoding).read(&nested(encoding, 100_000)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit(limit) if limit.name == "max_depth"), "{encoding}");
        assert!(error.path().len() < 200);
    }
}

#[test]
fn a_raised_limit_does_without_the_stack() {
    let depth = 1_000_000;
    for &encoding in Encoding::ALL {
        let bytes = nested(encoding, depth);
        let options = ReadOptions::new().encoding(encoding).max_depth(2_000_000);
        let value = options.read(&bytes).unwrap();
        assert!(value == value.clone() && value.events().count() == 2 * depth);
        assert!(format!("{value:?}").len() < 10_000 && format!("{value}").len() == 2 * depth);
        llsd::check(&value);
        for &back in Encoding::ALL {
            let to = WriteOptions::new().encoding(back);
            assert!(transcode(&bytes, &options, &to).unwrap() == to.write(&value).unwrap());
        }
    }
}

#[test]
fn many_equal_keys_take_no_longer() {
    // A comparison of each key with all others would take minutes.
    let entries = 400_000_u32;
    let mut same = vec![b'{'];
    let mut other = vec![b'{'];
    for at in 0..entries {
        same.extend(b"'a'!");
        // In descending order, so that the keys are not already sorted.
        other.extend(format!("'{:08}'!", entries - at).bytes());
    }
    same.push(b'}');
    other.push(b'}');
    for rule in [Duplicates::First, Duplicates::Last, Duplicates::Error] {
        let options = ReadOptions::new().encoding(Encoding::Notation).duplicates(rule);
        assert_eq!(options.read(&other).unwrap().len(), entries as usize);
        match options.read(&same) {
            Ok(value) => assert_eq!(value.len(), 1),
            Err(error) => {
                assert!(rule == Duplicates::Error && error.to_string().contains("duplicate key \"a\""))
            }
        }
        let _ = transcode(&same, &options, &WriteOptions::new());
    }
}

#[test]
fn many_attributes_take_no_longer_each() {
    // A comparison of each attribute with all others would take minutes.
    let attributes: String = (0..300_000).map(|number| format!(" a{number}=''")).collect();
    let text = format!("<llsd><string{attributes}>x</string></llsd>");
    assert_eq!(llsd::read_xml(text.as_bytes()).unwrap(), Value::from("x"));
    let twice = text.replace("a299999", "a0");
    let error = llsd::read_xml(twice.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("duplicate attribute \"a0\""), "{error}");
}

#[test]
fn the_budget_holds() {
    let text = [b"[".to_vec(), b"!".repeat(100_000), b"]".to_vec()].concat();
    for allowed in [1_000, 100_000, 1_000_000] {
        let options = ReadOptions::new().encoding(Encoding::Notation).max_bytes(allowed);
        let mut failed = false;
        let taken = measure(|| failed = options.read(&text).is_err());
        assert!(failed && taken.bytes_max <= allowed + 4096, "{allowed}: {}", taken.bytes_max);
    }
}

#[test]
fn values_twice_missing_and_in_any_order() {
    HOSTILE.rearranged(&|bytes| testkit::pieces_up_to(bytes, b",>\n"));
}

#[test]
fn a_full_disk_is_an_error() {
    testkit::full_disks("llsd", &|bytes, disk| {
        let value = llsd::from_slice(bytes).ok()?;
        let written = llsd::to_writer(disk, &value, Encoding::Binary);
        if let Err(error) = &written {
            assert!(matches!(error.kind(), llsd::errors::ErrorKind::Io(_)), "{error}");
        }
        Some(written.is_ok())
    });
}
