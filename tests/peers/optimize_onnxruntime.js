// node optimize_onnxruntime.js ENGINE_DIR BEFORE_DIR AFTER_DIR OUT_DIR: has the engine optimise every model of BEFORE_DIR at its level
// "basic" and write the result to OUT_DIR; runs the models of the same name in BEFORE_DIR and AFTER_DIR, the engine's optimiser off, on
// random inputs of two sizes, and compares. Prints one JSON object a line: {"model", "difference"} or {"model", "error"}.
const path = require('path'), fs = require('fs');
const ort = require(path.join(path.resolve(process.argv[2]), 'node_modules', 'onnxruntime-node'));
const [before, after, out] = process.argv.slice(3);
const off = {graphOptimizationLevel: 'disabled', logSeverityLevel: 4};

let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;

/// A tensor for an input. Sizes with a name are multiples of 16 for pictures, small otherwise, all different.
function feed(info, round) {
  const size = name => ['H', 'W', 'width'].includes(name) ? 16 + 16 * round : 2 + round + name.length % 3;
  const dims = info.shape.map(d => typeof d === 'number' ? d : size(d));
  const length = dims.reduce((a, b) => a * b, 1);
  const lists = {float32: [Float32Array, () => random() * 2 - 1], float64: [Float64Array, () => random() * 2 - 1],
    int64: [BigInt64Array, () => BigInt(Math.floor(random() * 2))], int32: [Int32Array, () => Math.floor(random() * 2)],
    uint8: [Uint8Array, () => Math.floor(random() * 255)], bool: [Uint8Array, () => Math.floor(random() * 2)]};
  const [List, draw] = lists[info.type];
  return new ort.Tensor(info.type, List.from({length}, draw), dims);
}

/// The largest difference between two lists of outputs, relative to the largest number seen.
function difference(a, b, names) {
  let d = 0;
  for (const name of names) {
    if (a[name].dims.join() !== b[name].dims.join() || a[name].type !== b[name].type) return Infinity;
    let largest = 1e-3, away = 0;
    for (let i = 0; i < a[name].data.length; ++i) {
      const x = Number(a[name].data[i]), y = Number(b[name].data[i]);
      if (Number.isNaN(x) !== Number.isNaN(y)) return Infinity;
      if (x === y || Number.isNaN(x)) continue;
      largest = Math.max(largest, Math.abs(x));
      away = Math.max(away, Math.abs(x - y));
    }
    d = Math.max(d, away / largest);
  }
  return d;
}

(async () => {
  for (const file of fs.readdirSync(before).filter(f => f.endsWith('.onnx')).sort()) {
    const model = file.replace('.onnx', '');
    try {
      await ort.InferenceSession.create(path.join(before, file), {graphOptimizationLevel: 'basic', optimizedModelFilePath: path.join(out, file), logSeverityLevel: 4});
      const [a, b] = [await ort.InferenceSession.create(path.join(before, file), off), await ort.InferenceSession.create(path.join(after, file), off)];
      let worst = 0;
      for (const round of [0, 1]) {
        const feeds = Object.fromEntries(a.inputMetadata.map(info => [info.name, feed(info, round)]));
        worst = Math.max(worst, difference(await a.run(feeds), await b.run(feeds), a.outputNames));
      }
      console.log(JSON.stringify({model, difference: worst === Infinity ? 'shape, type or NaN' : worst}));
    } catch (e) { console.log(JSON.stringify({model, error: e.message.slice(0, 300)})); }
  }
})();
