//! The animations of scenes.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rezkit::scene::{Interpolation, Values};

use super::{Animation, Channel, changed, extras, only, short};
use crate::array;
use crate::error::Result;

#[pymethods]
impl Animation {
    /// A copy with other values, as in `Scene(…)`, for `Scene.replace` or another scene.
    #[pyo3(signature = (**values))]
    fn replace(this: &Bound<'_, Self>, values: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let made = changed(this.as_any(), values)?.animation()?;
        Ok(Self { scene: only(|scene| scene.animations.push(made)), index: 0 })
    }

    #[pyo3(signature = (**values))]
    fn __replace__(this: &Bound<'_, Self>, values: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        Self::replace(this, values)
    }

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

    /// How it is played, such as `Loop` and `Priority`, and other data, as the extras of glTF have it.
    #[getter]
    fn extras<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut all = self.part().extras.clone();
        rezkit::scene::gltf::playback::write(self.part(), &mut all);
        extras(py, &all)
    }

    /// The channels, one for each animated property of a node.
    #[getter]
    fn channels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (scene, animation) = (&self.scene, self.index);
        let indices = 0..self.part().channels.len();
        array::tuple_of(py, indices.map(|index| Channel { scene: scene.clone(), animation, index }))
    }

    fn __repr__(&self) -> String {
        let part = self.part();
        format!("Animation({}, {} s, {} channels)", short(&part.name), part.duration(), part.channels.len())
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

    fn __repr__(&self) -> String {
        format!("Channel(node {}, {}, {} keys)", self.node(), self.path(), self.part().times.len())
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
