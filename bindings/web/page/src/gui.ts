// Draws the user interfaces of Roblox on a canvas: frames, texts, images, and the layouts of them.

import { assetIn, numbers } from "./tree";

/** A GUI or an object in it, with the texts of its properties; of one in the world, the frames and the size of its part. */
export interface Gui {
  path: string;
  kind: string;
  at: Record<string, string>;
  children: Gui[];
  frames?: string[];
  size?: string;
}
type Flat = CanvasRenderingContext2D;
type Area = [x: number, y: number, width: number, height: number];
export type Images = Map<string, ImageBitmap>;

const number = (text: string | undefined, other = 0) => (Number.isFinite(Number(text)) && text ? Number(text) : other);
const css = (color: string | undefined, transparency = 0) => `rgb(${numbers(color ?? "0, 0, 0").slice(0, 3).map((value) => Math.round(value * 255)).join(" ")} / ${1 - transparency})`;
/** A length of a scale and an offset. */
const length = (text: string | undefined, of: number) => {
  const [scale = 0, offset = 0] = numbers(text);
  return scale * of + offset;
};
const pair = (text: string | undefined, [, , width, height]: Area) => {
  const [xs = 0, xo = 0, ys = 0, yo = 0] = numbers(text);
  return [xs * width + xo, ys * height + yo];
};
/** How far along what is left something of an alignment begins. */
const share = (alignment = "") => (/Center/.test(alignment) ? 0.5 : /Right|Bottom/.test(alignment) ? 1 : 0);
const isObject = ({ kind, at }: Gui) => /^(Frame|CanvasGroup|ScrollingFrame|ViewportFrame|VideoFrame|Text|Image)/.test(kind) && at.Visible !== "false";
const child = (gui: Gui, kind: string) => gui.children.find((one) => one.kind === kind && one.at.Enabled !== "false");

/** The names of the images that GUIs show. */
export const imagesOf = (guis: Gui[]): string[] => guis.flatMap((gui) => [assetIn(gui.at.ImageContent ?? gui.at.Image) ?? [], imagesOf(gui.children)].flat());

function sizeOf(gui: Gui, area: Area) {
  const [x, y, width, height] = area;
  const within: Area = gui.at.SizeConstraint === "RelativeXX" ? [x, y, width, width] : gui.at.SizeConstraint === "RelativeYY" ? [x, y, height, height] : area;
  let [w, h] = pair(gui.at.Size, within);
  const [limit, ratio] = [child(gui, "UISizeConstraint"), child(gui, "UIAspectRatioConstraint")];
  if (ratio) {
    const wanted = number(ratio.at.AspectRatio, 1) || 1;
    const isTall = ratio.at.AspectType === "ScaleWithParentSize" ? ratio.at.DominantAxis === "Height" : w / h > wanted;
    [w, h] = isTall ? [h * wanted, h] : [w, w / wanted];
  }
  if (limit) {
    const [[minX = 0, minY = 0], [maxX = Infinity, maxY = Infinity]] = [numbers(limit.at.MinSize), numbers(limit.at.MaxSize)];
    [w, h] = [Math.max(minX, Math.min(maxX, w)), Math.max(minY, Math.min(maxY, h))];
  }
  const scale = number(child(gui, "UIScale")?.at.Scale, 1);
  return [w * scale, h * scale];
}

/** Where the objects in one are. */
function places(gui: Gui, outer: Area): [Gui, Area][] {
  const padding = child(gui, "UIPadding")?.at ?? {};
  const [left, right] = [length(padding.PaddingLeft, outer[2]), length(padding.PaddingRight, outer[2])];
  const [top, bottom] = [length(padding.PaddingTop, outer[3]), length(padding.PaddingBottom, outer[3])];
  const area: Area = [outer[0] + left, outer[1] + top, outer[2] - left - right, outer[3] - top - bottom];
  const [x, y, width, height] = area;
  const objects = gui.children.filter(isObject);
  const [list, grid] = [child(gui, "UIListLayout")?.at, child(gui, "UIGridLayout")?.at];
  const layout = list ?? grid;
  if (!layout) {
    return objects.map((one) => {
      const [[w, h], [left, top], [ax = 0, ay = 0]] = [sizeOf(one, area), pair(one.at.Position, area), numbers(one.at.AnchorPoint)];
      return [one, [x + left - ax * w, y + top - ay * h, w, h]];
    });
  }
  if (layout.SortOrder === "LayoutOrder") objects.sort((a, b) => number(a.at.LayoutOrder) - number(b.at.LayoutOrder));
  else objects.sort((a, b) => (a.at.Name ?? "").localeCompare(b.at.Name ?? ""));
  const isAcross = layout.FillDirection === "Horizontal";
  const [alongX, alongY] = [share(layout.HorizontalAlignment), share(layout.VerticalAlignment)];
  if (grid) {
    const [[w, h], [gapX, gapY]] = [pair(grid.CellSize, area), pair(grid.CellPadding, area)];
    const fits = Math.max(1, Math.floor(isAcross ? (width + gapX) / (w + gapX) : (height + gapY) / (h + gapY)));
    const most = Math.min(fits, number(grid.FillDirectionMaxCells) || fits);
    const rows = Math.ceil(objects.length / most);
    const [columns, lines] = isAcross ? [Math.min(most, objects.length), rows] : [rows, Math.min(most, objects.length)];
    const [startX, startY] = [x + (width - columns * (w + gapX) + gapX) * alongX, y + (height - lines * (h + gapY) + gapY) * alongY];
    return objects.map((one, at) => {
      const [column, line] = isAcross ? [at % most, Math.floor(at / most)] : [Math.floor(at / most), at % most];
      return [one, [startX + column * (w + gapX), startY + line * (h + gapY), w, h]];
    });
  }
  const gap = length(layout.Padding, isAcross ? width : height);
  const sizes = objects.map((one) => sizeOf(one, area));
  const all = sizes.reduce((sum, [w, h]) => sum + (isAcross ? w : h) + gap, -gap);
  let next = isAcross ? x + (width - all) * alongX : y + (height - all) * alongY;
  return objects.map((one, at) => {
    const [w, h] = sizes[at];
    const place: Area = isAcross ? [next, y + (height - h) * alongY, w, h] : [x + (width - w) * alongX, next, w, h];
    next += (isAcross ? w : h) + gap;
    return [one, place];
  });
}

/** A colour, or the gradient that is multiplied with it. */
function fill(flat: Flat, gui: Gui, [x, y, w, h]: Area, color: string | undefined, transparency: number) {
  const gradient = child(gui, "UIGradient");
  if (!gradient) return css(color, transparency);
  const angle = (number(gradient.at.Rotation) * Math.PI) / 180;
  const [dx, dy] = [(Math.cos(angle) * w) / 2, (Math.sin(angle) * h) / 2];
  const made = flat.createLinearGradient(x + w / 2 - dx, y + h / 2 - dy, x + w / 2 + dx, y + h / 2 + dy);
  const base = numbers(color ?? "1, 1, 1");
  const keys = (text = "") => text.split(";").map(numbers);
  const clear = keys(gradient.at.Transparency);
  for (const [time, ...rgb] of keys(gradient.at.Color)) {
    if (!(time >= 0 && time <= 1)) continue;
    const [, own = 0] = clear.findLast(([at]) => at <= time) ?? [];
    made.addColorStop(time, css(base.map((value, at) => value * (rgb[at] ?? 1)).join(), 1 - (1 - transparency) * (1 - own)));
  }
  return made;
}

const FAMILIES: [RegExp, string][] = [[/Mono|Code|Inconsolata/, "ui-monospace, Menlo, Consolas, monospace"], [/Merriweather|Garamond|Bodoni|Antique|Serif|Grenze|Kalam/, "Georgia, serif"], [/./, "system-ui, sans-serif"]];

function text(flat: Flat, gui: Gui, [x, y, w, h]: Area) {
  const { at } = gui;
  const isHint = !at.Text && gui.kind === "TextBox";
  let content = (isHint ? at.PlaceholderText : at.Text) ?? "";
  if (at.RichText === "true") content = content.replace(/<br\s*\/?>/g, "\n").replace(/<[^>]*>/g, "").replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ({ lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" })[name]!);
  if (!content) return;
  const face = `${at.FontFace ?? ""} ${at.Font ?? ""}`;
  const [, weight = /Bold/.test(at.Font ?? "") ? "700" : "400"] = /,\s*(\d{3})\b/.exec(at.FontFace ?? "") ?? [];
  const font = (size: number) => `${/Italic/.test(face) ? "italic " : ""}${weight} ${size}px ${FAMILIES.find(([known]) => known.test(face))![1]}`;
  const isScaled = at.TextScaled === "true";
  const lines = (size: number) => {
    flat.font = font(size);
    if (at.TextWrapped !== "true" && !isScaled) return content.split("\n");
    return content.split("\n").flatMap((line) => {
      const made = [""];
      for (const word of line.split(/(?<=\s)/)) {
        if (made.at(-1) && flat.measureText(made.at(-1) + word.trimEnd()).width > w) made.push(word);
        else made[made.length - 1] += word;
      }
      return made;
    });
  };
  // A letter of Roblox's fonts is about as high as 0.87 of one of a browser's.
  let size = Math.min(100, isScaled ? h : number(at.TextSize, 14)) * 0.87;
  const spacing = number(at.LineHeight, 1) * 1.15;
  const fits = (all: string[]) => all.length * size * spacing <= h + 1 && all.every((line) => flat.measureText(line.trimEnd()).width <= w + 1);
  while (isScaled && size > 4 && !fits(lines(size))) size *= 0.93;
  const all = lines(size);
  const [alongX, alongY] = [share(at.TextXAlignment), share(at.TextYAlignment ?? "Center")];
  flat.textAlign = (["left", "center", "right"] as const)[alongX * 2];
  flat.textBaseline = "middle";
  const top = y + (h - all.length * size * spacing) * alongY;
  flat.fillStyle = css(isHint ? at.PlaceholderColor3 : at.TextColor3, number(at.TextTransparency));
  all.forEach((line, row) => {
    const place = [line.trimEnd(), x + w * alongX, top + (row + 0.5) * size * spacing] as const;
    if (number(at.TextStrokeTransparency, 1) < 1) {
      Object.assign(flat, { lineWidth: 2, strokeStyle: css(at.TextStrokeColor3, number(at.TextStrokeTransparency)) });
      flat.strokeText(...place);
    }
    flat.fillText(...place);
  });
}

function image(flat: Flat, { at }: Gui, [x, y, w, h]: Area, images: Images) {
  const found = images.get(assetIn(at.ImageContent ?? at.Image) ?? "");
  if (!found || w < 1 || h < 1) return;
  const [[left = 0, top = 0], [ownW = 0, ownH = 0]] = [numbers(at.ImageRectOffset), numbers(at.ImageRectSize)];
  const [width, height] = [ownW || found.width, ownH || found.height];
  // The image in its colour.
  const tinted = new OffscreenCanvas(width, height);
  const made = tinted.getContext("2d")!;
  made.drawImage(found, left, top, width, height, 0, 0, width, height);
  made.globalCompositeOperation = "multiply";
  made.fillStyle = css(at.ImageColor3 ?? "1, 1, 1");
  made.fillRect(0, 0, width, height);
  made.globalCompositeOperation = "destination-in";
  made.drawImage(found, left, top, width, height, 0, 0, width, height);
  flat.globalAlpha *= 1 - number(at.ImageTransparency);
  const scale = at.ScaleType === "Fit" ? Math.min(w / width, h / height) : Math.max(w / width, h / height);
  if (at.ScaleType === "Fit" || at.ScaleType === "Crop") {
    flat.beginPath();
    flat.rect(x, y, w, h);
    flat.clip();
    flat.drawImage(tinted, x + (w - width * scale) / 2, y + (h - height * scale) / 2, width * scale, height * scale);
  } else if (at.ScaleType === "Tile") {
    const [tileW, tileH] = pair(at.TileSize, [x, y, w, h]).map((size) => Math.max(size, 1));
    const pattern = flat.createPattern(tinted, "repeat")!;
    pattern.setTransform(new DOMMatrix().translate(x, y).scale(tileW / width, tileH / height));
    flat.fillStyle = pattern;
    flat.fillRect(x, y, w, h);
  } else if (at.ScaleType === "Slice") {
    const [x0 = 0, y0 = 0, x1 = width, y1 = height] = numbers(at.SliceCenter);
    const factor = number(at.SliceScale, 1);
    const cuts = (from: number, to: number, of: number, start: number, room: number) => [[0, from, start, from * factor], [from, to - from, start + from * factor, room - (from + of - to) * factor], [to, of - to, start + room - (of - to) * factor, (of - to) * factor]];
    for (const [sx, sw, dx, dw] of cuts(x0, x1, width, x, w)) for (const [sy, sh, dy, dh] of cuts(y0, y1, height, y, h)) if (sw > 0 && sh > 0 && dw > 0 && dh > 0) flat.drawImage(tinted, sx, sy, sw, sh, dx, dy, dw, dh);
  } else flat.drawImage(tinted, x, y, w, h);
}

function paint(flat: Flat, gui: Gui, area: Area, images: Images) {
  const { at } = gui;
  const [x, y, w, h] = area;
  flat.save();
  const turn = number(at.Rotation);
  if (turn) {
    flat.translate(x + w / 2, y + h / 2);
    flat.rotate((turn * Math.PI) / 180);
    flat.translate(-x - w / 2, -y - h / 2);
  }
  if (gui.kind === "CanvasGroup") flat.globalAlpha *= 1 - number(at.GroupTransparency);
  const corner = child(gui, "UICorner");
  const radius = corner ? Math.max(0, Math.min(length(corner.at.CornerRadius, Math.min(w, h)), w / 2, h / 2)) : 0;
  const shape = () => {
    flat.beginPath();
    flat.roundRect(x, y, w, h, radius);
  };
  const transparency = number(at.BackgroundTransparency);
  if (transparency < 1 && w > 0 && h > 0) {
    shape();
    flat.fillStyle = fill(flat, gui, area, at.BackgroundColor3, transparency);
    flat.fill();
    const border = number(at.BorderSizePixel);
    Object.assign(flat, { lineWidth: border, strokeStyle: css(at.BorderColor3, transparency) });
    if (border && !corner) flat.strokeRect(x - border / 2, y - border / 2, w + border, h + border);
  }
  for (const stroke of gui.children.filter(({ kind, at }) => kind === "UIStroke" && at.Enabled !== "false")) {
    if (stroke.at.ApplyStrokeMode !== "Border" && /^Text/.test(gui.kind)) continue;
    shape();
    Object.assign(flat, { lineWidth: number(stroke.at.Thickness, 1), strokeStyle: fill(flat, stroke, area, stroke.at.Color, number(stroke.at.Transparency)) });
    flat.stroke();
  }
  if (at.ClipsDescendants === "true" || gui.kind === "ScrollingFrame") {
    shape();
    flat.clip();
  }
  flat.save();
  if (/^Text/.test(gui.kind)) text(flat, gui, area);
  if (/^Image/.test(gui.kind)) image(flat, gui, area, images);
  flat.restore();
  inside(flat, gui, area, images);
  flat.restore();
}

/** Draws what is in a GUI, in the order of ZIndex. */
function inside(flat: Flat, gui: Gui, [x, y, w, h]: Area, images: Images) {
  const [left = 0, top = 0] = gui.kind === "ScrollingFrame" ? numbers(gui.at.CanvasPosition) : [];
  const all = places(gui, [x - left, y - top, w, h]);
  for (const [one, area] of all.sort(([a], [b]) => number(a.at.ZIndex, 1) - number(b.at.ZIndex, 1))) paint(flat, one, area, images);
}

/** Draws GUIs over one another on a canvas. */
export function draw(canvas: HTMLCanvasElement, guis: Gui[], images: Images, [width = 1, height = 1]: number[]) {
  const flat = canvas.getContext("2d") as Flat;
  flat.setTransform(canvas.width / width, 0, 0, canvas.height / height, 0, 0);
  flat.clearRect(0, 0, width, height);
  const order = (gui: Gui) => number(gui.at.DisplayOrder);
  for (const gui of [...guis].sort((a, b) => order(a) - order(b))) inside(flat, gui, [0, 0, width, height], images);
}
