/** Each kind of finding: where it is told, where it is not, and what its witness shows. */

import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { documentOf, policyOf, type RigDocument } from '../../../test/rigs/policy-rig.ts';
import type { RuleCondition } from '../../kernel/policy/rules/rule.ts';
import { runs, runsOnly } from '../../facts/shell/conditions/predicates.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { LintFinding, LintKind } from './linted-policy/finding.ts';
import { lintPolicy } from './lint-policy.ts';
import type { LintOptions } from './linted-policy/linted-policy.ts';

const shell: ToolDeclaration = {
  name: 'run_command',
  args: ['command_line', 'working_dir'],
  paths: ['working_dir'],
  commands: ['command_line'],
  aliases: { args: { CommandLine: 'command_line' } },
  touches: { bash: ['command_line'], folder: 'working_dir' },
};
const write: ToolDeclaration = {
  name: 'create_file',
  args: ['file_path', 'contents'],
  paths: ['file_path'],
  touches: { writes: ['file_path'] },
};
const view: ToolDeclaration = { name: 'view_file', tier: 'observe' };
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const line = (args: { readonly [name: string]: unknown }): string => text(args['command_line']);
const conditions: Readonly<Record<string, RuleCondition>> = {
  'runs("bash")': runs('bash'),
  'runsOnly("bash")': runsOnly('bash'),
  'runs("git status")': runs('git status'),
  'runsOnly("git status")': runsOnly('git status'),
  'runsOnly("sudo")': runsOnly('sudo'),
  '!runs("rm")': (args, call, about) => !runs('rm')(args, call, about),
  'args.command_line.startsWith("npm test")': (args) => line(args).startsWith('npm test'),
  'args.command_line.contains("rm")': (args) => line(args).includes('rm'),
  'args.CommandLine.matches("^rm")': (args) => line(args).startsWith('rm'),
  'args.command_line == "npm test"': (args) => line(args) === 'npm test',
  'writes("**/.env")': (args) => text(args['file_path']).endsWith('.env'),
  'args.contants == "x"': (args) => args['contants'] === 'x',
  'args.contents == "x"': (args) => args['contents'] === 'x',
};

interface Case {
  readonly rules: RigDocument['rules'];
  readonly document?: Partial<RigDocument>;
  readonly options?: LintOptions;
  /** The place of the finding, and a text of the witness. */
  readonly expected: readonly (readonly [number, LintFinding['severity'], string])[];
}

const day = 24 * 60 * 60 * 1000;
const now = Date.UTC(2030, 0, 1);

const cases: Readonly<Record<string, readonly [LintKind, Readonly<Record<string, Case>>]>> = {
  'rules no call gets to': [
    'unreachable',
    {
      'about commands of a tool that runs none': {
        rules: [
          ['deny', 'create_file', { when: 'runs("bash")' }],
          ['allow', 'create_file', { when: 'runsOnly("bash")' }],
        ],
        expected: [
          [1, 'error', 'create_file'],
          [2, 'warning', 'create_file'],
        ],
      },
      'about commands of a tool that runs some': {
        rules: [
          ['deny', 'run_command', { when: 'runs("bash")' }],
          ['deny', '*', { when: 'runs("git status")' }],
        ],
        expected: [],
      },
      'behind a deny of the same target': {
        rules: [
          ['allow', 'view_file'],
          ['deny', 'view_file'],
        ],
        expected: [[1, 'warning', 'view_file']],
      },
      'behind a forbid': {
        rules: [
          ['allow', 'view_file'],
          ['forbid', '*'],
        ],
        expected: [[1, 'warning', 'view_file']],
      },
      'in part': {
        rules: [
          ['allow', ['view_file', 'create_file']],
          ['deny', 'view_file'],
        ],
        expected: [[1, 'warning', 'view_file']],
      },
      'behind a condition they are reached': {
        rules: [
          ['allow', 'create_file'],
          ['deny', 'create_file', { when: 'writes("**/.env")' }],
        ],
        expected: [],
      },
      'behind a rule that ends they are reached': {
        rules: [
          ['allow', 'view_file'],
          ['deny', 'view_file', { expires: now + day }],
        ],
        expected: [],
      },
      'behind a shadow rule they are reached': {
        rules: [
          ['allow', 'view_file'],
          ['deny', 'view_file', { shadow: true }],
        ],
        expected: [],
      },
      'as shadow rules are not meant to decide': {
        rules: [
          ['allow', 'view_file', { shadow: true }],
          ['deny', 'view_file'],
        ],
        expected: [],
      },
      'for a tool its server hides': {
        rules: [['allow', 'gh/push']],
        document: { servers: [{ name: 'gh', disabledTools: ['push'] }] },
        expected: [[1, 'warning', 'push']],
      },
      'for others than the only tools of a server': {
        rules: [
          ['deny', 'gh/push'],
          ['allow', 'gh/*'],
        ],
        document: { servers: [{ name: 'gh', enabledTools: ['push'] }] },
        expected: [[2, 'warning', 'push']],
      },
    },
  ],
  'rules said twice': [
    'duplicate',
    {
      'word by word': {
        rules: [
          ['ask', 'view_file'],
          ['ask', 'view_file', { name: 'again' }],
        ],
        expected: [[2, 'warning', 'view_file']],
      },
      'with another spelling of the condition': {
        rules: [
          ['deny', 'create_file', { when: 'writes("**/.env")' }],
          ['deny', 'create_file', { when: 'writes( "**/.env" )' }],
        ],
        expected: [[2, 'warning', '.env']],
      },
      'unless the first ends earlier': {
        rules: [
          ['ask', 'view_file', { expires: now + day }],
          ['ask', 'view_file'],
        ],
        expected: [],
      },
      'unless conditions differ': {
        rules: [
          ['deny', 'create_file', { when: 'writes("**/.env")' }],
          ['deny', 'create_file', { when: 'args.contents == "x"' }],
        ],
        expected: [],
      },
    },
  ],
  'allows before a wider deny': [
    'reopens',
    {
      'of a server': {
        rules: [
          ['deny', 'gh/*'],
          ['allow', 'gh/push'],
        ],
        expected: [[2, 'warning', 'push']],
      },
      'of everything, which may be meant': {
        rules: [
          ['deny', '*'],
          ['allow', 'view_file'],
        ],
        expected: [[2, 'note', 'view_file']],
      },
      'with a condition, by a call it is about': {
        rules: [
          ['deny', '*', { when: 'writes("**/.env")' }],
          ['allow', 'create_file'],
        ],
        expected: [[2, 'warning', '.env']],
      },
      'not where it is a forbid': {
        rules: [
          ['forbid', '*', { when: 'writes("**/.env")' }],
          ['allow', 'create_file'],
        ],
        expected: [],
      },
      'not where the deny is as specific': {
        rules: [
          ['deny', 'create_file', { when: 'writes("**/.env")' }],
          ['allow', 'create_file'],
        ],
        expected: [],
      },
    },
  ],
  'asks without anybody': [
    'unanswerable-ask',
    {
      'of rules': {
        rules: [['ask', 'view_file']],
        options: { answerable: false },
        expected: [[1, 'error', 'view_file']],
      },
      'of the default': {
        rules: [],
        document: { default: 'ask' },
        options: { answerable: false },
        expected: [[1, 'error', 'another_tool']],
      },
      'unless somebody is there': { rules: [['ask', 'view_file']], options: { answerable: true }, expected: [] },
    },
  ],
  'tools without a rule': [
    'uncovered-tool',
    {
      'that the unsaid default denies': {
        rules: [
          ['allow', 'view_file'],
          ['ask', 'create_file'],
        ],
        expected: [[1, 'warning', 'run_command']],
      },
      'that the default lets run': {
        rules: [
          ['allow', 'view_file'],
          ['ask', 'create_file'],
        ],
        document: { default: 'allow' },
        expected: [[1, 'warning', 'run_command']],
      },
      'for which a default is said': {
        rules: [['allow', ['view_file', 'create_file']]],
        document: { default: 'ask' },
        expected: [[1, 'note', 'run_command']],
      },
      'not where a rule is for all': { rules: [['ask', '*']], expected: [] },
      'nor for a shadow rule or one that has expired': {
        rules: [
          ['ask', ['view_file', 'create_file']],
          ['ask', '*', { shadow: true }],
          ['ask', '*', { expires: now - day }],
        ],
        expected: [[1, 'warning', 'run_command']],
      },
    },
  ],
  'a default that allows': [
    'default-allow',
    {
      'where something falls to it': {
        rules: [],
        document: { default: 'allow' },
        expected: [[1, 'warning', 'another_tool']],
      },
      'not where nothing does': { rules: [['deny', '*']], document: { default: 'allow' }, expected: [] },
    },
  ],
  'names nothing bears': [
    'unknown-name',
    {
      'of a tool': { rules: [['deny', 'view_fil']], expected: [[1, 'error', 'view_fil']] },
      'of an argument': {
        rules: [['deny', 'create_file', { when: 'args.contants == "x"' }]],
        expected: [[1, 'error', 'create_file']],
      },
      'not where they are borne': { rules: [['allow', 'create_file', { when: 'args.contents == "x"' }]], expected: [] },
    },
  ],
  'allows for any command': [
    'open-command',
    {
      'of the tool': { rules: [['allow', 'run_command']], expected: [[1, 'warning', 'rm -rf']] },
      'of everything': { rules: [['allow', '*']], expected: [[1, 'warning', 'rm -rf']] },
      'not where a deny is before it': {
        rules: [
          ['allow', '*'],
          ['deny', 'run_command'],
        ],
        expected: [],
      },
      'not with runsOnly': { rules: [['allow', 'run_command', { when: 'runsOnly("git status")' }]], expected: [] },
    },
  ],
  'allows for all commands but some': [
    'deny-list',
    {
      'by what else does it': {
        rules: [['allow', 'run_command', { when: '!runs("rm")' }]],
        expected: [[1, 'warning', 'find . -delete']],
      },
    },
  ],
  'allows for programs that run what they are told': [
    'interpreter',
    {
      'by runsOnly, which allows nothing of it': {
        rules: [['allow', 'run_command', { when: 'runsOnly("bash")' }]],
        expected: [[1, 'warning', 'bash -c']],
      },
      'for wrappers': {
        rules: [['allow', 'run_command', { when: 'runsOnly("sudo")' }]],
        expected: [[1, 'warning', 'sudo']],
      },
      'not for others': { rules: [['allow', 'run_command', { when: 'runsOnly("git status")' }]], expected: [] },
      'not where they are denied': { rules: [['deny', 'run_command', { when: 'runs("bash")' }]], expected: [] },
    },
  ],
  'allows that look at one command of a line': [
    'runs-in-allow',
    {
      'by what else the line may hold': {
        rules: [['allow', 'run_command', { when: 'runs("git status")' }]],
        expected: [[1, 'warning', 'git status; rm']],
      },
      'not in a deny': { rules: [['deny', 'run_command', { when: 'runs("git status")' }]], expected: [] },
    },
  ],
  'conditions on the text of a command': [
    'command-text',
    {
      'in an allow, by a longer line': {
        rules: [['allow', 'run_command', { when: 'args.command_line.startsWith("npm test")' }]],
        expected: [[1, 'warning', 'npm test; rm']],
      },
      'in a deny, by another spelling': {
        rules: [['deny', 'run_command', { when: 'args.command_line.contains("rm")' }]],
        expected: [[1, 'warning', "r''m"]],
      },
      'under another name of the argument': {
        rules: [['forbid', 'run_command', { when: 'args.CommandLine.matches("^rm")' }]],
        expected: [[1, 'warning', 'run_command']],
      },
      'not where the whole text is compared': {
        rules: [['allow', 'run_command', { when: 'args.command_line == "npm test"' }]],
        expected: [],
      },
    },
  ],
  'rules whose time is over': [
    'expired',
    {
      'that protected': {
        rules: [['deny', 'view_file', { expires: now - 1 }]],
        expected: [[1, 'warning', 'view_file']],
      },
      'at that very moment': {
        rules: [['allow', 'view_file', { expires: now }]],
        expected: [[1, 'warning', 'view_file']],
      },
      'not before': { rules: [['allow', 'view_file', { expires: now + 1 }]], expected: [] },
    },
  ],
  'protections that will end': [
    'expiry-opens',
    {
      'whatever they are': {
        rules: [
          ['deny', 'view_file', { expires: now + 1 }],
          ['ask', 'create_file', { expires: now + 1 }],
          ['forbid', 'run_command', { expires: now + 1 }],
        ],
        expected: [
          [1, 'warning', 'view_file'],
          [2, 'warning', 'create_file'],
          [3, 'warning', 'run_command'],
        ],
      },
      'but not allows': { rules: [['allow', 'view_file', { expires: now + 1 }]], expected: [] },
    },
  ],
  'allows without a test': [
    'untested-allow',
    {
      'target by target': {
        rules: [['allow', ['view_file', 'create_file']]],
        document: { tests: [{ tool: 'view_file', args: {}, expect: 'allow' }] },
        expected: [[1, 'note', 'create_file']],
      },
      'not those that have one': {
        rules: [['allow', 'view_file']],
        document: { tests: [{ tool: 'view_file', args: {}, expect: 'allow' }] },
        expected: [],
      },
    },
  ],
};

const spelled = { ...conditions, 'writes( "**/.env" )': conditions['writes("**/.env")'] as RuleCondition };

for (const [title, [kind, each]] of Object.entries(cases)) {
  describe(title, () => {
    for (const [name, { rules, document, options, expected }] of Object.entries(each)) {
      it(proves('D07')(name), async () => {
        const world = { tools: [shell, write, view], conditions: spelled, now };
        const policy = policyOf([documentOf({ ...document, rules })], world);
        const findings = (await lintPolicy(policy, { now, ...options })).filter((finding) => finding.kind === kind);
        expect(findings.map(({ at, severity }) => [at.line, severity])).toEqual(
          expected.map(([at, severity]) => [at, severity]),
        );
        for (const [index, { witness, message, hint }] of findings.entries()) {
          expect(JSON.stringify(witness.call)).toContain(expected[index]?.[2]);
          const { effect, rule } = await policy.decide(witness.call);
          expect([effect, rule]).toEqual([witness.decision, witness.rule]);
          for (const text of [message, hint, witness.shows]) expect(text).toMatch(/^[^\s].*\.|\?$/);
        }
        expect(JSON.parse(JSON.stringify(findings))).toEqual(findings);
      });
    }
  });
}

describe('findings of layers', () => {
  it(proves('D07')('name the file that is always as strict, and ignore rules that narrow a grant'), async () => {
    const upper = documentOf({
      file: 'org.yaml',
      rules: [
        ['ask', '*'],
        ['allow', 'view_file'],
      ],
    });
    const lower = documentOf({
      file: 'own.yaml',
      rules: [
        ['ask', 'create_file'],
        ['allow', 'view_file', { grant: { timeoutMs: 1 } }],
        ['deny', 'run_command'],
      ],
    });
    const findings = await lintPolicy(policyOf([upper, lower], { tools: [shell, write, view] }));
    const shaded = findings.filter(({ kind }) => kind === 'shadowed-by-layer');
    expect(shaded).toMatchObject([
      { file: 'own.yaml', at: { line: 1 }, witness: { call: { tool: 'create_file' }, rule: { at: 'org.yaml:1' } } },
    ]);
    expect(shaded[0]?.message).toContain('org.yaml');
  });

  it(proves('D07')('include the warnings from loading, once'), async () => {
    const rules: RigDocument['rules'] = [
      ['deny', 'view_fil'],
      ['allow', 'view_file'],
    ];
    const policy = {
      ...policyOf([documentOf({ rules })], { tools: [view] }),
      findings: [
        { file: 'bridle.yaml', at: { line: 1, column: 3 }, message: 'no tool is named "view_fil"' },
        { file: 'bridle.yaml', at: { line: 2, column: 9 }, message: 'args.x may be missing' },
      ],
    };
    const findings = await lintPolicy(policy);
    expect(findings.filter(({ kind }) => kind === 'unknown-name')).toHaveLength(1);
    expect(findings.filter(({ kind }) => kind === 'load')).toMatchObject([
      { at: { line: 2, column: 9 }, message: 'args.x may be missing', witness: { call: { tool: 'view_file' } } },
    ]);
  });
});
