//! The Python extension module `rezkit._rezkit`, which the package `rezkit` re-exports. It only converts arguments and
//! results: the crate `rezkit` does the work, without the interpreter's lock.

mod array;
mod arrow;
mod asset;
mod avatar;
mod beside;
mod change;
mod classes;
mod columns;
mod convert;
mod document;
mod error;
mod geometry;
mod handle;
mod input;
mod instance;
mod llsd;
mod load;
mod m3d;
mod mesh;
mod scene;
mod second_life;
mod table;
mod upload;
mod value;
mod working;

use pyo3::prelude::*;

#[pymodule]
mod _rezkit {
    #[pymodule_export]
    use super::array::{_strings, Strings};
    #[pymodule_export]
    use super::asset::{Asset, Model};
    #[pymodule_export]
    use super::convert::{convert, diff, render, scene};
    #[pymodule_export]
    use super::document::RobloxDocument;
    #[pymodule_export]
    use super::geometry::Geometry;
    #[pymodule_export]
    use super::input::{_save, _write, detect};
    #[pymodule_export]
    use super::instance::{Instance, Instances};
    #[pymodule_export]
    use super::llsd::Llsd;
    #[pymodule_export]
    use super::llsd::drop_in::{_llsd_format, _llsd_parse};
    #[pymodule_export]
    use super::load::{_load, load};
    #[pymodule_export]
    use super::m3d::M3d;
    #[pymodule_export]
    use super::mesh::RobloxMesh;
    #[pymodule_export]
    use super::scene::{
        _scene, Animation, Channel, Image, Material, Node, Primitive, Scene, SceneMesh, Skin,
    };
    #[pymodule_export]
    use super::second_life::SecondLifeMesh;
    #[pymodule_export]
    use super::table::scan;
    #[pymodule_export]
    use super::upload::upload;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::handle::set_classes(super::classes::object);
        // NumPy is looked up once. In a later call, an interrupt at that moment would be a panic.
        super::array::owned(module.py(), vec![0_u8])?;
        let strings = module.py().get_type::<Strings>();
        super::array::sequence(module.py())?.call_method1("register", (strings,))?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
