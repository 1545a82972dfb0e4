// The graph of a model: drawn, moved, and walked through with the keyboard.

/**
 * In:  an element that has the focus, one that says what is picked; graphs as the server sends them.
 * Out: the drawing. `show(graph, mark)` draws the scope at hand; `mark` is the class of what differs.
 */
class GraphView {
  constructor(element, said) {
    this.element = element;
    this.said = said;
    this.scope = 0;
    this.picked = -1;
    this.view = { x: 0, y: 0, scale: 1 };
    this.drawn = '';
    this.onscope = () => {};
    this.onnochange = () => {}; // none to step to
    element.addEventListener('keydown', (event) => this.key(event));
    element.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    element.addEventListener('pointerdown', (event) => this.drag(event));
    this.isMoved = false; // by somebody, who then does not want it moved
    new ResizeObserver(() => (this.isMoved || !this.placed ? this.move(0, 0) : this.home())).observe(element);
  }

  /** What stands there in place of a graph. */
  empty(...content) {
    this.drawn = '';
    this.nodes = [];
    this.element.replaceChildren(make('div', { class: 'empty' }, ...content));
    this.pick(-1);
  }

  show(graph, mark) {
    this.graph = graph;
    this.mark = mark;
    this.scope = Math.min(this.scope, graph.scopes.length - 1);
    const scope = graph.scopes[this.scope] || { nodes: [], edges: [], leftOut: 0, name: '' };
    const key = mark + JSON.stringify(scope);
    if (key === this.drawn) {
      return;
    }
    const isFirst = this.name !== scope.name || !this.drawn;
    this.isMoved = this.isMoved && this.name === scope.name;
    this.name = scope.name;
    this.drawn = key;
    this.nodes = scope.nodes;
    this.edges = scope.edges;
    this.leftOut = scope.leftOut;
    this.placed = layOut(scope.nodes, scope.edges);
    this.element.innerHTML = this.markup();
    this.pane = this.element.querySelector('.pane');
    this.changed = scope.nodes.map((node, i) => i).filter((i) => scope.nodes[i].s === 1);
    this.changed.sort(
      (a, b) => this.placed.boxes[a].y - this.placed.boxes[b].y || this.placed.boxes[a].x - this.placed.boxes[b].x,
    );
    this.pick(-1);
    if (isFirst || !this.isMoved || !this.isInView()) {
      this.home();
    } else {
      this.move(0, 0);
    }
  }

  markup() {
    const { boxes, links, far } = this.placed;
    const out = [];
    for (const link of links) {
      out.push(this.path(link.points));
    }
    const tags = new Map();
    for (const { from, to } of far) {
      tags.set(to, [...(tags.get(to) || []), this.nodes[from].v || this.nodes[from].t]);
    }
    for (const [to, names] of tags) {
      const box = boxes[to];
      const text = `↑ ${names.slice(0, 2).join(', ')}${names.length > 2 ? ` +${names.length - 2}` : ''}`;
      out.push(`<text class="tag" x="${box.x + box.width / 2}" y="${box.y - 3}">${escaped(text)}</text>`);
    }
    boxes.forEach((box, i) => {
      const node = this.nodes[i];
      const { x, y, width, height } = box;
      const middle = x + width / 2;
      const kind = node.s === 1 ? this.mark : node.s ? 'rewired' : node.b ? 'b' : '';
      out.push(`<g class="${kind}" data-node="${i}">`);
      out.push(`<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4"/>`);
      linesOf(node).forEach((line, n) => {
        const down = y + (n + 1) * LAYOUT.line;
        out.push(`<text class="${n ? 'q' : 't'}" x="${middle}" y="${down}">${escaped(line)}</text>`);
      });
      out.push('</g>');
    });
    const label = escaped(plural(this.nodes.length, 'node'));
    return `<svg role="img" aria-label="${label}"><g class="pane">${out.join('')}</g></svg>`;
  }

  path(points) {
    let [x, y] = [points[0][0], points[0][1] + points[0][2]];
    let d = `M${x} ${y}`;
    for (let i = 1; i < points.length; ++i) {
      const [nextX, nextY, height] = points[i];
      const end = i + 1 === points.length ? nextY - 3 : nextY;
      const bend = Math.max((end - y) / 2, LAYOUT.gap / 2);
      d += `C${x} ${y + bend} ${nextX} ${end - bend} ${nextX} ${end}`;
      [x, y] = [nextX, end];
      if (i + 1 < points.length) {
        d += `V${nextY + height}`;
        y = nextY + height;
      }
    }
    return `<path d="${d}"/><path class="h" d="M${x} ${y + 3}l-4 -7h8z"/>`;
  }

  // ---- where one looks

  apply() {
    if (this.pane) {
      this.pane.setAttribute('transform', `translate(${this.view.x} ${this.view.y}) scale(${this.view.scale})`);
    }
  }

  size() {
    return [this.element.clientWidth || 1, this.element.clientHeight || 1];
  }

  move(dx, dy) {
    if (!this.placed) {
      return;
    }
    const [width, height] = this.size();
    const keep = 40; // so much of the graph stays in view
    const { scale } = this.view;
    this.view.x = Math.min(width - keep, Math.max(keep - this.placed.width * scale, this.view.x + dx));
    this.view.y = Math.min(height - keep, Math.max(keep - this.placed.height * scale, this.view.y + dy));
    this.apply();
  }

  zoom(factor, x, y) {
    this.isMoved = true;
    const [width, height] = this.size();
    [x, y] = [x ?? width / 2, y ?? height / 2];
    const scale = Math.min(3, Math.max(0.02, this.view.scale * factor));
    this.view.x = x - ((x - this.view.x) * scale) / this.view.scale;
    this.view.y = y - ((y - this.view.y) * scale) / this.view.scale;
    this.view.scale = scale;
    this.move(0, 0);
  }

  fit() {
    if (!this.placed) {
      return;
    }
    this.isMoved = false;
    const [width, height] = this.size();
    this.view.scale = Math.min(1, width / this.placed.width, height / this.placed.height);
    this.view.x = (width - this.placed.width * this.view.scale) / 2;
    this.view.y = Math.max(0, (height - this.placed.height * this.view.scale) / 2);
    this.apply();
  }

  /** All of it where one can read it then; else the first change, or the beginning. */
  home() {
    this.fit();
    if (this.view.scale >= 0.6 || !this.nodes.length) {
      return;
    }
    this.view.scale = 0.85;
    let first = this.changed.length ? this.changed[0] : 0;
    if (!this.changed.length) {
      this.placed.boxes.forEach((box, i) => {
        first = box.y < this.placed.boxes[first].y ? i : first;
      });
    }
    this.center(first, this.changed.length ? 0.4 : 0.1);
  }

  isInView() {
    const [width, height] = this.size();
    const { x, y, scale } = this.view;
    return this.placed.boxes.some((box) => {
      const [left, top] = [x + box.x * scale, y + box.y * scale];
      return left > -box.width * scale && left < width && top > -box.height * scale && top < height;
    });
  }

  center(node, down = 0.5) {
    const [width, height] = this.size();
    const box = this.placed.boxes[node];
    this.view.x = width / 2 - (box.x + box.width / 2) * this.view.scale;
    this.view.y = height * down - (box.y + box.height / 2) * this.view.scale;
    this.move(0, 0);
  }

  // ---- what is picked

  pick(node, center = false) {
    this.element.querySelector('.picked')?.classList.remove('picked');
    this.picked = node;
    if (node < 0) {
      const more =
        this.nodes?.length && this.leftOut ? `${plural(this.leftOut, 'op')} far from the changes not drawn. ` : '';
      this.said.replaceChildren(more);
      return;
    }
    this.element.querySelector(`[data-node="${node}"]`).classList.add('picked');
    if (center) {
      this.isMoved = true;
      this.view.scale = Math.max(this.view.scale, 0.6);
      this.center(node);
    }
    this.said.replaceChildren(...this.describe(node));
  }

  describe(node) {
    const { t, d, v, y, s, b, r } = this.nodes[node];
    const names = (list) => list.map((i) => this.nodes[i].v || this.nodes[i].t).join(', ');
    const from = this.edges.filter(([, to]) => to === node).map(([f]) => f);
    const to = this.edges.filter(([f]) => f === node).map(([, t2]) => t2);
    const what =
      s === 2
        ? this.mark === 'gone'
          ? 'will read something else'
          : 'reads something else now'
        : s
          ? this.mark === 'gone'
            ? 'goes or changes'
            : 'new or changed'
          : '';
    const at = s === 1 ? `, change ${this.changed.indexOf(node) + 1} of ${this.changed.length}` : '';
    const out = [
      make('b', {}, t),
      d ? ` ${d}` : '',
      v && !b ? ` ${v}` : '',
      y ? `: ${y}` : '',
      what ? ` — ${what}${at}` : '',
    ];
    if (from.length) {
      out.push(` · from ${names(from.slice(0, 6))}`);
    }
    if (to.length) {
      out.push(
        ` · to ${[...new Set(to)]
          .slice(0, 6)
          .map((i) => this.nodes[i].t)
          .join(', ')}`,
      );
    }
    for (const scope of r || []) {
      out.push(' ', make('button', { type: 'button', onclick: () => this.onscope(scope) }, 'look inside'));
    }
    return out;
  }

  step(by) {
    if (!this.changed?.length) {
      this.onnochange(by);
      return;
    }
    const at = this.changed.indexOf(this.picked);
    const next =
      at < 0 ? (by > 0 ? 0 : this.changed.length - 1) : (at + by + this.changed.length) % this.changed.length;
    this.pick(this.changed[next], true);
  }

  /** The node whose value has this name, of which only the end may be shown; -1: none. */
  find(name) {
    return (this.nodes || []).findIndex(
      ({ v, b }) => !b && v && (v === name || (v[0] === '…' && name.endsWith(v.slice(1)))),
    );
  }

  walk(direction) {
    const boxes = this.placed.boxes;
    if (this.picked < 0) {
      return this.pick(this.changed.length ? this.changed[0] : 0, true);
    }
    const at = this.picked;
    const here = boxes[at];
    let choices;
    if (direction === 'ArrowUp') {
      choices = this.edges.filter(([, to]) => to === at).map(([from]) => from);
    } else if (direction === 'ArrowDown') {
      choices = this.edges.filter(([from]) => from === at).map(([, to]) => to);
    } else {
      const right = direction === 'ArrowRight';
      choices = boxes
        .map((box, i) => i)
        .filter((i) => i !== at && boxes[i].layer === here.layer && boxes[i].x > here.x === right);
    }
    const middle = here.x + here.width / 2;
    choices.sort(
      (a, b) => Math.abs(boxes[a].x + boxes[a].width / 2 - middle) - Math.abs(boxes[b].x + boxes[b].width / 2 - middle),
    );
    if (choices.length) {
      this.pick(choices[0], true);
    }
    return undefined;
  }

  key(event) {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target !== this.element ||
      !this.placed ||
      !this.nodes.length
    ) {
      return;
    }
    const { key } = event;
    if (key.startsWith('Arrow') && event.shiftKey) {
      this.isMoved = true;
      const by = 60;
      this.move(
        key === 'ArrowLeft' ? by : key === 'ArrowRight' ? -by : 0,
        key === 'ArrowUp' ? by : key === 'ArrowDown' ? -by : 0,
      );
    } else if (key.startsWith('Arrow')) {
      this.walk(key);
    } else if (key === 'n' || key === 'p') {
      this.step(key === 'n' ? 1 : -1);
    } else if (key === '+' || key === '=') {
      this.zoom(1.25);
    } else if (key === '-') {
      this.zoom(0.8);
    } else if (key === '0') {
      this.fit();
    } else if (key === 'Enter') {
      this.said.querySelector('button')?.click();
    } else if (key === 'Escape') {
      this.pick(-1);
    } else {
      return;
    }
    event.preventDefault();
  }

  wheel(event) {
    if (!this.placed || !this.nodes.length) {
      return;
    }
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) {
      const at = this.element.getBoundingClientRect();
      this.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1, event.clientX - at.left, event.clientY - at.top);
    } else {
      this.isMoved = true;
      this.move(-event.deltaX, -event.deltaY);
    }
  }

  drag(event) {
    if (event.button !== 0 || !this.placed || event.target.closest('button')) {
      return;
    }
    const node = event.target.closest('[data-node]');
    let [x, y] = [event.clientX, event.clientY];
    let moved = 0;
    const follow = (next) => {
      this.isMoved = true;
      moved += Math.abs(next.clientX - x) + Math.abs(next.clientY - y);
      this.move(next.clientX - x, next.clientY - y);
      [x, y] = [next.clientX, next.clientY];
    };
    const end = () => {
      this.element.removeEventListener('pointermove', follow);
      if (moved < 5) {
        this.pick(node ? Number(node.dataset.node) : -1);
      }
    };
    this.element.setPointerCapture(event.pointerId);
    this.element.addEventListener('pointermove', follow);
    this.element.addEventListener('pointerup', end, { once: true });
    this.element.addEventListener('pointercancel', end, { once: true });
  }
}
