import { scriptedModel } from 'bridle/testing';

/** Represents a real model, so that you can try the server offline: in every turn, it writes a mail to Bob. */
export function scriptedSupportModel() {
  const answers = [
    { toolCalls: [{ tool: 'find_customer', args: { name: 'Bob' } }] },
    { toolCalls: [{ tool: 'send_mail', args: { to: 'bob@example.com', text: 'Your order is on its way.' } }] },
    'Done. The list of calls shows whether the mail was sent.',
  ];
  // By the results in the conversation, because several turns can run at the same time.
  const step = ({ prompt }) => answers[prompt.filter(({ role }) => role === 'tool').length];
  return scriptedModel(Array.from({ length: 1000 }, () => step));
}
