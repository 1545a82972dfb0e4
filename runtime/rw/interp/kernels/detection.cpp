// NonMaxSuppression: boxes by score, without those that overlap a better one.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>
#include <array>

namespace rw {
namespace {

/// Corners, the lower ones first; computed in the precision of the operand.
struct Box {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

Box boxAt(const float *b, bool centered) {
  if (centered)
    return {b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
  return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

bool overlap(const Box &a, const Box &b, float most) {
  float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top),
        width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (!(height > 0) || !(width > 0) || a.area() <= 0 || b.area() <= 0)
    return false;
  float common = height * width;
  return common / (a.area() + b.area() - common) > most;
}

bool nonMaxSuppression(Call &c) {
  if (!c.need(2))
    return false;
  const Tensor &boxes = c.in[0], &scores = c.in[1];
  if (boxes.rank() != 3 || boxes.dim(2) != 4 || scores.rank() != 3 || boxes.dim(0) != scores.dim(0) ||
      boxes.dim(1) != scores.dim(2) || boxes.dtype() != DType::F32 || scores.dtype() != DType::F32)
    return c.fail("boxes and scores do not fit");
  for (size_t i = 2; i < 5; ++i)
    if (c.has(i) && c.in[i].size() != 1)
      return c.fail("a limit is not one number");
  int64_t most = c.has(2) ? c.in[2].intAt(0) : 0;
  float threshold = c.has(3) ? float(c.in[3].floatAt(0)) : 0;
  bool centered = attrOr(c.op, "center_point_box", 0) != 0;
  size_t n = size_t(boxes.dim(1)), classes = size_t(scores.dim(1));
  std::vector<std::array<int64_t, 3>> chosen;
  for (size_t i = 0; most > 0 && i < size_t(boxes.dim(0)) * classes; ++i) {
    const float *score = scores.data<float>() + i * n, *from = boxes.data<float>() + i / classes * n * 4;
    std::vector<size_t> order;
    for (size_t b = 0; b < n; ++b)
      if (!c.has(4) || double(score[b]) > c.in[4].floatAt(0))
        order.push_back(b);
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { // NaN last
      return score[a] > score[b] || (std::isnan(score[b]) && !std::isnan(score[a]));
    });
    std::vector<Box> kept;
    for (size_t b : order) {
      if (int64_t(kept.size()) == most)
        break;
      Box box = boxAt(from + b * 4, centered);
      if (!c.charge(kept.size() + 1))
        return false;
      if (std::ranges::any_of(kept, [&](const Box &k) { return overlap(k, box, threshold); }))
        continue;
      kept.push_back(box);
      chosen.push_back({int64_t(i / classes), int64_t(i % classes), int64_t(b)});
    }
  }
  Tensor *y = c.result(0, DType::I64, {int64_t(chosen.size()), 3});
  if (!y)
    return false;
  for (size_t i = 0; i < chosen.size(); ++i)
    std::ranges::copy(chosen[i], y->mutableData<int64_t>() + i * 3);
  return true;
}

} // namespace

void addDetectionKernels(KernelTable &t) { t.add("onnx.NonMaxSuppression", nonMaxSuppression); }

} // namespace rw
