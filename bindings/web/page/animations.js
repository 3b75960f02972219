// The bar of options for converting animations. It is shown only if the target format contains animations.

import { choice, field, make, tick } from "./dom.js";
import { plain, say } from "./texts.js";

const PRIORITIES = [["", "asTheFile"], ["0", "Idle"], ["1", "Movement"], ["2", "Action"], ["3", "Action2"], ["4", "Action3"], ["5", "Action4"], ["1000", "Core"]];
const ROBLOX = /^rbxmx?$/;
const isDocument = ({ info }) => /^rbx(binary|xml)$/.test(info?.format ?? "");

/** The bar, a function that shows the inputs that apply to a target, and a function that reads the chosen options. */
export function animationOptions(entry, page) {
  const loops = [["", say("asTheFile")], ["on", say("on")], ["off", say("off")]];
  const loop = choice(say("loop"), loops);
  const priority = choice(say("priority"), PRIORITIES.map(([value, name], index) => [value, index ? name : say(name)]));
  const action = field(say("action"), { type: "text", size: 12, placeholder: say("all") });
  const curves = tick(say("curves"));
  const degrees = field(say("degrees"), { type: "number", min: "0.0001", step: "any", placeholder: "0.1" });
  const studs = field(say("studs"), { type: "number", min: "0.000001", step: "any", placeholder: "0.001" });
  const fps = field(say("fps"), { type: "number", min: "1", max: "240", step: "any", placeholder: "30" });
  const others = page.entries.filter((other) => other !== entry && isDocument(other));
  const rigs = [["", say("automatic")], ["R6", "R6"], ["R15", "R15"], ...others.map((one) => [String(one.key), plain(one.path)])];
  const rig = choice(say("rig"), rigs);
  const exact = tick(say("exact"));
  const roblox = [priority, curves, degrees, studs, fps, rig];
  const second = entry.info.format === "bvh" ? [exact] : [];
  const element = make("div", { class: "bar" }, ...[action, loop, ...roblox, ...second].map(({ label }) => label));
  const number = ({ input }) => (input.value === "" ? undefined : Number(input.value));
  return {
    element,
    show(target) {
      const isRoblox = Boolean(target?.by_scene) && ROBLOX.test(target.name);
      element.hidden = !isRoblox && !(target?.by_scene && target.name === "anim");
      roblox.forEach(({ label }) => (label.hidden = !isRoblox));
      exact.label.hidden = isRoblox;
    },
    async options() {
      if (element.hidden) return {};
      const set = { action: action.input.value || undefined, loop: { on: true, off: false }[loop.select.value] };
      if (rig.label.hidden) return { ...set, exact: exact.box.checked || undefined };
      const tolerance = [number(degrees), number(studs)];
      const from = page.entries.find(({ key }) => String(key) === rig.select.value);
      if (from && !from.isOpen) await page.open(from);
      return {
        ...set,
        priority: priority.select.value === "" ? undefined : Number(priority.select.value),
        curves: curves.box.checked || undefined,
        tolerance: tolerance.some((each) => each !== undefined) ? [tolerance[0] ?? 0.1, tolerance[1] ?? 0.001] : undefined,
        fps: number(fps),
        rig: from ? await page.ask(from, "save") : rig.select.value || undefined,
      };
    },
  };
}
