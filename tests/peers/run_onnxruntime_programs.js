// node run_onnxruntime_programs.js ENGINE_DIR WORK_DIR: runs every model of the folder on its inputs, the engine's own optimiser off, and
// compares with the outputs given. NAME.json: {"inputs", "outputs": [{"dtype", "dims", "hex"}], "ulps", "tolerance"}. Prints a line for each
// model: name, tab, `equal` or what is wrong.
const path = require('path'), fs = require('fs');
const {load, kinds, elements} = require('./engine');
const ort = load(process.argv[2]);
const work = process.argv[3];

function place(f, double) { // of a float among all floats
  const view = new DataView(new ArrayBuffer(8));
  if (double) view.setFloat64(0, f); else view.setFloat32(0, f);
  const bits = double ? view.getBigInt64(0) : BigInt(view.getInt32(0));
  return bits < 0n ? (double ? -(1n << 63n) : -(1n << 31n)) - bits : bits;
}

function half(bits) { // a float of 16 bits as a number
  const sign = bits >> 15 ? -1 : 1, exponent = bits >> 10 & 31, rest = bits & 1023;
  return exponent === 31 ? (rest ? NaN : sign * Infinity) : sign * (exponent ? (1 + rest / 1024) * 2 ** (exponent - 15) : rest * 2 ** -24);
}

function difference(seen, wanted, test) {
  if (seen.type !== kinds[wanted.dtype][0] || seen.dims.join() !== wanted.dims.join())
    return `${seen.type}[${seen.dims}] instead of ${wanted.dtype}[${wanted.dims}]`;
  const is16 = wanted.dtype === 'f16', list = elements(wanted), float = is16 || wanted.dtype === 'f32' || wanted.dtype === 'f64';
  const bits = is16 && new Uint16Array(seen.data.buffer, seen.data.byteOffset, seen.data.length);
  for (let i = 0; i < list.length; ++i) {
    const a = is16 ? half(bits[i]) : seen.data[i], b = is16 ? half(list[i]) : list[i];
    if (a === b || (float && Number.isNaN(a) && Number.isNaN(b))) continue;
    if (float) {
      if (Math.abs(a - b) <= test.tolerance) continue;
      const apart = place(a, wanted.dtype === 'f64') - place(b, wanted.dtype === 'f64');
      if ((apart < 0n ? -apart : apart) <= BigInt(test.ulps)) continue;
    }
    return `[${i}]: ${a} instead of ${b}`;
  }
  return '';
}

(async () => {
  for (const file of fs.readdirSync(work).filter(f => f.endsWith('.json')).sort()) {
    const name = file.replace('.json', ''), test = JSON.parse(fs.readFileSync(path.join(work, file), 'utf8'));
    let outcome = '';
    try {
      const session = await ort.InferenceSession.create(path.join(work, name + '.onnx'), {graphOptimizationLevel: 'disabled', logSeverityLevel: 4});
      const feeds = {};
      session.inputNames.forEach((input, i) => feeds[input] = new ort.Tensor(kinds[test.inputs[i].dtype][0], elements(test.inputs[i]), test.inputs[i].dims));
      const results = await session.run(feeds);
      for (let i = 0; i < test.outputs.length && !outcome; ++i)
        outcome = difference(results[session.outputNames[i]], test.outputs[i], test);
    } catch (e) { outcome = 'error: ' + String(e.message).split('\n')[0]; }
    console.log(`${name}\t${outcome || 'equal'}`);
  }
})();
