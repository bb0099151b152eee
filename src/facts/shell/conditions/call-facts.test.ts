import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import type { ToolCall } from '../../../kernel/call.ts';
import type { CallId, SessionId } from '../../../kernel/ids.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import {
  allOf,
  anyOf,
  not,
  opaque,
  opaqueFact,
  runs,
  runsFact,
  runsOnly,
  runsOnlyFact,
  type Condition,
} from '../../index.ts';

const shell: ToolDeclaration = { name: 'run', commands: ['line'], touches: { bash: ['line'] } };

function callOf(args: JsonObject): ToolCall {
  return {
    id: 'c' as CallId,
    tool: 'run',
    server: undefined,
    displayName: 'run',
    tier: 'confirm',
    args,
    requested: args,
    cwd: undefined,
    session: 's' as SessionId,
    turn: 1,
    step: 1,
    agent: ['root'],
  };
}

/** The types of all answers about a line of a tool. */
function answerTypes(tool: ToolDeclaration): unknown[] {
  return [runsFact(['rm']), runsOnlyFact(['rm']), opaqueFact()].map(
    (fact) => typeof fact(callOf({ line: 'rm' }), tool),
  );
}

function ask(condition: Condition, line: unknown, tool = shell): unknown {
  const call = callOf({ line } as JsonObject);
  try {
    return condition(call.args, call, { tool, state: { session: {}, turn: {} } });
  } catch (error) {
    return (error as { code: string }).code;
  }
}

function fails(): never {
  throw new TypeError('broken');
}

function late(answer: boolean): Condition {
  return () => Promise.resolve(answer);
}

describe('facts of a call', () => {
  it('cover the arguments that bash runs', () => {
    expect(runsFact(['rm'])(callOf({ line: 'ls; rm x' }), shell)).toBe(true);
    expect(runsFact(['rm', 'cp'])(callOf({ line: 'ls', other: 'rm x' }), shell)).toBe(false);
    expect(runsOnlyFact(['ls', 'cat'])(callOf({ line: 'ls | cat' }), shell)).toBe(true);
    expect(opaqueFact()(callOf({ line: './x' }), shell)).toBe(true);
  });

  it('check every argument and every item', () => {
    const many = { ...shell, commands: [], touches: { bash: ['a', 'steps[].line'] } };
    const call = callOf({ a: 'ls', steps: [{ line: 'ls' }, { line: 'rm x' }] });
    expect(runsFact(['rm'])(call, many)).toBe(true);
    expect(runsOnlyFact(['ls'])(call, many)).toBe(false);
    expect(runsOnlyFact(['ls', 'rm'])(callOf({ a: 'ls', steps: [{ line: 'ls' }] }), many)).toBe(true);
  });

  it.each([1, null, true, { line: 'ls' }, [1]])('are unknown for a value that is not a string: %j', (line) => {
    const call = callOf({ line });
    expect(runsFact(['rm'])(call, shell)).toMatchObject({ type: 'unknown' });
    expect(runsOnlyFact(['rm'])(call, shell)).toMatchObject({ type: 'unknown' });
    expect(opaqueFact()(call, shell)).toMatchObject({ type: 'unknown' });
  });

  it(proves('X11')('are unknown for commands that bash does not run'), () => {
    const other: ToolDeclaration = { name: 'run', commands: ['line'] };
    const call = callOf({ line: 'ls' });
    expect(runsFact(['rm'])(call, other)).toMatchObject({ type: 'unknown' });
    expect(runsOnlyFact(['ls'])(call, other)).toMatchObject({ type: 'unknown' });
    expect(opaqueFact()(call, other)).toMatchObject({ type: 'unknown' });
  });

  it(proves('X11')('are unknown for a tool with side effects that declares nothing'), () => {
    expect(answerTypes({ name: 'exec' })).toEqual(['object', 'object', 'object']);
    expect(answerTypes({ name: 'look', tier: 'observe' })).toEqual(['boolean', 'boolean', 'boolean']);
    expect(answerTypes({ name: 'save', paths: ['line'] })).toEqual(['boolean', 'boolean', 'boolean']);
  });

  it('are false for a call without commands', () => {
    const plain: ToolDeclaration = { name: 'view', touches: {} };
    for (const tool of [plain, shell]) {
      expect([runsFact(['rm']), runsOnlyFact(['rm']), opaqueFact()].map((fact) => fact(callOf({}), tool))).toEqual([
        false,
        false,
        false,
      ]);
    }
  });

  it('reject an entry that is not literal words immediately', () => {
    expect(() => runsFact(['rm $x'])).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    expect(() => runsOnly('ls', 'a; b')).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    expect(() => runs(1 as unknown as string)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

describe('conditions', () => {
  const yes = runs('ls');
  const no = runs('rm');
  const signal = 'FACT_UNKNOWN';

  it('answer, or signal to the engine that the answer is unknown', () => {
    expect(ask(runs('rm'), 'rm x')).toBe(true);
    expect(ask(runs('rm'), '$x')).toBe(signal);
    expect(ask(runsOnly('ls'), 'ls')).toBe(true);
    expect(ask(opaque(), 'ls')).toBe(false);
  });

  it('show their source text', () => {
    expect(String(runs('rm', 'git push'))).toBe('runs("rm", "git push")');
    expect(String(anyOf(not(runsOnly('ls')), allOf(opaque())))).toBe('anyOf(not(runsOnly("ls")), allOf(opaque()))');
  });

  it('combine by three-valued logic', () => {
    const open = runs('foo');
    const line = 'ls; $x';
    expect(ask(open, line)).toBe(signal);
    expect(ask(not(yes), 'ls')).toBe(false);
    expect(ask(not(no), 'ls')).toBe(true);
    expect(ask(not(open), line)).toBe(signal);
    expect(ask(anyOf(open, yes), line)).toBe(true);
    expect(ask(anyOf(open, runsOnly('cp')), line)).toBe(signal);
    expect(ask(allOf(open, runsOnly('cp')), line)).toBe(false);
    expect(ask(allOf(open, yes), line)).toBe(signal);
    expect(ask(allOf(), line)).toBe(true);
    expect(ask(anyOf(), line)).toBe(false);
  });

  it('rethrow every other failure, and reject other answers', async () => {
    const call = callOf({ line: 'ls' });
    const about = { tool: shell, state: { session: {}, turn: {} } };
    expect(() => anyOf(fails, yes)(call.args, call, about)).toThrow('broken');
    expect(() => not((() => 'no') as unknown as Condition)(call.args, call, about)).toThrow(
      /must return true or false/,
    );
    await expect(anyOf(async () => fails(), yes)(call.args, call, about)).rejects.toThrow('broken');
    expect(() => not(true as unknown as Condition)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('await parts that are promises', async () => {
    expect(await ask(anyOf(late(false), yes), 'ls')).toBe(true);
    expect(await ask(allOf(yes, late(true), no), 'ls')).toBe(false);
    expect(await ask(not(late(true)), 'ls')).toBe(false);
    await expect(ask(allOf(late(true), runs('rm')), '$x')).rejects.toMatchObject({ code: signal });
    expect(await ask(allOf(runs('rm'), late(false)), '$x')).toBe(false);
  });
});
