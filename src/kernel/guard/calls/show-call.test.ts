/** What a person is shown: the whole final call, nothing unseen, nothing cut without saying so. */

import { ask, confirm, preToolCall, transform, type ApprovalRequest, type ToolDeclaration } from 'bridle';
import { makeVisible } from 'bridle/terminal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs, sample } from '../../../../test/property-runs.ts';
import { only, rig } from '../../../../test/rigs/guard-rig.ts';

/** Everything Unicode calls a control, format, private, unassigned or surrogate character, a separator or ignorable. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]/u;
const anyText = fc.string({ unit: 'binary', maxLength: 60 });
const trickyText = fc
  .array(
    fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\t',
      '\r',
      '⟨',
      '⟩',
      'U+',
      '000A',
      'newline',
      'tab',
      '\u202e',
      '\u200b',
      '\ud800',
      '\u{e0041}',
      '…',
      '\0',
      '\u00a0',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const texts = fc.oneof(anyText, trickyText);

describe('a text made visible', () => {
  it(proves('Q04')('contains nothing invisible except line breaks that are marked first'), () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = makeVisible(text);
        const rest = shown.replaceAll('⟨newline⟩\n', '');
        expect(rest).not.toMatch(unseen);
        expect(rest).not.toMatch(/(?! )\s/u);
        expect(shown).not.toMatch(/ $/);
        expect(shown.isWellFormed()).toBe(true);
      }),
      { numRuns: sample(1000) },
    );
  });

  it(proves('Q04')('is unlike that of any other text, and can be read back'), () => {
    const names: Readonly<Record<string, string>> = { tab: '\t', return: '\r', newline: '\n' };
    const readBack = (shown: string): string =>
      shown
        .replaceAll('⟨newline⟩\n', '⟨newline⟩')
        .replaceAll(/⟨(?:U\+([0-9A-F]+)|(\w+))⟩/g, (_all, code: string | undefined, name = '') =>
          code === undefined ? String(names[name as string]) : String.fromCodePoint(Number.parseInt(code, 16)),
        );
    fc.assert(
      fc.property(texts, (text) => {
        expect(readBack(makeVisible(text))).toBe(text);
      }),
      { numRuns: sample(1000) },
    );
    fc.assert(
      fc.property(trickyText, trickyText, (one, two) => {
        expect(makeVisible(one) === makeVisible(two)).toBe(one === two);
      }),
      { numRuns: sample(1000) },
    );
  });

  it(proves('Q04')('spells out every single character of Unicode that is unseen'), () => {
    const passed: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      const shown = makeVisible(`a${character}b`);
      if (shown === `a${character}b` && (unseen.test(character) || (/\p{Z}/u.test(character) && character !== ' ')))
        passed.push(code.toString(16));
    }
    expect(passed).toEqual([]);
  });

  it(proves('Q04')('leaves what can be seen as it is, in any script'), () => {
    for (const text of ['ls -la | grep "x" && rm -rf ./a', 'Grüße, 世界! שלום مرحبا', '👍🏽 é ﷽', 'a b  c', '']) {
      expect(makeVisible(text)).toBe(text);
    }
  });

  it(proves('Q04')('shows the classic tricks for what they are'), () => {
    expect(makeVisible('yarn\u202e')).toBe('yarn⟨U+202E⟩');
    expect(makeVisible('rm\u00a0-rf\u200b /\u2028x')).toBe('rm⟨U+00A0⟩-rf⟨U+200B⟩ /⟨U+2028⟩x');
    expect(makeVisible('ls\r\nrm\tx\u001b[2K')).toBe('ls⟨return⟩⟨newline⟩\nrm⟨tab⟩x⟨U+001B⟩[2K');
    expect(makeVisible('\u{e0072}\u{e006d}\ufe0f\u3164')).toBe('⟨U+E0072⟩⟨U+E006D⟩⟨U+FE0F⟩⟨U+3164⟩');
    expect(makeVisible('⟨U+202E⟩')).toBe('⟨U+27E8⟩U+202E⟩');
    expect(makeVisible('a.txt  ')).toBe('a.txt⟨U+0020⟩⟨U+0020⟩');
    expect(makeVisible('\ud83d')).toBe('⟨U+D83D⟩');
  });

  it(proves('Q04', 'G12')('does not take long, whatever it is'), () => {
    for (const text of [
      ' '.repeat(1e6),
      `${' '.repeat(1e6)}x`,
      '\u202e'.repeat(1e5),
      '⟨'.repeat(1e5),
      ' \n'.repeat(1e5),
    ]) {
      expect(makeVisible(text).length).toBeGreaterThanOrEqual(text.length);
    }
  });
});

async function shownFor(args: unknown, tool: Partial<ToolDeclaration> = {}): Promise<ApprovalRequest> {
  const asked: ApprovalRequest[] = [];
  const { call } = await rig({
    tools: [{ name: 'act', ...tool }],
    policy: ask('*'),
    approver: (request) => (asked.push(request), true),
  });
  expect((await call('act', args)).type).toBe('ok');
  return only(asked);
}

describe('a call that is shown', () => {
  it(proves('Q04')('is the whole call: title, every argument, one text of it all'), async () => {
    const { shown } = await shownFor({ b: [1, { c: null }], a: 'one\ntwo' });
    expect(shown.title).toBe('act');
    expect(shown.args.map(({ name, text }) => [name, text])).toEqual([
      ['b', '[\n  1,\n  {\n    "c": null\n  }\n]'],
      ['a', 'one⟨newline⟩\ntwo'],
    ]);
    const lines = ['act', '  b: [', '    │   1,', '    │   {', '    │     "c": null', '    │   }', '    │ ]'];
    expect(shown.text).toBe([...lines, '  a: one⟨newline⟩', '    │ two'].join('\n'));
    expect(Object.isFrozen(shown) && Object.isFrozen(shown.args)).toBe(true);
  });

  it(proves('Q04')('has no line that an argument could have forged'), async () => {
    const { shown } = await shownFor({ note: 'hi\n  to: bob', to: 'eve' });
    expect(shown.text.split('\n').filter((line) => line.startsWith('  to: '))).toEqual(['  to: eve']);
  });

  it(proves('Q04')('is the final one, after hooks'), async () => {
    const asked: ApprovalRequest[] = [];
    const { call } = await rig({
      policy: ask('act'),
      hooks: [preToolCall(() => transform({ file: 'after' }), { name: 'change' })],
      approver: (request) => (asked.push(request), true),
    });
    await call('act', { file: 'before' });
    expect(only(asked).shown.text).toBe('act\n  file: after');
  });

  it(proves('Q04')('names the server of a tool'), async () => {
    const asked: ApprovalRequest[] = [];
    const { call } = await rig({
      tools: [{ name: 'act', server: 'files' }],
      servers: [{ name: 'files' }],
      policy: ask('files/act'),
      approver: (request) => (asked.push(request), true),
    });
    await call('act', {}, 'files');
    expect(only(asked).shown.title).toBe('files/act');
  });

  it(proves('Q04')('never cuts a command'), async () => {
    const command = `echo ${'x'.repeat(100_000)}; rm -rf /`;
    const { shown } = await shownFor(
      { line: command, argv: Array.from({ length: 2_000 }, () => 'arg'), other: command },
      { commands: ['line', 'argv'] },
    );
    const [line, argv, other] = shown.args;
    expect(line).toMatchObject({ name: 'line', text: command, missing: 0, full: command });
    expect(argv?.missing).toBe(0);
    expect(shown.text).toContain(command);
    expect(other?.missing).toBeGreaterThan(0);
    expect(other?.full).toBe(command);
  });

  it(proves('Q04')('says how much of a long argument is missing, and has the whole of it'), async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1_980, max: 2_010 }),
        fc.array(fc.constantFrom('x', 'ü', '👍', '\u202e', '\n', '⟨'), { maxLength: 30 }),
        async (length, parts) => {
          const given = 'x'.repeat(length) + parts.join('');
          const { shown } = await shownFor({ text: given });
          const { text, missing, full } = only(shown.args);
          expect(full).toBe(makeVisible(given));
          expect(text.length).toBeGreaterThan(Math.min(full.length, 2_000) - 2);
          expect(full.startsWith(text)).toBe(true);
          expect(text.length + missing).toBe(full.length);
          expect(text.isWellFormed()).toBe(true);
          expect(missing === 0 ? text : shown.text).toBe(
            missing === 0 ? full : `act\n  text: ${text.replaceAll('\n', '\n    │ ')}… [${missing} more characters]`,
          );
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it(proves('Q04')('shows names of arguments like values, and none that could pass for another line'), async () => {
    const { shown } = await shownFor({ 'a\u202eb': 1, 'file: x\n  mode': 'y', plain_name: 'z', '': 'empty' });
    expect(shown.args.map(({ name }) => name)).toEqual(['"a⟨U+202E⟩b"', '"file: x\\n  mode"', 'plain_name', '""']);
    expect(shown.text.split('\n')).toEqual([
      'act',
      '  "a⟨U+202E⟩b": 1',
      '  "file: x\\n  mode": y',
      '  plain_name: z',
      '  "": empty',
    ]);
  });

  it(proves('Q04')('shows two different sets of texts differently'), async () => {
    const args = fc.dictionary(fc.constantFrom('a', 'a: b', 'b', 'a\n  b', '"a"'), trickyText, { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(args, args, async (one, two) => {
        fc.pre([one, two].every((each) => Object.values(each).every((text) => text.isWellFormed())));
        const [first, second] = [await shownFor(one), await shownFor(two)];
        const same = JSON.stringify(first.call.args) === JSON.stringify(second.call.args);
        expect(first.shown.text === second.shown.text).toBe(same);
      }),
      { numRuns: runs(300) },
    );
  });

  it(proves('Q04')('comes with questions in which nothing is unseen either'), async () => {
    const asked: ApprovalRequest[] = [];
    const { call } = await rig({
      policy: ask('act', { reason: ({ args }) => `Delete ${args['file'] as string}?` }),
      hooks: [preToolCall(({ call: { args } }) => confirm(`Sure about ${args['file'] as string}?`), { name: 'sure' })],
      approver: (request) => (asked.push(request), true),
    });
    await call('act', { file: 'x\u202egpj.exe\n\n  file: harmless' });
    expect(only(asked).questions.map(({ text }) => text)).toEqual([
      'Delete x⟨U+202E⟩gpj.exe⟨newline⟩\n⟨newline⟩\n  file: harmless?',
      'Sure about x⟨U+202E⟩gpj.exe⟨newline⟩\n⟨newline⟩\n  file: harmless?',
    ]);
  });
});
