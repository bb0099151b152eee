/** Asks a person at the terminal to approve a call. The call is shown first; no choice means no. */

import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../kernel/approval.ts';
import type { CallRequest } from '../../kernel/call.ts';
import { messageOf } from '../../kernel/errors.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import { containsMask, restoreMasked } from '../../redact/mask-text.ts';
import { hardestQuestion, nobodyToAskReason } from '../../kernel/policy/evaluator/reasons.ts';
import type { DialogChoice, Dialog } from './dialog.ts';
import { describeRule } from '../renderer/explain-text.ts';
import { callLines, fullArgLines, isCut, questionText } from '../output/call-card.ts';
import type { Paint } from '../output/paint.ts';
import type { Terminal } from './terminal.ts';
import { safeText, safeJson } from '../output/safe-text.ts';

type ApprovalChoice = 'once' | 'session' | 'rule' | 'edit' | 'open' | 'reason' | 'deny';

const by = 'terminal';
const choices: readonly DialogChoice<ApprovalChoice>[] = [
  { value: 'once', label: 'Approve once' },
  { value: 'session', label: 'Approve for this session', hint: 'exactly this call, every time' },
  { value: 'rule', label: 'Approve calls like this for this session', hint: 'you see the rule first' },
  { value: 'edit', label: 'Edit the args', hint: 'and approve the call with your args' },
  { value: 'open', label: 'Show everything', hint: 'including what was cut above' },
  { value: 'reason', label: 'Deny with a reason', hint: 'the model sees it' },
  { value: 'deny', label: 'Deny' },
];
const acceptRuleChoices: readonly DialogChoice<'yes' | 'no'>[] = [
  { value: 'yes', label: 'Yes', hint: 'this call and every other call the rule covers run without asking' },
  { value: 'no', label: 'No', hint: 'back to the question' },
];

export interface TerminalApproverOptions {
  readonly paint: Paint;
  /** Returns why a call is invalid; undefined if it is valid. */
  readonly problemOf: (call: CallRequest) => Promise<string | undefined>;
}

export function terminalApprover(terminal: Terminal, options: TerminalApproverOptions): Approver {
  return async (request, { signal }) => {
    const answer = await terminal.ask(signal, (dialog) => new ApprovalDialog(request, dialog, options).answer());
    if (answer !== undefined) return answer;
    return { type: 'deny', by, reason: signal.aborted || terminal.isInputClosed ? unanswered : dismissed };
  };
}

const unanswered = 'Nobody answered at the terminal.';
const dismissed = 'The person dismissed the question.';

class ApprovalDialog {
  constructor(
    private readonly request: ApprovalRequest,
    private readonly dialog: Dialog,
    private readonly options: TerminalApproverOptions,
  ) {}

  async answer(): Promise<ApprovalAnswer | undefined> {
    this.dialog.show(this.callCard());
    const offered = this.availableChoices();
    for (;;) {
      // The cursor starts on "Deny", so that pressing Enter runs nothing.
      const choice = await this.dialog.select('Approve this call?', offered, 'deny');
      if (choice === undefined) return undefined;
      const answer = await this.answerFor(choice);
      if (answer !== undefined) return answer;
    }
  }

  private availableChoices(): readonly DialogChoice<ApprovalChoice>[] {
    const { shown, proposal } = this.request;
    return choices.filter(({ value }) => {
      if (value === 'rule') return proposal !== undefined;
      return value !== 'open' || isCut(shown);
    });
  }

  /** Returns undefined if the question must be asked again. */
  private async answerFor(choice: ApprovalChoice): Promise<ApprovalAnswer | undefined> {
    switch (choice) {
      case 'once':
        return { type: 'approve', by };
      case 'session':
        return { type: 'approve', by, remember: 'session' };
      case 'rule':
        return this.acceptRule();
      case 'edit':
        return this.edit();
      case 'reason':
        return this.denyWithReason();
      case 'deny':
        return { type: 'deny', by };
      case 'open':
        this.dialog.show(fullArgLines(this.request.shown, this.options.paint).join('\n'));
        return undefined;
      default:
        return choice satisfies never;
    }
  }

  private callCard(): string {
    const { shown, questions } = this.request;
    const { paint } = this.options;
    const asked = questions.map(({ rule, ...question }) => {
      const text = questionText({ ...question, rule: rule && describeRule(rule) });
      return paint('dim', `  ${text}`);
    });
    return [...callLines(shown, paint), ...asked].join('\n');
  }

  /** Shows the whole rule before it is accepted. */
  private async acceptRule(): Promise<ApprovalAnswer | undefined> {
    const { proposal } = this.request;
    if (proposal === undefined) return undefined;
    this.dialog.show(this.options.paint('strong', `  ${safeText(proposal.text)}`));
    const accepted = await this.dialog.select('Approve all of that for this session?', acceptRuleChoices, 'no');
    return accepted === 'yes' ? { type: 'approve', by, remember: 'session', rule: true } : undefined;
  }

  /** Secrets are masked in the text field; masks that are left unchanged are replaced by the secrets again. */
  private async edit(): Promise<ApprovalAnswer | undefined> {
    const { args } = this.request.call;
    const mask = maskSecrets();
    const restored = (entered: string): JsonObject => restoreMasked(JSON.parse(entered) as JsonObject, args, mask);
    const text = await this.dialog.text({
      message: 'Edit the args (JSON). Enter approves the call with them, Esc goes back',
      initial: safeJson(mask(args)),
      problem: (entered) => this.problemOf(entered, restored),
    });
    return text === undefined ? undefined : { type: 'approve', by, args: restored(text) };
  }

  /** Validates edited args while the person can still correct them. */
  private async problemOf(entered: string, restored: (text: string) => JsonObject): Promise<string | undefined> {
    const { tool, server } = this.request.call;
    try {
      const args = restored(entered);
      const isObject = typeof args === 'object' && args !== null && !Array.isArray(args);
      if (!isObject) return `The args must be an object, not ${kindOf(args)}.`;
      if (containsMask(args))
        return 'The args contain a masked value that this call did not have. Type the real value.';
      const problem = await this.options.problemOf({ tool, server, args });
      return problem === undefined ? undefined : safeText(problem);
    } catch (error) {
      return safeText(messageOf(error));
    }
  }

  private async denyWithReason(): Promise<ApprovalAnswer | undefined> {
    const reason = await this.dialog.text({ message: 'Reason for the model:' });
    if (reason === undefined) return undefined;
    return reason.trim() === '' ? { type: 'deny', by } : { type: 'deny', by, reason: reason.trim() };
  }
}

/** The approver where no person can be asked: it denies, and the reason says so. */
export const denyWithoutTerminal: Approver = ({ call, questions }) => ({
  type: 'deny',
  by: 'no terminal',
  reason: nobodyToAskReason(
    call,
    hardestQuestion(questions) ?? { text: '' },
    'there is no interactive terminal to ask',
  ),
});
