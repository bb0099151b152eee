/** What compiles and what must not: a hook answers only what its point accepts. */

import {
  type ActionAt,
  type PointPayloads,
  answerQuestions,
  type BridleEvent,
  cancelQuestions,
  confirm,
  giveUp,
  fallback,
  type Hook,
  type HookContext,
  summaryHint,
  type JsonObject,
  type JsonValue,
  errorMessage,
  type ObservingHook,
  onEvent,
  onInteraction,
  onLlmError,
  onSessionEnd,
  onSessionStart,
  onToolError,
  type PointName,
  postCompaction,
  postLlmCall,
  postToolCall,
  postTurn,
  preCompaction,
  preLlmCall,
  preToolCall,
  preTurn,
  recover,
  reject,
  replace,
  retry,
  useSummary,
  transform,
} from 'bridle';
import type { HookMethod } from './hook.ts';
import type { HostPoint } from '../../guard/turn.ts';
import type { LlmRequest, LlmResponse, Prompt, TurnOutput } from 'bridle/agent';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';

type Types<P extends PointName> = ActionAt<P> extends { type: infer T } ? T : never;
type ValueAt<P extends PointName, T extends string> =
  Extract<ActionAt<P>, { type: T }> extends { value: infer V } ? V : never;

describe('the types of hooks', () => {
  it(proves('H05')('accept at each point the actions of the table, no others'), () => {
    expectTypeOf<Types<'onSessionStart'>>().toEqualTypeOf<'reject'>();
    expectTypeOf<ActionAt<'onSessionEnd'>>().toEqualTypeOf<never>();
    expectTypeOf<Types<'preTurn'>>().toEqualTypeOf<'transform' | 'replace' | 'reject'>();
    expectTypeOf<Types<'postTurn'>>().toEqualTypeOf<'transform' | 'replace'>();
    expectTypeOf<Types<'onTurnError'>>().toEqualTypeOf<'replace'>();
    expectTypeOf<Types<'preLlmCall'>>().toEqualTypeOf<'transform' | 'replace' | 'reject'>();
    expectTypeOf<Types<'postLlmCall'>>().toEqualTypeOf<'transform' | 'replace' | 'reject' | 'retry'>();
    expectTypeOf<Types<'onLlmError'>>().toEqualTypeOf<'retry' | 'fallback' | 'fail'>();
    expectTypeOf<Types<'preToolCall'>>().toEqualTypeOf<'transform' | 'replace' | 'reject' | 'confirm'>();
    expectTypeOf<Types<'postToolCall'>>().toEqualTypeOf<'transform' | 'replace'>();
    expectTypeOf<Types<'onToolError'>>().toEqualTypeOf<'recover' | 'message'>();
    expectTypeOf<Types<'onInteraction'>>().toEqualTypeOf<'answer' | 'cancel'>();
    expectTypeOf<Types<'preCompaction'>>().toEqualTypeOf<'hint' | 'summary' | 'reject'>();
    expectTypeOf<ActionAt<'postCompaction'>>().toEqualTypeOf<never>();
    expectTypeOf<ActionAt<'onEvent'>>().toEqualTypeOf<never>();
  });

  it(proves('H05')('define the value type of transform and replace'), () => {
    expectTypeOf<ValueAt<'preTurn', 'transform'>>().toEqualTypeOf<Prompt>();
    expectTypeOf<ValueAt<'postTurn', 'replace'>>().toEqualTypeOf<TurnOutput>();
    expectTypeOf<ValueAt<'onTurnError', 'replace'>>().toEqualTypeOf<TurnOutput>();
    expectTypeOf<ValueAt<'preLlmCall', 'transform'>>().toEqualTypeOf<LlmRequest>();
    expectTypeOf<ValueAt<'postLlmCall', 'replace'>>().toEqualTypeOf<LlmResponse>();
    expectTypeOf<ValueAt<'preToolCall', 'transform'>>().toEqualTypeOf<JsonObject>();
    expectTypeOf<ValueAt<'postToolCall', 'transform'>>().toEqualTypeOf<JsonValue>();
    expectTypeOf<ValueAt<'onToolError', 'recover'>>().toEqualTypeOf<JsonValue>();
  });

  it(proves('H05')('do not compile with a wrong action'), () => {
    const wrong: Hook[] = [
      // @ts-expect-error: a tool call cannot be retried before it has run
      { name: 'w', preToolCall: () => retry('again') },
      // @ts-expect-error: a turn that has happened cannot be rejected
      { name: 'w', postTurn: () => reject('no') },
      // @ts-expect-error: only a tool call can be confirmed
      { name: 'w', preTurn: () => confirm('sure?') },
      // @ts-expect-error: the same from an asynchronous hook
      { name: 'w', preTurn: async () => confirm('sure?') },
      // @ts-expect-error: args are an object
      { name: 'w', preToolCall: () => transform('text') },
      // @ts-expect-error: args are JSON data
      { name: 'w', preToolCall: () => transform({ at: new Date() }) },
      // @ts-expect-error: a prompt is more than a text
      { name: 'w', preTurn: () => transform('text') },
      // @ts-expect-error: a response is whole
      { name: 'w', postLlmCall: () => replace({ text: 'hi' }) },
      // @ts-expect-error: feedback is for postLlmCall
      { name: 'w', onLlmError: () => retry('again') },
      // @ts-expect-error: a pause is for onLlmError
      { name: 'w', postLlmCall: () => retry(100) },
      // @ts-expect-error: an error hook recovers, it does not transform
      { name: 'w', onToolError: () => transform(1) },
      // @ts-expect-error: what recovers is JSON data
      { name: 'w', onToolError: () => recover(() => 1) },
      // @ts-expect-error: nothing can be answered at the end
      { name: 'w', onSessionEnd: () => reject('no') },
      // @ts-expect-error: an observer cannot answer
      { name: 'w', onEvent: () => reject('no') },
      // @ts-expect-error: null is no answer
      { name: 'w', preTurn: () => null },
      // @ts-expect-error: true is no answer
      { name: 'w', preToolCall: () => true },
      // @ts-expect-error: a reason is needed
      { name: 'w', preTurn: () => ({ type: 'reject' }) },
      // @ts-expect-error: a hint is an object
      { name: 'w', preCompaction: () => summaryHint(['x']) },
      // @ts-expect-error: no such option
      { name: 'w', prioritty: 1 },
      // @ts-expect-error: a priority is a number
      { name: 'w', priority: '1' },
      // @ts-expect-error: a misspelled point
      { name: 'w', preToolcall: () => undefined },
      // @ts-expect-error: a hook has a name
      { preTurn: () => undefined },
      // @ts-expect-error: a result cannot be rejected; at run time, this withholds it
      { name: 'w', postToolCall: () => reject('no') },
      // @ts-expect-error: that is how other systems allow
      { name: 'w', preToolCall: () => ({ allow: true }) },
      // @ts-expect-error: a name of another system
      { name: 'w', preToolUse: () => reject('no') },
      // @ts-expect-error: it is called observes
      { name: 'w', observe: true },
    ];
    expect(wrong).toHaveLength(26);
  });

  it(proves('H17')('do not compile with an answer of an observing hook, or with one that gates'), () => {
    const wrong: ObservingHook[] = [
      // @ts-expect-error: it answers
      { name: 'w', observes: true, preToolCall: () => reject('no') },
      // @ts-expect-error: it answers later
      { name: 'w', observes: true, postTurn: async ({ output }) => transform(output) },
      // @ts-expect-error: it decides nothing
      { name: 'w', observes: true, gate: true },
      // @ts-expect-error: it stops nothing
      { name: 'w', observes: true, failOpen: false },
    ];
    expect(wrong).toHaveLength(4);
    const right: ObservingHook = {
      name: 'r',
      observes: true,
      preToolCall: ({ call }) => void call,
      postTurn: async () => {},
    };
    expectTypeOf(right).toExtend<Hook>();
  });

  it(proves('H02', 'H05')('compile with every right action, sync or async, and with none'), () => {
    const right: Hook = {
      name: 'right',
      onSessionStart: () => reject('no'),
      onSessionEnd: async () => {},
      preTurn: ({ prompt }) => transform({ ...prompt, text: 'x' }),
      postTurn: async ({ output }) => replace({ ...output, text: 'x' }),
      onTurnError: () => undefined,
      preLlmCall: (request) => transform({ ...request, settings: { temperature: 0 } }),
      postLlmCall: async () => retry('Shorter, please'),
      onLlmError: ({ attempt }) => (attempt > 2 ? giveUp() : attempt > 1 ? fallback('m-2') : retry(100)),
      preToolCall: ({ call }) => (call.tool === 'rm' ? confirm('Really?') : undefined),
      postToolCall: () => transform(null),
      onToolError: ({ error }) => (error.step > 1 ? errorMessage('Try later') : recover([1, 'a', { b: null }])),
      onInteraction: async () => (Math.random() > 2 ? cancelQuestions() : answerQuestions([{ selected: [0] }])),
      preCompaction: () => (Math.random() > 2 ? useSummary('short') : summaryHint({ keep: ['names'] })),
      postCompaction: () => {},
      onEvent: async () => {},
    };
    expectTypeOf(right).toExtend<Hook>();
    expectTypeOf<HookMethod<'preTurn'>>().parameters.toEqualTypeOf<
      [payload: PointPayloads['preTurn'], ctx: HookContext]
    >();
    expectTypeOf<PointPayloads['onEvent']>().toEqualTypeOf<BridleEvent>();
    expect(Object.keys(right)).toHaveLength(16);
  });

  it(proves('H14', 'H05')('apply to helpers as well'), () => {
    const named = { name: 'n' };
    const made: Hook[] = [
      onSessionStart(() => reject('no'), named),
      onSessionEnd(() => {}, named),
      preTurn(({ origin }) => (origin === 'user' ? undefined : reject('no')), named),
      postTurn(async ({ output }) => transform({ ...output, text: '' }), named),
      preLlmCall((request) => replace(request), named),
      postLlmCall(() => retry('again'), named),
      onLlmError(() => retry(), named),
      preToolCall(({ call }) => replace({ ...call.args, dry: true }), named),
      postToolCall(({ result }) => transform([result]), named),
      onToolError(() => errorMessage('x'), named),
      onInteraction(() => cancelQuestions(), named),
      preCompaction(() => reject('later'), named),
      postCompaction(({ removed }) => void removed, named),
      onEvent(({ type }) => void type, named),
      // @ts-expect-error: a wrong action
      preToolCall(() => retry('again'), named),
      // @ts-expect-error: a wrong action
      postTurn(() => reject('no'), named),
      // @ts-expect-error: a wrong value
      preTurn(() => transform({ text: 7, media: [] }), named),
    ];
    expect(made).toHaveLength(17);
    // @ts-expect-error: an unknown option
    expect(() => preTurn(() => undefined, { name: 'n', order: 1 })).toThrow('option "order" is not known');
  });

  it(proves('H01')('let a host dispatch only its own points'), () => {
    expectTypeOf<HostPoint>().toEqualTypeOf<
      'postTurn' | 'onTurnError' | 'preLlmCall' | 'postLlmCall' | 'onLlmError' | 'preCompaction' | 'postCompaction'
    >();
  });
});
