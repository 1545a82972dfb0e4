#include "rw/support/flat_array.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

using namespace rw;

TEST_CASE("flat arrays keep their content while small blocks become large ones and these move") {
  const size_t before = largeBlockBytes();
  {
    FlatArray<uint32_t> a, b; // side by side, so that neither grows where it is
    constexpr uint32_t kMany = 3u << 20;
    for (uint32_t i = 0; i < kMany; ++i) {
      a.push_back(i);
      b.push_back(~i);
    }
    REQUIRE(a.size() == kMany);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < kMany; ++i)
      wrong += a[i] != i || b[i] != ~i;
    CHECK(wrong == 0);

    FlatArray<uint32_t> copy = a, moved = std::move(b);
    copy[5] = 7;
    CHECK(a[5] == 5);
    CHECK(copy[kMany - 1] == kMany - 1);
    CHECK(moved[kMany - 1] == ~(kMany - 1));
    copy = FlatArray<uint32_t>();
    moved.resize(kMany + 100'000, 3);
    CHECK(moved.back() == 3);
    CHECK(moved[kMany - 1] == ~(kMany - 1));
  }
  CHECK(largeBlockBytes() == before);
}

TEST_CASE("a block that grows by a byte across the border to large ones, and within a page, keeps what it holds") {
  constexpr size_t kBorder = size_t(1) << 21;
  for (size_t from : {size_t(1), kBorder - 1, kBorder, kBorder + 1, 2 * kBorder})
    for (size_t to : {kBorder - 1, kBorder, kBorder + 1, 2 * kBorder, 5 * kBorder + 3}) {
      if (to < from)
        continue;
      auto *block = static_cast<unsigned char *>(growBlock(nullptr, 0, from));
      block[0] = 1;
      block[from - 1] = 2;
      block = static_cast<unsigned char *>(growBlock(block, from, to));
      CHECK(block[from - 1] == 2);
      CHECK((from == 1 || block[0] == 1));
      block[to - 1] = 3;
      freeBlock(block, to);
    }
}

TEST_CASE("blocks of zeros, small and in pages of their own") {
  for (size_t bytes : {size_t(64), size_t(1) << 20, size_t(1) << 21, (size_t(5) << 20) + 3}) {
    CAPTURE(bytes);
    char *block = static_cast<char *>(zeroBlock(bytes));
    CHECK(std::all_of(block, block + bytes, [](char c) { return c == 0; }));
    std::fill_n(block, bytes, char(7));
    freeBlock(block, bytes);
  }
}

TEST_CASE("room for a text keeps what it has and is never less than wanted") {
  for (size_t bytes : {size_t(3), size_t(1) << 20, (size_t(2) << 20) - 64, size_t(2) << 20, (size_t(7) << 20) + 1}) {
    CAPTURE(bytes);
    std::string text = "func @main";
    reserveLargePages(text, bytes);
    CHECK(text == "func @main");
    CHECK(text.capacity() >= bytes);
    const char *before = text.data();
    text.resize(bytes, 'x');
    if (bytes > 10)
      CHECK(text.data() == before); // nothing was moved: there was room
    reserveLargePages(text, 1);
    CHECK(text.size() == bytes);
  }
}

TEST_CASE("a flat array that is filled from its end gives up the places that are left") {
  FlatArray<uint32_t> numbers;
  numbers.resizeForOverwrite(1000);
  CHECK(numbers.size() == 1000);
  for (uint32_t i = 1000; i-- > 10;)
    numbers[i] = i;
  numbers.dropFront(10);
  REQUIRE(numbers.size() == 990);
  for (uint32_t i = 0; i < 990; ++i)
    REQUIRE(numbers[i] == i + 10);
  numbers.dropFront(0);
  CHECK(numbers.size() == 990);
  numbers.dropFront(990);
  CHECK(numbers.empty());
}
