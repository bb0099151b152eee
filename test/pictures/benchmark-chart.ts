/** Draws the chart of the README from the tables in bench/RESULTS.md. */

import { element, escaped, picture } from './svg.ts';

interface Panel {
  readonly title: string;
  readonly note: string;
  /** The first cell of the table's header, and the first cell of the row. */
  readonly table: string;
  readonly row: string;
  /** Columns of the table, with the names that the chart shows. */
  readonly bars: Readonly<Record<string, string>>;
}

interface Bar {
  readonly label: string;
  /** As in the results, without the spread: `2.12 ms`. */
  readonly shown: string;
  /** In nanoseconds, or a plain count. */
  readonly size: number;
  readonly kind: 'bridle' | 'limit' | 'peer';
}

const turn = { adk: 'ADK', ai: 'AI SDK', strands: 'Strands', 'openai agents': 'OpenAI Agents', langchain: 'LangChain' };

/** Half of the panels show a case in which others are ahead. */
const panels: readonly Panel[] = [
  {
    title: 'One turn, 20 tool calls one after the other',
    note: 'Bridle with hooks, policy and journal; the others without',
    table: 'turn',
    row: '20 calls',
    bars: { bridle: 'Bridle', limit: 'hand-written loop', ...turn },
  },
  {
    title: 'One turn, 20 tool calls in one step',
    note: 'Bridle with hooks, policy and journal; the others without',
    table: 'turn',
    row: '20 at once',
    bars: { bridle: 'Bridle', limit: 'hand-written loop', ...turn },
  },
  {
    title: 'One policy decision among 1,000 rules',
    note: 'random tools',
    table: 'decide',
    row: '1000 random',
    bars: {
      bridle: 'Bridle',
      limit: 'a Map',
      casl: 'CASL',
      'agt flat': 'AGT, flat rules',
      casbin: 'casbin',
      agt: 'AGT',
      cedar: 'Cedar',
    },
  },
  {
    title: 'Calling 5 synchronous hooks',
    note: 'tapable generates code',
    table: 'dispatch',
    row: '5 sync',
    bars: {
      bridle: 'Bridle',
      limit: 'hand-written loop',
      'tapable bail': 'tapable',
      'hookable core': 'hookable, core',
      strands: 'Strands',
      hookable: 'hookable',
    },
  },
  {
    title: '60 command lines that run rm: how many are missed',
    note: 'fewer is better',
    table: 'does it run rm?',
    row: 'it does: no, missed',
    bars: { bridle: 'Bridle', 'cc-safety-net': 'cc-safety-net', gemini: 'Gemini CLI', 'shell-quote': 'shell-quote' },
  },
  {
    title: 'One step of a run that survives its process, on Postgres',
    note: 'Bridle with a journal; DBOS without',
    table: 'runs',
    row: 'postgres, no side effects, 1 at once',
    bars: { bridle: 'Bridle', limit: 'raw inserts', dbos: 'DBOS' },
  },
];

const nanoseconds: Readonly<Record<string, number>> = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };

const width = 880;
const columns = 2;
const margin = 24;
const panelWidth = (width - margin * (columns + 1)) / columns;
const labelWidth = 122;
const valueWidth = 64;
const barHeight = 14;
const pitch = 21;
const panelHead = 44;

const style = `
text { font: 12px ui-sans-serif, system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
.title { font-size: 13px; font-weight: 600 }
.note { font-size: 11px; fill: #59636e }
.card { fill: #ffffff; stroke: #d1d9e0 }
.bridle { fill: #0969da }
.peer { fill: #afb8c1 }
.limit { fill: #e3e7ec }
.bridle-text { fill: #0969da; font-weight: 600 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .note { fill: #9198a1 }
  .card { fill: #0d1117; stroke: #3d444d }
  .bridle { fill: #4493f8 }
  .peer { fill: #656c76 }
  .limit { fill: #2f353d }
  .bridle-text { fill: #4493f8 }
}`;

export function benchmarkChart(results: string): string {
  const [, date = ''] = /^- (\d{4}-\d\d-\d\d), bridle/m.exec(results) ?? [];
  const [, node = ''] = /^- Node (\d+)/m.exec(results) ?? [];
  const drawn: string[] = [];
  let top = margin + 8;
  for (let at = 0; at < panels.length; at += columns) {
    const pair = panels.slice(at, at + columns).map((panel) => ({ panel, bars: barsOf(panel, results) }));
    for (const [column, { panel, bars }] of pair.entries()) {
      drawn.push(...drawPanel(panel, bars, { x: margin + column * (panelWidth + margin), y: top }));
    }
    top += panelHead + Math.max(...pair.map(({ bars }) => bars.length)) * pitch + margin;
  }
  const footer = `Shorter is better. Each panel has its own scale. Measured on ${date}, Node ${node}, two cores.`;
  const height = top + 20;
  return picture({
    width,
    height,
    title: `Benchmarks of Bridle and others. ${footer}`,
    style,
    body: [
      element('rect', { class: 'card', x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 8 }),
      ...drawn,
      element('text', { class: 'note', x: margin, y: height - 16 }, escaped(footer)),
    ],
  });
}

function drawPanel(panel: Panel, bars: readonly Bar[], { x, y }: { readonly x: number; readonly y: number }): string[] {
  const room = panelWidth - labelWidth - valueWidth;
  const longest = Math.max(...bars.map(({ size }) => size));
  const rows = bars.flatMap(({ label, shown, size, kind }, at) => {
    const top = y + panelHead - 10 + at * pitch;
    const length = longest === 0 ? 0 : Math.max(size === 0 ? 0 : 1.5, (size / longest) * room);
    const start = x + labelWidth;
    return [
      element('text', { class: `${kind}-text`, x: start - 8, y: top + 11, 'text-anchor': 'end' }, escaped(label)),
      element('rect', { class: kind, x: start, y: top, width: length, height: barHeight, rx: 2 }),
      element('text', { class: `${kind}-text`, x: start + length + 6, y: top + 11 }, escaped(shown)),
    ];
  });
  return [
    element('text', { class: 'title', x, y }, escaped(panel.title)),
    element('text', { class: 'note', x, y: y + 16 }, escaped(panel.note)),
    ...rows,
  ];
}

function barsOf({ table, row, bars }: Panel, results: string): Bar[] {
  const cells = rowOf(table, row, results);
  return Object.entries(bars)
    .map(([column, label]): Bar => {
      const cell = cells[column];
      const [shown = '', amount = '', unit = ''] = /^([\d.,]+)(?: (ns|µs|ms|s))?/.exec(cell ?? '') ?? [];
      if (shown === '') throw new RangeError(`bench/RESULTS.md has no figure for ${table}, ${row}, ${column}: ${cell}`);
      const size = Number(amount.replaceAll(',', '')) * (nanoseconds[unit] ?? 1);
      return { label, shown, size, kind: column === 'bridle' ? 'bridle' : column === 'limit' ? 'limit' : 'peer' };
    })
    .toSorted((a, b) => a.size - b.size);
}

/** The cells of a row by the names of their columns. */
function rowOf(table: string, row: string, results: string): Readonly<Record<string, string>> {
  const lines = results.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const start = lines.findIndex((cells) => cells[1] === table);
  const end = lines.findIndex((cells, at) => at > start && cells.length < 3);
  const found = lines.slice(start, end).find((cells) => cells[1] === row);
  if (start < 0 || found === undefined) throw new RangeError(`bench/RESULTS.md has no row "${row}" in "${table}"`);
  return Object.fromEntries((lines[start] ?? []).map((column, at) => [column, found[at] ?? '']));
}
