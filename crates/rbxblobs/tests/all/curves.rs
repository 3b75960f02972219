//! Values of Roblox documents of 2026 whose bytes are known, and damaged values.

use rbxblobs::attributes::{Attribute, Attributes, EnumItem};
use rbxblobs::curves::{FloatKey, Marker, RotationKey, ValueKey};
use rbxblobs::small::{
    Attenuation, AttributeList, CollisionGroups, Guid, Pins, RigLabels, RigNames, RigParents, RigTransforms,
    Transitions,
};
use rbxblobs::{FloatCurve, MarkerCurve, RotationCurve, ValueCurve, from_slice};

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap_or_default(), 16);
    digits.chunks(2).map(|pair| byte(pair).expect("hex")).collect()
}

/// A curve of a real place (saved in August 2026) with four keys, whose tangents are automatic.
const FLOATS: &str = "02000000 04000000 | 02 00 00000000 00000000 00000000 | 02 00 00e41fbd 804d083f 804d083f \
    | 02 00 00a2e83d 99ffac3e 99ffac3e | 02 00 00000000 00000000 00000000 \
    | 01000000 04000000 00000000 58020000 84030000 78050000";

#[test]
fn a_float_curve() {
    let bytes = bytes(FLOATS);
    let curve: FloatCurve = from_slice(&bytes).expect("a curve");
    assert_eq!((curve.version, &*curve.times), (2, &[0, 600, 900, 1400][..]));
    assert!(curve.keys.iter().all(|key| (key.mode, key.mask) == (2, Some(0))));
    // The tangent is the mean of the slopes of the two segments at the key.
    let [a, b, c] = [0, 1, 2].map(|index| curve.keys[index].value);
    let slope = (((b - a) / 0.25) + ((c - b) / 0.125)) / 2.0;
    assert!((curve.keys[1].left - slope).abs() < 1e-5 && curve.keys[1].left == curve.keys[1].right);
    assert_eq!(curve.to_vec().expect("written"), bytes);
    // A truncated value and one with an additional byte are errors, with an offset in the value.
    for len in 0..bytes.len() {
        assert!(from_slice::<FloatCurve>(&bytes[..len]).expect_err("cut").offset().is_some(), "{len}");
    }
    assert!(from_slice::<FloatCurve>(&[&bytes[..], &[0]].concat()).is_err());
}

#[test]
fn older_float_curves_have_a_mask_or_none() {
    let empty = bytes("01000000 00000000 01000000 00000000");
    let curve: FloatCurve = from_slice(&empty).expect("empty");
    assert!(curve.version == 1 && curve.to_vec().expect("written") == empty);
    for mask in [Some(3), None] {
        let key = FloatKey { mode: 1, mask, value: 2.0, left: 0.5, right: 0.25 };
        let curve = FloatCurve { version: 1, keys: vec![key; 2], times: vec![0, 2400] };
        let written = curve.to_vec().expect("written");
        assert_eq!(written.len(), 16 + 2 * (17 + usize::from(mask.is_some())));
        assert_eq!(from_slice::<FloatCurve>(&written).expect("read"), curve);
    }
    // An even older version, and fewer times than keys.
    // Version 2 always has masks, and in version 1 all keys have one or none has.
    for (version, masks, path) in [(2, [Some(0), None], "keys[1].mask"), (1, [None, Some(3)], "keys[1].mask")]
    {
        let keys = masks.map(|mask| FloatKey { mask, ..FloatKey::default() }).to_vec();
        let error = FloatCurve { version, keys, times: vec![0, 1] }.to_vec().expect_err("refused");
        assert_eq!(error.path(), path);
    }
    assert!(from_slice::<FloatCurve>(&bytes("00000000 00001645")).is_err());
    assert!(from_slice::<FloatCurve>(&bytes("02000000 00000000 01000000 01000000 00000000")).is_err());
}

#[test]
fn other_curves() {
    let rotation = bytes(
        "01000000 01000000 | 0e 00000000 00000000 00000000 0000803f 00000000 0000003f | 01000000 01000000 60090000",
    );
    let curve: RotationCurve = from_slice(&rotation).expect("a curve");
    let key = RotationKey { mode: 14, rotation: [0.0, 0.0, 0.0, 1.0], left: 0.0, right: 0.5 };
    assert_eq!((curve.keys.as_slice(), curve.times.as_slice()), (&[key][..], &[2400][..]));
    assert_eq!(curve.to_vec().expect("written"), rotation);
    let value =
        bytes("02000000 01000000 | 00 03 02000000 03 01 00000000 00000000 | 01000000 01000000 00000000");
    let curve: ValueCurve = from_slice(&value).expect("a curve");
    let ValueKey { value: of, mask, .. } = &curve.keys[0];
    assert_eq!((&of.0, *mask), (&Attribute::from(true), 3));
    assert_eq!(curve.to_vec().expect("written"), value);
    let marker = bytes("02000000 02000000 | 4869 00 00 | 01000000 02000000 00000000 60090000");
    let curve: MarkerCurve = from_slice(&marker).expect("a curve");
    assert_eq!(curve.keys, [Marker("Hi".into()), Marker("".into())]);
    assert_eq!(curve.to_vec().expect("written"), marker);
    let zero = MarkerCurve { version: 0, keys: vec![Marker("a\0b".into())], times: vec![0] };
    assert!(zero.to_vec().is_err());
}

#[test]
fn small_blobs() {
    macro_rules! same {
        ($kind:ty, $hex:literal, $value:expr) => {
            let bytes = bytes($hex);
            let value: $kind = from_slice(&bytes).expect($hex);
            assert_eq!(value, $value);
            assert_eq!(value.to_vec().expect("written"), bytes);
        };
    }
    same!(Pins, "01000000 02000000 01000000 41 01000000 42", Pins(vec!["A".into(), "B".into()]));
    same!(RigLabels, "01000000 01000000 07000000", RigLabels { version: 1, bones: vec![7] });
    same!(RigParents, "01000000 02000000 ffff 0000", RigParents(vec![0xffff, 0]));
    same!(RigNames, "01000000 02000000 01000000 02000000 41 4243", RigNames(vec!["A".into(), "BC".into()]));
    same!(RigTransforms, "01000000 00000000", RigTransforms { version: 1, bones: Vec::new() });
    // Of the class AnimationRigData since Roblox 0.741 (rbx_reflection_database).
    same!(RigLabels, "02000000 01000000 00000000", RigLabels { version: 2, bones: vec![0] });
    same!(AttributeList, "00000000", AttributeList(Vec::new()));
    let service = Attribute::from("Chat");
    same!(AttributeList, "01000000 02 04000000 43686174", AttributeList(vec![service]));
    same!(Transitions, "0200 00000000", Transitions::default());
    // The bytes that Studio 0.718 wrote: Size in 0.2 s, Exponential, Out.
    let size = "0200 01000000 04000000 53697a65 24 cdcc4c3e 00000000 00000000 08000000 01000000 00";
    let transitions: Transitions = from_slice(&bytes(size)).expect("a transition");
    let Some(Attribute::TweenInfo(tween)) = transitions.0.get("Size") else { panic!("{transitions:?}") };
    assert_eq!((tween.time, tween.style, tween.direction, tween.repeats), (0.2, 8, 1, 0));
    assert_eq!(transitions.to_vec().expect("written"), bytes(size));
    let falloff = "00 00000000 0000803f 00004842 00000000";
    let attenuation: Attenuation = from_slice(&bytes(falloff)).expect("two points");
    assert_eq!(attenuation.0, [[0.0, 1.0], [50.0, 0.0]]);
    assert_eq!(attenuation.to_vec(), bytes(falloff));
    let guid: Guid = from_slice(&bytes("e8a2e633 77c2 4e19 a331 656724a13200")).expect("16 bytes");
    assert_eq!(guid.to_string(), "{E8A2E633-77C2-4E19-A331-656724A13200}");
    let groups = "01 01 00 04 ffffffff 07 44656661756c74";
    let found: CollisionGroups = from_slice(&bytes(groups)).expect("a group");
    assert_eq!((found.0[0].id, found.0[0].mask, found.0[0].name.as_slice()), (0, u32::MAX, &b"Default"[..]));
    assert_eq!(found.to_vec().expect("written"), bytes(groups));
}

/// A value of an unknown type has no known end, so it cannot be written inside of an array or a table.
#[test]
fn an_unknown_value_is_written_at_the_end_only() {
    let unknown: Attributes = from_slice(&bytes("01000000 01000000 61 7f 0102")).expect("kept");
    let (_, value) = &unknown.0[0];
    let nested = |value| Attributes(vec![("b".into(), value)]);
    assert!(nested(value.clone()).to_vec().is_ok());
    assert!(nested(Attribute::Array(vec![value.clone()])).to_vec().is_err());
    assert!(nested(Attribute::Table(vec![("c".into(), value.clone())])).to_vec().is_err());
    let item = Attribute::Enum(EnumItem { name: "Material".into(), value: 256 });
    assert!(Attributes(vec![("a".into(), value.clone()), ("b".into(), item)]).to_vec().is_err());
}
