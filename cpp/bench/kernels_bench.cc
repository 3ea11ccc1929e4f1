// The speed of the Q8_0 product, natively or in WebAssembly, as one table: GMAC/s of each implementation and how many
// times the scalar one that is. Implementations take turns, and each one's best round in processor time counts, so that
// a machine that is busy with other things disturbs all of them alike; the ratios are what to trust.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>

#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#endif

#include "bench/workload.h"

namespace headflow::bench {
namespace {

// Processor time of this process, which other processes' turns on the processor do not add to.
#ifdef __EMSCRIPTEN__
EM_JS(double, processor_seconds, (), {
  const usage = process.cpuUsage();
  return (usage.user + usage.system) * 1e-6;
});
#else
double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}
#endif

void measure(const Shape& shape) {
  constexpr int kRounds = 10;
  const auto implementations = kernels::all();
  Workload workload(shape);
  const int repeat = std::max(1, static_cast<int>(2e8 / shape.multiplications()));
  std::vector<double> best(implementations.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < implementations.size(); ++i) {
      const double start = processor_seconds();
      for (int n = 0; n < repeat; ++n) workload.run(*implementations[i]);
      best[i] = std::min(best[i], (processor_seconds() - start) / repeat);
    }
  }
  for (std::size_t i = 0; i < implementations.size(); ++i) {
    std::printf("%-30s %-8s %6.2f GMAC/s %6.2f x\n", shape.name, std::string(implementations[i]->name).c_str(),
                shape.multiplications() / best[i] * 1e-9, best[0] / best[i]);
  }
}

}  // namespace
}  // namespace headflow::bench

int main() {
  for (const headflow::bench::Shape& shape : headflow::bench::kShapes) headflow::bench::measure(shape);
}
