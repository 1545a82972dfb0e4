// The page: what is asked of rw-opt, and what is shown of the answers.

const TOKEN_KEY = location.hash.slice(1);
const PAGE = Math.random().toString(36).slice(2);
const SAMPLE_TEXT = `// A pattern says what to look for => what to put in its place.
// Ctrl+Space completes, F1 explains, F2 lists all keys.
import "onnx/onnx.rw";

/// Two in a row do what one does.
pattern DoubleRelu {
  onnx.Relu(onnx.Relu(x))
  => onnx.Relu(x)
}

/// A transposition that is undone by the next one.
pattern Undone {
  onnx.Transpose(onnx.Transpose(x, perm = p), perm = q)
  where is_identity(compose(p, q))
  => x
}

test DoubleRelu (x: f32[2, 3]) {
  onnx.Relu(onnx.Relu(x)) => onnx.Relu(x)
}
`;
const SAMPLE_MODEL = `func @main(%x: f32[1, 8, 16], %w: f32[8, 8]) -> f32[1, 8, 16] {
  %first = onnx.Relu(%x)
  %second = onnx.Relu(%first)
  %turned = onnx.Transpose(%second) {perm = [0, 2, 1]}
  %back = onnx.Transpose(%turned) {perm = [0, 2, 1]}
  %mixed = onnx.MatMul(%w, %back)
  %sum = onnx.Add(%mixed, %x)
  %y = onnx.Relu(%sum)
  return %y
}
`;

const state = {
  model: null,
  run: null,
  facts: null,
  which: 'before',
  tab: 'numbers',
  rewrite: 0,
  saved: '',
  proofs: [],
  legend: [],
  file: '',
};
const graph = new GraphView(byId('graph'), byId('node'));
const editor = new Editor(byId('editor'), ask);

function say(...content) {
  byId('said').replaceChildren(...content);
}

/** Posts JSON; the answer, or null and a sentence on the page. */
async function post(path, request, signal) {
  try {
    const response = await fetch(path, {
      method: 'POST',
      body: JSON.stringify(request),
      signal,
      headers: { 'Content-Type': 'application/json', 'X-Rw-Token': TOKEN_KEY },
    });
    if (!response.ok) {
      say(make('span', { class: 'error' }, (await response.text()).trim()));
      return null;
    }
    return path === '/result' ? response : await response.json();
  } catch (error) {
    if (error.name !== 'AbortError') {
      say(make('span', { class: 'error' }, 'rw-opt does not answer; is it still running?'));
    }
    return null;
  }
}

// ---- the language server

/** Answers about the text as it is; null if it has changed meanwhile, or nothing answers. */
async function ask(requests) {
  const { text } = editor;
  const answer = await post('/language', { text, ask: requests });
  return answer && text === editor.text ? answer.answers : null;
}

let checking = false;
/** Checks the text as it is, and again while it changes: one request at a time. */
async function check() {
  if (checking) {
    return;
  }
  checking = true;
  let text;
  do {
    text = editor.text;
    const answer = await post('/language', {
      text,
      ask: [{ method: 'textDocument/semanticTokens/full' }, { method: 'textDocument/codeAction' }],
    });
    if (!answer) {
      break;
    }
    if (text !== editor.text) {
      continue;
    }
    editor.uri = answer.uri;
    state.diagnostics = answer.diagnostics || [];
    editor.take(state.diagnostics, answer.answers[0], state.legend);
    showProblems(state.diagnostics, answer.answers[1] || []);
    if (state.diagnostics.some((d) => d.severity === 1)) {
      byId('graph').classList.add('stale');
      byId('panel').classList.add('stale');
      editor.setLenses(new Map());
    } else {
      run();
    }
  } while (text !== editor.text);
  checking = false;
}

function showProblems(diagnostics, actions) {
  byId('problems').replaceChildren(
    ...diagnostics.slice(0, 100).map((d) => {
      const { line, character } = d.range.start;
      const same = (other) => other.message === d.message && JSON.stringify(other.range) === JSON.stringify(d.range);
      const cures = actions.filter((action) => action.diagnostics?.some(same));
      const kind = d.severity === 1 ? 'error' : 'warning';
      return make(
        'li',
        {},
        make(
          'button',
          { type: 'button', class: 'at', onclick: () => editor.go(d.range.start) },
          make('span', { class: kind }, `${line + 1}:${character + 1} ${kind}: `),
          d.message,
          make('span', { class: 'soft' }, ` [${d.code}]`),
        ),
        ...cures.map((cure) =>
          make(
            'button',
            { type: 'button', class: 'cure', onclick: () => editor.apply(Object.values(cure.edit.changes)[0]) },
            cure.title.replace(/^rw: /, '').replaceAll('`', ''),
          ),
        ),
      );
    }),
  );
}

// ---- what the patterns make of the model

function request() {
  return {
    text: editor.text,
    model: state.model?.id || '',
    pipeline: byId('pipeline').value.trim(),
    fastmath: byId('fastmath').checked,
    page: PAGE,
  };
}

let running = null;
let later;
async function run() {
  running?.abort();
  clearTimeout(later);
  const mine = new AbortController();
  running = mine;
  if (state.model) {
    say('running …');
  }
  const asked = request();
  const outcome = await post('/run', asked, mine.signal);
  if (!outcome || running !== mine || outcome.stopped) {
    return;
  }
  running = null;
  if (outcome.wrongText && !outcome.trouble) {
    return;
  }
  state.run = outcome;
  state.facts = null;
  say(outcome.trouble ? make('span', { class: 'error' }, outcome.trouble.split('\n')[0]) : '');
  show();
  clearTimeout(provingLater);
  provingLater = setTimeout(prove, 600);
  if (outcome.statistics) {
    later = setTimeout(() => facts(asked, mine), 400);
  }
}

let provingLater;
/** What is proved of the text's patterns, as long as there is more to come. */
async function prove() {
  const { text } = editor;
  const answer = await post('/proofs', { text });
  if (!answer || text !== editor.text) {
    return;
  }
  if (JSON.stringify(answer.proofs) !== JSON.stringify(state.proofs)) {
    state.proofs = answer.proofs;
    showLenses();
    if (state.tab === 'patterns') {
      showPanel();
    }
    if (answer.proofs.some(({ verdict }) => verdict === 'refuted')) {
      check(); // it is a problem of the text, too
    }
  }
  if (answer.running) {
    provingLater = setTimeout(prove, 400);
  }
}

async function facts(asked, mine) {
  say('comparing …');
  running = mine;
  const outcome = await post('/facts', asked, mine.signal);
  if (!outcome || running !== mine || outcome.stopped) {
    return;
  }
  running = null;
  say(outcome.trouble ? make('span', { class: 'error' }, outcome.trouble.split('\n')[0]) : '');
  state.facts = outcome;
  showPanel();
}

function show() {
  const { run: outcome } = state;
  byId('graph').classList.remove('stale');
  byId('panel').classList.remove('stale');
  byId('download').disabled = !outcome.statistics;
  showLenses();
  showGraph();
  showPanel();
}

/** At the end of the line where a pattern or test begins: what it does. */
function showLenses() {
  const lenses = new Map();
  const patterns = new Map();
  for (const p of state.run.patterns || []) {
    const sum = patterns.get(p.line) || { matches: 0, misses: 0, most: null };
    sum.matches += p.matches;
    for (const miss of p.misses) {
      sum.misses += miss.count;
      sum.most = !sum.most || miss.count > sum.most.count ? miss : sum.most;
    }
    patterns.set(p.line, sum);
  }
  for (const [line, { matches, misses, most }] of patterns) {
    const nearly = most ? `, ${misses} nearly: ${most.condition}` : '';
    lenses.set(line - 1, { text: plural(matches, 'match') + nearly, kind: matches ? 'fires' : '' });
  }
  for (const proof of state.proofs) {
    const known = lenses.get(proof.line - 1);
    const kind = proof.verdict === 'refuted' ? 'wrong' : known?.kind || '';
    lenses.set(proof.line - 1, { text: [proof.title, known?.text].filter((part) => part).join(' · '), kind });
  }
  for (const test of state.run.tests || []) {
    lenses.set(test.line - 1, test.why ? { text: 'fails', kind: 'wrong' } : { text: 'passes', kind: 'fires' });
  }
  editor.setLenses(lenses);
}

function showGraph() {
  const graphs = state.run?.graphs;
  if (!graphs) {
    showNoModel();
    return;
  }
  if (!graphs.after) {
    state.which = 'before';
  }
  for (const which of ['before', 'after']) {
    byId(which).setAttribute('aria-pressed', String(state.which === which));
    byId(which).disabled = !graphs[which];
  }
  const shown = graphs[state.which];
  const select = byId('scope');
  const number = Math.min(graph.scope, shown.scopes.length - 1);
  const counts = changesOf(shown);
  select.replaceChildren(
    ...shown.scopes.map((scope, i) =>
      make('option', { value: String(i) }, scope.name + (counts[i] ? ` (${counts[i]})` : '')),
    ),
  );
  select.value = String(number);
  select.hidden = shown.scopes.length < 2;
  graph.scope = number;
  graph.show(shown, state.which === 'before' ? 'gone' : 'new');
  const elsewhere = changesOf(shown).reduce((sum, n, i) => (i === number ? sum : sum + n), 0);
  byId('changes').textContent = !graphs.after
    ? ''
    : [
        graph.changed.length || !elsewhere ? plural(graph.changed.length, 'change') : '',
        elsewhere ? `${elsewhere} elsewhere` : '',
      ]
        .filter((part) => part)
        .join(', ');
}

/** How many nodes of each scope change. */
function changesOf(shown) {
  return shown.scopes.map((scope) => scope.nodes.filter((node) => node.s === 1).length);
}

/** To a scope in which something changes, from one in which nothing does. */
function nextScope(by) {
  const changes = changesOf(state.run.graphs[state.which]);
  const n = changes.length;
  for (let i = 1; i < n; ++i) {
    const scope = (graph.scope + by * i + n * i) % n;
    if (changes[scope]) {
      graph.scope = scope;
      showGraph();
      graph.step(1);
      return;
    }
  }
}

function showNoModel() {
  byId('scope').hidden = true;
  byId('changes').textContent = '';
  for (const which of ['before', 'after']) {
    byId(which).disabled = true;
  }
  if (state.model) {
    graph.empty(make('p', { class: 'error' }, state.run?.trouble || 'There is nothing of this model.'));
    return;
  }
  graph.empty(
    make('p', {}, 'There is no model yet. Drop one on this page (.onnx, .rwir, .mlir, .jaxpr), open one, or'),
    make('p', {}, make('button', { type: 'button', id: 'sample', onclick: sample }, 'try a small one')),
  );
}

function sample() {
  return openFile(new File([SAMPLE_MODEL], 'sample.rwir'));
}

// ---- the panel below

const PANELS = {
  numbers: numbersPanel,
  rewrites: rewritesPanel,
  patterns: patternsPanel,
  difference: differencePanel,
  tests: testsPanel,
};

function showPanel() {
  const outcome = state.run || {};
  const count = { rewrites: outcome.rewritesInAll, patterns: outcome.patterns?.length, tests: outcome.tests?.length };
  for (const name of Object.keys(PANELS)) {
    const tab = byId(`tab-${name}`);
    tab.textContent = name[0].toUpperCase() + name.slice(1) + (count[name] ? ` (${count[name]})` : '');
    tab.setAttribute('aria-selected', String(state.tab === name));
    tab.tabIndex = state.tab === name ? 0 : -1;
  }
  const panel = byId('panel');
  panel.setAttribute('aria-labelledby', `tab-${state.tab}`);
  const focused = panel.contains(document.activeElement) && document.activeElement !== panel;
  const top = panel.scrollTop;
  panel.replaceChildren(...[PANELS[state.tab](outcome)].flat().filter((part) => part));
  panel.scrollTop = top;
  if (focused) {
    (panel.querySelector('[aria-current="true"]') || panel).focus();
  }
}

function nothing(text) {
  return make('p', { class: 'soft' }, text);
}

function table(head, rows) {
  const cell = (tag, value) => {
    const [text, kind] = Array.isArray(value) ? value : [value, typeof value === 'number' ? 'n' : ''];
    return make(tag, { class: kind || undefined }, typeof text === 'number' ? text.toLocaleString('en') : text);
  };
  return make(
    'table',
    {},
    make('thead', {}, make('tr', {}, ...head.map((h) => cell('th', h)))),
    make('tbody', {}, ...rows.map((row) => make('tr', {}, ...row.map((value) => cell('td', value))))),
  );
}

function numbersPanel({ statistics, trouble, warnings }) {
  const out = [];
  if (trouble) {
    out.push(make('pre', { class: 'plain error' }, trouble));
  }
  if (!statistics) {
    return out.length
      ? out
      : nothing(
          state.model
            ? 'Nothing ran.'
            : 'With a model there are numbers here: ops before and after, what fired, sizes, whether outputs agree.',
        );
  }
  const { ops, passes, patterns, remarks, need_fastmath: held } = statistics;
  const total = (key) => passes.filter((p) => !p.failed).reduce((sum, p) => sum + p[key], 0);
  const direction = (a, b) => (b < a ? 'n less' : b > a ? 'n more' : 'n');
  const figure = (value, what, kind) => make('div', {}, make('b', { class: kind }, value), what);
  const bytes = state.facts?.bytes;
  out.push(
    make(
      'div',
      { class: 'sum' },
      figure(ops.before.toLocaleString('en'), 'ops before'),
      figure(ops.after.toLocaleString('en'), 'ops after', ops.after < ops.before ? 'good' : undefined),
      figure(total('rewrites').toLocaleString('en'), 'rewrites'),
      total('folds') ? figure(total('folds').toLocaleString('en'), 'folds') : null,
      bytes?.before !== undefined ? figure(sizeText(bytes.before), 'file before') : null,
      bytes?.after !== undefined ? figure(sizeText(bytes.after), 'file after') : null,
    ),
  );
  const check = state.facts?.check;
  if (check) {
    out.push(
      ...check.lines.map((line) =>
        make('p', { class: check.differs ? 'error' : line.includes('outputs agree') ? 'good' : 'warning' }, line),
      ),
    );
  } else if (state.facts?.trouble) {
    out.push(make('p', { class: 'error' }, state.facts.trouble));
  } else {
    out.push(nothing('Whether outputs agree is being found out …'));
  }
  out.push(...[...new Set([...(warnings || []), ...remarks])].map((text) => make('p', { class: 'warning' }, text)));
  if (held.length) {
    out.push(
      make(
        'p',
        { class: 'soft' },
        `Not run without fastmath: ${held
          .slice(0, 8)
          .map((h) => h.pattern)
          .join(', ')}${held.length > 8 ? ' …' : ''}`,
      ),
    );
  }
  const kinds = Object.entries(ops.kinds).sort(
    ([a, [b0, a0]], [b, [b1, a1]]) => Math.abs(a1 - b1) - Math.abs(a0 - b0) || a.localeCompare(b),
  );
  out.push(
    make(
      'div',
      { class: 'columns' },
      make(
        'div',
        {},
        make('h3', {}, 'Ops by kind'),
        table(
          ['op', ['before', 'n'], ['after', 'n']],
          kinds.map(([name, [before, after]]) => [make('code', {}, name), before, [after, direction(before, after)]]),
        ),
      ),
      make(
        'div',
        {},
        make('h3', {}, 'What fired'),
        patterns.length
          ? table(
              ['pattern', ['applied', 'n'], ['tried', 'n']],
              patterns.map((p) => [make('code', {}, p.name), p.applied, p.tried]),
            )
          : nothing('No pattern applied. The tab Patterns says where they nearly match.'),
      ),
      make(
        'div',
        {},
        make('h3', {}, 'The same on the command line'),
        make('code', { class: 'command' }, commandLine()),
      ),
    ),
  );
  return out;
}

/** What rw-opt is called with for the same result. */
function commandLine() {
  const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const pipeline = state.run.statistics.pipeline;
  const file = state.file || 'patterns.rw';
  return [
    'rw-opt',
    quoted(state.model?.name || 'model.onnx'),
    '--patterns',
    quoted(file),
    '--pipeline',
    quoted(`infer_shapes,${pipeline}`),
    byId('fastmath').checked ? '--fastmath' : '',
    '-o',
    `out.${/\.(\w+)$/.exec(state.model?.name || '')?.[1] || 'onnx'}`,
  ]
    .filter((part) => part)
    .join(' ');
}

function rewritesPanel({ rewrites, rewritesInAll }) {
  if (!rewrites?.length) {
    return nothing(
      state.model
        ? 'No rewrite. The tab Patterns says where patterns nearly match, and why not.'
        : 'Rewrites of a model are drawn here, before and after.',
    );
  }
  state.rewrite = Math.min(state.rewrite, rewrites.length - 1);
  const list = make(
    'ol',
    { 'aria-label': 'Rewrites, in the order in which they were made' },
    ...rewrites.map((r, i) =>
      make(
        'li',
        {},
        make(
          'button',
          { type: 'button', 'aria-current': i === state.rewrite ? 'true' : undefined, onclick: () => pickRewrite(i) },
          `${i + 1} `,
          make('b', {}, r.pattern || 'computed beforehand'),
          make('span', { class: 'soft' }, ` ${r.root}`),
        ),
      ),
    ),
  );
  list.addEventListener('keydown', (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && state.rewrite + by >= 0 && state.rewrite + by < rewrites.length) {
      event.preventDefault();
      pickRewrite(state.rewrite + by);
    }
  });
  if (rewritesInAll > rewrites.length) {
    list.append(make('li', { class: 'soft' }, `and ${rewritesInAll - rewrites.length} more`));
  }
  const { before, after, pattern, line } = rewrites[state.rewrite];
  const piece = (svg, name) =>
    make('figure', { class: 'piece' }, make('figcaption', {}, name), svg ? drawing(svg) : nothing('nothing is left'));
  const pictures = before
    ? [piece(before, 'before'), piece(after, 'after')]
    : [nothing('Only the first rewrites of each pattern are drawn.')];
  const jump =
    pattern && (state.run.patterns || []).some((p) => p.line === line)
      ? make(
          'p',
          {},
          make(
            'button',
            { type: 'button', onclick: () => editor.go({ line: line - 1, character: 0 }) },
            `To ${pattern}, line ${line}`,
          ),
        )
      : null;
  return make('div', { class: 'split' }, list, make('div', {}, make('div', { class: 'pair' }, ...pictures), jump));
}

function pickRewrite(i) {
  state.rewrite = i;
  showPanel();
  const button = byId('panel').querySelector('[aria-current="true"]');
  button.focus();
  const { root } = state.run.rewrites[i];
  const value = root.slice(root.indexOf(' ') + 1);
  const node = graph.find(value);
  if (node >= 0) {
    graph.pick(node, true);
  }
}

function patternsPanel({ patterns }) {
  if (!patterns?.length && state.proofs.length) {
    return state.proofs.map(proofOf);
  }
  if (!patterns?.length) {
    return nothing(
      state.model
        ? 'The text has no patterns.'
        : 'With a model it says here how often each pattern matches, and where it nearly does.',
    );
  }
  const rows = patterns.flatMap((p) => {
    const name = make(
      'button',
      { type: 'button', onclick: () => editor.go({ line: p.line - 1, character: 0 }) },
      p.name,
    );
    const first = [name, p.matches, p.examples.length ? make('code', {}, p.examples.slice(0, 3).join(', ')) : ''];
    const proof = state.proofs.find(({ line }) => line === p.line);
    return [
      first,
      ...(proof ? [['', '', proofOf(proof)]] : []),
      ...p.misses
        .slice(0, 5)
        .map((miss) => [
          '',
          [`nearly ${miss.count}`, 'n'],
          make(
            'span',
            {},
            'as at ',
            make('code', {}, miss.example),
            ', but not ',
            make('code', {}, miss.condition),
            make('span', { class: 'soft' }, ` line ${miss.line}`),
          ),
        ]),
    ];
  });
  return [
    table(['pattern', ['matches', 'n'], 'where'], rows),
    nothing('Each match by itself, on the model as it is, as if nothing else had been rewritten.'),
  ];
}

/** Whether a pattern is proved: for what, or what a proof lacks, or what differs. */
function proofOf({ title, text, counterexample, verdict }) {
  const kind = { proved: 'good', refuted: 'error' }[verdict];
  return make(
    'details',
    { open: verdict === 'refuted' },
    make('summary', { class: kind }, title),
    make('p', { class: 'soft' }, text),
    counterexample ? make('pre', { class: 'plain' }, counterexample.trimEnd()) : null,
  );
}

function differencePanel() {
  if (!state.run?.statistics) {
    return nothing('What rw-opt --diff says of the model before and after.');
  }
  if (!state.facts) {
    return nothing('Comparing …');
  }
  if (!state.facts.difference) {
    return nothing('The same model.');
  }
  return make(
    'pre',
    { class: 'plain' },
    ...state.facts.difference.split('\n').map((line) => {
      const sign = line.trim()[0];
      return make('span', { class: sign === '+' ? 'plus' : sign === '-' ? 'minus' : undefined }, `${line}\n`);
    }),
  );
}

function testsPanel({ tests }) {
  if (!tests?.length) {
    return nothing('The text has no tests. test NAME (x: f32[2]) { before => after } is one.');
  }
  return table(
    ['test', 'line', 'outcome'],
    tests.map((test) => [
      make('button', { type: 'button', onclick: () => editor.go({ line: test.line - 1, character: 0 }) }, test.name),
      test.line,
      test.why ? make('pre', { class: 'plain error' }, test.why.trim()) : make('span', { class: 'good' }, 'passes'),
    ]),
  );
}

// ---- files

async function openFile(file) {
  if (/\.rw$/i.test(file.name)) {
    editor.field.focus();
    editor.replace(0, editor.text.length, await file.text(), 0);
    byId('textname').textContent = file.name;
    return;
  }
  say(`taking ${file.name} …`);
  if (file.size > state.mostBytes) {
    say(make('span', { class: 'error' }, `${file.name} is too large to be sent: rw-opt --serve ${file.name} opens it`));
    return;
  }
  let response;
  try {
    response = await fetch(`/models?name=${encodeURIComponent(file.name)}`, {
      method: 'POST',
      body: file,
      headers: { 'Content-Type': 'application/octet-stream', 'X-Rw-Token': TOKEN_KEY },
    });
  } catch (error) {
    say(make('span', { class: 'error' }, `${file.name} could not be sent: ${error.message}`));
    return;
  }
  const answer = response.ok ? await response.json() : { trouble: (await response.text()).trim() };
  if (answer.trouble) {
    say(make('span', { class: 'error' }, answer.trouble));
    return;
  }
  setModel(answer);
  await check();
}

function setModel(model) {
  state.model = model;
  state.rewrite = 0;
  state.which = 'before';
  graph.scope = 0;
  graph.drawn = '';
  byId('model').textContent = model.name;
  byId('model').title = model.name;
}

function download(name, blob) {
  const link = make('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function save() {
  const { text } = editor;
  if (!state.file) {
    download('patterns.rw', new Blob([text], { type: 'text/plain' }));
    state.saved = text;
    return;
  }
  const answer = await post('/save', { text });
  if (answer) {
    say(answer.trouble ? make('span', { class: 'error' }, answer.trouble) : `${answer.file} is saved`);
    if (!answer.trouble) {
      state.saved = text;
      showName();
    }
  }
}

async function saveModel() {
  const response = await post('/result', request());
  if (response) {
    download(decodeURIComponent(response.headers.get('X-Rw-Name')), await response.blob());
  }
}

function showName() {
  if (state.file) {
    byId('textname').textContent = state.file + (editor.text === state.saved ? '' : ' •');
  }
}

// ---- keys

const KEYS = [
  ['Ctrl+Space', 'complete'],
  ['F1', 'explain what is at the cursor'],
  ['F12', 'go to the declaration'],
  ['F8, Shift+F8', 'next and previous problem'],
  ['Alt+Enter', 'take the first cure at the cursor'],
  ['Ctrl+/', 'comment'],
  ['Alt+Shift+F', 'format'],
  ['Ctrl+S', 'save the patterns'],
  ['Ctrl+O', 'open a model'],
  ['F2', 'this list'],
  ['F6', 'to the next part of the page; in the text Tab does the same'],
  ['Alt+B', 'the graph before, and after'],
  ['In the graph:', ''],
  ['arrows', 'from op to op'],
  ['n, p', 'next and previous change'],
  ['+, −, 0', 'larger, smaller, all of it'],
  ['Shift+arrows', 'move'],
  ['Enter', 'look inside a region'],
];

function showKeys() {
  const help = byId('help');
  help.replaceChildren(
    make('h2', {}, 'Keys'),
    table(
      [],
      KEYS.map(([key, what]) => [what ? make('kbd', {}, key) : make('b', {}, key), what]),
    ),
    make('p', {}, make('button', { type: 'button', onclick: () => help.close() }, 'Close')),
  );
  help.showModal();
}

function cureHere() {
  const at = editor.field.selectionStart;
  const line = editor.position(at).line;
  const cures = [...byId('problems').children].filter(
    (li, i) => state.diagnostics[i].range.start.line <= line && line <= state.diagnostics[i].range.end.line,
  );
  cures
    .map((li) => li.querySelector('.cure'))
    .find((button) => button)
    ?.click();
}

function nextPart(back) {
  const parts = [byId('text'), byId('graph'), byId('panel'), byId('open')];
  const here = parts.findIndex((part) => part === document.activeElement || part.contains(document.activeElement));
  parts[(here + (back ? parts.length - 1 : 1) + (here < 0 && back ? 1 : 0)) % parts.length].focus();
}

function toggleGraph(which = state.which === 'before' ? 'after' : 'before') {
  if (state.run?.graphs?.[which]) {
    state.which = which;
    graph.drawn = '';
    showGraph();
  }
}

document.addEventListener('keydown', (event) => {
  const ctrl = event.ctrlKey || event.metaKey;
  const keys = [
    [event.key === 'F2', showKeys],
    [event.key === 'F6', () => nextPart(event.shiftKey)],
    [ctrl && event.key === 's', save],
    [ctrl && event.key === 'o', () => byId('open').click()],
    [event.altKey && event.code === 'KeyB', () => toggleGraph()],
    [event.altKey && event.shiftKey && event.code === 'KeyF', () => editor.format()],
    [event.altKey && event.key === 'Enter', cureHere],
  ];
  const found = keys.find(([is]) => is);
  if (found) {
    event.preventDefault();
    found[1]();
  }
});

// ---- beginning

function listen() {
  byId('open').addEventListener('click', () => byId('file').click());
  byId('file').addEventListener('change', (event) => {
    if (event.target.files.length) {
      openFile(event.target.files[0]);
    }
    event.target.value = '';
  });
  byId('pipeline').addEventListener('change', check);
  byId('fastmath').addEventListener('change', check);
  byId('download').addEventListener('click', saveModel);
  byId('save').addEventListener('click', save);
  byId('format').addEventListener('click', () => editor.format());
  byId('keys').addEventListener('click', showKeys);
  byId('before').addEventListener('click', () => toggleGraph('before'));
  byId('after').addEventListener('click', () => toggleGraph('after'));
  byId('next').addEventListener('click', () => graph.step(1));
  byId('previous').addEventListener('click', () => graph.step(-1));
  byId('in').addEventListener('click', () => graph.zoom(1.25));
  byId('out').addEventListener('click', () => graph.zoom(0.8));
  byId('fit').addEventListener('click', () => graph.fit());
  byId('scope').addEventListener('change', (event) => {
    graph.scope = Number(event.target.value);
    showGraph();
  });
  graph.onnochange = nextScope;
  graph.onscope = (scope) => {
    graph.scope = scope;
    showGraph();
    byId('graph').focus();
  };
  const tabs = [...document.querySelectorAll('[role="tab"]')];
  tabs.forEach((tab, i) => {
    const choose = (n) => {
      const chosen = tabs[(n + tabs.length) % tabs.length];
      state.tab = chosen.id.slice('tab-'.length);
      showPanel();
      chosen.focus();
    };
    tab.addEventListener('click', () => choose(i));
    tab.addEventListener('keydown', (event) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to !== undefined) {
        event.preventDefault();
        choose(to);
      }
    });
  });
  let depth = 0; // elements that the pointer is in, while something is dragged
  const over = (by) => {
    depth = Math.max(0, depth + by);
    byId('drop').hidden = depth === 0;
  };
  const isFile = (event) => [...(event.dataTransfer?.types || [])].includes('Files');
  window.addEventListener('dragenter', (event) => isFile(event) && over(1));
  window.addEventListener('dragleave', (event) => isFile(event) && over(-1));
  window.addEventListener('dragover', (event) => isFile(event) && event.preventDefault());
  window.addEventListener('drop', (event) => {
    if (isFile(event)) {
      event.preventDefault();
      over(-depth);
      openFile(event.dataTransfer.files[0]);
    }
  });
  window.addEventListener('beforeunload', (event) => {
    if (editor.text !== state.saved) {
      event.preventDefault();
    }
  });
}

async function begin() {
  listen();
  let answer;
  try {
    const response = await fetch('/state', { headers: { 'X-Rw-Token': TOKEN_KEY } });
    if (!response.ok) {
      throw new Error((await response.text()).trim());
    }
    answer = await response.json();
  } catch (error) {
    graph.empty(make('p', { class: 'error' }, error.message));
    say(make('span', { class: 'error' }, error.message));
    return;
  }
  state.file = answer.file;
  state.legend = answer.legend;
  state.mostBytes = answer.mostBytes;
  byId('pipeline').value = answer.pipeline;
  byId('pipelines').replaceChildren(
    ...['loaded_patterns', 'onnx,loaded_patterns', ...answer.pipelines].map((name) => make('option', { value: name })),
  );
  if (answer.model) {
    setModel(answer.model);
  }
  editor.text = answer.file ? answer.text : SAMPLE_TEXT;
  state.saved = editor.text;
  showName();
  showNoModel();
  showPanel();
  editor.onchange = () => {
    document.querySelectorAll('.cure').forEach((button) => {
      button.disabled = true;
    }); // of the text as it was
    state.proofs = [];
    showName();
    check();
  };
  await check();
  byId('text').focus();
}

begin();
