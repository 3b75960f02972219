//! Second Life mesh assets, against inflating their blocks alone: no other crate reads all of one.

use std::rc::Rc;

use zlib_rs::InflateFlush;

use crate::corpus;
use crate::measure::{Case, Goal};

pub fn cases(_: &[usize]) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, bytes) in corpus("slmesh").into_iter().take(2) {
        if slmesh::from_slice(&bytes).is_err() {
            continue;
        }
        let blocks: Vec<Vec<u8>> = slmesh::chunks(&bytes)
            .expect("an asset")
            .filter_map(|chunk| Some(chunk.ok()?.bytes.to_vec()))
            .filter(|block| block.starts_with(&[0x78]))
            .collect();
        let inflated =
            |block: &Vec<u8>| miniz_oxide::inflate::decompress_to_vec_zlib(block).expect("inflates");
        let most = blocks.iter().map(|block| inflated(block).len()).max().unwrap_or_default();
        let bytes = Rc::new(bytes);
        let ours = Rc::clone(&bytes);
        let case = Case::new("slmesh", format!("read {name}"), bytes.len())
            .goal(Goal::WithinLimit(1.3))
            .ours(move || slmesh::from_slice(&ours).expect("an asset"))
            .limit("inflate alone", move || {
                let mut inflate = zlib_rs::Inflate::new(true, 15);
                let mut room = vec![0; most];
                for block in &blocks {
                    inflate.reset(true);
                    inflate.decompress(block, &mut room, InflateFlush::Finish).expect("inflates");
                }
                inflate.total_out()
            });
        cases.push(case);
    }
    cases
}
