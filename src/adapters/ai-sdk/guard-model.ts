/** Guards a model of the AI SDK: hooks at `preLlmCall`, `postLlmCall` and `onLlmError` see and change its calls. */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { BridleError } from '../../kernel/errors.ts';
import type { Turn } from '../../kernel/guard/turn.ts';
import { quoteName } from '../../kernel/names.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { checkVersion, refuseMissing } from '../installed-version.ts';
import { modelPoints } from '../model-call.ts';
import { type ChatMessage, positionOf, refusalsIn, userName } from './approvals.ts';
import { frameworkName, type GuardToolsOptions, testedVersions } from './guard-tools.ts';
import { type AiModel, withGuardedCalls } from './model-calls.ts';

export type GuardModelOptions = Pick<GuardToolsOptions, 'session' | 'agent' | 'providerTools'>;

/** Returns the same model, guarded. Tools that are not guarded are refused by name. */
export function guardModel<M extends AiModel>(guard: FrameworkGuard, model: M, options: GuardModelOptions = {}): M {
  checkVersion(testedVersions);
  if (typeof model === 'string') {
    throw new BridleError('OPTION_INVALID', `guardModel takes a model, not the name ${quoteName(model)}`);
  }
  refuseMissing('the AI SDK', {
    'doGenerate of the model': typeof model.doGenerate === 'function',
    'doStream of the model': typeof model.doStream === 'function',
  });
  guard.attach({ framework: frameworkName, points: modelPoints, tools: [] });
  return withGuardedCalls(model, (call) => turnOf(guard, call, options));
}

async function turnOf(
  guard: FrameworkGuard,
  call: LanguageModelV4CallOptions,
  options: GuardModelOptions,
): Promise<Turn> {
  refuseUnguarded(guard, call, options);
  const session = await guard.session(frameworkName, options.session ?? guard.defaultSession);
  const messages = call.prompt as readonly unknown[] as readonly ChatMessage[];
  const { agent } = options;
  for (const { id, reason } of refusalsIn(messages)) {
    // The SDK runs nothing for a refusal, so it is recorded here.
    const question = session.questionOf({ id, agent });
    const tool = question && guard.attachedTool(question);
    if (question === undefined || tool === undefined) continue;
    const answer = { type: 'deny', reason, by: userName } as const;
    await session.decide({ id, tool, args: question.args, agent, ...positionOf(messages, id) }, answer);
  }
  return session.turn({ agent, ...positionOf(messages) });
}

/** A tool that was passed to the SDK without `guardTools` would run unguarded (B03). */
function refuseUnguarded(
  guard: FrameworkGuard,
  { tools = [] }: LanguageModelV4CallOptions,
  { providerTools }: GuardModelOptions,
): void {
  const unguarded = tools.filter(({ type, name }) =>
    type === 'function' ? !guard.isAttached(name) : providerTools !== 'unguarded',
  );
  if (unguarded.length === 0) return;
  const names = unguarded.map(({ name }) => quoteName(name)).join(', ');
  throw new BridleError(
    'TOOL_INVALID',
    `${names} would run unguarded: pass it through guardTools, or, if the provider runs it, set providerTools: 'unguarded'`,
  );
}
