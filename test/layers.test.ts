/** The shape of `src`: imports point down only, the kernel stays small and free of everything around it. */

import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { filesUnder, importsOf, isNode, parse, read, resolveImport, root, walk, type Node } from './source.ts';

/** From top to bottom; a folder imports folders of lower rows only. `.` is the files of `src` itself. */
const layers = [
  ['cli'],
  ['server', 'fleet'],
  ['gateway', 'adapters', 'agent'],
  ['store', 'documents', 'stock', 'mcp', 'testing'],
  ['tools'],
  ['guard'],
  ['hooks', 'policy'],
  ['paths'],
  ['shell', 'net'],
  ['scope', 'catalog', 'journal'],
  ['masking'],
  ['.'],
];
const kernel = ['.', 'scope', 'catalog', 'journal', 'hooks', 'policy', 'guard'];
/** The lines of the kernel, comments and blank lines included. */
const kernelLines = 9800;
const medianLines = 100;
const doorBytes = 40 * 1024;

const files = filesUnder('src').filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
const texts = new Map(files.map((path) => [path, read(path)]));
const imports = new Map(Array.from(texts, ([path, text]) => [path, importsOf(path, text)]));

function folderOf(path: string): string {
  return path.split('/').length > 2 ? (path.split('/')[1] ?? '.') : '.';
}

function lines(path: string): number {
  return (texts.get(path) ?? '').trimEnd().split('\n').length;
}

function mayImport(from: string, to: string): boolean {
  if (from === 'src/index.ts') return kernel.includes(folderOf(to));
  const [upper, lower] = [folderOf(from), folderOf(to)];
  if (upper === lower) return true;
  return layerOf(upper) < layerOf(lower);
}

function layerOf(folder: string): number {
  return layers.findIndex((layer) => layer.includes(folder));
}

/** All imports between source files, as [from, to]. */
const edges = Array.from(imports, ([from, specifiers]) =>
  specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => [from, resolveImport(from, specifier)] as const),
).flat();

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
    expect([...new Set(files.map(folderOf))].filter((folder) => layerOf(folder) === -1)).toEqual([]);
  });

  it('point down only', () => {
    expect(edges.filter(([from, to]) => !mayImport(from, to)).map((edge) => edge.join(' -> '))).toEqual([]);
  });

  it('name files that exist, and never a door', () => {
    const wrong = edges.filter(([, to]) => !texts.has(to) || basename(to) === 'index.ts');
    expect(wrong.map((edge) => edge.join(' -> '))).toEqual([]);
  });

  it('stay inside the kernel from the root door on', () => {
    const reached = new Set(['src/index.ts']);
    for (const from of reached) for (const [source, to] of edges) if (source === from) reached.add(to);
    const foreign = [...reached].flatMap((path) =>
      (imports.get(path) ?? []).filter((name) => !name.startsWith('.')).map((name) => `${path} -> ${name}`),
    );
    expect(foreign).toEqual([]);
  });
});

describe('files', () => {
  it('are called index.ts at public doors only', () => {
    const doors = Object.keys(manifest.exports).filter((door) => !door.endsWith('.json'));
    const expected = doors.map((door) => resolveImport('src/index.ts', `${door}/index.ts`));
    expect(files.filter((path) => basename(path) === 'index.ts')).toEqual(expected.toSorted());
  });

  it('are no drawers', () => {
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
    const parts = files.filter((path) => kernel.includes(folderOf(path)) && !usesNode(path));
    const total = parts.reduce((sum, path) => sum + lines(path), 0);
    console.info(`kernel: ${total} lines in ${parts.length} files, at most ${kernelLines}`);
    expect(total).toBeLessThanOrEqual(kernelLines);
  });

  it(`keep the median file under ${medianLines} lines`, () => {
    const sizes = files.map(lines).toSorted((a, b) => a - b);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThan(medianLines);
  });

  it(`keep the root door under ${doorBytes} bytes, bundled, minified and compressed`, async () => {
    const bytes = await bundledBytes('dist/index.js');
    console.info(`root door: ${bytes} bytes gzip, under ${doorBytes}`);
    expect(bytes).toBeLessThan(doorBytes);
  });
});

/** The part of the journal that needs Node is reached through its own door, not through the kernel. */
function usesNode(path: string): boolean {
  return (imports.get(path) ?? []).some((name) => name.startsWith('node:'));
}

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
