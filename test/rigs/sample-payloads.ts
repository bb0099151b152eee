/** One payload for each point, as a session creates it. */

import type { PointPayloads, ToolCall } from 'bridle';
import type { CallId, SessionId } from '../../src/kernel/ids.ts';
import type { LlmResponse, TurnOutput, Usage } from 'bridle/agent';

const usage: Usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, cacheCreationTokens: 0 };

const sampleOutput: TurnOutput = { text: 'out', thinking: '', steps: 1, usage, stopReason: 'stop' };

export const sampleResponse: LlmResponse = {
  text: 'hello',
  thinking: '',
  toolCalls: [],
  usage,
  model: 'm-1',
  finishReason: 'stop',
};

export const sampleCall: ToolCall = Object.freeze({
  id: 'c1' as CallId,
  tool: 'write',
  server: undefined,
  displayName: 'write',
  tier: 'confirm',
  args: Object.freeze({ path: 'a' }),
  requested: Object.freeze({ path: 'a' }),
  cwd: undefined,
  session: 's1' as SessionId,
  turn: 1,
  step: 1,
  agent: ['main'],
});

const error = { message: 'broke', tool: 'write', server: undefined, callId: 'c1', step: 1, cause: undefined };

export const samplePayloads: PointPayloads = {
  onSessionStart: { session: 's1' as SessionId, host: 'own', agent: ['main'], resumed: false },
  onSessionEnd: { reason: 'stopped' },
  preTurn: { prompt: { text: 'hi', media: [] }, origin: 'user' },
  postTurn: { input: { text: 'hi', media: [] }, output: sampleOutput },
  onTurnError: { input: { text: 'hi', media: [] }, error: new RangeError('broke') },
  preLlmCall: { messages: [{ role: 'user', content: 'hi' }], tools: [], settings: {} },
  postLlmCall: { response: sampleResponse },
  onLlmError: { error: new RangeError('busy'), attempt: 1, model: 'm-1' },
  preToolCall: { call: sampleCall, grant: {} },
  postToolCall: { call: sampleCall, outcome: { type: 'ok', error: undefined }, result: 'raw', elapsedMs: 1 },
  onToolError: { call: sampleCall, error },
  onInteraction: { questions: [{ question: 'Go on?' }] },
  preCompaction: { messages: [], budget: { tokens: 100, used: 90 } },
  postCompaction: { removed: 3, summary: 'short', tokensBefore: 90, tokensAfter: 10 },
  onEvent: {
    seq: 0,
    at: 0,
    session: 's1' as SessionId,
    turn: 1,
    step: 1,
    agent: ['main'],
    type: 'custom',
    name: 'sample',
    data: null,
  },
};
