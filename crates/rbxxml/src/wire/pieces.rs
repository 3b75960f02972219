//! Bodies that do not stand as Studio writes them, piece by piece: what is in the model, and the text
//! between.

use bstr::BString;

use crate::model::Part;
use crate::wire::cx::{Cx, Read};
use crate::wire::xml::Element;

struct Pieces<'c, 's> {
    cx: &'c mut Cx<'s>,
    parts: Vec<Part>,
    /// Where in the file the last piece ends.
    at: usize,
}

/// What stands in an item up to a place, the end tag included.
pub(crate) fn of_item<'s>(
    cx: &mut Cx<'s>,
    item: Element<'_, '_>,
    inside: usize,
    end: usize,
) -> Read<'s, Vec<Part>> {
    let mut pieces = Pieces { cx, parts: Vec::new(), at: inside };
    for child in item.elements() {
        match child.tag() {
            "Item" => pieces.part(child, Part::Item)?,
            "Properties" => {
                for property in child.elements() {
                    pieces.part(property, Part::Property)?;
                }
            }
            _ => {}
        }
    }
    pieces.finish(item, end)
}

/// What stands in `roblox` up to a place, the end tag included.
pub(crate) fn of_root<'s>(
    cx: &mut Cx<'s>,
    root: Element<'_, '_>,
    inside: usize,
    end: usize,
) -> Read<'s, Vec<Part>> {
    let mut pieces = Pieces { cx, parts: Vec::new(), at: inside };
    for child in root.elements() {
        match child.tag() {
            "Item" => pieces.part(child, Part::Item)?,
            "Meta" => pieces.part(child, Part::Metadata)?,
            "External" => pieces.part(child, Part::External)?,
            "SharedStrings" => {
                for shared in child.elements().filter(|shared| shared.tag() == "SharedString") {
                    pieces.part(shared, Part::SharedString)?;
                }
            }
            _ => {}
        }
    }
    pieces.finish(root, end)
}

impl<'s> Pieces<'_, 's> {
    fn text(&mut self, element: Element<'_, '_>, to: usize) -> Read<'s, ()> {
        let text = self.cx.source.slice(self.at..to);
        self.cx.charge(element, text.len().saturating_add(size_of::<Part>().saturating_mul(4)))?;
        if !text.is_empty() {
            self.parts.push(Part::Text(BString::from(text)));
        }
        Ok(())
    }

    fn part(&mut self, element: Element<'_, '_>, part: Part) -> Read<'s, ()> {
        let range = self.cx.source.range(element.range());
        self.text(element, range.start)?;
        self.parts.push(part);
        self.at = range.end;
        Ok(())
    }

    fn finish(mut self, element: Element<'_, '_>, end: usize) -> Read<'s, Vec<Part>> {
        self.text(element, end)?;
        self.parts.shrink_to_fit();
        Ok(self.parts)
    }
}
