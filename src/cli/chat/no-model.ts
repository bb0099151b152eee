import { providers } from '../../agent/model/providers/load-model.ts';
import type { BridleError } from '../../kernel/errors.ts';
import { usageError } from '../command/command-row.ts';

/** Says how to choose a model. */
export function noModelError(agentFile: string | undefined): BridleError {
  const rows = Array.from(providers, ([name, { package: install, key }]) => {
    return [`--model ${name}/<id>`, `npm install ${install}, set ${key}`] as const;
  });
  const own = ['--agent <file>', 'your own agent, with its model'] as const;
  const width = Math.max(...rows.map(([option]) => option.length));
  return usageError(
    [
      agentFile === undefined
        ? 'chat needs a model. Choose one:'
        : `${agentFile} has no model. Set its option, or choose one:`,
      ...[...rows, own].map(([option, needs]) => `  ${option.padEnd(width)}  ${needs}`),
      'To see what Bridle does without a model: npx bridle tour',
    ].join('\n'),
  );
}
