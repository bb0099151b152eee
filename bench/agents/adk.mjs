/** Google's ADK: an agent in its in-memory runner, which keeps the sessions. */

import { BaseLlm, FunctionTool, InMemoryRunner, LlmAgent, LogLevel, setLogLevel } from '@google/adk';
import { description, instructions, schema } from '../turn/script.mjs';

const appName = 'bench';
const userId = 'user';

export function createHost({ script, run }) {
  setLogLevel(LogLevel.ERROR);
  const lookup = new FunctionTool({ name: 'lookup', description, parameters: schema, execute: run });
  const agent = new LlmAgent({
    name: 'bench',
    model: new ScriptedLlm(script),
    instruction: instructions,
    tools: [lookup],
  });
  const runner = new InMemoryRunner({ agent, appName });
  return {
    async open() {
      const { id } = await runner.sessionService.createSession({ appName, userId });
      return { turn: (prompt) => turn(runner, id, prompt) };
    },
  };
}

async function turn(runner, sessionId, prompt) {
  const newMessage = { role: 'user', parts: [{ text: prompt }] };
  let text = '';
  for await (const event of runner.runAsync({ userId, sessionId, newMessage })) {
    for (const part of event.content?.parts ?? []) text += part.text ?? '';
  }
  return text;
}

class ScriptedLlm extends BaseLlm {
  constructor(script) {
    super({ model: 'scripted' });
    this.script = script;
  }

  async *generateContentAsync() {
    const { calls, text } = this.script.next();
    const parts =
      calls === undefined
        ? [{ text }]
        : calls.map(({ id, name, args }) => ({ functionCall: { id, name, args: { ...args } } }));
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    yield { content: { role: 'model', parts }, turnComplete: true, usageMetadata };
  }
}
