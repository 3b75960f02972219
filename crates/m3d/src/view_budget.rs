//! Limits of a computation over a model: every allocation and every step is charged first.

use std::cell::{Cell, RefCell};

use geom::wire::{Budget, ErrorKind};

/// Maximum number of vertices: a mesh counts them with 32 bits.
const MAX_VERTICES: u64 = u32::MAX as u64 >> 1;

/// The product of the counts, saturating: no budget allows `u64::MAX`.
pub fn product<const N: usize>(counts: [u64; N]) -> u64 {
    counts.into_iter().fold(1, u64::saturating_mul)
}

/// What remains of [`ViewOptions::max_bytes`](crate::ViewOptions::max_bytes) and
/// [`ViewOptions::max_steps`](crate::ViewOptions::max_steps).
#[derive(Debug)]
pub struct ViewBudget {
    bytes: RefCell<Budget>,
    steps: RefCell<Budget>,
    vertices: Cell<u64>,
}

impl ViewBudget {
    /// A budget of which nothing is used yet.
    pub fn new(max_bytes: u64, max_steps: u64) -> Self {
        Self {
            bytes: RefCell::new(Budget::named("ViewOptions::max_bytes", max_bytes)),
            steps: RefCell::new(Budget::named("ViewOptions::max_steps", max_steps)),
            vertices: Cell::new(0),
        }
    }

    /// Takes steps of work.
    #[inline]
    pub fn steps(&self, count: u64) -> Result<(), ErrorKind> {
        self.steps.borrow_mut().take(count)
    }

    /// Takes bytes.
    #[inline]
    pub fn bytes(&self, count: u64) -> Result<(), ErrorKind> {
        self.bytes.borrow_mut().take(count)
    }

    /// Takes the bytes of a number of values.
    pub fn values<T>(&self, count: u64) -> Result<(), ErrorKind> {
        self.bytes(product([count, size_of::<T>() as u64]))
    }

    /// Counts vertices of a mesh, whose indices have 32 bits. Their memory is charged separately.
    #[inline]
    pub fn vertices(&self, count: u64) -> Result<(), ErrorKind> {
        self.vertices.set(self.vertices.get().saturating_add(count));
        let too_many =
            || ErrorKind::Unsupported(format!("mesh with more than {MAX_VERTICES} vertices").into());
        (self.vertices.get() <= MAX_VERTICES).then_some(()).ok_or_else(too_many)
    }

    /// Appends to a list whose final length is unknown.
    #[inline]
    pub fn push<T>(&self, list: &mut Vec<T>, value: T) -> Result<(), ErrorKind> {
        self.bytes.borrow_mut().push(list, value)
    }
}
