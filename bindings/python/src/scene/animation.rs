//! The animations of scenes.

use pyo3::prelude::*;
use rezkit::scene::{Interpolation, Values};

use super::{Animation, Channel, extras};
use crate::array;

#[pymethods]
impl Animation {
    /// The name; empty if it has no name.
    #[getter]
    fn name(&self) -> &str {
        &self.part().name
    }

    /// The time of the last key, in seconds.
    #[getter]
    fn duration(&self) -> f32 {
        self.part().duration()
    }

    /// Data without a counterpart in a scene, such as `Loop` and `Priority`, as a dict.
    #[getter]
    fn extras<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        extras(py, &self.part().extras)
    }

    /// The channels, one for each animated property of a node.
    #[getter]
    fn channels(&self) -> Vec<Channel> {
        let (scene, animation) = (&self.scene, self.index);
        (0..self.part().channels.len())
            .map(|index| Channel { scene: scene.clone(), animation, index })
            .collect()
    }
}

#[pymethods]
impl Channel {
    /// The index of the node.
    #[getter]
    fn node(&self) -> usize {
        self.part().node
    }

    /// `translation`, `rotation`, `scale` or `weights`.
    #[getter]
    fn path(&self) -> &'static str {
        match &self.part().values {
            Values::Translation(_) => "translation",
            Values::Rotation(_) => "rotation",
            Values::Scale(_) => "scale",
            Values::Weights(_) => "weights",
        }
    }

    /// `linear`, `step` or `cubic` (three values for each time: tangent, value, tangent).
    #[getter]
    fn interpolation(&self) -> &'static str {
        match self.part().interpolation {
            Interpolation::Linear => "linear",
            Interpolation::Step => "step",
            Interpolation::Cubic => "cubic",
        }
    }

    /// The times of the keys, in seconds: `float32`.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array::column(py, &self.scene, |scene| &scene.animations[self.animation].channels[self.index].times)
    }

    /// The values of the keys: `float32`, shape (n, 3); for rotations (n, 4), for weights (n,).
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.part().values {
            Values::Translation(values) | Values::Scale(values) => array::owned(py, values.clone()),
            Values::Rotation(values) => array::owned(py, values.clone()),
            Values::Weights(values) => array::owned(py, values.clone()),
        }
    }
}
