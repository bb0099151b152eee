/** Docs and messages use plain words: phrases that made readers stumble stay out. */

import { describe, expect, it } from 'vitest';
import { commandTable } from '../src/cli/command-table.ts';
import { filesUnder, isNode, parse, read, walk } from './source.ts';

/** Each of these made people read a sentence twice. */
const phrases = new RegExp(
  [
    'whoever',
    'whatever',
    'tells',
    'told',
    'says of',
    '(?:goes|go|going) on',
    'holds',
    'stands',
    'comes along',
    'besides?',
    'dear',
    'as good as',
    'and so (?:is|are)',
    'neither',
    'none of which',
    'at once',
    'by hand',
  ]
    .map((phrase) => `\\b${phrase}\\b`)
    .join('|'),
  'gi',
);
const maxPerThousand = 1;

/** A text without code blocks, code in backticks, and the targets of links. */
function proseOf(text: string): string {
  return text
    .replaceAll(/^(```+).*?^\1\s*$/gms, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/`[^`]*`/g, '');
}

function phrasesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(phrases), ([phrase]) => phrase);
}

/** The texts of several words in a source file, with their lines. */
function messagesOf(path: string): readonly { readonly text: string; readonly line: number }[] {
  const source = read(path);
  const messages: { text: string; line: number }[] = [];
  walk(parse(path, source), (node) => {
    const value = node.type === 'TemplateElement' ? node['value'] : node.type === 'Literal' ? node['value'] : undefined;
    const text = typeof value === 'string' ? value : isCooked(value) ? value.cooked : '';
    if (/\S\s+\S+\s+\S/.test(text)) messages.push({ text, line: source.slice(0, node.start).split('\n').length });
    return isNode(node);
  });
  return messages;
}

function isCooked(value: unknown): value is { readonly cooked: string } {
  return typeof value === 'object' && value !== null && typeof (value as { cooked?: unknown }).cooked === 'string';
}

describe('docs', () => {
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesUnder('docs')].filter(
    (path) => path.endsWith('.md'),
  );

  it(`have at most ${maxPerThousand} phrase of the list in 1,000 words`, () => {
    const proses = pages.map((path) => proseOf(read(path)));
    const words = proses.reduce((sum, prose) => sum + (prose.match(/[\w'’-]+/g) ?? []).length, 0);
    const found = proses.reduce((sum, prose) => sum + phrasesIn(prose).length, 0);
    console.info(`docs: ${found} phrases in ${words} words, ${((1000 * found) / words).toFixed(2)} in 1,000`);
    expect((1000 * found) / words).toBeLessThan(maxPerThousand);
  });
});

describe('messages', () => {
  it('have no phrase of the list', () => {
    const found = sources().flatMap((path) =>
      messagesOf(path)
        .filter(({ text }) => phrasesIn(text).length > 0)
        .map(({ text, line }) => `${path}:${line}: ${text.trim()}`),
    );
    expect(found).toEqual([]);
  });

  it('name commands as people can run them, also where bridle is not on the PATH: with npx', () => {
    const found = sources().flatMap((path) =>
      messagesOf(path)
        .filter(({ text }) => !isExample(path, text) && bareCommand.test(text))
        .map(({ text, line }) => `${path}:${line}: ${text.trim()}`),
    );
    expect(found).toEqual([]);
  });
});

const commands = Object.keys(commandTable).filter((name) => name !== 'hook');
const bareCommand = new RegExp(`(?<!npx )(?<![\\w/.-])bridle (?:${commands.join('|')})\\b`);
/** Sentences that name a command without asking anybody to run it. */
const mentions = [
  /^(?:.* && |.* \| |sudo )?bridle /,
  /written by "bridle /i,
  /"bridle approvals show" starts with/,
  /^bridle journal checkpoint 1$/,
  /which only bridle chat supports/,
  /without the wrapper that bridle install writes/is,
  /bridle doctor`? (?:names such rules|finds it)/,
  /`bridle test` runs them/,
  /\(bridle journal head\)/,
];

/** Examples in the help, and rules about commands, are whole command lines. */
function isExample(path: string, text: string): boolean {
  const isTable = /-commands\.ts$|own-file-rules\.ts$/.test(path);
  return mentions.slice(isTable ? 0 : 1).some((mention) => mention.test(text));
}

function sources(): readonly string[] {
  return filesUnder('src').filter((path) => path.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(path));
}
