//! Compiles the Model 3D SDK, which is a single header in the package raylib-sys.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=sdk");
    println!("cargo:rerun-if-changed=Cargo.toml");
    // Cargo knows the path of the package's sources, and downloads them if necessary.
    let metadata = Command::new(std::env::var("CARGO").expect("cargo runs this"))
        .args(["metadata", "--format-version=1"])
        .output()
        .expect("cargo metadata");
    let text = String::from_utf8_lossy(&metadata.stdout).into_owned();
    let manifests = text.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let found = manifests.map(PathBuf::from).find(|path| path.to_string_lossy().contains("raylib-sys-"));
    let folder = found.expect("raylib-sys is among the dependencies").with_file_name("raylib/src/external");
    cc::Build::new().file("sdk/sdk.c").include(folder).warnings(false).opt_level(2).compile("sdk");
}
