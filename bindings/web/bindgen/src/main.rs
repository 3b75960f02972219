//! Writes the JavaScript of a WebAssembly module: `bindgen MODULE.wasm FOLDER NAME`. What `wasm-bindgen` does, in the
//! version that the lock file has.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = arguments.as_slice() else {
        eprintln!("usage: bindgen MODULE.wasm FOLDER NAME");
        return ExitCode::from(2);
    };
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(module).out_name(name);
    // The types are written by hand. After a panic the module starts anew.
    bindgen
        .typescript(false)
        .reset_state_function(true)
        .remove_name_section(true)
        .remove_producers_section(true);
    match bindgen.web(true).and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
