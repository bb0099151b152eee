/**
 * `bridle approvals approve` and `deny`: shows the whole call, asks for confirmation, and signs the answer. The signature
 * covers what was shown: an answer to a record that changed or was settled meanwhile is not accepted.
 */

import { BridleError } from '../../kernel/errors.ts';
import { makeVisible } from '../../kernel/guard/calls/show-call.ts';
import { answererProblem, signAnswer } from '../../approvals/signing/signed-answer.ts';
import type { ApprovalRecord, ApproverAnswer } from '../../approvals/signing/approval-record.ts';
import type { SigningKey } from '../../approvals/signing/key-ring.ts';
import { listApprovers, openApproverKey } from '../../store/keys/approver-keys.ts';
import type { Store } from '../../store/store.ts';
import { approvalCard } from './approval-text.ts';
import { type AnswerFlags, readAnswerFlags } from './answer-flags.ts';
import { findApproval } from './show-commands.ts';
import { paintFor } from '../command/command-report.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { type ExitCode, exitCodes } from '../command/exit-codes.ts';
import { maskedApproval, maskOf } from '../command/masked-records.ts';
import { refuseAnswersFromRun } from '../command/refuse-agents.ts';
import { withStore } from '../command/store-options.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { askYesNo, readPassphrase } from '../../terminal/dialogs/blocking-prompts.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import { terminalOf } from '../../terminal/output/streams.ts';

const stdout = 1;

export function approveCommand(invocation: Invocation<AnswerFlags>): Promise<CommandReport> {
  return answer('approve', invocation);
}

export function denyCommand(invocation: Invocation<AnswerFlags>): Promise<CommandReport> {
  return answer('deny', invocation);
}

async function answer(type: ApproverAnswer['type'], invocation: Invocation<AnswerFlags>): Promise<CommandReport> {
  const given = readAnswerFlags(type, invocation.options);
  return withStore(invocation, (store) => new AnswerCommand(store, invocation).answer(given));
}

class AnswerCommand {
  constructor(
    private readonly store: Store,
    private readonly invocation: Invocation<AnswerFlags>,
  ) {}

  async answer(given: ApproverAnswer): Promise<CommandReport> {
    const { positionals, options } = this.invocation;
    const record = await findApproval(this.store, positionals[0] ?? '');
    this.checkDigest(record);
    checkRule(record, given);
    const approver = chooseLocalApprover(this.store.keys.folder, options.as);
    const problem = answererProblem(approver.name, record);
    if (problem !== undefined) throw new BridleError('APPROVAL_REFUSED', `Approval ${record.id}: ${problem}.`);
    refuseAnswersFromRun({ askers: await this.askersOf(record), isLocked: approver.isLocked });
    this.show(record, given);
    if (record.state !== 'pending') return this.reportNotAccepted(record);
    if (!this.isConfirmed(given)) return this.reportUnanswered(record);
    const credential = unlockKey(approver, this.store.keys.folder, this.invocation);
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
    const card = approvalCard(this.masked(record), Date.now(), paintFor(this.invocation));
    const lines = [...card, ...edited, ...remembered];
    writeTo(stdout, `${lines.join('\n')}\n`);
  }

  private isConfirmed({ type }: ApproverAnswer): boolean {
    const { options, streams } = this.invocation;
    if (options.yes === true) return true;
    if (options.json === true || terminalOf(streams) === undefined) {
      throw usageError(
        'there is no terminal to ask for confirmation: read the call with bridle approvals show, then add --yes',
      );
    }
    return askYesNo(type === 'approve' ? 'Approve this call?' : 'Deny this call?');
  }

  private masked(record: ApprovalRecord): ApprovalRecord {
    return maskedApproval(record, maskOf(this.store));
  }

  private reportAccepted(record: ApprovalRecord): CommandReport {
    return this.report({ won: true, record }, exitCodes.ok, `${record.state} by ${record.answer?.by ?? ''}`);
  }

  private reportNotAccepted(record: ApprovalRecord): CommandReport {
    const { state, changes } = record;
    const settled = state === 'expired' ? 'expired' : `already ${state} by ${changes.at(-1)?.by ?? 'somebody'}`;
    const text = `answer not accepted: the approval is ${settled}`;
    return this.report({ won: false, record }, exitCodes.negative, text);
  }

  private reportUnanswered(record: ApprovalRecord): CommandReport {
    return this.report({ won: false, record }, exitCodes.negative, 'no answer was sent');
  }

  private report(
    data: { readonly won: boolean; readonly record: ApprovalRecord },
    code: ExitCode,
    text: string,
  ): CommandReport {
    return { code, data: { ...data, record: this.masked(data.record) }, lines: () => [safeText(text)] };
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

/** Checked before a person confirms and unlocks a key. */
function checkRule({ id, proposal, state }: ApprovalRecord, given: ApproverAnswer): void {
  if (given.type !== 'approve' || given.rule !== true || proposal !== undefined || state !== 'pending') return;
  throw usageError(`no rule is proposed for approval ${id}: leave out --rule to remember exactly this call`);
}

interface LocalApprover {
  readonly name: string;
  /** True if its key needs a passphrase. */
  readonly isLocked: boolean;
}

/** The key named with `--as`, or the only key there is. */
function chooseLocalApprover(folder: string, name: string | undefined): LocalApprover {
  const all = listApprovers(folder);
  const names = all.map((each) => each.name).join(', ');
  const make = 'make one with bridle approvals key <name>';
  if (all.length === 0) throw usageError(`there is no key in ${folder} to sign the answer with: ${make}`);
  if (name === undefined && all.length > 1)
    throw usageError(`there are several keys: choose yours with --as (${names})`);
  const chosen = name === undefined ? all[0] : all.find((each) => each.name === name);
  if (chosen === undefined)
    throw usageError(`there is no key ${JSON.stringify(name)} in ${folder} (there is ${names}): ${make}`);
  return { name: chosen.name, isLocked: chosen.locked };
}

/** Opens the key, asking for its passphrase if it has one. */
function unlockKey(
  { name, isLocked }: LocalApprover,
  folder: string,
  { streams }: Pick<Invocation, 'streams'>,
): SigningKey {
  if (!isLocked) return openApproverKey({ folder, name });
  const terminal = terminalOf(streams);
  if (terminal === undefined)
    throw usageError(`the key ${name} needs a passphrase, and there is no terminal to ask for it`);
  const passphrase = readPassphrase(terminal, `Passphrase for ${name}: `);
  if (passphrase === undefined) throw usageError('no passphrase was given');
  return openApproverKey({ folder, name, passphrase });
}
