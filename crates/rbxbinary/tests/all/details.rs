//! Details that are known from the format or from the documentation of the crate.

use crate::common::{chunk, end, framed, header, inst, one_column, prnt, prop, string};
use rbxbinary::edit::{EditOptions, Fill, Others};
use rbxbinary::errors::ErrorKind;
use rbxbinary::parts::{Column, Contents, Referent, TypeId};
use rbxbinary::types::{
    BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content, Font,
    NumberSequence, NumberSequenceKeypoint, SharedBytes,
};
use rbxbinary::{Document, NewInstance, ReadOptions, Value};

fn thing(value: impl Into<Value>) -> Document {
    let mut document = Document::new();
    document.insert(None, NewInstance::new("Thing").property("Of", value.into())).unwrap();
    document
}

fn content(uri: &str) -> Value {
    Value::Content(Content::Uri(uri.into()))
}

/// The neutral values for properties without a known default.
#[test]
fn neutral_values() {
    let white = Color3::new(1.0, 1.0, 1.0);
    let number = |time: f32| NumberSequenceKeypoint { time, value: 1.0, envelope: 0.0 };
    let color = |time: f32| ColorSequenceKeypoint { time, color: white, envelope: 0.0 };
    let numbers = NumberSequence { keypoints: vec![number(0.0), number(1.0)] };
    let colors = ColorSequence { keypoints: vec![color(0.0), color(1.0)] };
    assert_eq!(
        (NumberSequence::constant(1.0), ColorSequence::constant(white)),
        (numbers.clone(), colors.clone())
    );
    let family = "rbxasset://fonts/families/SourceSansPro.json".into();
    for (type_id, expected) in [
        (TypeId::BRICK_COLOR, BrickColor(194).into()),
        (TypeId::COLOR3, white.into()),
        (TypeId::COLOR3_UINT8, Color3uint8::new(163, 162, 165).into()),
        (TypeId::CFRAME, CFrame::IDENTITY.into()),
        (TypeId::CFRAME_QUAT, CFrameQuat::IDENTITY.into()),
        (TypeId::NUMBER_SEQUENCE, numbers.into()),
        (TypeId::COLOR_SEQUENCE, colors.into()),
        (TypeId::FONT, Font { family, weight: 400, ..Font::default() }.into()),
        (TypeId::INT32, Value::Int32(0)),
    ] {
        assert_eq!(type_id.neutral(), Some(expected));
    }
}

#[test]
fn other_contents_are_not_equal() {
    let of = thing(content("a"));
    // Lists of external objects and missing values count in a comparison, too.
    let changes: [fn(&mut Contents); 2] = [|of| of.external.push(Referent(5)), |of| of.entries.clear()];
    for change in changes {
        let mut changed = of.clone();
        let column = &mut changed.columns_mut().classes[0].properties[0].column;
        let Column::Content(contents) = column else { panic!() };
        change(contents);
        assert_ne!(changed, of);
        assert_ne!(of, changed);
    }
}

/// A column that was changed directly, and no longer fits the instances.
#[test]
fn columns_that_are_too_short() {
    let refused = |value: Value, change: &dyn Fn(&mut Column)| {
        let mut document = thing(value);
        document
            .columns_mut()
            .classes
            .iter_mut()
            .flat_map(|class| &mut class.properties)
            .for_each(|of| change(&mut of.column));
        rbxbinary::to_vec(&document).unwrap_err().to_string()
    };
    let font = refused(Font::default().into(), &|column| {
        let Column::Font(fonts) = column else { panic!() };
        fonts.weights.push(400);
    });
    assert!(font.starts_with("cannot write: expected 1 value, found 2 in"), "{font}");
    let frame = refused(Value::OptionalCFrame(None), &|column| {
        let Column::OptionalCFrame(frames) = column else { panic!() };
        frames.clear();
    });
    assert!(frame.starts_with("cannot write: expected 1 value, found 0 in"), "{frame}");
}

fn column(document: &Document) -> &Column {
    &document.classes()[0].properties[0].column
}

#[test]
fn flags_of_physical_properties() {
    let of = |flags: u8, numbers: usize| {
        let values = [&[flags][..], &[0; 4].repeat(numbers)].concat();
        let document = rbxbinary::from_slice(&one_column(1, 0x19, &values)).unwrap();
        matches!(column(&document), Column::PhysicalProperties(_))
    };
    assert_eq!([of(0, 0), of(1, 5), of(2, 0), of(3, 6)], [true; 4]);
    assert_eq!([of(4, 0), of(4, 5), of(4, 6), of(7, 6), of(3, 5)], [false; 5]);
}

/// Exceeding a limit is an error; it must not make a column unknown.
#[test]
fn a_limit_makes_no_column_unknown() {
    let bytes = one_column(1000, 0x19, &[0; 1000]);
    let mut limited = 0;
    for max_bytes in (0..200_000).step_by(1000) {
        match ReadOptions::new().max_bytes(max_bytes).read(&bytes) {
            Ok(document) => assert!(matches!(column(&document), Column::PhysicalProperties(_))),
            Err(error) => {
                limited += 1;
                assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
            }
        }
    }
    assert!((10..190).contains(&limited), "{limited}");
}

#[test]
fn zstd_frames_that_cannot_be() {
    let text = |len: u32, frame: &[u8]| {
        let stored = u32::try_from(frame.len()).unwrap();
        let bytes = [header(0, 0), framed(b"META", stored, len, 0, frame), end()].concat();
        rbxbinary::from_slice(&bytes).unwrap_err()
    };
    // A single segment of one byte, with a dictionary id of one byte.
    let error = text(1, b"\x28\xb5\x2f\xfd\x21\x05\x01\x09\0\0a");
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
    // Twelve bytes contain at most three blocks of four bytes and one more, of 128 KiB each. One byte more is refused.
    let error = text((4 << 17) + 1, b"\x28\xb5\x2f\xfd\x20\0\0\0\0\0\0\0").to_string();
    assert!(error.contains("12 compressed bytes cannot decompress to the declared 524289"), "{error}");
}

/// Setting a value changes its column and removes the signatures, even if there are two; everything else stays.
#[test]
fn an_edit_of_a_value_changes_no_more() {
    let file = |more: &[u8], name: &[u8]| {
        let mut parents = prnt(&[9, 4], &[-1, 9]);
        parents[0] = 1;
        [
            header(1, 2),
            chunk(b"INST", &inst(5, "Thing", &[9, 4])),
            chunk(b"PROP", &prop(5, "Name", 1, &[&string(name)[..], &string(b"b")].concat())),
            // Studio would not put a chunk here.
            chunk(b"NEW\0", b"kept"),
            chunk(b"PRNT", &parents),
            more.to_vec(),
            end(),
        ]
        .concat()
    };
    let signatures = [chunk(b"SIGN", b"one"), chunk(b"SIGN", b"two")].concat();
    let mut document = rbxbinary::from_slice(&file(&signatures, b"a")).unwrap();
    assert!(document.signatures().is_some());
    let first = document.roots().next().unwrap();
    document.set(first, "Name", "x").unwrap();
    assert_eq!(document.signatures(), None);
    assert_eq!(rbxbinary::to_vec(&document).unwrap(), file(b"", b"x"));
    // The version of the PRNT chunk stays if the chunk is rewritten.
    let child = document.children(first).next().unwrap();
    document.reparent(child, None).unwrap();
    assert_eq!(document.parents().version, 1);
    let bytes = rbxbinary::to_vec(&document).unwrap();
    let parents = rbxbinary::chunks(&bytes).unwrap().map(|chunk| chunk.unwrap());
    let versions: Vec<u8> =
        parents.filter(|of| of.name.to_string() == "PRNT").map(|of| of.payload[0]).collect();
    assert_eq!(versions, [1]);
    assert_eq!(rbxbinary::from_slice(&bytes).unwrap().roots().count(), 2);
}

/// A class with enough columns that they are indexed by a map.
#[test]
fn columns_after_one_that_was_removed() {
    let mut document = Document::new();
    let names: Vec<String> = (0..20).map(|number| format!("P{number}")).collect();
    let new = (0..).zip(&names).fold(NewInstance::new("Thing"), |new, (value, name)| {
        new.property(name.as_str(), Value::Int32(value))
    });
    let id = document.insert(None, new).unwrap();
    assert_eq!(document.get(id, "P19").unwrap().as_i32(), Some(19));
    document.remove_property("Thing", "P0").unwrap();
    for (value, name) in (1..).zip(&names[1..]) {
        assert_eq!(document.get(id, name.as_str()).unwrap().as_i32(), Some(value));
    }
    assert!(document.get(id, "P0").is_none());
}

/// Many referents that are not consecutive, so that the index of referents changes its form while the file is read.
#[test]
fn referents_far_apart() {
    const COUNT: i32 = 40_000;
    let mut of: Vec<i32> = vec![0, 70_000];
    of.extend(1..COUNT - 1);
    let mut parents = vec![-1; of.len()];
    parents[1] = 0;
    let file = [
        header(1, COUNT),
        chunk(b"INST", &inst(0, "Thing", &of)),
        chunk(b"PRNT", &prnt(&of, &parents)),
        end(),
    ]
    .concat();
    let document = rbxbinary::from_slice(&file).unwrap();
    assert_eq!(document.roots().count(), of.len() - 1);
    let first = document.roots().next().unwrap();
    assert_eq!(document.children(first).count(), 1);
}

/// Values that are equal, but stored in different forms.
#[test]
fn equal_values_in_other_forms() {
    let zeros = [0; 12];
    let floats = |numbers: &[f32]| -> Vec<u8> { numbers.iter().flat_map(|of| of.to_le_bytes()).collect() };
    let matrix = floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    // Rotation id 2 is the identity.
    for (type_id, forms) in [
        (0x10, [[&[2][..], &zeros].concat(), [&[0][..], &matrix, &zeros].concat()]),
        (0x11, [[&[2][..], &zeros].concat(), [&[0][..], &floats(&[0.0, 0.0, 0.0, 1.0]), &zeros].concat()]),
        (
            0x1e,
            [[&[0x10, 2][..], &zeros, &[2, 1]].concat(), [&[0x10, 0][..], &matrix, &zeros, &[2, 1]].concat()],
        ),
        (0x19, [vec![0], vec![2]]),
    ] {
        let [a, b] = forms.map(|bytes| rbxbinary::from_slice(&one_column(1, type_id, &bytes)).unwrap());
        assert!(a == b && rbxbinary::to_vec(&a).unwrap() != rbxbinary::to_vec(&b).unwrap(), "{type_id:#x}");
    }
}

/// The bytes of a shared string are not written if an edit replaced the last use of it.
#[test]
fn a_shared_string_that_was_replaced_is_gone() {
    let mut document = thing(Value::SharedString("one".into()));
    document = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    let id = document.roots().next().unwrap();
    document.set(id, "Of", Value::SharedString("two".into())).unwrap();
    let again = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    // Its index is kept, but its bytes are removed.
    let strings: Vec<_> = again.shared_strings().iter().map(|string| &*string.bytes).collect();
    assert_eq!(strings, ["", "two"]);
    let id = again.roots().next().unwrap();
    assert_eq!(again.get(id, "Of").unwrap().to_value(), Value::SharedString("two".into()));
}

/// A shared string of a refused edit is removed, and is added again if it is used later.
#[test]
fn a_shared_string_after_a_refusal() {
    let mut document = thing(Value::SharedString("one".into()));
    let id = document.roots().next().unwrap();
    let of = |text: &SharedBytes| Value::SharedString(text.clone());
    let (kept, refused) = (SharedBytes::from(b"kept".as_slice()), SharedBytes::from(b"refused".as_slice()));
    let new = NewInstance::new("Thing").property("Of", of(&refused));
    let like = EditOptions::new().fill(Fill::With(&|_, _| Some(Value::Bool(true))));
    // The fill function gives the child a Bool for `Of`, which the column refuses.
    assert!(like.insert(&mut document, None, new.child(NewInstance::new("Thing"))).is_err());
    assert_eq!(document.shared_strings().len(), 1);
    document.set(id, "Of", of(&kept)).unwrap();
    let second = document.insert(None, NewInstance::new("Thing").property("Of", of(&refused))).unwrap();
    assert_eq!(document.get(id, "Of").unwrap().to_value(), of(&kept));
    assert_eq!(document.get(second, "Of").unwrap().to_value(), of(&refused));
}

#[test]
fn instances_that_lack_what_others_bring() {
    let thing = || NewInstance::new("Thing");
    // Two new instances of a class, of which only one has the new property.
    let mut document = Document::new();
    document.insert(None, thing()).unwrap();
    let tree = thing().property("New", 1).child(thing());
    let leave_out = EditOptions::new().others(Others::LeaveOut);
    let edited = leave_out.insert(&mut document, None, tree).unwrap();
    assert_eq!((edited.left_out.len(), edited.left_out[0].instances), (1, 1));
}

/// An error names at least one missing property in full, and further ones up to 116 bytes.
#[test]
fn long_names_in_errors() {
    let mut document = Document::new();
    // `Thing.` and 52 letters are 58 bytes.
    let name = |letter: &str, len: usize| letter.repeat(len);
    let error = |document: &mut Document| {
        let error = document.insert(None, NewInstance::new("Thing")).unwrap_err().to_string();
        error.rsplit_once("): ").unwrap().1.to_owned()
    };
    let (a, b) = (name("a", 52), name("b", 52));
    let new = NewInstance::new("Thing").property(&*a, 1).property(&*b, 1);
    document.insert(None, new).unwrap();
    assert_eq!(error(&mut document), format!("Thing.{a}, Thing.{b}"));
    document.add_property("Thing", "c", 1).unwrap();
    assert_eq!(error(&mut document), format!("Thing.{a}, Thing.{b}, and 1 more"));
    let (mut document, long) = (Document::new(), name("d", 180));
    let new = NewInstance::new("Thing").property(&*long, 1).property("e", 1);
    document.insert(None, new).unwrap();
    assert_eq!(error(&mut document), format!("Thing.{long}, and 1 more"));
}

/// The product of their lengths does not fit into 32 bits, their sum does.
#[test]
fn instances_in_two_large_documents() {
    let of: Vec<i32> = (0..66_000).collect();
    let file = one_column(of.len(), 0x02, &vec![0; of.len()]);
    let mut document = rbxbinary::from_slice(&file).unwrap();
    let source = document.clone();
    document.merge(None, &source).unwrap();
    assert_eq!(document.len(), 132_000);
}
