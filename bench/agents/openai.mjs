/** The OpenAI Agents SDK: an agent, a runner without tracing, and a memory session each. */

import { Agent, MemorySession, Runner, tool, Usage } from '@openai/agents';
import { description, instructions, schema } from '../turn/script.mjs';

export function createHost({ script, run }) {
  const lookup = tool({ name: 'lookup', description, parameters: schema, execute: run });
  const agent = new Agent({ name: 'bench', instructions, model: new Model(script), tools: [lookup] });
  const runner = new Runner({ tracingDisabled: true });
  return {
    open() {
      const session = new MemorySession();
      return {
        async turn(prompt) {
          const result = await runner.run(agent, prompt, { session, maxTurns: script.steps + 1 });
          return result.finalOutput;
        },
      };
    },
  };
}

class Model {
  constructor(script) {
    this.script = script;
  }

  async getResponse() {
    const { calls, text } = this.script.next();
    const output = calls === undefined ? [toMessage(text)] : calls.map(toCall);
    return { usage: new Usage({ requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 }), output };
  }
}

const toCall = ({ id, name, input }) => ({
  type: 'function_call',
  callId: id,
  name,
  arguments: input,
  status: 'completed',
});

const toMessage = (text) => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});
