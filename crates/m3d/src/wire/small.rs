//! The small chunks.
//!
//! | `PROC` | `LBLS` | `ASET` |
//! |---|---|---|
//! | `si_t` name of the script | `si_t` name | `si_t` name |
//! | | `si_t` language | the file itself |
//! | | `ci_t` colour, where that has a width | |
//! | | each label: `vi_t` vertex, `si_t` text | |

use bstr::ByteSlice;

use super::fail::{At, Here, Parsed};
use super::reader::{Reader, records};
use super::writer::Writer;
use crate::consts::TypeField;
use crate::model::{Asset, Label, LabelGroup, Procedural};

impl<'a> Reader<'a> {
    pub(crate) fn read_procedural(&mut self, data: &'a [u8]) -> Parsed<'a, Procedural> {
        let (input, script) = self.name(data).field("script")?;
        Ok((input, Procedural { script }))
    }

    pub(crate) fn read_labels(&mut self, data: &'a [u8]) -> Parsed<'a, LabelGroup> {
        let (input, name) = self.name(data).field("name")?;
        let (input, language) = self.name(input).field("language")?;
        let (input, color) = self.color(input).field("color")?;
        let record = self.types.size(TypeField::Vertex).saturating_add(self.types.size(TypeField::Name));
        let (tail, mut whole) = records(input, record)?;
        let count = whole.len().checked_div(record).unwrap_or(0);
        let mut labels = self.budget.vec(count).here(input).field("labels")?;
        for index in 0..count {
            let (rest, vertex) = self.vertex(whole).field("vertex").index(index).field("labels")?;
            let (rest, text) = self.name(rest).field("text").index(index).field("labels")?;
            labels.push(Label { vertex, text });
            whole = rest;
        }
        Ok((tail, LabelGroup { name, language, color, labels }))
    }

    pub(crate) fn read_asset(&mut self, data: &'a [u8]) -> Parsed<'a, Asset> {
        let (input, name) = self.name(data).field("name")?;
        let (bytes, end) = input.split_at(input.len());
        let bytes = self.budget.copy(bytes).here(input).field("data")?;
        Ok((end, Asset { name, data: bytes }))
    }
}

impl Writer<'_> {
    pub(crate) fn write_procedural(&mut self, procedural: &Procedural) {
        self.name(procedural.script.as_bstr());
    }

    pub(crate) fn write_labels(&mut self, group: &LabelGroup) {
        self.name(group.name.as_bstr());
        self.name(group.language.as_bstr());
        self.color(group.color);
        for label in &group.labels {
            self.index(TypeField::Vertex, label.vertex.0);
            self.name(label.text.as_bstr());
        }
    }

    pub(crate) fn write_asset(&mut self, asset: &Asset) {
        self.name(asset.name.as_bstr());
        self.put(&asset.data);
    }
}
