// SHA-256 (FIPS 180-4) of bytes that come in parts.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;  // OpenSSL's

namespace headflow::shard {

class Sha256 {
 public:
  Sha256();

  void update(std::span<const std::byte> bytes);
  // The digest of all that came, as 64 hexadecimal digits in lower case. Nothing may follow.
  [[nodiscard]] std::string finish();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

}  // namespace headflow::shard
