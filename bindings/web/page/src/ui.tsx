// The elements that the panels share.

import { effect, signal } from "@preact/signals";
import { X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** The dialog that is shown. */
export const dialog = signal<"insert" | "convert" | "paste" | "help" | undefined>(undefined);

/** The rigs that the engine knows by name. */
export const RIGS = ["R6", "R15", "Rthro", "Rthro-narrow", "bento", "classic", "mixamo", "vrm", "vroid", "rigify", "unreal", "makehuman", "daz"].map((name) => [name, name] as const);

/** What arrow keys and others turn a view by, in steps, and the factor of the distance. */
export const TURNS: Record<string, [number, number, number]> = {
  ArrowLeft: [-1, 0, 1],
  ArrowRight: [1, 0, 1],
  ArrowUp: [0, -1, 1],
  ArrowDown: [0, 1, 1],
  "+": [0, 0, 1 / 1.18],
  "=": [0, 0, 1 / 1.18],
  "-": [0, 0, 1.18],
};

/** Runs something again when something changes. It is told whether it is still wanted, and says what is done when it is not. */
export function useTask(run: (isWanted: () => boolean, atEnd: (end: () => void) => void) => Promise<unknown>, of: unknown[], fail: (error: any) => unknown = () => {}) {
  useEffect(() => {
    let isWanted = true;
    const ends: (() => void)[] = [];
    run(() => isWanted, (end) => (isWanted ? ends.push(end) : end())).catch((error) => isWanted && fail(error));
    return () => {
      isWanted = false;
      for (const end of ends) end();
    };
  }, of);
}

/** The answer to a question that is asked again when something changes; until then the last one. */
export function useAnswer<T>(ask: () => Promise<T> | undefined, of: unknown[], fail: (error: any) => unknown) {
  const [answer, set] = useState<T>();
  const find = async (isWanted: () => boolean) => {
    const found = await ask();
    if (isWanted()) set(() => found);
  };
  useTask(find, of, fail);
  return answer;
}

/** A signal that is kept over visits. */
export function stored<T extends object>(name: string, value: T) {
  const made = signal<T>({ ...value, ...JSON.parse(localStorage.getItem(name) ?? "{}") });
  effect(() => localStorage.setItem(name, JSON.stringify(made.value)));
  return made;
}

/** Names and titles of options. */
export type Options = readonly (readonly [string, string])[] | Record<string, string>;

interface Choosing {
  label: string;
  value: string;
  options: Options;
  set: (value: string) => void;
}

export function Select({ label, value, options, set }: Choosing) {
  return (
    <select aria-label={label} value={value} onChange={(event) => set(event.currentTarget.value)}>
      {(Array.isArray(options) ? options : Object.entries(options)).map(([one, title]) => <option key={one} value={one}>{title}</option>)}
    </select>
  );
}

/** A selection with its label before it. */
export const Choice = (choosing: Choosing) => <label>{choosing.label}<Select {...choosing} /></label>;

export function Check({ label, value, set }: { label: string; value: boolean; set: (value: boolean) => void }) {
  return <label><input type="checkbox" checked={value} onChange={(event) => set(event.currentTarget.checked)} /> {label}</label>;
}

/** A button with an icon. Keys in brackets are only in its title. */
export function Tool({ label, run, of = "plain", children, ...more }: { label: string; run?: () => unknown; of?: string; children?: ComponentChildren; [more: string]: unknown }) {
  return (
    <button type="button" class={of} title={label} aria-label={label.replace(/ \(.*/, "")} onClick={() => run?.()} {...more}>{children ?? <X size={14} />}</button>
  );
}

export function Table({ heads, rows }: { heads: string[]; rows: ComponentChildren[][] }) {
  return (
    <table>
      <thead><tr>{heads.map((head) => <th scope="col" key={head}>{head}</th>)}</tr></thead>
      <tbody>{rows.map((cells, at) => <tr key={at}>{cells.map((cell, column) => <td key={column}>{cell}</td>)}</tr>)}</tbody>
    </table>
  );
}

export interface Command {
  name: string;
  icon: ComponentChildren;
  run: () => unknown;
  key?: string;
  isDisabled?: boolean;
}

/** A menu at a place, with arrow keys. */
export function Menu({ label, x, y, commands, close }: { label: string; x: number; y: number; commands: Command[]; close: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  const items = () => [...ref.current!.querySelectorAll<HTMLElement>("[role=menuitem]:not(:disabled)")];
  useEffect(() => items()[0]?.focus(), []);
  const key = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") return close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = items();
    all[(all.indexOf(document.activeElement as HTMLElement) + step + all.length) % all.length].focus();
  };
  const style = { left: Math.min(x, innerWidth - 210), top: Math.min(y, innerHeight - 240) };
  return (
    <div class="menu-back" onClick={close} onContextMenu={(event) => (event.preventDefault(), close())}>
      <div ref={ref} class="menu" role="menu" aria-label={label} style={style} onKeyDown={key}>
        {commands.map(({ name, icon, run, key, isDisabled }) => (
          <button key={name} type="button" role="menuitem" disabled={isDisabled} onClick={() => (close(), run())}>{icon} <span>{name}</span> <kbd>{key}</kbd></button>
        ))}
      </div>
    </div>
  );
}
