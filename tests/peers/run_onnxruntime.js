// node run_onnxruntime.js ENGINE_DIR WORK_DIR: runs every model of the folder on its inputs, the engine's own optimiser off, and
// compares with the outputs given. Prints one line per difference and a summary; exit 1 if there is one.
const path = require('path'), fs = require('fs');
const ort = require(path.join(path.resolve(process.argv[2]), 'node_modules', 'onnxruntime-node'));
const work = process.argv[3];

const kinds = {f32: ['float32', Float32Array], f64: ['float64', Float64Array], i32: ['int32', Int32Array],
  i64: ['int64', BigInt64Array], u8: ['uint8', Uint8Array], bool: ['bool', Uint8Array]};
const number = t => t === 'inf' ? Infinity : t === '-inf' ? -Infinity : t === 'nan' ? NaN : Number(t);

function tensor(t) {
  const [name, List] = kinds[t.dtype];
  const data = t.data.map(v => t.dtype === 'i64' ? BigInt(v) : number(v));
  return new ort.Tensor(name, List.from(data), t.dims);
}

function difference(seen, wanted) {
  if (seen.type !== kinds[wanted.dtype][0] || seen.dims.join() !== wanted.dims.join())
    return {text: `${seen.type}[${seen.dims}] instead of ${wanted.dtype}[${wanted.dims}]`, size: Infinity};
  let largest = 0, text = '';
  for (let i = 0; i < wanted.data.length; ++i) {
    const a = Number(seen.data[i]), b = number(wanted.data[i]);
    if (a === b || (Number.isNaN(a) && Number.isNaN(b))) continue;
    const d = Math.abs(a - b) / Math.max(1, Math.abs(a), Math.abs(b));
    if (!(d <= largest)) { largest = Number.isNaN(d) ? Infinity : d; text = `[${i}]: ${a} instead of ${b}`; }
  }
  return {text, size: largest};
}

(async () => {
  let run = 0, wrong = 0, largest = 0;
  for (const file of fs.readdirSync(work).filter(f => f.endsWith('.json')).sort()) {
    const test = JSON.parse(fs.readFileSync(path.join(work, file), 'utf8'));
    try {
      const session = await ort.InferenceSession.create(path.join(work, file.replace('.json', '.onnx')), {graphOptimizationLevel: 'disabled', logSeverityLevel: 3});
      const feeds = {};
      session.inputNames.forEach((name, i) => feeds[name] = tensor(test.inputs[i]));
      const results = await session.run(feeds);
      const d = difference(results[session.outputNames[0]], test.outputs[0]);
      ++run;
      if (d.size > 1e-5) { ++wrong; console.log(`${file} ${test.name}: ${d.text}`); }
      else largest = Math.max(largest, d.size);
    } catch (e) { ++run; ++wrong; console.log(`${file} ${test.name}: ${e.message}`); }
  }
  console.log(`${run} models run, ${wrong} disagree, largest relative difference of the others ${largest.toExponential(2)}`);
  process.exit(wrong || !run ? 1 : 0);
})();
