// The speed of the Q8_0 product, natively or in WebAssembly, as one table: GMAC/s of each implementation and how many
// times the scalar one that is. Implementations take turns, and each one's best round counts, so that a machine that
// is busy with other things disturbs all of them alike; the ratios are what to trust.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <string>

#include "bench/workload.h"

namespace headflow::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// How often to repeat a product for a round of 10 ms or more.
int repetitions(Workload& workload) {
  const Clock::time_point start = Clock::now();
  workload.run(kernels::scalar());
  return std::max(1, static_cast<int>(0.01 / std::max(seconds_since(start), 1e-6)));
}

void measure(const Shape& shape) {
  constexpr int kRounds = 12;
  const auto implementations = kernels::all();
  Workload workload(shape);
  const int repeat = repetitions(workload);
  std::vector<double> best(implementations.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < implementations.size(); ++i) {
      const Clock::time_point start = Clock::now();
      for (int n = 0; n < repeat; ++n) workload.run(*implementations[i]);
      best[i] = std::min(best[i], seconds_since(start) / repeat);
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
