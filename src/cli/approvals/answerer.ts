/**
 * Signs the answers of one person. The key is opened when the first answer is given, and its passphrase is asked for once.
 * Processes started by an agent are refused.
 */

import { BridleError } from '../../kernel/errors.ts';
import { answererProblem, signAnswer } from '../../approvals/signing/signed-answer.ts';
import type { ApprovalRecord, ApproverAnswer } from '../../approvals/signing/approval-record.ts';
import type { SigningKey } from '../../approvals/signing/key-ring.ts';
import { listApprovers, openApproverKey } from '../../store/keys/approver-keys.ts';
import type { Store } from '../../store/store.ts';
import { type Invocation, usageError } from '../command/command-row.ts';
import { refuseAnswersFromRun } from '../command/refuse-agents.ts';
import { readPassphrase } from '../../terminal/dialogs/blocking-prompts.ts';
import { terminalOf } from '../../terminal/output/streams.ts';

export interface AnswererOptions {
  readonly streams: Invocation['streams'];
  /** The approver named with `--as`. Default: the only key there is. */
  readonly as: string | undefined;
}

export class Answerer {
  private readonly approver: LocalApprover;
  private key: SigningKey | undefined;

  constructor(
    private readonly store: Store,
    private readonly options: AnswererOptions,
  ) {
    this.approver = chooseLocalApprover(store.keys.folder, options.as);
  }

  /** Throws if this person or this process may not answer. */
  async check(record: ApprovalRecord): Promise<void> {
    const { name, isLocked } = this.approver;
    const problem = answererProblem(name, record);
    if (problem !== undefined) throw new BridleError('APPROVAL_REFUSED', `Approval ${record.id}: ${problem}.`);
    refuseAnswersFromRun({ askers: await this.askersOf(record), isLocked });
  }

  /** True if the next answer asks for the passphrase. */
  get isLocked(): boolean {
    return this.approver.isLocked && this.key === undefined;
  }

  /** Signs the answer. `won` is false if the approval was settled before. */
  answer(
    record: ApprovalRecord,
    given: ApproverAnswer,
  ): Promise<{ readonly won: boolean; readonly record: ApprovalRecord }> {
    this.key ??= unlockKey(this.approver, this.store.keys.folder, this.options);
    return this.store.approvals.answer(signAnswer(this.key, record, given));
  }

  /** The process that asked and the one that owns the run now. */
  private async askersOf({ asker, run }: ApprovalRecord): Promise<readonly ApprovalRecord['asker'][]> {
    const owner = run === undefined ? undefined : (await this.store.runs.get(run))?.owner;
    return owner === undefined ? [asker] : [asker, owner];
  }
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
  const make = 'make one with npx bridle approvals key <name>';
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
