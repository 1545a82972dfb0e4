// Ops on texts: StringNormalizer, TfIdfVectorizer, StringConcat.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>
#include <map>

namespace rw {
namespace {

/// Letters of other alphabets have cases that depend on a locale.
bool isPlain(const std::string &s) {
  return std::ranges::all_of(s, [](char ch) { return (static_cast<unsigned char>(ch) & 0x80) == 0; });
}
std::string inCase(std::string s, bool upper) {
  for (char &ch : s)
    if (upper ? ch >= 'a' && ch <= 'z' : ch >= 'A' && ch <= 'Z')
      ch = char(ch ^ 0x20);
  return s;
}

bool normalize(Call &c) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  if (!x.isString() || x.rank() < 1 || x.rank() > 2 || (x.rank() == 2 && x.dim(0) != 1))
    return c.fail("the operand is no list of texts");
  std::string_view action = attrOr(c.op, "case_change_action", "NONE");
  bool exact = attrOr(c.op, "is_case_sensitive", 0) != 0;
  auto stopwords = attrOr(c.op, "stopwords", InlineList<std::string_view>());
  std::vector<std::string> dropped(stopwords.begin(), stopwords.end()), left;
  if (action != "NONE" || (!exact && !dropped.empty()))
    for (const std::string &s : x.strings())
      if (!isPlain(s))
        return c.fail("the case of letters beyond ASCII is not changed");
  for (std::string &s : dropped)
    s = exact ? s : inCase(s, false);
  for (const std::string &s : x.strings())
    if (std::ranges::find(dropped, exact ? s : inCase(s, false)) == dropped.end())
      left.push_back(action == "NONE" ? s : inCase(s, action == "UPPER"));
  if (left.empty())
    left.emplace_back(); // so it is defined
  Shape shape = {int64_t(left.size())};
  if (x.rank() == 2)
    shape.insert(shape.begin(), 1);
  Tensor *y = c.result(0, DType::String, shape);
  if (y)
    y->mutableStrings() = std::move(left);
  return y != nullptr;
}

/// The sequences that TfIdfVectorizer counts, and which column each belongs to. Texts and numbers are one here: numbers
/// as texts.
struct Pool {
  std::map<std::vector<std::string>, size_t> entries; // to the number of the entry
  std::vector<int64_t> columns;                       // by entry
  int64_t width = 0;

  bool read(Call &c) {
    auto strings = attrOr(c.op, "pool_strings", InlineList<std::string_view>());
    std::vector<std::string> words(strings.begin(), strings.end());
    for (int64_t v : c.intsAttr("pool_int64s").value_or(Shape()))
      words.push_back(std::to_string(v));
    std::vector<int64_t> starts = c.intsAttr("ngram_counts").value_or(Shape());
    columns = c.intsAttr("ngram_indexes").value_or(Shape());
    size_t entry = 0;
    for (size_t n = 1; n <= starts.size(); ++n) {
      int64_t to = n < starts.size() ? starts[n] : int64_t(words.size());
      if (starts[n - 1] < 0 || to < starts[n - 1] || to > int64_t(words.size()) || (to - starts[n - 1]) % int64_t(n))
        return c.fail("ngram_counts does not fit the pool");
      for (int64_t at = starts[n - 1]; at < to; at += int64_t(n))
        entries.emplace(std::vector<std::string>(words.begin() + at, words.begin() + at + int64_t(n)), entry++);
    }
    if (columns.size() != entry)
      return c.fail("ngram_indexes does not fit the pool");
    for (int64_t i : columns) {
      if (i < 0 || i > 1 << 24)
        return c.fail("ngram_indexes is out of range");
      width = std::max(width, i + 1);
    }
    return true;
  }
};

/// Adds how often each entry is in a row. Single words are not counted again when words between are skipped.
void count(const Pool &pool, std::span<const std::string> row, int64_t least, int64_t most, int64_t skips,
           std::vector<double> &counts) {
  for (int64_t distance = 1; distance <= skips + 1; ++distance)
    for (size_t start = 0; start < row.size(); ++start) {
      std::vector<std::string> gram;
      for (size_t at = start; at < row.size() && int64_t(gram.size()) < most; at += size_t(distance)) {
        gram.push_back(row[at]);
        if (int64_t(gram.size()) < least || (gram.size() == 1 && distance > 1))
          continue;
        if (auto found = pool.entries.find(gram); found != pool.entries.end())
          ++counts[found->second];
      }
    }
}

bool tfIdf(Call &c) {
  Pool pool;
  int64_t least = attrOr(c.op, "min_gram_length", 1), most = attrOr(c.op, "max_gram_length", 1),
          skips = attrOr(c.op, "max_skip_count", 0);
  if (!c.need(1) || !pool.read(c))
    return false;
  const Tensor &x = c.in[0];
  if (x.rank() < 1 || x.rank() > 2 || least < 1 || most < least || most > 64 || skips < 0 || skips > 1024)
    return c.fail("operand or attributes are out of range");
  std::vector<std::string> words = x.isString() ? x.strings() : std::vector<std::string>();
  for (size_t i = 0; !x.isString() && i < x.size(); ++i)
    words.push_back(std::to_string(x.intAt(i)));
  size_t rows = x.rank() == 2 ? size_t(x.dim(0)) : 1, length = rows ? words.size() / rows : 0;
  Shape shape = {pool.width};
  if (x.rank() == 2)
    shape.insert(shape.begin(), x.dim(0));
  auto stated = attrOr(c.op, "weights", std::span<const double>());
  std::vector<double> weights(stated.begin(), stated.end());
  weights.resize(pool.columns.size(), 1);
  std::string_view mode = attrOr(c.op, "mode", "TF");
  Tensor *y = c.result(0, DType::F32, shape);
  if (!y || !c.charge(uint64_t(double(words.size()) * double(most) * double(skips + 1) * 20)))
    return false;
  for (size_t r = 0; r < rows; ++r) {
    std::vector<double> counts(pool.columns.size());
    count(pool, std::span(words).subspan(r * length, length), least, most, skips, counts);
    for (size_t i = 0; i < counts.size(); ++i) {
      double v = mode == "TF" ? counts[i] : mode == "IDF" ? (counts[i] > 0 ? weights[i] : 0) : counts[i] * weights[i];
      if (counts[i] > 0)
        y->mutableData<float>()[r * size_t(pool.width) + size_t(pool.columns[i])] = float(v);
    }
  }
  return true;
}

bool joinTexts(Call &c) {
  if (!c.need(2) || ((!c.in[0].isString() || !c.in[1].isString()) && !c.fail("the operands are no texts")))
    return false;
  const Tensor &a = c.in[0], &b = c.in[1];
  std::optional<Shape> shape = broadcastShapes(a.shape(), b.shape());
  if (!shape)
    return c.fail("shapes " + shapeText(a.shape()) + " and " + shapeText(b.shape()) + " do not broadcast");
  std::optional<Tensor> y = moveStrided(c, a, *shape, broadcastStrides(a.shape(), *shape));
  std::optional<Tensor> tail = y ? moveStrided(c, b, *shape, broadcastStrides(b.shape(), *shape)) : std::nullopt;
  if (!tail)
    return false;
  for (size_t i = 0; i < y->size(); ++i)
    y->mutableStrings()[i] += tail->strings()[i];
  c.out[0] = std::move(*y);
  return true;
}

} // namespace

void addTextKernels(KernelTable &t) {
  t.add("onnx.StringNormalizer", normalize);
  t.add("onnx.TfIdfVectorizer", tfIdf);
  t.add("onnx.StringConcat", joinTexts);
}

} // namespace rw
