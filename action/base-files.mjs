/** The files of the commit that the policy is compared with. Files of the checkout are compared byte by byte with them. */

import { spawnSync } from 'node:child_process';
import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';

export const root = process.env.GITHUB_WORKSPACE ?? process.cwd();
const limits = { timeout: 300_000, maxBuffer: 256 * 1024 * 1024 };
const maxLinks = 40;

/** Something that could not be checked; `problems` have places in files. */
export class CheckError extends Error {
  constructor(message, problems = []) {
    super(message);
    this.problems = problems;
  }
}

export function run(command, args) {
  const { status, stdout, stderr, error, signal } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    ...limits,
  });
  if (error !== undefined) throw new CheckError(`${basename(command)} could not run: ${error.message}`);
  if (status === null) throw new CheckError(`${basename(command)} was ended by ${signal}`);
  return { status, stdout, stderr };
}

function git(...args) {
  return run('git', ['-c', 'core.hooksPath=/dev/null', ...args]);
}

export function commitOf(base) {
  if (base === '' || /^0+$/.test(base))
    throw new CheckError('There is no base to compare with: set the input base to a commit or branch, or to none');
  const { status, stdout } = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`);
  if (status === 0) return stdout.trim();
  throw new CheckError(`The base ${base} is not in this checkout: set fetch-depth: 0 at actions/checkout`);
}

/** A file of a commit, or the target of a symbolic link. Undefined if the commit has neither at this path. */
export function readFrom(commit, path) {
  const tree = git('ls-tree', '-z', commit, '--', `:(literal)${path.split(sep).join('/')}`);
  if (tree.status !== 0) throw new CheckError(`git cannot list the files of ${commit}: ${tree.stderr.trim()}`);
  const [, mode, type, id] = /^(\d+) (\w+) ([0-9a-f]+)\t/.exec(tree.stdout) ?? [];
  if (type !== 'blob') return undefined;
  const { status, stdout, stderr } = git('cat-file', 'blob', id);
  if (status !== 0) throw new CheckError(`git cannot read ${path} of ${commit}: ${stderr.trim()}`);
  return { isLink: mode === '120000', text: stdout };
}

/**
 * True if a file of the checkout, and every symbolic link on the way to it, is the same in the commit. A file outside of
 * the repository is in no commit, so it counts as the same.
 */
export function isSameAsIn(commit, file) {
  return wayTo(file).every(({ path, isLink }) => {
    const inside = relative(realpathSync(root), path);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return true;
    const old = readFrom(commit, inside);
    if (old === undefined || old.isLink !== isLink) return false;
    return lines(old.text) === lines(isLink ? readlinkSync(path) : readFileSync(path, 'utf8'));
  });
}

/** True if a file of the repository is, or is in, a symbolic link. */
export function isThroughLink(file) {
  return relative(realpathSync(root), realpathSync(join(root, file))) !== join(file);
}

/** On Windows, git may check out files with other line ends. */
function lines(text) {
  return text.replaceAll('\r\n', '\n');
}

/** The symbolic links on the way to a file, and the file itself. */
function wayTo(file) {
  const links = [];
  const absolute = resolve(root, file);
  let { root: current } = parse(absolute);
  let names = relative(current, absolute).split(sep);
  while (names.length > 0) {
    const [name, ...rest] = names;
    const path = join(current, name);
    if (!lstatSync(path).isSymbolicLink()) {
      [current, names] = [path, rest];
      continue;
    }
    links.push({ path, isLink: true });
    if (links.length > maxLinks) throw new CheckError(`${file} has too many symbolic links`);
    const target = resolve(current, readlinkSync(path));
    current = parse(target).root;
    names = [...relative(current, target).split(sep).filter(Boolean), ...rest];
  }
  return [...links, { path: current, isLink: false }];
}
