/** Asks a person at the terminal to approve a call. The call is shown first; no choice means no. */

import type { ApprovalAnswer, ApprovalQuestion, ApprovalRequest, Approver } from '../../kernel/approval.ts';
import type { CallRequest } from '../../kernel/call.ts';
import { messageOf } from '../../kernel/errors.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import { containsMask, restoreMasked } from '../../redact/mask-text.ts';
import { hardestQuestion, nobodyToAskReason } from '../../kernel/policy/evaluator/reasons.ts';
import { AnsweredElsewhere } from '../../approvals/signing/approval-record.ts';
import type { Dialog } from './dialog.ts';
import type { DialogChoice } from './pick-list.ts';
import { isDefaultRule } from '../renderer/call-line.ts';
import { describeRule } from '../renderer/explain-text.ts';
import { callLines, type CardOptions, cardRows, fullArgLines, isCut, questionText } from '../output/call-card.ts';
import { fileChangeOf } from '../output/file-change.ts';
import type { Paint } from '../output/paint.ts';
import type { Terminal } from './terminal.ts';
import { safeText, safeJson } from '../output/safe-text.ts';

type ApprovalChoice = 'once' | 'always' | 'edit' | 'open' | 'reason' | 'deny';
type AlwaysChoice = 'rule' | 'exact' | 'back';

const by = 'terminal';
const choices: readonly DialogChoice<ApprovalChoice>[] = [
  { value: 'once', key: 'y', label: 'Yes, once', approves: true },
  {
    value: 'always',
    key: 'a',
    label: 'Always, for this session',
    hint: 'you see first what that covers',
    approves: true,
  },
  { value: 'edit', key: 'e', label: 'Edit the args, then run', approves: true },
  { value: 'open', key: 's', label: 'Show everything', hint: 'including what was cut above' },
  { value: 'deny', key: 'n', label: 'No' },
  { value: 'reason', key: 'N', label: 'No, with a reason', hint: 'the model sees it' },
];
const ruleChoices: readonly DialogChoice<AlwaysChoice>[] = [
  { value: 'rule', key: 'y', label: 'Yes, all of these calls', approves: true },
  { value: 'exact', key: 'x', label: 'Only exactly this call', approves: true },
  { value: 'back', key: 'n', label: 'No', hint: 'back to the question' },
];
const exactChoices: readonly DialogChoice<AlwaysChoice>[] = [
  { value: 'exact', key: 'y', label: 'Yes', approves: true },
  { value: 'back', key: 'n', label: 'No', hint: 'back to the question' },
];

export interface TerminalApproverOptions {
  readonly paint: Paint;
  /** True if rules of Bridle's defaults are named, too. */
  readonly details?: (() => boolean) | undefined;
  /** Returns why a call is invalid; undefined if it is valid. */
  readonly problemOf: (call: CallRequest) => Promise<string | undefined>;
}

export function terminalApprover(terminal: Terminal, options: TerminalApproverOptions): Approver {
  return async (request, { signal }) => {
    const answer = await terminal.ask(signal, async (dialog) => {
      const given = await new ApprovalDialog(request, dialog, options).answer();
      const { reason } = signal as { reason: unknown };
      if (reason instanceof AnsweredElsewhere) dialog.note(elsewhereText(reason, options.paint));
      return given;
    });
    if (answer !== undefined) return answer;
    return { type: 'deny', by, reason: signal.aborted || terminal.isInputClosed ? unanswered : dismissed };
  };
}

const unanswered = 'Nobody answered at the terminal.';
const dismissed = 'The person dismissed the question.';

function elsewhereText({ by, approved }: AnsweredElsewhere, paint: Paint): string {
  return paint(
    approved ? 'good' : 'bad',
    `${approved ? 'Approved' : 'Denied'} by ${safeText(by)} (answered elsewhere).`,
  );
}

class ApprovalDialog {
  private shownChange: Pick<CardOptions, 'change'> | undefined;
  /** True once the person asked for everything. */
  private isWhole = false;

  constructor(
    private readonly request: ApprovalRequest,
    private readonly dialog: Dialog,
    private readonly options: TerminalApproverOptions,
  ) {}

  async answer(): Promise<ApprovalAnswer | undefined> {
    const offered = choices.filter(({ value }) => value !== 'open' || isCut(this.request.shown, this.card(80)));
    for (;;) {
      this.dialog.show((columns) => this.callCard(columns));
      // The cursor starts on "No", so that pressing Enter runs nothing.
      const choice = await this.dialog.select('Approve this call?', offered, 'deny');
      if (choice === undefined) return undefined;
      const answer = await this.answerFor(choice);
      if (answer !== undefined) return answer;
    }
  }

  /** Returns undefined if the question must be asked again. */
  private async answerFor(choice: ApprovalChoice): Promise<ApprovalAnswer | undefined> {
    switch (choice) {
      case 'once':
        return { type: 'approve', by };
      case 'always':
        return this.always();
      case 'edit':
        return this.edit();
      case 'reason':
        return this.denyWithReason();
      case 'deny':
        return { type: 'deny', by };
      case 'open':
        this.isWhole = true;
        return undefined;
      default:
        return choice satisfies never;
    }
  }

  /** The diff is computed once: everything that is shown of it must agree. */
  private card(columns: number): CardOptions {
    const { call, paths } = this.request;
    this.shownChange ??= { change: fileChangeOf({ ...call, paths }) };
    return { ...this.shownChange, columns };
  }

  private callCard(columns: number): readonly string[] {
    const { shown, questions } = this.request;
    const { paint } = this.options;
    const card = this.card(columns);
    return [
      ...callLines(shown, paint, card),
      ...(this.isWhole ? fullArgLines(shown, paint, card) : []),
      ...questions.flatMap((question) => cardRows(`  ${this.questionLine(question)}`, paint, { columns, tone: 'dim' })),
    ];
  }

  private questionLine({ text, rule, hook }: ApprovalQuestion): string {
    if (this.options.details?.() === true) return questionText({ text, hook, rule: rule && describeRule(rule) });
    if (rule !== undefined && isDefaultRule(rule)) return safeText(text);
    const place = rule?.at === undefined ? '' : ` (${rule.at})`;
    return questionText({ text, hook, rule: rule && `${rule.name}${place}` });
  }

  /** Shows what would run without asking, and wants one more key. */
  private async always(): Promise<ApprovalAnswer | undefined> {
    const { proposal } = this.request;
    const covered = `  ${safeText(proposal?.text ?? 'exactly this call, with these args')}`;
    this.dialog.show((columns) => cardRows(covered, this.options.paint, { columns }));
    const offered = proposal === undefined ? exactChoices : ruleChoices;
    const choice = await this.dialog.select('Run this without asking for the rest of the session?', offered, 'back');
    if (choice === undefined || choice === 'back') return undefined;
    const remembered = { type: 'approve', by, remember: 'session' } as const;
    return choice === 'rule' ? { ...remembered, rule: true } : remembered;
  }

  /** Secrets are masked in the text field; masks that are left unchanged are replaced by the secrets again. */
  private async edit(): Promise<ApprovalAnswer | undefined> {
    const { args } = this.request.call;
    const mask = maskSecrets();
    const restored = (entered: string): JsonObject => restoreMasked(JSON.parse(entered) as JsonObject, args, mask);
    const text = await this.dialog.text({
      message: 'Edit the args (JSON). Enter approves the call with them, Esc goes back',
      initial: safeJson(mask(args)),
      approves: true,
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
