// Shared rows: copies share memory, and what is appended to one is never seen in another.

#include "gpt2/shared_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headflow::gpt2 {
namespace {

constexpr std::size_t kColumns = 3;

std::vector<float> row_of(float value) {
  return {value, value + 0.25F, value + 0.5F};
}

std::vector<float> all(const SharedRows& rows) {
  std::vector<float> values(rows.size() * kColumns);
  rows.copy(0, rows.size(), values);
  return values;
}

std::uint64_t bytes_of(std::initializer_list<const SharedRows*> copies) {
  Storage storage;
  for (const SharedRows* const rows : copies) rows->add_to(storage);
  return total_bytes(storage);
}

TEST(SharedRows, HoldsWhatWasAppended) {
  SharedRows rows(kColumns);
  std::vector<float> expected;
  for (int i = 0; i < 200; ++i) {
    const std::vector<float> row = row_of(static_cast<float>(i));
    rows.append(row);
    expected.insert(expected.end(), row.begin(), row.end());
  }
  EXPECT_EQ(all(rows), expected);
  SharedRows at_once(kColumns);
  at_once.append(expected);
  EXPECT_EQ(all(at_once), expected);
  EXPECT_TRUE(std::ranges::equal(at_once.row(150), row_of(150)));
}

TEST(SharedRows, ACopyCostsNothing) {
  SharedRows rows(kColumns);
  for (int i = 0; i < 100; ++i) rows.append(row_of(static_cast<float>(i)));
  const SharedRows copy = rows;
  EXPECT_EQ(bytes_of({&rows, &copy}), bytes_of({&rows}));
  EXPECT_EQ(copy.row(70).data(), rows.row(70).data());
}

TEST(SharedRows, BranchesShareTheirBeginning) {
  SharedRows rows(kColumns);
  for (int i = 0; i < 100; ++i) rows.append(row_of(static_cast<float>(i)));
  SharedRows branch = rows;
  branch.truncate(80);
  branch.append(row_of(1000));
  rows.append(row_of(100));
  EXPECT_TRUE(std::ranges::equal(rows.row(80), row_of(80)));
  EXPECT_TRUE(std::ranges::equal(rows.row(100), row_of(100)));
  EXPECT_TRUE(std::ranges::equal(branch.row(80), row_of(1000)));
  EXPECT_EQ(branch.size(), 81U);
  EXPECT_EQ(branch.row(79).data(), rows.row(79).data());
}

// Against plain vectors: many copies, each appended to, cut and replaced at random.
TEST(SharedRows, RandomBranchesAreAsPlainVectors) {
  std::mt19937 random(7);
  std::vector<SharedRows> shared(6, SharedRows(kColumns));
  std::vector<std::vector<float>> plain(shared.size());
  float next = 0;
  for (int step = 0; step < 5000; ++step) {
    const std::size_t i = random() % shared.size();
    switch (random() % 4) {
      case 0: {
        const std::size_t j = random() % shared.size();
        shared[i] = shared[j];
        plain[i] = std::vector<float>(plain[j]);
        break;
      }
      case 1: {
        const std::size_t rows = random() % (shared[i].size() + 1);
        shared[i].truncate(rows);
        plain[i].resize(rows * kColumns);
        break;
      }
      default:
        for (std::size_t count = random() % 40; count > 0; --count) {
          const std::vector<float> row = row_of(next++);
          shared[i].append(row);
          plain[i].insert(plain[i].end(), row.begin(), row.end());
        }
    }
    ASSERT_EQ(all(shared[i]), plain[i]);
  }
  for (std::size_t i = 0; i < shared.size(); ++i) EXPECT_EQ(all(shared[i]), plain[i]);
}

}  // namespace
}  // namespace headflow::gpt2
