import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BridleEvent } from 'bridle';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { paintWith } from '../output/paint.ts';
import { escapeControls } from '../output/safe-text.ts';
import { Screen } from '../output/screen.ts';
import { textWidth } from '../output/text-width.ts';
import { TextRenderer } from './text-renderer.ts';

/** What a terminal of this width gets for an answer that arrives in pieces. */
function shown(pieces: readonly string[], columns = 80, colours = false): string {
  const output = Object.assign(new PassThrough({ encoding: 'utf8' }), { columns });
  const screen = new Screen(output, paintWith(colours));
  const renderer = new TextRenderer({ answer: screen, notes: screen, layout: 'wrapped' });
  for (const text of pieces) {
    const head = { seq: 0, at: 0, session: 's', turn: 1, step: 1, agent: ['main'] };
    renderer.showEvent({ ...head, type: 'text_delta', text, attempt: 1 } as unknown as BridleEvent);
  }
  renderer.finish();
  return (output.read() as string | null) ?? '';
}

function lines(source: string, columns?: number): readonly string[] {
  return shown([source], columns).trimEnd().split('\n');
}

describe('Markdown on a terminal', () => {
  it('separates blocks with one blank line and removes marks', () => {
    const source =
      '# Title\ntext with **bold**, `code` and snake_case_name\n\n\n- one\n  - two\n1. three\n> quote\n---\nend';
    expect(lines(source)).toEqual([
      'Title',
      '',
      'text with bold, code and snake_case_name',
      '',
      '• one',
      '  • two',
      '1. three',
      '',
      '│ quote',
      '',
      '─'.repeat(40),
      '',
      'end',
    ]);
  });

  it('shows links with their address, and addresses as they are', () => {
    expect(lines('see [the docs](https://a.example/x) or <https://b.example>')).toEqual([
      'see the docs (https://a.example/x) or https://b.example',
    ]);
  });

  it('keeps code exactly, also while the block is open', () => {
    const code = '```ts\nconst a = "**x**";  // # no\n\n\treturn *p;\n';
    expect(shown([code])).toBe('  ts\n  const a = "**x**";  // # no\n\n  \treturn *p;\n');
    expect(lines(`${code}\`\`\`\nafter`)).toEqual([
      '  ts',
      '  const a = "**x**";  // # no',
      '',
      '  \treturn *p;',
      '',
      'after',
    ]);
    expect(shown(['```js\nreturn 1\n```'], 80, true)).toContain('\u001B[36mreturn\u001B[39m \u001B[33m1\u001B[39m');
  });

  it('lays tables out by the width of the screen', () => {
    const table = '| tool | what it does |\n|---|---|\n| `view_file` | reads a file of the folder |\n| 日本 | wide |\n';
    expect(lines(table)).toEqual([
      'tool      │ what it does',
      '──────────┼───────────────────────────',
      'view_file │ reads a file of the folder',
      '日本      │ wide',
    ]);
    expect(lines(table, 30)).toEqual([
      'tool      │ what it does',
      '──────────┼───────────────────',
      'view_file │ reads a file of',
      '          │ the folder',
      '日本      │ wide',
    ]);
    expect(lines(table, 12).join(' ')).toContain('view_file   reads a');
    expect(lines('| no table |\ntext')).toEqual(['| no table |', 'text']);
  });

  it('wraps between words, with the indentation of the block', () => {
    expect(lines('- a list item that is too long for one line', 20)).toEqual([
      '• a list item that',
      '  is too long for',
      '  one line',
    ]);
    expect(lines('これは日本語の長い文章です', 10)).toEqual(['これは日本', '語の長い文', '章です']);
    expect(lines(`see https://example.com/${'x'.repeat(30)} now`, 20)).toHaveLength(3);
  });
});

const word = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  fc.stringMatching(/^[a-zA-Z0-9_äöü日本語]{1,12}$/),
  fc.constantFrom(
    '# ',
    '## x',
    '- ',
    '1. ',
    '> ',
    '```',
    '```ts',
    '~~~',
    '**',
    '*',
    '_',
    '`',
    '|',
    '| a | b |',
    '|---|---|',
  ),
  fc.constantFrom(
    '[a](http://b)',
    '![',
    '](',
    '<https://x>',
    '\\',
    '\t',
    '    ',
    '👩‍👩‍👧',
    '\u001B[31m',
    '\u202E',
    '---',
    '~~',
  ),
);
const source = fc
  .array(fc.tuple(word, fc.constantFrom('', ' ', ' ', '\n', '\n\n')), { maxLength: 40 })
  .map((parts) => parts.flat().join(''));

/** Letters and digits, in order. */
function letters(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '');
}

describe('any text as an answer', () => {
  it(proves('Q04')('is shown with all its letters and no control character, however it is split'), () => {
    fc.assert(
      fc.property(source, fc.array(fc.nat(30)), fc.integer({ min: 10, max: 100 }), (text, cuts, columns) => {
        const pieces: string[] = [];
        let rest = text;
        for (const cut of cuts) {
          pieces.push(rest.slice(0, cut));
          rest = rest.slice(cut);
        }
        const result = shown([...pieces, rest], columns);
        expect(result).toBe(shown([text], columns));
        expect(result).not.toMatch(/(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        // Cells of a table that wrap are side by side, so their letters are not in order.
        const [all, expected] = [letters(result), letters(escapeControls(text))];
        if (text.includes('|')) expect(Array.from(all).toSorted()).toEqual(Array.from(expected).toSorted());
        else expect(all).toBe(expected);
      }),
      { numRuns: runs(200) },
    );
  });

  it('fills the width and never exceeds it, except with a single word', () => {
    const words = fc.array(fc.stringMatching(/^([a-z]{1,14}|[日本語]{1,6}|👍)$/), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        words,
        fc.constantFrom('', '- ', '# ', '> '),
        fc.integer({ min: 12, max: 60 }),
        (each, mark, columns) => {
          for (const line of lines(mark + each.join(' '), columns)) {
            const isOneWord = line.trim().split(' ').length <= 2;
            if (!isOneWord) expect(textWidth(line)).toBeLessThanOrEqual(columns);
          }
        },
      ),
    );
  });
});
