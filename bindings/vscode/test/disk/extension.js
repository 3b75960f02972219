// A file system for VS Code in a browser: a folder of the test's server.

const { EventEmitter, FileSystemError, workspace } = require("vscode");

exports.activate = ({ extensionUri, subscriptions }) => {
  const changes = new EventEmitter();
  const ask = async (uri, method, body, more = "") => {
    const response = await fetch(`${new URL(extensionUri.toString(true)).origin}/disk${uri.path.split("/").map(encodeURIComponent).join("/")}${more}`, { method, body });
    if (response.status === 404) throw FileSystemError.FileNotFound(uri);
    if (!response.ok) throw FileSystemError.Unavailable(await response.text());
    return response;
  };
  const provider = {
    onDidChangeFile: changes.event,
    watch: () => ({ dispose() {} }),
    stat: async (uri) => (await ask(uri, "GET", undefined, "?stat")).json(),
    readDirectory: async (uri) => (await ask(uri, "GET", undefined, "?list")).json(),
    readFile: async (uri) => new Uint8Array(await (await ask(uri, "GET")).arrayBuffer()),
    async writeFile(uri, bytes) {
      await ask(uri, "PUT", bytes);
      changes.fire([{ type: 1, uri }]);
    },
    createDirectory: async (uri) => void (await ask(uri, "POST")),
    delete: async (uri) => void (await ask(uri, "DELETE")),
    rename: async (from, to) => {
      await provider.writeFile(to, await provider.readFile(from));
      await provider.delete(from);
    },
  };
  subscriptions.push(workspace.registerFileSystemProvider("disk", provider, { isCaseSensitive: true }));
};
