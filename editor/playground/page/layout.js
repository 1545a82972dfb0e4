// Where the boxes of a graph stand: in layers from the top down, each below what it reads.

const LAYOUT = { character: 7.3, line: 15, pad: 8, between: 18, gap: 34, far: 8, sweeps: 6 };

/** The lines of a node's box. */
function linesOf(node) {
  return [node.t, node.d, node.v, node.y].filter((line) => line);
}

/**
 * In:  nodes and edges as the server sends them.
 * Out: {boxes: [{x, y, width, height, layer}], links: [{from, to, points}], far: [{from, to}], width, height}. Edges
 *      over many layers are `far`, and not drawn as lines. Takes time in proportion to the graph.
 */
function layOut(nodes, edges) {
  const boxes = nodes.map((node) => {
    const lines = linesOf(node);
    return {
      width: Math.max(...lines.map((line) => [...line].length)) * LAYOUT.character + 2 * LAYOUT.pad,
      height: lines.length * LAYOUT.line + LAYOUT.pad,
      layer: 0,
      x: 0,
      y: 0,
    };
  });
  const seen = new Set();
  const unique = edges.filter(([from, to]) => {
    const key = from * nodes.length + to;
    return from !== to && !seen.has(key) && seen.add(key);
  });
  assignLayers(boxes, unique);

  // Edges that pass layers get a point in each of them.
  const items = boxes.map((box, i) => ({ box, node: i, width: box.width, up: [], down: [] }));
  let layers = [];
  const into = (item, layer) => (layers[layer] = layers[layer] || []).push(item);
  items.forEach((item, i) => into(item, boxes[i].layer));
  const links = [];
  const far = [];
  for (const [from, to] of unique) {
    const first = boxes[from].layer;
    const last = boxes[to].layer;
    if (last - first > LAYOUT.far) {
      far.push({ from, to });
      continue;
    }
    const path = [items[from]];
    for (let layer = first + 1; layer < last; ++layer) {
      const point = { width: 4, up: [], down: [] };
      into(point, layer);
      path.push(point);
    }
    path.push(items[to]);
    for (let i = 0; i + 1 < path.length; ++i) {
      path[i].down.push(path[i + 1]);
      path[i + 1].up.push(path[i]);
    }
    links.push({ from, to, path });
  }
  layers = layers.filter((layer) => layer); // some are empty since sources moved down
  orderLayers(layers);
  placeAcross(layers);
  const width = placeDown(layers);
  return {
    boxes,
    far,
    width: width.width,
    height: width.height,
    links: links.map(({ from, to, path }) => ({
      from,
      to,
      points: path.map((p) => [p.x + p.width / 2, p.y, p.height]),
    })),
  };
}

function assignLayers(boxes, edges) {
  const next = boxes.map(() => []);
  const waits = boxes.map(() => 0);
  for (const [from, to] of edges) {
    next[from].push(to);
    ++waits[to];
  }
  const sources = waits.map((n) => n === 0);
  const ready = boxes.map((_, i) => i).filter((i) => waits[i] === 0);
  for (let i = 0; i < ready.length; ++i) {
    // what is on a cycle, which no program has, stays in layer 0
    for (const to of next[ready[i]]) {
      boxes[to].layer = Math.max(boxes[to].layer, boxes[ready[i]].layer + 1);
      if (--waits[to] === 0) {
        ready.push(to);
      }
    }
  }
  boxes.forEach((box, i) => {
    // what reads nothing stands right above what reads it
    if (sources[i] && next[i].length) {
      box.layer = Math.max(0, next[i].reduce((least, to) => Math.min(least, boxes[to].layer), Infinity) - 1);
    }
  });
}

/** Neighbours pull: a few sweeps take most crossings out. */
function orderLayers(layers) {
  const number = (layer) =>
    layer.forEach((item, i) => {
      item.rank = i - (layer.length - 1) / 2;
    });
  layers.forEach(number);
  for (let sweep = 0; sweep < LAYOUT.sweeps; ++sweep) {
    const down = sweep % 2 === 0;
    const order = down ? layers : [...layers].reverse();
    for (const layer of order) {
      for (const item of layer) {
        const near = down ? item.up : item.down;
        item.wish = near.length ? near.reduce((sum, other) => sum + other.rank, 0) / near.length : item.rank;
      }
      layer.sort((a, b) => a.wish - b.wish);
      number(layer);
    }
  }
}

/** As near to what it hangs on as the neighbours in its layer let it. */
function placeAcross(layers) {
  for (const layer of layers) {
    let x = 0;
    for (const item of layer) {
      item.x = x;
      x += item.width + LAYOUT.between;
    }
    layer.forEach((item) => {
      item.x -= x / 2;
    });
  }
  const middle = (item) => item.x + item.width / 2;
  for (let sweep = 0; sweep < 2 * LAYOUT.sweeps; ++sweep) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      const wishes = layer.map((item) => {
        const near = down ? item.up : item.down;
        return near.length
          ? near.reduce((sum, other) => sum + middle(other), 0) / near.length - item.width / 2
          : item.x;
      });
      const left = [];
      const right = [];
      layer.forEach((item, i) => {
        left[i] = i ? Math.max(wishes[i], left[i - 1] + layer[i - 1].width + LAYOUT.between) : wishes[i];
      });
      for (let i = layer.length - 1; i >= 0; --i) {
        right[i] =
          i + 1 < layer.length ? Math.min(wishes[i], right[i + 1] - layer[i].width - LAYOUT.between) : wishes[i];
      }
      layer.forEach((item, i) => {
        item.x = (left[i] + right[i]) / 2;
      });
    }
  }
}

/** Heights, and coordinates from 0. */
function placeDown(layers) {
  let least = Infinity;
  let most = 0;
  let y = LAYOUT.pad;
  for (const layer of layers) {
    let tallest = 0;
    for (const item of layer) {
      least = Math.min(least, item.x);
      tallest = Math.max(tallest, item.box ? item.box.height : 0);
    }
    for (const item of layer) {
      item.y = y;
      item.height = item.box ? item.box.height : tallest;
    }
    y += tallest + LAYOUT.gap;
  }
  for (const layer of layers) {
    for (const item of layer) {
      item.x += LAYOUT.pad - least;
      most = Math.max(most, item.x + item.width);
      if (item.box) {
        item.box.x = item.x;
        item.box.y = item.y;
      }
    }
  }
  return { width: most + LAYOUT.pad, height: y - LAYOUT.gap + LAYOUT.pad };
}
