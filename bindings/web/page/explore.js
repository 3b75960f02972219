// The tree panel and the 3D panel.

import { choice, download, foreign, make, saved, stemOf, tick } from "./dom.js";
import { count, plain, say } from "./texts.js";
import { Tree } from "./tree.js";

/** The maximum number of search results that are shown. */
const FOUND = 5000;
/** The number of images in a turntable. */
const FRAMES = 36;

export function treePanel(entry, panel, page) {
  const side = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("properties") });
  let current = "";
  let shownRow;
  const show = async (row) => {
    current = row.path;
    shownRow = row;
    undo.disabled = !entry.edits.length;
    const properties = await page.ask(entry, "properties", row.path);
    if (current !== row.path) return;
    const kept = typed(side, row.path);
    side.dataset.path = row.path;
    const shown = make("button", { type: "button", onclick: () => page.go("view", row.path) }, say("showIn3D"));
    side.replaceChildren(...(page.has("view") && row.path ? [shown] : []), ...propertyTable(entry, row, properties, page, again));
    kept(side);
  };
  /** Updates the panel after a property was set. A new name changes the paths of the node and its descendants. */
  const again = (row, name) => {
    if (name !== "Name") return show(row);
    undo.disabled = !entry.edits.length;
    return whole ? find() : tree.renew();
  };
  const ask = (path, from, max) => page.ask(entry, "rows", path, from, max);
  const tree = new Tree(entry.root, ask, (row) => show(row).catch(page.failed));
  // The lines of the whole tree, kept while search results are shown.
  let whole;
  const search = make("input", { type: "search", size: "24" });
  const result = make("span", { role: "status" });
  const find = async () => {
    const text = search.value;
    if (!text) {
      if (whole) tree.lines = whole;
      whole = undefined;
      tree.go(0);
      result.textContent = "";
      return;
    }
    try {
      const { rows, all } = await page.ask(entry, "find", text, FOUND);
      if (search.value !== text) return;
      whole ??= tree.lines;
      tree.show(rows);
      result.textContent = say(all ? "searchDone" : "searchMore", { count: count(rows.length) });
    } catch (error) {
      page.failed(error);
    }
  };
  let timer;
  search.oninput = () => {
    clearTimeout(timer);
    timer = setTimeout(find, 250);
  };
  const save = make("button", { type: "button", class: "save" }, say("save"));
  save.onclick = async () => {
    try {
      download(entry.name, await page.save(entry));
      page.status(say("saved", { name: plain(entry.name) }));
      undo.disabled = true;
    } catch (error) {
      page.failed(error);
    }
  };
  const undo = make("button", { type: "button", class: "undo", disabled: !entry.edits.length }, say("undo"));
  undo.onclick = async () => {
    try {
      const undone = await page.undo(entry);
      page.status(say("undone", { count: count(entry.edits.length) }));
      undo.disabled = !entry.edits.length;
      if (undone.path.endsWith(".Name")) await (whole ? find() : tree.reset(entry.root));
      else if (shownRow) await show(shownRow);
    } catch (error) {
      page.failed(error);
    }
  };
  panel.append(
    make("div", { class: "bar" }, make("label", {}, `${say("search")} `, search), result, undo, save),
    make("div", { class: "split" }, tree.element, side),
  );
  tree.draw();
  const wanted = page.wanted();
  if (wanted) page.ask(entry, "trail", wanted).then((steps) => tree.reveal(steps)).catch(page.failed);
}

/**
 * Saves the unsubmitted input in the property table of a node, and the cursor position. Returns a function that restores
 * both in a new table.
 */
function typed(side, path) {
  const inputs = side.dataset.path === path ? [...side.querySelectorAll("input")] : [];
  const label = (input) => input.getAttribute("aria-label");
  const values = new Map(inputs.filter((input) => input.value !== input.defaultValue).map((input) => [label(input), input.value]));
  const active = inputs.find((input) => input === document.activeElement);
  const [from, to] = active ? [active.selectionStart, active.selectionEnd] : [];
  return (made) => {
    for (const input of made.querySelectorAll("input")) {
      if (values.has(label(input))) input.value = values.get(label(input));
      if (!active || label(input) !== label(active)) continue;
      input.focus();
      input.setSelectionRange(from, to);
    }
  };
}

/** The properties of a node. Short values can be edited. */
function propertyTable(entry, row, properties, page, again) {
  const title = make("h3", {}, foreign(row.path || entry.name), " ", make("span", { class: "dim" }, plain(row.kind)));
  if (!properties.length) return [title, make("p", {}, say("noProperties"))];
  const body = make("tbody");
  for (const { name, kind, summary, text, fields } of properties) {
    const path = name ? `${row.path}.${name}` : row.path;
    const cell = make("td");
    if (text !== null && !fields) {
      const input = make("input", { type: "text", value: text, "aria-label": `${say("set")} ${plain(name || row.path)}`, spellcheck: "false" });
      input.onchange = async () => {
        try {
          const { value } = input;
          const losses = await page.edit(entry, path, value);
          // Only the submitted value is set: the user may have typed more since then.
          input.defaultValue = value;
          input.removeAttribute("aria-invalid");
          const others = losses.map(({ path: of, what, count: times }) => plain(`${of}: ${what} (× ${count(times)})`));
          page.status([say("setDone", { path: plain(path) }), ...others].join("; "));
          await again(row, name);
        } catch (error) {
          input.setAttribute("aria-invalid", "true");
          page.failed(error);
        }
      };
      cell.append(input);
    } else {
      cell.append(foreign(summary));
      const more = make("button", { type: "button" }, say("whole"));
      more.onclick = async () => {
        try {
          const value = await page.ask(entry, "get", path);
          const whole = typeof value === "string" ? value : JSON.stringify(value, null, 1);
          more.replaceWith(make("pre", { class: "code" }, whole.slice(0, 200_000)));
        } catch (error) {
          page.failed(error);
        }
      };
      cell.append(" ", more);
    }
    body.append(make("tr", {}, make("th", { scope: "row" }, foreign(name || say("value"))), make("td", {}, plain(kind)), cell));
  }
  const heads = ["name", "kind", "value"].map((key) => make("th", { scope: "col" }, say(key)));
  return [title, make("table", { "aria-label": say("properties") }, make("thead", {}, make("tr", {}, ...heads)), body)];
}

export async function viewPanel(entry, panel, page) {
  const canvas = make("canvas", { class: "view", tabindex: "0", role: "img", "aria-label": say("sceneLabel") });
  const facts = make("p", { role: "status" });
  const wanted = page.wanted();
  let View;
  try {
    ({ View } = await import("./view.js"));
  } catch {
    return pictures(entry, panel, page, canvas, facts);
  }
  const levels = choice(say("level"), [["finest", say("finest")], ["all", say("all")], ["0", "0"], ["1", "1"], ["2", "2"], ["3", "3"]], () => load());
  const hulls = tick(say("hulls"), () => load());
  const ask = () => page.ask(entry, "scene", { levels: levels.select.value, hulls: hulls.box.checked });
  const first = ask();
  // `load` reports the error; this prevents an "unhandled rejection" in the meantime.
  first.catch(() => {});
  let view;
  try {
    view = new View(canvas);
  } catch {
    // WebGL is not available.
    return pictures(entry, panel, page, canvas, facts);
  }
  const looks = ["shaded", "wireframe", "normals", "uvs"].map((name) => [name, say(name)]);
  const look = choice(say("look"), looks, (value) => view.setLook(value));
  const skeleton = tick(say("skeleton"), (on) => view.showSkeleton(on));
  const action = choice(say("action"), [["-1", say("still")]], () => pose(0));
  const time = make("input", { type: "range", min: "0", max: "1", step: "any", value: "0", oninput: () => pose() });
  const play = make("button", { type: "button" }, say("play"));
  const reset = make("button", { type: "button", onclick: () => view.home() }, say("reset"));
  const picture = make("button", { type: "button" }, say("picture"));
  picture.onclick = async () => download(`${entry.name}.png`, await view.png());
  const animated = make("div", { class: "bar", hidden: true }, action.label, make("label", {}, `${say("time")} `, time), play);
  let playing = 0;
  const pose = (at) => {
    const index = Number(action.select.value);
    const { duration = 0 } = view.clips[index] ?? {};
    time.max = String(Math.max(duration, 0.001));
    if (at !== undefined) time.value = String(at);
    view.pose(index, Number(time.value));
  };
  const step = (before) => (now) => {
    if (!playing) return;
    const max = Number(time.max);
    pose((Number(time.value) + (now - before) / 1000) % max);
    playing = requestAnimationFrame(step(now));
  };
  play.onclick = () => {
    if (playing) {
      cancelAnimationFrame(playing);
      playing = 0;
    } else {
      if (action.select.value === "-1" && view.clips.length) action.select.value = "0";
      playing = requestAnimationFrame(step(performance.now()));
    }
    play.textContent = say(playing ? "pause" : "play");
  };
  const picked = make("p", { class: "bar", "aria-live": "polite" });
  const found = ({ path, name, triangles, point, distance }) => {
    const shown = make("button", { type: "button", onclick: () => page.go("tree", path) }, say("showInTree"));
    const at = point.map((number) => number.toPrecision(4)).join(", ");
    const text = say("picked", { name: plain(name), triangles: count(triangles), point: at });
    const gap = distance === undefined ? "" : ` ${say("distance", { distance: distance.toPrecision(4) })}`;
    picked.replaceChildren(make("span", {}, text + gap), ...(path ? [shown] : []));
  };
  view.picked = found;
  const turntable = make("button", { type: "button" }, say("turntable"));
  turntable.onclick = async () => {
    turntable.disabled = true;
    const stem = stemOf(entry.name);
    const files = [];
    for await (const bytes of view.turntable(FRAMES)) {
      files.push({ path: `${stem}-${String(files.length).padStart(2, "0")}.png`, bytes });
      page.status(say("frames", { count: files.length, all: FRAMES }));
    }
    await saved(files, stem);
    turntable.disabled = false;
  };
  const load = async (asked = ask()) => {
    try {
      const scene = await asked;
      const { triangles, vertices, size } = await view.show(scene);
      const [x, y, z] = size.map((number) => number.toPrecision(4));
      facts.textContent = say("measures", { triangles: count(triangles), vertices: count(vertices), x, y, z });
      canvas.dataset.triangles = triangles;
      action.select.replaceChildren(
        ...[["-1", say("still")], ...scene.animations.map(({ name }, index) => [String(index), plain(name) || String(index)])].map(
          ([value, text]) => make("option", { value }, text),
        ),
      );
      animated.hidden = !scene.animations.length;
      if (wanted && !view.mark(wanted)) page.status(say("notDrawn", { path: plain(wanted) }));
    } catch (error) {
      facts.textContent = plain(error.message);
    }
  };
  panel.append(make("div", { class: "bar" }, levels.label, look.label, skeleton.label, hulls.label, reset, picture, turntable), animated, canvas, facts, picked);
  await load(first);
  return {
    dispose() {
      playing = 0;
      view.dispose();
    },
  };
}

/** Shows images that the engine renders, if three.js or WebGL is missing. */
async function pictures(entry, panel, page, canvas, facts) {
  panel.append(make("p", { class: "dim" }, say("noThree")), canvas, facts);
  const at = { yaw: 30, pitch: 20, zoom: 1 };
  let busy = false;
  let again = false;
  const draw = async () => {
    again = busy;
    if (busy) return;
    busy = true;
    try {
      const width = Math.min(Math.max(canvas.clientWidth, 64), 900);
      const height = Math.min(Math.max(canvas.clientHeight, 64), 600);
      const { data } = await page.ask(entry, "picture", {
        size: [width, height],
        angle: [at.yaw, at.pitch],
        zoom: at.zoom,
        background: "none",
      });
      Object.assign(canvas, { width, height });
      canvas.getContext("2d").putImageData(new ImageData(data, width, height), 0, 0);
      canvas.dataset.drawn = "true";
    } catch (error) {
      facts.textContent = plain(error.message);
    } finally {
      busy = false;
    }
    if (again) await draw();
  };
  const turn = (yaw, pitch, zoom = 1) => {
    at.yaw += yaw;
    at.pitch = Math.max(-89, Math.min(89, at.pitch + pitch));
    at.zoom = Math.max(0.05, Math.min(20, at.zoom * zoom));
    return draw();
  };
  const keys = { ArrowLeft: [-8, 0], ArrowRight: [8, 0], ArrowUp: [0, 8], ArrowDown: [0, -8], "+": [0, 0, 1.2], "-": [0, 0, 1 / 1.2] };
  canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    turn(...keys[event.key]);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) turn(-event.movementX * 0.5, event.movementY * 0.5);
  });
  await draw();
}
