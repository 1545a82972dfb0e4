// The text of the patterns: a text field over its own text in colours, with the language server's help.

const WORDS = new Set(
  `and assume_same_type attr benefit canonicalize const constraint conversion dialect dim dtype each else erase
  expect extern false fastmath fn fold for if import in int is label let match means not op or ordered pass pattern pipeline
  private recursive region repeat replace require rewrite set single tensor test then trait traits true type update value versions
  where with`.split(/\s+/),
);
const TOKEN = /(\/\/.*)|("(?:[^"\\\n]|\\.)*"?)|(\b\d[\w.]*)|([A-Za-z_]\w*)|([^A-Za-z_"\/\d]+|\/)/g;
/** Classes of semantic tokens by the server's names of them. */
const CLASSES = {
  namespace: 'v',
  type: 'k',
  class: 'o',
  function: 'f',
  macro: 'f',
  parameter: 'v',
  variable: 'v',
  property: 'v',
  enumMember: 'n',
  keyword: 'k',
  number: 'n',
  string: 's',
  comment: 'c',
  method: 'f',
};

class Editor {
  /** `ask(requests)`: the language server, about the text as it is; answers or null if the text has changed since. */
  constructor(root, ask) {
    this.root = root;
    this.ask = ask;
    this.field = root.querySelector('textarea');
    [this.gutter, this.marks, this.colours] = ['.gutter', '.marks', '.colours'].map((name) => root.querySelector(name));
    this.list = root.querySelector('#completions');
    this.hint = root.querySelector('#hint');
    this.diagnostics = [];
    this.lenses = new Map(); // by line
    this.known = new Map(); // spans of lines that the server has coloured, by their text
    this.onchange = () => {};
    this.field.addEventListener('input', (event) => this.input(event));
    this.field.addEventListener('keydown', (event) => this.key(event));
    this.field.addEventListener('blur', () => setTimeout(() => this.closeList(), 150));
    this.field.addEventListener('click', () => {
      this.closeList();
      this.closeHint();
    });
    this.field.addEventListener('mousemove', (event) => this.wait(event));
    this.field.addEventListener('mouseleave', () => clearTimeout(this.waiting));
  }

  get text() {
    return this.field.value;
  }

  set text(text) {
    this.field.value = text;
    this.field.setSelectionRange(0, 0);
    this.changed();
  }

  /** Puts a text in the place of another, so that it can be undone. */
  replace(begin, end, text, caret = begin + text.length) {
    this.field.focus();
    this.field.setSelectionRange(begin, end);
    if (!(text ? document.execCommand('insertText', false, text) : document.execCommand('delete'))) {
      this.field.setRangeText(text, begin, end, 'end');
      this.changed();
    }
    this.field.setSelectionRange(caret, caret);
  }

  changed() {
    this.closeHint();
    this.diagnostics = [];
    this.render();
    this.onchange();
  }

  // ---- positions as the protocol counts them

  offset({ line, character }) {
    let at = 0;
    for (let i = 0; i < line; ++i) {
      const next = this.text.indexOf('\n', at);
      if (next < 0) {
        return this.text.length;
      }
      at = next + 1;
    }
    const end = this.text.indexOf('\n', at);
    return Math.min(at + character, end < 0 ? this.text.length : end);
  }

  position(offset = this.field.selectionStart) {
    const before = this.text.slice(0, offset);
    const line = before.split('\n').length - 1;
    return { line, character: offset - (before.lastIndexOf('\n') + 1) };
  }

  /** Puts the caret there, in view. */
  go(position) {
    const at = this.offset(position);
    this.field.focus();
    this.field.setSelectionRange(at, at);
    const box = this.boxOf(at);
    const view = this.root.getBoundingClientRect();
    if (box.top < view.top + 20 || box.bottom > view.bottom - 20) {
      this.root.scrollTop += box.top - view.top - view.height / 3;
    }
  }

  /** Where a character stands on the screen. */
  boxOf(offset) {
    let left = offset;
    const walker = document.createTreeWalker(this.marks, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (left < node.length) {
        const range = document.createRange();
        range.setStart(node, left);
        range.setEnd(node, left + 1);
        const boxes = range.getClientRects();
        if (boxes.length) {
          const box = boxes[0];
          return { left: box.left, top: box.top, bottom: box.bottom };
        }
        return range.getBoundingClientRect();
      }
      left -= node.length;
    }
    return this.marks.getBoundingClientRect();
  }

  offsetAt(x, y) {
    // The text field lies on top; what is under it is asked for by lines and columns of one width.
    const style = this.marks.getBoundingClientRect();
    const height = parseFloat(getComputedStyle(this.marks).lineHeight);
    const top = parseFloat(getComputedStyle(this.marks).paddingTop);
    const line = Math.floor((y - style.top - top) / height);
    const lines = this.text.split('\n');
    if (line < 0 || line >= lines.length) {
      return -1;
    }
    const start = this.offset({ line, character: 0 });
    let [low, high] = [0, lines[line].length];
    if (!high || x < style.left || this.boxOf(start + high).left < x - 2) {
      return -1;
    }
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.boxOf(start + middle + 1).left > x) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return start + low;
  }

  // ---- drawing

  render() {
    const lines = this.text.split('\n');
    this.gutter.textContent = lines.map((_, i) => i + 1).join('\n');
    this.colours.replaceChildren();
    lines.forEach((line, i) => {
      for (const [text, kind] of this.known.get(line) || this.lexical(line)) {
        this.colours.append(kind ? make('span', { class: kind }, text) : text);
      }
      const lens = this.lenses.get(i);
      if (lens) {
        this.colours.append(make('span', { class: `lens ${lens.kind}`, 'data-text': lens.text }));
      }
      this.colours.append('\n');
    });
    this.renderMarks();
  }

  lexical(line) {
    return [...line.matchAll(TOKEN)].map(([text, comment, string, number, word]) => [
      text,
      comment !== undefined
        ? 'c'
        : string !== undefined
          ? 's'
          : number !== undefined
            ? 'n'
            : word && WORDS.has(word)
              ? 'k'
              : '',
    ]);
  }

  renderMarks() {
    const text = `${this.text}\n`;
    const bounds = new Set([0, text.length]);
    const ranges = this.diagnostics.map(({ range, severity }) => {
      const begin = this.offset(range.start);
      const end = Math.max(this.offset(range.end), begin + 1);
      bounds.add(begin).add(Math.min(end, text.length));
      return { begin, end, severity };
    });
    const sorted = [...bounds].sort((a, b) => a - b);
    this.marks.replaceChildren();
    for (let i = 0; i + 1 < sorted.length; ++i) {
      const worst = ranges.reduce(
        (least, r) => (r.begin <= sorted[i] && r.end > sorted[i] ? Math.min(least, r.severity) : least),
        9,
      );
      const part = text.slice(sorted[i], sorted[i + 1]);
      this.marks.append(worst < 9 ? make('span', { class: 'ewii'[worst - 1] }, part) : part);
    }
  }

  /** Diagnostics of the text as it is, and its tokens. */
  take(diagnostics, tokens, legend) {
    this.diagnostics = diagnostics;
    if (tokens) {
      const lines = this.text.split('\n');
      const spans = new Map();
      let [line, column] = [0, 0];
      for (let i = 0; i + 4 < tokens.data.length; i += 5) {
        const [down, across, length, type] = tokens.data.slice(i, i + 4);
        line += down;
        column = down ? across : column + across;
        if (!spans.has(line)) {
          spans.set(line, []);
        }
        spans.get(line).push([column, length, CLASSES[legend[type]] || '']);
      }
      this.known.clear();
      for (const [number, list] of spans) {
        const text = lines[number];
        const out = [];
        let at = 0;
        for (const [begin, length, kind] of list) {
          out.push([text.slice(at, begin), ''], [text.slice(begin, begin + length), kind]);
          at = begin + length;
        }
        out.push([text.slice(at), '']);
        this.known.set(
          text,
          out.filter(([part]) => part),
        );
      }
    }
    this.render();
  }

  setLenses(lenses) {
    this.lenses = lenses;
    this.render();
  }

  // ---- typing

  input(event) {
    this.changed();
    const before = this.text.slice(0, this.field.selectionStart);
    const typed = event.inputType === 'insertText' ? event.data || '' : '';
    if (!this.list.hidden) {
      this.filter();
    } else if (/^[A-Za-z_.]$/.test(typed) && !/\/\/[^\n]*$/.test(before)) {
      this.complete();
    }
    if (typed === '(' || typed === ',' || (this.signing && event.inputType.startsWith('insert'))) {
      this.signature();
    }
  }

  key(event) {
    const ctrl = event.ctrlKey || event.metaKey;
    const start = this.field.selectionStart;
    if (
      !this.list.hidden &&
      ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Enter', 'Tab', 'Escape'].includes(event.key) &&
      !event.shiftKey
    ) {
      event.preventDefault();
      event.stopPropagation();
      const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
      if (by) {
        this.select(this.chosen + by);
      } else if (event.key === 'Escape') {
        this.closeList();
      } else {
        this.accept();
      }
    } else if (ctrl && event.key === ' ') {
      event.preventDefault();
      this.complete();
    } else if (event.key === 'F1' || (ctrl && event.key === 'i')) {
      event.preventDefault();
      this.explain(start);
    } else if (event.key === 'F12') {
      event.preventDefault();
      this.define();
    } else if (event.key === 'F8') {
      event.preventDefault();
      this.nextProblem(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      this.closeHint();
    } else if (ctrl && event.key === '/') {
      event.preventDefault();
      this.comment();
    } else if (event.key === 'Enter' && !ctrl && !event.altKey) {
      event.preventDefault();
      const line = this.text.slice(this.text.lastIndexOf('\n', start - 1) + 1, start);
      const indent = /^\s*/.exec(line)[0] + (/[{(]\s*$/.test(line) ? '  ' : '');
      this.replace(start, this.field.selectionEnd, `\n${indent}`);
    } else if (event.key === '}' && !ctrl) {
      const from = this.text.lastIndexOf('\n', start - 1) + 1;
      if (/^ {2,}$/.test(this.text.slice(from, start))) {
        event.preventDefault();
        this.replace(start - 2, this.field.selectionEnd, '}');
      }
    }
  }

  comment() {
    const first = this.text.lastIndexOf('\n', this.field.selectionStart - 1) + 1;
    const end = this.text.indexOf('\n', Math.max(this.field.selectionEnd - 1, first));
    const lines = this.text.slice(first, end < 0 ? undefined : end).split('\n');
    const all = lines.every((line) => /^\s*\/\//.test(line) || !line.trim());
    const out = lines.map((line) =>
      all ? line.replace(/^(\s*)\/\/ ?/, '$1') : line.trim() ? line.replace(/^(\s*)/, '$1// ') : line,
    );
    this.replace(first, end < 0 ? this.text.length : end, out.join('\n'));
  }

  nextProblem(by) {
    const places = this.diagnostics.map((d) => this.offset(d.range.start)).sort((a, b) => a - b);
    const here = this.field.selectionStart;
    const next =
      by > 0
        ? (places.find((p) => p > here) ?? places[0])
        : (places.filter((p) => p < here).pop() ?? places[places.length - 1]);
    if (next !== undefined) {
      this.go(this.position(next));
      this.explain(next);
    }
  }

  // ---- completion

  word() {
    const caret = this.field.selectionStart;
    const begin = caret - /\w*$/.exec(this.text.slice(0, caret))[0].length;
    return { begin, text: this.text.slice(begin, caret) };
  }

  async complete() {
    const { begin } = this.word();
    const [answer] =
      (await this.ask([{ method: 'textDocument/completion', params: { position: this.position() } }])) || [];
    if (!answer || this.word().begin !== begin) {
      return;
    }
    this.items = answer.items || answer;
    this.from = begin;
    this.filter();
  }

  /** How well a label fits what was typed: less is better; null: not at all. */
  static fit(label, typed) {
    const [a, b] = [label.toLowerCase(), typed.toLowerCase()];
    if (label.startsWith(typed)) {
      return 0;
    }
    if (a.startsWith(b)) {
      return 1;
    }
    if (a.includes(b)) {
      return 2;
    }
    let at = -1;
    for (const c of b) {
      at = a.indexOf(c, at + 1);
      if (at < 0) {
        return null;
      }
    }
    return 3;
  }

  filter() {
    const { begin, text } = this.word();
    if (begin !== this.from || !this.items) {
      this.closeList();
      return;
    }
    const fitting = this.items
      .map((item) => ({ item, fit: Editor.fit(item.label, text) }))
      .filter(({ fit }) => fit !== null);
    fitting.sort(
      (a, b) => a.fit - b.fit || (a.item.sortText || a.item.label).localeCompare(b.item.sortText || b.item.label),
    );
    this.shown = fitting.slice(0, 60).map(({ item }) => item);
    if (!this.shown.length || (this.shown.length === 1 && this.shown[0].label === text)) {
      this.closeList();
      return;
    }
    this.list.replaceChildren(
      ...this.shown.map((item, i) =>
        make(
          'li',
          {
            role: 'option',
            id: `completion-${i}`,
            onmousedown: (event) => {
              event.preventDefault();
              this.select(i);
              this.accept();
            },
          },
          make('span', { class: 'mono' }, item.label),
          make('span', { class: 'soft' }, item.detail || ''),
        ),
      ),
    );
    this.list.hidden = false;
    this.place(this.list, this.boxOf(begin));
    this.field.setAttribute('aria-controls', 'completions');
    this.select(0);
  }

  select(i) {
    this.chosen = Math.min(this.shown.length - 1, Math.max(0, i));
    [...this.list.children].forEach((li, n) => li.setAttribute('aria-selected', String(n === this.chosen)));
    this.field.setAttribute('aria-activedescendant', `completion-${this.chosen}`);
    this.list.children[this.chosen].scrollIntoView({ block: 'nearest' });
  }

  accept() {
    const item = this.shown[this.chosen];
    this.closeList();
    const begin = item.textEdit ? this.offset(item.textEdit.range.start) : this.from;
    this.replace(begin, this.field.selectionStart, item.textEdit?.newText || item.insertText || item.label);
  }

  closeList() {
    this.list.hidden = true;
    this.items = null;
    this.field.removeAttribute('aria-activedescendant');
  }

  // ---- what things are

  closeHint() {
    this.hint.hidden = true;
    this.signing = false;
  }

  place(popup, box) {
    const view = this.root.getBoundingClientRect();
    popup.style.left = '0';
    popup.style.top = '0';
    popup.style.maxWidth = `${Math.min(544, view.width - 16)}px`;
    const { offsetWidth: width, offsetHeight: height } = popup;
    const left = Math.max(4, Math.min(box.left - view.left, view.width - width - 20));
    const below = view.bottom - box.bottom > height + 8 || box.top - view.top < height + 8;
    popup.style.left = `${left + this.root.scrollLeft}px`;
    const top = below ? box.bottom - view.top + 3 : box.top - view.top - height - 3;
    popup.style.top = `${top + this.root.scrollTop}px`;
  }

  showHint(offset, ...content) {
    this.hint.replaceChildren(...content);
    this.hint.hidden = false;
    this.place(this.hint, this.boxOf(offset));
  }

  async explain(offset) {
    const about = this.diagnostics.filter(
      ({ range }) => this.offset(range.start) <= offset && offset <= this.offset(range.end),
    );
    const [answer] =
      (await this.ask([{ method: 'textDocument/hover', params: { position: this.position(offset) } }])) || [];
    const content = about.map((d) => make('p', { class: d.severity === 1 ? 'error' : 'warning' }, d.message));
    if (answer?.contents) {
      content.push(markdown(answer.contents.value || String(answer.contents)));
    }
    if (content.length) {
      this.showHint(offset, ...content);
    } else {
      this.closeHint();
    }
  }

  wait(event) {
    clearTimeout(this.waiting);
    const { clientX: x, clientY: y } = event;
    this.waiting = setTimeout(() => {
      const at = this.list.hidden ? this.offsetAt(x, y) : -1;
      if (at >= 0 && /[\w"]/.test(this.text[at] || '')) {
        this.explain(at);
      }
    }, 450);
  }

  async signature() {
    const at = this.field.selectionStart;
    const [answer] =
      (await this.ask([{ method: 'textDocument/signatureHelp', params: { position: this.position() } }])) || [];
    const signature = answer?.signatures?.[answer.activeSignature || 0];
    if (!signature || at !== this.field.selectionStart || !this.list.hidden) {
      return;
    }
    const [begin, end] = signature.parameters?.[signature.activeParameter]?.label || [0, 0];
    this.showHint(
      at,
      make(
        'code',
        {},
        signature.label.slice(0, begin),
        make('span', { class: 'current' }, signature.label.slice(begin, end)),
        signature.label.slice(end),
      ),
    );
    this.signing = true;
  }

  async define() {
    const at = this.field.selectionStart;
    const [answer, hover] =
      (await this.ask([
        { method: 'textDocument/definition', params: { position: this.position() } },
        { method: 'textDocument/hover', params: { position: this.position() } },
      ])) || [];
    const place = answer?.find?.((where) => where.uri === this.uri);
    if (place) {
      this.go(place.range.start);
    } else if (hover) {
      this.showHint(at, markdown(hover.contents.value));
    }
  }

  async format() {
    const [edits] = (await this.ask([{ method: 'textDocument/formatting', params: {} }])) || [];
    this.apply(edits || []);
  }

  /** Edits of the protocol, from the end on. */
  apply(edits) {
    const here = this.position();
    const placed = edits.map((edit) => ({
      begin: this.offset(edit.range.start),
      end: this.offset(edit.range.end),
      text: edit.newText,
    }));
    placed.sort((a, b) => b.begin - a.begin);
    for (const { begin, end, text } of placed) {
      this.replace(begin, end, text);
    }
    if (placed.length) {
      this.go(here);
    }
  }
}
