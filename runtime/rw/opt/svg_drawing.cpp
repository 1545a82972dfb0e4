#include "rw/opt/svg_drawing.h"

#include "rw/opt/html_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace rw::opt {
namespace {

constexpr int kCharacter = 7, kLine = 15, kPad = 8, kBetween = 16, kLayerGap = 34;

class Drawing {
public:
  explicit Drawing(const GraphPiece &piece) : piece_(piece), boxes_(piece.nodes.size()) {
    assignLayers();
    order();
    place();
  }

  std::string text(const std::string &label) const {
    std::string out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" "
                                  "height=\"{}\" role=\"img\" aria-label=\"{}\">",
                                  width_, height_, width_, height_, html(label));
    std::vector<GraphPiece::Edge> edges = piece_.edges;
    std::ranges::sort(edges);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const GraphPiece::Edge &e : edges)
      out += edge(boxes_[e.from], boxes_[e.to]);
    for (size_t i = 0; i < boxes_.size(); ++i)
      out += box(piece_.nodes[i], boxes_[i]);
    return out + "</svg>";
  }

private:
  struct Box {
    size_t layer = 0;
    double rank = 0; // within the layer
    int x = 0, y = 0, width = 0, height = 0;
  };

  static std::vector<const std::string *> linesOf(const GraphPiece::Node &n) {
    std::vector<const std::string *> lines{&n.title};
    for (const std::string *line : {&n.details, &n.value, &n.type})
      if (!line->empty())
        lines.push_back(line);
    return lines;
  }

  /// Each node below all that it reads. Rounds are bounded, so that even a cycle would end.
  void assignLayers() {
    for (size_t round = 0; round < boxes_.size(); ++round)
      for (const GraphPiece::Edge &e : piece_.edges)
        boxes_[e.to].layer = std::min(std::max(boxes_[e.to].layer, boxes_[e.from].layer + 1), boxes_.size() - 1);
    for (size_t i = boxes_.size(); i-- > 0;) { // sources stand right above what reads them
      size_t lowest = SIZE_MAX;
      bool source = true;
      for (const GraphPiece::Edge &e : piece_.edges) {
        source &= e.to != i;
        if (e.from == i)
          lowest = std::min(lowest, boxes_[e.to].layer);
      }
      if (source && lowest != SIZE_MAX && lowest > 0)
        boxes_[i].layer = lowest - 1;
    }
    for (const Box &b : boxes_)
      layers_.resize(std::max(layers_.size(), b.layer + 1));
    for (size_t i = 0; i < boxes_.size(); ++i)
      layers_[boxes_[i].layer].push_back(i);
  }

  /// Neighbours in other layers pull: a few sweeps take most crossings out.
  void order() {
    auto number = [&](std::vector<size_t> &layer) {
      for (size_t i = 0; i < layer.size(); ++i)
        boxes_[layer[i]].rank = double(i) - double(layer.size() - 1) / 2;
    };
    std::ranges::for_each(layers_, number);
    for (int sweep = 0; sweep < 4; ++sweep)
      for (std::vector<size_t> &layer : layers_) {
        std::vector<double> wish(boxes_.size());
        for (size_t i : layer) {
          double sum = 0, n = 0;
          for (const GraphPiece::Edge &e : piece_.edges)
            if (e.from == i || e.to == i)
              sum += boxes_[e.from == i ? e.to : e.from].rank, ++n;
          wish[i] = n > 0 ? sum / n : boxes_[i].rank;
        }
        std::ranges::stable_sort(layer, {}, [&](size_t i) { return wish[i]; });
        number(layer);
      }
  }

  void place() {
    for (size_t i = 0; i < boxes_.size(); ++i) {
      size_t longest = 0;
      std::vector<const std::string *> lines = linesOf(piece_.nodes[i]);
      for (const std::string *line : lines)
        longest = std::max(longest, utf8::count(utf8::safe(*line)));
      boxes_[i].width = int(longest) * kCharacter + 2 * kPad;
      boxes_[i].height = int(lines.size()) * kLine + kPad;
    }
    std::vector<int> widths;
    for (const std::vector<size_t> &layer : layers_) {
      int width = -kBetween;
      for (size_t i : layer)
        width += boxes_[i].width + kBetween;
      widths.push_back(width);
      width_ = std::max(width_, width + 2 * kPad);
    }
    int y = kPad;
    for (size_t l = 0; l < layers_.size(); ++l) {
      int x = (width_ - widths[l]) / 2, tallest = 0;
      for (size_t i : layers_[l]) {
        boxes_[i].x = x;
        boxes_[i].y = y;
        x += boxes_[i].width + kBetween;
        tallest = std::max(tallest, boxes_[i].height);
      }
      if (!layers_[l].empty())
        y += tallest + kLayerGap;
    }
    height_ = std::max(y - kLayerGap, 0) + kPad;
  }

  static std::string edge(const Box &from, const Box &to) {
    int x1 = from.x + from.width / 2, y1 = from.y + from.height, x2 = to.x + to.width / 2, y2 = to.y;
    int bend = std::max((y2 - y1) / 2, kLayerGap / 2);
    return fmt::format("<path class=\"e\" d=\"M{} {}C{} {} {} {} {} {}\"/><path class=\"h\" d=\"M{} {}l-4 -7h8z\"/>",
                       x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2 - 3, x2, y2);
  }

  static std::string box(const GraphPiece::Node &node, const Box &b) {
    std::string out = fmt::format("<g class=\"{}{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>",
                                  node.boundary ? "b" : "n", node.touched ? " t" : "", b.x, b.y, b.width, b.height);
    int y = b.y;
    for (const std::string *line : linesOf(node)) {
      out += fmt::format("<text{} x=\"{}\" y=\"{}\">{}</text>", line == &node.title ? " class=\"o\"" : "",
                         b.x + b.width / 2, y += kLine, html(*line));
    }
    return out + "</g>";
  }

  const GraphPiece &piece_;
  std::vector<Box> boxes_;
  std::vector<std::vector<size_t>> layers_;
  int width_ = 0, height_ = 0;
};

} // namespace

std::string drawSvg(const GraphPiece &piece, const std::string &label) { return Drawing(piece).text(label); }

} // namespace rw::opt
