// node run_counterexamples.js ENGINE_DIR WORK_DIR: runs NAME.before.onnx and NAME.after.onnx on the inputs of NAME.json, the engine's own
// optimiser off. Prints a line for each: name, tab, `apart`, `same` or `refused` with what the engine says of the model before.
const path = require('path'), fs = require('fs');
const {load, kinds, elements} = require('./engine');
const ort = load(process.argv[2]);
const work = process.argv[3];

function tensor(t) {
  return new ort.Tensor(kinds[t.dtype][0], elements(t), t.dims);
}

async function results(file, inputs) {
  const session = await ort.InferenceSession.create(file, {graphOptimizationLevel: 'disabled', logSeverityLevel: 4});
  const feeds = {};
  session.inputNames.forEach((input, i) => feeds[input] = tensor(inputs[i]));
  const all = await session.run(feeds);
  return session.outputNames.map(name => all[name]);
}

// NaNs of any bits are equal; zeros of two signs are not.
const differ = (a, b) => a.type !== b.type || a.dims.join() !== b.dims.join() || Array.from(a.data).some((x, i) => !Object.is(x, b.data[i]));

(async () => {
  for (const file of fs.readdirSync(work).filter(f => f.endsWith('.json')).sort()) {
    const name = file.replace('.json', ''), inputs = JSON.parse(fs.readFileSync(path.join(work, file), 'utf8')).inputs;
    let before = null, outcome = '';
    try { before = await results(path.join(work, name + '.before.onnx'), inputs); } catch (e) { outcome = 'refused: ' + String(e.message).split('\n')[0]; }
    if (before)
      try {
        const after = await results(path.join(work, name + '.after.onnx'), inputs);
        outcome = before.some((b, i) => differ(b, after[i])) ? 'apart' : 'same';
      } catch (e) { outcome = 'apart'; } // what it refuses is not what it ran before
    console.log(`${name}\t${outcome}`);
  }
})();
