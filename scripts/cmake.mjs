// Configures a CMake preset, quietly, and builds it: node scripts/cmake.mjs preset. What is up to date stays as it is.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { root } from './setup/paths.mjs';

export function buildPreset(preset) {
  const configured = spawnSync('cmake', ['--preset', preset, '--log-level=WARNING'], { cwd: root, encoding: 'utf8' });
  process.stderr.write(configured.stderr ?? '');
  if (configured.status !== 0) {
    process.stdout.write(configured.stdout ?? '');
    return false;
  }
  const jobs = String(availableParallelism());
  const built = spawnSync('cmake', ['--build', '--preset', preset, '--parallel', jobs], {
    cwd: root,
    stdio: 'inherit',
  });
  return built.status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(buildPreset(process.argv[2]) ? 0 : 1);
