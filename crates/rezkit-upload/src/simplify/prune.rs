//! Dropping of separate pieces if collapsing edges does not reach a target.

use super::collapse::Engine;
use crate::connected::root;

impl Engine<'_> {
    /// Removes the smallest separate pieces while there are too many triangles and each part keeps one.
    pub(super) fn prune(&mut self, target: usize) {
        let mut above: Vec<u32> = (0..self.positions.len() as u32).collect();
        let live: Vec<usize> = (0..self.alive.len()).filter(|&at| self.alive[at]).collect();
        for &at in &live {
            let [a, b, c] = self.points[at].map(|point| root(&mut above, point));
            above[a as usize] = b;
            let (b, c) = (root(&mut above, b), root(&mut above, c));
            above[b as usize] = c;
        }
        let mut pieces: Vec<(u32, usize)> =
            live.into_iter().map(|at| (root(&mut above, self.points[at][0]), at)).collect();
        pieces.sort_unstable();
        let area = |list: &[(u32, usize)]| {
            let area = |&(_, at): &(u32, usize)| {
                let [a, b, c] = self.points[at].map(|point| self.positions[point as usize]);
                (b - a).cross(c - a).length()
            };
            list.iter().map(area).sum::<f64>()
        };
        let mut pieces: Vec<(f64, Vec<usize>)> = pieces
            .chunk_by(|a, b| a.0 == b.0)
            .map(|list| (area(list), list.iter().map(|(_, at)| *at).collect()))
            .collect();
        geom::sort::by(&mut pieces, |a, b| a.0.total_cmp(&b.0));
        for (_, triangles) in pieces {
            if self.live <= target {
                return;
            }
            let mut left = self.live_of_part.clone();
            let part = |at: usize| self.surface.triangles[at].part as usize;
            triangles.iter().for_each(|&at| left[part(at)] -= 1);
            if triangles.iter().all(|&at| left[part(at)] > 0) {
                triangles.into_iter().for_each(|at| self.remove(at));
            }
        }
    }
}
