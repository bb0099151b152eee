/**
 * Remembers the answers of an approver (Q02). An answer counts for exactly the call that was shown, under the same
 * policy, or for the calls that an accepted rule covers. The guard decides which answers are remembered and for how long.
 */

import type {
  ApprovalRequest,
  Approver,
  ApproverMemory,
  AskedCall,
  ProposalSubject,
  RememberedRule,
  ReusableAnswer,
} from '../kernel/approval.ts';
import type { Clock } from '../kernel/clock.ts';
import { BridleError } from '../kernel/errors.ts';
import { canonicalJson } from '../kernel/json.ts';
import { getOrCreate } from '../kernel/lazy.ts';
import type { MaybePromise } from '../kernel/maybe-promise.ts';
import * as is from '../kernel/shapes.ts';
import { readOptions } from '../kernel/shapes.ts';

/** Proposes rules to remember, and decides which calls they cover. */
export interface RuleProposer {
  propose(subject: ProposalSubject): RememberedRule | undefined;
  covers(rule: RememberedRule, subject: ProposalSubject): boolean;
}

/** What identifies a call when a remembered answer is looked up. */
export interface AnswerQuery {
  /** Identifies everything a person saw of the call, the agent that called, and the policy version. */
  readonly binding: string;
  /** The same as `binding` but without args, question texts and paths, which a remembered rule may leave open. */
  readonly group: string;
  readonly request: ApprovalRequest;
  readonly turn: number;
  /** True if the rule covers this call. */
  readonly covers: (rule: RememberedRule) => boolean;
}

/** Stores remembered answers, either in the session or in a store. */
export interface AnswerMemory {
  find(query: AnswerQuery): MaybePromise<(ReusableAnswer & { readonly leftMs: number }) | undefined>;
  keep(query: AnswerQuery, answer: ReusableAnswer, forMs: number): MaybePromise<void>;
}

export interface RememberOptions {
  /** Where answers are kept. Default: in the session, until it ends. */
  readonly answers?: AnswerMemory | undefined;
  /** Proposes rules that a person can accept instead of approving each call: `ruleProposals()`. */
  readonly proposals?: RuleProposer | undefined;
}

/**
 * The same approver, whose answers with `remember` are reused.
 *
 * @example
 * ```ts
 * import { ask, createGuard } from 'bridle';
 * import { rememberAnswers, ruleProposals } from 'bridle/policy-files';
 * import { builtinTools } from 'bridle/tools';
 *
 * const guard = createGuard({
 *   tools: builtinTools,
 *   policy: ask('run_command'),
 *   approver: rememberAnswers(
 *     ({ proposal }) => ({ type: 'approve', remember: 'session', rule: proposal !== undefined }),
 *     { proposals: ruleProposals() },
 *   ),
 * });
 * ```
 */
export function rememberAnswers(approver: Approver, options: RememberOptions = {}): Approver {
  if (typeof approver !== 'function') {
    throw new BridleError(
      'OPTION_INVALID',
      'rememberAnswers(approver, options) needs an approver, which is a function',
    );
  }
  const memory = new RememberedAnswers(readOptions('rememberAnswers', options, shape));
  const remembering: Approver = (request, asking) => approver(request, asking);
  return Object.assign(remembering, { earlier: approver.earlier?.bind(approver), memory, signed: approver.signed });
}

const shape = is.options<RememberOptions>({
  answers: is.methods('find', 'keep'),
  proposals: is.methods('propose', 'covers'),
});

class RememberedAnswers implements ApproverMemory {
  private readonly bySession = new WeakMap<object, SessionAnswers>();

  constructor(private readonly options: RememberOptions) {}

  propose(asked: AskedCall): RememberedRule | undefined {
    return this.proposalsFor(asked)?.propose(asked.subject);
  }

  find(asked: AskedCall): ReturnType<AnswerMemory['find']> {
    return this.answersOf(asked).find(this.queryOf(asked));
  }

  keep(asked: AskedCall, answer: ReusableAnswer, forMs: number): MaybePromise<void> {
    return this.answersOf(asked).keep(this.queryOf(asked), answer, forMs);
  }

  private answersOf({ session, clock }: AskedCall): AnswerMemory {
    return this.options.answers ?? getOrCreate(this.bySession, session, () => new SessionAnswers(clock));
  }

  /** A call that a deny or forbid rule may match is always asked about: no remembered rule may cover it (Q02, P19). */
  private proposalsFor({ request }: AskedCall): RuleProposer | undefined {
    const mayBeDenied = request.questions.some(({ rule }) => rule?.effect === 'deny' || rule?.effect === 'forbid');
    return mayBeDenied ? undefined : this.options.proposals;
  }

  private queryOf(asked: AskedCall): AnswerQuery {
    const { request, askers, subject } = asked;
    const { call, questions, paths, policyVersion } = request;
    const { session, agent, tool, server, args, cwd } = call;
    const texts = questions.map(({ text }) => text);
    const resolved = paths.map(({ path, identity }) => [path, identity?.device, identity?.inode]);
    const group = JSON.stringify([session, agent, tool, server, cwd, policyVersion, askers]);
    const proposals = this.proposalsFor(asked);
    return {
      group,
      binding: JSON.stringify([group, canonicalJson(args), texts, resolved]),
      request,
      turn: call.turn,
      covers: (rule) => proposals?.covers(rule, subject) === true,
    };
  }
}

interface Entry extends ReusableAnswer {
  /** When it expires, in monotonic time. */
  readonly until: number;
}

const maxAnswers = 1000;

/** Remembered answers in memory. */
export class SessionAnswers implements AnswerMemory {
  private readonly answers = new Map<string, Entry>();

  constructor(private readonly clock: Clock) {}

  find({ binding, group, turn, covers }: AnswerQuery): (ReusableAnswer & { readonly leftMs: number }) | undefined {
    const now = this.clock.now();
    const isValid = (entry: Entry): boolean => entry.until > now && (entry.turn === undefined || entry.turn === turn);
    let found = this.answers.get(binding);
    if (found !== undefined && !isValid(found)) {
      this.answers.delete(binding);
      found = undefined;
    }
    // Answers with a rule are stored under their group followed by the rule.
    for (const [key, entry] of found === undefined ? this.answers : []) {
      if (entry.rule === undefined || !key.startsWith(group) || !isValid(entry) || !covers(entry.rule)) continue;
      found = entry;
      break;
    }
    return found && { ...found, leftMs: found.until - now };
  }

  keep({ binding, group }: AnswerQuery, answer: ReusableAnswer, forMs: number): void {
    const now = this.clock.now();
    if (this.answers.size >= maxAnswers) this.forget(now);
    const key = answer.rule === undefined ? binding : group + JSON.stringify(answer.rule);
    this.answers.set(key, { ...answer, until: now + forMs });
  }

  /** Drops expired answers, and the oldest ones if that is not enough. At worst, a person is asked again. */
  private forget(now: number): void {
    for (const [binding, { until }] of this.answers) if (until <= now) this.answers.delete(binding);
    for (const binding of this.answers.keys()) {
      if (this.answers.size < maxAnswers) break;
      this.answers.delete(binding);
    }
  }
}
