// What the programs beside this one have in common that run models in onnxruntime.
//
//   const {load, kinds, elements} = require('./engine');
//   const ort = load(ENGINE_DIR);
//   const x = new ort.Tensor(kinds[t.dtype][0], elements(t), t.dims);   // t: {"dtype", "dims", "hex"}
const path = require('path');

/// The engine, of the folder that holds node_modules/onnxruntime-node.
const load = folder => require(path.join(path.resolve(folder), 'node_modules', 'onnxruntime-node'));

/// Of each element type the engine's name and the typed array that holds its bits.
const kinds = {f16: ['float16', Uint16Array], f32: ['float32', Float32Array], f64: ['float64', Float64Array], i8: ['int8', Int8Array],
  i16: ['int16', Int16Array], i32: ['int32', Int32Array], i64: ['int64', BigInt64Array], u8: ['uint8', Uint8Array],
  u16: ['uint16', Uint16Array], u32: ['uint32', Uint32Array], u64: ['uint64', BigUint64Array], bool: ['bool', Uint8Array]};

/// The elements of {"dtype", "hex"}, least significant byte first.
function elements(t) {
  const bytes = Uint8Array.from(Buffer.from(t.hex, 'hex'));
  return new kinds[t.dtype][1](bytes.buffer);
}

module.exports = {load, kinds, elements};
