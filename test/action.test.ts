/** The GitHub Action without its runner: the text that it prints, and its description. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { read, root } from './source.ts';

const { annotation, cell, code } = (await import(join(root, 'action/report.mjs'))) as {
  annotation: (problem: object) => string;
  code: (text: string) => string;
  cell: (text: string) => string;
};

describe('text that somebody else wrote', () => {
  it('does not become a command of the runner', () => {
    const message = 'a\n::error::b\r\n##[set-env name=PATH]x%0A \u202E\u001B[2J';
    const text = annotation({ severity: 'warning', file: 'a,b:c\n::stop-commands::x', line: 1, message });
    expect(text).toBe(
      '::warning file=a%2Cb%3Ac %3A%3Astop-commands%3A%3Ax,line=1,title=Bridle::a ::error::b\\u{d} # #[set-env name=PATH]x%250A \\u{202e}\\u{1b}[2J',
    );
  });

  it('does not become Markdown', () => {
    expect([code('a|b'), cell('a|b')]).toEqual(['`a|b`', '`a\\|b`']);
    expect(code('``` </td> @team `x`\n# title')).toBe('```` ``` </td> @team `x` # title ````');
    expect(code('')).toBe('`  `');
  });
});

describe('action.yml', () => {
  const action = parse(read('action.yml')) as { runs: { steps: readonly { run: string }[] } };

  it('installs this version, and passes inputs as variables only', () => {
    const scripts = action.runs.steps.map(({ run }) => run);
    expect(scripts.join('\n')).toContain(`bridle@${manifest.version}`);
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });
});
