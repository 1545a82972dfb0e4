// node run_lowerings.js ENGINE_DIR WORK_DIR: runs models that unit_stablehlo_to_onnx wrote (RW_LOWERING_DUMP=WORK_DIR) on their inputs
// in onnxruntime, the engine's own optimiser off, and compares with the outputs given: integers and bools exactly, floats within the
// units in the last place that the case allows and 3 more, since engines round functions in their own ways. What the engine has no
// kernel for (f64 in some functions, bf16 as an input) is counted by op, not held against the model. Exit 1 if values differ.
const path = require('path'), fs = require('fs');
const {load, kinds, elements} = require('./engine');
const ort = load(process.argv[2]);
const work = process.argv[3];

/// A number for each float, in their order, zeros being one.
function places(dtype, list) {
  if (dtype === 'f64') return Array.from(new BigInt64Array(list.buffer.slice(list.byteOffset, list.byteOffset + list.byteLength)),
    v => v < 0n ? -(v & 0x7fffffffffffffffn) : v);
  const bits = dtype === 'f32' ? new Int32Array(list.buffer.slice(list.byteOffset, list.byteOffset + list.byteLength))
    : new Int16Array(list.buffer.slice(list.byteOffset, list.byteOffset + list.byteLength));
  return Array.from(bits, v => BigInt(v < 0 ? -(v & (dtype === 'f32' ? 0x7fffffff : 0x7fff)) : v));
}
const limits = {f16: 0x7c00n, f32: 0x7f800000n, f64: 0x7ff0000000000000n};

function difference(seen, wanted, test) {
  const [type] = kinds[wanted.dtype], list = elements(wanted);
  if (seen.type !== type || seen.dims.join() !== wanted.dims.join())
    return `${seen.type}[${seen.dims}] instead of ${wanted.dtype}[${wanted.dims}]`;
  if (!limits[wanted.dtype]) {
    for (let i = 0; i < list.length; ++i)
      if (wanted.dtype === 'bool' ? !seen.data[i] !== !list[i] : seen.data[i] !== list[i]) return `[${i}]: ${seen.data[i]} instead of ${list[i]}`;
    return '';
  }
  const a = places(wanted.dtype, seen.data), b = places(wanted.dtype, list), most = limits[wanted.dtype];
  for (let i = 0; i < list.length; ++i) {
    const nanA = a[i] > most || -a[i] > most, nanB = b[i] > most || -b[i] > most, d = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    if (nanA && nanB) continue;
    if (!nanA && !nanB && (d <= BigInt(test.units) + 3n || Math.abs(Number(seen.data[i]) - Number(list[i])) <= test.absolute)) continue;
    return `[${i}]: ${seen.data[i]} instead of ${list[i]} (${d} units)`;
  }
  return '';
}

(async () => {
  let run = 0, wrong = 0, refused = {};
  for (const file of fs.readdirSync(work).filter(f => f.endsWith('.json')).sort()) {
    const test = JSON.parse(fs.readFileSync(path.join(work, file), 'utf8').replace(/\binf\b/g, '1e999'));
    if ([...test.inputs, ...test.outputs].some(t => !kinds[t.dtype])) { refused['bf16 outside'] = (refused['bf16 outside'] || 0) + 1; continue; }
    try {
      const session = await ort.InferenceSession.create(path.join(work, file.replace('.json', '.onnx')), {graphOptimizationLevel: 'disabled', logSeverityLevel: 4});
      const feeds = {};
      test.inputs.forEach((t, i) => { if (session.inputNames.includes('a' + i)) feeds['a' + i] = new ort.Tensor(kinds[t.dtype][0], elements(t), t.dims); });
      const results = await session.run(feeds);
      const d = difference(results[session.outputNames[0]], test.outputs[0], test);
      ++run;
      if (d) { ++wrong; console.log(`${file} ${test.name}: ${d}`); }
    } catch (e) {
      const kernel = /implementation for (\w+)/.exec(e.message);
      const key = /NOT_IMPLEMENTED|Could not find an implementation/.test(e.message) ? `no kernel: ${(kernel && kernel[1]) || e.message.slice(0, 120)}` : null;
      if (key) refused[key + ' of ' + test.inputs[0]?.dtype] = (refused[key + ' of ' + test.inputs[0]?.dtype] || 0) + 1;
      else { ++wrong; console.log(`${file} ${test.name}: ${e.message.slice(0, 300)}`); }
    }
  }
  for (const key of Object.keys(refused).sort()) console.log(`${key}: ${refused[key]}`);
  console.log(`${run} models run, ${wrong} differ`);
  process.exit(wrong || !run ? 1 : 0);
})();
