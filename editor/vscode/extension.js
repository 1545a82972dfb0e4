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

module.exports = { activate, deactivate, reportOf, proofOf };
