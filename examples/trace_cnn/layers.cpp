#include "layers.h"

using rw::Dim, rw::GraphAttr, rw::GraphValue, rw::Tracer;

namespace {
using Operands = std::span<const GraphValue>;
using Attrs = std::span<const GraphAttr>;

rw::AttrId ints(Tracer &t, std::initializer_list<int64_t> list) { return t.context().intsAttr(list); }
rw::AttrId pairs(Tracer &t, std::initializer_list<std::initializer_list<int64_t>> list) {
  std::vector<rw::AttrId> each;
  for (std::initializer_list<int64_t> pair : list)
    each.push_back(t.context().intsAttr(pair));
  return t.context().listAttr(each);
}

/// A number for each feature, which is the last dimension, added everywhere.
GraphValue addBias(Tracer &t, const GraphValue &x, const GraphValue &bias) {
  if (x.dims().empty() || bias.dims().size() != 1)
    return t.fail("a bias has one dimension, and is added to what has some");
  std::vector<Dim> wide(x.dims().size(), Dim(1));
  wide.back() = bias.dims().front();
  return t.value("add", {x, t.value("reshape", {bias}, {{"new_sizes", t.context().dimsAttr(wide)}})});
}

GraphValue conv(Tracer &t, Operands in, Attrs) {
  if (in.size() != 3 || in[1].dims().size() != 4)
    return t.fail("nn.conv takes images, a kernel of four dimensions, and a bias");
  int64_t height = in[1].dims()[0].size(), width = in[1].dims()[1].size();
  GraphValue y = t.value("conv_general_dilated", {in[0], in[1]},
                         {{"window_strides", ints(t, {1, 1})},
                          {"padding", pairs(t, {{(height - 1) / 2, height / 2}, {(width - 1) / 2, width / 2}})},
                          {"lhs_spec", ints(t, {0, 3, 1, 2})},
                          {"rhs_spec", ints(t, {3, 2, 0, 1})},
                          {"out_spec", ints(t, {0, 3, 1, 2})}});
  return y ? addBias(t, y, in[2]) : y;
}

GraphValue avgPool(Tracer &t, Operands in, Attrs) {
  GraphValue sum = t.value("reduce_window_sum", {in[0]},
                           {{"window_dimensions", ints(t, {1, 2, 2, 1})}, {"window_strides", ints(t, {1, 2, 2, 1})}});
  return t.value("div", {sum, t.scalar(4, in[0].dtype())});
}

GraphValue relu(Tracer &t, Operands in, Attrs) { return t.value("max", {in[0], t.scalar(0, in[0].dtype())}); }

GraphValue flatten(Tracer &t, Operands in, Attrs) {
  std::span<const Dim> dims = in[0].dims();
  if (dims.empty())
    return t.fail("nn.flatten takes images");
  Dim rest(1);
  for (Dim d : dims.subspan(1))
    rest = t.context().dims().mul(rest, d);
  std::vector<Dim> sizes{dims.front(), rest}; // the batch stays what it is: a symbol
  return t.value("reshape", {in[0]}, {{"new_sizes", t.context().dimsAttr(sizes)}});
}

GraphValue linear(Tracer &t, Operands in, Attrs) {
  if (in.size() != 3)
    return t.fail("nn.linear takes rows, weights and a bias");
  GraphValue y = t.value("dot_general", {in[0], in[1]},
                         {{"lhs_contracting_dimensions", ints(t, {1})}, {"rhs_contracting_dimensions", ints(t, {0})}});
  return y ? addBias(t, y, in[2]) : y;
}
} // namespace

std::vector<rw::Patch> layers() {
  return {
      {"nn.conv", conv}, {"nn.avg_pool", avgPool}, {"nn.relu", relu}, {"nn.flatten", flatten}, {"nn.linear", linear}};
}
