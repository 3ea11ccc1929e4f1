// The runtime log: llama.cpp's order and names, operands that exist, rows in ggml's order.

#include "analysis/log/runtime_log.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"

namespace headflow::analysis {
namespace {

constexpr gpt2::Config kSmall{12, 1024, 768, 3072, 12, 64, 50257, 1e-5F};

std::vector<std::string> names(const std::vector<LogEntry>& log) {
  std::vector<std::string> list;
  for (const LogEntry& entry : log) list.push_back(entry.name);
  return list;
}

TEST(RuntimeLog, IsInTheOrderOfLlamaCpp) {
  const std::vector<std::string> block = {"norm-0",     "norm_w-0",   "attn_norm-0",   "wqkv-0",     "wqkv_b-0",
                                          "Qcur-0",     "Vcur-0",     "Kcur-0",        "kq-0",       "kq_soft_max-0",
                                          "kqv-0",      "kqv_out-0",  "attn_out_mm-0", "attn_out-0", "ffn_inp-0",
                                          "norm-0#1",   "norm_w-0#1", "ffn_norm-0",    "ffn_up-0",   "ffn_up_b-0",
                                          "ffn_gelu-0", "ffn_down-0", "ffn_out-0",     "l_out-0"};
  const std::vector<std::string> all = names(runtime_log(kSmall, 2, true));
  EXPECT_EQ(all.size(), 3U + 12 * block.size() + 4);
  EXPECT_EQ(std::vector<std::string>(all.begin() + 3, all.begin() + 3 + static_cast<std::ptrdiff_t>(block.size())),
            block);
  EXPECT_EQ(all.back(), "result_output");
}

TEST(RuntimeLog, OperandsWereLoggedBefore) {
  std::set<std::string> known;
  for (const LogEntry& entry : runtime_log(kSmall, 2, true)) {
    for (const LogOperand& operand : entry.operands) {
      const bool given = operand.of.find('.') != std::string::npos || operand.of.starts_with("inp_") ||
                         operand.of == "attn_inp_kq_mask";
      EXPECT_TRUE(given || known.contains(operand.of)) << entry.name << " of " << operand.name;
    }
    known.insert(entry.name);
  }
}

// {k, m, ...} and {k, n, ...} give {m, n, ...}.
TEST(RuntimeLog, OperandsOfProductsCanBeMultiplied) {
  std::size_t products = 0;
  for (const LogEntry& entry : runtime_log(kSmall, 5, true)) {
    if (entry.operation != "MUL_MAT") continue;
    const auto& a = entry.operands.at(0).ggml_shape;
    const auto& b = entry.operands.at(1).ggml_shape;
    EXPECT_EQ(a.at(0), b.at(0)) << entry.name;
    EXPECT_EQ(a.at(1), entry.ggml_shape.at(0)) << entry.name;
    EXPECT_EQ(b.at(1), entry.ggml_shape.at(1)) << entry.name;
    EXPECT_TRUE(b.size() < 3 || b.at(2) == a.at(2)) << entry.name;
    ++products;
  }
  EXPECT_EQ(products, 12U * 6 + 1);
}

TEST(RuntimeLog, OperandsAreThoseThatLlamaCppPrints) {
  const auto kq = matching(runtime_log(kSmall, 2, true), "^kq-0$").front();
  EXPECT_EQ(kq.operands.at(0).name, "cache_k_l0 (view) (permuted)");
  EXPECT_EQ(kq.operands.at(0).ggml_shape, std::vector<std::size_t>({64, 2, 12}));
  EXPECT_EQ(kq.operands.at(1).name, "Qcur-0 (view) (permuted)");
}

TEST(RuntimeLog, FilterMatchesOperandsToo) {
  const auto found = matching(runtime_log(kSmall, 2, true), R"(blk\.0\.attn_output\.(weight|bias))");
  EXPECT_EQ(names(found), std::vector<std::string>({"attn_out_mm-0", "attn_out-0"}));
  EXPECT_TRUE(found[0].unnamed_in_llama_cpp);
  EXPECT_EQ(found[0].operands[0].ggml_shape, std::vector<std::size_t>({768, 768}));
  EXPECT_THROW((void)matching({}, "("), Error);
}

TEST(RuntimeLog, OutputMatrixIsNamedAsInTheFile) {
  EXPECT_EQ(runtime_log(kSmall, 2, true).back().operands[0].name, "token_embd.weight");
  EXPECT_EQ(runtime_log(kSmall, 2, false).back().operands[0].name, "output.weight");
}

}  // namespace
}  // namespace headflow::analysis
