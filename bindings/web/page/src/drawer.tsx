// The drawer below: findings, losses and differences.

import { signal } from "@preact/signals";
import { ChevronDown, ChevronUp, CircleAlert, CircleCheck, TriangleAlert } from "lucide-preact";
import type { Change } from "rezkit";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { grouped } from "./groups";
import { Scripts } from "./scripts";
import { Check, Choice, Table, Tool, useAnswer } from "./ui";
import { count, type Doc, type Edit, files, many, parentOf, type Finding, type Lost, message, plain, say, sentence } from "./files";

export const drawer = signal<"findings" | "losses" | "changes" | "scripts" | undefined>(undefined);
/** The key of the file with which a file is compared; otherwise with itself as opened. */
export const compared = signal("");
/** Whether the 3D view shows both. */
export const before = signal(false);
const PROFILES = { "": "Rules of the format", "roblox-upload": "Upload to Roblox", "roblox-import": "Import into Roblox", "roblox-avatar": "Avatar items", "roblox-animation": "Animations for Roblox", "secondlife-upload": "Upload to Second Life" };
/** The number of findings and losses of a group that are shown. */
const SHOWN = 200;

/** The node that a path of a finding is about: findings name properties and fields, too. */
async function go(doc: Doc, path: string) {
  const paths = [path];
  for (let at = path; at; paths.push(at)) at = at.replace(/[./[]?[^./[]*$/, "");
  const [found] = await doc.ask<string[]>("existing", [paths], 0);
  if (found) await doc.reveal(found);
}

const Path = ({ doc, path }: { doc: Doc; path: string }) =>
  path ? <button type="button" class="link" onClick={() => go(doc, path)}>{plain(path)}</button> : <span class="dim">the file</span>;

/** What a step that sets the property at a path changes. */
const property = (path: string) => ({ of: [path.replace(/\.[^./]*$/, "")], names: [path.replace(/.*\./s, "")] });

/** The most lines of both texts together, by which a comparison takes time. */
const LINES = 4e6;

/** The lines that two texts do not have in common, each with one before and after them. */
function Lines({ old, now }: { old: string; now: string }) {
  const [a, b] = [old, now].map((text) => text.split(/\r\n|\r|\n/));
  let [from, end] = [0, 0];
  while (from < Math.min(a.length, b.length) && a[from] === b[from]) from += 1;
  while (end < Math.min(a.length, b.length) - from && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  [from, end] = [Math.max(0, from - 1), Math.max(0, end - 1)];
  const [x, y] = [a, b].map((lines) => lines.slice(from, lines.length - end));
  // The length of the longest common sequence of what follows, for each pair of lines.
  const width = y.length + 1;
  const common = new Uint32Array(x.length * y.length < LINES ? (x.length + 1) * width : 0);
  for (let at = x.length * width - 1; at >= 0 && common.length; at -= 1) {
    const [i, j] = [Math.floor(at / width), at % width];
    if (j < y.length) common[at] = x[i] === y[j] ? common[at + width + 1] + 1 : Math.max(common[at + width], common[at + 1]);
  }
  const lines: [string, string, number][] = [];
  for (let [i, j] = [0, 0]; i < x.length || j < y.length; ) {
    if (x[i] === y[j]) (lines.push(["", x[i], from + (j += 1)]), (i += 1));
    else if (i < x.length && (j === y.length || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))) lines.push(["-", x[i], from + (i += 1)]);
    else lines.push(["+", y[j], from + (j += 1)]);
  }
  const isNear = (at: number) => lines.slice(Math.max(0, at - 1), at + 2).some(([sign]) => sign);
  return <>{lines.map(([sign, text, line], at) => isNear(at) && <code key={at} class={{ "-": "line gone", "+": "line new" }[sign] ?? "line"}>{`${sign || " "} ${line} ${plain(text.replaceAll("\t", "    "))}`}</code>)}</>;
}

const number = (all: { count?: number }[]) => all.reduce((sum, one) => sum + (one.count ?? 1), 0);

const TYPES = ["Hat", "Hair", "Face", "Neck", "Shoulder", "Front", "Back", "Waist", "TShirt", "Shirt", "Pants", "Jacket", "Sweater", "Shorts", "LeftShoe", "RightShoe", "DressSkirt", "Eyebrow", "Eyelash", "Head", "Torso", "LeftArm", "RightArm", "LeftLeg", "RightLeg"];
const VERDICTS = { failed: "failed", unseen: "not seen", passed: "passed" };

/** The table of each avatar item: what is broken or was not seen, and the number of rules that are kept. */
function Items({ doc }: { doc: Doc }) {
  return (
    <>
      {doc.items.value?.items.map(({ path, kind, scale, rows }) => {
        const failed = rows.filter(({ verdict }) => verdict === "failed");
        const isRefused = failed.some(({ severity }) => severity === "error");
        const shown = rows.filter(({ verdict }) => verdict !== "passed").slice(0, SHOWN);
        return (
          <details key={path} class="item" open={isRefused}>
            <summary class={isRefused ? "error" : failed.length ? "warning" : ""}>
              {isRefused ? <CircleAlert size={14} /> : failed.length ? <TriangleAlert size={14} /> : <CircleCheck size={14} />} {plain(path)} ({kind ?? "unknown type"}, {scale}): {isRefused ? "would be refused" : "nothing found that would be refused"} <span class="dim">{count(rows.length - shown.length)} rules kept</span>
            </summary>
            {!!shown.length && <Table heads={["Rule", "Found", "Allowed", "Verdict", "Path"]} rows={shown.map(({ rule, found, allowed, verdict, path, remedy }) => [<span title={remedy}>{rule.replace(/^roblox-avatar\./, "")}</span>, plain(found), plain(allowed), VERDICTS[verdict], <Path doc={doc} path={path} />])} />}
          </details>
        );
      })}
    </>
  );
}

function Findings({ doc }: { doc: Doc }) {
  const { profile = "", type = "" } = doc.checks.value;
  const isAvatar = profile === "roblox-avatar";
  // Those of avatar items are in their tables.
  const found = doc.findings.value?.filter(({ rule }) => !isAvatar || !rule.startsWith("roblox-avatar.") || rule === "roblox-avatar.none");
  const set = (given: typeof doc.checks.value) => {
    doc.checks.value = { ...doc.checks.value, ...given };
    [doc.findings.value, doc.items.value] = [undefined, undefined];
    doc.look();
  };
  const ofErrors = (all: Finding[]) => [...all].sort((a, b) => a.severity.localeCompare(b.severity));
  return (
    <>
      <div class="profile">
        <Choice label="Check" value={profile} set={(name) => set({ profile: name || undefined })} options={PROFILES} />
        {isAvatar && <Choice label="Type" value={type} set={(name) => set({ type: name || undefined })} options={[["", "As the file says"], ...TYPES.map((name) => [name, name] as const)]} />}
        {isAvatar && <label title="The table of AvatarCreationService:GetValidationRules() as JSON">Numbers <input type="file" accept=".json" onChange={async (event) => set({ rules: await event.currentTarget.files![0]?.text() })} /></label>}
      </div>
      {doc.checked.value && <p class="bad">{doc.checked.value}</p>}
      {!found && !doc.checked.value && <p class="dim">Checking …</p>}
      {isAvatar && <Items doc={doc} />}
      {found && !found.length && !doc.items.value && <p>No rule is violated.</p>}
      {[...grouped(ofErrors(found ?? []), ({ rule }) => rule)].map(([rule, all]) => (
        <Together
          key={rule} doc={doc} all={all} isOpen={all[0].severity === "error"} tone={all[0].severity}
          title={<>{all[0].severity === "error" ? <CircleAlert size={14} /> : <TriangleAlert size={14} />} {plain(all[0].demands)} <span class="dim">{`${count(number(all))} × ${rule}`}</span></>}
          line={(one) => <>{plain(one.found)}{one.count > 1 && <span class="dim"> × {count(one.count)}</span>}</>}
        />
      ))}
    </>
  );
}

/** What belongs together, under a title that opens it: the first of it. */
function Together<T extends { path: string }>({ doc, all, title, tone, isOpen, line }: { doc: Doc; all: T[]; title: ComponentChildren; tone?: string; isOpen: boolean; line: (one: T) => ComponentChildren }) {
  return (
    <details open={isOpen}>
      <summary class={tone}>{title}</summary>
      <ul>
        {all.slice(0, SHOWN).map((one, at) => <li key={at}><Path doc={doc} path={one.path} /> {line(one)}</li>)}
        {all.length > SHOWN && <li class="dim">and {count(all.length - SHOWN)} more</li>}
      </ul>
    </details>
  );
}

export function Losses({ doc, losses }: { doc: Doc; losses: Lost[] }) {
  const take = ({ path, theirs }: Lost) => doc.edit(`Took ${plain(path)}`, [{ do: "set", path, value: theirs! }], property(path));
  const words = { "left-out": "Dropped", approximated: "Changed", "filled-in": "Filled in", missing: "Missing", warning: "Warning" };
  if (!losses.length) return <p>No losses are listed.</p>;
  return (
    <>
      {[...grouped(losses, ({ kind, what }) => `${words[kind]}: ${what}`)].map(([title, all]) => (
        <Together
          key={title} doc={doc} all={all} isOpen={all.length < 6} title={<>{plain(title)} <span class="dim">× {count(number(all))}</span></>}
          line={(one) => typeof one.theirs === "string" && <button type="button" onClick={() => take(one).catch(() => {})}>Take the other value</button>}
        />
      ))}
    </>
  );
}

function Changes({ doc }: { doc: Doc }) {
  const of = (key: string) => files.value.find((one) => one !== doc && String(one.key) === key);
  const other = of(compared.value);
  const [base, setBase] = useState("");
  const read = async () => doc.later("changes", [await blob(other), (other ?? doc).name], 3);
  const none = (error: unknown) => ({ changes: [], count: 0, error: sentence(error) });
  const found = useAnswer<{ changes: Change[]; count: number; error?: string }>(() => read().catch(none), [doc, doc.version.value, other], none);
  const others = files.value.filter((one) => one !== doc && one.status.value === "open").map((one) => [String(one.key), plain(one.name)] as const);
  const blob = async (one?: Doc) => (one ? new Blob([await one.bytes()]) : doc.file);
  const merge = async ({ name }: Doc) => {
    await doc.edit(`Merged ${plain(name)}`, [], { merge: { base: await blob(of(base)), theirs: await blob(other), name } }).catch(() => {});
    if (doc.losses.value?.losses.length) drawer.value = "losses";
  };
  /** Undoes a difference: what it was before, or is in the other file. */
  const take = async (one: Change) => {
    const paths = [one.path, ...(one.to ? [one.to, `${one.to}.Name`] : [])];
    const isValue = one.change === "changed" && doc.kind.value!.hasInstances;
    await doc.edit(`${other ? "Took" : "Put back"} ${plain(one.path)}`, [], { take: { other: await blob(other), name: (other ?? doc).name, paths }, ...(isValue ? property(one.path) : {}) });
  };
  const isText = ({ old, new: now }: Change) => [old, now].every((text) => typeof text === "string") && /\n/.test(`${old}${now}`);
  const row = (one: Change) => [
    one.change,
    <Path doc={doc} path={one.path} />,
    isText(one) ? <Lines old={one.old as string} now={one.new as string} /> : one.change === "removed" ? one.node || shown(one.old) : shown(one.old),
    isText(one) ? "" : one.to ?? (one.change === "added" ? one.node || shown(one.new) : shown(one.new)),
    <button type="button" aria-label={`${other ? "Take" : "Put back"} ${plain(one.path)}`} onClick={() => take(one).catch(() => {})}>{other ? "Take" : "Put back"}</button>,
  ];
  const shown = (value: any) => (value === null || value === undefined ? "" : plain(typeof value === "string" ? value : JSON.stringify(value)).slice(0, 120));
  return (
    <>
      <div class="profile"><Choice label="Compare with" value={other ? compared.value : ""} set={(key) => (compared.value = key)} options={[["", "the file as opened"], ...others]} />
        {doc.kind.value!.hasGeometry && <Check label="Before and after in 3D" value={before.value} set={(on) => (before.value = on)} />}
        {other && /^(rbx(binary|xml)|llsd)$/.test(doc.kind.value!.format) && (
          <>
            <Choice label="Both come from" value={base} set={setBase} options={[["", "this file as opened"], ...others]} />
            <button type="button" title="Take what the other file changed since then" onClick={() => merge(other)}>Merge</button>
          </>
        )}
      </div>
      {doc.at.value > 0 && doc.kind.value!.hasInstances && <button type="button" onClick={() => copyCommand(doc)}>Copy the edits as a command</button>}
      {!found && <p class="dim">Comparing …</p>}
      {found?.error && <p class="bad">{found.error}</p>}
      {found && !found.error && !found.count && <p>The files do not differ.</p>}
      {found && found.count > 0 && <Table heads={["Change", "Path", other ? "In the other file" : "Before", other ? "Here" : "Now", "Decide"]} rows={found.changes.map(row)} />}
      {found && found.count > found.changes.length && <p class="dim">and {count(found.count - found.changes.length)} more</p>}
    </>
  );
}

/**
 * Edits at once as edits in order: when one of several siblings of a name leaves or gets another name, the numbers of those
 * after it become smaller.
 */
function inOrder(edits: Edit[]): Edit[] {
  const gone = new Map<string, number[]>();
  const parts = (path: string) => /^(.*?)(?:(?<!\\)\[(\d+)\])?$/s.exec(path)!;
  const now = (path: string): string => {
    if (!path) return path;
    const [, own, at = "0"] = parts(path);
    const number = Number(at) - (gone.get(own) ?? []).filter((other) => other < Number(at)).length;
    const above = parentOf(path);
    return now(above) + own.slice(above.length) + (number ? `[${number}]` : "");
  };
  return edits.map((edit) => {
    if (edit.do !== "move" && edit.do !== "remove" && edit.do !== "rename") return edit;
    const made = { ...edit, path: now(edit.path), ...(edit.do === "move" ? { parent: now(edit.parent) } : {}) };
    const [, own, at = "0"] = parts(edit.path);
    gone.set(own, [...(gone.get(own) ?? []), Number(at)]);
    return made;
  });
}

/** Copies the command that makes the same edits. */
async function copyCommand(doc: Doc) {
  const lines = doc.applied().flatMap(({ edits, models, label }) => (edits && !models ? inOrder(edits).map((edit) => JSON.stringify(edit)) : [`# ${label}`]));
  await navigator.clipboard.writeText(`rezkit edit '${doc.name.replaceAll("'", "'\\''")}' <<'END'\n${lines.join("\n")}\nEND\n`);
  say("Copied the command.");
}

/** The line at the bottom: what is in the drawer, and the last message. */
export function StatusLine({ doc }: { doc?: Doc }) {
  const findings = doc?.findings.value;
  const errors = findings?.filter(({ severity }) => severity === "error").length ?? 0;
  const toggle = (name: NonNullable<typeof drawer.value>) => (drawer.value = drawer.value === name ? undefined : name);
  const losses = doc?.losses.value?.losses;
  const { text, bad } = message.value;
  return (
    <footer class="status">
      {doc?.kind.value && doc.status.value === "open" && !doc.inventory && (
        <div role="group" aria-label="Drawer">
          <button type="button" aria-expanded={drawer.value === "findings"} onClick={() => toggle("findings")}>
            {errors ? <CircleAlert size={14} class="icon red" /> : findings?.length ? <TriangleAlert size={14} class="icon yellow" /> : <CircleCheck size={14} class="icon green" />}
            {findings ? (findings.length ? many(number(findings), "finding") : "No findings") : doc.checked.value ? "Not checked" : "Checking …"}
          </button>
          {doc.kind.value.hasInstances && <button type="button" aria-expanded={drawer.value === "scripts"} onClick={() => toggle("scripts")}>Scripts</button>}
          {losses && <button type="button" aria-expanded={drawer.value === "losses"} onClick={() => toggle("losses")}>{many(new Set(losses.map(({ kind, what }) => `${kind} ${what}`)).size, "kind")} of losses</button>}
          <button type="button" aria-expanded={drawer.value === "changes"} onClick={() => toggle("changes")}>
            {doc.at.value ? many(doc.at.value, "edit") : "Differences"} {drawer.value ? <ChevronDown size={13} /> : <ChevronUp size={13} />}
          </button>
        </div>
      )}
      <p role="status" aria-live="polite" class={bad ? "bad" : ""}>{text}</p>
    </footer>
  );
}

export function Drawer({ doc }: { doc: Doc }) {
  const { value: name } = drawer;
  const titles = { findings: "Findings", losses: `Losses: ${doc.losses.value?.title ?? ""}`, changes: "Differences", scripts: "Find in scripts" };
  if (!name) return null;
  return (
    <section class="drawer" aria-label={titles[name]} tabIndex={0}>
      <header><h2>{titles[name]}</h2><Tool label="Close" run={() => (drawer.value = undefined)} /></header>
      {name === "findings" && <Findings doc={doc} />}
      {name === "losses" && <Losses doc={doc} losses={doc.losses.value?.losses ?? []} />}
      {name === "changes" && <Changes doc={doc} />}
      {name === "scripts" && doc.kind.value!.hasInstances && <Scripts doc={doc} />}
    </section>
  );
}
