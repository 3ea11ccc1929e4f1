// The operation graph of a forward pass, as data: one record per node says what it is called, which stage computes it,
// its axes, what it is computed from and how, and what llama.cpp's runtime log has in its place. Explanations, the log,
// the table of shapes, the figure's light and the bytes that a stage needs are all generated from these records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gpt2/config.h"
#include "gpt2/graph_log.h"
#include "gpt2/graph_types.h"
#include "gpt2/stage.h"

namespace headflow::gpt2 {

// What is applied to the operands a, b, ... of a record, in their order.
enum class Function : std::uint8_t {
  kStored,     // a: an element of a tensor of the file
  kSame,       // a: a view, or a copy to another place
  kSum,        // a + b
  kProducts,   // sum_k a_k b_k
  kMatrix,     // sum_k a_k W_k, + c where there is a bias; a_k rounded as the type of W asks for
  kHeads,      // sum_h a_h + c, over the heads' contributions
  kScaled,     // a / sqrt(D_h)
  kMasked,     // a where key <= query, else minus infinity
  kSoftmax,    // e^(b_j - max) / sum over the visible keys, where b = a / sqrt(D_h)
  kNormalize,  // (a - mean) / sqrt(variance + epsilon)
  kWeighted,   // a g
  kAffine,     // a g + c
  kGelu,       // a/2 (1 + tanh(u))
  kReplaced,   // What an edit puts in the place of a head's output: no node's own.
};

// One index of an operand, for the cell [head, row, column] of a node.
enum class Index : std::uint8_t {
  kNone,          // The operand has no such axis.
  kHead,          // The cell's.
  kRow,           // The cell's.
  kColumn,        // The cell's.
  kTokenId,       // The id of the token at the cell's row.
  kAll,           // All there are.
  kVisibleKeys,   // 0 .. row.
  kHeadColumns,   // The D_h columns of the cell's head among D: head * D_h ...
  kViewColumn,    // Where the cell's column lies in the node that it is a view of.
  kHeadOfColumn,  // column / D_h
  kColumnOfHead,  // column % D_h
};

// What an operand is: a node, a tensor of the file, or an input of the graph. Node::kInput stands for X_l, the input of
// the block at hand (after the blocks for X_L).
using Source = std::variant<Node, Weight, Input>;

// Where the values of an operand stand. Of a stored matrix, `row` is the stored row: one output of the product.
struct Operand {
  Source source;
  Index head = Index::kNone;
  Index row = Index::kNone;
  Index column = Index::kNone;
  friend bool operator==(const Operand&, const Operand&) = default;
};

// At most three.
class Operands {
 public:
  constexpr Operands(std::initializer_list<Operand> list) : count_(list.size()) {
    std::size_t i = 0;
    for (const Operand& operand : list) items_[i++] = operand;
  }
  [[nodiscard]] constexpr const Operand* begin() const noexcept { return items_.data(); }
  [[nodiscard]] constexpr const Operand* end() const noexcept { return items_.data() + count_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr const Operand& operator[](std::size_t i) const noexcept { return items_[i]; }

 private:
  std::array<Operand, 3> items_{};
  std::size_t count_;
};

// Where a node's values are.
enum class NodeStorage : std::uint8_t {
  kRows,       // A session holds or prepares its rows.
  kPart,       // In another node: Q, K, V in the fused result, O_h in O_cat.
  kWhenRead,   // Computed when it is read, and not kept.
  kOnRequest,  // The same, and only for who asks for it by name: it is not one of "all nodes".
};

// A tensor that is a view of another: no values of its own.
struct ViewInfo {
  Node base;
  std::size_t offset_in_widths;  // The offset is this many D elements.
};

struct NodeInfo {
  Node node;
  std::string_view name;    // llama.cpp's name without "-l", or ours where it has none.
  std::string_view suffix;  // "#1" where the block has an earlier node of the same name.
  std::string_view symbol;  // As in the literature, TeX notation.
  StageKind stage;          // The stage that computes it.
  bool per_block;           // The name continues with "-l".
  bool ours;                // llama.cpp has no node of this name.
  Axis columns;             // The last logical axis. The one before it is always tokens.
  bool per_head;            // Logical shape [H, T, columns]; else [T, columns].
  NodeStorage storage;
  Function function;
  Operands operands;
  std::optional<ViewInfo> view;
  LogList log;  // What llama.cpp's runtime log has in its place.
};

// All nodes in the order of computation.
[[nodiscard]] std::span<const NodeInfo> nodes() noexcept;
[[nodiscard]] const NodeInfo& info(Node node) noexcept;

// A tensor of the file. Axes are those of the formula: a matrix W of x W is [in, out] and lies in the file as {in,
// out}, contiguous axis first; a table whose rows are looked up is [rows, D] and lies as {D, rows}.
struct WeightInfo {
  Weight weight;
  std::string_view name;    // After "blk.l." where it belongs to a block: "attn_qkv.weight".
  std::string_view symbol;  // TeX notation.
  bool per_block;
  Axis columns;              // The contiguous axis.
  std::optional<Axis> rows;  // Absent for a vector.
  bool table;                // Rows are looked up.
};

[[nodiscard]] std::span<const WeightInfo> weights() noexcept;
[[nodiscard]] const WeightInfo& info(Weight weight) noexcept;
// What the nodes of a stage need of the file: each weight once, with how it is indexed, in the order of first use.
[[nodiscard]] std::vector<Operand> weights_of(StageKind stage);

// A node of a block (0 where it belongs to none).
struct NodeRef {
  Node node = Node::kInput;
  std::size_t block = 0;
  friend bool operator==(const NodeRef&, const NodeRef&) = default;
};

// The node that an operand of `ref` is: of the same block, or what is the input of that block.
[[nodiscard]] NodeRef operand_ref(NodeRef ref, Node operand, const Config& config) noexcept;

// "kq_soft_max-0", "norm-0#1", "result_norm".
[[nodiscard]] std::string full_name(NodeRef ref);
// The tensor's name in the file. The output matrix of a tied model is "token_embd.weight".
[[nodiscard]] std::string full_name(Weight weight, std::size_t block, bool tied_output);
// "inp_tokens", "inp_pos", "attn_inp_kq_mask", ...
[[nodiscard]] std::string_view name(Input input) noexcept;
// The stable name of a function: "softmax", "matrix", ...
[[nodiscard]] std::string_view name(Function function) noexcept;
// The stable name of an index: "row", "visible_keys", ...
[[nodiscard]] std::string_view name(Index index) noexcept;

// The reverse of full_name. X_(l) is inpL for block 0. Throws Error (bad_argument) for names that are none, blocks out
// of range.
[[nodiscard]] NodeRef parse_node(std::string_view full_name, const Config& config);

// How many elements the axis has for `tokens` tokens.
[[nodiscard]] std::size_t length(Axis axis, const Config& config, std::size_t tokens) noexcept;
// "T", "D", "3D", "4D" (or the number where the MLP's width is another), "H", "D_h", "V", "C".
[[nodiscard]] std::string symbol(Axis axis, const Config& config);

// [T, columns] or [H, T, columns].
[[nodiscard]] std::vector<Axis> logical_axes(const NodeInfo& info);
// ggml's axis order, contiguous first: {D, T}; {D_h, H, T} for Q, K, V; {T, T, H} for scores (llama.cpp pads the keys).
[[nodiscard]] std::vector<Axis> ggml_axes(const NodeInfo& info);
// The same of a tensor of the file: [D, 3D] and {D, 3D}; [V, D] and {D, V} of a table.
[[nodiscard]] std::vector<Axis> logical_axes(const WeightInfo& info);
[[nodiscard]] std::vector<Axis> ggml_axes(const WeightInfo& info);

}  // namespace headflow::gpt2
