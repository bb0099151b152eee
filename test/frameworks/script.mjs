/** The model's answers in order. A script may need to know how the framework names tools of servers and subagents. */
export function scriptedAnswers(script, { toolName, delegate }) {
  if (typeof script.next === 'function') return () => script.next();
  const answers =
    typeof script === 'function' ? script(script.length === 1 && isDelegate(script) ? delegate : toolName) : script;
  let next = 0;
  return () => answers[next++] ?? { text: 'The script has ended.' };
}

function isDelegate(script) {
  return String(script).startsWith('(delegate)');
}

/** What a tool of the tests gets. Like most tools, it reads its signal only if it waits for something. */
export function toolContext(readSignal) {
  return {
    get signal() {
      return readSignal();
    },
  };
}
