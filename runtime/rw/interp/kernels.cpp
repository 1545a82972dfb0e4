#include "rw/interp/kernels.h"

#include <algorithm>

namespace rw {

const KernelTable &kernels() {
  static const KernelTable table = [] {
    KernelTable t;
    addElementwiseKernels(t);
    addShapeKernels(t);
    addReduceKernels(t);
    addMatrixKernels(t);
    return t;
  }();
  return table;
}

bool KernelCall::needs(size_t count) {
  for (size_t k = 0; k < count; ++k)
    if (!input(k))
      return fail("operand " + std::to_string(k) + " is missing");
  return true;
}

AttrId KernelCall::attr(std::string_view name) const {
  int index = op.schema().attrIndex(name);
  return index >= 0 ? op.attrOrDefault(unsigned(index)) : op.extraAttr(name);
}
int64_t KernelCall::intAttr(std::string_view name, int64_t fallback) const {
  AttrId id = attr(name);
  if (!id)
    return fallback;
  const AttrData &a = op.context().attr(id);
  return a.kind == AttrKind::Int || a.kind == AttrKind::Bool ? a.i : fallback;
}
double KernelCall::floatAttr(std::string_view name, double fallback) const {
  AttrId id = attr(name);
  return id && op.context().attr(id).kind == AttrKind::Float ? op.context().attr(id).f : fallback;
}
std::string_view KernelCall::stringAttr(std::string_view name, std::string_view fallback) const {
  AttrId id = attr(name);
  return id && op.context().attr(id).kind == AttrKind::String ? op.context().attr(id).text : fallback;
}
std::optional<std::vector<int64_t>> KernelCall::intsAttr(std::string_view name) const {
  AttrId id = attr(name);
  if (!id)
    return std::nullopt;
  const AttrData &a = op.context().attr(id);
  if (a.kind == AttrKind::Ints)
    return std::vector<int64_t>(a.ints.begin(), a.ints.end());
  if (a.kind != AttrKind::Dims)
    return std::nullopt;
  std::vector<int64_t> sizes;
  for (Dim d : a.dims) {
    if (!d.isKnown())
      return std::nullopt;
    sizes.push_back(d.size());
  }
  return sizes;
}

bool broadcastDims(const std::vector<int64_t> &a, const std::vector<int64_t> &b, std::vector<int64_t> &out) {
  size_t rank = std::max(a.size(), b.size());
  out.assign(rank, 1);
  for (size_t k = 0; k < rank; ++k) {
    int64_t p = k < rank - a.size() ? 1 : a[k - (rank - a.size())];
    int64_t q = k < rank - b.size() ? 1 : b[k - (rank - b.size())];
    if (p != q && p != 1 && q != 1)
      return false;
    out[k] = p == 1 ? q : p;
  }
  return true;
}

std::vector<int64_t> broadcastStrides(const std::vector<int64_t> &from, const std::vector<int64_t> &to) {
  std::vector<int64_t> own = stridesOf(from), out(to.size(), 0);
  size_t lead = to.size() - from.size();
  for (size_t k = 0; k < from.size(); ++k)
    out[lead + k] = from[k] == 1 ? 0 : own[k];
  return out;
}

bool normalizeAxis(int64_t &axis, size_t rank) {
  if (axis < 0)
    axis += int64_t(rank);
  return axis >= 0 && axis < int64_t(rank);
}

} // namespace rw
