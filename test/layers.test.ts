/** The shape of `src`: imports point down only, the kernel stays small and free of everything around it. */

import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { filesUnder, importsOf, isNode, parse, read, resolveImport, root, walk, type Node } from './source.ts';

/** From top to bottom: a folder imports only folders of lower rows. Folders of later work are listed, too. */
const layers = [
  ['testing', 'cli'],
  ['console', 'gateway', 'adapters', 'fleet', 'terminal'],
  ['hosts'],
  ['agent'],
  ['store', 'policy-files', 'ready-made', 'mcp'],
  ['tools'],
  ['approvals', 'journal'],
  ['facts'],
  ['redact', 'files'],
  ['kernel'],
];
/** The same inside two folders; `.` is the files directly in the folder. */
const inner: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'src/kernel': [['guard'], ['hooks', 'policy'], ['scope', 'catalog', 'records'], ['.']],
  'src/facts': [['paths'], ['shell', 'net'], ['.']],
};
const maxFiles = 18;
/** The lines of the kernel, comments and blank lines included. */
const kernelLines = 8840;
const medianLines = { least: 85, most: 140 };
/** Files of fewer lines with one importer: at most this part of all files. */
const fragmentLines = 45;
const fragmentPart = 0.03;
const rootBytes = 40 * 1024;

const files = filesUnder('src').filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
const texts = new Map(files.map((path) => [path, read(path)]));
const imports = new Map(Array.from(texts, ([path, text]) => [path, importsOf(path, text)]));

function lines(path: string): number {
  return (texts.get(path) ?? '').trimEnd().split('\n').length;
}

function topFolder(path: string): string {
  return path.split('/')[1] ?? '';
}

/** Where in the rows a folder is; -1 if it is in none. */
function rowOf(rows: readonly (readonly string[])[], folder: string): number {
  return rows.findIndex((row) => row.includes(folder));
}

function mayImport(from: string, to: string): boolean {
  const [upper, lower] = [topFolder(from), topFolder(to)];
  if (from === 'src/index.ts') return lower === 'kernel';
  return upper === lower || rowOf(layers, upper) < rowOf(layers, lower);
}

interface FolderEdge {
  readonly parent: string;
  readonly from: string;
  readonly to: string;
}

/** The two children of the lowest common folder between which an import points; `.` is the files of that folder itself. */
function folderEdge([from, to]: readonly [string, string]): FolderEdge {
  const [source, target] = [dirname(from).split('/'), dirname(to).split('/')];
  const different = source.findIndex((part, index) => part !== target[index]);
  const depth = different === -1 ? source.length : different;
  const parent = source.slice(0, depth).join('/');
  return { parent, from: source[depth] ?? '.', to: target[depth] ?? '.' };
}

/** All imports between source files, as [from, to]. */
const edges = Array.from(imports, ([from, specifiers]) =>
  specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => [from, resolveImport(from, specifier)] as const),
).flat();
/** The entry points gather what their folders export; they may look into each of them. */
const folderEdges = edges
  .filter(([from]) => basename(from) !== 'index.ts')
  .map(folderEdge)
  .filter(({ from, to }) => from !== to);

/** Whether imports lead from one child of a folder to another one. */
function reaches(parent: string, start: string, goal: string): boolean {
  const reached = new Set([start]);
  for (const folder of reached)
    for (const edge of folderEdges) if (edge.parent === parent && edge.from === folder) reached.add(edge.to);
  return reached.has(goal);
}

/** The places in `src` where a node of the syntax tree is found faulty. */
function findings(faulty: (node: Node) => boolean): string[] {
  return files.flatMap((path) => {
    const text = texts.get(path) ?? '';
    const found: string[] = [];
    walk(parse(path, text), (node) => {
      if (faulty(node)) found.push(`${path}:${text.slice(0, node.start).split('\n').length}`);
    });
    return found;
  });
}

describe('imports', () => {
  it('know every folder of src', () => {
    const folders = new Set(files.filter((path) => path !== 'src/index.ts').map(topFolder));
    expect([...folders].filter((folder) => rowOf(layers, folder) === -1)).toEqual([]);
  });

  it('point down only', () => {
    expect(edges.filter(([from, to]) => !mayImport(from, to)).map((edge) => edge.join(' -> '))).toEqual([]);
  });

  it('point down only inside the kernel and the facts', () => {
    const upward = folderEdges.filter(({ parent, from, to }) => {
      const rows = inner[parent];
      return rows !== undefined && from !== to && !(rowOf(rows, from) < rowOf(rows, to));
    });
    expect(upward).toEqual([]);
  });

  it('make no cycle between the folders of a folder', () => {
    const cycles = folderEdges.filter((edge) => reaches(edge.parent, edge.to, edge.from));
    expect(cycles).toEqual([]);
  });

  it('name files that exist, and never an entry point', () => {
    const wrong = edges.filter(([, to]) => !texts.has(to) || basename(to) === 'index.ts');
    expect(wrong.map((edge) => edge.join(' -> '))).toEqual([]);
  });

  it('stay inside the kernel from the root entry point on', () => {
    const reached = new Set(['src/index.ts']);
    for (const from of reached) for (const [source, to] of edges) if (source === from) reached.add(to);
    const foreign = [...reached].flatMap((path) =>
      (imports.get(path) ?? []).filter((name) => !name.startsWith('.')).map((name) => `${path} -> ${name}`),
    );
    expect(foreign).toEqual([]);
  });
});

describe('files', () => {
  it(`are at most ${maxFiles} in a folder`, () => {
    const folders = [...new Set(files.map((path) => dirname(path)))];
    const sizes = folders.map((folder) => ({ folder, size: files.filter((path) => dirname(path) === folder).length }));
    expect(sizes.filter(({ size }) => size > maxFiles)).toEqual([]);
  });

  it('are called index.ts at entry points only', () => {
    const entries = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [] : [entry.default],
    );
    const expected = entries.map((path) => path.replace('./dist/', 'src/').replace(/\.js$/, '.ts'));
    expect(files.filter((path) => basename(path) === 'index.ts')).toEqual(expected.toSorted());
  });

  it('have names that say what is inside', () => {
    const drawer = /(^|\/)(utils?|types?|commons?|helpers?)(\.ts)?(\/|$)/;
    expect(filesUnder('src').filter((path) => drawer.test(path))).toEqual([]);
  });

  it('export names one by one', () => {
    expect(findings((node) => node.type === 'ExportAllDeclaration')).toEqual([]);
  });

  it('throw nothing but BridleError', () => {
    const plain = findings((node) => {
      const thrown = node.type === 'ThrowStatement' ? node['argument'] : undefined;
      const thrower = isNode(thrown) ? thrown['callee'] : undefined;
      return isNode(thrower) && /^[A-Z]/.test(String(thrower['name'])) && thrower['name'] !== 'BridleError';
    });
    expect(plain).toEqual([]);
  });

  it('have no empty catch', () => {
    const empty = findings((node) => {
      const body = node.type === 'CatchClause' ? node['body'] : undefined;
      return isNode(body) && Array.isArray(body['body']) && body['body'].length === 0;
    });
    expect(empty).toEqual([]);
  });
});

describe('budgets', () => {
  it(`keep the kernel within ${kernelLines} lines`, () => {
    const parts = files.filter((path) => topFolder(path) === 'kernel' || path === 'src/index.ts');
    const total = parts.reduce((sum, path) => sum + lines(path), 0);
    console.info(`kernel: ${total} lines in ${parts.length} files, at most ${kernelLines}`);
    expect(total).toBeLessThanOrEqual(kernelLines);
  });

  it(`keep the median file between ${medianLines.least} and ${medianLines.most} lines`, () => {
    const sizes = files.map(lines).toSorted((a, b) => a - b);
    const median = sizes[Math.floor(sizes.length / 2)];
    expect(median).toBeGreaterThanOrEqual(medianLines.least);
    expect(median).toBeLessThanOrEqual(medianLines.most);
  });

  it('keep small files with only one importer rare', () => {
    const fragments = files.filter((path) => {
      const importers = new Set(edges.filter(([, to]) => to === path).map(([from]) => from));
      return lines(path) < fragmentLines && importers.size === 1;
    });
    expect(fragments.length / files.length, fragments.join('\n')).toBeLessThan(fragmentPart);
  });

  it(`keep the root entry point under ${rootBytes} bytes, bundled, minified and compressed`, async () => {
    const bytes = await bundledBytes('dist/index.js');
    console.info(`root entry point: ${bytes} bytes gzip, under ${rootBytes}`);
    expect(bytes).toBeLessThan(rootBytes);
  });
});

async function bundledBytes(entry: string): Promise<number> {
  const result = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    // A library build would keep white space; an application build does not.
    build: {
      write: false,
      minify: true,
      rollupOptions: { input: join(root, entry), preserveEntrySignatures: 'strict' },
    },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((part) => ('output' in part ? part.output : []));
  return outputs.reduce((sum, part) => sum + (part.type === 'chunk' ? gzipSync(part.code).length : 0), 0);
}
