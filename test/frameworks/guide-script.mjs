/** The model of the guides: it does what the prompt says, one tool call after the other, and repeats the results. */

/** `results`: the texts of the tool results since the prompt. Returns the next call, or the text of the answer. */
export function nextAnswer(prompt, results) {
  if (/^ask the helper/i.test(prompt)) {
    const [task] = prompt.match(/weather in \w+/);
    return results.length === 0
      ? { toolCalls: [{ id: 'call-helper', tool: 'helper', args: { task } }] }
      : { text: results.join('; ') };
  }
  const wanted = [
    ...prompt.matchAll(/weather in (?<city>\w+)|write to (?<to>\S+@\S+\w)|(?<act>read|remove) (?<path>\S+\w)/gi),
  ].map(({ groups: { city, to, act, path } }) => {
    if (city !== undefined) return { tool: 'get_weather', args: { city } };
    return to === undefined ? { tool: act.toLowerCase(), args: { path } } : { tool: 'send_mail', args: { to } };
  });
  const next = wanted[results.length];
  return next === undefined
    ? { text: results.join('; ') }
    : { toolCalls: [{ id: `call-${results.length + 1}`, ...next }] };
}
