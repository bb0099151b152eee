/**
 * `bridle approvals approve` and `deny`: shows the whole call, asks for confirmation, and signs the answer. The signature
 * covers what was shown: an answer to a record that changed or was settled meanwhile is not accepted.
 */

import { BridleError } from '../../kernel/errors.ts';
import { makeVisible } from '../../kernel/guard/calls/show-call.ts';
import type { ApprovalRecord, ApproverAnswer } from '../../approvals/signing/approval-record.ts';
import type { Store } from '../../store/store.ts';
import { Answerer } from './answerer.ts';
import { approvalCard } from './approval-text.ts';
import { type AnswerFlags, readAnswerFlags } from './answer-flags.ts';
import { findApproval } from './show-commands.ts';
import { columnsFor, paintFor } from '../command/command-report.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { type ExitCode, exitCodes } from '../command/exit-codes.ts';
import { maskedApproval, maskOf } from '../command/masked-records.ts';
import { withStore } from '../command/store-options.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { askYesNo } from '../../terminal/dialogs/blocking-prompts.ts';
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
    const answerer = new Answerer(this.store, { streams: this.invocation.streams, as: options.as });
    await answerer.check(record);
    this.show(record, given);
    if (record.state !== 'pending') return this.reportNotAccepted(record);
    if (!this.isConfirmed(given)) return this.reportUnanswered(record);
    const { won, record: after } = await answerer.answer(record, given);
    return won ? this.reportAccepted(after) : this.reportNotAccepted(after);
  }

  private checkDigest({ id, digest }: ApprovalRecord): void {
    const { digest: seen } = this.invocation.options;
    if (seen === undefined) return;
    if (!/^[0-9a-f]{8,64}$/i.test(seen))
      throw usageError('--digest must be 8 to 64 hex digits from the start of the digest');
    if (!digest.startsWith(seen.toLowerCase())) {
      throw new BridleError(
        'APPROVAL_REFUSED',
        `The digest of approval ${id} does not start with ${seen}: this is not the call you saw. Look again: npx bridle approvals show ${id}`,
      );
    }
  }

  /** Shows everything before the question; with `--json`, the record is in the output instead. */
  private show(record: ApprovalRecord, given: ApproverAnswer): void {
    if (this.invocation.options.json === true) return;
    const edited = given.type === 'approve' && given.args !== undefined ? editLines(given.args) : [];
    const remembered = given.remember === undefined ? [] : [rememberLine(record, given)];
    const card = approvalCard(this.masked(record), paintFor(this.invocation), columnsFor(this.invocation));
    const lines = [...card, ...edited, ...remembered];
    writeTo(stdout, `${lines.join('\n')}\n`);
  }

  private isConfirmed({ type }: ApproverAnswer): boolean {
    const { options, streams } = this.invocation;
    if (options.yes === true) return true;
    if (options.json === true || terminalOf(streams) === undefined) {
      // A refusal lets nothing run, so it needs no second look.
      if (type === 'deny') return true;
      throw usageError(
        'there is no terminal to ask for confirmation: read the call with npx bridle approvals show, then add --yes',
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
