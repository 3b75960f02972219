//! Animations: channels of curves, sampled.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use glam::{DQuat, DVec3};
use rezkit_core::{Budget, Loss, Result};
use roxmltree::NodeId;

use super::document::{Element, File, Rows, all, child, damaged, name, number, path};
use super::transform::{Kind, Space, Step, matrix};
use crate::model::{Animation, Channel, Interpolation, Values};
use crate::sampled::{self, JUMP, bezier, from_zero, with_frames};

const WHAT: &str = "the animations";
/// The frames per second at which turns and curves are sampled.
const RATE: f64 = 30.0;

/// A node that can be animated.
pub(super) struct Animated<'a> {
    pub(super) node: usize,
    pub(super) steps: Vec<Step<'a>>,
    pub(super) space: Space,
}

/// A node with morph targets: the source of their weights, and the weights at rest.
pub(super) struct Morphed<'a> {
    pub(super) node: usize,
    pub(super) source: Element<'a>,
    pub(super) weights: Vec<f32>,
}

/// Curves of a channel, one for each column.
struct Curves {
    times: Rc<Rows>,
    values: Rc<Rows>,
    kinds: Vec<Way>,
    tangents: [Option<Rc<Rows>>; 2],
}

/// How a number goes from a key to the next one.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Step,
    Linear,
    Bezier,
    Hermite,
}

impl Curves {
    fn of<'a>(file: &mut File<'a, '_>, sampler: Element<'a>) -> Result<Option<Self>> {
        let mut rows = |semantic: &str| -> Result<Option<Rc<Rows>>> {
            file.input(sampler, semantic)?.map(|source| file.rows(source)).transpose()
        };
        let (Some(times), Some(values)) = (rows("INPUT")?, rows("OUTPUT")?) else {
            return Err(damaged(sampler, "the sampler has no times or no values"));
        };
        let tangents = [rows("OUT_TANGENT")?, rows("IN_TANGENT")?];
        let names = match file.input(sampler, "INTERPOLATION")? {
            Some(source) => file.names(source)?,
            None => Vec::new(),
        };
        let way = |name: &&str| match *name {
            "STEP" => Way::Step,
            "BEZIER" => Way::Bezier,
            "HERMITE" => Way::Hermite,
            _ => Way::Linear,
        };
        let kinds = names.iter().map(way).collect();
        let curves = Self { times, values, kinds, tangents };
        file.budget.take(100 + curves.kinds.len() as u64, WHAT)?;
        file.budget.work(curves.len() as u64, WHAT)?;
        let is_ascending = (1..curves.len())
            .all(|key| curves.time(key - 1).is_some_and(|before| curves.time(key) > Some(before)));
        let is_usable = curves.len() > 0 && is_ascending && curves.time(0).is_some_and(f64::is_finite);
        if !is_usable {
            file.losses.push(
                Loss::new(path(sampler), "a curve without keys, or whose times do not ascend")
                    .id("dae.animations"),
            );
        }
        Ok(is_usable.then_some(curves))
    }

    fn len(&self) -> usize {
        self.times.count.min(self.values.count)
    }

    fn time(&self, key: usize) -> Option<f64> {
        self.times.value(key, 0)
    }

    fn way(&self, key: usize) -> Way {
        self.kinds.get(key).copied().unwrap_or(Way::Linear)
    }

    /// The value of a column at a time.
    fn at(&self, time: f64, column: usize) -> Option<f64> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.time(middle)? <= time { low = middle + 1 } else { high = middle }
        }
        let Some(before) = low.checked_sub(1) else { return self.values.value(0, column) };
        let from = self.values.value(before, column)?;
        if low >= self.len() {
            return Some(from);
        }
        let (start, end, to) = (self.time(before)?, self.time(low)?, self.values.value(low, column)?);
        let part = (time - start) / (end - start);
        let linear = from + (to - from) * part;
        Some(match self.way(before) {
            Way::Step => from,
            Way::Linear => linear,
            way => self.curved(way, [before, low], column, part).unwrap_or(linear),
        })
    }

    /// The value of a curve between two keys at a part of their time.
    fn curved(&self, way: Way, [before, after]: [usize; 2], column: usize, part: f64) -> Option<f64> {
        let [out, into] = &self.tangents;
        let (out, into) = (out.as_ref()?, into.as_ref()?);
        let (start, end) = (self.time(before)?, self.time(after)?);
        let (from, to) = (self.values.value(before, column)?, self.values.value(after, column)?);
        // Times and values, or only values.
        let is_flat = out.width() < 2 * self.values.width();
        let point = |rows: &Rows, key: usize| -> Option<[f64; 2]> {
            match is_flat {
                true => Some([(end - start) / 3.0, rows.value(key, column)?]),
                false => Some([rows.value(key, 2 * column)?, rows.value(key, 2 * column + 1)?]),
            }
        };
        let ([a, first], [b, second]) = (point(out, before)?, point(into, after)?);
        let (values, times) = match way {
            Way::Hermite => ([from, from + first / 3.0, to - second / 3.0, to], [1.0 / 3.0, 1.0 / 3.0]),
            _ if is_flat => ([from, first, second, to], [1.0 / 3.0, 1.0 / 3.0]),
            _ => ([from, first, second, to], [(a - start) / (end - start), (end - b) / (end - start)]),
        };
        Some(bezier(values, times.map(|time| time.clamp(0.0, 1.0)), part))
    }
}

/// What a channel changes.
struct Change {
    /// The step of the node, or the morph target.
    index: usize,
    /// The number of the step; `None` for all.
    column: Option<usize>,
    curves: Rc<Curves>,
}

/// The changes of nodes and of the weights of sources, by their elements.
#[derive(Default)]
struct Changes {
    nodes: BTreeMap<u32, Vec<Change>>,
    weights: BTreeMap<u32, Vec<Change>>,
}

/// What is read of the animations.
pub(super) struct Motion<'a, 'b> {
    /// The nodes of each element.
    pub(super) animated: &'b HashMap<u32, Vec<Animated<'a>>>,
    pub(super) morphed: &'b [Morphed<'a>],
    /// The nodes that are not where the file has them.
    pub(super) moved: &'b HashSet<usize>,
}

impl<'a> Motion<'a, '_> {
    /// The animations of a file: its clips, and what is in none of them.
    ///
    /// # Errors
    /// If a channel is damaged, or the budget does not suffice.
    pub(super) fn read(&self, file: &mut File<'a, '_>) -> Result<Vec<Animation>> {
        let mut made = Vec::new();
        let mut used: HashSet<NodeId> = HashSet::new();
        for clip in file.library("library_animation_clips", "animation_clip") {
            let mut channels = Vec::new();
            for instance in all(clip, "instance_animation") {
                let found = instance.attribute("url").and_then(|url| file.find(url));
                let Some(animation) = found else {
                    file.losses.push(
                        Loss::new(path(instance), "an animation that does not exist").id("dae.animations"),
                    );
                    continue;
                };
                file.budget.work(40 * animation.range().len() as u64, WHAT)?;
                channels.extend(channels_of(animation));
            }
            used.extend(channels.iter().map(|channel| channel.id()));
            let time = |key| clip.attribute(key).and_then(number).filter(|time: &f64| time.is_finite());
            let range = [time("start").unwrap_or(0.0), time("end").unwrap_or(f64::INFINITY)];
            made.extend(self.animation(file, (name(clip), range), &channels)?);
        }
        let rest = all(file.root, "library_animations").flat_map(channels_of);
        let rest: Vec<Element<'a>> = rest.filter(|channel| !used.contains(&channel.id())).collect();
        let animations: Vec<Element<'a>> = file.library("library_animations", "animation");
        let name = match &animations[..] {
            [only] => name(*only),
            _ => "animation",
        };
        made.extend(self.animation(file, (name, [f64::NEG_INFINITY, f64::INFINITY]), &rest)?);
        Ok(made)
    }

    /// The animation of channels between two times; `None` if it changes nothing.
    fn animation(
        &self,
        file: &mut File<'a, '_>,
        (name, range): (&str, [f64; 2]),
        channels: &[Element<'a>],
    ) -> Result<Option<Animation>> {
        let changes = self.changes(file, channels)?;
        let mut made = Vec::new();
        for (element, changes) in &changes.nodes {
            for animated in self.animated.get(element).into_iter().flatten() {
                // What differs from the file's pose is animated, too.
                let rest = match self.moved.contains(&animated.node) {
                    true => (DVec3::INFINITY, DQuat::from_array([0.0; 4]), DVec3::INFINITY),
                    false => animated.space.place(matrix(&animated.steps)),
                };
                made.extend(sampled(animated, (changes, rest), range, file.budget)?);
            }
        }
        for (source, changes) in &changes.weights {
            for morphed in self.morphed.iter().filter(|morphed| morphed.source.id().get() == *source) {
                made.extend(weights(morphed, changes, range, file.budget)?);
            }
        }
        let [start, _] = range;
        if start > 0.0 {
            made.iter_mut().flat_map(|channel| &mut channel.times).for_each(|time| *time -= start as f32);
        }
        from_zero(&mut made, name, &mut file.losses);
        let name = name.to_owned();
        Ok((!made.is_empty()).then(|| Animation { name, channels: made, ..Animation::default() }))
    }

    /// The changes of channels.
    fn changes(&self, file: &mut File<'a, '_>, channels: &[Element<'a>]) -> Result<Changes> {
        let mut changes = Changes::default();
        let mut known: HashMap<NodeId, Option<Rc<Curves>>> = HashMap::new();
        for channel in channels {
            let target = channel.attribute("target").unwrap_or_default();
            let lose = |losses: &mut Vec<Loss>| {
                Loss::new(path(*channel), "the animation of something other than a node or a morph")
                    .id("dae.animations")
                    .count_in(losses);
            };
            let (id, rest) = target.split_once('/').unwrap_or((target, ""));
            let (id, index_of_id) = indexed(id);
            let Some(element) = file.find(id) else {
                lose(&mut file.losses);
                continue;
            };
            let sampler = file.follow(*channel, "source")?;
            let curves = match known.get(&sampler.id()) {
                Some(known) => known.clone(),
                None => {
                    let curves = Curves::of(file, sampler)?.map(Rc::new);
                    known.insert(sampler.id(), curves.clone());
                    curves
                }
            };
            let Some(curves) = curves else { continue };
            file.budget.take(200, WHAT)?;
            let morph = child(element, "morph").and_then(|morph| child(morph, "targets"));
            let weights = match element.tag_name().name() {
                "source" => Some(element),
                _ => morph.map(|targets| file.input(targets, "MORPH_WEIGHT")).transpose()?.flatten(),
            };
            if let Some(weights) = weights {
                let index = index_of_id.or_else(|| indexed(rest).1).unwrap_or(0);
                let change = Change { index, column: None, curves };
                changes.weights.entry(weights.id().get()).or_default().push(change);
                continue;
            }
            let steps = self
                .animated
                .get(&element.id().get())
                .and_then(|all| all.first())
                .map_or(0, |of| of.steps.len());
            file.budget.work(20 * steps as u64, WHAT)?;
            match self.change(element, rest, curves) {
                Some(change) => changes.nodes.entry(element.id().get()).or_default().push(change),
                None => lose(&mut file.losses),
            }
        }
        Ok(changes)
    }

    /// The change of a step of a node.
    fn change(&self, node: Element<'a>, target: &str, curves: Rc<Curves>) -> Option<Change> {
        let animated = self.animated.get(&node.id().get())?.first()?;
        let (sid, member) = match target.split_once('.') {
            Some((sid, member)) => (sid, Some(member)),
            None => (target, None),
        };
        let (sid, first) = indexed(sid);
        let index = animated.steps.iter().position(|step| step.sid == Some(sid))?;
        let kind = animated.steps[index].kind;
        let column = match (member, first) {
            (Some("X" | "R" | "S"), _) => Some(0),
            (Some("Y" | "G" | "T"), _) => Some(1),
            (Some("Z" | "B" | "P"), _) => Some(2),
            (Some("ANGLE" | "W"), _) => Some(3),
            (Some(_), _) => return None,
            (None, Some(first)) => {
                let second = target.rsplit_once('(').and_then(|(_, last)| last.strip_suffix(')'));
                let is_pair = target.matches('(').count() == 2;
                let second = second.filter(|_| is_pair).and_then(|last| last.parse::<usize>().ok());
                // The column, then the row of a matrix, whose numbers are row by row.
                Some(second.map_or(first, |second| second.saturating_mul(4).saturating_add(first)))
            }
            // The angle of a rotation, without its axis.
            (None, None) if kind == Kind::Rotate && curves.values.width() == 1 => Some(3),
            (None, None) => None,
        };
        let count = match kind {
            Kind::Matrix => 16,
            Kind::Translate | Kind::Scale => 3,
            Kind::Rotate => 4,
            Kind::LookAt => 9,
        };
        let is_valid = column.map_or(curves.values.width() >= count, |column| column < count);
        is_valid.then_some(Change { index, column, curves })
    }
}

/// A name, and the number in parentheses behind it.
fn indexed(name: &str) -> (&str, Option<usize>) {
    match name.split_once('(') {
        Some((name, rest)) => (name, rest.split(')').next().and_then(|number| number.trim().parse().ok())),
        None => (name, None),
    }
}

fn channels_of<'a>(of: Element<'a>) -> impl Iterator<Item = Element<'a>> {
    of.descendants().filter(|element| element.tag_name().name() == "channel")
}

/// The times of all keys between two times, those before jumps, and the frames between them.
fn times(changes: &[Change], [start, end]: [f64; 2], is_sampled: bool) -> Vec<f64> {
    let mut times = Vec::new();
    for change in changes {
        let curves = &change.curves;
        for (key, time) in (0..curves.len()).filter_map(|key| Some((key, curves.time(key)?))) {
            times.push(time);
            if key > 0 && curves.way(key - 1) == Way::Step {
                times.push(time - f64::from(JUMP));
            }
        }
    }
    let last = times.iter().copied().fold(start, f64::max);
    times.retain(|time| (start..=end).contains(time));
    times.extend([start, end.min(last)].into_iter().filter(|time| time.is_finite()));
    times.sort_by(f64::total_cmp);
    times.dedup();
    if is_sampled { with_frames(&times, RATE) } else { times }
}

/// The channels of a node.
fn sampled(
    animated: &Animated<'_>,
    (changes, rest): (&[Change], sampled::At),
    range: [f64; 2],
    budget: &mut Budget,
) -> Result<Vec<Channel>> {
    let keys: usize = changes.iter().map(|change| change.curves.len()).sum();
    budget.take(100 * keys as u64, WHAT)?;
    // Whole matrices are what a scene interpolates itself.
    let is_whole =
        |change: &Change| animated.steps[change.index].kind == Kind::Matrix && change.column.is_none();
    let times = times(changes, range, !changes.iter().all(is_whole));
    budget.take(times.len() as u64 * 200, WHAT)?;
    budget.work(times.len() as u64 * 500 * (animated.steps.len() + changes.len()) as u64, WHAT)?;
    let mut steps = animated.steps.clone();
    let mut places: Vec<sampled::At> = Vec::with_capacity(times.len());
    for &time in &times {
        for change in changes {
            let numbers = &mut steps[change.index].numbers;
            match change.column {
                Some(column) => {
                    if let Some(value) = change.curves.at(time, 0) {
                        numbers[column] = value;
                    }
                }
                None => {
                    for (column, number) in numbers.iter_mut().enumerate().take(change.curves.values.width())
                    {
                        if let Some(value) = change.curves.at(time, column) {
                            *number = value;
                        }
                    }
                }
            }
        }
        let (place, mut rotation, scale) = animated.space.place(matrix(&steps));
        if let Some((_, last, _)) = places.last()
            && rotation.dot(*last) < 0.0
        {
            rotation = -rotation;
        }
        let (place, rotation, scale) = match place.is_finite() && rotation.is_finite() && scale.is_finite() {
            true => (place, rotation, scale),
            false => places.last().copied().unwrap_or_else(|| animated.space.place(matrix(&animated.steps))),
        };
        places.push((place, rotation, scale));
    }
    Ok(sampled::channels(animated.node, &times, &places, rest))
}

/// The channel of the weights of a mesh.
fn weights(
    morphed: &Morphed<'_>,
    changes: &[Change],
    range: [f64; 2],
    budget: &mut Budget,
) -> Result<Option<Channel>> {
    let keys: usize = changes.iter().map(|change| change.curves.len()).sum();
    budget.take(100 * keys as u64, WHAT)?;
    let is_curved =
        |change: &Change| change.curves.kinds.iter().any(|way| matches!(way, Way::Bezier | Way::Hermite));
    let times = times(changes, range, changes.iter().any(is_curved));
    if times.is_empty() {
        return Ok(None);
    }
    budget.take_values::<[f32; 2]>(times.len().saturating_mul(1 + morphed.weights.len()), WHAT)?;
    budget.work((times.len() as u64).saturating_mul(100 * (1 + changes.len()) as u64), WHAT)?;
    let mut values = Vec::with_capacity(times.len() * morphed.weights.len());
    for &time in &times {
        let start = values.len();
        values.extend_from_slice(&morphed.weights);
        for change in changes {
            if let (Some(weight), Some(value)) =
                (values.get_mut(start + change.index), change.curves.at(time, 0))
            {
                *weight = value as f32;
            }
        }
    }
    let times = times.iter().map(|time| *time as f32).collect();
    let interpolation = Interpolation::Linear;
    Ok(Some(Channel { node: morphed.node, times, values: Values::Weights(values), interpolation }))
}
