/** Reads key presses from a terminal in raw mode. Text that is pasted arrives as one press, if the terminal marks it. */

import { emitKeypressEvents, type Interface, type Key } from 'node:readline';
import type { ReadStream } from 'node:tty';

export interface KeyPress {
  /** Such as `return`, `up`, `a`; `paste` for pasted text; empty if the key has no name. */
  readonly name: string;
  /** The text that the key types; empty for keys that type nothing. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
}

/** Makes the terminal mark pasted text. */
export const markPastes = '\u001B[?2004h';
export const stopMarkingPastes = '\u001B[?2004l';

const escapeMs = 50;
const maxPasteLength = 1_000_000;
/** Shift-Enter and Alt-Enter of terminals that report them. */
const newLineSequences = new Set(['\u001B[13;2u', '\u001B[13;3u', '\u001B[27;2;13~', '\u001B[27;3;13~']);

/** Calls `onKey` for each key. Nothing arrives before the stream is resumed. */
export function readKeys(input: ReadStream, onKey: (key: KeyPress) => void): void {
  // The first call sets how long a lone Escape waits for the rest of a sequence.
  emitKeypressEvents(input, { escapeCodeTimeout: escapeMs } as unknown as Interface);
  let pasted: string | undefined;
  input.on('keypress', (text: string | undefined, key: Key) => {
    const { name = '', sequence = '', ctrl = false, meta = false } = key;
    if (name === 'paste-start') pasted = '';
    else if (pasted === undefined) onKey(pressOf(text, key));
    else if (name === 'paste-end') {
      const whole = pasted.replaceAll(/\r\n?/g, '\n');
      pasted = undefined;
      onKey({ name: 'paste', text: whole, ctrl: false, meta: false });
    } else if (ctrl && name === 'c') {
      // Terminals remove Ctrl-C from pasted text: the end of the paste was lost.
      pasted = undefined;
      onKey({ name, text: '', ctrl, meta });
    } else if (pasted.length < maxPasteLength) pasted += sequence;
  });
}

function pressOf(text: string | undefined, { name = '', sequence = '', ctrl = false, meta = false }: Key): KeyPress {
  if (newLineSequences.has(sequence)) return { name: 'return', text: '', ctrl: false, meta: true };
  const typed = text === undefined || ctrl || meta || /^\p{C}/u.test(text) ? '' : text;
  return { name, text: typed, ctrl, meta };
}
