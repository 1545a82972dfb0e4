// node simplify_onnxsim.mjs ENGINE_DIR BEFORE_DIR OUT_DIR: has onnxsim simplify every model of BEFORE_DIR and write the result to OUT_DIR.
// Prints one JSON object a line: {"model"} or {"model", "error"}.
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const [engine, before, out] = process.argv.slice(2);
const {simplify} = await import(pathToFileURL(path.join(path.resolve(engine), 'node_modules', 'onnxsim', 'index.mjs')));
const log = console.log;
console.log = console.info = console.warn = () => {}; // what it tells of itself
for (const file of fs.readdirSync(before).filter(f => f.endsWith('.onnx')).sort()) {
  const model = file.replace('.onnx', '');
  try {
    const simplified = await simplify(fs.readFileSync(path.join(before, file)));
    fs.writeFileSync(path.join(out, file), simplified.model);
    log(JSON.stringify({model}));
  } catch (e) { log(JSON.stringify({model, error: String(e.message ?? e).slice(0, 300)})); }
}
process.exit(0);
