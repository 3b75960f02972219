//! Rounds normals, as Roblox does in 7.00.

use crate::model::{Mesh, NormalGrid};
use geom::wire::{Error, Result};

impl Mesh {
    /// Rounds the normals to a grid of `bits` bits (1 to 20) per component, so that a Draco stream stores them
    /// in few bytes. Roblox rounds to 11 bits.
    ///
    /// A normal changes by at most half a step along each axis. A step is the range of all normals, which is at
    /// most 2 if their length is 1, divided by `2^bits - 1`. If all normals are on the file's grid already, and it has
    /// the same number of bits, nothing changes.
    ///
    /// # Errors
    /// `InvalidArgument` for other numbers of bits, and if a normal is not finite; the mesh is then unchanged.
    pub fn round_normals(&mut self, bits: u8) -> Result<()> {
        if !(1..=20).contains(&bits) {
            return Err(Error::invalid_argument("bits", format!("expected 1 to 20 bits, found {bits}")));
        }
        let kept = self.layout.normal_grid.filter(|grid| grid.bits == bits);
        if kept.is_some_and(|grid| grid.steps_of(&self.vertices).is_some()) {
            return Ok(());
        }
        let Some(grid) = NormalGrid::around(&self.vertices, bits) else {
            let odd = self.vertices.iter().position(|vertex| !vertex.normal.is_finite()).unwrap_or_default();
            let found = self.vertices.get(odd).map(|vertex| vertex.normal.to_array()).unwrap_or_default();
            return Err(Error::invalid_argument(
                format!("vertices[{odd}].normal"),
                format!("expected a finite normal, found {found:?}"),
            ));
        };
        for vertex in &mut self.vertices {
            vertex.normal = grid.nearest(vertex.normal);
        }
        self.layout.normal_grid = Some(grid);
        Ok(())
    }
}
