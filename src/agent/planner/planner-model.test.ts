/**
 * The built-in planner: it calls only listed tools, reports their results, and says what it is.
 */

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import { builtinTools } from 'bridle/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { plannerModel } from './planner-model.ts';

const everyTool = builtinTools.map(({ name }) => name);
const model = plannerModel();

function user(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

type Options = Partial<LanguageModelV4CallOptions>;

function listing(names: readonly string[]): Options {
  return { tools: names.map((name) => ({ type: 'function', name, inputSchema: {} })) };
}

const all = listing(everyTool);

function json(schema: object): Options {
  return { ...all, responseFormat: { type: 'json', schema } };
}

async function reply(prompt: readonly LanguageModelV4Message[], options: Options = all) {
  const { content, finishReason, usage } = await model.doGenerate({ prompt: [...prompt], ...options });
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const calls = content.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
  return { text, calls, finishReason: finishReason.unified, usage };
}

/** Runs a request to its end, with results from the table. */
async function play(text: string, outputs: readonly LanguageModelV4ToolResultOutput[], options: Options = all) {
  const prompt = [user(text)];
  const made: string[] = [];
  for (;;) {
    const { text: answer, calls } = await reply(prompt, options);
    if (calls.length === 0) return { answer, made };
    prompt.push({
      role: 'assistant',
      content: calls.map(({ toolCallId, toolName, input }) => ({
        type: 'tool-call',
        toolCallId,
        toolName,
        input: JSON.parse(input) as unknown,
      })),
    });
    const results = calls.map(({ toolCallId, toolName }) => {
      const output = outputs[made.push(`${toolCallId} ${toolName}`) - 1] ?? { type: 'text', value: 'fine' };
      return { type: 'tool-result' as const, toolCallId, toolName, output };
    });
    prompt.push({ role: 'tool', content: results });
  }
}

describe('the planner calls', () => {
  it(proves('A03', 'A11')('the requested tools, with consecutive ids'), async () => {
    const { calls, finishReason } = await reply([user('read a.txt and b.txt')]);
    expect(finishReason).toBe('tool-calls');
    expect(calls.map(({ toolCallId, input }) => `${toolCallId} ${input}`)).toEqual([
      'call-1 {"file_path":"a.txt"}',
      'call-2 {"file_path":"b.txt"}',
    ]);
    const { made } = await play('read a.txt and b.txt; list src; run ls', []);
    expect(made).toEqual(['call-1 view_file', 'call-2 view_file', 'call-3 list_directory', 'call-4 run_command']);
  });

  it(proves('A03', 'A11')('no tool that is not listed, and says so before it starts'), async () => {
    const { text, calls } = await reply([user('read a.txt then run ls')], listing(['view_file', 'list_directory']));
    expect(calls).toEqual([]);
    expect(text).toBe(
      'That needs the tool run_command, which is not available here. I have: list_directory, view_file.',
    );
    expect((await reply([user('read a.txt')], {})).text).toContain('I have no tools here.');
    expect((await reply([user('read a.txt')], { ...all, toolChoice: { type: 'none' } })).calls).toEqual([]);
  });

  it(proves('A03')('server tools by their listed name'), async () => {
    const named = listing(['mcp_files_stat']);
    const { calls } = await reply([user('call mcp_files_stat with {"path": "a"}')], named);
    expect(calls).toMatchObject([{ toolName: 'mcp_files_stat', input: '{"path":"a"}' }]);
    expect((await reply([user('call mcp_files_statt with {"path": "a"}')], named)).text).toContain('mcp_files_statt');
  });

  it(proves('A03')('nothing more after compaction removed the request, and says so'), async () => {
    const { calls, text } = await reply([
      user('Summary of the conversation so far:\nmuch\n\nThe current request:\nrun a; run b; run c'),
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: '1', toolName: 'run_command', input: { command_line: 'b' } }],
      },
    ]);
    expect(calls).toEqual([]);
    expect(text).toMatch(/^Running b failed: it has no result\n\nThe original request is no longer/);
  });

  it(proves('A03')('only for the last message of the user'), async () => {
    const { calls } = await reply([user('run rm -rf /'), { role: 'assistant', content: [] }, user('list src')]);
    expect(calls.map(({ toolName }) => toolName)).toEqual(['list_directory']);
  });
});

describe('the planner reports', () => {
  it.each<[string, LanguageModelV4ToolResultOutput, string]>([
    ['read a.txt', { type: 'text', value: 'one\ntwo\n' }, 'Read a.txt:\n  one\n  two'],
    ['read a.ts', { type: 'text', value: '     9\ta\tb\n    10\tc' }, 'Read a.ts:\n       9  a\tb\n      10  c'],
    [
      'search x in src',
      { type: 'text', value: '[id].ts\n  3:x\nb/c.ts\n  4:x\n[cut after 2 lines: narrow the search]' },
      'Searched for x:\n  src/[id].ts\n    3:x\n  src/b/c.ts\n    4:x\n  [cut after 2 lines: narrow the search]',
    ],
    ['search x in src', { type: 'text', value: 'Nothing was found.' }, 'Searched for x:\n  Nothing was found.'],
    ['create a.txt with x', { type: 'text', value: '' }, 'Created a.txt.'],
    ['list src', { type: 'json', value: ['a', 'b'] }, 'Listed src:\n  a\n  b'],
    [
      'run ls',
      { type: 'json', value: { exit_code: 0, stdout: 'a\nb', files: [] } },
      'Ran ls:\n  exit_code: 0\n  stdout:\n    a\n    b\n  files: none',
    ],
    ['run ls', { type: 'execution-denied', reason: 'not today' }, 'Running ls was denied: not today'],
    ['run ls', { type: 'execution-denied' }, 'Running ls was denied: no reason was given'],
    ['read a.txt', { type: 'error-text', value: 'no such file' }, 'Reading a.txt failed: no such file'],
    ['use finish', { type: 'error-json', value: { code: 7 } }, 'Calling finish failed: code: 7'],
    [
      'read a.png',
      { type: 'content', value: [{ type: 'file', mediaType: 'image/png', data: { type: 'text', text: '' } }] },
      'Read a.png:\n  (media that I cannot read)',
    ],
  ])(proves('A03')('what came of it: %s, %o'), async (request, output, answer) => {
    expect((await play(request, [output])).answer).toBe(answer);
  });

  it(proves('A03')('the start of a long result'), async () => {
    const { answer } = await play('read a.txt', [{ type: 'text', value: 'line\n'.repeat(2100) }]);
    expect(answer.split('\n')).toHaveLength(2002);
    expect(answer).toMatch(/… 100 more lines$/);
  });

  it(proves('A03')('only requests that the available tools support'), async () => {
    const { text } = await reply([user('help')], listing(['view_file']));
    expect(text.split('\n').filter((line) => line.startsWith('  '))).toEqual([
      '  what is in README.md',
      '  show me lines 10-20 of README.md',
      '  read README.md',
      '  call some_tool with {"key": "value"}',
    ]);
    expect((await reply([user('help')])).text).toContain('delegate to researcher');
    expect((await reply([user('help')], {})).text).toContain('I have no tools here');
  });

  it(
    proves('A03')('the steps it skipped because the previous one failed, and continues with independent steps'),
    async () => {
      const denied: LanguageModelV4ToolResultOutput = { type: 'execution-denied', reason: 'no' };
      const { answer, made } = await play('run ls then read a.txt then read b.txt; list src', [denied]);
      expect(made).toEqual(['call-1 run_command', 'call-2 list_directory']);
      expect(answer).toBe(
        'Running ls was denied: no\n\nListed src:\n  fine\n\nSkipped because the previous step failed: Reading a.txt; Reading b.txt.',
      );
    },
  );

  it.each(['hi', 'what can you do?', '', '…'])(proves('A03')('what it is, and all it can do: %s'), async (message) => {
    const { text, calls } = await reply([user(message)]);
    expect(calls).toEqual([]);
    expect(text).toContain("Bridle's small built-in planner, not a language model");
    expect(text).toContain('--model anthropic/<id>');
    expect(text).toContain('fetch https://example.com');
  });

  it.each(['write me a poem', 'Was ist das?', 'git status'])(
    proves('A03')('what it is, and how to get more: %s'),
    async (message) => {
      const { text, calls } = await reply([user(message)]);
      expect(calls).toEqual([]);
      const isCommand = message === 'git status';
      expect(text.split('\n')).toEqual([
        `I do not understand "${message}". I have done nothing.`,
        '',
        ...(isCommand ? ['To run it, type: run git status'] : []),
        "I am Bridle's small built-in planner, not a language model: I match keywords.",
        'Try: list src · read README.md · create notes.txt with hello world · run `ls -la` (for all requests: help)',
        'For a real model: npm install @ai-sdk/anthropic, set ANTHROPIC_API_KEY, and use --model anthropic/<id>.',
      ]);
    },
  );

  it(proves('A03')('a summary of selected lines, if no tools are listed'), async () => {
    const { answer } = await play('hi', [], {});
    const prompt: LanguageModelV4Message[] = [
      { role: 'system', content: 'be kind' },
      user('read a.txt'),
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: '1', toolName: 'view_file', input: { file_path: 'a.txt' } }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: '1', toolName: 'view_file', output: { type: 'text', value: 'hello' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: answer.slice(0, 10) }] },
      user('Summarize the conversation so far.'),
    ];
    expect((await reply(prompt, {})).text).toBe(
      "Lines selected by Bridle's built-in planner:\nAsked: read a.txt\nRead a.txt: hello\nAnswered: I am Bridl",
    );
  });
});

describe('the planner answers in JSON', () => {
  it(proves('A03')('without a particular form if there is no schema'), async () => {
    const { text } = await reply([user('sing')], { ...all, responseFormat: { type: 'json' } });
    expect(JSON.parse(text)).toEqual({ text: (await reply([user('sing')])).text });
  });

  it(proves('A03')('after its calls, and says that it cannot follow a schema'), async () => {
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const { answer, made } = await play('read package.json', [], json(schema));
    expect(made).toEqual(['call-1 view_file']);
    expect(answer).toMatch(/^I cannot answer in the form of a schema/);
  });
});

describe('the planner as a model', () => {
  it(proves('A03')('streams word by word the same text as without streaming'), async () => {
    const options = { prompt: [user('hi')], ...all };
    const parts: LanguageModelV4StreamPart[] = [];
    for await (const part of (await model.doStream(options)).stream) parts.push(part);
    const deltas = parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : []));
    expect(deltas.slice(0, 3)).toEqual(['I ', 'am ', "Bridle's "]);
    expect(deltas.join('')).toBe((await reply(options.prompt)).text);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'stop' } });
    expect(`${model.provider}/${model.modelId}`).toBe('bridle/planner');
  });

  it(proves('A03')('counts tokens roughly, more for more'), async () => {
    const { usage: less } = await reply([user('read a.txt')], listing(['view_file']));
    const { usage: more } = await reply([user('read a.txt'.padEnd(4010))], listing(['view_file']));
    expect(less.inputTokens.total).toBeGreaterThan(0);
    expect(less.outputTokens.total).toBeGreaterThan(0);
    expect((more.inputTokens.total ?? 0) - (less.inputTokens.total ?? 0)).toBe(1000);
  });

  it(proves('A03')('stops on an abort, before and during the stream'), async () => {
    const abortError = { name: 'AbortError' };
    const options = { prompt: [user('hi')] };
    await expect(model.doStream({ ...options, abortSignal: AbortSignal.abort() })).rejects.toMatchObject(abortError);
    const abort = new AbortController();
    const reader = (await model.doStream({ ...options, abortSignal: abort.signal })).stream.getReader();
    await reader.read();
    abort.abort();
    await expect(reader.read()).rejects.toMatchObject(abortError);
  });

  it(proves('A03', 'A11')('never throws, calls only listed tools, and is deterministic'), async () => {
    const words = fc.constantFrom(
      'read',
      'a.txt',
      'then',
      'and',
      ';',
      '\n',
      'run',
      '"',
      '{',
      '}',
      'call',
      'with',
      'list',
      'finish',
      'x: 1',
    );
    const text = fc.oneof(
      fc.array(words, { maxLength: 12 }).map((each) => each.join(' ')),
      fc.string({ unit: 'binary' }),
    );
    const content = fc.array(fc.record({ type: fc.constant('text' as const), text }), { maxLength: 2 });
    const output: fc.Arbitrary<LanguageModelV4ToolResultOutput> = fc.oneof(
      fc.record({ type: fc.constantFrom('text' as const, 'error-text' as const), value: fc.string() }),
      fc.jsonValue().map((value) => ({ type: 'json' as const, value: value as never })),
      fc.constant({ type: 'execution-denied' as const }),
    );
    const id = fc.constantFrom('1', '2');
    const message: fc.Arbitrary<LanguageModelV4Message> = fc.oneof(
      content.map((parts) => ({ role: 'user' as const, content: parts })),
      fc.record({
        role: fc.constant('assistant' as const),
        content: fc.array(
          fc.record({ type: fc.constant('tool-call' as const), toolCallId: id, toolName: text, input: fc.jsonValue() }),
          { maxLength: 2 },
        ),
      }),
      fc.record({
        role: fc.constant('tool' as const),
        content: fc.array(
          fc.record({ type: fc.constant('tool-result' as const), toolCallId: id, toolName: text, output }),
          { maxLength: 2 },
        ),
      }),
    );
    const schema = fc.constantFrom(
      undefined,
      {},
      { type: 'object' as const, properties: { x: { type: 'number' as const } } },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 6 }),
        fc.subarray(everyTool),
        fc.option(schema.map((each) => ({ type: 'json' as const, ...(each === undefined ? {} : { schema: each }) }))),
        async (prompt, names, format) => {
          const options = { ...listing(names), ...(format === null ? {} : { responseFormat: format }) };
          const first = await reply(prompt, options);
          expect(first.text !== '' || first.calls.length > 0).toBe(true);
          expect(first.calls.filter(({ toolName }) => !names.includes(toolName))).toEqual([]);
          expect(first.text).not.toContain('The built-in planner failed');
          expect(await reply(prompt, options)).toEqual(first);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
