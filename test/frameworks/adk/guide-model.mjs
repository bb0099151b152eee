import { BaseLlm, LogLevel, setLogLevel } from '@google/adk';
import { nextAnswer } from '../../../guide-script.mjs';

setLogLevel(LogLevel.ERROR);

/** The model of the guide, with a script instead of a provider. */
class GuideModel extends BaseLlm {
  async *generateContentAsync({ contents }) {
    const parts = contents.flatMap((content) => content.parts ?? []);
    const results = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
    const { text, toolCalls = [] } = nextAnswer(
      parts[0].text,
      results.map(({ response: { error, result, content } }) => error ?? result ?? content[0].text),
    );
    const calls = toolCalls.map(({ id, tool: name, args }) => ({ functionCall: { id, name, args } }));
    yield { content: { role: 'model', parts: text === undefined ? calls : [{ text }] } };
  }
}

export const model = new GuideModel({ model: 'guide' });
