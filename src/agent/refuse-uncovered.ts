/** Starting is refused while a tool with side effects is covered by no rule. */

import { pairText, quoteName } from '../catalog/names.ts';
import { BridleError } from '../errors.ts';
import type { Hook } from '../hooks/hook.ts';
import type { Assembly } from './assemble.ts';

/** Nothing with side effects runs because nobody thought of it. */
export function refuseUncovered(
  { options, parts, hides, hiddenFrom, ownPolicy }: Assembly,
  hooks: readonly Hook[],
): void {
  const gated = hooks.some((hook) => hook.gate === true && typeof hook.preToolCall === 'function');
  if (options.default !== undefined || gated) return;
  const everyView = [hides, ...hiddenFrom.values()];
  const open = parts.guard.tools.filter(
    (tool) => tool.tier !== 'observe' && ownPolicy.isUncovered(tool) && everyView.some((hidden) => !hidden(tool)),
  );
  if (open.length === 0) return;
  const names = open.map(({ server, name }) => quoteName(pairText(server, name)));
  const message =
    `no rule is about ${names.slice(0, 20).join(', ')}${names.length > 20 ? ` and ${names.length - 20} more` : ''}, ` +
    'which can have side effects: give rules in "policy" (safeDefaults() asks about all of them), hide them with ' +
    '"capabilities", or say with "default" what happens to calls no rule is about';
  throw new BridleError('AGENT_UNSAFE', message);
}
