/** Asks the model's questions as dialogs: choose an option or several, type an answer, skip, or cancel all. */

import { answerQuestions, cancelQuestions } from '../../kernel/hooks/points/actions.ts';
import type { HookMethod } from '../../kernel/hooks/registration/hook.ts';
import type { Question, QuestionResponse } from '../../kernel/hooks/points/payloads.ts';
import type { Dialog } from './dialog.ts';
import type { DialogChoice } from './pick-list.ts';
import type { Terminal } from './terminal.ts';
import { escapeControls } from '../output/safe-text.ts';

const other = -1;
const skip = -2;
const ownWords = 'In your own words:';
const extraChoices: readonly DialogChoice<number>[] = [
  { value: other, label: 'Something else', hint: 'in your own words' },
  { value: skip, label: 'Skip this question' },
];

export function terminalQuestions(terminal: Terminal, timeoutMs: number): HookMethod<'onInteraction'> {
  return async ({ questions }, { signal }) => {
    // An expired question does not abort `signal`.
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const responses = await terminal.ask(deadline, (dialog) => askAll(questions, dialog));
    if (responses === undefined || deadline.aborted) return undefined;
    return responses === 'cancelled' ? cancelQuestions() : answerQuestions(responses);
  };
}

async function askAll(
  questions: readonly Question[],
  dialog: Dialog,
): Promise<readonly QuestionResponse[] | 'cancelled'> {
  const responses: QuestionResponse[] = [];
  for (const question of questions) {
    const response = await askOne(question, dialog);
    if (response === undefined) return 'cancelled';
    responses.push(response);
  }
  return responses;
}

async function askOne(
  { question, options = [], multiSelect }: Question,
  dialog: Dialog,
): Promise<QuestionResponse | undefined> {
  const message = escapeControls(question);
  if (options.length === 0) return askForText(message, dialog);
  const choices = options.map(({ text, description }, value) => ({
    value,
    label: toOneLine(text),
    hint: description === undefined ? undefined : toOneLine(description),
  }));
  return multiSelect === true ? askMultiple(message, choices, dialog) : askSingle(message, choices, dialog);
}

async function askSingle(
  message: string,
  choices: readonly DialogChoice<number>[],
  dialog: Dialog,
): Promise<QuestionResponse | undefined> {
  const chosen = await dialog.select(message, [...choices, ...extraChoices], 0);
  if (chosen === other) return askForText(`${message} ${ownWords}`, dialog);
  if (chosen === skip) return { skipped: true };
  return chosen === undefined ? undefined : { selected: [chosen] };
}

async function askMultiple(
  message: string,
  choices: readonly DialogChoice<number>[],
  dialog: Dialog,
): Promise<QuestionResponse | undefined> {
  const chosen = await dialog.selectMany(message, [...choices, ...extraChoices.slice(0, 1)]);
  if (chosen === undefined) return undefined;
  const selected = chosen.filter((value) => value !== other);
  const typed = chosen.includes(other) ? await askForText(`${message} ${ownWords}`, dialog) : {};
  if (typed === undefined) return undefined;
  const { text } = typed;
  if (selected.length === 0 && text === undefined) return { skipped: true };
  return { selected, ...(text === undefined ? {} : { text }) };
}

async function askForText(message: string, dialog: Dialog): Promise<QuestionResponse | undefined> {
  const text = await dialog.text({ message });
  if (text === undefined) return undefined;
  return text.trim() === '' ? { skipped: true } : { text };
}

function toOneLine(text: string): string {
  return escapeControls(text).replaceAll(/\s+/g, ' ');
}
