// node onnxruntime.js ENGINE_DIR BEFORE_DIR AFTER_DIR SECONDS [MODEL...]: times every model of BEFORE_DIR against the one of its name in AFTER_DIR in
// onnxruntime at its default level, on one thread. Both are in the process at once and take turns, in an order that is drawn anew each time; a
// second session of the model before takes turns with them, so that what two equal models differ by is known as well.
// Prints one JSON object a line: {"model", "rounds", "before" (median microseconds), "ratio", "low", "high", "same"}: of the times after to those before
// the median and the middle 95 % that resampling gives, and the median for two equal models; or {"model", "error"}.
const path = require('path'), fs = require('fs');
const ort = require(path.join(path.resolve(process.argv[2]), 'node_modules', 'onnxruntime-node'));
const [before, after, seconds, ...only] = process.argv.slice(3);
const options = {graphOptimizationLevel: 'all', intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential', logSeverityLevel: 4};

let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;

/// A tensor for an input. Sizes with a name are larger for pictures and small otherwise.
function feed(info) {
  const size = name => ['H', 'W', 'width'].includes(name) ? 64 : 4 + name.length % 3;
  const dims = info.shape.map(d => typeof d === 'number' ? d : size(d));
  const length = dims.reduce((a, b) => a * b, 1);
  const lists = {float32: [Float32Array, () => random() * 2 - 1], float64: [Float64Array, () => random() * 2 - 1],
    int64: [BigInt64Array, () => BigInt(Math.floor(random() * 2))], int32: [Int32Array, () => Math.floor(random() * 2)],
    uint8: [Uint8Array, () => Math.floor(random() * 255)], bool: [Uint8Array, () => Math.floor(random() * 2)]};
  const [List, draw] = lists[info.type];
  return new ort.Tensor(info.type, List.from({length}, draw), dims);
}

const middle = list => { const s = Float64Array.from(list).sort(); return (s[(s.length - 1) >> 1] + s[s.length >> 1]) / 2; };
const microseconds = start => Number(process.hrtime.bigint() - start) / 1000;

async function timed(session, feeds, times) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < times; ++i) await session.run(feeds);
  return microseconds(start) / times;
}

async function race(file) {
  const sessions = [];
  for (const folder of [before, after, before]) sessions.push(await ort.InferenceSession.create(path.join(folder, file), options));
  const feeds = Object.fromEntries(sessions[0].inputMetadata.map(info => [info.name, feed(info)]));
  for (const session of sessions) await timed(session, feeds, 3);
  const times = Math.max(1, Math.round(300 / await timed(sessions[0], feeds, 5))); // one turn takes 0.3 ms or more
  const turns = [[], [], []];
  for (const start = process.hrtime.bigint(); turns[0].length < 40 || (microseconds(start) < seconds * 1e6 && turns[0].length < 4000);) {
    for (const i of [0, 1, 2].map(i => [random(), i]).sort((a, b) => a[0] - b[0]).map(pair => pair[1])) turns[i].push(await timed(sessions[i], feeds, times));
  }
  const ratios = turns[1].map((t, i) => t / turns[0][i]), same = turns[2].map((t, i) => t / turns[0][i]);
  const drawn = Array.from({length: 1000}, () => middle(ratios.map(() => ratios[Math.floor(random() * ratios.length)]))).sort((a, b) => a - b);
  for (const session of sessions) await session.release?.();
  return {rounds: ratios.length, before: middle(turns[0]), ratio: middle(ratios), low: drawn[24], high: drawn[975], same: middle(same)};
}

(async () => {
  for (const file of fs.readdirSync(after).filter(f => f.endsWith('.onnx')).sort()) {
    const model = file.replace('.onnx', '');
    if (only.length && !only.includes(model)) continue;
    try { console.log(JSON.stringify({model, ...await race(file)})); } catch (e) { console.log(JSON.stringify({model, error: e.message.slice(0, 300)})); }
  }
})();
