// The VS Code extension: starts rw-lsp, hands it the settings, and shows what tests and patterns come to.
'use strict';

const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;
let channel;

function settings() {
  const own = vscode.workspace.getConfiguration('rw');
  return { importDirs: own.get('importDirs'), model: own.get('model'), runTests: own.get('runTests'), prove: own.get('prove'), wholeUpTo: own.get('wholeUpTo') };
}

function start() {
  const server = { command: vscode.workspace.getConfiguration('rw').get('server'), args: [] };
  const documents = [{ scheme: 'file', language: 'rw' }, { scheme: 'untitled', language: 'rw' }];
  client = new LanguageClient('rw', 'rw', server, {
    documentSelector: documents,
    initializationOptions: settings(),
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.{rw,onnx,rwir}') },
    outputChannel: channel,
    middleware: {
      executeCommand: async (command, given, next) => {
        const outcome = await next(command, given);
        if (command === 'rw.showMatches' && outcome) {
          await show(outcome);
        }
        if (command === 'rw.showProof' && outcome) {
          await showText(proofOf(outcome));
        }
        return outcome;
      },
    },
  });
  return client.start().catch((error) => {
    vscode.window.showErrorMessage(`rw: ${server.command} cannot be started: ${error.message}. The setting rw.server says where it is.`);
  });
}

/** What the server answers about a document's tests and matches, as text to read. */
function reportOf(outcome) {
  const lines = [];
  if (outcome.trouble) {
    lines.push(`**${outcome.trouble}**`, '');
  }
  if (outcome.tests.length) {
    lines.push('## Tests', '');
    for (const test of outcome.tests) {
      lines.push(`- line ${test.line}, ${test.name}: ${test.passes ? 'passes' : 'fails'}`);
      if (!test.passes) {
        lines.push('', '```', test.why.trimEnd(), '```', '');
      }
    }
    lines.push('');
  }
  if (outcome.patterns.length) {
    lines.push(`## On ${outcome.model}, ${outcome.modelOps} ops`, '');
    for (const pattern of outcome.patterns) {
      lines.push(`### ${pattern.name}, line ${pattern.line}`, '', `Matches ${pattern.matches} times.`, '');
      for (const example of pattern.examples) {
        lines.push(`- ${example}`);
      }
      for (const miss of pattern.misses) {
        lines.push(`- nearly, ${miss.count} times, as at ${miss.example}: it needs \`${miss.condition}\` (line ${miss.line})`);
      }
      lines.push('');
    }
  }
  return lines.join('\n') || 'The file has no tests, and there is no model.';
}

/** What the server answers about a pattern's proof. */
function proofOf({ verdict, text, counterexample }) {
  return [`**${verdict}**`, '', text, ...(counterexample ? ['', 'A test that fails, and values:', '', '```rw', counterexample.trimEnd(), '```'] : [])].join('\n');
}

function show(outcome) {
  return showText(reportOf(outcome));
}

async function showText(content) {
  const shown = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  await vscode.window.showTextDocument(shown, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
}

/** A page with the first rewrites of a pattern, before and after. Drawings come escaped from the server; no script runs. */
function pageOf({ model, trouble, rewrites }) {
  const safe = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  const piece = (svg, name) => `<figure><figcaption>${name}</figcaption>${svg || 'nothing is left'}</figure>`;
  const body = rewrites.map((r) => `<h3>${safe(r.pattern)} at ${safe(r.root)}</h3><div>${piece(r.before, 'before')}${piece(r.after, 'after')}</div>`);
  return `<!DOCTYPE html><html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><style>
div { display: flex; flex-wrap: wrap; gap: 1.5rem; } figure { margin: 0; max-width: 100%; overflow-x: auto; }
svg text { font: 12px var(--vscode-editor-font-family, monospace); fill: var(--vscode-foreground); text-anchor: middle; } svg text.o { font-weight: 600; }
svg rect { fill: var(--vscode-editor-background); stroke: gray; }
svg .t rect { stroke: var(--vscode-editorWarning-foreground, orange); stroke-width: 2; } svg .b rect { stroke-dasharray: 4 3; fill: none; }
svg .e { fill: none; stroke: gray; } svg .h { fill: gray; }</style></head>
<body><p>${safe(trouble || model)}</p>${body.join('\n') || (trouble ? '' : '<p>The pattern does not apply.</p>')}</body></html>`;
}

/** Draws what the pattern at the cursor makes of the model. */
async function draw() {
  const editor = vscode.window.activeTextEditor;
  if (!client || !editor || editor.document.languageId !== 'rw') {
    vscode.window.showInformationMessage('rw: open a .rw file first.');
    return;
  }
  const lines = editor.document.getText().split(/\r\n|\r|\n/);
  let line = editor.selection.active.line;
  while (line > 0 && !/^\s*(private\s+)?pattern\b/.test(lines[line])) {
    --line;
  }
  try {
    const outcome = await vscode.commands.executeCommand('rw.showRewrites', editor.document.uri.toString(), line + 1);
    const panel = vscode.window.createWebviewPanel('rw.rewrites', 'rw: rewrites', vscode.ViewColumn.Beside, { enableScripts: false });
    panel.webview.html = pageOf(outcome);
  } catch (error) {
    vscode.window.showWarningMessage(`rw: ${error.message}`);
  }
}

/** Of the document at hand. */
async function report() {
  const editor = vscode.window.activeTextEditor;
  if (!client || !editor || editor.document.languageId !== 'rw') {
    vscode.window.showInformationMessage('rw: open a .rw file first.');
    return;
  }
  try {
    await vscode.commands.executeCommand('rw.showMatches', editor.document.uri.toString());
  } catch (error) {
    vscode.window.showWarningMessage(`rw: ${error.message}`);
  }
}

async function activate(context) {
  channel = vscode.window.createOutputChannel('rw');
  context.subscriptions.push(
    channel,
    vscode.commands.registerCommand('rw.report', report),
    vscode.commands.registerCommand('rw.draw', draw),
    vscode.commands.registerCommand('rw.restart', async () => {
      if (client) {
        await client.stop().catch(() => {});
      }
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('rw') && client) {
        client.sendNotification('workspace/didChangeConfiguration', { settings: { rw: settings() } });
      }
    }),
  );
  await start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate, reportOf, proofOf, pageOf };
