/** Structured questions as dialogs: an option, several, words of one's own, skipped, or all of it called off. */

import { answer, cancel } from '../hooks/actions.ts';
import type { HookMethod } from '../hooks/hook.ts';
import type { Question, QuestionResponse } from '../hooks/payloads.ts';
import type { Choice, Dialog } from './dialog.ts';
import type { Stage } from './stage.ts';
import { spellOut } from './visible-text.ts';

const other = -1;
const skip = -2;
const own = 'In your own words:';
const extras: readonly Choice<number>[] = [
  { value: other, label: 'Something else', hint: 'in your own words' },
  { value: skip, label: 'Skip this question' },
];

export function terminalQuestions(stage: Stage, timeoutMs: number): HookMethod<'onInteraction'> {
  return async ({ questions }, { signal }) => {
    // The question expires without telling those who answer.
    const patience = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const responses = await stage.ask(patience, (dialog) => askAll(questions, dialog));
    if (responses === undefined || patience.aborted) return undefined;
    return responses === 'called off' ? cancel() : answer(responses);
  };
}

async function askAll(
  questions: readonly Question[],
  dialog: Dialog,
): Promise<readonly QuestionResponse[] | 'called off'> {
  const responses: QuestionResponse[] = [];
  for (const question of questions) {
    const response = await askOne(question, dialog);
    if (response === undefined) return 'called off';
    responses.push(response);
  }
  return responses;
}

async function askOne(
  { question, options = [], multiSelect }: Question,
  dialog: Dialog,
): Promise<QuestionResponse | undefined> {
  const message = spellOut(question);
  if (options.length === 0) return inWords(message, dialog);
  const choices = options.map(({ text, description }, value) => ({
    value,
    label: onOneLine(text),
    hint: description === undefined ? undefined : onOneLine(description),
  }));
  return multiSelect === true ? several(message, choices, dialog) : oneOf(message, choices, dialog);
}

async function oneOf(
  message: string,
  choices: readonly Choice<number>[],
  dialog: Dialog,
): Promise<QuestionResponse | undefined> {
  const chosen = await dialog.select(message, [...choices, ...extras], 0);
  if (chosen === other) return inWords(`${message} ${own}`, dialog);
  if (chosen === skip) return { skipped: true };
  return chosen === undefined ? undefined : { selected: [chosen] };
}

async function several(
  message: string,
  choices: readonly Choice<number>[],
  dialog: Dialog,
): Promise<QuestionResponse | undefined> {
  const chosen = await dialog.pick(message, [...choices, ...extras.slice(0, 1)]);
  if (chosen === undefined) return undefined;
  const selected = chosen.filter((value) => value !== other);
  const words = chosen.includes(other) ? await inWords(`${message} ${own}`, dialog) : {};
  if (words === undefined) return undefined;
  const { text } = words;
  if (selected.length === 0 && text === undefined) return { skipped: true };
  return { selected, ...(text === undefined ? {} : { text }) };
}

async function inWords(message: string, dialog: Dialog): Promise<QuestionResponse | undefined> {
  const text = await dialog.text({ message });
  if (text === undefined) return undefined;
  return text.trim() === '' ? { skipped: true } : { text };
}

function onOneLine(text: string): string {
  return spellOut(text).replaceAll(/\s+/g, ' ');
}
