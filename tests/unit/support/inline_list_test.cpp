#include "rw/support/inline_list.h"

#include <doctest/doctest.h>
#include <utility>

using namespace rw;

TEST_CASE("inline lists keep their content through growth, copies and moves") {
  InlineList<int, 2> a;
  for (int i = 0; i < 100; ++i)
    a.push_back(i);
  REQUIRE(a.size() == 100);
  for (int i = 0; i < 100; ++i)
    REQUIRE(a[static_cast<size_t>(i)] == i);
  InlineList<int, 2> copy = a, moved = std::move(a);
  CHECK(copy == moved);
  CHECK(a.empty());
  a.push_back(7);
  CHECK(a[0] == 7);
  copy = copy;
  CHECK(copy.size() == 100);
  copy = InlineList<int, 2>{1};
  CHECK(copy == InlineList<int, 2>{1});
  moved = copy;
  moved.resize(3, 9);
  CHECK(moved == InlineList<int, 2>{1, 9, 9});
  moved.resize(1);
  moved.pop_back();
  CHECK(moved.empty());
  InlineList<int, 2> small{1, 2}, other = std::move(small);
  CHECK(other == InlineList<int, 2>{1, 2});
  CHECK(small.empty());
}
