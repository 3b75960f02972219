//! Values and bytes that are known from other sources: the examples of the specification (corrected if they are wrong),
//! and the XML that Studio saved of the same document.

use crate::common::{chunk, end, header, hex, inst, interleaved, one_column, prnt, prop, referents, string};
use rbxbinary::geom::{Mat3, Quat, Vec2, Vec3};
use rbxbinary::parts::{Column, Referent, SharedString, TypeId};
use rbxbinary::types::{
    Axes, BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    CustomPhysicalProperties, Faces, Font, FontStyle, NumberRange, NumberSequence, NumberSequenceKeypoint,
    PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, UniqueId, Vector2int16, Vector3int16,
};
use rbxbinary::{Document, NewInstance, Value};

/// The bytes of a column (after its type) are read as these values, and these values are written as the bytes, whether
/// the column is kept or built again.
fn pair(type_id: TypeId, bytes: &str, values: &[Value]) {
    let bytes = hex(bytes);
    let file = one_column(values.len(), type_id.0, &bytes);
    let document = rbxbinary::from_slice(&file).unwrap_or_else(|error| panic!("{type_id}: {error}"));
    let column = document.classes()[0].property("Value").unwrap();
    assert_eq!(column.type_id(), Some(type_id));
    assert_eq!(column.len(), Some(values.len()), "{type_id}: {column:?}");
    let got = |document: &Document| -> Vec<Value> {
        document.instances().map(|id| document.get(id, "Value").unwrap().to_value()).collect()
    };
    assert_eq!(got(&document), values, "{type_id}");
    assert!(rbxbinary::to_vec(&document).unwrap() == file, "{type_id} comes back");

    let mut built = Document::new();
    for value in values {
        built.insert(None, NewInstance::new("Thing").property("Value", value)).unwrap();
    }
    let again = rbxbinary::from_slice(&rbxbinary::to_vec(&built).unwrap()).unwrap();
    assert_eq!(got(&again), values, "{type_id} built");
    // Replace each value by the last one, and remove the last instance.
    let ids: Vec<_> = built.instances().collect();
    let (last, others) = ids.split_last().unwrap();
    for id in others {
        built.set(*id, "Value", values.last().unwrap()).unwrap();
    }
    built.remove(*last).unwrap();
    let again = rbxbinary::from_slice(&rbxbinary::to_vec(&built).unwrap()).unwrap();
    let expected = vec![values.last().unwrap().clone(); others.len()];
    assert_eq!(got(&again), expected, "{type_id} replaced");
}

fn frame(rows: [f32; 9], position: [f32; 3]) -> CFrame {
    CFrame { rotation: Mat3::from_rows(rows), position: position.into() }
}

#[test]
fn the_type_ids() {
    let names = "String Bool Int32 Float32 Float64 UDim UDim2 Ray Faces Axes BrickColor Color3 Vector2 Vector3 \
        Vector2int16 CFrame CFrameQuat Enum Ref Vector3int16 NumberSequence ColorSequence NumberRange \
        Rect PhysicalProperties Color3uint8 Int64 SharedString Bytecode OptionalCFrame UniqueId Font \
        SecurityCapabilities Content";
    assert_eq!(names.split(' ').count(), 0x22);
    for (id, name) in (1..=0x22).zip(names.split(' ')) {
        assert_eq!(TypeId(id).name(), Some(name));
        assert_eq!(Column::new(TypeId(id)).unwrap().type_id(), Some(TypeId(id)));
    }
    assert_eq!(TypeId(0).name(), None);
    assert_eq!(TypeId(0x23).to_string(), "0x23");
    assert_eq!(Column::new(TypeId(0x23)), None);
}

#[test]
fn strings_are_bytes() {
    let values = [Value::from("Part"), Value::from(""), Value::String(vec![0xff, 0x00, 0x80].into())];
    pair(TypeId::STRING, "04 00 00 00 50 61 72 74 00 00 00 00 03 00 00 00 ff 00 80", &values);
    pair(TypeId::BYTECODE, "02 00 00 00 1b 4c", &[Value::Bytecode(vec![0x1b, 0x4c].into())]);
}

#[test]
fn plain_numbers() {
    pair(TypeId::BOOL, "01 00 01", &[true.into(), false.into(), true.into()]);
    // Transformed numbers: 0, -1, 1, the least and the greatest, which need a shift without sign extension.
    let values = [0, -1, 1, i32::MIN, i32::MAX].map(Value::from);
    pair(TypeId::INT32, "00 00 00 ff ff  00 00 00 ff ff  00 00 00 ff ff  00 01 02 ff fe", &values);
    // −0.15625 in Roblox's float format.
    pair(TypeId::FLOAT32, "7c 40 00 01", &[(-0.15625_f32).into()]);
    pair(TypeId::FLOAT64, "00 00 00 00 00 00 f0 3f 00 00 00 00 00 00 e0 bf", &[1.0.into(), (-0.5).into()]);
    pair(TypeId::ENUM, "00 00 00 00 01 00 00 02", &[Value::Enum(0x0100), Value::Enum(2)]);
    let int64 = [1, -1, i64::MIN].map(Value::from);
    let planes = "00 00 ff  00 00 ff  00 00 ff  00 00 ff  00 00 ff  00 00 ff  00 00 ff  02 01 ff";
    pair(TypeId::INT64, planes, &int64);
    // What Studio writes for 2882400000.
    let capabilities = [Value::SecurityCapabilities(SecurityCapabilities(2_882_400_000))];
    pair(TypeId::SECURITY_CAPABILITIES, "00 00 00 01 57 9b de 00", &capabilities);
}

#[test]
fn a_number_that_is_none_keeps_its_bits() {
    // Studio's NaN is 7fc00000; rotated left by one, it is ff800000.
    let file = one_column(2, 0x04, &hex("ff ff 80 80 00 00 00 02"));
    let document = rbxbinary::from_slice(&file).unwrap();
    let Some(Column::Float32(values)) = document.classes()[0].property("Value") else { panic!() };
    assert_eq!(values.iter().map(|value| value.to_bits()).collect::<Vec<_>>(), [0x7fc0_0000, 0x7fc0_0001]);
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
}

#[test]
fn lengths() {
    let udim = |scale, offset| UDim { scale, offset };
    let values = [udim(1.0, 2), udim(3.0, 4)].map(Value::from);
    pair(TypeId::UDIM, "7f 80 00 80 00 00 00 00 00 00 00 00 00 00 04 08", &values);
    let value = UDim2 { x: udim(0.75, -30), y: udim(-1.5, 60) };
    pair(TypeId::UDIM2, "7e 80 00 00 7f 80 00 01 00 00 00 3b 00 00 00 78", &[value.into()]);
    let ray = Ray { origin: Vec3::new(1.0, 2.0, 3.0), direction: Vec3::new(-1.0, 0.5, 0.0) };
    let bytes = "00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 bf 00 00 00 3f 00 00 00 00";
    pair(TypeId::RAY, bytes, &[Value::from(ray)]);
}

#[test]
fn sets() {
    // The specification has 01 18 26, which contradicts Studio's XML of all 64 values.
    let front = Faces::FRONT;
    let faces = [front, Faces(4 | 2), Faces(16 | 8 | 1)];
    pair(TypeId::FACES, "20 06 19", &faces.map(Value::Faces));
    assert!(faces[1].contains(Faces::BACK) && faces[1].contains(Faces::TOP) && !faces[1].contains(front));
    assert_eq!(faces[2], Faces(Faces::BOTTOM.0 | Faces::LEFT.0 | Faces::RIGHT.0));
    let axes = [Axes::X, Axes(1 | 2), Axes(1 | 4)];
    pair(TypeId::AXES, "01 03 05", &axes.map(Value::Axes));
    assert!(axes[2].contains(Axes::Z) && !axes[2].contains(Axes::Y));
    // Unused bits are kept.
    pair(TypeId::FACES, "c0", &[Value::Faces(Faces(0xc0))]);
}

#[test]
fn colors() {
    let bricks = [1004, 37, 1010].map(|number| Value::BrickColor(BrickColor(number)));
    pair(TypeId::BRICK_COLOR, "00 00 00 00 00 00 03 00 03 ec 25 f2", &bricks);
    let color = Color3 { r: 1.0, g: 180.0 / 255.0, b: 20.0 / 255.0 };
    pair(TypeId::COLOR3, "7f 00 00 00 7e 69 69 6a 7b 41 41 42", &[color.into()]);
    let bytes = [Color3uint8 { r: 0, g: 255, b: 255 }, Color3uint8 { r: 63, g: 0, b: 127 }];
    pair(TypeId::COLOR3_UINT8, "00 3f ff 00 ff 7f", &bytes.map(Value::from));
}

#[test]
fn vectors() {
    let (a, b) = (-100.8, 200.55);
    let bytes = "85 86 93 91 33 19 35 9a 86 85 91 93 19 33 9a 35";
    pair(TypeId::VECTOR2, bytes, &[Vec2::new(a, b), Vec2::new(b, a)].map(Value::from));
    let bytes = "7f 7f 00 00 00 00 00 01 80 80 00 00 00 00 00 01 80 80 80 80 00 00 00 01";
    let values = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-1.0, -2.0, -3.0)];
    pair(TypeId::VECTOR3, bytes, &values.map(Value::from));
    // The specification shows big-endian bytes; Studio writes little-endian ones.
    let values = [Vector3int16 { x: 1, y: 2, z: 3 }, Vector3int16 { x: -1, y: -2, z: -3 }];
    pair(TypeId::VECTOR3_INT16, "01 00 02 00 03 00 ff ff fe ff fd ff", &values.map(Value::Vector3int16));
    let values = [Vector2int16 { x: 1, y: -2 }, Vector2int16 { x: 0x1234, y: 0 }];
    pair(TypeId::VECTOR2_INT16, "01 00 fe ff 34 12 00 00", &values.map(Value::Vector2int16));
    let rect = |a, b, c, d| Rect { min: Vec2::new(a, b), max: Vec2::new(c, d) };
    let bytes =
        "7f 00 00 00 00 00 01 00 82 7f 40 00 00 00 01 00 82 81 00 40 00 00 00 00 82 81 20 80 00 00 00 00";
    let values = [rect(-1.0, -10.0, 8.0, 9.0), rect(0.0, 1.0, 5.0, 6.0)];
    pair(TypeId::RECT, bytes, &values.map(Value::Rect));
}

#[test]
fn cframes() {
    // The specification's example, whose second position is not (4, 5, 6) as its text states.
    let bytes = "02 00 4b c0 07 3e 08 9c 75 3d 95 46 7d 3f 1d 25 90 be 58 6c 74 bf 84 c5 c3 3d 1e 4a 73 3f \
        6f 19 95 be 9f a6 e0 bd 7f 81 00 00 00 00 00 00 80 7f 00 22 00 d4 00 b2 80 81 80 80 00 00 00 00";
    let bits = [
        0x3e07_c04b_u32,
        0x3d75_9c08,
        0x3f7d_4695,
        0xbe90_251d,
        0xbf74_6c58,
        0x3dc3_c584,
        0x3f73_4a1e,
        0xbe95_196f,
        0xbde0_a69f,
    ];
    let y = f32::from_bits(0x7f22_d4b2_u32.rotate_right(1));
    assert_eq!(y.to_string(), "1.136058");
    let values =
        [frame(Mat3::IDENTITY.to_rows(), [1.0, 2.0, 3.0]), frame(bits.map(f32::from_bits), [4.0, y, 6.0])];
    pair(TypeId::CFRAME, bytes, &values.map(Value::from));
    // Row by row: a rotation by 90 degrees about y maps x to −z, so that R20 is −1.
    let turned = frame([0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0], [0.0; 3]);
    let [bytes] = ["00 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 00 00 00 80 3f 00 00 00 00 \
        00 00 80 bf 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"];
    pair(TypeId::CFRAME, bytes, &[turned.into()]);
}

/// The ids of rotations with their angles in degrees about Y, then X, then Z, from the table in the specification.
const ROTATIONS: [(u8, [i32; 3]); 24] = [
    (0x02, [0, 0, 0]),
    (0x03, [90, 0, 0]),
    (0x05, [0, 180, 180]),
    (0x06, [-90, 0, 0]),
    (0x07, [0, 180, 90]),
    (0x09, [0, 90, 90]),
    (0x0a, [0, 0, 90]),
    (0x0c, [0, -90, 90]),
    (0x0d, [-90, -90, 0]),
    (0x0e, [0, -90, 0]),
    (0x10, [90, -90, 0]),
    (0x11, [0, 90, 180]),
    (0x14, [0, 180, 0]),
    (0x15, [-90, -180, 0]),
    (0x17, [0, 0, 180]),
    (0x18, [90, 180, 0]),
    (0x19, [0, 0, -90]),
    (0x1b, [0, -90, -90]),
    (0x1c, [0, -180, -90]),
    (0x1e, [0, 90, -90]),
    (0x1f, [90, 90, 0]),
    (0x20, [0, 90, 0]),
    (0x22, [-90, 90, 0]),
    (0x23, [0, -90, 180]),
];

#[test]
fn rotation_ids() {
    let ids: Vec<u8> = ROTATIONS.iter().map(|&(id, _)| id).collect();
    let file = one_column(24, 0x10, &[ids.clone(), vec![0; 24 * 12]].concat());
    let document = rbxbinary::from_slice(&file).unwrap();
    let Some(Column::CFrame(frames)) = document.classes()[0].property("Value") else { panic!() };
    for (value, (id, angles)) in frames.iter().zip(ROTATIONS) {
        // Sine and cosine of multiples of 90 degrees.
        let [x, y, z] = angles.map(|degrees| {
            let turns = degrees.rem_euclid(360) / 90;
            ([0.0, 1.0, 0.0, -1.0][turns as usize], [1.0, 0.0, -1.0, 0.0][turns as usize])
        });
        let about = |(s, c): (f32, f32), axis: usize| match axis {
            0 => Mat3::from_rows([1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c]),
            1 => Mat3::from_rows([c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c]),
            _ => Mat3::from_rows([c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0]),
        };
        assert_eq!(value.rotation, about(y, 1) * about(x, 0) * about(z, 2), "{id:#04x}");
    }
    // The components (row, column) that are −0 in Studio's XML.
    let negative: [(u8, &[(usize, usize)]); 9] = [
        (0x06, &[(0, 2)]),
        (0x0a, &[(1, 2)]),
        (0x11, &[(2, 2)]),
        (0x15, &[(2, 2)]),
        (0x18, &[(0, 2), (2, 2)]),
        (0x19, &[(0, 2)]),
        (0x1c, &[(0, 2), (1, 2)]),
        (0x20, &[(1, 2)]),
        (0x23, &[(1, 2), (2, 2)]),
    ];
    for (value, id) in frames.iter().zip(&ids) {
        let expected = negative.iter().find(|(of, _)| of == id).map_or(&[][..], |&(_, places)| places);
        for (place, part) in value.rotation.to_rows().into_iter().enumerate() {
            let is = part == 0.0 && part.is_sign_negative();
            assert_eq!(is, expected.contains(&(place / 3, place % 3)), "{id:#04x} {place}");
        }
    }
}

#[test]
fn only_the_very_same_matrix_is_shortened() {
    let mut document = rbxbinary::from_slice(&one_column(0, 0x10, &[])).unwrap();
    let mut near = Mat3::IDENTITY;
    near.x_axis.x = 0.999_999_94;
    let negative = Mat3::from_rows([1.0, -0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let rotations = [Mat3::IDENTITY, near, negative];
    for rotation in rotations {
        let value = CFrame { rotation, position: Vec3::default() };
        document.insert(None, rbxbinary::NewInstance::new("Thing").property("Value", value)).unwrap();
    }
    let again = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    let Some(Column::CFrame(frames)) = again.classes()[0].property("Value") else { panic!() };
    // One rotation as an id, the others as matrices: 4 + 9 + 12 bytes and two matrices of 36 bytes.
    let bytes =
        rbxbinary::WriteOptions::new().compression(rbxbinary::Compression::None).write(&document).unwrap();
    let column =
        rbxbinary::chunks(&bytes).unwrap().map(Result::unwrap).find(|chunk| chunk.name.0 == *b"PROP");
    let values = &column.unwrap().payload[4 + 4 + "Value".len() + 1..];
    assert_eq!((values[0], values[1], values[38], values.len()), (0x02, 0, 0, 1 + 37 + 37 + 36));
    for (value, rotation) in frames.iter().zip(rotations) {
        assert_eq!(value.rotation.to_rows().map(f32::to_bits), rotation.to_rows().map(f32::to_bits));
    }
    // A matrix in a file stays a matrix, even if it has an id.
    let spelled = [vec![0], Mat3::IDENTITY.to_rows().map(f32::to_le_bytes).concat(), vec![0; 12]].concat();
    let file = one_column(1, 0x10, &spelled);
    assert!(rbxbinary::to_vec(&rbxbinary::from_slice(&file).unwrap()).unwrap() == file);
}

#[test]
fn optional_cframes() {
    // The specification's example: CFrame.new(0, 0, 1, 0, -1, 0, 1, 0, 0, 0, 0, 1), and no value.
    let bytes = "10 0a 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 7f 00 00 00 00 00 00 00 02 01 00";
    let rows = [0.0, -1.0, 0.0, 1.0, 0.0, -0.0, 0.0, 0.0, 1.0];
    let there = Value::from(Some(frame(rows, [0.0, 0.0, 1.0])));
    pair(TypeId::OPTIONAL_CFRAME, bytes, &[there, Value::OptionalCFrame(None)]);
}

#[test]
fn quaternions() {
    let values = [
        CFrameQuat { rotation: Quat::new(0.5, -0.5, 0.5, 0.5), position: Vec3::new(1.0, 2.0, 3.0) },
        CFrameQuat { rotation: Quat::IDENTITY, position: Vec3::default() },
    ];
    let bytes = "00 00 00 00 3f 00 00 00 bf 00 00 00 3f 00 00 00 3f 02 \
        7f 00 00 00 00 00 00 00  80 00 00 00 00 00 00 00  80 00 80 00 00 00 00 00";
    pair(TypeId::CFRAME_QUAT, bytes, &values.map(Value::from));
    let ids: Vec<u8> = ROTATIONS.iter().map(|&(id, _)| id).collect();
    let file = one_column(24, 0x11, &[ids.clone(), vec![0; 24 * 12]].concat());
    let document = rbxbinary::from_slice(&file).unwrap();
    let Some(Column::CFrameQuat(quats)) = document.classes()[0].property("Value") else { panic!() };
    // A test of `rbxcore` compares these with the matrices of the ids.
    let wanted = ids.into_iter().map(rbxbinary::parts::rotation::quaternion);
    assert!(quats.iter().map(|quat| Some(quat.rotation)).eq(wanted));
}

#[test]
fn sequences_and_ranges() {
    let number = |time, value, envelope| NumberSequenceKeypoint { time, value, envelope };
    let bytes = "03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 3f 00 00 80 3f 00 00 00 00 00 00 80 3f \
        00 00 80 3f 00 00 00 3f 03 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 00 00 00 00 3f 00 00 00 3f 00 00 00 3f \
        00 00 80 3f 00 00 00 3f 00 00 00 00";
    let first = vec![number(0.0, 0.0, 0.0), number(0.5, 1.0, 0.0), number(1.0, 1.0, 0.5)];
    let second = vec![number(0.0, 1.0, 0.0), number(0.5, 0.5, 0.5), number(1.0, 0.5, 0.0)];
    let values = [first, second].map(|keypoints| Value::from(NumberSequence { keypoints }));
    pair(TypeId::NUMBER_SEQUENCE, bytes, &values);
    let color = |time, r, g, b, envelope| ColorSequenceKeypoint { time, color: Color3 { r, g, b }, envelope };
    let bytes = "02 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 00 00 00 00 00 00 00 00 00 \
        00 00 80 3f 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 3f 00 00 00 00";
    // The envelope is unused, but kept.
    let keypoints = vec![color(0.0, 1.0, 0.0, 0.0, 0.0), color(1.0, 0.0, 0.0, 1.0, 0.5)];
    let values = [keypoints, vec![]].map(|keypoints| Value::from(ColorSequence { keypoints }));
    pair(TypeId::COLOR_SEQUENCE, bytes, &values);
    let ranges = [NumberRange { min: 0.0, max: 0.5 }, NumberRange { min: 0.5, max: 1.0 }];
    let bytes = "00 00 00 00 00 00 00 3f 00 00 00 3f 00 00 80 3f";
    pair(TypeId::NUMBER_RANGE, bytes, &ranges.map(Value::NumberRange));
}

#[test]
fn the_specifications_color_sequences() {
    let bytes = hex(
        "03 00 00 00 00 00 00 00 00 00 80 3f 00 00 80 3f 00 00 80 3f 00 00 00 00 00 00 00 3f 00 00 00 00 00 00 00 00 \
         00 00 00 00 00 00 00 00 00 00 80 3f 00 00 80 3f 00 00 80 3f 00 00 80 3f 00 00 00 00 03 00 00 00 00 00 00 00 \
         00 00 80 3f 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 3f 00 00 00 00 00 00 80 3f 00 00 00 00 00 00 00 00 \
         00 00 80 3f 00 00 00 00 00 00 00 00 00 00 80 3f 00 00 00 00",
    );
    let file = one_column(2, 0x16, &bytes);
    let document = rbxbinary::from_slice(&file).unwrap();
    let Some(Column::ColorSequence(lists)) = document.classes()[0].property("Value") else { panic!() };
    let colors = |row: usize| -> Vec<[f32; 4]> {
        lists[row].keypoints.iter().map(|k| [k.time, k.color.r, k.color.g, k.color.b]).collect()
    };
    assert_eq!(colors(0), [[0.0, 1.0, 1.0, 1.0], [0.5, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]);
    assert_eq!(colors(1), [[0.0, 1.0, 0.0, 0.0], [0.5, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]]);
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
}

#[test]
fn physical_properties() {
    let custom = |acoustic_absorption| {
        PhysicalProperties::Custom(CustomPhysicalProperties {
            density: 0.7,
            friction: 0.3,
            elasticity: 0.5,
            friction_weight: 1.0,
            elasticity_weight: 1.0,
            acoustic_absorption,
        })
    };
    // The specification's example; then with the acoustic bit but without numbers, as Studio writes it, and with
    // numbers.
    let five = "33 33 33 3f 9a 99 99 3e 00 00 00 3f 00 00 80 3f 00 00 80 3f";
    let bytes = format!("00 01 {five} 02 03 {five} 00 00 40 3f");
    let values = [PhysicalProperties::Default, custom(None), PhysicalProperties::Default, custom(Some(0.75))];
    pair(TypeId::PHYSICAL_PROPERTIES, &bytes, &values.map(Value::from));
}

#[test]
fn unique_ids() {
    // Studio's baseplate: the random part is stored rotated left by one.
    let value = UniqueId { random: 0x44b1_88da_ce63_2b47, time: 0x0102_0304, index: 0x0506_0708 };
    pair(TypeId::UNIQUE_ID, "05 06 07 08 01 02 03 04 89 63 11 b5 9c c6 56 8e", &[Value::UniqueId(value)]);
    // Interleaved by 16 bytes; a random part with its highest bit set.
    let values = [(1, 2, u64::MAX << 63), (3, 4, 5)];
    let values = values.map(|(index, time, random)| Value::UniqueId(UniqueId { random, time, index }));
    let bytes = "00 00 00 00 00 00 01 03  00 00 00 00 00 00 02 04  \
        00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 0a";
    pair(TypeId::UNIQUE_ID, bytes, &values);
}

#[test]
fn fonts() {
    let font = |family: &str, weight, style, cached: &str| Font {
        family: family.into(),
        weight,
        style,
        cached_face_id: cached.into(),
    };
    let bytes = "01 00 00 00 61 90 01 00 02 00 00 00 62 63  00 00 00 00 bc 02 01 00 00 00 00";
    let values = [font("a", 400, FontStyle::NORMAL, "bc"), font("", 700, FontStyle::ITALIC, "")];
    pair(TypeId::FONT, bytes, &values.map(Value::from));
}

#[test]
fn contents() {
    // No content, two URIs and two objects. Kinds have their sign in the lowest bit: 02 is a URI.
    let bytes = [
        interleaved(&[0, 2, 4, 2, 4]),
        2_u32.to_le_bytes().to_vec(),
        string(b"rbxassetid://1"),
        string(b""),
        2_u32.to_le_bytes().to_vec(),
        referents(&[3, 1]),
        0_u32.to_le_bytes().to_vec(),
    ]
    .concat();
    let file = one_column(5, 0x22, &bytes);
    let mut document = rbxbinary::from_slice(&file).unwrap();
    let object = |document: &Document, number| Content::Object(document.by_referent(Referent(number)));
    let values = |document: &Document| -> Vec<Value> {
        document.roots().map(|id| document.get(id, "Value").unwrap().to_value()).collect()
    };
    let expected = [
        Content::None,
        Content::Uri("rbxassetid://1".into()),
        // Values are taken from the lists in the order of the file, not from the end.
        object(&document, 3),
        Content::Uri("".into()),
        object(&document, 1),
    ];
    assert_eq!(values(&document), expected.clone().map(Value::from));
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
    // Set many times: only the current values are written.
    let first = document.roots().next().unwrap();
    for round in 0..100 {
        document.set(first, "Value", Content::Uri(format!("rbxassetid://{round}").into())).unwrap();
    }
    document.set(first, "Value", Content::None).unwrap();
    let again = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    assert_eq!(values(&again), expected.map(Value::from));
}

#[test]
fn references_add_up_and_wrap() {
    // The specification's example: the differences 1619 1 4 2 3 5.
    let sums = [1619, 1620, 1624, 1626, 1629, 1634];
    let raw = interleaved(&[3238, 2, 8, 4, 6, 10]);
    assert_eq!(raw, referents(&sums));
    let document = rbxbinary::from_slice(&one_column(6, 0x13, &raw)).unwrap();
    let Some(Column::Ref(values)) = document.classes()[0].property("Value") else { panic!() };
    assert_eq!(values.as_slice(), sums.map(Referent));
    // The sum of the greatest referent and 1 wraps to the least.
    let file = one_column(3, 0x13, &interleaved(&[u32::MAX - 1, 2, 1]));
    let document = rbxbinary::from_slice(&file).unwrap();
    let Some(Column::Ref(values)) = document.classes()[0].property("Value") else { panic!() };
    assert_eq!(values.as_slice(), [Referent(i32::MAX), Referent(i32::MIN), Referent(i32::MAX)]);
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
}

#[test]
fn shared_strings_in_a_column() {
    let table = [hex("00 00 00 00 02 00 00 00"), vec![0xaa; 16], string(b"one"), vec![0; 16], string(b"two")]
        .concat();
    let file = [
        header(1, 3),
        chunk(b"SSTR", &table),
        chunk(b"INST", &inst(0, "Thing", &[0, 1, 2])),
        chunk(b"PROP", &prop(0, "Tags", 0x1c, &interleaved(&[1, 0, 1]))),
        chunk(b"PRNT", &prnt(&[0, 1, 2], &[-1, -1, -1])),
        end(),
    ]
    .concat();
    let document = rbxbinary::from_slice(&file).unwrap();
    // A hash is kept as it was read, and not verified.
    let one = SharedString { hash: [0xaa; 16], bytes: "one".into() };
    assert_eq!(document.shared_strings()[0], one);
    let tags: Vec<_> =
        document.roots().map(|thing| document.get(thing, "Tags").unwrap().as_str().unwrap()).collect();
    assert_eq!(tags, ["two", "one", "two"]);
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
}
