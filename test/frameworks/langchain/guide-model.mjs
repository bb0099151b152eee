import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { nextAnswer } from '../../../guide-script.mjs';

/** The model of the guide: it follows the prompt. */
class GuideModel extends BaseChatModel {
  _llmType() {
    return 'guide';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const last = messages.findLastIndex((message) => message.getType() === 'human');
    const results = messages.slice(last + 1).filter((message) => message.getType() === 'tool');
    const { text = '', toolCalls = [] } = nextAnswer(
      messages[last].text,
      results.map((message) => message.text),
    );
    const calls = toolCalls.map(({ id, tool: name, args }) => ({ id, name, args, type: 'tool_call' }));
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls: calls }) }] };
  }
}

export const model = new GuideModel({});
