/**
 * The rules and calls every policy engine gets, in words of none of them.
 *
 * Of `n` rules half name a local tool, a tenth a whole server, one everything (`*`, an allow), the others one tool of a
 * server; one in ten has a predicate on an argument, of which every second is false. Only allow and deny, because the peers do not ask, and
 * no specific allow under a wider deny, because where deny always wins (Cedar) that cannot be said. So the most
 * specific rule and the strictest rule are the same here, and all engines must give the same answers.
 */

const POOL = 2 ** 14;

/** `{ server?, tool, effect, mode? }`, most specific first; `mode` is what `args.mode` must equal. */
export function makeRules(n) {
  const servers = Math.max(1, Math.floor(n / 10));
  const locals = Math.floor(n / 2);
  const rules = [];
  for (let i = 0; i < locals; i++) rules.push({ tool: localTool(i), effect: i % 2 ? 'deny' : 'allow' });
  for (let i = 0; i < n - locals - servers - 1; i++) {
    // Servers with an even number are allowed as a whole, so both effects may stand under them.
    const server = serverName(((i * 2) % servers) & ~1);
    rules.push({ server, tool: serverTool(i), effect: i % 2 ? 'allow' : 'deny' });
  }
  for (let i = 0; i < servers; i++) rules.push({ server: serverName(i), tool: '*', effect: i % 2 ? 'deny' : 'allow' });
  rules.push({ server: '*', tool: '*', effect: 'allow' });
  return rules.map((rule, i) => (i % 10 === 3 ? { ...rule, mode: i % 20 === 3 ? 'read' : 'write' } : rule));
}

/** The calls of each case: one that is repeated, or a pool of random ones among all exact targets. */
export function makeCalls(rules) {
  const exact = rules.filter((rule) => rule.tool !== '*');
  const last = rules.at(-2);
  return {
    first: [toCall(rules[0])],
    last: [toCall({ server: last.server, tool: 'some_tool_without_rule' })],
    miss: [toCall({ tool: 'some_tool_without_rule' })],
    random: Array.from({ length: POOL }, random(exact.length)).map((i) => toCall(exact[i])),
  };
}

const localTool = (i) => `local_tool_${i}`;
const serverTool = (i) => `server_tool_${i}`;
const serverName = (i) => `some-server-${i}`;

/** Parsed from text, as a model's answer is: its strings are not the objects that the rules hold. */
function toCall({ server, tool }) {
  return JSON.parse(JSON.stringify({ server, tool, args: { path: '/srv/data/report.txt', mode: 'read' } }));
}

/** The same random numbers in every run. */
function random(below) {
  let state = 0x9e3779b9;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
