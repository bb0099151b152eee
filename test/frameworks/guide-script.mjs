/** The model of the guides: it does what the prompt says, one tool call after the other, and repeats the results. */

/** `results`: the texts of the tool results since the prompt. Returns the next call, or the text of the answer. */
export function nextAnswer(prompt, results) {
  const wanted = [...prompt.matchAll(/weather in (?<city>\w+)|write to (?<to>\S+@\S+\w)/gi)].map(({ groups }) =>
    groups.city === undefined
      ? { tool: 'send_mail', args: { to: groups.to } }
      : { tool: 'get_weather', args: { city: groups.city } },
  );
  const next = wanted[results.length];
  return next === undefined
    ? { text: results.join('; ') }
    : { toolCalls: [{ id: `call-${results.length + 1}`, ...next }] };
}
