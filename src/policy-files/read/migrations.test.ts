import { describe, expect, it } from 'vitest';
import { policyOf } from '../../../test/rigs/policy-rig.ts';
import { BridleError } from '../../kernel/errors.ts';
import { lintPolicy } from '../lint/lint-policy.ts';
import type { Migration } from './migrations.ts';
import { parsePolicyFile, parseWithMigrations } from './parse-policy-file.ts';

/** A format of the future: what was called `permit` is called `allow`, and before that it was called `let`. */
function renames(from: string, to: string): Migration {
  return (root) => ({
    ...root,
    entries: root.entries.map((entry) =>
      entry.key !== 'rules' || entry.value.type !== 'list'
        ? entry
        : {
            ...entry,
            value: {
              ...entry.value,
              items: entry.value.items.map((rule) =>
                rule.type !== 'map'
                  ? rule
                  : { ...rule, entries: rule.entries.map((each) => (each.key === from ? { ...each, key: to } : each)) },
              ),
            },
          },
    ),
  });
}

const steps = [renames('let', 'permit'), renames('permit', 'allow')];

const broken: Migration = () => {
  throw new TypeError('no such key');
};

function problemsOf(text: string, migrations: readonly Migration[] = steps): readonly string[] {
  try {
    parseWithMigrations(text, 'p.yaml', migrations);
  } catch (error) {
    if (error instanceof BridleError && error.code === 'POLICY_FILE') return error.problems;
    throw error;
  }
  return [];
}

describe('a file of an older version', () => {
  it.each([
    ['1', 'let'],
    ['2', 'permit'],
  ])('is migrated from version %s, with every position', (version, effect) => {
    const file = parseWithMigrations(`version: ${version}\nrules:\n  - ${effect}: view\n`, 'p.yaml', steps);
    expect(file.rules).toEqual([
      {
        effect: 'allow',
        targets: [{ text: 'view', at: { line: 3, column: 7 + effect.length } }],
        at: { line: 3, column: 5 },
      },
    ]);
    expect(file.migratedFrom).toEqual({ version: Number(version), at: { line: 1, column: 10 } });
  });

  it('is read as it is, if it has the current version', () => {
    const file = parseWithMigrations('version: 3\nrules: [{ allow: view }]', 'p.yaml', steps);
    expect([file.rules.length, 'migratedFrom' in file]).toEqual([1, false]);
    expect(problemsOf('version: 3\nrules: [{ permit: view }]')).toEqual([
      'p.yaml:2:9: a rule needs one of allow, ask, deny or forbid',
      expect.stringContaining('p.yaml:2:11: a rule has no key "permit"'),
    ]);
  });

  it('has its problems where they were written', () => {
    expect(problemsOf('version: 1\nrules:\n  - let: 1e3\n')).toEqual([
      'p.yaml:3:10: allow is the number 1000; put it in quotes if you mean a string',
    ]);
  });

  it('is rejected if the migration fails', () => {
    expect(problemsOf('version: 1', [broken])).toEqual(['p.yaml:1:1: the file cannot be read: no such key']);
  });

  it('is a finding of lint', async () => {
    const file = parseWithMigrations('version: 1\nrules: [{ let: view }]', 'p.yaml', steps);
    const findings = await lintPolicy(policyOf([file], { tools: [{ name: 'view' }] }));
    expect(findings.filter(({ kind }) => kind === 'old-version')).toMatchObject([
      { severity: 'warning', file: 'p.yaml', at: { line: 1, column: 10 }, witness: { call: { tool: 'view' } } },
    ]);
    const current = policyOf([parsePolicyFile('version: 1', 'p.yaml')], { tools: [{ name: 'view' }] });
    expect((await lintPolicy(current)).map(({ kind }) => kind)).not.toContain('old-version');
  });
});

describe('a file of a newer version', () => {
  it('is rejected, and nothing else is said about it', () => {
    expect(problemsOf('version: 4\nnew-key: 1')).toEqual([
      'p.yaml:1:10: this file has version 4, but this Bridle reads versions 1 to 3; upgrade Bridle',
    ]);
    expect(problemsOf('version: 2\nrules: 1', [])).toEqual([
      'p.yaml:1:10: this file has version 2, but this Bridle reads version 1; upgrade Bridle',
    ]);
  });

  it.each(['0', '-1', '1.0', '01', '1e0', '.inf'])('is not one that does not exist: %s', (version) => {
    expect(problemsOf(`version: ${version}`)).toEqual([
      `p.yaml:1:10: version ${version} is not supported; this version of Bridle reads versions 1 to 3`,
    ]);
  });
});
