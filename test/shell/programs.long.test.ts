/** Checks the program table against the real programs: the facts never rule out an access that happens. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolCall } from '../../src/kernel/call.ts';
import { analyseCommand } from '../../src/facts/shell/analysis/analyse-command.ts';
import { opaqueFact, runsFact } from '../../src/facts/shell/conditions/call-facts.ts';
import { readsFact, writesFact } from '../../src/facts/paths/file-facts.ts';
import type { ToolDeclaration } from '../../src/kernel/tool.ts';
import { isUnknown } from '../../src/facts/truth.ts';
import { proves } from '../contract/cite.ts';
import { runs } from '../property-runs.ts';
import { everydayLines, everydayOpaqueLines } from './everyday-programs.ts';
import { hostileLines } from './hostile-programs.ts';
import { awkProgram, sedScript } from './random/random-scripts.ts';
import { isInstalled, WatchedFolder, type Seen } from './watched-folder.ts';

const bash: ToolDeclaration = { name: 'bash', commands: ['line'], touches: { bash: ['line'] } };
const facts = [readsFact('**/.env'), writesFact('**/out'), runsFact(['touch']), opaqueFact()];

let folder: WatchedFolder;

beforeAll(() => {
  folder = new WatchedFolder();
  folder.reset();
});

afterAll(() => folder.remove());

/** The facts reads(.env), writes(out), runs(touch) and opaque(). */
function told(line: string): string {
  const call = { id: '1', tool: 'bash', args: { line }, cwd: folder.path, agent: [], tier: 'confirm' };
  return facts
    .map((fact) => fact(call as unknown as ToolCall, bash))
    .map((truth) => (isUnknown(truth) ? '?' : truth ? 'yes' : 'no'))
    .join(' ');
}

/** What was seen, but denied by the facts. */
function missed(seen: Seen, answers: string): readonly string[] {
  const [reads, writes, run, opaque] = answers.split(' ');
  if (opaque !== 'no') return [];
  return [
    ...(seen.reads && reads === 'no' ? ['reads'] : []),
    ...(seen.writes && writes === 'no' ? ['writes'] : []),
    ...(seen.runs && run === 'no' ? ['runs'] : []),
  ];
}

const installed = new Map<string, boolean>();

/** Only programs that stay in the folder they are started in, and end by themselves, are really run. */
const contained = new Set(
  `ar awk b2sum base32 base64 basename basenc bc bunzip2 bzcat bzip2 cat cksum cmp column comm cp cpio csplit cut date dd df
  diff diff3 dirname du echo ed env ex expand fdfind file find flock fmt fold gawk grep gunzip gzip head hexdump iconv id install
  join jq less ln lz4 lz4cat ls man md5sum mkdir mv nice nl od paste patch pr printenv printf ps realpath rev rg script sdiff sed seq
  rsync setsid sh sha1sum sha256sum shuf sort split sqlite3 ss stat stdbuf strace strings sum tac tail tar tee timeout touch tr tree
  true tsort uniq unxz unzip unzstd uptime users vim watch wc who last lastb xargs xmllint xxd xz xzcat zcat zip
  zipinfo zstd zstdcat`.split(/\s+/),
);

function canRun(line: string): boolean {
  // A browser would be waited for.
  if (line.startsWith('man ') && /-H|--html/.test(line)) return false;
  return analyseCommand(line).commands.every(({ argv: [first] }) => {
    if (first === undefined) return true;
    if (first.type === 'open' || !contained.has(first.value)) return false;
    const known = installed.get(first.value) ?? isInstalled(first.value);
    installed.set(first.value, known);
    return known;
  });
}

describe('lines that do more than they seem to', () => {
  it('are numerous and distinct', () => {
    expect(new Set(hostileLines.map(([, line]) => line)).size).toBe(hostileLines.length);
    expect(hostileLines.length).toBeGreaterThan(200);
  });

  it.each(hostileLines)(proves('X08')('%s: %s'), (_does, line, expected) => {
    folder.reset();
    expect(told(line)).toBe(expected);
  });

  it(proves('X04', 'X08')('have facts that never rule out what they do'), () => {
    const wrong = hostileLines.filter(([does, , answers]) => {
      const seen = { reads: does.includes('reads'), writes: does.includes('writes'), runs: does.includes('runs') };
      return missed(seen, answers).length > 0;
    });
    expect(wrong).toEqual([]);
  });

  it.each(hostileLines)(proves('X04', 'X08')('%s and nothing more when they really run: %s'), (does, line, answers) => {
    if (!canRun(line)) return;
    const seen = folder.line(line);
    expect(missed(seen, answers)).toEqual([]);
    const more = Object.entries(seen).filter(([kind, was]) => was && !does.includes(kind));
    expect(more).toEqual([]);
  });
});

describe('everyday lines', () => {
  it('are numerous and distinct', () => {
    expect(new Set(everydayLines).size).toBe(everydayLines.length);
    expect(everydayLines.length).toBeGreaterThan(100);
  });

  it(proves('X08')('touch nothing else and hide nothing, according to the facts'), () => {
    folder.reset();
    const wrong = everydayLines.map((line) => [line, told(line)]).filter(([, answers]) => answers !== 'no no no no');
    expect(wrong).toEqual([]);
    const hidden = everydayOpaqueLines.map((line) => [line, told(line)]);
    expect(hidden.filter(([, answers]) => answers !== 'no no no yes')).toEqual([]);
  });

  it(proves('X04', 'X08')('touch nothing else when they really run'), { timeout: 120_000 }, () => {
    const lines = [...everydayLines, ...everydayOpaqueLines].filter(canRun);
    const wrong = lines.filter((line) => Object.values(folder.line(line)).includes(true));
    expect(wrong).toEqual([]);
  });
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

describe('random scripts', () => {
  it.each([
    ['sed', sedScript],
    ['awk', awkProgram],
    ['gawk', awkProgram],
    ['busybox sed', sedScript],
    ['busybox awk', awkProgram],
  ] as const)(
    proves('X04', 'X08')('do nothing that the facts rule out: %s'),
    { timeout: 120_000 },
    (program, scripts) => {
      const [name = '', ...args] = program.split(' ');
      if (!isInstalled(name)) return;
      const language = args[0] ?? name;
      fc.assert(
        fc.property(scripts, (script) => {
          const answers = told(`${language} ${quoted(script)} f`);
          // What may be anything can do anything.
          if (!answers.includes('no') || answers.endsWith('yes')) return;
          expect(missed(folder.run(name, [...args, script, 'f']), answers)).toEqual([]);
        }),
        { numRuns: runs(25) },
      );
    },
  );
});
