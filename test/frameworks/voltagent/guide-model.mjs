import { scriptedModel } from '../../../drivers/scripted-model.mjs';
import { nextAnswer } from '../../../guide-script.mjs';

/** The model of the guide, with a script instead of a provider. */
export const model = scriptedModel(
  (prompt) => {
    const start = prompt.findLastIndex(({ role }) => role === 'user');
    const results = prompt.slice(start).flatMap(({ role, content }) => (role === 'tool' ? content : []));
    return nextAnswer(
      prompt[start].content[0].text,
      results.map(({ output }) => String(output.value ?? output.reason)),
    );
  },
  { spec: 'v3', requests: [] },
);
