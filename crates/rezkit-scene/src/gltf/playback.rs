//! The playback of animations in glTF, which has none: `secondlife_motion`, `Loop` and `Priority` in their extras.

use std::collections::BTreeMap;

use rezkit_core::Loss;
use rezkit_core::plain::shorten;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::model::{Animation, Playback};

/// The settings of Second Life, as an object.
const MOTION: &str = "secondlife_motion";
/// The settings of Roblox: a boolean and a number.
const LOOP: &str = "Loop";
const PRIORITY: &str = "Priority";

/// The extras of an animation that are its playback are removed from them. One that cannot be used stays there, and is
/// listed.
pub fn read(extras: &mut BTreeMap<String, Value>, path: &str, losses: &mut Vec<Loss>) -> Playback {
    let mut playback = Playback::default();
    let mut own = Taken { path, losses };
    if let Some(kept) = own.kept(extras, LOOP, |of| own_loop(of, &mut playback)) {
        extras.insert(LOOP.to_owned(), kept);
    }
    if let Some(kept) = own.kept(extras, PRIORITY, |of| {
        playback.priority.roblox = Some(number(of)?);
        Ok(())
    }) {
        extras.insert(PRIORITY.to_owned(), kept);
    }
    if let Some(Value::Object(of_motion)) = extras.get_mut(MOTION) {
        own.motion(of_motion, &mut playback);
        if of_motion.is_empty() {
            extras.remove(MOTION);
        }
    }
    playback
}

fn own_loop(of: &Value, playback: &mut Playback) -> Result<(), &'static str> {
    playback.looped = Some(of.as_bool().ok_or("true or false")?);
    Ok(())
}

/// A number that is whole; one with a fraction is rounded towards 0.
fn number<T: TryFrom<i64>>(of: &Value) -> Result<T, &'static str> {
    #[allow(clippy::cast_possible_truncation, reason = "the nearest that fits")]
    let whole = of.as_f64().map(|number| number as i64);
    whole.and_then(|whole| T::try_from(whole).ok()).ok_or("a number")
}

fn real(of: &Value) -> Result<f32, &'static str> {
    #[allow(clippy::cast_possible_truncation, reason = "settings have 32 bits")]
    let real = of.as_f64().map(|number| number as f32);
    real.filter(|number| number.is_finite()).ok_or("a number")
}

fn any<T: DeserializeOwned>(of: &Value, expected: &'static str) -> Result<T, &'static str> {
    T::deserialize(of).map_err(|_| expected)
}

/// Settings that are taken out of extras.
struct Taken<'a> {
    path: &'a str,
    losses: &'a mut Vec<Loss>,
}

impl Taken<'_> {
    /// Takes a setting; returns it if it cannot be used.
    fn kept(
        &mut self,
        extras: &mut BTreeMap<String, Value>,
        name: &str,
        take: impl FnOnce(&Value) -> Result<(), &'static str>,
    ) -> Option<Value> {
        let value = extras.remove(name).filter(|value| !value.is_null())?;
        (!self.is_used(name, &value, take)).then_some(value)
    }

    fn is_used(
        &mut self,
        name: &str,
        value: &Value,
        take: impl FnOnce(&Value) -> Result<(), &'static str>,
    ) -> bool {
        let wrong = |expected| {
            let found = shorten(&value.to_string(), 60);
            let what = format!("expected {expected}, found {found}: the default is used");
            Loss::filled_in(format!("{}.{name}", self.path), what).id("animation.settings")
        };
        let taken = take(value).map_err(wrong);
        let is_used = taken.is_ok();
        self.losses.extend(taken.err());
        is_used
    }

    /// Takes the settings of Second Life.
    fn motion(&mut self, from: &mut Map<String, Value>, to: &mut Playback) {
        let mut take = |name: &str, take: &mut dyn FnMut(&Value) -> Result<(), &'static str>| {
            let Some(value) = from.remove(name).filter(|value| !value.is_null()) else { return };
            if !self.is_used(&format!("{MOTION}.{name}"), &value, take) {
                from.insert(name.to_owned(), value);
            }
        };
        take("priority", &mut |of| number(of).map(|of| to.priority.second_life = Some(of)));
        take("duration", &mut |of| real(of).map(|of| to.duration = Some(of)));
        take("handPose", &mut |of| number(of).map(|of| to.hand_pose = Some(of)));
        take("emote", &mut |of| any(of, "a text").map(|of| to.expression = of));
        take("priorities", &mut |of| any(of, "numbers by joint").map(|of| to.joint_priorities = of));
        take("constraints", &mut |of| {
            let expected = "an array of constraints as the conversion of an .anim file writes it";
            any(of, expected).map(|of| to.constraints = of)
        });
        take("ease", &mut |of| {
            let [from, till]: [Option<f32>; 2] = any(of, "two numbers")?;
            (to.ease_in, to.ease_out) = (from, till);
            Ok(())
        });
        take("loop", &mut |of| {
            let [looped, from, till]: [Option<f32>; 3] = any(of, "three numbers")?;
            to.looped = looped.map(|of| of != 0.0).or(to.looped);
            to.loop_part = from.zip(till).map(|(from, till)| [from, till]);
            Ok(())
        });
    }
}

/// Adds the playback of an animation to its extras.
pub fn write(animation: &Animation, extras: &mut BTreeMap<String, Value>) {
    let Playback { looped, loop_part, duration, priority, ease_in, ease_out, hand_pose, .. } =
        &animation.playback;
    let Playback { expression, joint_priorities, constraints, .. } = &animation.playback;
    let mut motion = Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        motion.extend(value.map(|value| (name.to_owned(), value)));
    };
    add("priority", priority.second_life.map(Value::from));
    add("duration", duration.map(|of| json!(of)));
    if let Some([from, to]) = loop_part {
        add("loop", Some(json!([looped.map(u8::from), from, to])));
    }
    add("ease", (ease_in.is_some() || ease_out.is_some()).then(|| json!([ease_in, ease_out])));
    add("handPose", hand_pose.map(Value::from));
    add("emote", (!expression.is_empty()).then(|| json!(expression)));
    add("priorities", (!joint_priorities.is_empty()).then(|| json!(joint_priorities)));
    add("constraints", (!constraints.is_empty()).then(|| json!(constraints)));
    if loop_part.is_none() {
        extras.extend(looped.map(|looped| (LOOP.to_owned(), looped.into())));
    }
    extras.extend(priority.roblox.map(|priority| (PRIORITY.to_owned(), priority.into())));
    if !motion.is_empty() {
        extras.insert(MOTION.to_owned(), motion.into());
    }
}
