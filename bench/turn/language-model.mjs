/** The script as a model of the AI SDK's provider interface, which the AI SDK and Bridle take. */

export function languageModel(script) {
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async (asked) => {
      const { calls, text } = script.next(asked);
      const content = calls === undefined ? [{ type: 'text', text }] : calls.map(toCall);
      return { content, finishReason: finish(calls), usage, warnings: [] };
    },
    doStream: async (asked) => ({ stream: toStream(script.next(asked)) }),
  };
}

function toStream({ calls, text }) {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] });
      if (calls === undefined) {
        controller.enqueue({ type: 'text-start', id: '0' });
        controller.enqueue({ type: 'text-delta', id: '0', delta: text });
        controller.enqueue({ type: 'text-end', id: '0' });
      } else {
        for (const call of calls) controller.enqueue(toCall(call));
      }
      controller.enqueue({ type: 'finish', finishReason: finish(calls), usage });
      controller.close();
    },
  });
}

const toCall = ({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input });

function finish(calls) {
  return calls === undefined ? { unified: 'stop', raw: 'stop' } : { unified: 'tool-calls', raw: 'tool_calls' };
}

const usage = Object.freeze({
  inputTokens: Object.freeze({ total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }),
  outputTokens: Object.freeze({ total: 1, text: 1, reasoning: 0 }),
});
