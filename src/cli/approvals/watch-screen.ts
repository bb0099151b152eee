/**
 * The list of `bridle approvals watch`. A key answers the selected approval, and only after its whole call was visible:
 * the selection stays on its approval when others arrive or are settled, so no key can reach a call that nobody saw.
 */

import type { ApprovalRecord, ApproverAnswer } from '../../approvals/signing/approval-record.ts';
import { messageOf } from '../../kernel/errors.ts';
import { Keyboard } from '../../terminal/dialogs/keyboard.ts';
import { PickList } from '../../terminal/dialogs/pick-list.ts';
import { Terminal } from '../../terminal/dialogs/terminal.ts';
import type { KeyPress } from '../../terminal/input/key-press.ts';
import { isEnter } from '../../terminal/input/line-input.ts';
import { cardStart } from '../../terminal/output/call-card.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import { Screen } from '../../terminal/output/screen.ts';
import type { TerminalStreams } from '../../terminal/output/streams.ts';
import { wrapLines } from '../../terminal/output/wrap-text.ts';
import type { Answerer } from './answerer.ts';
import { approvalLine, callCard } from './approval-text.ts';
import { type Action, askForAnswer } from './watch-dialogs.ts';

/** How a new question is announced. */
export type Notification = 'bell' | 'desktop';

export interface WatchScreenOptions {
  readonly paint: Paint;
  /** Called for the first answer. */
  readonly answererOf: () => Answerer;
  readonly notification: Notification | undefined;
  /** Called when the person leaves with q or Ctrl-D. */
  readonly onLeave: () => void;
}

const actions = [
  { value: 'once', key: 'y', label: 'yes, once', approves: true },
  { value: 'always', key: 'a', label: 'always' },
  { value: 'edit', key: 'e', label: 'edit' },
  { value: 'deny', key: 'n', label: 'no' },
  { value: 'reason', key: 'N', label: 'no, with a reason' },
] as const;
const keyHelp = `${actions.map(({ key, label }) => `${key} ${label}`).join(' · ')} · ↑↓ choose · q quit`;
/** Approvals shown around the selected one. */
const maxListed = 8;
/** An approval counts as seen after it was visible this long. */
const seenMs = 250;
const bell = '\u0007';
/** A fixed text: nothing that an agent wrote reaches the terminal's notifications. */
const desktopNote = '\u001B]9;Bridle: a call waits for your approval\u0007';

export class WatchScreen {
  private readonly pending = new Map<string, ApprovalRecord>();
  private readonly keyboard: Keyboard;
  private readonly terminal: Terminal;
  private readonly pickList: PickList<Action>;
  private selected: string | undefined;
  /** When the selected approval became visible. */
  private seenAt = Number.POSITIVE_INFINITY;
  /** Approvals that were printed above because they are too long, and the width of the screen then. */
  private readonly printed = new Map<string, number>();
  private open: { readonly id: string; readonly closed: AbortController } | undefined;
  private answerer: Answerer | undefined;
  private finish: (() => void) | undefined;

  constructor(
    private readonly streams: TerminalStreams,
    private readonly options: WatchScreenOptions,
  ) {
    const { input, output } = streams;
    this.keyboard = new Keyboard(input, output, { onInterrupt: () => this.leave(), onLine: () => true });
    this.terminal = new Terminal({ keyboard: this.keyboard, screen: new Screen(output, options.paint) });
    const finish = ([action]: readonly Action[]): void => void (action !== undefined && this.act(action));
    this.pickList = new PickList<Action>({
      choices: actions,
      initial: 'deny',
      paint: options.paint,
      finish,
      redraw: drawNothing,
    });
  }

  /** Shows the list until the person leaves or the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    this.keyboard.open();
    this.draw();
    await this.keyboard.read<undefined>(signal, (finish) => {
      this.finish = () => finish(undefined);
      return (key) => this.press(key);
    });
  }

  /** Called for each new approval and each change. Always true: the terminal stays open. */
  update(record: ApprovalRecord): true {
    const { id, state } = record;
    if (state === 'pending') {
      const isNew = !this.pending.has(id);
      this.pending.set(id, record);
      if (isNew) this.announce();
    } else if (this.pending.delete(id)) {
      if (this.open?.id === id) this.open.closed.abort();
      this.keyboard.area.print([this.approvalLine(record)]);
    }
    if (this.selected === undefined || !this.pending.has(this.selected)) this.select([...this.pending.keys()][0]);
    if (this.open === undefined) this.draw();
    return true;
  }

  close(): void {
    this.pickList.stop();
    this.keyboard.area.close([]);
    this.keyboard.close();
  }

  private announce(): void {
    const { notification } = this.options;
    if (notification !== undefined) this.streams.output.write(notification === 'bell' ? bell : desktopNote);
  }

  private leave(): 'leave' {
    this.options.onLeave();
    this.finish?.();
    return 'leave';
  }

  private press(key: KeyPress): void {
    const { name, ctrl, text } = key;
    if (ctrl && name === 'c') this.leave();
    // A dialog opens, or an answer is on its way.
    else if (this.open !== undefined) return;
    else if ((ctrl && name === 'd') || text === 'q') this.leave();
    else if (name === 'up' || name === 'down') this.move(name === 'up' ? -1 : 1);
    else if (isEnter(key)) this.showWhole();
    else if (this.keyboard.isHeld) return;
    else if (text !== '' && name !== 'paste' && performance.now() - this.seenAt >= seenMs) this.pickList.press(key);
  }

  private move(by: number): void {
    const ids = [...this.pending.keys()];
    const at = ids.indexOf(this.selected ?? '') + by;
    if (at >= 0 && at < ids.length) this.select(ids[at]);
    this.draw();
  }

  /** A key that was pressed for the approval before must not answer this one. */
  private select(id: string | undefined): void {
    this.pickList.stop();
    this.selected = id;
    this.seenAt = performance.now();
  }

  private draw(): void {
    this.keyboard.area.open(() => ({ lines: this.lines() }));
  }

  private lines(): readonly string[] {
    const { paint } = this.options;
    const record = this.pending.get(this.selected ?? '');
    if (record === undefined) return [paint('dim', 'No call waits for approval. New ones appear here. q to quit')];
    const count = this.pending.size;
    const title = count === 1 ? '1 call waits for approval' : `${count} calls wait for approval`;
    const rows = this.callCard(record);
    const where = this.isPrinted(record) ? 'above' : '(Enter shows the whole call)';
    const { columns } = this.keyboard.area;
    const card = this.fits(record) ? rows : cardStart(rows, { paint, columns, where });
    return [paint('strong', title), ...this.listLines(), '', ...card, '', ...this.helpLines()];
  }

  private helpLines(): readonly string[] {
    return wrapLines(keyHelp, this.options.paint, { columns: this.keyboard.area.columns, tone: 'dim' });
  }

  private approvalLine(record: ApprovalRecord): string {
    return approvalLine(record, this.options.paint, this.keyboard.area.columns - 2);
  }

  private listLines(): readonly string[] {
    const records = [...this.pending.values()];
    const at = records.findIndex(({ id }) => id === this.selected);
    const first = Math.max(0, Math.min(at - Math.floor(maxListed / 2), records.length - maxListed));
    const shown = records.slice(first, first + maxListed).map((record) => {
      const mark = record.id === this.selected ? '› ' : '  ';
      return mark + this.approvalLine(record);
    });
    const more = records.length - shown.length;
    return more > 0 ? [...shown, `  … ${more} more`] : shown;
  }

  private callCard(record: ApprovalRecord): readonly string[] {
    return callCard(record, this.options.paint, this.keyboard.area.columns);
  }

  /** True if the list and the whole call fit on the screen. */
  private fits(record: ApprovalRecord): boolean {
    const lines = [...this.listLines(), ...this.callCard(record), ...this.helpLines()];
    return lines.length + 3 < this.keyboard.area.rows;
  }

  /** A terminal that became narrower has wrapped the printed rows without marks, so they don't count. */
  private isPrinted({ id }: ApprovalRecord): boolean {
    return (this.printed.get(id) ?? Number.POSITIVE_INFINITY) <= this.keyboard.area.columns;
  }

  private act(action: Action): void {
    const record = this.pending.get(this.selected ?? '');
    if (record === undefined || this.open !== undefined) return;
    const isSeen = this.fits(record) || this.isPrinted(record);
    if (action === 'once' || !isSeen) this.keyboard.ignoreHeldKey();
    if (!isSeen && action !== 'deny' && action !== 'reason') this.showWhole();
    else void this.answer(record, action);
  }

  /** The call is longer than the screen: it is printed first, and the next key answers. */
  private showWhole(): void {
    const record = this.pending.get(this.selected ?? '');
    if (record === undefined || this.fits(record)) return;
    this.printed.set(record.id, this.keyboard.area.columns);
    this.keyboard.area.print([
      ...this.callCard(record),
      this.options.paint('warn', 'This is the whole call. Press a key to answer.'),
    ]);
    this.select(record.id);
    this.draw();
  }

  private async answer(record: ApprovalRecord, action: Action): Promise<void> {
    const closed = new AbortController();
    this.open = { id: record.id, closed };
    try {
      const asking = { terminal: this.terminal, paint: this.options.paint, signal: closed.signal };
      const given = await askForAnswer(record, action, asking);
      if (given !== undefined && !closed.signal.aborted) await this.send(record, given);
    } catch (error) {
      this.keyboard.area.print([this.options.paint('bad', safeText(messageOf(error)))]);
    } finally {
      this.open = undefined;
      this.draw();
    }
  }

  /** The answer counts only for the approval that was shown: its digest is signed. */
  private async send(record: ApprovalRecord, given: ApproverAnswer): Promise<void> {
    const answerer = (this.answerer ??= this.options.answererOf());
    await answerer.check(record);
    if (answerer.isLocked) this.keyboard.area.close([]);
    // The passphrase is read without the keyboard's own reader.
    if (answerer.isLocked) this.keyboard.close();
    try {
      const { won, record: after } = await answerer.answer(record, given);
      if (!won) this.keyboard.area.print([`Not accepted: the approval is already ${after.state}.`]);
    } finally {
      this.keyboard.open();
    }
  }
}

/** The keys are listed in one line, which does not change. */
function drawNothing(): void {}
