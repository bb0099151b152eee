/** The Strands SDK: its agent is a session, so each session is an agent; model and tool are shared. */

import { Agent, Model, tool } from '@strands-agents/sdk';
import { description, instructions, schema } from '../turn/script.mjs';

export function createHost({ script, run }) {
  const model = new ScriptedModel(script);
  const lookup = tool({ name: 'lookup', description, inputSchema: schema, callback: run });
  return {
    open() {
      const agent = new Agent({ model, tools: [lookup], systemPrompt: instructions, printer: false });
      return {
        async turn(prompt) {
          const result = await agent.invoke(prompt);
          return result.lastMessage.content.map((block) => block.text ?? '').join('');
        },
      };
    },
  };
}

class ScriptedModel extends Model {
  constructor(script) {
    super();
    this.script = script;
  }

  updateConfig() {}

  getConfig() {
    return { modelId: 'scripted' };
  }

  async *stream() {
    const { calls, text } = this.script.next();
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    if (calls === undefined) {
      yield { type: 'modelContentBlockStartEvent' };
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text } };
      yield { type: 'modelContentBlockStopEvent' };
    }
    for (const { id, name, input } of calls ?? []) {
      yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name, toolUseId: id } };
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'toolUseInputDelta', input } };
      yield { type: 'modelContentBlockStopEvent' };
    }
    yield { type: 'modelMessageStopEvent', stopReason: calls === undefined ? 'endTurn' : 'toolUse' };
    yield { type: 'modelMetadataEvent', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
  }
}
