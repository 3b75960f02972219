//! Second Life mesh assets, compared with inflating and deflating their blocks alone, since no other crate reads whole
//! assets.

use zlib_rs::{DeflateFlush, InflateFlush};

use crate::corpus;
use crate::measure::{Case, Goal};

use super::{Rng, label};

/// An asset with submeshes of 32,768 vertices; each vertex with its triangles takes 28 bytes.
fn submeshes(size: usize) -> slmesh::Asset {
    const VERTICES: usize = 1 << 15;
    let mut rng = Rng(4);
    let mut submesh = || {
        let mut vertex = || [(); 3].map(|()| (rng.next() & 0xfff) as u16);
        let corner = |at: usize| (at % VERTICES) as u16;
        slmesh::Submesh {
            positions: (0..VERTICES).map(|_| vertex()).collect(),
            normals: (0..VERTICES).map(|at| [at as u16, 0x8000, 0xffff]).collect(),
            tex_coord0_domain: Some(slmesh::Domain { min: [0.0; 2], max: [1.0; 2] }),
            tex_coords0: (0..VERTICES).map(|at| [(at % 256) as u16, (at / 256) as u16]).collect(),
            triangles: (0..2 * VERTICES).map(|at| [corner(at), corner(at + 1), corner(at + 256)]).collect(),
            ..slmesh::Submesh::default()
        }
    };
    let count = (size / (VERTICES * 28)).max(1);
    let level =
        slmesh::Level { submeshes: (0..count).map(|_| submesh()).collect(), ..slmesh::Level::default() };
    slmesh::Asset { high_lod: Some(level), ..slmesh::Asset::default() }
}

pub fn cases(sizes: &[usize]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &size in sizes {
        let bytes = slmesh::to_vec(&submeshes(size)).expect("writes");
        both(&mut cases, &label(size), bytes);
    }
    for (name, bytes) in corpus("slmesh").into_iter().take(2) {
        both(&mut cases, &name, bytes);
    }
    cases
}

fn both(cases: &mut Vec<Case>, name: &str, bytes: Vec<u8>) {
    let Ok(asset) = slmesh::from_slice(&bytes) else { return };
    let blocks: Vec<Vec<u8>> = slmesh::chunks(&bytes)
        .expect("an asset")
        .filter_map(|chunk| Some(chunk.ok()?.payload.to_vec()))
        .filter(|block| block.starts_with(&[0x78]))
        .collect();
    let inflated = |block: &Vec<u8>| miniz_oxide::inflate::decompress_to_vec_zlib(block).expect("inflates");
    let whole: Vec<Vec<u8>> = blocks.iter().map(inflated).collect();
    let most = whole.iter().map(Vec::len).max().unwrap_or_default();
    let len = bytes.len();
    cases.push(
        Case::new("slmesh", format!("read {name}"), len)
            .goal(Goal::OfYardstick(1.3))
            .ours(move || slmesh::from_slice(&bytes).expect("an asset"))
            .yardstick("inflate alone", move || {
                let mut inflate = zlib_rs::Inflate::new(true, 15);
                let mut room = vec![0; most];
                for block in &blocks {
                    inflate.reset(true);
                    inflate.decompress(block, &mut room, InflateFlush::Finish).expect("inflates");
                }
                inflate.total_out()
            }),
    );
    // With `fresh`, since otherwise the compressed blocks that were kept would be written.
    cases.push(
        Case::new("slmesh", format!("write {name}"), len)
            .goal(Goal::OfYardstick(1.3))
            .ours(move || slmesh::WriteOptions::new().fresh(true).write(&asset).expect("writes"))
            .yardstick("deflate alone at level 9", move || {
                let mut deflate = zlib_rs::Deflate::new(9, true, 15);
                let mut room = vec![0; most + most / 1000 + 64];
                for block in &whole {
                    deflate.reset();
                    deflate.compress(block, &mut room, DeflateFlush::Finish).expect("deflates");
                }
                deflate.total_out()
            }),
    );
}
