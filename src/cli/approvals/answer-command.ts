/**
 * `bridle approvals approve` and `deny`: the whole call is shown, then a person answers with their key. What is signed is
 * what was shown: a record that was changed or settled meanwhile is not answered.
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

export function approveCommand(run: StoreInvocation<AnswerFlags>): Promise<number> {
  return answer('approve', run);
}

export function denyCommand(run: StoreInvocation<AnswerFlags>): Promise<number> {
  return answer('deny', run);
}

async function answer(type: ApproverAnswer['type'], run: StoreInvocation<AnswerFlags>): Promise<number> {
  try {
    refuseAgents(run.scene.env);
    const given = readAnswerFlags(type, run.options);
    return await withStore(run.options, run.scene.env, (store) => new AnswerCommand(store, run).answer(given));
  } catch (error) {
    if (!(error instanceof BridleError && error.code === 'APPROVAL_REFUSED')) throw error;
    writeTo(stderr, problemText(error));
    if (run.options.json === true) writeTo(stdout, problemJson(error));
    return approvalExitCodes.refused;
  }
}

class AnswerCommand {
  private readonly paint: Paint;

  constructor(
    private readonly store: Store,
    private readonly run: StoreInvocation<AnswerFlags>,
  ) {
    const { env, streams } = run.scene;
    this.paint = paintWith(shouldUseColours(env, streams.stdout.isTTY) && run.options.json !== true);
  }

  async answer(given: ApproverAnswer): Promise<number> {
    const { words, options } = this.run;
    const record = await findApproval(this.store, words[0] ?? '');
    this.checkDigest(record);
    const approver = chooseLocalApprover(this.store.keys.folder, options.as);
    const problem = answererProblem(approver.name, record);
    if (problem !== undefined) throw new BridleError('APPROVAL_REFUSED', `Approval ${record.id}: ${problem}.`);
    refuseAnswersFromRun({ askers: await this.askersOf(record), isLocked: approver.isLocked });
    this.show(record, given);
    if (record.state !== 'pending') return this.reportNotAccepted(record);
    if (!this.isConfirmed(given)) return this.reportUnanswered(record);
    const credential = unlockKey(approver, this.store.keys.folder, this.run.scene);
    const { won, record: after } = await this.store.approvals.answer(signAnswer(credential, record, given));
    return won ? this.reportAccepted(after) : this.reportNotAccepted(after);
  }

  /** Whoever asked, and whoever has the run now. */
  private async askersOf({ asker, run }: ApprovalRecord): Promise<readonly ApprovalRecord['asker'][]> {
    const owner = run === undefined ? undefined : (await this.store.runs.get(run))?.owner;
    return owner === undefined ? [asker] : [asker, owner];
  }

  private checkDigest({ id, digest }: ApprovalRecord): void {
    const { digest: seen } = this.run.options;
    if (seen === undefined) return;
    if (!/^[0-9a-f]{8,64}$/i.test(seen)) throw usageError('--digest takes the first 8 or more of its 64 hex digits');
    if (!digest.startsWith(seen.toLowerCase())) {
      throw new BridleError(
        'APPROVAL_REFUSED',
        `Approval ${id} is not the one you have seen: its digest is ${digest}.`,
      );
    }
  }

  /** Before a yes a person has everything before them; for a program it is in the answer. */
  private show(record: ApprovalRecord, given: ApproverAnswer): void {
    if (this.run.options.json === true) return;
    const edited = given.type === 'approve' && given.args !== undefined ? editLines(given.args) : [];
    const remembered = given.remember === undefined ? [] : [rememberLine(record, given)];
    const lines = [...approvalCard(this.masked(record), Date.now(), this.paint), ...edited, ...remembered];
    writeTo(stdout, `${lines.join('\n')}\n`);
  }

  private isConfirmed({ type }: ApproverAnswer): boolean {
    const { options, scene } = this.run;
    if (options.yes === true) return true;
    if (options.json === true || terminalOf(scene.streams) === undefined) {
      throw usageError('there is no terminal to ask you: read the call with bridle approvals show, then add --yes');
    }
    return askYesNo(type === 'approve' ? 'Let it run?' : 'Deny it?');
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
    const by = state === 'expired' ? 'nobody answered in time' : `by ${changes.at(-1)?.by ?? 'somebody'}`;
    return this.writeResult(
      { won: false, record },
      approvalExitCodes.notAccepted,
      `not taken: it is ${state} already, ${by}`,
    );
  }

  private reportUnanswered(record: ApprovalRecord): number {
    return this.writeResult({ won: false, record }, approvalExitCodes.notAccepted, 'nothing was answered');
  }

  private writeResult(
    data: { readonly won: boolean; readonly record: ApprovalRecord },
    code: number,
    text: string,
  ): number {
    const told = { ...data, record: this.masked(data.record) };
    const said = this.run.options.json === true ? safeJson(told) : safeText(text);
    return writeTo(stdout, `${said}\n`) ? code : approvalExitCodes.brokenPipe;
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
  return `and ${span} whenever ${isRule ? `this fits: ${safeText(proposal ?? 'nothing')}` : 'exactly this call comes again'}`;
}
