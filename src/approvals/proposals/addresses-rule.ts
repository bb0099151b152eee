/** Proposes rules about tools that open URLs: the same scheme, host and port, with all other arguments equal. */

import type { ProposalSubject } from '../../kernel/approval.ts';
import { hostOfUrl } from '../../facts/net/host-of-url.ts';
import { parseUrl } from '../../facts/net/parse-url.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { AddressesRule } from './proposed-rule.ts';
import { onlyArgument, withoutArguments } from './rule-arguments.ts';

export function addressesRule({ call, tool }: ProposalSubject): AddressesRule | undefined {
  const argument = addressArgument(tool);
  const origin = argument === undefined ? undefined : originOf(call.args[argument]);
  if (argument === undefined || origin === undefined) return undefined;
  const rest = withoutArguments(call.args, [argument]);
  return { kind: 'addresses', server: call.server ?? null, tool: call.tool, argument, origin, rest };
}

function addressArgument({ touches = {}, commands = [], paths = [] }: ToolDeclaration): string | undefined {
  const { bash = [], folder, reads = [], writes = [], urls = [] } = touches;
  const touchesMore = bash.length + reads.length + writes.length + commands.length + paths.length > 0;
  return touchesMore || folder !== undefined ? undefined : onlyArgument(urls);
}

/** Undefined for a URL that programs parse differently, or that contains credentials. */
function originOf(address: unknown): string | undefined {
  const url = typeof address === 'string' && typeof hostOfUrl(address) === 'string' ? parseUrl(address) : undefined;
  if (url === undefined || url.hostname === '' || url.username !== '' || url.password !== '') return undefined;
  return url.origin;
}
