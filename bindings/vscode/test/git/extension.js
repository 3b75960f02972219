// Stands for VS Code's extension Git, which needs a desktop. The versions are those of the folder's repository, as Git shows them.

const { commands, FileSystemError, Uri, workspace } = require("vscode");

exports.activate = ({ extensionUri, subscriptions }) => {
  const never = () => {
    throw FileSystemError.NoPermissions();
  };
  async function readFile({ path, query }) {
    const { ref } = JSON.parse(query);
    const response = await fetch(Uri.joinPath(extensionUri, "../../git", ref, path).toString(true));
    if (!response.ok) throw FileSystemError.FileNotFound(path);
    return new Uint8Array(await response.arrayBuffer());
  }
  const provider = {
    onDidChangeFile: () => ({ dispose() {} }),
    watch: () => ({ dispose() {} }),
    stat: async (uri) => ({ type: 1, ctime: 0, mtime: 0, size: (await readFile(uri)).length }),
    readFile,
    readDirectory: () => [],
    writeFile: never,
    createDirectory: never,
    delete: never,
    rename: never,
  };
  subscriptions.push(workspace.registerFileSystemProvider("git", provider, { isReadonly: true }));
  const toGitUri = (uri, ref) => uri.with({ scheme: "git", query: JSON.stringify({ path: uri.path, ref }) });
  /** Opens a change as the view of Git does: of the working tree, or of the last commit. */
  const change = (isCommitted) => () => {
    const uri = Uri.joinPath(workspace.workspaceFolders[0].uri, "island.rbxlx");
    if (isCommitted) return commands.executeCommand("vscode.diff", toGitUri(uri, "HEAD~1"), toGitUri(uri, "HEAD"), "island.rbxlx (HEAD~1 and HEAD)");
    return commands.executeCommand("vscode.diff", toGitUri(uri, "HEAD"), uri, "island.rbxlx (Working Tree)");
  };
  subscriptions.push(commands.registerCommand("test.change", change(false)), commands.registerCommand("test.commit", change(true)));
  return { getAPI: () => ({ toGitUri }) };
};
