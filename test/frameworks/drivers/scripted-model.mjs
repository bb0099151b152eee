/** A model with the AI SDK's interface that answers from a script, and what it saw of each call. */

/**
 * `answers` returns the next answer to a prompt. `spec` is the version of the interface: v2, v3 or v4. The prompts are
 * copied into `requests`, if it is there.
 */
export function scriptedModel(answers, { spec, requests }) {
  return {
    specificationVersion: spec,
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async ({ prompt }) => answerOf(answers, { spec, requests, prompt }),
    doStream: async ({ prompt }) => ({ stream: streamOf(answerOf(answers, { spec, requests, prompt })) }),
  };
}

function answerOf(answers, { spec, requests, prompt }) {
  requests?.push(structuredClone(prompt));
  const { text, toolCalls = [], error } = answers(prompt);
  if (error !== undefined) throw new Error(error);
  const calls = toolCalls.map(({ id, tool, args }) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: tool,
    input: JSON.stringify(args),
  }));
  const reason = calls.length > 0 ? 'tool-calls' : 'stop';
  return {
    content: [...(text === undefined ? [] : [{ type: 'text', text }]), ...calls],
    finishReason: spec === 'v2' ? reason : { unified: reason, raw: undefined },
    usage:
      spec === 'v2'
        ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
        : { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
    warnings: [],
  };
}

function streamOf({ content, finishReason, usage }) {
  const parts = [{ type: 'stream-start', warnings: [] }];
  for (const [index, part] of content.entries()) {
    const id = String(index);
    if (part.type !== 'text') parts.push(part);
    else
      parts.push(
        { type: 'text-start', id },
        ...(part.text.match(/.{1,5}/gs) ?? []).map((delta) => ({ type: 'text-delta', id, delta })),
        { type: 'text-end', id },
      );
  }
  parts.push({ type: 'finish', finishReason, usage });
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** What the model saw of each call in these requests: its result, and its args in the history. */
export function seenIn(requests) {
  const seen = {};
  const history = {};
  for (const part of requests.flat().flatMap(({ content }) => (Array.isArray(content) ? content : []))) {
    if (part.type === 'tool-call') history[part.toolCallId] = part.input;
    if (part.type !== 'tool-result') continue;
    const { type, value, reason } = part.output;
    const text = value ?? reason ?? '';
    seen[part.toolCallId] = {
      text: typeof text === 'string' ? text : JSON.stringify(text),
      isError: type !== 'text' && type !== 'json' && type !== 'content',
    };
  }
  return { seen, history };
}
