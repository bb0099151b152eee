/** Readers find every page, every link leads somewhere, and pages start with the result. */

import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { blocksIn, filledIn, flagsOf, proseOf } from './doc-programs.ts';
import { filesUnder, read, root } from './source.ts';

const pages = filesUnder('docs').filter((path) => /\.(md|txt)$/.test(path));
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'bench/README.md',
  'examples/README.md',
  ...pages.filter((path) => path.endsWith('.md')),
];

interface Link {
  /** The document that contains the link. */
  readonly from: string;
  /** A path from the root. */
  readonly path: string;
  readonly anchor: string | undefined;
}

/** The links to files of the repository. */
function linksIn(document: string): Link[] {
  const prose = proseOf(read(document)).replaceAll(/`[^`\n]*`/g, '`');
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      return { from: document, path: path === '' ? document : posix.join(posix.dirname(document), path), anchor };
    });
}

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(document: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(read(document)).matchAll(/^#{1,6} +(.*?) *$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    let unique = anchor;
    for (let copy = 1; anchors.has(unique); copy++) unique = `${anchor}-${copy}`;
    anchors.add(unique);
  }
  return anchors;
}

describe('the links in the documents', () => {
  const links = documents.flatMap(linksIn);

  it('lead to files and headings that exist', () => {
    expect(links.length).toBeGreaterThan(100);
    const broken = links.filter(({ path, anchor }) => {
      if (!existsSync(join(root, path))) return true;
      return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('lead from docs/index.md to every page', () => {
    const linked = new Set(linksIn('docs/index.md').map(({ path }) => path));
    expect(pages.filter((path) => path !== 'docs/index.md' && !linked.has(path))).toEqual([]);
  });

  it('lead from the README to pages for readers, not into the tests', () => {
    expect(linksIn('README.md').filter(({ path }) => path.startsWith('test/'))).toEqual([]);
  });
});

describe('README.md', () => {
  it('is short', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(215);
  });
});

describe('a guide', () => {
  const guides = pages.filter((path) => path.startsWith('docs/guides/'));

  it.each(guides)('starts with the result, and has code within the first screen: %s', (path) => {
    const lines = read(path).split('\n');
    expect(lines[0]).toMatch(/^# /);
    expect(lines[2], 'a sentence that says what the reader gets done').toMatch(/^(?!```)[\p{Lu}`[]/u);
    expect(blocksIn(path, read(path))[0]?.line ?? Infinity).toBeLessThanOrEqual(12);
  });
});

describe('the screens in the documents', () => {
  const screens = documents
    .flatMap((path) => blocksIn(path, read(path), ['text']))
    .flatMap((block) => flagsOf(block, 'screen').map((name) => ({ name, block })));

  it.each(screens.map(({ name, block }) => [`${block.path}:${block.line}`, name, block] as const))(
    'are screens that the tests of the terminal see: %s',
    (_, name, { text }) => {
      const screen = read(`test/cli/screens/${name}.txt`).replaceAll(/^│/gm, '').trim();
      expect(filledIn(text.trim(), screen)).toBe(screen);
    },
  );
});

describe('docs/reference/benchmarks.md', () => {
  const units: Readonly<Record<string, number>> = { ns: 1, µs: 1e3, ms: 1e6, B: 1, kB: 1e3, MB: 1e6 };
  const kinds: Readonly<Record<string, string>> = { B: 'size', kB: 'size', MB: 'size' };

  /** Figures with a unit; `slack` is half a unit of the last digit. `33–52 ns` are two figures. */
  function figuresIn(text: string) {
    const matches = text.matchAll(/(\d[\d.,]*)(?=(?:–\d[\d.,]*)? ?(ns|µs|ms|B|kB|MB)(?!\w))/g);
    return Array.from(matches, ([shown, amount = '', unit = '']) => {
      const scale = units[unit] ?? 1;
      const decimals = amount.split('.')[1]?.length ?? 0;
      const size = Number(amount.replaceAll(',', '')) * scale;
      return { shown: `${shown} ${unit}`, kind: kinds[unit] ?? 'time', size, slack: 0.501 * scale * 10 ** -decimals };
    });
  }

  it('has the figures of bench/RESULTS.md, rounded', () => {
    const measured = figuresIn(read('bench/RESULTS.md'));
    const table =
      read('docs/reference/benchmarks.md')
        .match(/^\|.*\|$/gm)
        ?.join('\n') ?? '';
    const shown = figuresIn(table);
    expect(shown.length).toBeGreaterThan(50);
    const unknown = shown.filter(
      ({ kind, size, slack }) =>
        !measured.some((one) => one.kind === kind && Math.abs(one.size - size) <= slack + one.slack),
    );
    expect(unknown.map((one) => one.shown)).toEqual([]);
  });
});

describe('docs/reference/packages.md', () => {
  it('lists every entry point', () => {
    const [, ...rows] = read('docs/reference/packages.md')
      .split('\n| `bridle')
      .map((row) => `bridle${row.split('|')[0]}`);
    const listed = rows
      .flatMap((row) => row.replaceAll('`', '').trim().split(' · '))
      .map((name) => name.replace(/^bridle\/?/, ''));
    const entryPoints = Object.keys(manifest.exports).filter((name) => !name.endsWith('.json'));
    expect(entryPoints.map((name) => name.slice(2)).filter((name) => !listed.includes(name))).toEqual([]);
  });
});
