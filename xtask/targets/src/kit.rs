//! The steps that use `rezkit` with any file. No step may take more memory than the limit.

use std::collections::{BTreeMap, HashSet};

use rezkit::kinds::roblox::Document;
use rezkit::render::{RenderOptions, Renderer};
use rezkit::scene::{Levels, Scene, SceneOptions, images};
use rezkit::tree::{self, Node, OwnedValue};
use rezkit::upload::{self, Target, sl};
use rezkit::{
    Budget, ConvertOptions, Edit, ErrorKind, ExtractOptions, File, Fill, Opened, PROFILES, ReadOptions,
    Reference, Result, Script,
};

use crate::{ALONE, Beside, FUZZED, Input, nodes};

/// The greatest length of the text of an error, a finding or a fact, in bytes.
pub(crate) const TEXT: usize = 4096;

impl<'a> Input<'a> {
    fn options(&self) -> ReadOptions {
        ReadOptions::new().max_bytes(self.max_bytes)
    }

    fn open(&self) -> Option<Opened<'a>> {
        ok(self.options().open(self.bytes.to_vec(), self.name, sources(self.beside)))
    }

    fn scene(&self) -> Option<Scene> {
        let mut options = SceneOptions::default();
        options.levels = Levels::All;
        options.hulls = true;
        let mut opened = self.open()?;
        let (scene, losses) = ok(opened.scene(&options))?;
        let paths = ok(opened.node_paths(&scene)).unwrap_or_default();
        assert!(paths.is_empty() || paths.len() == scene.nodes.len());
        paths.iter().flatten().for_each(|path| self.gives(path.len()));
        losses.iter().for_each(|loss| short(&loss.path, &loss.what));
        Some(scene)
    }
}

/// The memory of the vertices (position, normal) and triangles that a file becomes: a few kilobytes can be megabytes.
pub fn decoded(input: &Input<'_>) -> u64 {
    input.scene().map_or(0, |scene| (24 * scene.vertex_count() + 12 * scene.triangle_count()) as u64)
}

/// The value of a result; `None` for an error, whose text must not be too long.
pub(crate) fn ok<T>(result: Result<T>) -> Option<T> {
    result.map_err(|error| short(error.path(), &error.to_string())).ok()
}

fn short(path: &str, text: &str) {
    assert!(path.len() <= TEXT, "a path of {} bytes: {:.100}", path.len(), path);
    assert!(text.len() <= 2 * TEXT, "a text of {} bytes: {:.100}", text.len(), text);
}

pub(crate) fn unwrap(input: &Input<'_>) {
    for part in ok(rezkit::unwrap(input.bytes.to_vec(), &input.options())).into_iter().flatten() {
        let _opened = ok(input.options().open_part(&part, input.name, ()));
    }
}

pub(crate) fn info(input: &Input<'_>) {
    let Some(opened) = input.open() else { return };
    let info = opened.info();
    for fact in &info.facts {
        let value = fact.value.to_string();
        short("", &value);
        let cell = rezkit::plain::csv_cell(&value);
        assert!(!cell.contains(char::is_control) && !cell.starts_with(['=', '@']), "a cell {cell:?}");
    }
    let _targets = (opened.targets(), opened.kind().all_forms(), format!("{opened:?}"));
}

pub(crate) fn check(input: &Input<'_>) {
    checked(input, &[]);
}

pub(crate) fn profiles(input: &Input<'_>) {
    checked(input, &PROFILES);
}

fn checked(input: &Input<'_>, profiles: &[&str]) {
    let Some(mut opened) = input.open() else { return };
    for finding in ok(opened.check(profiles)).into_iter().flatten() {
        short(&finding.path, &finding.found);
    }
}

/// Every path in the tree leads to the value that the tree has there.
pub(crate) fn tree(input: &Input<'_>) {
    let Some(opened) = input.open() else { return };
    let Some((some, size)) = nodes::some(&opened, 3, 30) else { return };
    input.gives(size);
    for (path, value) in some {
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
}

/// Searches for a name that exists and for one that does not.
pub(crate) fn find(input: &Input<'_>) {
    let Some(opened) = input.open() else { return };
    let name = opened.tree().children().next().map_or("a".to_owned(), |node| node.name().to_string());
    for text in [&*name, "\u{1}"] {
        let _found = ok(tree::find(&*opened.tree(), "", text, &mut |row| {
            input.gives(row.path.len());
            true
        }));
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
pub(crate) fn diff(input: &Input<'_>) {
    let Some(old) = input.open() else { return };
    let other = Input { max_bytes: old.left(), ..input.clone() };
    let Some(new) = other.open() else { return };
    assert!(old.asset().equals(new.asset()), "it is not equal to itself");
    let left = new.left();
    let options = ReadOptions::new().max_bytes(left);
    let [old, new] = [&old, &new].map(|opened| opened.asset().tree(&options));
    let compared =
        tree::diff(&*old, &*new, &mut rezkit::Budget::new(left), &mut |change| panic!("{change:.1000?}"));
    let _deep = ok(compared);
}

/// What is written is read as an equal asset.
pub(crate) fn write(input: &Input<'_>) {
    let Some(opened) = input.open() else { return };
    [Opened::to_file, Opened::to_gzip].iter().for_each(|write| drop(ok(write(&opened))));
    let opened = input.options().max_bytes(opened.left()).open_asset(
        opened.into_asset(),
        input.name,
        sources(input.beside),
    );
    let Some(written) = ok(opened.to_vec()) else { return };
    reads(&opened, &written, input.name, input.beside);
}

fn reads(opened: &Opened<'_>, written: &[u8], name: &str, beside: &Beside) {
    let left = ReadOptions::new().max_bytes(opened.left().saturating_sub(written.len() as u64));
    let again = match left.read_named(written, name, &mut sources(beside)) {
        Err(error) if error.kind() == ErrorKind::Limit => return,
        again => again.unwrap_or_else(|error| panic!("written and not read: {error}")),
    };
    // An edited document gets other referents: its tree is compared.
    if !opened.asset().equals(&*again) {
        let compared = tree::diff(
            &*opened.tree(),
            &*again.tree(&left),
            &mut rezkit::Budget::new(opened.left()),
            &mut |change| panic!("written, and read as another asset: {change:.1000?}"),
        );
        let _deep = ok(compared);
    }
}

/// The paths of extracted files stay inside the output folder, and no two of them are equal.
pub(crate) fn extract(input: &Input<'_>) {
    let Some(opened) = input.open() else { return };
    if let Some(extracted) = ok(opened.extract(&ExtractOptions::default())) {
        files(&extracted.files);
        extracted.files.iter().for_each(|file| input.gives(file.path().len() + file.bytes.len()));
    }
}

fn files(files: &[File]) {
    let mut seen = HashSet::new();
    for file in files {
        let path = file.path();
        assert!(seen.insert(path.to_lowercase()), "{path} is there already");
        for part in path.split('/') {
            let odd = |char: char| char.is_control() || r#"\:*?"<>|"#.contains(char);
            let leads = part.is_empty() || part == "." || part == ".." || part.ends_with(['.', ' ']);
            assert!(!leads && !part.contains(odd) && part.len() <= 255, "{path:?} as a path");
        }
    }
}

pub(crate) fn scripts(input: &Input<'_>) {
    let Some(opened) = input.open() else { return };
    let scripts = ok(opened.scripts()).unwrap_or_default();
    scripts.iter().for_each(|script| input.gives(script.path.len() + script.source.len()));
    for script in scripts.iter().take(20) {
        for suspicion in ok(script.suspicious(opened.left())).into_iter().flatten() {
            short("", &suspicion.text);
        }
    }
}

/// Searches the bytes, as the source of a script, for suspicious code: each line number must be within the source.
///
/// # Panics
/// If a line number is not.
pub fn luau(data: &[u8]) {
    let script = Script { path: String::new(), class: "Script".into(), source: data.to_vec() };
    let lines = 1 + data.iter().filter(|&&byte| byte == b'\n').count();
    for suspicion in ok(script.suspicious(1 << 30)).into_iter().flatten() {
        short("", &suspicion.text);
        assert!((1..=lines).contains(&suspicion.line), "line {} of {lines}", suspicion.line);
    }
}

/// Packs an extracted document again with the bytes as a source file or a meta file: the result is written and read as
/// an equal document. If nothing was changed, it is written as the original bytes.
///
/// # Panics
/// If it is not.
pub fn project(data: &[u8]) {
    const PLACE: &str = "<roblox version=\"4\"><Item class=\"Folder\"><Properties><string name=\"Name\">A</string>\
        </Properties><Item class=\"Script\"><Properties><string name=\"Name\">B</string><ProtectedString \
        name=\"Source\">return 1</ProtectedString></Properties></Item></Item></roblox>";
    let open = || ok(ReadOptions::new().max_bytes(16 << 20).open(PLACE.into(), "place.rbxmx", ()));
    for path in ["src/A/B.server.luau", "src/A/B.meta.json", "src/A/init.meta.json"] {
        let Some(mut opened) = open() else { return };
        let Some(extracted) = ok(opened.extract(&ExtractOptions::default())) else { return };
        let mut files: BTreeMap<String, Vec<u8>> =
            extracted.files.into_iter().map(|file| (file.path().to_owned(), file.bytes)).collect();
        files.insert(path.to_owned(), data.to_vec());
        let packed = ok(opened.pack(files));
        let Some(written) = ok(opened.to_vec()) else { continue };
        reads(&opened, &written, "place.rbxmx", &ALONE);
        if packed.is_some_and(|packed| packed.changed.is_empty()) {
            assert!(written == PLACE.as_bytes(), "changed without an edit");
        }
    }
}

pub(crate) fn assets(input: &Input<'_>) {
    let Some(mut opened) = input.open() else { return };
    let Some(uses) = ok(opened.assets()) else { return };
    let map: BTreeMap<String, String> =
        uses.into_keys().take(20).map(|old| (old, "rbxassetid://12345678901".to_owned())).collect();
    if ok(opened.replace_assets(&map)).is_some_and(|(count, _)| count > 0)
        && let Some(written) = ok(opened.to_vec())
    {
        reads(&opened, &written, input.name, input.beside);
    }
}

/// Sets the values of the first nodes to critical texts; the result must be written and read as an equal asset.
pub(crate) fn set(input: &Input<'_>) {
    let Some(mut opened) = input.open() else { return };
    let Some((some, _)) = nodes::some(&opened, 3, 12) else { return };
    let paths: Vec<String> = some.into_iter().map(|(path, _)| path).collect();
    let properties = paths.iter().flat_map(|path| {
        let node = opened.nodes(path, 0).ok();
        let names = node.into_iter().flat_map(|node| node.properties).take(8);
        names.map(move |(name, _)| format!("{path}.{name}")).collect::<Vec<_>>()
    });
    let all: Vec<String> = paths.iter().cloned().chain(properties).take(40).collect();
    let texts = ["1", "", "-1e39", "NaN", "true", "1, 2, 3", "<a>&\0\u{1f600}]]>", "../..", "4294967295"];
    let mut changed = false;
    for (at, path) in all.iter().enumerate() {
        changed |= ok(opened.set(path, texts[at % texts.len()], None)).is_some();
    }
    if changed && let Some(written) = ok(opened.to_vec()) {
        reads(&opened, &written, input.name, input.beside);
    }
    let Ok(mut document) = Document::of(opened.into_asset()) else { return };
    for id in document.roots().into_iter().take(4) {
        if ok(document.set_attribute(id, "new", Some(&"x".into()))).is_some() {
            assert!(ok(document.attributes(id)).is_some_and(|all| all.iter().any(|(name, _)| name == "new")));
        }
        if ok(document.set_tags(id, vec!["tag".into()])).is_some() {
            assert_eq!(ok(document.tags(id)), Some(vec!["tag".into()]));
        }
    }
    let _kind = ok(document.required_type("Part", "Size"));
    let _columns = ok(document.columns(&document.is_a("Instance"), false, input.max_bytes / 4));
}

/// A scene of a file is consistent.
pub(crate) fn scene(input: &Input<'_>) {
    let Some(scene) = input.scene() else { return };
    everything(&scene);
    drop(scene);
    let _references = ok(input.options().needed(input.bytes.to_vec(), input.name));
}

/// Calls every public function with a scene.
pub fn everything(scene: &Scene) {
    scene.check().unwrap_or_else(|error| panic!("a scene that contradicts itself: {error}"));
    let _known = (scene.is_visible(), scene.bounds(), scene.triangle_count(), scene.placed().len());
    let _corners = scene.placed_corners();
    for (index, animation) in scene.animations.iter().enumerate().take(3) {
        let _poses = (scene.pose_at(index, 0.5), scene.pose_at(index, animation.duration()));
    }
    for profile in PROFILES {
        let findings = upload::check(scene, profile, &mut Budget::new(FUZZED));
        for finding in ok(findings).into_iter().flatten() {
            short(&finding.path, &finding.found);
        }
    }
}

/// A source of files for `open`, which returns those beside a file.
pub fn sources(files: &Beside) -> impl FnMut(&Reference, u64) -> Result<Option<Vec<u8>>> {
    move |reference, _| {
        let Reference::Beside(name) = reference else { return Ok(None) };
        Ok(files.get(name).cloned())
    }
}

/// Files that were written, by their paths, as input for [`sources`].
pub fn beside(files: Vec<File>) -> Beside {
    files.into_iter().map(|file| (file.path().to_owned(), file.bytes)).collect()
}

/// Converts a file to another form, and the result back.
pub(crate) fn convert(input: &Input<'_>, form: &str) {
    let Some(mut opened) = input.open() else { return };
    let Some(target) = opened.targets().into_iter().find(|target| target.name == form) else { return };
    let options = ConvertOptions::new().allow_loss(true).fill(Fill::Defaults);
    let output = format!("out.{}", target.extension);
    let Some(converted) = ok(opened.convert(Some(form), &output, &options)) else { return };
    converted.losses.iter().for_each(|loss| short(&loss.path, &loss.what));
    files(&converted.files);
    converted.files.iter().for_each(|file| input.gives(inflated(&file.bytes)));
    drop((opened, converted.losses));
    let mut written = converted.files.into_iter();
    let file = written.next().expect("a file");
    let others = beside(written.collect());
    let path = file.path().to_owned();
    // With the same limit. A conversion whose result needs more memory to be read must fail.
    let read = input.options().open(file.bytes, &path, sources(&others));
    let mut read = read.unwrap_or_else(|error| panic!("written and not read: {error}"));
    let own = input.name.rsplit('.').next().unwrap_or_default();
    let _back = ok(read.convert(None, &format!("back.{own}"), &options));
}

/// The size of a file with its chunks decompressed, since LZ4 makes n columns of n equal values short.
fn inflated(bytes: &[u8]) -> usize {
    let chunks = rbxbinary::chunks(bytes).into_iter().flatten().flatten();
    chunks.map(|chunk| chunk.len as usize).sum::<usize>().max(bytes.len())
}

/// Draws small pictures of a scene.
pub(crate) fn render(input: &Input<'_>) {
    input.scene().iter().for_each(|scene| draw(scene, input.max_bytes));
}

/// Draws a picture of the size of a terminal.
pub(crate) fn show(input: &Input<'_>) {
    let Some(scene) = input.scene() else { return };
    let Some(renderer) = ok(Renderer::new(&scene, input.max_bytes)) else { return };
    let mut options = RenderOptions::default();
    (options.width, options.height) = (160, 96);
    let picture = ok(renderer.draw(&options));
    let _png = picture.and_then(|picture| ok(images::png(&picture)));
}

/// Draws a small picture, and another with edges and joints, at a time of an animation and from a camera of the scene.
pub fn draw(scene: &Scene, max_bytes: u64) {
    let Some(renderer) = ok(Renderer::new(scene, max_bytes)) else { return };
    let mut options = RenderOptions::default();
    (options.width, options.height) = (64, 64);
    let _plain = ok(renderer.draw(&options));
    (options.wireframe, options.skeleton, options.time) = (true, true, 0.5);
    options.animation = (!scene.animations.is_empty()).then_some(0);
    options.camera = scene.nodes.iter().position(|node| node.camera.is_some());
    let _lines = ok(renderer.draw(&options));
}

/// Makes levels of detail as nodes of a scene.
pub(crate) fn lods(input: &Input<'_>) {
    leveled(input, "out.glb");
}

/// Makes levels of detail of a Roblox mesh.
pub(crate) fn lods_of_mesh(input: &Input<'_>) {
    leveled(input, "out.mesh");
}

fn leveled(input: &Input<'_>, output: &str) {
    let Some(mut opened) = input.open() else { return };
    let options = ConvertOptions::new().allow_loss(true);
    let made = opened.lods(&[Target::Ratio(0.5), Target::Triangles(4)], None, output, &options);
    if let Some(leveled) = ok(made) {
        assert!(leveled.triangles.is_sorted_by(|finer, coarser| finer >= coarser), "{:?}", leveled.triangles);
        files(&leveled.output.files);
        leveled.output.files.iter().for_each(|file| input.gives(file.bytes.len()));
    }
}

/// Prepares an upload to Second Life without fixing anything.
pub(crate) fn sl(input: &Input<'_>) {
    input.scene().iter().for_each(|scene| uploaded(input, scene, false));
}

/// Prepares an upload to Second Life, and changes what the platform would refuse. A scene that it would not refuse is
/// left out, since `sl` prepares it.
pub(crate) fn sl_fix(input: &Input<'_>) {
    let Some(scene) = input.scene() else { return };
    let findings = upload::check(&scene, "secondlife-upload", &mut Budget::new(input.max_bytes));
    if ok(findings).is_none_or(|findings| !findings.is_empty()) {
        uploaded(input, &scene, true);
    }
}

fn uploaded(input: &Input<'_>, scene: &Scene, fix: bool) {
    let mut options = sl::Options::default();
    (options.fix, options.max_bytes) = (fix, input.max_bytes);
    if let Some(upload) = ok(sl::second_life(scene, "out", &[], &options, &mut |_, _| Ok(None))) {
        files(&upload.files);
        upload.report.losses.iter().for_each(|loss| short(&loss.path, &loss.what));
        upload.files.iter().for_each(|file| input.gives(file.bytes.len()));
    }
}

/// Packs an extracted document again, which must change nothing.
pub(crate) fn pack(input: &Input<'_>) {
    let Some(mut opened) = input.open() else { return };
    let Some(extracted) = ok(opened.extract(&ExtractOptions::default())) else { return };
    if let Some(packed) = ok(opened.pack(beside(extracted.files))) {
        assert!(packed.changed.is_empty(), "changed without an edit: {:.300?}", packed.changed);
    }
}

/// Inserts the file into itself, and moves, renames, copies and removes instances; the result must be written and read
/// as an equal document.
pub(crate) fn insert(input: &Input<'_>) {
    let Some(mut opened) = input.open() else { return };
    let Some((some, _)) = nodes::some(&opened, 2, 6) else { return };
    let quoted = |at: usize| some.get(at).map_or("a".to_owned(), |(path, _)| format!("{path:?}"));
    let mut models = |_: &Reference, _: u64| Ok(Some(input.bytes.to_vec()));
    let mut changed = false;
    let edits =
        ["insert a.rbxm", "rename P \"a/b\"", "copy P a.rbxm", "move P Q", "insert a.rbxm Q", "remove P"];
    for (at, edit) in edits.iter().enumerate() {
        let script = edit.replace('P', &quoted(at)).replace('Q', &quoted(0));
        // A name can contain characters that a line of a script of edits cannot.
        let Some(parsed) = ok(Edit::parse(&script)) else { continue };
        if let Some(edited) = ok(opened.edit(&parsed, &mut models)) {
            changed = true;
            edited.losses.iter().for_each(|loss| short(&loss.path, &loss.what));
            edited.models.iter().for_each(|(_, bytes)| input.gives(inflated(bytes)));
        }
    }
    if changed && let Some(written) = ok(opened.to_vec()) {
        input.gives(inflated(&written));
        reads(&opened, &written, input.name, input.beside);
    }
}

/// Writes a scene in every form, and reads the files.
pub fn forms(scene: &Scene, max_bytes: u64) {
    for (form, writer) in rezkit::KINDS.iter().filter_map(|kind| Some((kind, kind.writer?))) {
        let Some(written) = ok(writer.write(scene, "out", max_bytes)) else { continue };
        files(&written.files);
        let name = format!("out.{}", form.name);
        let (options, others) = (SceneOptions::default(), beside(written.files));
        let read = ReadOptions::new().open(written.bytes, &name, sources(&others));
        let read = read.and_then(|mut opened| opened.scene(&options));
        let (read, _) = read.unwrap_or_else(|error| panic!("{name}: written and not read: {error}"));
        read.check().unwrap_or_else(|error| panic!("{name} became a scene that contradicts itself: {error}"));
    }
}
