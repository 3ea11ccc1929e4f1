// The `headflow` command: parses arguments, runs a subcommand, turns errors into one line on stderr.
// Exit codes: 0 done, 1 an error, 2 wrong usage.

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>
#include <new>

#include "base/error.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/terminal.h"

namespace headflow::cli {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

void add_model(CLI::App& command, std::filesystem::path& model) {
  command.add_option("MODEL", model, "A GGUF file")->required();
}

// A model, a prompt or token ids, and heads that are switched off.
void add_run(CLI::App& command, RunOptions& options) {
  add_model(command, options.model);
  CLI::Option_group* const input = command.add_option_group("input");
  input->add_option("--prompt", options.prompt, "The text");
  input->add_option("--tokens", options.tokens, "Token ids, separated by commas")
      ->delimiter(',')
      ->check(whole_number(0, std::numeric_limits<TokenId>::max()));
  input->require_option(1);
  command.add_option("--off", options.off, "Heads to switch off, such as 3.2,2.6 (block.head)")->delimiter(',');
  command.add_option("--off-by", options.off_by, "What stands in for their outputs (default: zero)")
      ->check(CLI::IsMember({"zero", "mean"}));
}

int run(int argc, char** argv) {
  CLI::App app{"Headflow: what happens inside GPT-2, from its quantized weights"};
  app.require_subcommand(1);
  std::function<void()> selected;
  int result = 0;

  InspectOptions inspect_options;
  CLI::App* const inspect_command = app.add_subcommand("inspect", "List a GGUF file's metadata and tensors");
  add_model(*inspect_command, inspect_options.model);
  inspect_command->add_flag("--json", inspect_options.json, "As JSON");
  inspect_command->callback([&] {
    selected = [&] {
      inspect(inspect_options, std::cout);
    };
  });

  TokenizeOptions tokenize_options;
  CLI::App* const tokenize_command = app.add_subcommand("tokenize", "Split text into the model's tokens");
  add_model(*tokenize_command, tokenize_options.model);
  tokenize_command->add_option("TEXT", tokenize_options.text, "The text")->required();
  tokenize_command->add_flag("--merges", tokenize_options.merges, "Word by word: the merges that make each token");
  tokenize_command->add_flag("--json", tokenize_options.json, "As JSON");
  tokenize_command->callback([&] {
    selected = [&] {
      tokenize(tokenize_options, std::cout);
    };
  });

  TraceOptions trace_options;
  CLI::App* const trace_command = app.add_subcommand("trace", "Write every tensor of a forward pass as .npy");
  add_run(*trace_command, trace_options.run);
  trace_command->add_option("--node", trace_options.nodes, "Only this node, such as kq_soft_max-0 (repeatable)");
  trace_command->add_option("--out", trace_options.directory, "Where to write (default: here)");
  trace_command->callback([&] {
    selected = [&] {
      trace(trace_options, std::cout);
    };
  });

  NextOptions next_options;
  CLI::App* const next_command = app.add_subcommand("next", "List the likeliest next tokens");
  add_run(*next_command, next_options.run);
  next_command->add_option("--top", next_options.count, "How many (default: 10)")->check(whole_number(1));
  next_command->add_flag("--json", next_options.run.json, "As JSON");
  next_command->callback([&] {
    selected = [&] {
      next(next_options, std::cout);
    };
  });

  RunOptions heads_options;
  CLI::App* const heads_command =
      app.add_subcommand("heads", "Say what each head does on a prompt, and what comes next without it");
  add_run(*heads_command, heads_options);
  heads_command->add_flag("--json", heads_options.json, "As JSON");
  heads_command->callback([&] {
    selected = [&] {
      heads(heads_options, std::cout);
    };
  });

  LensOptions lens_options;
  CLI::App* const lens_command = app.add_subcommand("lens", "List what would come next after each block");
  add_run(*lens_command, lens_options.run);
  lens_command->add_option("--top", lens_options.count, "How many tokens a block (default: 5)")->check(whole_number(1));
  lens_command->add_flag("--json", lens_options.run.json, "As JSON");
  lens_command->callback([&] {
    selected = [&] {
      lens(lens_options, std::cout);
    };
  });

  PartsOptions parts_options;
  CLI::App* const parts_command =
      app.add_subcommand("parts", "List what embeddings, heads, biases and MLPs write into a logit");
  add_run(*parts_command, parts_options.run);
  parts_command->add_option("--token", parts_options.token, "Id of the token (default: the likeliest)")
      ->check(whole_number());
  parts_command->add_option("--against", parts_options.against, "The logit less that of the token with this id")
      ->check(whole_number());
  parts_command->add_flag("--json", parts_options.run.json, "As JSON");
  parts_command->callback([&] {
    selected = [&] {
      parts(parts_options, std::cout);
    };
  });

  TensorOptions tensor_options;
  CLI::App* const tensor_command = app.add_subcommand("tensor", "Show a histogram of a tensor's values and scales");
  add_model(*tensor_command, tensor_options.model);
  tensor_command->add_option("NAME", tensor_options.name, "A tensor of the file")->required();
  tensor_command->add_option("--bins", tensor_options.bins, "How many bins (default: 24)")
      ->check(whole_number(1, 1000));
  tensor_command->add_flag("--json", tensor_options.json, "As JSON");
  tensor_command->callback([&] {
    selected = [&] {
      tensor(tensor_options, std::cout);
    };
  });

  ExplainOptions explain_options;
  CLI::App* const explain_command = app.add_subcommand("explain", "Say where one number comes from");
  add_model(*explain_command, explain_options.model);
  explain_command->add_option("--prompt", explain_options.prompt, "The text")->required();
  explain_command->add_option("--cell", explain_options.cell, "Node and indices, such as kq_soft_max-0[0,1,0]")
      ->required();
  explain_command->add_flag("--json", explain_options.json, "As JSON");
  explain_command->callback([&] {
    selected = [&] {
      explain(explain_options, std::cout);
    };
  });

  LogOptions log_options;
  CLI::App* const log_command = app.add_subcommand("log", "List the nodes in execution order, as llama.cpp's log does");
  add_model(*log_command, log_options.model);
  log_command->add_option("--prompt", log_options.prompt, "The text")->required();
  log_command->add_option("--filter", log_options.filter, "A regular expression over names of nodes and operands");
  log_command->add_flag("--logical", log_options.logical, "Logical shapes instead of ggml's");
  log_command->callback([&] {
    selected = [&] {
      log(log_options, std::cout);
    };
  });

  GenerateOptions generate_options;
  CLI::App* const generate_command = app.add_subcommand("generate", "Continue a text");
  add_model(*generate_command, generate_options.model);
  generate_command->add_option("--prompt", generate_options.prompt, "The text to continue")->required();
  generate_command->add_option("-n", generate_options.count, "How many tokens (default: 32)")->check(whole_number());
  generate_command
      ->add_option("--temp", generate_options.sampler.temperature, "Temperature; 0 takes the likeliest (default)")
      ->check(decimal_number());
  generate_command->add_option("--top-k", generate_options.sampler.top_k, "Only the k likeliest; 0: all (default)")
      ->check(whole_number());
  generate_command
      ->add_option("--top-p", generate_options.sampler.top_p, "The fewest likeliest that reach p (default: 1)")
      ->check(decimal_number());
  generate_command->add_option("--seed", generate_options.sampler.seed, "Of the random draws (default: 0)")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
  generate_command->add_flag("--json", generate_options.json,
                             "Each token as a line of JSON, with what top-k and top-p removed");
  generate_command->callback([&] {
    selected = [&] {
      generate(generate_options, std::cout);
    };
  });

  QuantizeOptions quantize_options;
  CLI::App* const quantize_command = app.add_subcommand("quantize", "Write a file anew with its matrices as Q8_0");
  add_model(*quantize_command, quantize_options.model);
  quantize_command->add_option("OUT", quantize_options.result, "The new file")->required();
  quantize_command->callback([&] {
    selected = [&] {
      quantize(quantize_options, std::cout);
    };
  });

  ShardOptions shard_options;
  CLI::App* const shard_command = app.add_subcommand("shard", "Cut a file into pieces, with a manifest of hashes");
  add_model(*shard_command, shard_options.model);
  CLI::Option_group* const pieces = shard_command->add_option_group("pieces");
  pieces->add_option_function<std::string>(
      "--size", [&](const std::string& text) { shard_options.piece_size = parse_size(text); },
      "Of a piece at most, such as 20MB, 20MiB or 20000000");
  CLI::Option* const whole =
      pieces->add_flag("--manifest-only", shard_options.whole, "Leave the file whole, and write its hashes beside it");
  pieces->require_option(1);
  shard_command->add_option("--out", shard_options.directory, "Where to write (default: beside the file)")
      ->excludes(whole);
  shard_command->callback([&] {
    selected = [&] {
      shard(shard_options, std::cout);
    };
  });

  VerifyOptions verify_options;
  CLI::App* const verify_command = app.add_subcommand("verify", "Check a model's numbers; exit code 1 where one fails");
  add_model(*verify_command, verify_options.model);
  verify_command->add_option("--golden", verify_options.golden, "Known numbers, in the form of gpt2-small.json");
  verify_command->callback([&] {
    selected = [&] {
      result = verify(verify_options, std::cout) ? 0 : kFailure;
    };
  });

  EvaluateOptions evaluate_options;
  CLI::App* const evaluate_command = app.add_subcommand("evaluate", "Bits per byte on held-out text, and head scores");
  add_model(*evaluate_command, evaluate_options.model);
  evaluate_command->add_option("CORPUS", evaluate_options.corpus, "Folder with *-heldout.txt.gz")->required();
  evaluate_command->add_flag("--json", evaluate_options.json, "As JSON");
  evaluate_command->callback([&] {
    selected = [&] {
      evaluate(evaluate_options, std::cout);
    };
  });

  const std::vector<std::string> arguments = read_arguments(argc, argv);
  try {
    // CLI11 takes them from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    selected();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      std::cerr << "headflow: " << usage_error(app, error, arguments) << '\n';
      return kUsage;
    }
    (void)app.exit(error);  // Help, on standard output.
  }
  std::cout.flush();
  if (!std::cout) throw Error(ErrorCode::kBadArgument, {"standard output", "a failed write", "room for the result"});
  return result;
}

}  // namespace
}  // namespace headflow::cli

int main(int argc, char** argv) try { return headflow::cli::run(argc, argv); } catch (const std::bad_alloc&) {
  std::cerr << "headflow: out of memory\n";
  return headflow::cli::kFailure;
} catch (const std::exception& error) {
  std::cerr << "headflow: " << headflow::cli::one_line(error.what()) << '\n';
  return headflow::cli::kFailure;
}
