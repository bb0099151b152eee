/** Methods that look like points: names of other systems, in every spelling, and the names that must be left alone. */

import { allowAll, createGuard, createHooks, type Hook, type PointName, pointNames } from 'bridle';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';

const register = (hook: unknown): unknown => createHooks().register(hook as Hook);
const refused = (hook: unknown): string => {
  try {
    register(hook);
  } catch (error) {
    expect(error).toMatchObject({ name: 'BridleError', code: 'HOOK_POINT_MISSPELLED' });
    return (error as Error).message;
  }
  return 'registered';
};
const quoted = (point: PointName): string => `"${point}"`;

/** The names of the seeds' systems, as those write them. */
const seedNames: Readonly<Record<string, PointName | readonly PointName[]>> = {
  // antigravity-sdk-rust
  on_session_start: 'onSessionStart',
  on_session_end: 'onSessionEnd',
  pre_turn: 'preTurn',
  post_turn: 'postTurn',
  pre_tool_call: 'preToolCall',
  post_tool_call: 'postToolCall',
  on_tool_error: 'onToolError',
  on_interaction: 'onInteraction',
  on_compaction: 'postCompaction',
  // antigravity-sdk-python: decorators, and classes that are named after their base
  pre_tool_call_decide: 'preToolCall',
  OnSessionStartHook: 'onSessionStart',
  OnSessionEndHook: 'onSessionEnd',
  PreTurnHook: 'preTurn',
  PostTurnHook: 'postTurn',
  PreToolCallDecideHook: 'preToolCall',
  PostToolCallHook: 'postToolCall',
  OnToolErrorHook: 'onToolError',
  OnInteractionHook: 'onInteraction',
  OnCompactionHook: 'postCompaction',
  pre_step: ['preLlmCall', 'onEvent'],
  post_step: ['postLlmCall', 'onEvent'],
  // the article on hook contexts
  on_pre_turn: 'preTurn',
  on_post_tool: 'postToolCall',
  on_ambiguous_migration: 'preToolCall',
  // agent-sdk
  pre_tool_use: 'preToolCall',
  post_tool_use: 'postToolCall',
  on_event: 'onEvent',
  on_error: ['onTurnError', 'onLlmError', 'onToolError'],
  on_context_compact: 'preCompaction',
  pre_llm_request: 'preLlmCall',
  on_llm_response: 'postLlmCall',
  // the design of lifecycle hooks
  on_turn_error: 'onTurnError',
  pre_llm_call: 'preLlmCall',
  post_llm_call: 'postLlmCall',
  on_llm_error: 'onLlmError',
  on_tool_call: 'preToolCall',
  pre_compaction: 'preCompaction',
  post_compaction: 'postCompaction',
  pre_turn_context: 'preTurn',
  post_turn_observe: 'postTurn',
  // coding agents
  PreToolUse: 'preToolCall',
  PostToolUse: 'postToolCall',
  PostToolUseFailure: 'onToolError',
  PreCompact: 'preCompaction',
  PostCompact: 'postCompaction',
  // as they are written in JavaScript
  preToolUse: 'preToolCall',
  onCompaction: 'postCompaction',
  preStep: ['preLlmCall', 'onEvent'],
  onPostTool: 'postToolCall',
  onLLMResponse: 'postLlmCall',
};

/** Names of other frameworks that no table lists: what they are about says which point was meant. */
const otherFrameworks: Readonly<Record<string, PointName>> = {
  onToolStart: 'preToolCall',
  onToolEnd: 'postToolCall',
  onToolResult: 'postToolCall',
  onToolExecutionStart: 'preToolCall',
  onToolExecutionEnd: 'postToolCall',
  onToolErrorCallback: 'onToolError',
  PostToolBatch: 'postToolCall',
  preToolExecution: 'preToolCall',
  onPermissionRequest: 'preToolCall',
  on_llm_start: 'preLlmCall',
  on_llm_end: 'postLlmCall',
  on_chat_model_start: 'preLlmCall',
  onLanguageModelCallStart: 'preLlmCall',
  onLanguageModelCallEnd: 'postLlmCall',
  onModelErrorCallback: 'onLlmError',
  preModelCall: 'preLlmCall',
  postModelResponse: 'postLlmCall',
  onPrepareModelMessages: 'preLlmCall',
  PreCompress: 'preCompaction',
  on_agent_start: 'preTurn',
  on_agent_end: 'postTurn',
  onUserMessageCallback: 'preTurn',
  onUserPromptSubmit: 'preTurn',
  PreInvocation: 'preTurn',
  PostInvocation: 'postTurn',
  preRun: 'preTurn',
  onTurnFailed: 'onTurnError',
  onSessionCreated: 'onSessionStart',
  onSessionFinished: 'onSessionEnd',
};

const wordsIn = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[ _]/)
    .map((word) => word.toLowerCase());
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const spellings: Readonly<Record<string, (words: readonly string[]) => string>> = {
  camel: ([first = '', ...rest]) => first + rest.map(capital).join(''),
  Pascal: (words) => words.map(capital).join(''),
  snake: (words) => words.join('_'),
  Snake: (words) => words.map(capital).join('_'),
  UPPER: (words) => words.join('_').toUpperCase(),
  kebab: (words) => words.join('-'),
  dotted: (words) => words.join('.'),
  spaced: (words) => words.join(' '),
  leading: (words) => `_${words.join('_')}`,
  upperFirst: ([first = '', ...rest]) => first.toUpperCase() + rest.map(capital).join(''),
};

/** Names that begin alike and are none of them. */
const otherNames = `
  prepare once on preview postal online pre post ONCE PREPARE Online On POST prepareTurn onceReady
  onlineUsers previewCall postponeTurn presetFor ongoing prefix prepend_listener premium-call
  postgresUrl pressure oneEvent on_ _pre post2 isToolError isLlmError toEvent prevent return prevTurn
  hostToolCall costTurn runs runAll rerun helper check beforeSave reject toString inSession _gate _name
  constructor2 tool
`
  .trim()
  .split(/\s+/);

describe('a method named as in another system', () => {
  it.each(Object.entries(seedNames))(proves('H10')('%s is refused in every spelling, and means %s'), (name, meant) => {
    const points = [meant].flat();
    const forms = [name, ...Object.values(spellings).map((spell) => spell(wordsIn(name)))];
    for (const form of forms.filter((each) => !pointNames.includes(each as PointName))) {
      const message = refused({ name: 'ported', [form]: () => ({ type: 'reject', reason: 'no' }) });
      expect(message).toContain(`hook "ported" has a method "${form}"`);
      expect(message).toContain(`did you mean ${points.map(quoted).join(' or ')}?`);
    }
  });

  it.each(Object.entries(otherFrameworks))(proves('H10')('%s, of other frameworks, means %s'), (name, meant) => {
    expect(refused({ name: 'ported', [name]: () => undefined })).toContain(`did you mean ${quoted(meant)}?`);
  });

  it.each(Object.keys(seedNames).filter((name) => name.startsWith('pre') || name.startsWith('Pre')))(
    proves('H10')('%s never leaves a gate open: the guard is not created'),
    (name) => {
      class Ported {
        readonly name = 'ported';
      }
      Object.defineProperty(Ported.prototype, name, { value: () => ({ type: 'reject', reason: 'no' }) });
      const tools = [{ name: 'wipe' }];
      const create = (): unknown => createGuard({ tools, policy: allowAll(), hooks: [new Ported()] });
      expect(create).toThrow(expect.objectContaining({ code: 'HOOK_POINT_MISSPELLED' }));
    },
  );

  it(proves('H10')('is refused for any first word on, pre or post, near a point or not'), () => {
    const word = fc.stringMatching(/^[a-z]{2,9}$/);
    const property = fc.property(
      fc.constantFrom('on', 'pre', 'post'),
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...Object.values(spellings)),
      (first, rest, spell) => {
        const name = spell([first, ...rest]);
        if (pointNames.includes(name as PointName)) return;
        const message = refused({ name: 'any', [name]: () => undefined });
        expect(message.includes('did you mean') || pointNames.every((point) => message.includes(point))).toBe(true);
      },
    );
    fc.assert(property, { numRuns: runs(500) });
  });

  it.each(otherNames)(proves('H10')('leaves %s alone'), (name) => {
    expect(refused({ name: 'fine', [name]: () => undefined })).toBe('registered');
  });
});

describe('a method run', () => {
  it(proves('H10')('is refused, and the class name suggests the right point'), () => {
    class PreToolCallDecideHook {
      readonly name: string = 'gate';
    }
    class Gate extends PreToolCallDecideHook {
      run(): { allow: boolean } {
        return { allow: false };
      }
    }
    expect(refused(new Gate())).toContain('a method "run", which is not a point and would never be called');
    expect(refused(new Gate())).toContain('did you mean "preToolCall"?');
  });

  it(proves('H10')('is refused with a list of all points if nothing suggests one'), () => {
    const message = refused({ name: 'gate', run: () => ({ allow: false }) });
    for (const point of pointNames) expect(message).toContain(point);
  });
});

describe('where a method stands', () => {
  it(proves('H10')('does not matter: own, inherited, not enumerable, under a symbol'), () => {
    class Base {
      readonly name: string = 'deep';
      pre_tool_use(): void {}
    }
    class Middle extends Base {}
    class Leaf extends Middle {}
    expect(refused(new Leaf())).toContain('"preToolCall"');
    expect(refused(Object.create({ pre_tool_use: () => {} }, { name: { value: 'made' } }))).toContain('"preToolCall"');
    const hidden = Object.defineProperty({ name: 'hidden' }, 'preToolUse', { value: () => {}, enumerable: false });
    expect(refused(hidden)).toContain('"preToolCall"');
    expect(refused({ name: 'symbol', [Symbol('preToolUse')]: () => {} })).toContain('"preToolCall"');
    expect(refused({ name: 'symbol', [Symbol.for('preToolCall')]: () => {} })).toContain('"preToolCall"');
    expect(refused(Object.assign(Object.create(null), { name: 'bare', onLlmResponse: () => {} }))).toContain(
      '"postLlmCall"',
    );
  });

  it(proves('H10')('does not matter behind a proxy'), () => {
    const target = { name: 'proxied', pre_tool_use: () => {} };
    expect(refused(new Proxy(target, {}))).toContain('"preToolCall"');
  });

  it(proves('H10')('ignores other members with such names'), () => {
    class Fine {
      readonly name = 'fine';
      readonly postCount = 0;
      readonly preToolUse = undefined;
      readonly onCallIds = ['a'];
      readonly [Symbol.asyncDispose] = async (): Promise<void> => {};
      get preTotal(): number {
        return 7;
      }
      set onWrite(value: number) {
        expect(value).toBeDefined();
      }
    }
    expect(refused(new Fine())).toBe('registered');
    class Overridden extends class {
      pre_tool_use(): void {}
    } {
      readonly name = 'overridden';
    }
    const hook = Object.assign(new Overridden(), { pre_tool_use: undefined });
    expect(refused(hook)).toBe('registered');
  });

  it(proves('H10')('takes lists of functions and matchers for methods'), () => {
    expect(refused({ name: 'listed', PreToolUse: [() => {}] })).toContain('"preToolCall"');
    expect(refused({ name: 'listed', PreToolUse: [{ matcher: 'Bash', hooks: [() => {}] }] })).toContain(
      '"preToolCall"',
    );
  });
});

describe('accessors', () => {
  it(proves('H10')('are read only under suspicious names, and give a method or not'), () => {
    const reads: string[] = [];
    const watched = (found: unknown) => ({
      name: 'watched',
      get helper(): unknown {
        reads.push('helper');
        return () => {};
      },
      get prepare(): unknown {
        reads.push('prepare');
        return () => {};
      },
      get pre_tool_use(): unknown {
        reads.push('pre_tool_use');
        return found;
      },
    });
    expect(refused(watched(() => {}))).toContain('"preToolCall"');
    expect(refused(watched(7))).toBe('registered');
    expect(reads).toEqual(['pre_tool_use', 'pre_tool_use']);
  });

  it(proves('H10')('that cannot be read count as methods'), () => {
    const broken = {
      name: 'broken',
      get onEvents(): never {
        throw new RangeError('not yet');
      },
    };
    expect(refused(broken)).toContain('"onEvent"');
  });
});

const broke = (): never => {
  throw new RangeError('broke');
};

describe('an option in another spelling', () => {
  it(proves('H10')('is refused as a method or an accessor of a class as well'), () => {
    class Ported {
      readonly name = 'ported';
      fail_open(): boolean {
        return false;
      }
    }
    class Accessor {
      readonly name = 'ported';
      get fail_open(): boolean {
        return false;
      }
    }
    for (const hook of [new Ported(), new Accessor(), { name: 'ported', fail_open: false }]) {
      const message = /hook "ported": "fail_open" is not known; did you mean "failOpen"\?/;
      expect(() => register(hook)).toThrow(message);
    }
  });
});

describe('what cannot be read', () => {
  const endless: ProxyHandler<object> = { getPrototypeOf: (target) => new Proxy(target, endless) };
  const revoked = Proxy.revocable({ name: 'gone' }, {});
  revoked.revoke();

  it.each([
    ['a name that throws', Object.defineProperty({}, 'name', { get: broke })],
    ['a point that throws', Object.defineProperty({ name: 'odd' }, 'preTurn', { get: broke })],
    ['an option that throws', Object.defineProperty({ name: 'odd' }, 'gate', { get: broke })],
    ['keys that throw', new Proxy({ name: 'odd' }, { ownKeys: broke })],
    ['a prototype that throws', new Proxy({ name: 'odd' }, { getPrototypeOf: broke })],
    ['prototypes without end', new Proxy({ name: 'odd' }, endless)],
    ['a revoked proxy', revoked.proxy],
  ])(proves('H10')('is not a hook: %s'), (_what, hook) => {
    expect(() => register(hook)).toThrow(expect.objectContaining({ name: 'BridleError', code: 'HOOK_INVALID' }));
  });

  it(proves('H10')('explains how a class becomes a hook'), () => {
    class Gate {
      readonly name = 'gate';
    }
    expect(() => register(Gate)).toThrow(/for a class, register an instance/);
  });
});
