//! How an animation is played: what the formats with settings of playback state, each in its own field.

use std::collections::BTreeMap;

use ::slmesh::motion::Constraint;

/// How an animation is played. A field that is `None` or empty is not stated by the file, and each format has its own
/// default for it.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Playback {
    /// Whether the animation repeats.
    pub looped: Option<bool>,
    /// The start and the end of the part that repeats, in seconds; the parts before and after it are played once.
    pub loop_part: Option<[f32; 2]>,
    /// The time that the animation lasts, in seconds: longer than its keys if nothing moves at its end.
    pub duration: Option<f32>,
    /// The priority.
    pub priority: Priority,
    /// The fade-in time, in seconds.
    pub ease_in: Option<f32>,
    /// The fade-out time, in seconds.
    pub ease_out: Option<f32>,
    /// The pose of the hands, an index of Second Life's [`HAND_POSES`](crate::slmesh::HAND_POSES).
    pub hand_pose: Option<u32>,
    /// The facial expression, which Second Life calls an emote; empty for none.
    pub expression: String,
    /// Priorities of joints that differ from that of the animation, by the names of Second Life's joints.
    pub joint_priorities: BTreeMap<String, i32>,
    /// Second Life's constraints of joints.
    pub constraints: Vec<Constraint>,
    /// The time of a frame in seconds, if the frames are at equal distances as in BVH.
    pub frame_time: Option<f64>,
    /// The number of joints that were left out, since they stay in the rest pose.
    pub joints_at_rest: usize,
}

impl Playback {
    /// The names of the settings that are stated; the frames of BVH are no setting.
    pub fn stated(&self) -> Vec<&'static str> {
        let Self { priority, hand_pose, expression, joint_priorities, constraints, .. } = self;
        let all = [
            ("loop", self.looped.is_some() || self.loop_part.is_some()),
            ("duration", self.duration.is_some()),
            ("priority", *priority != Priority::default()),
            ("ease", self.ease_in.is_some() || self.ease_out.is_some()),
            ("hand pose", hand_pose.is_some()),
            ("expression", !expression.is_empty()),
            ("priorities of joints", !joint_priorities.is_empty()),
            ("constraints", !constraints.is_empty()),
        ];
        all.into_iter().filter(|(_, is_stated)| *is_stated).map(|(name, _)| name).collect()
    }

    /// Divides all times, for an animation that is played this number of times as fast.
    pub fn faster(&mut self, speed: f32) {
        let times = [&mut self.duration, &mut self.ease_in, &mut self.ease_out];
        let parts = self.loop_part.iter_mut().flatten();
        let of_constraints = self.constraints.iter_mut().flat_map(|of| {
            [&mut of.ease_in_start, &mut of.ease_in_stop, &mut of.ease_out_start, &mut of.ease_out_stop]
        });
        times.into_iter().flatten().chain(parts).chain(of_constraints).for_each(|time| *time /= speed);
        self.frame_time = self.frame_time.map(|time| time / f64::from(speed));
    }

    /// Keeps the part between two times, which begins at 0.
    pub(crate) fn trim(&mut self, from: f32, to: f32) {
        let moved = |time: f32| (time.clamp(from, to)) - from;
        self.loop_part = self.loop_part.map(|part| part.map(moved));
        self.duration = self.duration.map(moved);
        for of in &mut self.constraints {
            let times =
                [&mut of.ease_in_start, &mut of.ease_in_stop, &mut of.ease_out_start, &mut of.ease_out_stop];
            times.into_iter().for_each(|time| *time = moved(*time));
        }
    }

    /// The memory besides the value itself, in bytes.
    pub(crate) fn held(&self) -> usize {
        let names = self.joint_priorities.keys().map(|name| name.len() + 48).sum::<usize>();
        self.expression.len() + names + self.constraints.len() * size_of::<Constraint>()
    }
}

/// The priority of an animation: if two animations move the same joint, the one with the higher priority wins. The worlds
/// have different scales, between which no conversion is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Priority {
    /// Second Life's, 0 to 6.
    pub second_life: Option<i32>,
    /// Roblox's: 0 to 5, and 1000 for Core.
    pub roblox: Option<u32>,
}

/// The names of Roblox's priorities: `AnimationPriority` stores the index, and 1000 for the last.
const OF_ROBLOX: [(u32, &str); 7] = [
    (0, "Idle"),
    (1, "Movement"),
    (2, "Action"),
    (3, "Action2"),
    (4, "Action3"),
    (5, "Action4"),
    (1000, "Core"),
];

/// The names of Second Life's priorities from 0 on; 5 and 6 have none.
const OF_SECOND_LIFE: [&str; 5] = ["low", "medium", "high", "higher", "highest"];

impl Priority {
    /// Roblox's number by its name, in any case.
    pub fn of_roblox(name: &str) -> Option<u32> {
        OF_ROBLOX.iter().find(|(_, known)| known.eq_ignore_ascii_case(name)).map(|(number, _)| *number)
    }

    /// Second Life's number by its name, in any case.
    pub fn of_second_life(name: &str) -> Option<i32> {
        (0..)
            .zip(OF_SECOND_LIFE)
            .find(|(_, known)| known.eq_ignore_ascii_case(name))
            .map(|(number, _)| number)
    }

    /// Roblox's name of a number; `None` if it has none.
    pub fn roblox_name(number: u32) -> Option<&'static str> {
        OF_ROBLOX.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
    }

    /// Second Life's name of a number; `None` if it has none.
    pub fn second_life_name(number: i32) -> Option<&'static str> {
        OF_SECOND_LIFE.get(usize::try_from(number).ok()?).copied()
    }
}
