import type { Rule } from '../../kernel/policy/rules/rule.ts';
import type { PolicyFile } from '../policy-file.ts';

/** Forbids the tools that a file disables, even if the server lists them. */
export function serverRules({ file, servers = [] }: PolicyFile): readonly Rule[] {
  return servers.flatMap(({ name, enabledTools, disabledTools, at }): readonly Rule[] => {
    if (enabledTools === undefined && disabledTools === undefined) return [];
    const disabled = new Set(disabledTools);
    const enabled = enabledTools === undefined ? undefined : new Set(enabledTools);
    return [
      {
        type: 'rule',
        effect: 'forbid',
        target: { type: 'server', server: name },
        name: `tools of ${name}`,
        reason: `The policy disables this tool of the server "${name}"`,
        when: (_args, { tool }) => disabled.has(tool) || (enabled !== undefined && !enabled.has(tool)),
        at: `${file}:${at.line}`,
        fingerprint: JSON.stringify([enabledTools ?? null, disabledTools ?? null]),
      },
    ];
  });
}
