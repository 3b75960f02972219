//! Writes the JavaScript of a WebAssembly module: `bindgen MODULE.wasm FOLDER NAME`. What `wasm-bindgen` does, in the
//! version that the lock file has; and the module in two parts, with functions in an order that suits gzip.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use wasmparser::{KnownCustom, Name, Parser, Payload};

mod order;
mod part;
mod split;

/// The names of functions by their index, without hashes.
type Names = BTreeMap<u32, String>;

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
    let module = std::fs::read(&path)?;
    let (module, names) = order::by_likeness(&module, &names(&module)?)?;
    let [first, second] = split::split(&module, &names)?;
    std::fs::write(&path, first)?;
    std::fs::write(folder.join(format!("{name}_part.wasm")), second)?;
    Ok(())
}

fn names(module: &[u8]) -> Result<Names, Box<dyn Error>> {
    let mut names = Names::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::CustomSection(section) = payload? else { continue };
        let KnownCustom::Name(section) = section.as_known() else { continue };
        for part in section {
            let Name::Function(functions) = part? else { continue };
            for function in functions {
                let function = function?;
                let name = format!("{:#}", rustc_demangle::demangle(function.name));
                names.insert(function.index, without_hashes(&name));
            }
        }
    }
    Ok(names)
}

/// A name without the hashes of crates, as in `core[5f2e]::fmt`.
fn without_hashes(name: &str) -> String {
    let mut parts = name.split('[');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((hash, rest))
                if rest.starts_with("::") && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
            {
                out.push_str(rest);
            }
            _ => {
                out.push('[');
                out.push_str(part);
            }
        }
    }
    out
}
