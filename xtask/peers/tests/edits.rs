//! Random edits of the same tree with our crates and with rbx_dom_weak. rbx_binary and rbx_xml must read the files of
//! our crates as the tree of rbx_dom_weak.

use rbx_dom_weak::types::{Ref, Variant, Vector3};
use rbx_dom_weak::{InstanceBuilder, WeakDom};
use testkit::Rng;

/// An edit. Instances are indices in the order in which they were made.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Insert { parent: Option<usize>, class: usize, number: u64 },
    Remove { at: usize },
    Reparent { at: usize, parent: Option<usize> },
    Text { at: usize, number: u64 },
    Size { at: usize, number: u64 },
    Refer { at: usize, to: usize },
    Copy { at: usize, parent: Option<usize> },
}

const CLASSES: [&str; 3] = ["Folder", "ObjectValue", "Part"];

fn text(number: u64) -> String {
    // rbx_xml reads white space only in a CDATA section.
    if number % 8 == 0 { " \n\t".to_owned() } else { format!("<{}> & \u{e9}", number % 1000) }
}

fn size(number: u64) -> [f32; 3] {
    [(number % 64) as f32 / 8.0, -0.0, (number % 1000) as f32]
}

/// A random script of edits, and the tree of rbx_dom_weak after them, by which the script avoids moving an instance
/// below itself.
fn script(seed: u64) -> (Vec<Edit>, WeakDom) {
    let mut rng = Rng(seed);
    let mut dom = WeakDom::new(InstanceBuilder::new("DataModel"));
    let mut made: Vec<Ref> = Vec::new();
    let mut edits = Vec::new();
    while edits.len() < 120 {
        let live: Vec<usize> = (0..made.len()).filter(|&n| dom.get_by_ref(made[n]).is_some()).collect();
        let number = rng.next();
        let any = |rng: &mut Rng| live[rng.below(live.len())];
        let parent = |rng: &mut Rng| (!live.is_empty() && rng.below(4) > 0).then(|| any(rng));
        let below =
            |dom: &WeakDom, at: usize| dom.descendants_of(made[at]).map(|i| i.referent()).collect::<Vec<_>>();
        let edit = match rng.below(if live.len() < 5 { 1 } else { 12 }) {
            0..=3 => Edit::Insert { parent: parent(&mut rng), class: rng.below(3), number },
            4 => Edit::Remove { at: any(&mut rng) },
            5 | 6 => Edit::Reparent { at: any(&mut rng), parent: parent(&mut rng) },
            7 | 8 => Edit::Text { at: any(&mut rng), number },
            9 => Edit::Size { at: any(&mut rng), number },
            10 => Edit::Refer { at: any(&mut rng), to: any(&mut rng) },
            _ => Edit::Copy { at: any(&mut rng), parent: parent(&mut rng) },
        };
        let root = dom.root_ref();
        let to = |parent: Option<usize>| parent.map_or(root, |parent| made[parent]);
        let class = |dom: &WeakDom, at: usize| dom.get_by_ref(made[at]).expect("live").class;
        match edit {
            Edit::Insert { parent, class, number } => {
                let mut new = InstanceBuilder::new(CLASSES[class]).with_name(text(number));
                new = match CLASSES[class] {
                    "Part" => new.with_property("Size", Vector3::new(1.0, 2.0, 3.0)),
                    "ObjectValue" => new.with_property("Value", Ref::none()),
                    _ => new,
                };
                let new = dom.insert(to(parent), new);
                made.push(new);
            }
            Edit::Remove { at } => dom.destroy(made[at]),
            Edit::Reparent { at, parent } => {
                if parent.is_some_and(|parent| below(&dom, at).contains(&made[parent])) {
                    continue;
                }
                dom.transfer_within(made[at], to(parent));
            }
            Edit::Text { at, number } => dom.get_by_ref_mut(made[at]).expect("live").name = text(number),
            Edit::Size { at, number } => {
                if class(&dom, at) != "Part" {
                    continue;
                }
                let [x, y, z] = size(number);
                let instance = dom.get_by_ref_mut(made[at]).expect("live");
                instance.properties.insert("Size".into(), Variant::from(Vector3::new(x, y, z)));
            }
            Edit::Refer { at, to } => {
                if class(&dom, at) != "ObjectValue" {
                    continue;
                }
                let to = made[to];
                let instance = dom.get_by_ref_mut(made[at]).expect("live");
                instance.properties.insert("Value".into(), Variant::from(to));
            }
            Edit::Copy { at, parent } => {
                let copy = dom.clone_within(made[at]);
                dom.transfer_within(copy, to(parent));
                // Our crates set references from a copy to instances outside of it to null.
                let copied: Vec<Ref> = dom.descendants_of(copy).map(|instance| instance.referent()).collect();
                for &referent in &copied {
                    let instance = dom.get_by_ref_mut(referent).expect("copied");
                    if let Some(Variant::Ref(value)) = instance.properties.get_mut(&"Value".into())
                        && !copied.contains(value)
                    {
                        *value = Ref::none();
                    }
                }
                made.push(copy);
            }
        }
        edits.push(edit);
    }
    (edits, dom)
}

/// The parts of a tree that can be compared: for each instance its class, name and size, and the index of the instance
/// that it refers to.
fn describe(dom: &WeakDom) -> Vec<String> {
    let order: Vec<Ref> = dom.descendants().map(|instance| instance.referent()).collect();
    let index = |referent: &Ref| order.iter().position(|other| other == referent);
    let describe = |instance: &rbx_dom_weak::Instance| {
        let size = match instance.properties.get(&"Size".into()) {
            Some(Variant::Vector3(size)) => [size.x, size.y, size.z].map(f32::to_bits),
            _ => [0; 3],
        };
        let value = match instance.properties.get(&"Value".into()) {
            Some(Variant::Ref(to)) => index(to),
            _ => None,
        };
        let name = if instance.referent() == dom.root_ref() { "" } else { &instance.name };
        format!("{:?} {} {name} {size:?} {value:?}", index(&instance.parent()), instance.class)
    };
    dom.descendants().map(describe).collect()
}

macro_rules! run {
    ($ours:ident, $edits:expr) => {{
        use $ours::{Document, InstanceId, NewInstance};
        let mut document = Document::new();
        let mut made: Vec<InstanceId> = Vec::new();
        for &edit in $edits {
            let to = |parent: Option<usize>| parent.map(|parent| made[parent]);
            match edit {
                Edit::Insert { parent, class, number } => {
                    let new = NewInstance::new(CLASSES[class]).property("Name", text(number));
                    let new = match CLASSES[class] {
                        "Part" => new.property("size", $ours::geom::Vec3::new(1.0, 2.0, 3.0)),
                        "ObjectValue" => new.property("Value", None::<InstanceId>),
                        _ => new,
                    };
                    let id = document.insert(to(parent), new).expect("inserted");
                    made.push(id);
                }
                Edit::Remove { at } => drop(document.remove(made[at]).expect("removed")),
                Edit::Reparent { at, parent } => document.reparent(made[at], to(parent)).expect("moved"),
                Edit::Text { at, number } => document.set(made[at], "Name", text(number)).map(drop).expect("set"),
                Edit::Size { at, number } => {
                    document.set(made[at], "size", $ours::geom::Vec3::from(size(number))).map(drop).expect("set")
                }
                Edit::Refer { at, to } => document.set(made[at], "Value", made[to]).map(drop).expect("set"),
                Edit::Copy { at, parent } => {
                    let source = document.clone();
                    let copy = document.copy_from(to(parent), &source, made[at]).expect("copied");
                    made.push(copy);
                }
            }
        }
        $ours::to_vec(&document).expect("it can be written")
    }};
}

#[test]
fn random_edits_are_those_of_rbx_dom_weak() {
    for seed in 0..200 {
        let (edits, dom) = script(seed);
        let expected = describe(&dom);
        let binary = rbx_binary::from_reader(&run!(rbxbinary, &edits)[..]).expect("rbx_binary reads it");
        assert_eq!(describe(&binary), expected, "rbxbinary, seed {seed}");
        let xml = rbx_xml::from_reader_default(&run!(rbxxml, &edits)[..]).expect("rbx_xml reads it");
        assert_eq!(describe(&xml), expected, "rbxxml, seed {seed}");
    }
}
