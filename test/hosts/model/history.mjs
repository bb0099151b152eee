/** What the protocols share: finding the turn and texts in a history. */

/** The turn that comes next, by the ids of the calls made so far. */
export function nextTurn(raw) {
  const turns = [...raw.matchAll(/call_(\d+)_\d+_x/g)].map(([, turn]) => Number(turn));
  return Math.max(-1, ...turns) + 1;
}

/** The first messages of the user, as text to search in. */
export function userTexts(messages) {
  const list = Array.isArray(messages) ? messages : [];
  return JSON.stringify(list.filter(({ role }) => role === 'user').slice(0, 3));
}

export function textOf(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content.map((part) => part.text ?? JSON.stringify(part)).join('\n');
}
