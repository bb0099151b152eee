import { describe, expect, it } from 'vitest';
import { outcome, problemsOf } from '../../../../test/rigs/cel-rig.ts';
import { proves } from '../../../../test/contract/cite.ts';
import { read } from '../../../../test/source.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { callFields } from '../build-access.ts';
import { functions } from './function-table.ts';

const page = read('docs/reference/conditions.md');

/** The rows of all tables of the page that begin with code. */
const rows = Array.from(
  page.matchAll(/^\| `(.+?)` \| (.+) \|$/gm),
  ([, code = '', text = '']) => [code, text] as const,
);

describe('the reference of conditions', () => {
  it('lists every function as the table does', () => {
    const listed = rows.filter(([code]) => code.includes('('));
    expect(listed).toEqual(functions.map(({ signature, description }) => [signature, description]));
  });

  it('lists every field of a call', () => {
    const listed = rows.filter(([code]) => code.startsWith('call.'));
    expect(listed).toEqual(Array.from(callFields, ([name, { description }]) => [`call.${name}`, description]));
  });

  it(proves('D04')('shows correct examples'), () => {
    const examples = Array.from(page.matchAll(/^```cel\n([^]*?)^```$/gm), ([, text = '']) => text);
    expect(examples.length).toBeGreaterThan(5);
    for (const example of examples) {
      expect(
        problemsOf(example).filter((problem) => problem.startsWith('error')),
        example,
      ).toEqual([]);
      for (const [, expected, args = ''] of example.matchAll(/^\/\/ (true|false): (.+)$/gm)) {
        expect(outcome(example, JSON.parse(args) as JsonObject), `${example} for ${args}`).toBe(expected === 'true');
      }
    }
  });
});

describe('the table of functions', () => {
  it('describes every function once, in a sentence', () => {
    const signatures = functions.map(({ signature }) => signature);
    expect(new Set(signatures).size).toBe(signatures.length);
    for (const { name, signature, description } of functions) {
      expect(signature).toMatch(new RegExp(`(^|\\.)${name}\\(.*\\)$`));
      expect(description).toMatch(/^[A-Z].*\.$/);
      expect(description).not.toContain('|');
    }
  });
});
