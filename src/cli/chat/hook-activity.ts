/** Counts what the hooks of a chat do, for `/hooks`. */

import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import { type PointName, pointNames } from '../../kernel/hooks/points/points.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

interface PointActivity {
  calls: number;
  failures: number;
  /** How often each kind of answer was given: `reject`, `replace`. */
  readonly answers: Map<string, number>;
}

interface WatchedHook {
  readonly name: string;
  /** Where the hook comes from: `--hook ./audit.mjs`. */
  readonly origin: string;
  readonly points: Map<PointName, PointActivity>;
}

type AnyMethod = (payload: unknown, context: unknown) => unknown;

export class HookActivity {
  private readonly watched: WatchedHook[] = [];

  /** The same hook; its calls are counted. */
  watch(hook: Hook, origin: string): Hook {
    // An invalid hook is reported when it is registered.
    if (typeof hook !== 'object' || hook === null) return hook;
    const points = new Map<PointName, PointActivity>();
    const methods: Partial<Record<PointName, AnyMethod>> = {};
    for (const point of pointNames) {
      const method: unknown = Reflect.get(hook, point);
      if (typeof method !== 'function') continue;
      const activity: PointActivity = { calls: 0, failures: 0, answers: new Map() };
      points.set(point, activity);
      methods[point] = (...given) => counted(activity, () => (method as AnyMethod).apply(hook, given));
    }
    this.watched.push({ name: String(hook.name), origin, points });
    // Name and options are inherited, also from the class of the hook.
    const inherited: Hook = Object.create(hook) as Hook;
    for (const [point, method] of Object.entries(methods))
      Object.defineProperty(inherited, point, { value: method, enumerable: true });
    return inherited;
  }

  text(): string {
    if (this.watched.length === 0)
      return 'There are no hooks. Add one with --hook ./hook.mjs, or with "hooks" in the policy file.';
    return this.watched.map(hookText).join('\n');
  }
}

function counted(activity: PointActivity, call: () => unknown): unknown {
  activity.calls++;
  try {
    const answer = call();
    if (answer instanceof Promise)
      void answer.then(
        (given) => note(activity, given),
        () => void activity.failures++,
      );
    else note(activity, answer);
    return answer;
  } catch (error) {
    activity.failures++;
    throw error;
  }
}

function note({ answers }: PointActivity, answer: unknown): void {
  const type: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'type') : undefined;
  if (typeof type === 'string') answers.set(type, (answers.get(type) ?? 0) + 1);
}

function hookText({ name, origin, points }: WatchedHook): string {
  const lines = [...points].map(([point, { calls, failures, answers }]) => {
    const parts = [
      countText(calls, 'call'),
      ...[...answers].map(([type, count]) => `${count} × ${safeText(type)}`),
      ...(failures === 0 ? [] : [countText(failures, 'failure')]),
    ];
    return `    ${point}: ${parts.join(', ')}`;
  });
  return [`  ${safeText(name)} (${safeText(origin)})`, ...lines].join('\n');
}

function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
