import { Model } from '@strands-agents/sdk';
import { nextAnswer } from '../../../guide-script.mjs';

/** The model of the guide, with a script instead of a provider. */
class GuideModel extends Model {
  updateConfig() {}

  getConfig() {
    return { modelId: 'guide' };
  }

  async *stream(messages) {
    const start = messages.findLastIndex(({ content }) => content.some(({ type }) => type === 'textBlock'));
    const results = messages.slice(start + 1).flatMap(({ content }) => content.filter(isResult));
    const { text, toolCalls = [] } = nextAnswer(
      messages[start].content[0].text,
      results.map(({ content }) => content[0].text),
    );
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    if (text !== undefined) {
      yield { type: 'modelContentBlockStartEvent' };
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text } };
      yield { type: 'modelContentBlockStopEvent' };
    }
    for (const { id: toolUseId, tool: name, args } of toolCalls) {
      yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name, toolUseId } };
      const delta = { type: 'toolUseInputDelta', input: JSON.stringify(args) };
      yield { type: 'modelContentBlockDeltaEvent', delta };
      yield { type: 'modelContentBlockStopEvent' };
    }
    yield { type: 'modelMessageStopEvent', stopReason: text === undefined ? 'toolUse' : 'endTurn' };
  }
}

function isResult({ type }) {
  return type === 'toolResultBlock';
}

export const model = new GuideModel();
