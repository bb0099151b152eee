/** Guards a model of the AI SDK: hooks at `preLlmCall`, `postLlmCall` and `onLlmError` see and change its calls. */

import type { ModelCallOptions } from '../../agent/model/model-interface.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { Turn } from '../../kernel/guard/turn.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import { quoteName } from '../../kernel/names.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkSession } from '../framework-session.ts';
import { refuseUnknownOptions } from '../framework-setup.ts';
import { checkVersion, refuseMissing } from '../installed-version.ts';
import { modelPoints } from '../model-call.ts';
import { type ChatMessage, positionOf, refusalsIn, userName } from './approvals.ts';
import { frameworkName, type GuardToolsOptions, testedVersions } from './guard-tools.ts';
import { type AiModel, withGuardedCalls } from './model-calls.ts';
import type { CallPlace } from './tool-calls.ts';

export type GuardModelOptions = Pick<GuardToolsOptions, 'session' | 'agent' | 'providerTools'>;

/** Returns the same model, guarded. Tools that are not guarded are refused by name. */
export function guardModel<M extends AiModel>(guard: FrameworkGuard, model: M, options: GuardModelOptions = {}): M {
  checkVersion(testedVersions);
  refuseUnknownOptions('guardModel', options, ['session', 'agent', 'providerTools']);
  if (typeof model === 'string') {
    throw new BridleError(
      'OPTION_INVALID',
      `guardModel takes a model object, not the name ${quoteName(model)}; use the provider, such as openai('gpt-5')`,
    );
  }
  refuseMissing('the AI SDK', {
    'doGenerate of the model': typeof model.doGenerate === 'function',
    'doStream of the model': typeof model.doStream === 'function',
  });
  guard.attach({ framework: frameworkName, points: modelPoints, tools: [] });
  const { session = guard.defaultSession, agent, providerTools } = options;
  const place = { guard, framework: frameworkName, session, agent };
  return withGuardedCalls(model, (call) => {
    // A tool that was passed to the SDK without `guardTools` would run unguarded (B03).
    refuseTools(call, (tool) =>
      tool.type === 'function'
        ? tool.providerOptions?.['bridle']?.['guard'] === guard.defaultSession || guard.isAccepted(tool.name)
        : providerTools === 'unguarded',
    );
    return turnOfCall(place, call);
  });
}

/** The turn of a model call, by what its prompt says. */
export function turnOfCall(place: CallPlace, { prompt }: ModelCallOptions): MaybePromise<Turn> {
  const { guard, framework, agent } = place;
  const messages = prompt as readonly unknown[] as readonly ChatMessage[];
  const turnIn = (session: FrameworkSession): Turn => session.turn({ agent, ...positionOf(messages) });
  const session = guard.session(framework, place.session);
  if (!(session instanceof Promise) && refusalsIn(messages).length === 0) return turnIn(session);
  return Promise.resolve(session)
    .then((started) => recordRefusals(place, started, messages))
    .then(turnIn);
}

/** The SDK runs nothing for a call that a person has refused, so that is recorded here. */
async function recordRefusals(
  { guard, agent }: CallPlace,
  session: FrameworkSession,
  messages: readonly ChatMessage[],
): Promise<FrameworkSession> {
  for (const { id, reason } of refusalsIn(messages)) {
    const question = session.questionOf({ id, agent });
    const tool = question && guard.attachedTool(question);
    if (question === undefined || tool === undefined) continue;
    const answer = { type: 'deny', reason, by: userName } as const;
    await session.decide({ id, tool, args: question.args, agent, ...positionOf(messages, id) }, answer);
  }
  return session;
}

type ListedTool = NonNullable<ModelCallOptions['tools']>[number];

/** Throws if a tool that the model would see is neither guarded nor accepted as unguarded. */
export function refuseTools({ tools = [] }: ModelCallOptions, isAccepted: (tool: ListedTool) => boolean): void {
  const unguarded = tools.filter((tool) => !isAccepted(tool));
  if (unguarded.length === 0) return;
  const names = unguarded.map(({ name }) => quoteName(name)).join(', ');
  throw new BridleError(
    'TOOL_INVALID',
    `${names} would run unguarded: pass it through the guard (guardTools, guardAgent), or, if the provider runs it, set providerTools: 'unguarded'`,
  );
}
