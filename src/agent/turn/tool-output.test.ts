import { allowAll, type BridleEvent, onEvent } from 'bridle';
import { createAgent } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { CallOutput } from '../../tools/definition/call-output.ts';

/** What is reported for pieces of output. */
function reported(pieces: readonly string[]): readonly string[] {
  const texts: string[] = [];
  const output = new CallOutput((text) => void texts.push(text));
  for (const piece of pieces) output.push(piece);
  return texts;
}

describe('output while a tool runs', () => {
  it('is reported in whole lines, however it arrives', () => {
    expect(reported(['a\nb', 'c\r\nd', '\re', '\n'])).toEqual(['a', 'bc', 'd', 'e']);
    const pieces = fc.array(fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', '\n') }));
    fc.assert(
      fc.property(pieces, (all) => {
        const shown = reported([...all, '\n'])
          .join('\n')
          .replaceAll(/\n+/g, '\n')
          .replaceAll(/^\n|\n$/g, '');
        return (
          shown ===
          all
            .join('')
            .replaceAll(/\n+/g, '\n')
            .replaceAll(/^\n|\n$/g, '')
        );
      }),
      { numRuns: runs(100) },
    );
  });

  it('is bounded: a long line is left out, and after 256 KiB nothing more is reported', () => {
    expect(reported(['x'.repeat(20_000), 'x\nnext\n'])).toEqual(['[a line of more than 16384 characters]\nnext']);
    const flood = reported(Array.from({ length: 400 }, () => `${'x'.repeat(1023)}\n`));
    expect(flood).toHaveLength(257);
    expect(flood.at(-1)).toContain('not reported');
  });

  it(proves('R10')('of a command comes as events, with secrets masked, between its start and its end'), async () => {
    const events: BridleEvent[] = [];
    const command_line = "printf 'one\\nhunter2hunter2\\nhalf' # --token=hunter2hunter2";
    const model = scriptedModel([{ toolCalls: [{ tool: 'run_command', args: { command_line } }] }, 'done']);
    const watch = onEvent((event) => void events.push(event), { name: 'watch' });
    const agent = await createAgent({ model, policy: allowAll(), hooks: [watch] }).start();
    await agent.chat('go');
    await agent.stop();
    const ofCall = events.filter((event) => event.type.startsWith('tool_'));
    expect(ofCall.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['tool_requested', 'tool_started', 'tool_output', 'tool_settled']),
    );
    expect(ofCall.at(-1)?.type).toBe('tool_settled');
    const text = ofCall.flatMap((event) => (event.type === 'tool_output' ? [event.text] : [])).join('\n');
    expect(text).toMatch(/^one\n\[masked:14:\w+\]\nhalf$/);
  });
});
