/** The AI SDK: `generateText` with a tool. It has no session; what an application keeps is the list of messages. */

import { generateText, isStepCount, tool } from 'ai';
import { languageModel } from '../turn/language-model.mjs';
import { description, schema } from '../turn/script.mjs';

export function createHost({ script, run }) {
  const model = languageModel(script);
  const tools = { lookup: tool({ description, inputSchema: schema, execute: run }) };
  const settings = { model, tools, stopWhen: isStepCount(script.steps + 1), telemetry: { isEnabled: false } };
  return {
    open() {
      const messages = [];
      return {
        async turn(prompt) {
          messages.push({ role: 'user', content: prompt });
          const result = await generateText({ ...settings, messages });
          messages.push(...result.response.messages);
          return result.text;
        },
      };
    },
  };
}
