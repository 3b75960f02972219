// Collects the files that the user drops or chooses, including all files in folders.

/** The files of a drop, with their paths. */
export async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ file, path: file.name }));
  const found = [];
  // A stack instead of recursion, so that deep folders cannot overflow the call stack.
  const open = entries.reverse();
  while (open.length) {
    const entry = open.pop();
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      found.push({ file, path: entry.fullPath.replace(/^\//, "") });
      continue;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (!some.length) break;
      open.push(...some.reverse());
    }
  }
  return found;
}

/** The files of an input element, with their paths. */
export const chosen = (input) =>
  [...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
