//! Section `Bones`: the skeleton.
//!
//! A row is `/` as often as the bone lies deep, then `position orientation name`. Ours: a bone whose
//! parent is not the last one a level above is `@parent position orientation name`.

use super::reader::Reader;
use super::token::{self, expected, rows};
use super::writer::Writer;
use crate::error::Result;
use crate::list::push;
use crate::model::{Bone, BoneId};
use crate::wire::fail::{At, Here, Parsed};

/// How deep other readers follow; deeper bones are written with their parent.
const DEEPEST: usize = 64;

impl Reader {
    /// Section `Bones`.
    pub(crate) fn read_bones<'a>(&mut self, input: &'a [u8]) -> Parsed<'a, ()> {
        // The last bone of each level.
        let mut levels: Vec<BoneId> = Vec::new();
        rows(input, |start| {
            let place = self.model.bones.len();
            let (rest, bone) = self.read_bone(start, &mut levels).index(place)?;
            push(&mut self.model.bones, bone, &mut self.budget).here(start)?;
            Ok((rest, ()))
        })
    }

    fn read_bone<'a>(&mut self, start: &'a [u8], levels: &mut Vec<BoneId>) -> Parsed<'a, Bone> {
        let id = BoneId::new(self.model.bones.len());
        let (input, parent) = if let [b'@', parent @ ..] = start {
            let (rest, parent) = token::index(parent, "the index of a bone").field("parent")?;
            // No slashes can follow this one.
            levels.clear();
            self.layout.extensions = true;
            (rest, BoneId(parent))
        } else {
            let level = start.iter().take_while(|&&byte| byte == b'/').count();
            if level > levels.len() {
                return Err(expected(start, "a bone at most one level below the last one"));
            }
            levels.truncate(level);
            let parent = levels.last().copied().unwrap_or_default();
            push(levels, id, &mut self.budget).here(start)?;
            (start.get(level..).unwrap_or_default(), parent)
        };
        let (input, position) = token::id(input, token::POSITION).field("position")?;
        let (input, orientation) = token::id(input, token::ORIENTATION).field("orientation")?;
        let (rest, name) = self.rest(input).field("name")?;
        Ok((rest, Bone { parent, name, position, orientation }))
    }
}

impl Writer<'_> {
    /// Section `Bones`.
    pub(crate) fn write_bones(&mut self) -> Result<()> {
        let mut levels: Vec<BoneId> = Vec::new();
        for (place, bone) in self.model.bones.iter().enumerate() {
            let id = BoneId::new(place);
            let level = match bone.parent {
                BoneId::NONE => Some(0),
                parent => {
                    levels.iter().rposition(|&level| level == parent).map(|level| level.saturating_add(1))
                }
            };
            match level {
                Some(level) if level <= DEEPEST => {
                    levels.truncate(level);
                    levels.push(id);
                    for _ in 0..level {
                        self.put("/");
                    }
                }
                // As the reader does.
                _ => {
                    let what = "a parent that is not the last bone a level above, or deeper than 64 levels";
                    self.extension(what).field("parent").index(place)?;
                    levels.clear();
                    self.put("@");
                    self.index(bone.parent);
                    self.put(" ");
                }
            }
            self.indices([bone.position.0, bone.orientation.0]);
            self.head(&bone.name);
        }
        Ok(())
    }
}
