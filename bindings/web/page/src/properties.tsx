// The properties of what is selected, with an editor for each type.

import { ChevronRight, CornerDownRight, ExternalLink, Plus } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { count, type Doc, type Edit, nameOf, plain, type Property, type Row, say, sentence } from "./files";
import { CLOSED, inGroups } from "./groups";
import { ClassIcon, isA } from "./icons";
import { assetIn, numbers, short } from "./tree";
import { Select, stored, Tool, useAnswer, useTask } from "./ui";

/** Groups that the user opened or closed. */
const toggled = stored<Record<string, boolean>>("groups", {});

/** A property, and the other texts that it has at the other selected nodes. */
type Common = Property & { others?: string[] };
/** A text, or what makes one of the present text of each selected node. */
type Made = string | ((own: string) => string);

interface Editing {
  doc: Doc;
  property: Common;
  label: string;
  /** Sets the value. Rejected values are reported below the editor. */
  set: (value: Made) => void;
  error?: string;
}

const MIXED = "—";
/** How many selected nodes are compared, spread over all of them. */
const MOST = 250;
/** A fact with more names than these is closed. */
const LIST = 6;
const isMixed = ({ others, text, summary }: Common) => others?.some((other) => other !== (text ?? summary)) ?? false;

/** Whether a field shows what it was given or set last. */
export const isClean = ({ value, defaultValue }: HTMLInputElement) => value === defaultValue;

/**
 * A field that sets its value when it loses the focus or on Enter; of several lines, only when it loses the focus. Escape
 * restores the value. `of` is the answer that the value is from.
 */
export function Field({ value, label, set, error, of, type = "text", more }: { value: string; label: string; set: (value: string) => void; error?: string; of: Property; type?: string; more?: object }) {
  const box = useRef<HTMLInputElement>(null);
  const Box = (type === "lines" ? "textarea" : "input") as "input";
  // What was set is not set again when the field loses the focus, although the file does not have it yet.
  const commit = ({ currentTarget: now }: { currentTarget: HTMLInputElement }) => {
    if (isClean(now)) return;
    // A number field is empty if its text is no number.
    if (type === "number" && !now.value) now.value = now.defaultValue;
    else set((now.defaultValue = now.value));
  };
  const show = () => {
    box.current!.value = value;
    // The browser may show another text: without line ends, or with others.
    box.current!.defaultValue = box.current!.value;
  };
  // Before the field can lose the focus: it would set what was undone.
  useLayoutEffect(() => (error ? undefined : show()), [value, error]);
  // What was set may be undone before it was read: the value is the same then, but the answer is another one.
  useLayoutEffect(() => (isClean(box.current!) ? show() : undefined), [of]);
  return (
    <Box
      ref={box} {...(type === "lines" ? { rows: 3 } : { type, step: "any" })} spellcheck={false} autocomplete="off" aria-label={label} aria-invalid={error ? "true" : undefined}
      onBlur={commit} onFocus={(event) => event.currentTarget.select()}
      onKeyDown={(event) => {
        if (event.key === "Enter" && type !== "lines") commit(event);
        if (event.key === "Escape") event.currentTarget.value = event.currentTarget.defaultValue;
      }} {...more}
    />
  );
}

const AXES: Record<string, string[]> = {
  Vector2: ["X", "Y"],
  Vector3: ["X", "Y", "Z"],
  Vector2int16: ["X", "Y"],
  Vector3int16: ["X", "Y", "Z"],
  UDim: ["Scale", "Offset"],
  UDim2: ["X scale", "X offset", "Y scale", "Y offset"],
  NumberRange: ["Min", "Max"],
  Rect: ["Min X", "Min Y", "Max X", "Max Y"],
  Ray: ["Origin X", "Origin Y", "Origin Z", "Direction X", "Direction Y", "Direction Z"],
};

/** A field for each number of a value; `of` gets the numbers from a text, and `to` makes the text again. */
function Numbers({ editing, axes, label, of = numbers, to = (now) => now.join(", ") }: { editing: Editing; axes: string[]; label: string; of?: (text: string) => number[]; to?: (now: number[], own: string) => string }) {
  const all = [editing.property.text!, ...(editing.property.others ?? [])].map(of);
  const change = (at: number, text: string) => text.trim() && editing.set((own) => to(of(own).map((value, other) => (other === at ? Number(text) : value)), own));
  const value = (at: number) => (all.every((values) => values[at] === all[0][at]) ? short(all[0][at]) : "");
  return (
    <span class={`numbers of-${Math.min(axes.length, 4)}`}>
      {axes.map((axis, at) => (
        <Field key={axis} type="number" label={`${label} ${axis}`} value={value(at)} set={(text) => change(at, text)} error={editing.error} of={editing.property} more={{ title: axis, "data-axis": axis[0], placeholder: value(at) ? undefined : MIXED }} />
      ))}
    </span>
  );
}

const DEGREES = 180 / Math.PI;

/** The angles about x, y and z in degrees, applied in the order y, x, z, as Studio shows them. */
function angles(r: number[]) {
  const x = Math.asin(Math.max(-1, Math.min(1, -r[5])));
  const isUp = Math.abs(r[5]) > 0.999999;
  const y = isUp ? Math.atan2(-r[6], r[0]) : Math.atan2(r[2], r[8]);
  return [x, y, isUp ? 0 : Math.atan2(r[3], r[4])].map((angle) => Number((angle * DEGREES).toFixed(3)) + 0);
}

function rotation(degrees: number[]) {
  const [[sx, cx], [sy, cy], [sz, cz]] = degrees.map((angle) => [Math.sin(angle / DEGREES), Math.cos(angle / DEGREES)]);
  const rows = [cy * cz + sy * sx * sz, sy * sx * cz - cy * sz, sy * cx, cx * sz, cx * cz, -sx, cy * sx * sz - sy * cz, sy * sz + cy * sx * cz, cy * cx];
  // Right angles give exact numbers.
  return rows.map((number) => (Math.abs(number - Math.round(number)) < 1e-12 ? Math.round(number) + 0 : number));
}

function Frame({ editing }: { editing: Editing }) {
  const { label } = editing;
  const axes = AXES.Vector3;
  // A frame without a rotation is three numbers.
  const matrix = (text: string) => [...numbers(text).slice(3), ...rotation([0, 0, 0])].slice(0, 9);
  const position = (text: string) => numbers(text).slice(0, 3);
  return (
    <span class="frame">
      <small>Position</small>
      <Numbers editing={editing} axes={axes} label={`${label} position`} of={position} to={(now, own) => [...now, ...numbers(own).slice(3)].join(", ")} />
      <small>Orientation</small>
      <Numbers editing={editing} axes={axes} label={`${label} orientation`} of={(text) => angles(matrix(text))} to={(now, own) => [...position(own), ...rotation(now)].join(", ")} />
    </span>
  );
}

function Colour({ editing }: { editing: Editing }) {
  const { property, label, set } = editing;
  const scale = property.kind === "Color3" ? 255 : 1;
  const values = numbers(property.text!).map((value) => Math.round(value * scale));
  const hex = `#${values.map((value) => Math.max(0, Math.min(255, value)).toString(16).padStart(2, "0")).join("")}`;
  const put = (now: number[]) => set(now.map((value) => (scale === 1 ? value : short(value / 255))).join(", "));
  const ofHex = (text: string) => put([1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)));
  return (
    <span class="colour">
      <input type="color" aria-label={label} value={hex} onChange={(event) => ofHex(event.currentTarget.value)} />
      <Field label={`${label}, red, green, blue`} value={isMixed(property) ? "" : values.join(", ")} more={{ placeholder: MIXED }} error={editing.error} of={property} set={(text) => (/^#[0-9a-f]{6}$/i.test(text) ? ofHex(text) : put(numbers(text)))} />
    </span>
  );
}

/** A reference to an asset: the text, and its picture if the file is among the open ones. */
function AssetId({ editing }: { editing: Editing }) {
  const { doc, property, label, set } = editing;
  const [url, setUrl] = useState<string>();
  const id = assetIn(property.text ?? "");
  useTask(async (isWanted, atEnd) => {
    const bytes: any = id && (await doc.ask("sibling", [id], 3));
    const made = bytes && isWanted() ? URL.createObjectURL(new Blob([bytes])) : undefined;
    setUrl(made);
    if (made) atEnd(() => URL.revokeObjectURL(made));
  }, [id]);
  return (
    <span class="asset">
      {url && <img src={url} alt="" width={22} height={22} onError={() => setUrl(undefined)} />}
      <Field label={label} value={property.text!} error={editing.error} of={property} set={set} />
    </span>
  );
}

function Tags({ editing }: { editing: Editing }) {
  const { property, label, set } = editing;
  // The engine shows tags as strings in quotes.
  const quoted = (property.text ?? property.summary).matchAll(/"((?:[^"\\]|\\.)+)"/g);
  const tags = [...quoted].map(([, tag]) => tag.replace(/\\(.)/g, "$1"));
  return (
    <span class="tags">
      {tags.map((tag) => (
        <span class="tag" key={tag}>{plain(tag)}<Tool label={`Remove the tag ${plain(tag)}`} run={() => set(`-${tag}`)} /></span>
      ))}
      <input
        aria-label={`${label}: add a tag`} placeholder="Add a tag"
        onKeyDown={(event) => {
          const { value } = event.currentTarget;
          if (event.key === "Enter" && value.trim()) {
            set(`+${value.trim()}`);
            event.currentTarget.value = "";
          }
        }}
      />
    </span>
  );
}

/** Chooses the editor of a value. */
function Editor({ editing }: { editing: Editing }) {
  const { property, label, set, doc, error } = editing;
  const { kind, items, summary } = property;
  const mixed = isMixed(property);
  // A field of different values is empty.
  const text = mixed && property.text !== null ? "" : property.text;
  if (property.title === "Tags" && doc.kind.value!.hasInstances) return <Tags editing={editing} />;
  if (text === null) {
    return <span class="long"><bdi>{plain(summary)}</bdi></span>;
  }
  if (/^bool(ean)?$/i.test(kind)) {
    return <input type="checkbox" aria-label={label} checked={text === "true"} indeterminate={mixed} onChange={(event) => set(String(event.currentTarget.checked))} />;
  }
  if (items) {
    const all = items.includes(text) ? items : [text, ...items];
    return <Select label={label} value={text} set={set} options={all.map((item) => [item, item || MIXED])} />;
  }
  const field = { label, value: text, set, error, of: property, more: mixed ? { placeholder: MIXED } : {} };
  const alike = [property.text!, ...(property.others ?? [])].map(numbers);
  const isOf = (...counts: number[]) => alike.every((numbers) => counts.includes(numbers.length) && numbers.every(Number.isFinite));
  if (/^Color3(uint8)?$/.test(kind) && isOf(3)) return <Colour editing={editing} />;
  if (/^(Optional)?(CFrame|CoordinateFrame)$/.test(kind) && isOf(3, 12)) return <Frame editing={editing} />;
  const axes = AXES[kind];
  if (axes && isOf(axes.length)) return <Numbers editing={editing} axes={axes} label={label} />;
  if (/^(Content|ContentId)$/.test(kind) || /(^|\.)(MeshId|TextureID|Texture|Image|SoundId)$/.test(property.name)) return <AssetId editing={editing} />;
  if (kind === "Ref") {
    return (
      <span class="asset">
        <Field {...field} />
        {text !== "null" && text && (
          <Tool label={`Select ${plain(text)}`} run={() => doc.reveal(text)}><CornerDownRight size={14} /></Tool>
        )}
      </span>
    );
  }
  if (/^(int|float|double|integer|real|Int32|Int64|Float32|Float64)/i.test(kind) && Number.isFinite(Number(text))) {
    return <Field {...field} type="number" set={(now) => now.trim() && set(now)} />;
  }
  if (text.includes("\n")) return <Field {...field} type="lines" set={(now) => set(text.includes("\r\n") ? now.replaceAll("\n", "\r\n") : now)} />;
  return <Field {...field} />;
}

function Line({ doc, paths, property, title = property.title || property.name }: { doc: Doc; paths: string[]; property: Common; title?: ComponentChildren }) {
  const [error, setError] = useState<string>();
  const { name, kind, source, fields } = property;
  const label = plain(typeof title === "string" && title ? title : name || "Value");
  const set = async (made: Made) => {
    const rename = name === "Name" && doc.kind.value!.hasInstances;
    const of = paths.length > 1 ? ` of ${count(paths.length)} instances` : "";
    // Of a value that another one is made of, the present one counts, which the page may not have read yet.
    const edits = async () => {
      const texts: (string | null)[] = typeof made === "string" ? [] : await doc.ask("texts", [paths, name], 0);
      return paths.flatMap((path, at): Edit[] => {
        const value = typeof made === "string" ? made : texts[at] ? made(texts[at]) : undefined;
        if (value === undefined) return [];
        return [rename ? { do: "rename", path, name: value } : { do: "set", path: name ? `${path}.${name}` : path, value }];
      });
    };
    try {
      setError(undefined);
      await doc.edit(`Set ${label}${of}`, edits, rename ? {} : { of: paths, names: [name.split(".")[0]] });
    } catch (failed) {
      setError(sentence(failed));
    }
  };
  const isLong = property.text === null && !fields;
  return (
    <div class={`property ${source}`} title={`${name} (${kind})${source === "default" ? ", the default: the file does not store it" : ""}`}>
      <span class="title">{title || name || "Value"}</span>
      <span class="editor">
        <Editor editing={{ doc, property, label, set, error }} />
        {isLong && (
          <Tool label={`Show ${label}`} run={() => (doc.mode.value = `text:${paths[0]}${name ? `.${name}` : ""}`)}><ExternalLink size={13} /></Tool>
        )}
        {error && <small class="bad" role="alert">{error}</small>}
      </span>
    </div>
  );
}

/** Attributes: a line for each, and one to add one. */
function Attributes({ doc, paths, property }: { doc: Doc; paths: string[]; property: Property }) {
  const at = property.name || "Attributes";
  const change = (label: string, edit: (path: string) => Edit) => doc.edit(label, paths.map(edit), { of: paths, names: ["Attributes"] }).catch(() => {});
  return (
    <>
      {(property.fields ?? []).map((field) => (
        <div class="attribute" key={field.name}>
          <Line doc={doc} paths={paths} property={{ ...field, name: `${at}.${field.name}`, title: field.name }} />
          <Tool label={`Remove the attribute ${plain(field.name)}`} run={() => change(`Removed the attribute ${field.name}`, (path) => ({ do: "attribute", path, name: field.name }))} />
        </div>
      ))}
      <form
        class="add"
        onSubmit={(event) => {
          event.preventDefault();
          const [name, value] = [...event.currentTarget.querySelectorAll("input")].map((input) => input.value.trim());
          if (!/^[\w .:/-]+$/.test(name)) return say("Give the attribute a name of letters, digits and _.", true);
          const kind = /^(true|false)$/.test(value) ? "bool" : value && Number.isFinite(Number(value)) ? "float64" : "string";
          event.currentTarget.reset();
          void change(`Added the attribute ${name}`, (path) => ({ do: "set", path: `${path}.${at}.${name}`, value, kind }));
        }}
      >
        <input aria-label="Name of a new attribute" placeholder="New attribute" />
        <input aria-label="Value of a new attribute" placeholder="Value" />
        <button type="submit" class="plain" aria-label="Add the attribute"><Plus size={14} /></button>
      </form>
    </>
  );
}

function Group({ name, children }: { name: string; children: ComponentChildren }) {
  const isOpen = toggled.value[name] ?? !CLOSED.has(name);
  const toggle = () => (toggled.value = { ...toggled.value, [name]: !isOpen });
  return (
    <section class="group">
      <h2><button type="button" aria-expanded={isOpen} onClick={toggle}><ChevronRight size={14} class={isOpen ? "open" : ""} /> {name}</button></h2>
      {isOpen && children}
    </section>
  );
}

/** Facts about the file, if nothing is selected. */
function Facts({ doc }: { doc: Doc }) {
  const { value: info } = doc.info;
  const { value: kind } = doc.kind;
  const shown = (value: unknown) => {
    if (typeof value === "number") return count(value);
    if (Array.isArray(value) && Array.isArray(value[0])) return value.map((point) => `(${point.map((at: number) => short(at)).join(", ")})`).join(" – ");
    return plain(Array.isArray(value) ? value.join(", ") : value);
  };
  /** A long list is closed, so that it does not hide what stands below. */
  const fact = (value: unknown) =>
    Array.isArray(value) && typeof value[0] === "string" && value.length > LIST ? <details><summary>{count(value.length)} entries</summary>{shown(value)}</details> : shown(value);
  return (
    <div class="facts">
      <h2>{plain(doc.name)}</h2>
      <dl>
        <dt>Format</dt>
        <dd>{`${kind?.title ?? ""} ${kind?.version ?? ""}`}</dd>
        <dt>Size</dt>
        <dd>{count(doc.file.size)} bytes</dd>
        {info ? (
          Object.entries(info.facts).flatMap(([name, value]) => [<dt key={name}>{name.charAt(0).toUpperCase() + name.slice(1)}</dt>, <dd key={`${name}=`}>{fact(value)}</dd>])
        ) : <dd class="dim">Counting …</dd>}
      </dl>
    </div>
  );
}

export function Properties({ doc }: { doc: Doc }) {
  const [filter, setFilter] = useState("");
  const chosen = doc.selection.value;
  const read = async () => {
    const all = chosen.length > 1 ? doc.ask("common", [chosen.filter((_, at) => at % Math.ceil(chosen.length / MOST) === 0)], 1) : doc.ask("properties", [chosen[0]], 0);
    const [properties, { kind }] = await Promise.all([all as Promise<Property[]>, doc.ask<Row>("node", [chosen[0]], 0)]);
    return { paths: chosen, kind, properties };
  };
  const shown = useAnswer(() => (chosen.length ? read().catch(() => undefined) : undefined), [doc, doc.version.value, chosen], () => {});
  if (!chosen.length || !shown) return <Facts doc={doc} />;
  // Until the properties of a new selection are there, those of the last one are shown and changed.
  const { paths, kind, properties } = shown;
  const path = paths[0];
  const hasInstances = doc.kind.value!.hasInstances;
  // Of `brickColor` and `BrickColor`, the first is an old name of the other.
  const titles = new Set(properties.map(({ title }) => title));
  const isOld = (title: string) => /^[a-z]/.test(title) && titles.has(title.charAt(0).toUpperCase() + title.slice(1));
  const fits = properties.filter(({ title, name }) => !isOld(title) && `${title || name}`.toLowerCase().includes(filter.toLowerCase()));
  const line = (property: Property) => {
    const key = `${path}.${property.name}`;
    if (hasInstances && /^Attributes/.test(property.title)) {
      return (
        <div key={key}><div class="property"><span class="title">Attributes</span></div><Attributes doc={doc} paths={paths} property={property} /></div>
      );
    }
    return <Line key={key} doc={doc} paths={paths} property={property} />;
  };
  return (
    <div class="properties">
      <p class="heading">
        <ClassIcon kind={kind} /> <b>{kind}</b> <bdi>{paths.length > 1 ? `and ${count(paths.length - 1)} more` : `“${plain(nameOf(path))}”`}</bdi>
        {isA(kind, "LuaSourceContainer") && doc.mode.value !== "script" && <button type="button" onClick={() => (doc.mode.value = "script")}>Open</button>}
      </p>
      {properties.length > 8 && <input class="filter" type="search" aria-label="Filter properties" placeholder="Filter properties" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />}
      {hasInstances
        ? inGroups(fits).map(([group, all]) => (
            <Group key={group} name={group}>{all.map(line)}</Group>
          ))
        : fits.map(line)}
      {!properties.length && <p class="dim">No values of its own.</p>}
    </div>
  );
}
