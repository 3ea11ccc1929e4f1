// The packages of package-lock.json in node_modules.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { run, step } from './run.mjs';

/** Installs exactly what the lock file says, unless that was done since the lock file changed. */
export function installNpmPackages() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  const wanted = join(root, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return;
  step('npm: installing the packages of package-lock.json');
  run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root });
}
