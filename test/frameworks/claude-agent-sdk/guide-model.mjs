import { fakeClaude } from '../../fake-claude.mjs';
import { nextAnswer } from '../../../guide-script.mjs';

/** The model of the guide, with a script instead of a provider. */
const model = {
  answer(messages) {
    const results = messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isResult) : []));
    const { text, toolCalls = [] } = nextAnswer(
      messages[0].content,
      results.map(({ content }) => content[0].text ?? content),
    );
    const calls = toolCalls.map(({ id, tool, args }) => ({
      type: 'tool_use',
      id,
      name: `mcp__office__${tool}`,
      input: args,
    }));
    return { content: text === undefined ? calls : [{ type: 'text', text }] };
  },
};

function isResult({ type }) {
  return type === 'tool_result';
}

/** The options of the guide: a fake process instead of Claude Code. */
export const options = {
  pathToClaudeCodeExecutable: 'fake',
  spawnClaudeCodeProcess: fakeClaude({ model, sessions: 'sessions.json' }),
};
