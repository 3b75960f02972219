//! Laws of merges and patches, over documents whose changes meet: what is moved into a new group is also added to, renamed,
//! duplicated and referred to.

use crate::Ask as _;
use rbxdocument::edit::EditOptions;
use rbxdocument::{AnyDocument, Dom, InstanceId, NewInstance, Value};
use rezkit::MergeOptions;
use testkit::Rng;

use super::merges::{documents, patched};

/// The instances at the root, or below an instance.
fn below(document: &dyn Dom, parent: Option<InstanceId>) -> Vec<InstanceId> {
    parent.map_or_else(|| document.roots().collect(), |parent| document.children(parent).collect())
}

fn pick(document: &dyn Dom, rng: &mut Rng) -> Option<InstanceId> {
    let all: Vec<_> = document.instances().collect();
    (!all.is_empty()).then(|| all[rng.below(all.len())])
}

fn add(document: &mut dyn Dom, rng: &mut Rng, parent: Option<InstanceId>, class: &str) -> Option<InstanceId> {
    let new = NewInstance::new(class).property("Name", format!("{class}{}", rng.below(3)));
    let edited = EditOptions::defaults().insert(document, parent, new).ok()?;
    edited.instances.first().copied()
}

/// One change as a developer makes it, of one or several steps; some are not possible, and leave the document as it is.
fn change(document: &mut dyn Dom, rng: &mut Rng) -> Option<()> {
    let one = pick(document, rng)?;
    let parent = document.parent(one);
    match rng.below(10) {
        // A new group with some of the siblings, something new in one of them, and something new behind it.
        0 | 1 => {
            let class = ["Folder", "Model"][rng.below(2)];
            let group = add(document, rng, parent, class)?;
            let siblings = below(document, parent);
            let first = rng.below(siblings.len());
            let moved: Vec<_> = siblings[first..].iter().copied().take(1 + rng.below(3)).collect();
            for id in moved {
                if document.reparent(id, group).is_ok() && rng.below(2) == 0 {
                    let added = add(document, rng, Some(id), "Folder")?;
                    if rng.below(2) == 0 {
                        refer(document, rng, Some(group), added)?;
                    }
                }
            }
            add(document, rng, Some(group), "StringValue")?;
        }
        // Its children take the place of a group.
        2 => {
            for id in below(document, Some(one)) {
                document.reparent(id, parent).ok()?;
            }
            document.remove(one).ok()?;
        }
        3 => document.remove(one).map(drop).ok()?,
        4 => {
            let to = pick(document, rng)?;
            document.reparent(one, to).ok()?;
            document.set(one, "Name", format!("Moved{}", rng.below(2))).ok()?;
        }
        5 => document.reparent(one, parent).ok()?,
        6 => {
            let copy = document.duplicate(one, parent).ok()?;
            add(document, rng, Some(copy), "Folder")?;
        }
        7 => {
            let to = pick(document, rng)?;
            refer(document, rng, Some(one), to)?;
        }
        8 => document.set(one, "Name", format!("Renamed{}", rng.below(3))).map(drop).ok()?,
        _ => {
            let values: Vec<_> =
                document.properties(one).map(|(name, value)| (name.to_owned(), value.to_value())).collect();
            let (name, value) = values.get(rng.below(values.len().max(1)))?;
            let new: Value = match value {
                Value::Bool(value) => (!value).into(),
                Value::Float32(value) => (value + 1.5).into(),
                Value::Int32(value) => (value ^ 1).into(),
                Value::Vector3(value) => {
                    rbxdocument::types::Vec3::new(value.x + 1.0, value.y, value.z).into()
                }
                _ => return None,
            };
            document.set(one, name, new).ok()?;
        }
    }
    Some(())
}

fn refer(document: &mut dyn Dom, rng: &mut Rng, parent: Option<InstanceId>, to: InstanceId) -> Option<()> {
    let value = add(document, rng, parent, "ObjectValue")?;
    document.set(value, "Value", Value::Ref(Some(to))).map(drop).ok()
}

fn is_identity(name: &[u8]) -> bool {
    matches!(name, b"UniqueId" | b"HistoryId" | b"ScriptGuid" | b"SourceAssetId")
}

/// All instances with their classes, names and values, each with its depth, in their order. Identities,
/// empty values, defaults, and references in attributes are left out.
fn content(document: &dyn Dom) -> Vec<Vec<String>> {
    let place: std::collections::HashMap<InstanceId, String> =
        document.paths().map(|(id, path)| (id, path.to_string())).collect();
    let line = |id: InstanceId, depth: usize| {
        let class = document.class(id).unwrap_or_default();
        let of_class = rbxcore::classes::class(class);
        let mut values: Vec<String> = Vec::new();
        for (name, value) in document.properties(id) {
            let is_default = of_class
                .and_then(|class| class.stored(name)?.default())
                .is_some_and(|default| default.as_ref() == value);
            // A column needs a value for each instance of the class.
            let is_neutral =
                || rbxbinary::parts::TypeId::of_value(&value).and_then(rbxbinary::parts::TypeId::neutral);
            let is_default = is_default
                || of_class.is_none_or(|class| class.stored(name).is_none_or(|of| of.default().is_none()))
                    && is_neutral().is_some_and(|neutral| neutral.as_ref() == value);
            let is_empty = value.as_bytes().is_some_and(|bytes| bytes.is_empty() || bytes.contains(&0x25));
            if is_default || is_empty || is_identity(name) || name == "Name" {
                continue;
            }
            let name = of_class.and_then(|class| class.property(name)).map_or(name, |of| of.name().into());
            match (value.as_instance(), value.as_bytes()) {
                (Some(to), _) => values.push(format!("{name}={}", place[&to])),
                (_, Some(bytes)) => values.push(format!("{name}={}", String::from_utf8_lossy(bytes))),
                (None, None) if matches!(value, rbxdocument::ValueRef::Ref(_)) => {}
                (None, None) => values.push(format!("{name}={value:?}")),
            }
        }
        values.sort();
        format!("{depth} {class} {} {values:?}", document.label(id))
    };
    let mut all: Vec<Vec<String>> = Vec::new();
    for root in document.roots() {
        let mut lines = vec![line(root, 0)];
        let mut depth = std::collections::HashMap::from([(root, 0)]);
        for id in document.descendants(root) {
            let above = document.parent(id).map_or(0, |parent| depth[&parent]);
            depth.insert(id, above + 1);
            lines.push(line(id, above + 1));
        }
        all.push(lines);
    }

    all
}

/// The lines that only one of two documents has.
fn same(found: &[u8], expected: &[u8], what: &str) -> Result<(), String> {
    let [found, expected] = [found, expected].map(|bytes| content(&*read(bytes)));
    if found == expected {
        return Ok(());
    }
    let [found, expected] = [found, expected].map(|all| all.concat());
    let changed = rezkit::lines::changes(&expected, &found);
    let shown: Vec<String> = changed
        .into_iter()
        .take(4)
        .map(|of| format!("- {:.600?}\n+ {:.600?}", &expected[of.old], &found[of.new]))
        .collect();
    Err(format!("{what}:\n{}", shown.join("\n")))
}

/// No difference of a value is shown, also not of identities; `same` compares the trees.
fn shown(found: &rezkit::Opened<'_>, expected: &rezkit::Opened<'_>, what: &str) -> Result<(), String> {
    let (found, mut differences) = (open(&found.written()), Vec::new());
    let budget = &mut crate::budget();
    rezkit::differences([&found, expected], budget, &mut |of| {
        differences.extend((of.moved.is_none() && of.order.is_empty()).then_some(of));
    })
    .expect("compared");
    let first: Vec<_> = differences.iter().take(4).collect();
    if first.is_empty() {
        Ok(())
    } else {
        Err(format!("{what}: {} differences: {first:?}", differences.len()))
    }
}

fn read(bytes: &[u8]) -> AnyDocument {
    rbxdocument::from_slice(bytes).expect("readable")
}

fn open(bytes: &[u8]) -> rezkit::Opened<'static> {
    crate::open(bytes, "a")
}

/// For A and B: `merge(A, A, B)` and `merge(A, B, A)` are B, without a conflict, and so is A with the patch from A to B.
fn check(a: &[u8], b: &[u8], what: &str) -> Result<(), String> {
    let [base, theirs] = [a, b].map(open);
    for (ours, other, is_own) in [(a, &theirs, false), (b, &base, true)] {
        let mut merged = open(ours);
        let done = merged.merge(&base, other, &MergeOptions::new().unrelated(true));
        match done.map_err(|error| format!("{what}: {error}"))? {
            (conflicts, _) if !conflicts.is_empty() => return Err(format!("{what}: {conflicts:?}")),
            _ if is_own && merged.written() != b => return Err(format!("{what}: merge(A, B, A) is not B")),
            _ if is_own => {}
            _ => {
                same(&merged.written(), b, &format!("{what}: merge(A, A, B)"))?;
                shown(&merged, &open(b), &format!("{what}: merge(A, A, B)"))?;
            }
        }
    }
    let made = patched(&base, a, &theirs).map_err(|error| format!("{what}: {error}"))?;
    shown(&made, &open(b), &format!("{what}: A and its patch"))?;
    same(&made.written(), b, &format!("{what}: A and its patch"))
}

/// The number of pairs that one run tries for each document, and the first seed.
fn rounds() -> (usize, u64) {
    let given = std::env::var("REZKIT_LAWS").ok();
    let mut numbers = given.as_deref().unwrap_or("2,1").split(',');
    let mut next = || numbers.next().and_then(|number| number.parse().ok());
    (next().map_or(2, |count: u64| usize::try_from(count).expect("small")), next().unwrap_or(1))
}

#[test]
fn merges_and_patches_make_the_other_document() {
    let (rounds, seed) = rounds();
    let (mut tried, mut wrong) = (0, Vec::new());
    for sample in documents(50_000) {
        let Ok(document) = rbxdocument::from_slice(&sample.bytes) else { continue };
        if document.editable().is_err() || document.is_empty() {
            continue;
        }
        for round in 0..rounds {
            let seed = seed + round as u64;
            let mut rng = Rng(seed);
            let mut edited = document.clone();
            for _ in 0..1 + rng.below(6) {
                change(&mut *edited, &mut rng);
            }
            let bytes = edited.to_vec().expect("written");
            wrong.extend(check(&sample.bytes, &bytes, &format!("{} with {seed}", sample.name)).err());
            tried += 1;
        }
    }
    let first: Vec<_> = wrong.iter().take(12).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), first.join("\n\n"));
    assert!(tried > 20, "{tried}");
}
