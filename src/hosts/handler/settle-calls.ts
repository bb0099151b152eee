/** Records how the calls of a host ended, after the result hooks. */

import type { Approver } from '../../kernel/approval.ts';
import type { ApprovalId } from '../../kernel/ids.ts';
import type { HookAnswer, HostCall, HostEvent } from '../host.ts';
import { callId, Releasing } from './decide-calls.ts';
import { type HandlerOptions, HostPolicy, mayHaveHooks } from './host-policy.ts';
import { type HostSessionParts, openParts, withFolder, withHostSession } from './host-session.ts';
import { SessionStateStore, withoutAsked } from './session-state.ts';

type ResultEvent = Extract<HostEvent, { readonly type: 'tool-result' }>;

/** The model sees what the hooks return, if the host can replace a result. */
export async function settleCalls(event: ResultEvent, options: HandlerOptions): Promise<HookAnswer> {
  const { outcome } = event;
  const parts = await openParts(event, options);
  const states = new SessionStateStore(parts.store, options.host, event);
  const { asked } = await states.load();
  // A command may have changed the folder since it was decided.
  const folderOf = (call: HostCall): string =>
    (Object.hasOwn(asked, callId(call)) && asked[callId(call)]?.cwd) || event.cwd;
  const calls = event.calls.map((call) => withFolder(call, folderOf(call), parts.policy.place.root));
  for (const call of calls) {
    const known = Object.hasOwn(asked, callId(call)) ? asked[callId(call)] : undefined;
    if (known === undefined) continue;
    await recordHostApproval(event, options, { parts, call, question: known.question as ApprovalId });
    await states.update((state) => withoutAsked(state, callId(call)));
  }
  const given = typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome.value);
  const ended = { type: outcome.type, value: outcome.type === 'ok' ? outcome.value : given };
  const texts = await withHostSession(event, options, {
    ...parts,
    calls,
    work: async ({ turn }) => {
      const results: string[] = [];
      for (const call of calls) {
        const { tool, server, args } = call;
        results.push((await turn.settle({ id: callId(call), tool, server, args }, ended)).text);
      }
      return results;
    },
  });
  const replaced = parts.hooks.length === 0 ? undefined : texts.find((text) => text !== given);
  return replaced === undefined || options.observes ? { type: 'pass' } : { type: 'replace-result', text: replaced };
}

/** True if the model must not see a result that the hooks of the policy have not seen, or if nobody knows. */
export async function needsResultHooks(event: ResultEvent, options: HandlerOptions): Promise<boolean> {
  try {
    const hooks = await new HostPolicy(event, options).hooks();
    return hooks.some(({ failOpen }) => failOpen === false);
  } catch {
    return mayHaveHooks(event, options);
  }
}

interface HostApproval {
  readonly parts: HostSessionParts;
  readonly call: HostCall;
  readonly question: ApprovalId;
}

/**
 * The host's prompt was to ask about the call, and the call has run: the person at the host approved it. The hooks have
 * seen the call before, so they are not called again.
 */
async function recordHostApproval(
  event: ResultEvent,
  options: HandlerOptions,
  { parts, call, question }: HostApproval,
): Promise<void> {
  const by = `the user of ${options.host}`;
  const approver: Approver = Object.assign(() => ({ type: 'approve', by, place: 'framework' }) as const, {
    earlier: () => ({ id: question }),
  });
  const { tool, server, args } = call;
  await withHostSession(event, options, {
    ...parts,
    hooks: [],
    calls: [call],
    approver,
    work: ({ turn }) => turn.guard({ id: callId(call), tool, server, args }, new Releasing()),
  });
}
