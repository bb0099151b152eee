/**
 * `bridle approvals approve` and `deny`: the whole call is shown, then a person answers with their key. What is signed is
 * what was shown: a record that was changed or settled meanwhile is not answered.
 */

import { BridleError } from '../errors.ts';
import { makeVisible } from '../guard/show-call.ts';
import { answererProblem } from '../store/approvals/answer-problem.ts';
import type { ApprovalRecord, GivenAnswer } from '../store/approvals/approval-record.ts';
import { signAnswer } from '../store/approvals/sign-answer.ts';
import type { Store } from '../store/store.ts';
import { refuseAgents, refuseOwnAnswers } from './answering-place.ts';
import { approvalExitCodes } from './approval-exit-codes.ts';
import { approvalCard } from './approval-text.ts';
import { chooseApprover, openCredential } from './approver-credential.ts';
import { findApproval } from './approvals-show-command.ts';
import { wantsColours } from './command-report.ts';
import { type AnswerFlags, readAnswerFlags } from './given-answer-flags.ts';
import { maskedApproval, maskOf } from './masked-records.ts';
import { type Paint, paintWith } from './paint.ts';
import { wrong } from './wrong-use.ts';
import { problemJson, problemText } from './problem-text.ts';
import type { StoreRun } from './store-command.ts';
import { withStore } from './store-options.ts';
import { terminalOf } from './streams.ts';
import { writeTo } from './sync-io.ts';
import { askYesNo } from './terminal-confirm.ts';
import { inset, safeJson } from './visible-text.ts';

const [stdout, stderr] = [1, 2];

export function approveCommand(run: StoreRun<AnswerFlags>): Promise<number> {
  return answer('approve', run);
}

export function denyCommand(run: StoreRun<AnswerFlags>): Promise<number> {
  return answer('deny', run);
}

async function answer(type: GivenAnswer['type'], run: StoreRun<AnswerFlags>): Promise<number> {
  try {
    refuseAgents(run.scene.env);
    const given = readAnswerFlags(type, run.options);
    return await withStore(run.options, run.scene.env, (store) => new Answering(store, run).answer(given));
  } catch (error) {
    if (!(error instanceof BridleError && error.code === 'APPROVAL_REFUSED')) throw error;
    writeTo(stderr, problemText(error));
    if (run.options.json === true) writeTo(stdout, problemJson(error));
    return approvalExitCodes.refused;
  }
}

class Answering {
  private readonly paint: Paint;

  constructor(
    private readonly store: Store,
    private readonly run: StoreRun<AnswerFlags>,
  ) {
    const { env, streams } = run.scene;
    this.paint = paintWith(wantsColours(env, streams.stdout.isTTY) && run.options.json !== true);
  }

  async answer(given: GivenAnswer): Promise<number> {
    const { words, options } = this.run;
    const record = await findApproval(this.store, words[0] ?? '');
    this.checkDigest(record);
    const approver = chooseApprover(this.store.keys.folder, options.as);
    const problem = answererProblem(approver.name, record);
    if (problem !== undefined) throw new BridleError('APPROVAL_REFUSED', `Approval ${record.id}: ${problem}.`);
    refuseOwnAnswers({ askers: await this.askersOf(record), isLocked: approver.isLocked });
    this.show(record, given);
    if (record.state !== 'pending') return this.tellLost(record);
    if (!this.isMeant(given)) return this.tellNothing(record);
    const credential = openCredential(approver, this.store.keys.folder, this.run.scene);
    const { won, record: after } = await this.store.approvals.answer(signAnswer(credential, record, given));
    return won ? this.tellTaken(after) : this.tellLost(after);
  }

  /** Whoever asked, and whoever has the run now. */
  private async askersOf({ asker, run }: ApprovalRecord): Promise<readonly ApprovalRecord['asker'][]> {
    const owner = run === undefined ? undefined : (await this.store.runs.get(run))?.owner;
    return owner === undefined ? [asker] : [asker, owner];
  }

  private checkDigest({ id, digest }: ApprovalRecord): void {
    const { digest: seen } = this.run.options;
    if (seen === undefined) return;
    if (!/^[0-9a-f]{8,64}$/i.test(seen)) throw wrong('--digest takes the first 8 or more of its 64 hex digits');
    if (!digest.startsWith(seen.toLowerCase())) {
      throw new BridleError(
        'APPROVAL_REFUSED',
        `Approval ${id} is not the one you have seen: its digest is ${digest}.`,
      );
    }
  }

  /** Before a yes a person has everything before them; for a program it is in the answer. */
  private show(record: ApprovalRecord, given: GivenAnswer): void {
    if (this.run.options.json === true) return;
    const edited = given.type === 'approve' && given.args !== undefined ? editLines(given.args) : [];
    const remembered = given.remember === undefined ? [] : [rememberLine(record, given)];
    const lines = [...approvalCard(this.masked(record), Date.now(), this.paint), ...edited, ...remembered];
    writeTo(stdout, `${lines.join('\n')}\n`);
  }

  private isMeant({ type }: GivenAnswer): boolean {
    const { options, scene } = this.run;
    if (options.yes === true) return true;
    if (options.json === true || terminalOf(scene.streams) === undefined) {
      throw wrong('there is no terminal to ask you: read the call with bridle approvals show, then add --yes');
    }
    return askYesNo(type === 'approve' ? 'Let it run?' : 'Deny it?');
  }

  private masked(record: ApprovalRecord): ApprovalRecord {
    return maskedApproval(record, maskOf(this.store));
  }

  private tellTaken(record: ApprovalRecord): number {
    return this.tell({ won: true, record }, approvalExitCodes.ok, `${record.state} by ${record.answer?.by ?? ''}`);
  }

  private tellLost(record: ApprovalRecord): number {
    const { state, changes } = record;
    const by = state === 'expired' ? 'nobody answered in time' : `by ${changes.at(-1)?.by ?? 'somebody'}`;
    return this.tell({ won: false, record }, approvalExitCodes.notTaken, `not taken: it is ${state} already, ${by}`);
  }

  private tellNothing(record: ApprovalRecord): number {
    return this.tell({ won: false, record }, approvalExitCodes.notTaken, 'nothing was answered');
  }

  private tell(data: { readonly won: boolean; readonly record: ApprovalRecord }, code: number, text: string): number {
    const told = { ...data, record: this.masked(data.record) };
    const said = this.run.options.json === true ? safeJson(told) : inset(text);
    return writeTo(stdout, `${said}\n`) ? code : approvalExitCodes.unread;
  }
}

function editLines(args: object): readonly string[] {
  const shown = JSON.stringify(args, undefined, 2).split('\n').map(makeVisible);
  return ['with these args instead:', ...shown.map((line) => `  ${line}`)];
}

function rememberLine({ proposal }: ApprovalRecord, given: GivenAnswer): string {
  const { remember } = given;
  const span = typeof remember === 'object' ? `for ${remember.ms / 1000} s` : `for this ${remember}`;
  const isRule = given.type === 'approve' && given.rule === true;
  return `and ${span} whenever ${isRule ? `this fits: ${inset(proposal ?? 'nothing')}` : 'exactly this call comes again'}`;
}
