/** LangChain: `createAgent` with its memory checkpointer, one thread per session. */

import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { createAgent, tool } from 'langchain';
import { MemorySaver } from '@langchain/langgraph';
import { description, instructions, schema } from '../turn/script.mjs';

export function createHost({ script, run }) {
  const lookup = tool(run, { name: 'lookup', description, schema: schema });
  const checkpointer = new MemorySaver();
  const agent = createAgent({
    model: new ScriptedChatModel(script),
    tools: [lookup],
    systemPrompt: instructions,
    checkpointer,
  });
  let threads = 0;
  return {
    open() {
      const config = { configurable: { thread_id: `thread-${threads++}` }, recursionLimit: script.steps * 2 + 5 };
      return {
        async turn(prompt) {
          const { messages } = await agent.invoke({ messages: [{ role: 'user', content: prompt }] }, config);
          return messages.at(-1).text;
        },
      };
    },
  };
}

class ScriptedChatModel extends BaseChatModel {
  constructor(script) {
    super({});
    this.script = script;
  }

  _llmType() {
    return 'scripted';
  }

  bindTools() {
    return this;
  }

  async _generate() {
    const { calls, text = '' } = this.script.next();
    const tool_calls = calls?.map(({ id, name, args }) => ({ type: 'tool_call', id, name, args: { ...args } }));
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls }) }] };
  }
}
