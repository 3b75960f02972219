//! The arguments with which each command is run.

/// The arguments of the runs of a command, separated by spaces. `IN` is the input and `EXT` its extension, `OUT` is the
/// folder for output, `PATH` a path in the input and `VALUE` one that has a value, `TO.AS` is a form and its extension.
pub(super) struct Runs {
    pub(super) command: &'static str,
    pub(super) of: &'static [&'static str],
    /// Whether a run may succeed without printing anything.
    pub(super) is_silent: bool,
}

const fn printing(command: &'static str, of: &'static [&'static str]) -> Runs {
    Runs { command, of, is_silent: false }
}

const fn silent(command: &'static str, of: &'static [&'static str]) -> Runs {
    Runs { command, of, is_silent: true }
}

/// Every command. A command that reads the output of another one follows it.
pub(super) const COMMANDS: &[Runs] = &[
    printing("info", &["IN", "--json IN", "--csv IN"]),
    printing("tree", &["IN", "--full IN", "--properties --depth 9 IN PATH"]),
    // A value can be an empty text, and there may be no node with the name.
    silent("get", &["IN VALUE", "--json IN PATH"]),
    silent("tree", &["--find a IN"]),
    silent("check", &["IN", "--json --strict IN", "--profile secondlife-upload --all-levels IN"]),
    printing("check", &["--sarif --profile roblox-upload IN"]),
    silent("diff", &["IN IN", "--json model.rbxm IN"]),
    silent("assets", &["IN", "--json IN", "--replace ids.csv IN -o OUT/replaced.EXT"]),
    silent("scripts", &["IN", "--json IN", "--suspicious IN"]),
    printing("roundtrip", &["IN", "--json IN"]),
    silent("set", &["IN VALUE 1 -o OUT/set.EXT"]),
    silent("insert", &["model.rbxm IN -o OUT/inserted.EXT"]),
    silent("add", &["IN Part -o OUT/added.EXT"]),
    silent("new", &["OUT/new.rbxl"]),
    silent("remove", &["IN PATH -o OUT/removed.EXT"]),
    silent("move", &["IN PATH -o OUT/moved.EXT"]),
    silent("rename", &["IN PATH a -o OUT/renamed.EXT"]),
    silent("copy", &["IN PATH OUT/copied.rbxm"]),
    silent("edit", &["IN -o OUT/edited.EXT"]),
    silent(
        "convert",
        &["IN OUT/same.EXT", "IN OUT/strict.glb", "--allow-loss --fill defaults --to TO IN OUT/TO.AS"],
    ),
    printing("convert", &["--allow-loss --to glb IN -"]),
    silent("lods", &["IN -o OUT/lods.glb", "--to 7.00 --levels 0.5,20 IN -o OUT/lods.mesh"]),
    silent("sl", &["--no-pictures IN -o OUT/sl"]),
    silent("extract", &["IN -o OUT/extracted"]),
    silent("pack", &["OUT/extracted IN -o OUT/packed.EXT"]),
    silent("render", &["--size 32x32 IN -o OUT/a.png", "--size 32x32 --turntable 2 IN -o OUT/a.gif"]),
    printing(
        "show",
        &["--size 32x32 --graphics blocks IN", "--size 32x32 --graphics sixel IN", "--graphics kitty IN"],
    ),
    // A separate program, which has its own tests (`cargo xtask ci table`).
    printing("table", &[]),
    // `docs` reads no file.
    printing("docs", &[]),
];

/// A script of edits for the standard input.
pub(super) const EDITS: &str = "rename \"PATH\" edited\n";
