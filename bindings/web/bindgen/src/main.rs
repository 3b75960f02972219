//! Writes the JavaScript of a WebAssembly module: `bindgen MODULE.wasm FOLDER NAME`. What `wasm-bindgen` does, in the
//! version that the lock file has, and the functions of the module in an order that suits gzip.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

mod order;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = arguments.as_slice() else {
        eprintln!("usage: bindgen MODULE.wasm FOLDER NAME");
        return ExitCode::from(2);
    };
    match generate(module, Path::new(folder), name) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn generate(module: &str, folder: &Path, name: &str) -> Result<(), Box<dyn Error>> {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(module).out_name(name);
    // The types are written by hand. After a panic the module restarts.
    bindgen.typescript(false).reset_state_function(true).remove_producers_section(true);
    bindgen.web(true)?.generate(folder)?;
    let path = folder.join(format!("{name}_bg.wasm"));
    std::fs::write(&path, order::by_likeness(&std::fs::read(&path)?)?)?;
    Ok(())
}
