// What the extension and the page in a webview tell each other.

/** A step of the page without blobs. The extension only keeps it. */
export type Packed = { id: number; label: string };

export type ToPage = { call: "open" | "go" | "bytes" | "compare"; id: number; args: unknown[] };

export type FromPage =
  | { event: "ready" }
  | { event: "edited"; step: Packed; at: number }
  | { event: "download"; name: string; bytes: Uint8Array }
  | { event: "answer"; id: number; result?: unknown; error?: string };
