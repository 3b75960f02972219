//! What the kit does with any file, as steps. No step may take more memory than the limit.

use std::collections::{BTreeMap, HashSet};

use rezkit::Document;
use rezkit::render::{RenderOptions, Renderer};
use rezkit::scene::{Levels, Scene, SceneOptions};
use rezkit::tree::{self, Node, OwnedNode, OwnedValue};
use rezkit::upload::{self, LevelTarget, sl};
use rezkit::{
    Budget, ConvertOptions, Edit, EditOptions, ErrorKind, ExtractOptions, FILE_TYPES, File, Fill, Opened,
    PROFILES, PackOptions, ReadOptions, Reference, Result,
};

use crate::{Beside, Input};

/// Something to do with a file.
pub type Step = fn(&Input<'_>);

/// All steps except the conversions.
pub const STEPS: &[(&str, Step)] = &[
    ("info", info),
    ("check", check),
    ("tree", tree),
    ("diff", diff),
    ("write", write),
    ("extract", extract),
    ("assets", assets),
    ("set", set),
    ("edit", edit),
    ("scene", scene),
    ("lods", lods),
    ("sl", sl),
    ("render", render),
];

/// The greatest length of the text of an error, a finding or a fact, in bytes.
const TEXT: usize = 4096;

impl<'a> Input<'a> {
    fn options(&self) -> ReadOptions {
        reading(self.name, self.max_bytes)
    }

    fn open(&self) -> Option<Opened<'a>> {
        ok(self.options().open(self.bytes.to_vec(), self.name, sources(self.beside)))
    }

    fn scene(&self) -> Option<Scene> {
        let mut options = SceneOptions::default();
        (options.levels, options.hulls) = (Levels::All, true);
        let mut opened = self.open()?;
        let (scene, losses) = ok(opened.scene(&options))?;
        losses.iter().for_each(|loss| short(&loss.path, &loss.what));
        let paths = ok(opened.node_paths(&scene)).unwrap_or_default();
        assert!(paths.is_empty() || paths.len() == scene.nodes.len());
        paths.iter().flatten().for_each(|path| self.gives(path.len()));
        Some(scene)
    }
}

/// How to read a file with this name. JSON is only read as LLSD if it is asked for.
pub fn reading(name: &str, max_bytes: u64) -> ReadOptions {
    let options = ReadOptions::new().max_bytes(max_bytes);
    if name.ends_with(".json") { options.form("json") } else { options }
}

/// The value of a result; `None` for an error, whose text must not be too long.
fn ok<T>(result: Result<T>) -> Option<T> {
    result.map_err(|error| short(error.path(), &error.to_string())).ok()
}

fn short(path: &str, text: &str) {
    assert!(path.len() <= TEXT, "a path of {} bytes: {:.100}", path.len(), path);
    assert!(text.len() <= 2 * TEXT, "a text of {} bytes: {:.100}", text.len(), text);
}

/// A source of files for `open`, which returns those beside a file.
pub fn sources(files: &Beside) -> impl FnMut(&Reference, u64) -> Result<Option<Vec<u8>>> {
    move |reference, _| {
        let Reference::Beside(name) = reference else { return Ok(None) };
        Ok(files.get(name).cloned())
    }
}

/// Files that were written, by their paths.
fn beside(files: Vec<File>) -> Beside {
    files.into_iter().map(|file| (file.path().to_owned(), file.bytes)).collect()
}

fn info(input: &Input<'_>) {
    let Some(opened) = input.open() else { return };
    for fact in &opened.info().facts {
        let value = fact.value.to_string();
        short("", &value);
        let cell = rezkit::plain::csv_cell(&value);
        // A cell has line breaks and tabs.
        let is_odd = cell.replace("\r\n", "").replace(['\n', '\t'], "").contains(char::is_control);
        assert!(!is_odd && !cell.starts_with(['=', '@']), "a cell {cell:?}");
    }
    let _targets = (opened.targets(), opened.file_type().all_forms(), format!("{opened:?}"));
}

fn check(input: &Input<'_>) {
    let Some(mut opened) = input.open() else { return };
    for finding in ok(opened.check(&PROFILES, None)).into_iter().flatten() {
        short(&finding.path, &finding.found);
    }
}

/// The paths and values of the first nodes of the tree, without long values.
fn some(opened: &Opened<'_>, depth: usize, most: usize) -> Option<Vec<(String, Option<OwnedValue>)>> {
    fn collect<'a>(node: &'a OwnedNode, path: &str, paths: &mut Vec<(String, Option<&'a OwnedValue>)>) {
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for child in node.children.iter().take(100) {
            let index = names.entry(&child.name).or_default();
            let path = tree::join(path, &child.name, *index);
            *index += 1;
            // The paths of nodes below a long name would take more memory than the step may.
            if path.len() <= TEXT {
                collect(child, &path, paths);
                paths.push((path, child.value.as_ref()));
            }
        }
    }
    let root = ok(opened.nodes("", depth))?;
    let mut paths = Vec::new();
    collect(&root, "", &mut paths);
    let short = |value: &&OwnedValue| match value {
        OwnedValue::Text(text) => text.len() <= TEXT,
        OwnedValue::Bytes(bytes) => bytes.len() <= TEXT,
        _ => true,
    };
    let some = paths.into_iter().take(most).map(|(path, value)| (path, value.filter(short).cloned()));
    Some(some.collect())
}

/// Every path in the tree leads to the value that the tree has there; names that exist and that do not are searched for.
fn tree(input: &Input<'_>) {
    let Some(opened) = input.open() else { return };
    for (path, value) in some(&opened, 3, 30).into_iter().flatten() {
        let found = match opened.get(&path) {
            Ok(found) => found,
            // Too far below other nodes to search for, or too large.
            Err(error) if matches!(error.kind(), ErrorKind::Effort | ErrorKind::Limit) => continue,
            Err(error) => panic!("{path} is in the tree: {error}"),
        };
        if let Some(value) = value {
            let found = OwnedValue::from(found);
            // NaN differs from itself.
            assert!(found == value || format!("{found:?}") == format!("{value:?}"), "{path}");
        }
    }
    walk(input, &*opened.tree(), 50, &mut 2000);
    let name = opened.tree().children().next().map_or("a".to_owned(), |node| node.name().to_string());
    for text in [&*name, "\u{1}"] {
        let found = &mut |row: tree::Row| {
            input.gives(row.path.len());
            true
        };
        let _found = ok(tree::find(&*opened.tree(), "", text, found));
    }
}

fn walk(input: &Input<'_>, node: &dyn Node, depth: usize, left: &mut usize) {
    let _known = (node.name().len(), node.kind().len(), node.count());
    for (_, value) in node.properties() {
        let _shown = value.summary(100);
        input.gives(value.to_json().as_str().map_or(0, str::len));
    }
    for child in node.children() {
        *left = left.saturating_sub(1);
        if *left == 0 || depth == 0 {
            return;
        }
        walk(input, &*child, depth - 1, left);
    }
}

/// A file does not differ from itself.
fn diff(input: &Input<'_>) {
    let Some(old) = input.open() else { return };
    let other = Input { max_bytes: old.memory_left(), ..input.clone() };
    let Some(new) = other.open() else { return };
    assert!(old.equals(&new), "it is not equal to itself");
    same(&*old.tree(), &*new.tree(), new.memory_left(), "it differs from itself");
}

fn same(old: &dyn Node, new: &dyn Node, max_bytes: u64, what: &str) {
    let mut budget = Budget::new(max_bytes);
    let _deep = ok(tree::diff(old, new, &mut budget, &mut |change| panic!("{what}: {change:.1000?}")));
}

/// What is written is read as an equal asset.
fn write(input: &Input<'_>) {
    let Some(opened) = input.open() else { return };
    [None, Some("new.gz")].into_iter().for_each(|new| drop(ok(opened.to_file(new))));
    reads(input, &opened);
}

fn reads(input: &Input<'_>, opened: &Opened<'_>) {
    let Some(written) = ok(opened.to_vec()) else { return };
    input.gives(inflated(&written));
    // The bytes of the file count while it is read.
    let left = reading(input.name, opened.memory_left());
    let again = match left.open(written, input.name, sources(input.beside)) {
        Err(error) if error.kind() == ErrorKind::Limit => return,
        again => again.unwrap_or_else(|error| panic!("written and not read: {error}")),
    };
    // An edited document gets other referents: its tree is compared.
    if !opened.equals(&again) {
        same(&*opened.tree(), &*again.tree(), opened.memory_left(), "written, and read as another asset");
    }
}

/// The size of a file with its chunks decompressed, since LZ4 makes n columns of n equal values short.
fn inflated(bytes: &[u8]) -> usize {
    let chunks = rbxbinary::chunks(bytes).into_iter().flatten().flatten();
    chunks.map(|chunk| chunk.len as usize).sum::<usize>().max(bytes.len())
}

/// The paths of extracted files stay inside the output folder, and no two of them are equal. Packing the files again
/// changes nothing.
fn extract(input: &Input<'_>) {
    let Some(mut opened) = input.open() else { return };
    for script in ok(opened.scripts()).into_iter().flatten() {
        input.gives(script.path.len() + script.source.len());
    }
    let Some(extracted) = ok(opened.extract(&ExtractOptions::default())) else { return };
    files(input, &extracted.files);
    if let Some(packed) = ok(opened.pack(beside(extracted.files), PackOptions::new())) {
        assert!(packed.changed.is_empty(), "changed without an edit: {:.300?}", packed.changed);
    }
}

fn files(input: &Input<'_>, files: &[File]) {
    let mut seen = HashSet::new();
    for file in files {
        let path = file.path();
        input.gives(path.len() + inflated(&file.bytes));
        assert!(seen.insert(path.to_lowercase()), "{path} twice");
        for part in path.split('/') {
            let odd = |char: char| char.is_control() || r#"\:*?"<>|"#.contains(char);
            let leads = part.is_empty() || part == "." || part == ".." || part.ends_with(['.', ' ']);
            assert!(!leads && !part.contains(odd) && part.len() <= 255, "{path:?} as a path");
        }
    }
}

fn assets(input: &Input<'_>) {
    let Some(mut opened) = input.open() else { return };
    let _references = ok(input.options().needed(input.bytes.to_vec(), input.name));
    let Some(uses) = ok(opened.assets()) else { return };
    let map: BTreeMap<String, String> =
        uses.into_keys().take(20).map(|old| (old, "rbxassetid://12345678901".to_owned())).collect();
    if ok(opened.replace_assets(&map)).is_some_and(|(count, _)| count > 0) {
        reads(input, &opened);
    }
}

/// Sets the values of the first nodes to critical texts; the result must be written and read as an equal asset.
fn set(input: &Input<'_>) {
    let Some(mut opened) = input.open() else { return };
    let Some(some) = some(&opened, 3, 12) else { return };
    let paths: Vec<String> = some.into_iter().map(|(path, _)| path).collect();
    let properties = paths.iter().flat_map(|path| {
        let names = opened.nodes(path, 0).into_iter().flat_map(|node| node.properties).take(8);
        names.map(move |(name, _)| format!("{path}.{name}")).collect::<Vec<_>>()
    });
    let all: Vec<String> = paths.iter().cloned().chain(properties).take(40).collect();
    let texts = ["1", "", "-1e39", "NaN", "true", "1, 2, 3", "<a>&\0\u{1f600}]]>", "../..", "4294967295"];
    let mut changed = false;
    for (path, text) in all.iter().zip(texts.iter().cycle()) {
        changed |= ok(opened.set(path, text, None)).is_some();
    }
    if changed {
        reads(input, &opened);
    }
    let Ok(mut document) = Document::of(opened.into_content()) else { return };
    for id in document.roots().take(4).collect::<Vec<_>>() {
        if ok(document.set_attribute(id, "new", Some(&"x".into()))).is_some() {
            assert!(ok(document.attributes(id)).is_some_and(|all| all.iter().any(|(name, _)| name == "new")));
        }
        if ok(document.set_tags(id, vec!["tag".into()])).is_some() {
            let tags = document.get(id, "Tags").and_then(|tags| tags.as_bytes().map(<[u8]>::to_vec));
            assert_eq!(tags.as_deref(), Some(&b"tag"[..]));
        }
    }
    let mut budget = Budget::new(input.max_bytes / 4);
    let mut paths = document.paths();
    for id in document.by_base("Instance") {
        if ok(document.listed(id, false, &mut paths, &mut budget)).is_none() {
            break;
        }
    }
}

/// Inserts the file into itself, and moves, renames, copies and removes instances; the result must be written and read
/// as an equal document.
fn edit(input: &Input<'_>) {
    let Some(mut opened) = input.open() else { return };
    let Some(some) = some(&opened, 2, 6) else { return };
    let quoted = |at: usize| some.get(at).map_or("a".to_owned(), |(path, _)| format!("{path:?}"));
    let mut models = |_: &Reference, _: u64| Ok(Some(input.bytes.to_vec()));
    let mut changed = false;
    let edits =
        ["insert a.rbxm", "rename P \"a/b\"", "copy P a.rbxm", "move P Q", "insert a.rbxm Q", "remove P"];
    for (at, edit) in edits.iter().enumerate() {
        let script = edit.replace('P', &quoted(at)).replace('Q', &quoted(0));
        // A name can contain characters that a line of a script of edits cannot.
        let Some(parsed) = ok(Edit::parse(&script)) else { continue };
        if let Some(edited) = ok(opened.edit(&parsed, &mut models, &EditOptions::new())) {
            changed = true;
            edited.models.iter().for_each(|(_, bytes)| input.gives(inflated(bytes)));
        }
    }
    if changed {
        reads(input, &opened);
    }
}

/// A scene of a file is consistent, and can be posed.
fn scene(input: &Input<'_>) {
    let Some(scene) = input.scene() else { return };
    scene.check().unwrap_or_else(|error| panic!("a scene that contradicts itself: {error}"));
    let _known = (scene.is_visible(), scene.bounds(), scene.placed().len(), scene.placed_corners());
    for (index, animation) in scene.animations.iter().enumerate().take(3) {
        let _poses = (scene.pose_at(index, 0.5), scene.pose_at(index, animation.duration()));
    }
}

/// Levels of detail as nodes of a scene and of a Roblox mesh: none has more triangles than the one before.
fn lods(input: &Input<'_>) {
    for output in ["out.glb", "out.mesh"] {
        let Some(mut opened) = input.open() else { return };
        let options = ConvertOptions::new().allow_loss(true);
        let made = opened.lods(&[LevelTarget::Ratio(0.5), LevelTarget::Triangles(4)], None, output, &options);
        let Some(made) = ok(made) else { continue };
        assert!(made.triangles.is_sorted_by(|finer, coarser| finer >= coarser), "{:?}", made.triangles);
        files(input, &made.output.files);
    }
}

/// Prepares an upload to Second Life; if the platform would refuse it, also with fixes.
fn sl(input: &Input<'_>) {
    let Some(scene) = input.scene() else { return };
    let findings = ok(upload::check(&scene, "secondlife-upload", &mut Budget::new(input.max_bytes)));
    let is_refused = findings.is_some_and(|findings| !findings.is_empty());
    for fix in [false, true].into_iter().filter(|fix| !fix || is_refused) {
        let mut options = sl::Options::default();
        (options.fix, options.max_bytes) = (fix, input.max_bytes);
        if let Some(upload) = ok(sl::second_life(&scene, "out", &[], &options, &mut |_, _| Ok(None))) {
            files(input, &upload.files);
            upload.report.losses.iter().for_each(|loss| short(&loss.path, &loss.what));
        }
    }
}

/// Draws a small picture, and another with edges and joints, at a time of an animation and from a camera of the scene.
fn render(input: &Input<'_>) {
    let Some(scene) = input.scene() else { return };
    let Some(renderer) = ok(Renderer::new(&scene, input.max_bytes)) else { return };
    let mut options = RenderOptions::default();
    (options.width, options.height) = (64, 64);
    let _plain = ok(renderer.draw(&options));
    (options.wireframe, options.skeleton, options.time) = (true, true, 0.5);
    options.animation = (!scene.animations.is_empty()).then_some(0);
    options.camera = scene.nodes.iter().position(|node| node.camera.is_some());
    let _lines = ok(renderer.draw(&options));
}

/// The forms that a file can become.
pub fn forms(input: &Input<'_>) -> Vec<&'static str> {
    let Some(opened) = input.open() else { return Vec::new() };
    // The result is read, so files of a kind that is only written are left out.
    let is_read =
        |extension| FILE_TYPES.iter().any(|kind| kind.is_read() && kind.extensions.contains(&extension));
    let targets = opened.targets().into_iter().filter(|target| is_read(target.extension));
    targets.map(|target| target.name).collect()
}

/// Converts a file to another form, and the result back.
pub fn convert(input: &Input<'_>, form: &str) {
    let Some(mut opened) = input.open() else { return };
    let Some(target) = opened.targets().into_iter().find(|target| target.name == form) else { return };
    let options = ConvertOptions::new().allow_loss(true).fill(Fill::Defaults);
    let Some(converted) = ok(opened.convert(Some(form), &format!("out.{}", target.extension), &options))
    else {
        return;
    };
    converted.losses.iter().for_each(|loss| short(&loss.path, &loss.what));
    files(input, &converted.files);
    drop((opened, converted.losses));
    let mut written = converted.files.into_iter();
    let file = written.next().expect("a file");
    let others = beside(written.collect());
    let path = file.path().to_owned();
    // With the same limit: a conversion whose result needs more memory to be read must fail.
    let read = reading(&path, input.max_bytes).open(file.bytes, &path, sources(&others));
    let mut read = read.unwrap_or_else(|error| panic!("written and not read: {error}"));
    let own = input.name.rsplit('.').next().unwrap_or_default();
    let _back = ok(read.convert(None, &format!("back.{own}"), &options));
}
