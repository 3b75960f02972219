//! Attributes: values and bytes that are known from other sources, read and written.

use rbxblobs::attributes::{EnumItem, TweenInfo};
use rbxblobs::{Attribute, Attributes, from_slice};
use rbxcore::geom::{CFrame, Mat3, Vec2, Vec3};
use rbxcore::parts::attributes::Type;
use rbxcore::{
    BrickColor, Color3, Color3uint8, ColorSequence, CustomPhysicalProperties, Faces, Font, NumberRange,
    NumberSequence, PhysicalProperties, SecurityCapabilities, UDim, Value, Vector2int16,
};

/// One attribute with a type and a value; without the last byte, it is refused.
fn pair(bytes: &[u8], value: &Attribute) {
    let blob = [b"\x01\0\0\0\x01\0\0\0A".as_slice(), bytes].concat();
    let read = from_slice::<Attributes>(&blob).expect("readable");
    assert_eq!(read.0, [("A".into(), value.clone())]);
    assert_eq!(read.to_vec().expect("written"), blob);
    assert!(from_slice::<Attributes>(&blob[..blob.len() - 1]).is_err(), "{value:?} cut");
    walked(bytes);
}

/// A reference behind a value is found, so the end of the value is the same for who reads and for who only walks.
fn walked(bytes: &[u8]) {
    let last = b"\x01\0\0\0B\x25\x07\0\0\0";
    let blob = [b"\x02\0\0\0\x01\0\0\0A".as_slice(), bytes, last].concat();
    let mut found = Vec::new();
    let done = rbxcore::parts::attributes::references(&blob, |at, to| found.push((at, to)));
    assert_eq!((done, found.last()), (Ok(()), Some(&(blob.len() - 4, 7))), "{bytes:?}");
    assert!(from_slice::<Attributes>(&blob).expect("readable").get("B") == Some(&Attribute::Ref(7)));
    let cut = rbxcore::parts::attributes::references(&blob[..blob.len() - 1], |_, _| {});
    assert_eq!(cut.map_err(|cut| cut.entries), Err(1), "{bytes:?}");
}

/// The values in rbx-dom's documentation, which are from real files.
#[test]
fn values_of_real_files() {
    let float = |bytes: [u8; 4]| f32::from_le_bytes(bytes);
    let cases: &[(&[u8], Attribute)] = &[
        (b"\x02\x0d\0\0\0Hello, world!", "Hello, world!".into()),
        (b"\x03\x01", true.into()),
        (b"\x04\x03\0\0\0", 3.into()),
        (b"\x05\0\0\x80\x3f", 1.0_f32.into()),
        (b"\x06\0\0\0\0\x80\x1c\xc8\x40", 12345.0.into()),
        (b"\x09\0\0\0\x3f\x64\0\0\0", UDim { scale: 0.5, offset: 100 }.into()),
        (b"\x0e\xec\x03\0\0", BrickColor(1004).into()),
        (
            b"\x0f\xa3\xa2\x22\x3f\0\0\0\0\0\0\x80\x3f",
            Color3::new(float([0xa3, 0xa2, 0x22, 0x3f]), 0.0, 1.0).into(),
        ),
        (b"\x10\0\0\x20\x41\0\0\x48\x42", Vec2 { x: 10.0, y: 50.0 }.into()),
        (b"\x11\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", Vec3::new(1.0, 2.0, 3.0).into()),
        (b"\x14\0\0\0\0\0\0\0\0\0\0\0\0\x02", CFrame::default().into()),
        (b"\x1b\0\0\xa0\x40\0\0\x20\x41", NumberRange { min: 5.0, max: 10.0 }.into()),
    ];
    for (bytes, value) in cases {
        pair(bytes, value);
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
    let number = Attribute::from(1.5);
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
            Attribute::Array(vec![number.clone(), Attribute::Nil, true.into()]),
        ),
        (
            b"\x08\x01\0\0\0\x01\0\0\0\x61\x06\0\0\0\0\0\0\xf8\x3f",
            Attribute::Table(vec![("a".into(), number)]),
        ),
        (b"\x0c\x21\0\0\0", Faces(0x21).into()),
        (b"\x12\xff\xff\x02\0", Vector2int16 { x: -1, y: 2 }.into()),
        (b"\x1e\x01\x02\xff", Color3uint8::new(1, 2, 255).into()),
        (b"\x22\x01\0\0\0\0\0\0\x80", SecurityCapabilities(1 << 63 | 1).into()),
        (b"\x25\xff\xff\xff\xff", Attribute::Ref(-1)),
    ];
    for (bytes, value) in cases {
        pair(bytes, value);
    }
    // The lengths of other types: a value of this length is read completely, and one of another length is not.
    let lengths = [(0x0b, 24), (0x0d, 4), (0x13, 6), (0x1d, 25), (0x1f, 24), (0x20, 12), (0x23, 48)];
    for (type_id, len) in lengths {
        let value = |len: usize| (0..len).map(|at| u8::from(at == 0)).collect::<Vec<_>>();
        let blob = |len: usize| [b"\x01\0\0\0\x01\0\0\0A", &[type_id][..], &value(len)].concat();
        walked(&[&[type_id][..], &value(len)].concat());
        let read = from_slice::<Attributes>(&blob(len)).expect("readable");
        assert!(
            read.0[0].1.type_id() == Some(type_id) && read.to_vec().expect("written") == blob(len),
            "{type_id:#x}"
        );
        assert!(from_slice::<Attributes>(&blob(len - 1)).is_err(), "{type_id:#x}");
        assert!(from_slice::<Attributes>(&blob(len + 1)).is_err(), "{type_id:#x}");
    }
}

/// Each type has the same extent for who reads and for who only walks: see [`walked`].
#[test]
fn extents() {
    let sequence = NumberSequence::constant(0.5);
    let colors = ColorSequence::constant(Color3::new(0.1, 0.2, 0.3));
    let font = Font { family: "family".into(), cached_face_id: "%face".into(), ..Font::default() };
    let some: [Attribute; 6] = [
        sequence.into(),
        colors.into(),
        font.into(),
        PhysicalProperties::Custom(CustomPhysicalProperties::default()).into(),
        Attribute::Enum(EnumItem { name: "%Material".into(), value: 512 }),
        Attribute::Table(vec![("%".into(), Attribute::Array(vec![Attribute::Ref(3), Attribute::Nil]))]),
    ];
    for of in Type::ALL {
        let of_type = |value: &&Attribute| value.type_id() == Some(of.id());
        let value = some.iter().find(of_type).cloned();
        let value = value.or_else(|| Some(Value::neutral(of.kind()?).into()));
        let Some(value) = value else { continue };
        let blob = Attributes(vec![("A".into(), value)]).to_vec().expect("written");
        assert_eq!(blob[9], of.id());
        walked(&blob[9..]);
    }
    let matrix = Attribute::Matrix(Box::default());
    walked(&Attributes(vec![("A".into(), matrix)]).to_vec().expect("written")[9..]);
}

/// Attributes before one of an unknown type are read; the unknown one and all bytes after it are kept.
#[test]
fn unknown_types() {
    let blob = b"\x03\0\0\0\x01\0\0\0a\x03\x01\x01\0\0\0b\x63what\x01\0\0\0c\x03\0";
    let mut read = from_slice::<Attributes>(blob).expect("readable");
    assert_eq!(read.get("a"), Some(&Attribute::from(true)));
    let Some(Attribute::Unknown(unknown)) = read.get("b") else { panic!("{read:?}") };
    assert_eq!((unknown.type_id, unknown.more), (0x63, 1));
    assert_eq!(read.to_vec().expect("written"), blob);
    read.set("z", Attribute::from(false));
    assert_eq!(read.0[1].0, "z");
    let again = from_slice::<Attributes>(&read.to_vec().expect("written")).expect("readable");
    assert_eq!(again, read);
    read.0.push(("later".into(), Attribute::from(true)));
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
        attributes.set(name, Attribute::from(true));
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
    assert_eq!(read.remove("a"), Some(Attribute::from(true)));
    assert_eq!(read.remove("a"), None);
    assert_eq!(read.to_vec().unwrap(), [&[2, 0, 0, 0], &bytes[18..]].concat());
}

#[test]
fn values_of_rust_types() {
    let frame = geom::CFrame { position: geom::Vec3::new(1.0, 2.0, 3.0), ..Default::default() };
    assert_eq!(Attribute::from(frame), Attribute::Value(Value::CFrame(frame.into())));
    assert_eq!(Attribute::from("x"), Attribute::Value(Value::String("x".into())));
    assert_eq!(Attribute::from(2.0), Attribute::Value(Value::Float64(2.0)));
}

/// A rotation along the axes is stored as its id, unless the file has it as a matrix; other rotations are matrices.
#[test]
fn rotations() {
    let rows = |rows: &[f32; 9]| rows.iter().flat_map(|row| row.to_le_bytes()).collect::<Vec<_>>();
    let (upright, tilted) =
        ([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], [0.6, 0.8, 0.0, -0.8, 0.6, 0.0, 0.0, 0.0, 1.0]);
    let frame = |rows| CFrame { position: Vec3::default(), rotation: Mat3::from_rows(rows) };
    let blob = |end: &[u8]| [b"\x01\0\0\0\x01\0\0\0A\x14".as_slice(), &[0; 12], end].concat();
    for (end, value) in [
        (vec![2], Attribute::from(frame(upright))),
        ([vec![0], rows(&upright)].concat(), Attribute::Matrix(frame(upright).into())),
        ([vec![0], rows(&tilted)].concat(), Attribute::from(frame(tilted))),
    ] {
        pair(&[b"\x14".as_slice(), &[0; 12], &end].concat(), &value);
    }
    // Ids without a rotation are kept, too.
    let read = from_slice::<Attributes>(&blob(&[1])).expect("readable");
    assert!(matches!(read.0[0].1, Attribute::Unknown(_)));
    assert_eq!(read.to_vec().expect("written"), blob(&[1]));
    let refused = Attributes(vec![("A".into(), Attribute::from(rbxcore::UniqueId::default()))]).to_vec();
    assert_eq!(
        refused.expect_err("no such attribute").to_string(),
        "cannot write a value of the type UniqueId in attributes"
    );
}
