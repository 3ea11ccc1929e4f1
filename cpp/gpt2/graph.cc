// The records of the graph.
#include "gpt2/graph.h"

#include <algorithm>

namespace headflow::gpt2 {
namespace {

using enum Node;
constexpr StageKind kEmbed = StageKind::kEmbed;
constexpr StageKind kAttention = StageKind::kAttention;
constexpr StageKind kMlp = StageKind::kMlp;
constexpr StageKind kOutput = StageKind::kLogits;

// --- operands ---

constexpr Operand cell(Node node) {
  return {node, Index::kNone, Index::kRow, Index::kColumn};
}
constexpr Operand row(Node node) {
  return {node, Index::kNone, Index::kRow, Index::kAll};
}
constexpr Operand head_cell(Node node) {
  return {node, Index::kHead, Index::kRow, Index::kColumn};
}
constexpr Operand head_row(Node node) {
  return {node, Index::kHead, Index::kRow, Index::kAll};
}
constexpr Operand visible_keys(Node node) {
  return {node, Index::kHead, Index::kRow, Index::kVisibleKeys};
}
constexpr Operand element(Weight vector) {
  return {vector, Index::kNone, Index::kNone, Index::kColumn};
}
constexpr Operand output(Weight matrix) {
  return {matrix, Index::kNone, Index::kColumn, Index::kAll};
}
constexpr Operand kViewed = {kQkv, Index::kNone, Index::kRow, Index::kViewColumn};

// --- llama.cpp's operations ---

using LogShape = std::array<LogAxis, 3>;
constexpr LogShape kHeadsByToken = {LogAxis::kHeadDim, LogAxis::kHeads, LogAxis::kTokens};
constexpr LogShape kTokensByHead = {LogAxis::kHeadDim, LogAxis::kTokens, LogAxis::kHeads};
constexpr LogShape kRowPerToken = {LogAxis::kWidth, LogAxis::kTokens, LogAxis::kOne};

constexpr LogView kKeyRows = {"Kcur-% (view)", kKey, false, kRowPerToken};
constexpr LogView kKeyCacheWritten = {
    "cache_k_l% (view)", kKey, true, {LogAxis::kWidth, LogAxis::kKeys, LogAxis::kOne}};
constexpr LogView kValueRows = {"Vcur-% (cont)", kValue, false, kRowPerToken};
constexpr LogView kValueElements = {
    "Vcur-% (cont) (reshaped)", kValue, false, {LogAxis::kOne, LogAxis::kElements, LogAxis::kOne}};
constexpr LogView kValueCache = {"cache_v_l%", kValue, true, {LogAxis::kWidth, LogAxis::kKeys, LogAxis::kOne}};
constexpr LogView kValueCacheElements = {
    "cache_v_l% (reshaped)", kValue, true, {LogAxis::kOne, LogAxis::kCacheElements, LogAxis::kOne}};
constexpr LogView kValueCacheWritten = {
    "cache_v_l% (reshaped) (view)", kValue, true, {LogAxis::kOne, LogAxis::kCacheElements, LogAxis::kOne}};
constexpr LogView kValueCacheHeads = {
    "cache_v_l% (view)", kValue, true, {LogAxis::kKeys, LogAxis::kHeads, LogAxis::kHeadDim}};
constexpr LogView kValueCachePermuted = {
    "cache_v_l% (view) (permuted)", kValue, true, {LogAxis::kKeys, LogAxis::kHeadDim, LogAxis::kHeads}};
constexpr LogView kKeyCache = {"cache_k_l%", kKey, true, {LogAxis::kWidth, LogAxis::kKeys, LogAxis::kOne}};
constexpr LogView kKeyCacheHeads = {
    "cache_k_l% (view)", kKey, true, {LogAxis::kHeadDim, LogAxis::kHeads, LogAxis::kKeys}};
constexpr LogView kKeyCachePermuted = {
    "cache_k_l% (view) (permuted)", kKey, true, {LogAxis::kHeadDim, LogAxis::kKeys, LogAxis::kHeads}};
constexpr LogView kQueryHeads = {"Qcur-% (view)", kQuery, false, kHeadsByToken};
constexpr LogView kQueryPermuted = {"Qcur-% (view) (permuted)", kQuery, false, kTokensByHead};
constexpr LogView kHeadOutputPermuted = {"kqv-% (permuted)", kHeadOutput, false, kHeadsByToken};

// An operation whose result is the node.
constexpr std::array<LogOperation, 1> one(std::string_view operation, LogSource first,
                                          std::optional<LogSource> second = std::nullopt) {
  return {{{operation, first, second, std::nullopt}}};
}

constexpr auto kTokenEmbeddingLog = one("GET_ROWS", Weight::kTokenTable, Input::kTokenIds);
constexpr auto kPositionEmbeddingLog = one("GET_ROWS", Weight::kPositionTable, Input::kPositions);
constexpr auto kInputLog = one("ADD", kTokenEmbedding, kPositionEmbedding);
constexpr auto kNormLog = one("NORM", kInput);
constexpr auto kNormWeightedLog = one("MUL", kNorm, Weight::kAttentionNorm);
constexpr auto kAttentionNormLog = one("ADD", kNormWeighted, Weight::kAttentionNormBias);
constexpr auto kQkvProductLog = one("MUL_MAT", Weight::kQkv, kAttentionNorm);
constexpr auto kQkvLog = one("ADD", kQkvProduct, Weight::kQkvBias);
constexpr auto kViewLog = one("VIEW", kQkv);
// K and V are written to the cache, whose views are the products' operands.
constexpr std::array<LogOperation, 13> kScoresLog = {{
    {"VIEW", kKey, std::nullopt, kKeyRows},
    {"SET_ROWS", kKeyRows, Input::kKeyRows, kKeyCacheWritten},
    {"CONT", kValue, std::nullopt, kValueRows},
    {"RESHAPE", kValueRows, std::nullopt, kValueElements},
    {"RESHAPE", kValueCache, std::nullopt, kValueCacheElements},
    {"SET_ROWS", kValueElements, Input::kValueElements, kValueCacheWritten},
    {"VIEW", kValueCache, std::nullopt, kValueCacheHeads},
    {"PERMUTE", kValueCacheHeads, std::nullopt, kValueCachePermuted},
    {"VIEW", kKeyCache, std::nullopt, kKeyCacheHeads},
    {"PERMUTE", kKeyCacheHeads, std::nullopt, kKeyCachePermuted},
    {"VIEW", kQuery, std::nullopt, kQueryHeads},
    {"PERMUTE", kQueryHeads, std::nullopt, kQueryPermuted},
    {"MUL_MAT", kKeyCachePermuted, kQueryPermuted, std::nullopt},
}};
constexpr auto kProbabilitiesLog = one("SOFT_MAX", kScores, Input::kMask);
constexpr auto kHeadOutputLog = one("MUL_MAT", kValueCachePermuted, kProbabilities);
constexpr std::array<LogOperation, 2> kConcatLog = {{
    {"PERMUTE", kHeadOutput, std::nullopt, kHeadOutputPermuted},
    {"CONT", kHeadOutputPermuted, std::nullopt, std::nullopt},
}};
constexpr auto kProjectionProductLog = one("MUL_MAT", Weight::kProjection, kConcat);
constexpr auto kAttentionOutputLog = one("ADD", kProjectionProduct, Weight::kProjectionBias);
constexpr auto kResidualLog = one("ADD", kAttentionOutput, kInput);
constexpr auto kMlpNormLog = one("NORM", kResidual);
constexpr auto kMlpNormWeightedLog = one("MUL", kMlpNorm, Weight::kMlpNorm);
constexpr auto kMlpInputLog = one("ADD", kMlpNormWeighted, Weight::kMlpNormBias);
constexpr auto kUpProductLog = one("MUL_MAT", Weight::kUp, kMlpInput);
constexpr auto kUpLog = one("ADD", kUpProduct, Weight::kUpBias);
constexpr auto kGeluLog = one("GELU", kUp);
constexpr auto kDownProductLog = one("MUL_MAT", Weight::kDown, kGelu);
constexpr auto kMlpOutputLog = one("ADD", kDownProduct, Weight::kDownBias);
constexpr auto kBlockOutputLog = one("ADD", kMlpOutput, kResidual);
constexpr auto kFinalNormWeightedLog = one("MUL", kFinalNorm, Weight::kFinalNorm);
constexpr auto kFinalOutputLog = one("ADD", kFinalNormWeighted, Weight::kFinalNormBias);
constexpr auto kLogitsLog = one("MUL_MAT", Weight::kOutputTable, kFinalOutput);

// --- the records, in the order of computation and of the enumeration ---
// llama.cpp (b10435) names; "ours" where it has no such node.
constexpr std::array<NodeInfo, kNodeCount> kNodes = {{
    {.node = kTokenEmbedding,
     .name = "embd",
     .suffix = "",
     .symbol = "E_{tok}",
     .stage = kEmbed,
     .per_block = false,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kWhenRead,
     .function = Function::kStored,
     .operands = {{Weight::kTokenTable, Index::kNone, Index::kTokenId, Index::kColumn}},
     .view = std::nullopt,
     .log = {kTokenEmbeddingLog, ""}},
    {.node = kPositionEmbedding,
     .name = "pos_embd",
     .suffix = "",
     .symbol = "E_{pos}",
     .stage = kEmbed,
     .per_block = false,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kWhenRead,
     .function = Function::kStored,
     .operands = {{Weight::kPositionTable, Index::kNone, Index::kRow, Index::kColumn}},
     .view = std::nullopt,
     .log = {kPositionEmbeddingLog, ""}},
    {.node = kInput,
     .name = "inpL",
     .suffix = "",
     .symbol = "X_0",
     .stage = kEmbed,
     .per_block = false,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kSum,
     .operands = {cell(kTokenEmbedding), cell(kPositionEmbedding)},
     .view = std::nullopt,
     .log = {kInputLog, ""}},
    {.node = kNorm,
     .name = "norm",
     .suffix = "",
     .symbol = "\\hat{X}_l",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kNormalize,
     .operands = {row(kInput)},
     .view = std::nullopt,
     .log = {kNormLog, ""}},
    {.node = kNormWeighted,
     .name = "norm_w",
     .suffix = "",
     .symbol = "\\hat{X}_l \\odot g",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kWeighted,
     .operands = {cell(kNorm), element(Weight::kAttentionNorm)},
     .view = std::nullopt,
     .log = {kNormWeightedLog, ""}},
    {.node = kAttentionNorm,
     .name = "attn_norm",
     .suffix = "",
     .symbol = "Z_l",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kAffine,
     .operands = {cell(kNorm), element(Weight::kAttentionNorm), element(Weight::kAttentionNormBias)},
     .view = std::nullopt,
     .log = {kAttentionNormLog, ""}},
    {.node = kQkvProduct,
     .name = "wqkv",
     .suffix = "",
     .symbol = "Z_l W_{QKV}",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kTripleWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kMatrix,
     .operands = {row(kAttentionNorm), output(Weight::kQkv)},
     .view = std::nullopt,
     .log = {kQkvProductLog, ""}},
    {.node = kQkv,
     .name = "wqkv_b",
     .suffix = "",
     .symbol = "Z_l W_{QKV} + b_{QKV}",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kTripleWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kMatrix,
     .operands = {row(kAttentionNorm), output(Weight::kQkv), element(Weight::kQkvBias)},
     .view = std::nullopt,
     .log = {kQkvLog, ""}},
    {.node = kQuery,
     .name = "Qcur",
     .suffix = "",
     .symbol = "Q_h",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kHeadDim,
     .per_head = true,
     .storage = NodeStorage::kPart,
     .function = Function::kSame,
     .operands = {kViewed},
     .view = ViewInfo{kQkv, 0},
     .log = {kViewLog, "a view at 0 elements: nothing is copied"}},
    {.node = kKey,
     .name = "Kcur",
     .suffix = "",
     .symbol = "K_h",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kHeadDim,
     .per_head = true,
     .storage = NodeStorage::kPart,
     .function = Function::kSame,
     .operands = {kViewed},
     .view = ViewInfo{kQkv, 1},
     .log = {kViewLog, "a view at D elements", kValue}},
    {.node = kValue,
     .name = "Vcur",
     .suffix = "",
     .symbol = "V_h",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kHeadDim,
     .per_head = true,
     .storage = NodeStorage::kPart,
     .function = Function::kSame,
     .operands = {kViewed},
     .view = ViewInfo{kQkv, 2},
     .log = {kViewLog, "a view at 2D elements; llama.cpp happens to schedule V before K"}},
    {.node = kScores,
     .name = "kq",
     .suffix = "",
     .symbol = "Q_h K_h^\\top",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kKeys,
     .per_head = true,
     .storage = NodeStorage::kWhenRead,
     .function = Function::kProducts,
     .operands = {head_row(kQuery), {kKey, Index::kHead, Index::kColumn, Index::kAll}},
     .view = std::nullopt,
     .log = {kScoresLog, "no padding here; llama.cpp pads the key axis to 256"}},
    {.node = kScoresScaled,
     .name = "kq_scaled",
     .suffix = "",
     .symbol = "Q_h K_h^\\top / \\sqrt{D_h}",
     .stage = kAttention,
     .per_block = true,
     .ours = true,
     .columns = Axis::kKeys,
     .per_head = true,
     .storage = NodeStorage::kWhenRead,
     .function = Function::kScaled,
     .operands = {head_cell(kScores)},
     .view = std::nullopt,
     .log = {}},
    {.node = kScoresMasked,
     .name = "kq_masked",
     .suffix = "",
     .symbol = "Q_h K_h^\\top / \\sqrt{D_h} + M",
     .stage = kAttention,
     .per_block = true,
     .ours = true,
     .columns = Axis::kKeys,
     .per_head = true,
     .storage = NodeStorage::kWhenRead,
     .function = Function::kMasked,
     .operands = {head_cell(kScoresScaled), {Input::kMask, Index::kNone, Index::kRow, Index::kColumn}},
     .view = std::nullopt,
     .log = {}},
    {.node = kProbabilities,
     .name = "kq_soft_max",
     .suffix = "",
     .symbol = "P_h",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kKeys,
     .per_head = true,
     .storage = NodeStorage::kWhenRead,
     .function = Function::kSoftmax,
     .operands = {visible_keys(kScores), visible_keys(kScoresScaled)},
     .view = std::nullopt,
     .log = {kProbabilitiesLog, "scale, mask and softmax in one operation"}},
    {.node = kHeadOutput,
     .name = "kqv",
     .suffix = "",
     .symbol = "O_h",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kHeadDim,
     .per_head = true,
     .storage = NodeStorage::kPart,
     .function = Function::kProducts,
     .operands = {visible_keys(kProbabilities), {kValue, Index::kHead, Index::kVisibleKeys, Index::kColumn}},
     .view = std::nullopt,
     .log = {kHeadOutputLog, ""}},
    {.node = kConcat,
     .name = "kqv_out",
     .suffix = "",
     .symbol = "O_{cat}",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kSame,
     .operands = {{kHeadOutput, Index::kHeadOfColumn, Index::kRow, Index::kColumnOfHead}},
     .view = std::nullopt,
     .log = {kConcatLog, "of the permuted heads: this is Concat, there is no concat node"}},
    {.node = kHeadContribution,
     .name = "attn_contrib",
     .suffix = "",
     .symbol = "O_h W_O^{(h)}",
     .stage = kAttention,
     .per_block = true,
     .ours = true,
     .columns = Axis::kWidth,
     .per_head = true,
     .storage = NodeStorage::kOnRequest,
     .function = Function::kMatrix,
     .operands = {{kConcat, Index::kNone, Index::kRow, Index::kHeadColumns},
                  {Weight::kProjection, Index::kNone, Index::kColumn, Index::kHeadColumns}},
     .view = std::nullopt,
     .log = {}},
    {.node = kProjectionProduct,
     .name = "attn_out_mm",
     .suffix = "",
     .symbol = "O_{cat} W_O",
     .stage = kAttention,
     .per_block = true,
     .ours = true,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kMatrix,
     .operands = {row(kConcat), output(Weight::kProjection)},
     .view = std::nullopt,
     .log = {kProjectionProductLog, ""}},
    {.node = kAttentionOutput,
     .name = "attn_out",
     .suffix = "",
     .symbol = "A_l",
     .stage = kAttention,
     .per_block = true,
     .ours = true,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kHeads,
     .operands = {{kHeadContribution, Index::kAll, Index::kRow, Index::kColumn}, element(Weight::kProjectionBias)},
     .view = std::nullopt,
     .log = {kAttentionOutputLog, ""}},
    {.node = kResidual,
     .name = "ffn_inp",
     .suffix = "",
     .symbol = "R_l",
     .stage = kAttention,
     .per_block = true,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kSum,
     .operands = {cell(kAttentionOutput), cell(kInput)},
     .view = std::nullopt,
     .log = {kResidualLog, ""}},
    {.node = kMlpNorm,
     .name = "norm",
     .suffix = "#1",
     .symbol = "\\hat{R}_l",
     .stage = kMlp,
     .per_block = true,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kNormalize,
     .operands = {row(kResidual)},
     .view = std::nullopt,
     .log = {kMlpNormLog, ""}},
    {.node = kMlpNormWeighted,
     .name = "norm_w",
     .suffix = "#1",
     .symbol = "\\hat{R}_l \\odot g",
     .stage = kMlp,
     .per_block = true,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kWeighted,
     .operands = {cell(kMlpNorm), element(Weight::kMlpNorm)},
     .view = std::nullopt,
     .log = {kMlpNormWeightedLog, ""}},
    {.node = kMlpInput,
     .name = "ffn_norm",
     .suffix = "",
     .symbol = "LN(R_l)",
     .stage = kMlp,
     .per_block = true,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kAffine,
     .operands = {cell(kMlpNorm), element(Weight::kMlpNorm), element(Weight::kMlpNormBias)},
     .view = std::nullopt,
     .log = {kMlpInputLog, ""}},
    {.node = kUpProduct,
     .name = "ffn_up",
     .suffix = "",
     .symbol = "LN(R_l) W_{up}",
     .stage = kMlp,
     .per_block = true,
     .ours = false,
     .columns = Axis::kHidden,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kMatrix,
     .operands = {row(kMlpInput), output(Weight::kUp)},
     .view = std::nullopt,
     .log = {kUpProductLog, ""}},
    {.node = kUp,
     .name = "ffn_up_b",
     .suffix = "",
     .symbol = "LN(R_l) W_{up} + b_{up}",
     .stage = kMlp,
     .per_block = true,
     .ours = false,
     .columns = Axis::kHidden,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kMatrix,
     .operands = {row(kMlpInput), output(Weight::kUp), element(Weight::kUpBias)},
     .view = std::nullopt,
     .log = {kUpLog, ""}},
    {.node = kGelu,
     .name = "ffn_gelu",
     .suffix = "",
     .symbol = "GELU(LN(R_l) W_{up} + b_{up})",
     .stage = kMlp,
     .per_block = true,
     .ours = false,
     .columns = Axis::kHidden,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kGelu,
     .operands = {cell(kUp)},
     .view = std::nullopt,
     .log = {kGeluLog, "GELU in float32; llama.cpp passes its input and output through fp16"}},
    {.node = kDownProduct,
     .name = "ffn_down",
     .suffix = "",
     .symbol = "GELU(\\cdot) W_{down}",
     .stage = kMlp,
     .per_block = true,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kMatrix,
     .operands = {row(kGelu), output(Weight::kDown)},
     .view = std::nullopt,
     .log = {kDownProductLog, ""}},
    {.node = kMlpOutput,
     .name = "ffn_out",
     .suffix = "",
     .symbol = "F_l",
     .stage = kMlp,
     .per_block = true,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kMatrix,
     .operands = {row(kGelu), output(Weight::kDown), element(Weight::kDownBias)},
     .view = std::nullopt,
     .log = {kMlpOutputLog, ""}},
    {.node = kBlockOutput,
     .name = "l_out",
     .suffix = "",
     .symbol = "X_{l+1}",
     .stage = kMlp,
     .per_block = true,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kRows,
     .function = Function::kSum,
     .operands = {cell(kMlpOutput), cell(kResidual)},
     .view = std::nullopt,
     .log = {kBlockOutputLog, ""}},
    {.node = kFinalNorm,
     .name = "norm",
     .suffix = "",
     .symbol = "\\hat{X}_L",
     .stage = kOutput,
     .per_block = false,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kWhenRead,
     .function = Function::kNormalize,
     .operands = {row(kInput)},
     .view = std::nullopt,
     .log = {kNormLog, ""}},
    {.node = kFinalNormWeighted,
     .name = "norm_w",
     .suffix = "",
     .symbol = "\\hat{X}_L \\odot g",
     .stage = kOutput,
     .per_block = false,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kWhenRead,
     .function = Function::kWeighted,
     .operands = {cell(kFinalNorm), element(Weight::kFinalNorm)},
     .view = std::nullopt,
     .log = {kFinalNormWeightedLog, ""}},
    {.node = kFinalOutput,
     .name = "result_norm",
     .suffix = "",
     .symbol = "LN(X_L)",
     .stage = kOutput,
     .per_block = false,
     .ours = false,
     .columns = Axis::kWidth,
     .per_head = false,
     .storage = NodeStorage::kWhenRead,
     .function = Function::kAffine,
     .operands = {cell(kFinalNorm), element(Weight::kFinalNorm), element(Weight::kFinalNormBias)},
     .view = std::nullopt,
     .log = {kFinalOutputLog, ""}},
    {.node = kLogits,
     .name = "result_output",
     .suffix = "",
     .symbol = "LN(X_L) W_{out}",
     .stage = kOutput,
     .per_block = false,
     .ours = false,
     .columns = Axis::kVocabulary,
     .per_head = false,
     .storage = NodeStorage::kWhenRead,
     .function = Function::kMatrix,
     .operands = {row(kFinalOutput), output(Weight::kOutputTable)},
     .view = std::nullopt,
     .log = {kLogitsLog, ""}},
}};

constexpr std::array<WeightInfo, kWeightCount> kWeights = {{
    // weight, name, symbol, per_block, columns, rows, table
    {Weight::kTokenTable, "token_embd.weight", "W_E", false, Axis::kWidth, Axis::kVocabulary, true},
    {Weight::kPositionTable, "position_embd.weight", "W_P", false, Axis::kWidth, Axis::kContext, true},
    {Weight::kAttentionNorm, "attn_norm.weight", "g", true, Axis::kWidth, std::nullopt, false},
    {Weight::kAttentionNormBias, "attn_norm.bias", "c", true, Axis::kWidth, std::nullopt, false},
    {Weight::kQkv, "attn_qkv.weight", "W_{QKV}", true, Axis::kWidth, Axis::kTripleWidth, false},
    {Weight::kQkvBias, "attn_qkv.bias", "b_{QKV}", true, Axis::kTripleWidth, std::nullopt, false},
    {Weight::kProjection, "attn_output.weight", "W_O", true, Axis::kWidth, Axis::kWidth, false},
    {Weight::kProjectionBias, "attn_output.bias", "b_O", true, Axis::kWidth, std::nullopt, false},
    {Weight::kMlpNorm, "ffn_norm.weight", "g", true, Axis::kWidth, std::nullopt, false},
    {Weight::kMlpNormBias, "ffn_norm.bias", "c", true, Axis::kWidth, std::nullopt, false},
    {Weight::kUp, "ffn_up.weight", "W_{up}", true, Axis::kWidth, Axis::kHidden, false},
    {Weight::kUpBias, "ffn_up.bias", "b_{up}", true, Axis::kHidden, std::nullopt, false},
    {Weight::kDown, "ffn_down.weight", "W_{down}", true, Axis::kHidden, Axis::kWidth, false},
    {Weight::kDownBias, "ffn_down.bias", "b_{down}", true, Axis::kWidth, std::nullopt, false},
    {Weight::kFinalNorm, "output_norm.weight", "g", false, Axis::kWidth, std::nullopt, false},
    {Weight::kFinalNormBias, "output_norm.bias", "c", false, Axis::kWidth, std::nullopt, false},
    {Weight::kOutputTable, "output.weight", "W_{out}", false, Axis::kWidth, Axis::kVocabulary, false},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    if (static_cast<std::size_t>(kNodes[i].node) != i) return false;
  }
  for (std::size_t i = 0; i < kWeights.size(); ++i) {
    if (static_cast<std::size_t>(kWeights[i].weight) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const NodeInfo> nodes() noexcept {
  return kNodes;
}

const NodeInfo& info(Node node) noexcept {
  return kNodes[static_cast<std::size_t>(node)];
}

std::span<const WeightInfo> weights() noexcept {
  return kWeights;
}

const WeightInfo& info(Weight weight) noexcept {
  return kWeights[static_cast<std::size_t>(weight)];
}

std::vector<Operand> weights_of(StageKind stage) {
  std::vector<Operand> found;
  for (const NodeInfo& node : kNodes) {
    if (node.stage != stage) continue;
    for (const Operand& operand : node.operands) {
      if (!std::holds_alternative<Weight>(operand.source)) continue;
      if (std::ranges::find(found, operand.source, &Operand::source) == found.end()) found.push_back(operand);
    }
  }
  return found;
}

}  // namespace headflow::gpt2
