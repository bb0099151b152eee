/** The folder that followed lines run in: links in every direction, odd names, and the same names at many places. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listed } from './listed.ts';

/** A line starts in `work`. The folders around it catch a line that goes up further than it should. */
export const area = 'd/d/d/d/d/d/d/d/area';

/** Each holds a token of its own, so that whatever prints it has read it. A wrong folder finds a file as well. */
const files = listed(
  String.raw`.env ¦ .hidden.ts ¦ a.ts ¦ b.ts ¦ README.md ¦ src/a.ts ¦ src/index.ts ¦ src/util.ts ¦ src/.env`,
  String.raw`src/deep/a.ts ¦ src/deep/x.ts ¦ src/deep/.env ¦ sub/a.ts ¦ sub/b.ts ¦ sub/.env ¦ sub/src/index.ts`,
  String.raw`sub/src/a.ts ¦ sub/sub/a.ts ¦ sub/sub/.env ¦ locked/a.ts ¦ docs/a.md ¦ docs/b.md ¦ e.d/keep ¦ odd/a`,
  String.raw`odd/a .env b.ts ¦ odd/two words.ts ¦ odd/it's.ts ¦ odd/say "hi".ts ¦ odd/back\slash.ts ¦ odd/new
line.ts`,
  String.raw`odd/*.ts ¦ odd/[ab].ts ¦ odd/a.ts ¦ odd/? ¦ odd/-n ¦ odd/-f.ts ¦ odd/~ ¦ odd/~a.ts ¦ odd/$f.ts`,
  String.raw`odd/{a,b}.ts ¦ odd/é.ts ¦ odd/;a.ts ¦ odd/#a.ts ¦ odd/.env ¦ odd/x=y.ts ¦ mixed/ok.ts ¦ mixed/no .env no.ts`,
  String.raw`mixed/.env ¦ ../a.ts ¦ ../.env ¦ ../src/index.ts ¦ ../src/a.ts ¦ ../outside/.env ¦ ../outside/a.ts`,
  String.raw`../outside/keep.ts ¦ ../outside/src/index.ts ¦ ../outside/sub/a.ts ¦ ../home/.env ¦ ../home/a.ts`,
  String.raw`../home/src/a.ts ¦ ../home/sub/a.ts`,
);

/** Name and target. */
const links = [
  ['src/link.ts', '../.env'],
  ['src/up', '..'],
  ['src/out.ts', '../../outside/keep.ts'],
  ['lib', 'src'],
  ['here', '.'],
  ['out', '../outside'],
  ['deep', 'src/deep'],
  ['sub/back', '../src'],
  ['sub/env.ts', '.env'],
  ['dangling.ts', 'nowhere/x.ts'],
  ['gone', 'made'],
  ['round', 'about'],
  ['about', 'round'],
  ['docs/c.md', '../odd/a .env b.ts'],
  ['e.d/l', '../.env'],
  ['odd/sub', '../sub'],
  ['../home/work', '../work'],
  ['../outside/in', '../work/src'],
] as const;

/** Another name for the same file. */
const hardLinks = [
  ['hard.ts', '.env'],
  ['src/twin.ts', 'a.ts'],
] as const;

/** Files whose text is used by lines, with the token as a last line of its own. */
const texts: Readonly<Record<string, string>> = {
  'list.txt': 'src/index.ts\n.env\n',
  'nul.txt': 'a.ts\0.env\0',
  'go.sh': 'cd sub\n',
  'show.sh': 'cat a.ts\n',
};

const folders = ['empty', '../empty'] as const;

const tokenOf = (index: number): string => `tk${String(100 + index)}x`;
const named = [...files, ...Object.keys(texts)];

/** By token, the file that holds it, relative to where a line starts. */
export const tokens: ReadonlyMap<string, string> = new Map(named.map((path, index) => [tokenOf(index), path]));

/** By name, the other name of the same file. */
export const twins: ReadonlyMap<string, string> = new Map(
  hardLinks.flatMap(([name, other]) => [
    [name, other],
    [other, name],
  ]),
);

/** Every entry. */
export const entries: readonly string[] = [
  ...named,
  ...links.map(([name]) => name),
  ...hardLinks.map(([name]) => name),
];

/** Files whose names every pattern can hold. */
export const ordinaryFiles: readonly string[] = files.filter((path) => !path.startsWith('odd/'));

export function makeTree(top: string): void {
  const work = join(top, area, 'work');
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
  };
  for (const [index, [token, path]] of [...tokens].entries()) {
    put(path, `${texts[path] ?? ''}${path === 'go.sh' ? '# ' : ''}${token}\n`);
    // No two are equal in time and size, so that one that takes the place of another is seen.
    utimesSync(join(work, path), 1_000_000_000, 1_000_000_000 + index);
  }
  // A name that is not valid UTF-8, in its own folder.
  put('raw/a.ts', 'raw\n');
  writeFileSync(Buffer.from(`${work}/raw/\u00ff.ts`, 'latin1'), 'raw\n');
  for (const folder of folders) mkdirSync(join(work, folder));
  for (const [name, target] of links) symlinkSync(target, join(work, name));
  for (const [name, other] of hardLinks) linkSync(join(work, other), join(work, name));
  makeRepository(work);
  chmodSync(join(work, 'locked'), 0o000);
}

/** What `git ls-files` needs. Its objects are left out: they are many files, and no line asks for them. */
function makeRepository(work: string): void {
  mkdirSync(join(work, '.git/objects'), { recursive: true });
  mkdirSync(join(work, '.git/refs'));
  writeFileSync(join(work, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(work, '.git/config'), '[core]\n\trepositoryformatversion = 0\n\tbare = false\n');
  writeFileSync(join(work, '.gitignore'), 'docs\n*.md\n');
  try {
    execFileSync('git', ['add', '.'], { cwd: work, stdio: 'ignore' });
    execFileSync('rm', ['-rf', '.git/objects'], { cwd: work });
    mkdirSync(join(work, '.git/objects'));
  } catch (error) {
    // Without git, its lines do nothing.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

/** A folder without read permission cannot be deleted. */
export function removeTree(top: string): void {
  spawnSync('chmod', ['-R', 'u+rwX', top], { stdio: 'ignore' });
  rmSync(top, { recursive: true, force: true });
}
