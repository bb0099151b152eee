/** What the documents say is true: their code compiles and runs, the paths they name exist, their tables hold. */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCodes } from '../src/errors.ts';
import { runNode, runTsc, type Ended } from './child.ts';
import { programsIn, proseOf, type DocProgram } from './doc-programs.ts';
import { filesUnder, read, root } from './source.ts';

const documents = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'].filter(exists),
  ...(exists('docs') ? filesUnder('docs') : []).filter((path) => path.endsWith('.md')),
];
const programs = documents.flatMap((path) => programsIn(path, read(path)));
/** The `@example`s of the source: compiled, not run. */
const examples = filesUnder('src')
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .flatMap((path) => programsIn(path, read(path).replaceAll(/^ *\/?\*+\/? ?/gm, '')));

/** Inside the repository, so that `bridle` is what package.json exports. */
const workshop = join(root, 'build/docs');
const elsewhere = mkdtempSync(join(tmpdir(), 'bridle-docs-'));
let compilation: Ended | undefined;

function exists(path: string): boolean {
  return existsSync(join(root, path));
}

function nameOf({ path, line }: DocProgram): string {
  return `${path.replaceAll(/[^\w]/g, '-')}-${line}`;
}

beforeAll(async () => {
  rmSync(workshop, { recursive: true, force: true });
  mkdirSync(workshop, { recursive: true });
  const all = [...programs, ...examples];
  for (const program of all) writeFileSync(join(workshop, `${nameOf(program)}.ts`), program.code);
  if (all.length === 0) return;
  const compilerOptions = {
    composite: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    noPropertyAccessFromIndexSignature: false,
    rootDir: '.',
    outDir: 'out',
  };
  const project = { extends: '../../tsconfig.base.json', compilerOptions, include: ['*.ts'] };
  writeFileSync(join(workshop, 'tsconfig.json'), JSON.stringify(project));
  compilation = await runTsc(['-p', '.', '--pretty', 'false'], workshop);
});

afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

describe('the code in the documents', () => {
  it('is there in the README', () => {
    expect(programs.some((program) => program.path === 'README.md')).toBe(true);
  });

  it('compiles', () => {
    expect(compilation?.output ?? '').toBe('');
  });

  const running = programs.filter((program) => program.runs);
  it.concurrent.for(running.map((program) => [`${program.path}:${program.line}`, program] as const))(
    'runs: %s',
    async ([, program], { expect: expectHere }) => {
      const child = await runNode([join(workshop, 'out', `${nameOf(program)}.js`)], elsewhere);
      expectHere(child.code, child.output).toBe(0);
      if (program.output !== undefined) expectHere(child.stdout.trim()).toBe(program.output.trim());
    },
  );
});

describe('the paths in the documents', () => {
  it('exist', () => {
    const missing = documents.flatMap((path) =>
      pathsIn(path, proseOf(read(path)))
        .filter((named) => !exists(named))
        .map((named) => `${path}: ${named}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('docs/reference/errors.md', () => {
  it('lists exactly the codes of src/errors.ts', () => {
    const rows = read('docs/reference/errors.md').matchAll(/^\| *`([A-Z_]+)` *\| *(.*?) *\|$/gm);
    expect(Object.fromEntries(Array.from(rows, ([, code, sentence]) => [code, sentence]))).toEqual(errorCodes);
  });
});

/** Link targets, from the folder of the document, and `code` that looks like a path, from the root. */
function pathsIn(document: string, prose: string): string[] {
  const links = Array.from(prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g), ([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => posix.join(posix.dirname(document), target));
  const named = Array.from(prose.matchAll(/`((?:src|docs|test|examples|bench|\.ci)\/[\w./-]*)(?::\d+)?`/g));
  return [...links, ...named.map(([, path = '']) => path)];
}
