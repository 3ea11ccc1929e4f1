// The C++ text of the table, and what can be read back from it.
import { fileURLToPath } from 'node:url';

export const TABLE = fileURLToPath(new URL('../../cpp/tokenizer/unicode_runs.h', import.meta.url));

const PER_LINE = 10;

export function formatTable(runs, version) {
  const values = runs.map(
    ({ first, number }) => `0x${((first << 2) | number).toString(16).toUpperCase().padStart(6, '0')}`,
  );
  const lines = [];
  for (let i = 0; i < values.length; i += PER_LINE) lines.push(`    ${values.slice(i, i + PER_LINE).join(', ')},`);
  return `// Written by scripts/unicode/generate.mjs: change that, not this.
// Runs of code points of one class, Unicode ${version}: (first code point << 2 | CharacterClass), each up to the next.
#pragma once

#include <array>
#include <cstdint>

namespace headflow {

// clang-format off
inline constexpr std::array<std::uint32_t, ${values.length}> kUnicodeRuns = {
${lines.join('\n')}
};
// clang-format on

}  // namespace headflow
`;
}

/** The Unicode version that a table names. */
export const tableVersion = (text) => /one class, Unicode (\S+):/.exec(text)?.[1];
