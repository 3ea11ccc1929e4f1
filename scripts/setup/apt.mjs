// Debian's and Ubuntu's package manager, as far as set-up needs it.
import { readFileSync } from 'node:fs';
import { capture, isRoot, run, SetupError, step } from './run.mjs';

const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
let listsAreFresh = false;

/** Has this machine apt, and may we use it? */
export const canInstall = () => isRoot() && hasApt();

export const hasApt = () => capture('apt-get', ['--version']) !== undefined;

export function debianCodename() {
  try {
    return /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

export function refreshLists() {
  if (listsAreFresh) return;
  step('apt: refreshing the package lists');
  run('apt-get', ['-o', 'DPkg::Lock::Timeout=300', 'update'], { env: environment });
  listsAreFresh = true;
}

export function install(packages) {
  refreshLists();
  step(`apt: installing ${packages.join(' ')}`);
  const options = ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends'];
  run('apt-get', [...options, ...packages], { env: environment });
}

/** The version that apt would install, or undefined if it knows no such package. */
export function candidateVersion(name) {
  const policy = capture('apt-cache', ['policy', name], { env: { ...environment, LC_ALL: 'C' } });
  const version = /Candidate: (?:\d+:)?(\S+)/.exec(policy ?? '')?.[1];
  return version === '(none)' ? undefined : version;
}

/** The mirror from which this machine takes the main part of its own release. */
export function ownMirror(codename) {
  const format = '$(REPO_URI) $(CODENAME) $(COMPONENT) $(ORIGIN)';
  const targets = capture('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']);
  for (const line of (targets ?? '').split('\n')) {
    const [uri, suite, component, origin] = line.split(' ');
    if (suite === codename && component === 'main' && origin === 'Debian') return uri;
  }
  throw new SetupError(`apt's sources name no mirror for ${codename} main`);
}
