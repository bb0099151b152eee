/**
 * `bridle approvals approve` and `deny`: shows the whole call, asks for confirmation, and signs the answer. The signature
 * covers what was shown: an answer to a record that changed or was settled meanwhile is not accepted.
 */

import { BridleError } from '../../kernel/errors.ts';
import { makeVisible } from '../../kernel/guard/calls/show-call.ts';
import { answererProblem } from '../../approvals/signing/answer-problem.ts';
import type { ApprovalRecord, ApproverAnswer } from '../../approvals/signing/approval-record.ts';
import { signAnswer } from '../../approvals/signing/sign-answer.ts';
import type { Store } from '../../store/store.ts';
import { refuseAgents, refuseAnswersFromRun } from './refuse-agents.ts';
import { approvalExitCodes } from '../exit/approval-exit-codes.ts';
import { approvalCard } from './approval-text.ts';
import { chooseLocalApprover, unlockKey } from './approver-key.ts';
import { findApproval } from './show-command.ts';
import { shouldUseColours } from '../output/command-report.ts';
import { type AnswerFlags, readAnswerFlags } from './answer-flags.ts';
import { maskedApproval, maskOf } from '../output/masked-records.ts';
import { type Paint, paintWith } from '../../terminal/output/paint.ts';
import { usageError } from '../options/usage-error.ts';
import { problemJson, problemText } from '../output/problem-text.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { withStore } from '../options/store-options.ts';
import { terminalOf } from '../../terminal/output/streams.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { askYesNo } from '../../terminal/dialogs/confirm.ts';
import { safeText, safeJson } from '../../terminal/output/safe-text.ts';

const [stdout, stderr] = [1, 2];

export function approveCommand(invocation: StoreInvocation<AnswerFlags>): Promise<number> {
  return answer('approve', invocation);
}

export function denyCommand(invocation: StoreInvocation<AnswerFlags>): Promise<number> {
  return answer('deny', invocation);
}

async function answer(type: ApproverAnswer['type'], invocation: StoreInvocation<AnswerFlags>): Promise<number> {
  try {
    refuseAgents(invocation.context.env);
    const given = readAnswerFlags(type, invocation.options);
    return await withStore(invocation.options, invocation.context.env, (store) =>
      new AnswerCommand(store, invocation).answer(given),
    );
  } catch (error) {
    if (!(error instanceof BridleError && error.code === 'APPROVAL_REFUSED')) throw error;
    writeTo(stderr, problemText(error));
    if (invocation.options.json === true) writeTo(stdout, problemJson(error));
    return approvalExitCodes.refused;
  }
}

class AnswerCommand {
  private readonly paint: Paint;

  constructor(
    private readonly store: Store,
    private readonly invocation: StoreInvocation<AnswerFlags>,
  ) {
    const { env, streams } = invocation.context;
    this.paint = paintWith(shouldUseColours(env, streams.stdout.isTTY) && invocation.options.json !== true);
  }

  async answer(given: ApproverAnswer): Promise<number> {
    const { positionals, options } = this.invocation;
    const record = await findApproval(this.store, positionals[0] ?? '');
    this.checkDigest(record);
    const approver = chooseLocalApprover(this.store.keys.folder, options.as);
    const problem = answererProblem(approver.name, record);
    if (problem !== undefined) throw new BridleError('APPROVAL_REFUSED', `Approval ${record.id}: ${problem}.`);
    refuseAnswersFromRun({ askers: await this.askersOf(record), isLocked: approver.isLocked });
    this.show(record, given);
    if (record.state !== 'pending') return this.reportNotAccepted(record);
    if (!this.isConfirmed(given)) return this.reportUnanswered(record);
    const credential = unlockKey(approver, this.store.keys.folder, this.invocation.context);
    const { won, record: after } = await this.store.approvals.answer(signAnswer(credential, record, given));
    return won ? this.reportAccepted(after) : this.reportNotAccepted(after);
  }

  /** The process that asked and the one that owns the run now. */
  private async askersOf({ asker, run }: ApprovalRecord): Promise<readonly ApprovalRecord['asker'][]> {
    const owner = run === undefined ? undefined : (await this.store.runs.get(run))?.owner;
    return owner === undefined ? [asker] : [asker, owner];
  }

  private checkDigest({ id, digest }: ApprovalRecord): void {
    const { digest: seen } = this.invocation.options;
    if (seen === undefined) return;
    if (!/^[0-9a-f]{8,64}$/i.test(seen))
      throw usageError('--digest must be 8 to 64 hex digits from the start of the digest');
    if (!digest.startsWith(seen.toLowerCase())) {
      throw new BridleError(
        'APPROVAL_REFUSED',
        `The digest of approval ${id} does not start with ${seen}: this is not the call you saw. Look again: bridle approvals show ${id}`,
      );
    }
  }

  /** Shows everything before the question; with `--json`, the record is in the output instead. */
  private show(record: ApprovalRecord, given: ApproverAnswer): void {
    if (this.invocation.options.json === true) return;
    const edited = given.type === 'approve' && given.args !== undefined ? editLines(given.args) : [];
    const remembered = given.remember === undefined ? [] : [rememberLine(record, given)];
    const lines = [...approvalCard(this.masked(record), Date.now(), this.paint), ...edited, ...remembered];
    writeTo(stdout, `${lines.join('\n')}\n`);
  }

  private isConfirmed({ type }: ApproverAnswer): boolean {
    const { options, context } = this.invocation;
    if (options.yes === true) return true;
    if (options.json === true || terminalOf(context.streams) === undefined) {
      throw usageError(
        'there is no terminal to ask for confirmation: read the call with bridle approvals show, then add --yes',
      );
    }
    return askYesNo(type === 'approve' ? 'Approve this call?' : 'Deny this call?');
  }

  private masked(record: ApprovalRecord): ApprovalRecord {
    return maskedApproval(record, maskOf(this.store));
  }

  private reportAccepted(record: ApprovalRecord): number {
    return this.writeResult(
      { won: true, record },
      approvalExitCodes.ok,
      `${record.state} by ${record.answer?.by ?? ''}`,
    );
  }

  private reportNotAccepted(record: ApprovalRecord): number {
    const { state, changes } = record;
    const settled = state === 'expired' ? 'expired' : `already ${state} by ${changes.at(-1)?.by ?? 'somebody'}`;
    return this.writeResult(
      { won: false, record },
      approvalExitCodes.notAccepted,
      `answer not accepted: the approval is ${settled}`,
    );
  }

  private reportUnanswered(record: ApprovalRecord): number {
    return this.writeResult({ won: false, record }, approvalExitCodes.notAccepted, 'no answer was sent');
  }

  private writeResult(
    data: { readonly won: boolean; readonly record: ApprovalRecord },
    code: number,
    text: string,
  ): number {
    const masked = { ...data, record: this.masked(data.record) };
    const output = this.invocation.options.json === true ? safeJson(masked) : safeText(text);
    return writeTo(stdout, `${output}\n`) ? code : approvalExitCodes.brokenPipe;
  }
}

function editLines(args: object): readonly string[] {
  const shown = JSON.stringify(args, undefined, 2).split('\n').map(makeVisible);
  return ['with these args instead:', ...shown.map((line) => `  ${line}`)];
}

function rememberLine({ proposal }: ApprovalRecord, given: ApproverAnswer): string {
  const { remember } = given;
  const span = typeof remember === 'object' ? `for ${remember.ms / 1000} s` : `for this ${remember}`;
  const isRule = given.type === 'approve' && given.rule === true;
  return `remembered ${span}, for ${isRule ? `every call that matches: ${safeText(proposal ?? 'nothing')}` : 'exactly this call'}`;
}
