import type { History } from '../../model/history.ts';

/**
 * Replaces tool results that a hook refused to send to the model. Left in the history, they would block every later
 * turn.
 */
export function withholdResults(history: History): void {
  const last = history.at(-1);
  if (last?.role !== 'tool') return;
  const value = 'The tool ran, but its result was withheld because a hook refused to send it to the model.';
  const content = last.content.map((part) =>
    part.type === 'tool-result' ? { ...part, output: { type: 'error-text', value } as const } : part,
  );
  history.truncate(history.length - 1);
  history.append({ role: 'tool', content });
}
