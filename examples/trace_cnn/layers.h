// Layers of a network by name: what "nn.conv" and its like become while they are active.
//
//   ActivationScope active(patches, layers());
//   GraphValue y = tracer.call("nn.conv", {x, kernel, bias});
#pragma once

#include "rw/builder/tracer.h"

/// nn.conv (x, kernel, bias): images as [batch, height, width, features], the kernel as [height, width, in, out]; as
/// large as x. nn.avg_pool (x): means of 2 x 2 elements.    nn.relu (x).    nn.flatten (x): all but the batch in one
/// dimension. nn.linear (x, weights, bias).
std::vector<rw::Patch> layers();
