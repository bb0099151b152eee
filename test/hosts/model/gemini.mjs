/** Google's generateContent: Gemini CLI. Its history may drop ids of calls, so turns are counted. */

import { userTexts } from './history.mjs';

/** For requests that want JSON instead of a turn. */
const side = { reasoning: 'scripted', next_speaker: 'user', model_choice: 'flash', complexity_score: 1 };

export const gemini = {
  matches: /:(?:streamGenerateContent|generateContent)$/,
  isStream: (_, path) => path.endsWith(':streamGenerateContent'),
  hasTools: (body) => !wantsJson(body) && JSON.stringify(body.tools ?? []).includes('functionDeclarations'),
  firstTexts: (body) => userTexts(body.contents),
  turnOf: (body) =>
    (body.contents ?? []).filter(({ role, parts }) => role === 'model' && parts?.some((part) => part.functionCall))
      .length,

  resultsIn: (body) =>
    body.contents
      .flatMap(({ parts }) => parts ?? [])
      .filter(({ functionResponse }) => functionResponse !== undefined)
      .map(({ functionResponse: { id, response } }) => ({ id: String(id), text: JSON.stringify(response) })),

  send({ response, stream, body, text, calls, id }, { sendJson, sendEvents }) {
    const parts = wantsJson(body)
      ? [{ text: JSON.stringify(side) }]
      : [
          ...(text === undefined ? [] : [{ text }]),
          ...calls.map((call) => ({ functionCall: { id: call.id, name: call.name, args: call.input } })),
        ];
    const answer = {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
      modelVersion: 'scripted',
      responseId: `response_${id}`,
    };
    return stream ? sendEvents(response, [answer]) : sendJson(response, answer);
  },
};

function wantsJson({ generationConfig: config }) {
  return config?.responseJsonSchema !== undefined || config?.responseSchema !== undefined;
}
