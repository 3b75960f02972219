//! Attributes: values and bytes that are known from other sources, read and written.

use rbxblobs::attributes::{CFrame, EnumItem, TweenInfo, UDim};
use rbxblobs::{Attribute, Attributes, from_slice};

/// The values in rbx-dom's documentation, which are from real files.
#[test]
fn values_of_real_files() {
    let float = |bytes: [u8; 4]| f32::from_le_bytes(bytes);
    let cases: &[(&[u8], Attribute)] = &[
        (b"\x02\x0d\0\0\0Hello, world!", Attribute::String("Hello, world!".into())),
        (b"\x03\x01", Attribute::Bool(true)),
        (b"\x04\x03\0\0\0", Attribute::Int32(3)),
        (b"\x05\0\0\x80\x3f", Attribute::Float32(1.0)),
        (b"\x06\0\0\0\0\x80\x1c\xc8\x40", Attribute::Float64(12345.0)),
        (b"\x09\0\0\0\x3f\x64\0\0\0", Attribute::UDim(UDim { scale: 0.5, offset: 100 })),
        (b"\x0e\xec\x03\0\0", Attribute::BrickColor(1004)),
        (
            b"\x0f\xa3\xa2\x22\x3f\0\0\0\0\0\0\x80\x3f",
            Attribute::Color3([float([0xa3, 0xa2, 0x22, 0x3f]), 0.0, 1.0]),
        ),
        (b"\x10\0\0\x20\x41\0\0\x48\x42", Attribute::Vector2([10.0, 50.0])),
        (b"\x11\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", Attribute::Vector3([1.0, 2.0, 3.0])),
        (
            b"\x14\0\0\0\0\0\0\0\0\0\0\0\0\x02",
            Attribute::CFrame(CFrame { position: [0.0; 3], rotation_id: 2, rotation: None }),
        ),
        (b"\x1b\0\0\xa0\x40\0\0\x20\x41", Attribute::NumberRange([5.0, 10.0])),
    ];
    for (bytes, value) in cases {
        let blob = [b"\x01\0\0\0\x01\0\0\0A".as_slice(), bytes].concat();
        let read = from_slice::<Attributes>(&blob).expect("readable");
        assert_eq!(read.0, [("A".into(), value.clone())]);
        assert_eq!(read.to_vec().expect("written"), blob);
        let cut = &blob[..blob.len() - 1];
        assert!(from_slice::<Attributes>(cut).is_err(), "{value:?} cut");
    }
    // The attributes of the file `folder-with-enum-attribute`.
    let blob = b"\x01\0\0\0\x0b\0\0\0AnEnumValue\x15\x08\0\0\0Material\0\x02\0\0";
    let read = from_slice::<Attributes>(blob).expect("readable");
    let value = Attribute::Enum(EnumItem { name: "Material".into(), value: 512 });
    assert_eq!(read.get("AnEnumValue"), Some(&value));
    assert_eq!(read.to_vec().expect("written"), blob);
}

/// Examples of newer types, read and written.
#[test]
fn newer_types() {
    let number = Attribute::Float64(1.5);
    let cases: &[(&[u8], Attribute)] = &[
        (
            b"\x24\0\0\xc0\x3f\0\0\xd0\x40\x04\0\0\0\x01\0\0\0\x02\0\0\0\0",
            Attribute::TweenInfo(TweenInfo {
                time: 1.5,
                delay: 6.5,
                repeats: 4,
                style: 1,
                direction: 2,
                reverses: false,
            }),
        ),
        (
            b"\x07\x03\0\0\0\x06\0\0\0\0\0\0\xf8\x3f\x01\x03\x01",
            Attribute::Array(vec![number.clone(), Attribute::Nil([]), Attribute::Bool(true)]),
        ),
        (
            b"\x08\x01\0\0\0\x01\0\0\0\x61\x06\0\0\0\0\0\0\xf8\x3f",
            Attribute::Table(vec![("a".into(), number)]),
        ),
        (b"\x0c\x21\0\0\0", Attribute::Faces(0x21)),
        (b"\x12\xff\xff\x02\0", Attribute::Vector2int16([-1, 2])),
        (b"\x1e\x01\x02\xff", Attribute::Color3uint8([1, 2, 255])),
        (b"\x22\x01\0\0\0\0\0\0\x80", Attribute::SecurityCapabilities(i64::MIN + 1)),
        (b"\x25\xff\xff\xff\xff", Attribute::Ref(-1)),
    ];
    for (bytes, value) in cases {
        let blob = [b"\x01\0\0\0\x01\0\0\0A".as_slice(), bytes].concat();
        let read = from_slice::<Attributes>(&blob).expect("readable");
        assert_eq!(read.0, [("A".into(), value.clone())]);
        assert_eq!(read.to_vec().expect("written"), blob);
    }
    // The lengths of other types: a value of this length is read completely, and one of another length is not.
    let lengths = [(0x0b, 24), (0x0d, 4), (0x13, 6), (0x1d, 25), (0x1f, 24), (0x20, 12), (0x23, 48)];
    for (type_id, len) in lengths {
        let blob = |len: usize| [b"\x01\0\0\0\x01\0\0\0A", &[type_id][..], &vec![1; len]].concat();
        let read = from_slice::<Attributes>(&blob(len)).expect("readable");
        assert!(
            read.0[0].1.type_id() == type_id && read.to_vec().expect("written") == blob(len),
            "{type_id:#x}"
        );
        assert!(from_slice::<Attributes>(&blob(len - 1)).is_err(), "{type_id:#x}");
        assert!(from_slice::<Attributes>(&blob(len + 1)).is_err(), "{type_id:#x}");
    }
}

/// Attributes before one of an unknown type are read; the unknown one and all bytes after it are kept.
#[test]
fn unknown_types() {
    let blob = b"\x03\0\0\0\x01\0\0\0a\x03\x01\x01\0\0\0b\x63what\x01\0\0\0c\x03\0";
    let mut read = from_slice::<Attributes>(blob).expect("readable");
    assert_eq!(read.get("a"), Some(&Attribute::Bool(true)));
    let Some(Attribute::Unknown(unknown)) = read.get("b") else { panic!("{read:?}") };
    assert_eq!((unknown.type_id, unknown.more), (0x63, 1));
    assert_eq!(read.to_vec().expect("written"), blob);
    read.set("z", Attribute::Bool(false));
    assert_eq!(read.0[1].0, "z");
    let again = from_slice::<Attributes>(&read.to_vec().expect("written")).expect("readable");
    assert_eq!(again, read);
    read.0.push(("later".into(), Attribute::Bool(true)));
    assert!(read.to_vec().is_err());
    // Nested arrays: they are not read recursively.
    let deep = [b"\x01\0\0\0\x01\0\0\0A".as_slice(), &b"\x07\x01\0\0\0".repeat(100_000), b"\x01"].concat();
    let read = from_slice::<Attributes>(&deep).expect("readable");
    assert!(matches!(&read.0[0].1, Attribute::Unknown(unknown) if unknown.type_id == 7));
    assert_eq!(read.to_vec().expect("written"), deep);
}

#[test]
fn what_cannot_be_read() {
    for (bytes, error) in [
        (
            &b"\x01\0\0\0"[..],
            "the declared count of 1 entry does not fit into the remaining 0 bytes \
                in attributes at offset 0x0",
        ),
        (
            b"\xff\xff\xff\xff\0\0\0\0",
            "the declared count of 4294967295 entries does not fit into the remaining 4 bytes \
                in attributes at offset 0x0",
        ),
        (
            b"\x01\0\0\0\0\0\0\0\x03\x01!",
            "1 unexpected byte after the last value in attributes at offset 0xa",
        ),
    ] {
        assert_eq!(from_slice::<Attributes>(bytes).expect_err("broken").to_string(), error);
    }
}

#[test]
fn setting_keeps_the_order_of_names() {
    let mut attributes = Attributes::default();
    assert!(attributes.to_vec().expect("written").is_empty());
    for name in ["b", "a", "c", "b"] {
        attributes.set(name, Attribute::Bool(true));
    }
    let names: Vec<_> = attributes.0.iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn removed_by_name() {
    let string =
        |text: &str| [&u32::try_from(text.len()).unwrap().to_le_bytes()[..], text.as_bytes()].concat();
    // `a` twice, and an unknown type that contains the last entry.
    let bytes = [
        &[4, 0, 0, 0][..],
        &string("a"),
        &[3, 0],
        &string("a"),
        &[3, 1],
        &string("b"),
        &[0x7f, 1, 2, 3],
        &string("c"),
        &[3, 1],
    ]
    .concat();
    let mut read: Attributes = rbxblobs::from_slice(&bytes).unwrap();
    assert_eq!(read.remove("b"), None);
    assert_eq!(read.remove("a"), Some(Attribute::Bool(true)));
    assert_eq!(read.remove("a"), None);
    assert_eq!(read.to_vec().unwrap(), [&[2, 0, 0, 0], &bytes[18..]].concat());
}

#[test]
fn values_of_rust_types() {
    let frame = geom::CFrame { position: geom::Vec3::new(1.0, 2.0, 3.0), ..Default::default() };
    let Attribute::CFrame(stored) = frame.into() else { panic!() };
    assert_eq!(stored.rotation, Some([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]));
    assert_eq!((stored.position, stored.rotation_id), ([1.0, 2.0, 3.0], 0));
    assert_eq!(Attribute::from("x"), Attribute::String("x".into()));
    assert_eq!(Attribute::from(2.0), Attribute::Float64(2.0));
}
