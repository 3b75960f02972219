//! Files that are not assets.

use rezkit::not_an_asset;

/// A pointer of Git LFS has the extension of the file that it replaces.
#[test]
fn pointers_are_no_models() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    for name in ["a.obj", "a.stl", "a.ply", "a.glb", "a.rbxm", "a.mesh"] {
        let error = rezkit::open(pointer.to_vec(), name, ()).expect_err(name);
        assert!(error.to_string().contains("git lfs pull"), "{name}: {error}");
    }
}

#[test]
fn files_that_people_mistake() {
    for (bytes, what) in [
        (&b""[..], "empty"),
        (b"\n <!DOCTYPE html><html>", "HTML"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"{\"errors\":[{\"code\":0}]}", "JSON"),
        (b"{'a':what}", "neither JSON nor LLSD notation"),
        (b"<?xml version=\"1.0\"?><COLLADA/>", "Collada"),
        (b"print('hello')", "text of an unknown format"),
        (b"\x80\x81\x82", "data of an unknown format"),
        (b"\0\0\0\0", "only zero bytes"),
        (b"PK\x05\x06\0\0\0\0", "an empty ZIP archive"),
        (b"\x01\0\x02", "unknown format"),
    ] {
        let found = not_an_asset(bytes, u64::MAX).unwrap().found;
        assert!(found.contains(what), "{bytes:?}: {found}");
    }
}
