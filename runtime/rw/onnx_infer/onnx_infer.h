// What inference must be told of ONNX's ops in C++: what shapes hold, how sizes are computed with, types that a `type`
// clause cannot say, what If, Loop and Scan do with their regions, and what fold_shapes writes more simply.
//
// In:  nothing. Out: rules of `onnx.Shape`, `onnx.Add`, `onnx.Resize` and others, as rw/infer/rules.h keeps them.
// Elsewhere: all other types are `type` clauses in patterns/onnx; ops that move elements have the trait there.
//
//   registerOnnxInference();                // once or more, before anything is inferred
#pragma once

namespace rw {

void registerOnnxInference();

// Its parts.
void registerOnnxContents();
void registerOnnxTypes();
void registerOnnxRegions();
void registerOnnxFolds();

} // namespace rw
