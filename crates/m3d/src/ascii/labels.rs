//! Section `Labels`: annotations.
//!
//! | row | what |
//! |---|---|
//! | `color #AABBGGRR` | the colour of all |
//! | `lang xx_XX` | the language |
//! | `vertex text` | an annotation |

use geom::Rgba8;

use super::reader::Reader;
use super::token::{self, line_end, row};
use super::writer::Writer;
use crate::list::push;
use crate::model::{Label, LabelGroup};
use crate::wire::fail::{At, Here, Parsed};

impl Reader {
    /// Section `Labels`.
    pub(crate) fn read_labels<'a>(&mut self, head: &'a [u8], mut input: &'a [u8]) -> Parsed<'a, ()> {
        let (_, name) = self.rest(head).field("name")?;
        let mut group = LabelGroup { name, ..LabelGroup::default() };
        loop {
            let start = match row(input) {
                Ok(row) => row,
                Err(rest) => {
                    push(&mut self.model.labels, group, &mut self.budget).here(input)?;
                    return Ok((rest, ()));
                }
            };
            if let Ok((rest, word)) = token::token(start, "")
                && let b"color" | b"lang" = word
            {
                input = if word == b"color" {
                    let (rest, color) = token::color(rest).field("color")?;
                    group.color = color;
                    line_end(rest)?.0
                } else {
                    let (rest, language) = self.rest(rest).field("lang")?;
                    group.language = language;
                    rest
                };
                continue;
            }
            let place = group.labels.len();
            let (rest, vertex) = token::id(start, "`color`, `lang` or the index of a vertex")
                .field("vertex")
                .index(place)
                .field("labels")?;
            let (rest, text) = self.rest(rest).field("text").index(place).field("labels")?;
            push(&mut group.labels, Label { vertex, text }, &mut self.budget).here(start)?;
            input = rest;
        }
    }
}

impl Writer<'_> {
    /// Section `Labels`.
    pub(crate) fn write_labels(&mut self, group: &LabelGroup) {
        if group.color != Rgba8::default() {
            self.put("color ");
            self.color(group.color);
            self.line();
        }
        if !group.language.is_empty() {
            self.put("lang");
            self.rest(&group.language);
            self.line();
        }
        for label in &group.labels {
            self.index(label.vertex);
            self.rest(&label.text);
            self.line();
        }
    }
}
