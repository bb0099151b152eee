/** What `bridle approvals watch` asks after a key: a reason, edited args, or whether to stop asking. */

import type { ApprovalRecord, ApproverAnswer } from '../../approvals/signing/approval-record.ts';
import { messageOf } from '../../kernel/errors.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import type { Dialog } from '../../terminal/dialogs/dialog.ts';
import type { Terminal } from '../../terminal/dialogs/terminal.ts';
import { cardRows } from '../../terminal/output/call-card.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import { safeJson, safeText } from '../../terminal/output/safe-text.ts';

export type Action = 'once' | 'always' | 'edit' | 'deny' | 'reason';

export interface Asking {
  readonly terminal: Terminal;
  readonly paint: Paint;
  readonly signal: AbortSignal;
}

/** Undefined if the person went back. */
export async function askForAnswer(
  { args, proposal }: ApprovalRecord,
  action: Action,
  { terminal, paint, signal }: Asking,
): Promise<ApproverAnswer | undefined> {
  if (action === 'once') return { type: 'approve' };
  if (action === 'deny') return { type: 'deny' };
  return terminal.ask(signal, async (dialog) => {
    if (action === 'always') return askAlways(dialog, proposal, paint);
    const isEdit = action === 'edit';
    const text = await dialog.text(
      isEdit
        ? { message: editMessage, initial: safeJson(args), problem: argsProblem, approves: true }
        : { message: 'Reason for the model:' },
    );
    if (text === undefined) return undefined;
    return isEdit ? { type: 'approve', args: JSON.parse(text) } : { type: 'deny', reason: text.trim() || undefined };
  });
}

const editMessage = 'Edit the args (JSON). Enter approves the call with them, Esc goes back';

function argsProblem(text: string): string | undefined {
  try {
    return isJsonObject(JSON.parse(text) as JsonValue) ? undefined : 'The args must be a JSON object.';
  } catch (error) {
    return safeText(messageOf(error));
  }
}

/** Shows what would run without asking, and wants one more key. */
async function askAlways(
  dialog: Dialog,
  proposal: string | undefined,
  paint: Paint,
): Promise<ApproverAnswer | undefined> {
  const covered = `  ${safeText(proposal ?? 'exactly this call, with these args')}`;
  dialog.show((columns) => cardRows(covered, paint, { columns }));
  const choice = await dialog.select(
    'Run this without asking for the rest of the session?',
    [
      { value: 'yes', key: 'y', label: 'Yes', approves: true },
      { value: 'no', key: 'n', label: 'No' },
    ],
    'no',
  );
  if (choice !== 'yes') return undefined;
  return { type: 'approve', remember: 'session', ...(proposal === undefined ? {} : { rule: true }) };
}
