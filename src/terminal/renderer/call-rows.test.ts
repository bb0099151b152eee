/** No text of a call, a tool or a file can draw a row that looks like a line of Bridle. */

import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BridleEvent } from 'bridle';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { paintWith } from '../output/paint.ts';
import { Screen } from '../output/screen.ts';
import { textWidth } from '../output/text-width.ts';
import { denialText } from './call-line.ts';
import { TextRenderer } from './text-renderer.ts';

interface Shown {
  readonly events: readonly object[];
  readonly columns: number;
  readonly details?: boolean;
}

/** The rows on a screen of this width. */
function rowsOf({ events, columns, details = false }: Shown): readonly string[] {
  const output = Object.assign(new PassThrough({ encoding: 'utf8' }), { columns });
  const screen = new Screen(output, paintWith(false));
  const renderer = new TextRenderer({ answer: screen, notes: screen, layout: 'wrapped', cwd: '/project', details });
  const facts = { seq: 0, at: 0, session: 's', turn: 1, step: 1, agent: ['main'], callId: 'c' };
  for (const event of events) renderer.showEvent({ ...facts, ...event } as unknown as BridleEvent);
  renderer.finish();
  return ((output.read() as string | null) ?? '').trimEnd().split('\n');
}

const fake = '✓ $ npm test  in ~/project  3 ms';
const tool = 'run_command';

function callOf(args: object): readonly object[] {
  return [
    { type: 'tool_requested', tool, args },
    { type: 'tool_started', tool, args, rule: undefined },
  ];
}

function settled(body: object = {}): object {
  return { type: 'tool_settled', tool, outcome: 'ok', elapsedMs: 3, ...body };
}

/** Pieces of a text that tries to fill a row and to start the next one with a line of Bridle. */
const hostile = fc
  .array(fc.constantFrom(fake, '✗ ', '● ', 'x', 'word ', ' ', '        ', '\u2800', '\u3000', '\n', '\t', '界'), {
    maxLength: 40,
  })
  .map((pieces) => pieces.join(''));
const columns = fc.integer({ min: 40, max: 100 });

/** Rows that look like lines of Bridle. */
function faked(rows: readonly string[]): readonly string[] {
  return rows.filter((row) => /^\s*[✓✗●]/u.test(row));
}

describe('the rows of a call', () => {
  it('mark the further rows of a command, and show what does not fit below it', () => {
    const command = `echo ${'x'.repeat(31)}${fake}\nsecond`;
    expect(rowsOf({ events: [...callOf({ command_line: command }), settled()], columns: 40 })).toEqual([
      `✓ $ echo ${'x'.repeat(31)}`,
      '    │ ✓ $ npm test  in ~/project  3 ms',
      '    │ second  in /project  3 ms',
    ]);
    const padded = `true;${' '.repeat(500)}${fake}`;
    expect(rowsOf({ events: [...callOf({ command_line: padded }), settled()], columns: 40 })).toEqual([
      '✓ $ true;⟨500 spaces⟩✓ $ npm test  in ',
      '    │ ~/project  3 ms  in /project  3 ms',
    ]);
  });

  it('show the whole name of a file if a row has room for it, and notes below', () => {
    const file = { tool: 'view_file', args: { file_path: 'a-long-name-of-a-file.txt' } };
    const shown = (columns: number): readonly string[] =>
      rowsOf({ events: [{ type: 'tool_requested', ...file }, settled({ ...file, elapsedMs: 12_000 })], columns });
    expect(shown(60)).toEqual(['✓ view_file a-long-name-of-a-file.txt  12.0 s']);
    expect(shown(40)).toEqual(['✓ view_file a-long-name-of-a-file.txt', '  12.0 s']);
    expect(shown(30)).toEqual(['✓ view_file a-long-na…  12.0 s']);
  });

  it(proves('Q04')('never look like another call, whatever the command, its folder, output or error is'), () => {
    fc.assert(
      fc.property(hostile, columns, (text, width) => {
        const calls = [
          [...callOf({ command_line: `a${text}` }), settled()],
          [...callOf({ command_line: 'a', working_dir: `b${text}` }), settled()],
          [...callOf({ command_line: 'a' }), { type: 'tool_output', tool, text }, settled()],
          [...callOf({ command_line: 'a' }), settled({ outcome: 'error', error: text })],
          [...callOf({ command_line: 'a' }), { type: 'tool_denied', tool, reason: `b${text}`, rule: undefined }],
        ];
        for (const events of calls) {
          const rows = rowsOf({ events, columns: width });
          expect(faked(rows)).toHaveLength(1);
          expect(Math.max(...rows.map(textWidth))).toBeLessThanOrEqual(width);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it(proves('Q04')('never look like another call with details'), () => {
    fc.assert(
      fc.property(hostile, columns, (text, width) => {
        const changed = [
          { type: 'tool_requested', tool, args: {} },
          { type: 'tool_started', tool, args: { command_line: text }, rule: undefined },
        ];
        const rows = rowsOf({ events: [...changed, settled()], columns: width, details: true });
        expect(faked(rows)).toEqual(['● run_command', '  ✓ run_command: allowed'].filter((row) => rows.includes(row)));
      }),
      { numRuns: runs(200) },
    );
  });
});

it('a person’s reason ends with a full stop before the rule that asked', () => {
  const rule = { name: 'pushes', effect: 'ask', target: '*', bucket: 7, at: 'bridle.yaml:3' } as const;
  const denial = { tool, server: undefined, rule, hook: undefined } as const;
  const asked = 'Rule "pushes" (bridle.yaml:3) asked about it.';
  expect(denialText({ ...denial, reason: 'not now', callId: 'c' })).toBe(`Denied run_command: not now. ${asked}`);
  expect(denialText({ ...denial, reason: 'Why?', callId: 'c' })).toBe(`Denied run_command: Why? ${asked}`);
});
