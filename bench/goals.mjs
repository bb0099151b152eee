/** What the figures should be. A goal that is missed is reported with its rows; it fails nothing. */

const every = (fits, test) => (rows) => rows.filter((row) => fits(row) && !test(row)).map((row) => row.case);
const all = () => true;
const named = (part) => (row) => row.case.includes(part);
const size = (row) => Number.parseInt(row.case, 10);

/** Ahead of a peer by a factor in every row where both were measured. */
const ahead = (peer, factor, fits = all) =>
  every(fits, ({ ratios }) => (ratios[peer] ?? null) === null || ratios[peer] >= factor);

const within = (factor, fits = all) => every(fits, ({ ratios }) => ratios.limit <= factor);

/** With 100,000 rules a repeated key costs what it costs with 10; rows lie minutes apart, so half is noise. */
function flat(rows) {
  return ['first', 'last', 'miss'].filter((lookup) => {
    const own = rows.filter(named(lookup)).map((row) => row.ours);
    return own.at(-1) > own[0] * 1.5;
  });
}

/** Ahead of every peer that was measured. */
const aheadOfAll = (factor, fits) => every(fits, (row) => bestPeer(row) >= factor);

function bestPeer(row) {
  return Math.min(
    ...Object.keys(row.peers)
      .map((peer) => row.ratios[peer])
      .filter((ratio) => ratio !== null),
  );
}

const oneOf =
  (...titles) =>
  (row) =>
    titles.includes(row.case);

/** The last hundred turns of a long session cost what the first hundred cost. */
function flatSession(rows) {
  const ours = (title) => rows.find((row) => row.case === title).ours;
  return [
    { suffix: '', noise: 1.5 },
    { suffix: ', bytes', noise: 1.1 },
  ]
    .filter(({ suffix, noise }) => ours(`turns 901–1000${suffix}`) > ours(`turns 1–100${suffix}`) * noise)
    .map(({ suffix }) => `turns 901–1000${suffix}`);
}

const large = (row) => size(row) >= 1_000;

/** The last records of a long journal cost what the first ones cost; minutes lie between them, so half is noise. */
function flatJournal(rows) {
  const [first, last] = ['first', 'last'].map((part) => rows.find((row) => row.case.startsWith(`${part} 10,000`)));
  return last.ours > first.ours * 1.5 ? [last.case] : [];
}

/** How many nanoseconds the guard may add to a turn of a framework: 15 % of it or 50 µs, whichever is more. */
export function allowedToAdd(bare) {
  return Math.max(bare * 0.15, 50_000);
}

/** A framework without its program has no turn of its own. */
const adds = every(
  ({ isPart }) => !isPart,
  ({ ours, limit }) => ours - limit <= allowedToAdd(limit),
);

export const goals = [
  { suite: 'adapters', text: 'the guard adds at most 15 % of the turn, or 50 µs', misses: adds },
  { suite: 'dispatch', text: 'sync: at most 2× the hand-written loop', misses: within(2, named(' sync')) },
  { suite: 'dispatch', text: 'async: at most 1.2× the plain await loop', misses: within(1.2, named(' async')) },
  { suite: 'dispatch', text: 'ahead of hookable', misses: ahead('hookable', 1) },
  { suite: 'dispatch', text: 'ahead of the core class of hookable', misses: ahead('hookable core', 1) },
  { suite: 'dispatch', text: 'ahead of Strands', misses: ahead('strands', 1) },
  { suite: 'dispatch', text: 'async: level with tapable', misses: ahead('tapable bail', 0.95, named(' async')) },
  { suite: 'decide', text: 'at most 3× the Map', misses: within(3) },
  { suite: 'decide', text: 'flat from 10 to 100,000 rules on a repeated key', misses: flat },
  { suite: 'decide', text: 'ahead of CASL', misses: ahead('casl', 1) },
  { suite: 'decide', text: '50× ahead of Cedar from 1,000 rules on', misses: ahead('cedar', 50, large) },
  { suite: 'decide', text: '50× ahead of casbin from 1,000 rules on', misses: ahead('casbin', 50, large) },
  { suite: 'decide', text: '50× ahead of AGT from 1,000 rules on', misses: ahead('agt', 50, large) },
  {
    suite: 'decide',
    text: '50× ahead of the flat rules of AGT from 1,000 rules on',
    misses: ahead('agt flat', 50, large),
  },
  { suite: 'shell', text: 'commands: at most 2× the parser alone', misses: within(2, oneOf('commands')) },
  { suite: 'shell', text: 'with facts: at most 2× the parser alone', misses: within(2, oneOf('with facts')) },
  { suite: 'shell', text: 'ahead of every peer that parses', misses: ahead('gemini', 1) },
  {
    suite: 'shell',
    text: 'no command missed, however it is written',
    misses: (_, [answers]) => (answers.missed === 0 ? [] : [`${answers.missed} lines`]),
  },
  {
    suite: 'cel',
    text: 'a condition: ahead of cel-js',
    misses: ahead('cel-js', 1, oneOf('equals', 'text', 'numbers, list', 'loop', 'pattern')),
  },
  { suite: 'check', text: 'start: at most 1.8× node -e 0', misses: within(1.8, named('start')) },
  {
    suite: 'hook',
    text: 'at most 2.2× node -e 0, in instructions',
    misses: within(2.2, named('instructions')),
  },
  { suite: 'hook', text: 'ahead of cc-safety-net', misses: ahead('cc-safety-net', 1) },
  {
    suite: 'turn',
    text: 'ahead of every peer in every row of time',
    misses: aheadOfAll(1, ({ unit }) => unit === 'ns'),
  },
  {
    suite: 'turn',
    text: '10× ahead of the best peer with 1 and with 20 calls',
    misses: aheadOfAll(10, oneOf('1 call', '20 calls')),
  },
  {
    suite: 'turn',
    text: '10× ahead of the best peer also in a new process',
    misses: aheadOfAll(10, named('new process')),
  },
  {
    suite: 'turn',
    text: 'at most a fifth of what the best peer allocates',
    misses: aheadOfAll(5, oneOf('1 call, bytes', '20 calls, bytes')),
  },
  { suite: 'turn', text: 'flat over 1,000 turns of a session, in time and in bytes', misses: flatSession },
  {
    suite: 'turn',
    text: 'an idle session takes less memory than with any peer',
    misses: aheadOfAll(1, oneOf('idle session, bytes')),
  },
  {
    suite: 'journal',
    text: 'many records at once: at least 0.7× the rate of raw inserts',
    misses: within(1 / 0.7, (row) => /^(?:sqlite|postgres).* at once$/.test(row.case)),
  },
  { suite: 'journal', text: 'flat up to the last record of a long journal', misses: flatJournal },
];
