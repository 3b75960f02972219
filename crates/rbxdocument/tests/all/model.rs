//! Random edits of both forms, against a slow model of what they mean.

use rbxdocument::{AnyDocument, InstanceId, NewInstance, Value, from_slice};
use testkit::Rng;

/// An instance of the model: a number in a list.
#[derive(Clone)]
struct Node {
    id: InstanceId,
    class: usize,
    name: String,
    value: i32,
    to: Option<usize>,
    parent: Option<usize>,
}

/// The instances that exist, by their numbers, and the order of siblings: that of `order`.
#[derive(Default)]
struct Model {
    nodes: Vec<Option<Node>>,
    /// The numbers of the children of an instance are in this order.
    order: Vec<usize>,
}

const CLASSES: [&str; 2] = ["Alpha", "Beta"];

impl Model {
    fn node(&self, number: usize) -> &Node {
        self.nodes[number].as_ref().expect("it exists")
    }

    fn node_mut(&mut self, number: usize) -> &mut Node {
        self.nodes[number].as_mut().expect("it exists")
    }

    fn children(&self, of: Option<usize>) -> Vec<usize> {
        self.order.iter().copied().filter(|&number| self.node(number).parent == of).collect()
    }

    /// An instance and everything below it, each before its children.
    fn below(&self, number: usize) -> Vec<usize> {
        let below = self.children(Some(number)).into_iter().flat_map(|child| self.below(child));
        std::iter::once(number).chain(below).collect()
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(Some(node));
        self.order.push(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn remove(&mut self, number: usize) {
        let gone = self.below(number);
        self.order.retain(|number| !gone.contains(number));
        gone.iter().for_each(|&number| self.nodes[number] = None);
        for node in
            self.nodes.iter_mut().flatten().filter(|node| node.to.is_some_and(|to| gone.contains(&to)))
        {
            node.to = None;
        }
    }

    /// Each instance with its class, values and depth, and the place of what it refers to.
    fn content(&self) -> Vec<String> {
        let tops = self.children(None);
        let all: Vec<usize> = tops.into_iter().flat_map(|top| self.below(top)).collect();
        let place = |number: usize| all.iter().position(|&other| other == number);
        let line = |&number: &usize| {
            let Node { class, name, value, to, parent, .. } = self.node(number);
            format!(
                "{} {name} {value} {:?} {:?}",
                CLASSES[*class],
                to.and_then(place),
                parent.and_then(place)
            )
        };
        all.iter().map(line).collect()
    }
}

/// The same of a document.
fn content(document: &AnyDocument) -> Vec<String> {
    let all: Vec<InstanceId> = document.instances().collect();
    let place = |id: InstanceId| all.iter().position(|&other| other == id);
    let line = |&id: &InstanceId| {
        let value = document.get(id, "Value").and_then(|value| value.as_i32()).expect("a number");
        let to = document.get(id, "To").and_then(|value| value.as_instance());
        let (class, name) = (document.class(id).expect("a class"), document.name(id).expect("a name"));
        format!("{class} {name} {value} {:?} {:?}", to.and_then(place), document.parent(id).and_then(place))
    };
    all.iter().map(line).collect()
}

/// Applies one random edit to a document and to the model of it.
fn edit(document: &mut AnyDocument, model: &mut Model, rng: &mut Rng) {
    let pick = |model: &Model, rng: &mut Rng| match model.order.len() {
        0 => None,
        count => Some(model.order[rng.below(count)]),
    };
    let maybe = |model: &Model, rng: &mut Rng| if rng.below(4) == 0 { None } else { pick(model, rng) };
    let id_of = |model: &Model, of: Option<usize>| of.map(|number| model.node(number).id);
    let Some(one) = pick(model, rng).filter(|_| rng.below(3) > 0) else {
        let (class, parent, value) =
            (rng.below(2), maybe(model, rng), i32::try_from(rng.below(1000)).expect("small"));
        let name = format!("N{}", rng.below(5));
        let new = NewInstance::new(CLASSES[class]).property("Name", name.as_str()).property("Value", value);
        let new = new.property("To", Value::Ref(None));
        let id = document.insert(id_of(model, parent), new).expect("inserted");
        model.add(Node { id, class, name, value, to: None, parent });
        return;
    };
    let id = model.node(one).id;
    match rng.below(6) {
        0 => {
            let value = i32::try_from(rng.below(1000)).expect("small");
            document.set(id, "Value", value).expect("set");
            model.node_mut(one).value = value;
        }
        1 => {
            let name = format!("Renamed{}", rng.below(5));
            document.set(id, "Name", name.as_str()).expect("set");
            model.node_mut(one).name = name;
        }
        2 => {
            let to = maybe(model, rng);
            document.set(id, "To", Value::Ref(id_of(model, to))).expect("set");
            model.node_mut(one).to = to;
        }
        3 => {
            let parent = maybe(model, rng);
            let is_inside = parent.is_some_and(|parent| model.below(one).contains(&parent));
            let done = document.reparent(id, id_of(model, parent));
            assert_eq!(done.is_err(), is_inside);
            if !is_inside {
                model.node_mut(one).parent = parent;
                // It is the last child now.
                model.order.retain(|&number| number != one);
                model.order.push(one);
            }
        }
        4 => {
            let count = model.below(one).len();
            assert_eq!(document.remove(id).expect("removed"), count);
            model.remove(one);
        }
        _ => {
            let parent = maybe(model, rng);
            let sources = model.below(one);
            let top = document.duplicate(id, id_of(model, parent)).expect("copied");
            let copies: Vec<InstanceId> = std::iter::once(top).chain(document.descendants(top)).collect();
            assert_eq!(copies.len(), sources.len());
            let first = model.nodes.len();
            let copy_of = |number: usize| sources.iter().position(|&of| of == number).map(|at| first + at);
            for (at, (&source, &id)) in sources.iter().zip(&copies).enumerate() {
                let mut node = Node { id, ..model.node(source).clone() };
                node.parent = if at == 0 { parent } else { node.parent.and_then(copy_of) };
                // References inside of what is copied lead to the copies.
                node.to = node.to.map(|to| copy_of(to).unwrap_or(to));
                model.add(node);
            }
        }
    }
}

#[test]
fn edits_mean_what_a_slow_model_says() {
    let mut rng = Rng(17);
    for sequence in 0..SEQUENCES {
        let mut document = match sequence % 2 {
            0 => AnyDocument::from(rbxbinary::Document::new()),
            _ => AnyDocument::from(rbxxml::Document::new()),
        };
        let mut model = Model::default();
        for _ in 0..1 + rng.below(24) {
            edit(&mut document, &mut model, &mut rng);
            // Also what was read from a file is edited.
            if rng.below(8) == 0 {
                document = from_slice(&document.to_vec().expect("written")).expect("readable");
                let tops = model.children(None);
                let all: Vec<usize> = tops.into_iter().flat_map(|top| model.below(top)).collect();
                for (number, id) in all.into_iter().zip(document.instances().collect::<Vec<_>>()) {
                    model.node_mut(number).id = id;
                }
            }
            assert_eq!(document.len(), model.order.len(), "sequence {sequence}");
        }
        assert_eq!(content(&document), model.content(), "sequence {sequence}");
        let again = from_slice(&document.to_vec().expect("written")).expect("readable");
        assert_eq!(content(&again), model.content(), "sequence {sequence}, written");
    }
}

const SEQUENCES: usize = 60_000;
