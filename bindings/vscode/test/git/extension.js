// Stands for VS Code's extension Git, which needs a desktop: the committed version of `name` is the file `.head/name`.

const { commands, FileSystemError, Uri, workspace } = require("vscode");

exports.activate = ({ subscriptions }) => {
  const head = (uri) => Uri.joinPath(uri.with({ scheme: "disk", query: "" }), "../.head", uri.path.slice(uri.path.lastIndexOf("/") + 1));
  const never = () => {
    throw FileSystemError.NoPermissions();
  };
  const provider = {
    onDidChangeFile: () => ({ dispose() {} }),
    watch: () => ({ dispose() {} }),
    stat: (uri) => workspace.fs.stat(head(uri)),
    readFile: (uri) => workspace.fs.readFile(head(uri)),
    readDirectory: () => [],
    writeFile: never,
    createDirectory: never,
    delete: never,
    rename: never,
  };
  subscriptions.push(workspace.registerFileSystemProvider("git", provider, { isReadonly: true }));
  const toGitUri = (uri, ref) => uri.with({ scheme: "git", query: JSON.stringify({ path: uri.path, ref }) });
  const change = () => {
    const uri = Uri.joinPath(workspace.workspaceFolders[0].uri, "island.rbxlx");
    return commands.executeCommand("vscode.diff", toGitUri(uri, "HEAD"), uri, "island.rbxlx (Working Tree)");
  };
  subscriptions.push(commands.registerCommand("test.change", change));
  return { getAPI: () => ({ toGitUri }) };
};
