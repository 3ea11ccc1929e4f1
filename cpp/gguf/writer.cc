#include "gguf/writer.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"
#include "gguf/printable.h"
#include "gguf/tensor_types.h"

namespace headflow::gguf {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie in the file");

constexpr std::string_view kMagic = "GGUF";

std::uint64_t aligned(std::uint64_t size, std::uint64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

// By place; the directory's order where places are equal.
std::vector<std::size_t> by_offset(const Header& header) {
  std::vector<std::size_t> order(header.tensors.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return header.tensors[i].offset; });
  return order;
}

class ByteList {
 public:
  template <typename T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    append(std::as_bytes(std::span(&value, 1)));
  }
  void string(std::string_view text) {
    number(std::uint64_t{text.size()});
    append(std::as_bytes(std::span(text)));
  }
  void append(std::span<const std::byte> bytes) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + bytes.size());
    std::ranges::copy(bytes, std::span(bytes_).subspan(at).begin());
  }

  [[nodiscard]] std::vector<std::byte>& bytes() noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// One number, stored as `type` asks.
template <typename T>
void put_number(ByteList& out, ValueType type, T value) {
  switch (type) {
    case ValueType::kUint8: return out.number(static_cast<std::uint8_t>(value));
    case ValueType::kInt8: return out.number(static_cast<std::int8_t>(value));
    case ValueType::kUint16: return out.number(static_cast<std::uint16_t>(value));
    case ValueType::kInt16: return out.number(static_cast<std::int16_t>(value));
    case ValueType::kUint32: return out.number(static_cast<std::uint32_t>(value));
    case ValueType::kInt32: return out.number(static_cast<std::int32_t>(value));
    case ValueType::kFloat32: return out.number(static_cast<float>(value));
    case ValueType::kBool: return out.number(static_cast<std::uint8_t>(value));
    case ValueType::kUint64: return out.number(static_cast<std::uint64_t>(value));
    case ValueType::kInt64: return out.number(static_cast<std::int64_t>(value));
    case ValueType::kFloat64: return out.number(static_cast<double>(value));
    case ValueType::kString:
    case ValueType::kArray: break;  // No numbers.
  }
}

void put_value(ByteList& out, const Value& value);

void put_array(ByteList& out, const Array& array) {
  out.number(array.element_type);
  out.number(std::uint64_t{array.size()});
  std::visit(
      [&]<typename Element>(const std::vector<Element>& elements) {
        if constexpr (std::is_same_v<Element, std::byte>) {
          out.append(elements);
        } else {
          for (const Element& element : elements) {
            if constexpr (std::is_same_v<Element, Value>) {
              put_value(out, element);
            } else {
              out.string(element);
            }
          }
        }
      },
      array.elements);
}

void put_value(ByteList& out, const Value& value) {
  std::visit(
      [&](const auto& data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, Array>) {
          put_array(out, data);
        } else if constexpr (std::is_same_v<Data, std::string>) {
          out.string(data);
        } else {
          put_number(out, value.type, data);
        }
      },
      value.data);
}

// As it lies in the file, with places counted from where the data start.
ByteList unpadded(const Header& header) {
  ByteList out;
  out.append(std::as_bytes(std::span(kMagic)));
  out.number(header.version);
  out.number(std::uint64_t{header.tensors.size()});
  out.number(std::uint64_t{header.metadata.size()});
  for (const MetadataEntry& entry : header.metadata) {
    out.string(entry.key);
    out.number(entry.value.type);
    put_value(out, entry.value);
  }
  for (const TensorInfo& tensor : header.tensors) {
    out.string(tensor.name);
    out.number(static_cast<std::uint32_t>(tensor.shape.size()));
    for (const std::uint64_t length : tensor.shape) out.number(length);
    out.number(tensor.type);
    out.number(tensor.offset - header.data_offset);
  }
  return out;
}

}  // namespace

void lay_out(Header& header) {
  const std::vector<std::size_t> order = by_offset(header);
  const std::uint64_t header_size = unpadded(header).bytes().size();
  header.data_offset = aligned(header_size, header.alignment);
  header.end_offset = header_size;
  std::uint64_t next = header.data_offset;
  for (const std::size_t index : order) {
    TensorInfo& tensor = header.tensors[index];
    const TensorTypeInfo* const type = find_type(tensor.type);
    if (type == nullptr) {
      throw Error(ErrorCode::kUnsupportedType, {"tensor " + printable(tensor.name), type_name(tensor.type),
                                                "a type whose size is known, to copy it"});
    }
    tensor.size = stored_size(*type, tensor.shape);
    tensor.offset = next;
    header.end_offset = tensor.bytes().end;
    next = aligned(header.end_offset, header.alignment);
  }
}

std::vector<std::byte> header_bytes(const Header& header) {
  std::vector<std::byte> bytes = std::move(unpadded(header).bytes());
  bytes.resize(static_cast<std::size_t>(header.data_offset));
  return bytes;
}

Writer::Writer(const Header& header, Sink sink) : header_(&header), sink_(std::move(sink)) {
  for (const std::size_t index : by_offset(header)) order_.push_back(&header.tensors[index]);
  sink_(header_bytes(header));
  position_ = header.data_offset;
}

void Writer::put(std::span<const std::byte> data) {
  const std::uint64_t left = next_ < order_.size() ? order_[next_]->bytes().end - position_ : 0;
  if (data.size() > left) {
    throw Error(ErrorCode::kBadArgument, {next_ < order_.size() ? "data of tensor " + printable(order_[next_]->name)
                                                                : std::string("end of the GGUF file"),
                                          std::to_string(data.size()) + " bytes", std::to_string(left) + " at most"});
  }
  sink_(data);
  position_ += data.size();
  if (data.size() < left) return;
  // ggml pads after every tensor, the last included.
  const std::uint64_t end = aligned(position_, header_->alignment);
  sink_(std::vector<std::byte>(static_cast<std::size_t>(end - position_)));
  position_ = end;
  ++next_;
}

void Writer::finish() const {
  if (next_ == order_.size()) return;
  throw Error(ErrorCode::kBadArgument, {"data of tensor " + printable(order_[next_]->name), "the end",
                                        std::to_string(order_[next_]->bytes().end - position_) + " more bytes"});
}

}  // namespace headflow::gguf
