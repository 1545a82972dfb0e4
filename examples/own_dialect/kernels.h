#pragma once

namespace dsp {

/// Tells the evaluator what the ops of dsp.rw compute. To be called once, before anything runs.
void addKernels();

} // namespace dsp
