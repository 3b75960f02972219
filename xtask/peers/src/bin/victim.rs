//! Reads broken files with one reader, in a process of its own that may die. `victim NAME FORMAT` takes inputs on
//! standard input, each as a u32 length and its bytes, and answers each with a line: `o` if it was read, `e` if it was
//! refused, `p` if the reader panicked. If the process dies, there is no answer. `victim` alone lists the readers:
//! name, format, whose.

use std::io::{Cursor, Read, Write};
use std::panic::catch_unwind;

#[path = "../sdk.rs"]
mod sdk;

/// A reader: its name, its format, whether it is ours, and a function that returns whether it reads these bytes.
type Reader = (&'static str, &'static str, bool, fn(&[u8]) -> bool);

const READERS: &[Reader] = &[
    ("rbxmesh", "rbxmesh", true, |bytes| rbxmesh::from_slice(bytes).is_ok()),
    ("rbx_mesh", "rbxmesh", false, |bytes| rbx_mesh::read_mesh_versioned(Cursor::new(bytes)).is_ok()),
    ("rbxbinary", "rbxbinary", true, |bytes| rbxbinary::from_slice(bytes).is_ok()),
    ("rbx_binary", "rbxbinary", false, |bytes| rbx_binary::from_reader(bytes).is_ok()),
    ("rbxxml", "rbxxml", true, |bytes| rbxxml::from_slice(bytes).is_ok()),
    ("rbx_xml", "rbxxml", false, |bytes| rbx_xml::from_reader_default(bytes).is_ok()),
    ("m3d", "m3d", true, |bytes| m3d::from_slice(bytes).is_ok()),
    ("SDK-in-C", "m3d", false, |bytes| {
        // The SDK takes no length, so zero bytes follow the input.
        let mut ended = bytes.to_vec();
        ended.extend([0; 64]);
        sdk::read(&ended)
    }),
    ("slmesh", "slmesh", true, |bytes| slmesh::from_slice(bytes).is_ok()),
    ("llsd", "llsd", true, |bytes| llsd::from_slice(bytes).is_ok()),
    ("serde-llsd", "llsd", false, |bytes| serde_llsd::de::auto_from_bytes(bytes).is_ok()),
    ("llsd-rs", "llsd", false, |bytes| llsd_rs::autodetect::from_slice(bytes).is_ok()),
    ("rezkit", "gltf", true, |bytes| scene(bytes, "a.gltf")),
    ("gltf", "gltf", false, |bytes| {
        gltf::import_slice(bytes).is_ok_and(|(document, buffers, _)| geometry(&document, &buffers))
    }),
    ("rezkit", "obj", true, |bytes| scene(bytes, "a.obj")),
    ("tobj", "obj", false, |mut bytes| {
        let missing = |_: &std::path::Path| Err(tobj::LoadError::OpenFileFailed);
        tobj::load_obj_buf(&mut bytes, &tobj::GPU_LOAD_OPTIONS, missing).is_ok()
    }),
    ("rezkit", "stl", true, |bytes| scene(bytes, "a.stl")),
    ("stl_io", "stl", false, |bytes| stl_io::read_stl(&mut Cursor::new(bytes)).is_ok()),
    ("rezkit", "ply", true, |bytes| scene(bytes, "a.ply")),
];

/// Whether `rezkit` reads a file as a scene.
fn scene(bytes: &[u8], name: &str) -> bool {
    rezkit::open(bytes.to_vec(), name, ()).is_ok_and(|mut opened| opened.scene(&Default::default()).is_ok())
}

/// Reads all positions and indices, since this is what reads the bytes of buffers.
fn geometry(document: &gltf::Document, buffers: &[gltf::buffer::Data]) -> bool {
    for primitive in document.meshes().flat_map(|mesh| mesh.primitives()) {
        let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(|data| &data[..]));
        let _corners = reader.read_positions().map(Iterator::count);
        let _indices = reader.read_indices().map(|indices| indices.into_u32().count());
    }
    true
}

fn main() -> std::io::Result<()> {
    let (Some(name), Some(format)) = (std::env::args().nth(1), std::env::args().nth(2)) else {
        for (name, format, ours, _) in READERS {
            println!("{name} {format} {}", if *ours { "ours" } else { "theirs" });
        }
        return Ok(());
    };
    let (.., read) = *READERS
        .iter()
        .find(|reader| (reader.0, reader.1) == (&*name, &*format))
        .expect("a reader of the list");
    std::panic::set_hook(Box::new(|_| {}));
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut len = [0; 4];
    while input.read_exact(&mut len).is_ok() {
        let mut bytes = vec![0; u32::from_le_bytes(len) as usize];
        input.read_exact(&mut bytes)?;
        let answer = match catch_unwind(|| read(&bytes)) {
            Ok(true) => b'o',
            Ok(false) => b'e',
            Err(_) => b'p',
        };
        output.write_all(&[answer, b'\n'])?;
        output.flush()?;
    }
    Ok(())
}
