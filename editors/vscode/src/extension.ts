import * as vscode from "vscode";
import { LanguageClient, State, type LanguageClientOptions } from "vscode-languageclient/node";
import { findBinary } from "./binary";
import { RENDERED, lineOf, originOf, type Rendered, type Target } from "./rendered";

const SCHEME = "joblint-rendered";
/** What the title of a rendered view adds to that of its file. */
const SUFFIX = " (rendered)";

/** The result of the server's command `joblint.forecast`. */
interface Forecast {
  title: string;
  html: string;
}

/** The result of the server's command `joblint.explain`. */
interface Page {
  title: string;
  markdown: string;
}

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("joblint");
  const status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right, 1);
  status.command = "joblint.showOutput";
  const views = new RenderedViews();
  const start = () => startClient(context, output, status, views);
  context.subscriptions.push(
    output,
    status,
    views,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, views),
    vscode.languages.registerDefinitionProvider({ scheme: SCHEME }, views),
    vscode.commands.registerCommand("joblint.restart", start),
    vscode.commands.registerCommand("joblint.showOutput", () => output.show()),
    vscode.commands.registerCommand("joblint.showRendered", () => views.show()),
    vscode.commands.registerCommand("joblint.showForecast", () => {
      const uri = vscode.window.activeTextEditor?.document.uri.toString();
      return uri && vscode.commands.executeCommand("joblint.forecast", uri);
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("joblint")) {
        void start();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function startClient(
  context: vscode.ExtensionContext,
  output: vscode.OutputChannel,
  status: vscode.StatusBarItem,
  views: RenderedViews,
): Promise<void> {
  await client?.stop();
  client = undefined;
  const settings = vscode.workspace.getConfiguration("joblint");
  if (!settings.get<boolean>("enable", true)) {
    status.hide();
    return;
  }
  const command = findBinary({
    setting: settings.get<string>("path", ""),
    folders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    extension: context.extensionPath,
    platform: process.platform,
  });
  const own = new LanguageClient("joblint", "joblint", { command, args: ["server"] }, options(output));
  own.registerFeature({
    fillClientCapabilities: (all) => {
      all.experimental = { ...(all.experimental as object | undefined), joblintResults: true };
    },
    initialize: () => undefined,
    getState: () => ({ kind: "static" }),
    clear: () => undefined,
  });
  own.onDidChangeState(({ newState }) => {
    const isRunning = newState === State.Running;
    status.text = isRunning ? "joblint" : "$(warning) joblint";
    status.tooltip = isRunning ? `joblint runs: ${command}` : "joblint does not run";
    status.show();
  });
  client = own;
  views.client = own;
  try {
    await own.start();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    output.appendLine(`${command}: ${reason}`);
    const open = "Open Settings";
    const text = `joblint cannot be started (${command}). Install it, or set joblint.path.`;
    if ((await vscode.window.showErrorMessage(text, open)) === open) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "joblint.path");
    }
  }
}

function options(outputChannel: vscode.OutputChannel): LanguageClientOptions {
  const languages = ["yaml", "helm", "helm-template", "json", "shellscript", "plaintext"];
  return {
    documentSelector: languages.map((language) => ({ scheme: "file", language })),
    outputChannel,
    middleware: {
      executeCommand: async (command, values, next) => {
        const result: unknown = await next(command, values);
        await showResult(command, result);
        return result;
      },
    },
  };
}

/** Shows the result of a command of the server. */
async function showResult(command: string, result: unknown): Promise<void> {
  if (command === "joblint.forecast") {
    const forecast = result as Forecast | null;
    if (forecast === null) {
      await vscode.window.showInformationMessage("No Job, CronJob or hook here.");
      return;
    }
    const title = `Forecast: ${forecast.title}`;
    const column = vscode.ViewColumn.Beside;
    const panel = vscode.window.createWebviewPanel("joblint.forecast", title, column, { enableScripts: true });
    panel.webview.html = forecast.html;
  } else if (command === "joblint.explain") {
    const { markdown } = result as Page;
    const document = await vscode.workspace.openTextDocument({ language: "markdown", content: markdown });
    await vscode.commands.executeCommand("markdown.showPreviewToSide", document.uri);
  }
}

/** The rendered manifests beside a file. The cursors of both follow each other. */
class RenderedViews implements vscode.TextDocumentContentProvider, vscode.DefinitionProvider, vscode.Disposable {
  client: LanguageClient | undefined;
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly known = new Map<string, Rendered>();
  private readonly follow: vscode.Disposable[];
  readonly onDidChange = this.changed.event;

  constructor() {
    this.follow = [
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.followCursor(textEditor)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.refresh(document.uri)),
    ];
  }

  dispose(): void {
    [...this.follow, this.changed].forEach((own) => void own.dispose());
  }

  async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== "file") {
      return;
    }
    const rendered = await this.ask(editor.document.uri, editor.selection.active);
    if (rendered === null) {
      await vscode.window.showInformationMessage("This file is part of no chart or kustomization.");
      return;
    }
    const uri = viewOf(editor.document.uri);
    this.known.set(uri.toString(), rendered);
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, "yaml");
    const shown = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    await vscode.window.showTextDocument(document, shown);
    this.followCursor(editor);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const rendered = this.known.get(uri.toString()) ?? (await this.ask(fileOf(uri)));
    return rendered?.text ?? "";
  }

  provideDefinition(document: vscode.TextDocument, position: vscode.Position): vscode.Location | undefined {
    const rendered = this.known.get(document.uri.toString());
    const origin = rendered && originOf(rendered, position.line);
    return origin && new vscode.Location(vscode.Uri.parse(origin.uri), rangeOf(origin));
  }

  private async ask(uri: vscode.Uri, position?: vscode.Position): Promise<Rendered | null> {
    const params = { textDocument: { uri: uri.toString() }, position };
    return (await this.client?.sendRequest<Rendered | null>(RENDERED, params)) ?? null;
  }

  private async refresh(file: vscode.Uri): Promise<void> {
    for (const key of this.known.keys()) {
      if (file.scheme !== "file") {
        continue;
      }
      const uri = vscode.Uri.parse(key);
      const rendered = await this.ask(fileOf(uri));
      if (rendered !== null) {
        this.known.set(key, rendered);
        this.changed.fire(uri);
      }
    }
  }

  private followCursor(editor: vscode.TextEditor): void {
    const { document, selection } = editor;
    for (const [key, rendered] of this.known) {
      const isView = document.uri.toString() === key;
      const origin = isView ? originOf(rendered, selection.active.line) : undefined;
      const line = lineOf(rendered, document.uri.toString(), selection.active.line);
      const range = origin ? rangeOf(origin) : line !== undefined && new vscode.Range(line, 0, line, 0);
      const uri = origin ? origin.uri : key;
      const shown = vscode.window.visibleTextEditors.find((own) => own.document.uri.toString() === uri);
      if (range && shown && shown !== editor) {
        shown.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      }
    }
  }
}

function viewOf(file: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: file.path + SUFFIX });
}

function fileOf(view: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({ scheme: "file", path: view.path.slice(0, -SUFFIX.length) });
}

function rangeOf({ range: { start, end } }: Target): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
