// Runs a fuzzing entry over the files of a folder, and over the beginnings of each: what it must not do ends the
// program.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  constexpr std::size_t kBeginnings = 16;
  if (argc != 2) return EXIT_FAILURE;
  std::size_t runs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> chars{std::istreambuf_iterator<char>(file), {}};
    const std::vector<std::uint8_t> bytes(chars.begin(), chars.end());
    for (std::size_t i = 0; i <= kBeginnings; ++i, ++runs) {
      // A copy of just this size, so that a sanitizer sees reads past it.
      const std::vector<std::uint8_t> part(bytes.begin(),
                                           bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() * i / kBeginnings));
      (void)LLVMFuzzerTestOneInput(part.data(), part.size());
    }
  }
  std::cout << runs << " inputs\n";
  return runs > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
