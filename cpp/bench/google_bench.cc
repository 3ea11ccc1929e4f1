// The same products under Google Benchmark, natively: repetitions, statistics and its output formats.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/workload.h"

int main(int argc, char** argv) {
  using namespace headflow;
  for (const bench::Shape& shape : bench::kShapes) {
    for (const kernels::Kernels* implementation : kernels::all()) {
      const std::string name = std::string(shape.name) + "/" + std::string(implementation->name);
      benchmark::RegisterBenchmark(name.c_str(), [shape, implementation](benchmark::State& state) {
        bench::Workload workload(shape);
        for ([[maybe_unused]] const auto each : state) {
          workload.run(*implementation);
          benchmark::DoNotOptimize(workload.out().data());
          benchmark::ClobberMemory();
        }
        state.counters["MAC"] =
            benchmark::Counter(shape.multiplications(), benchmark::Counter::kIsIterationInvariantRate);
      });
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
