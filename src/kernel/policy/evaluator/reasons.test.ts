/** Reasons name the tool, the rule and what is unknown, and say what to do. */

import { allow, ask, BridleError, compilePolicy, deny, forbid, type Approver, type Rules, type ToolCall } from 'bridle';
import type { RuleCondition } from '../rules/rule.ts';
import { readsInside, writes } from 'bridle/facts';
import { opaque, runs, runsOnly } from 'bridle/facts';
import { describe, expect, it, vi } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { defaultReason, hardestQuestion, nobodyToAskReason } from './reasons.ts';

const shell = { name: 'run_command', args: ['command_line'], touches: { bash: ['command_line'] } };
const ruleRef = { name: 'r', effect: 'ask', target: '*', bucket: 7 } as const;
const somebody: Approver = () => true;
const unsure: RuleCondition = () => {
  throw new BridleError('FACT_UNKNOWN', 'nobody knows');
};

async function reasonOf(rules: Rules, line: string, more: { approver?: Approver; default?: 'deny' } = {}) {
  const policy = compilePolicy(rules, { tools: [shell, { name: 'push' }], ...more });
  const tool = line === '' ? 'push' : 'run_command';
  const { effect, reason } = await policy.decide({ tool, args: line === '' ? {} : { command_line: line } });
  return `${effect}: ${reason}`;
}

describe('the reason of a rule whose condition is unknown', () => {
  it(proves('P11', 'X01')('separates what is unknown from the reason of the rule'), async () => {
    const rule = forbid('run_command', { name: 'no deleting', when: runs('rm'), reason: 'Move it to the trash' });
    expect(await reasonOf([rule, allow('*')], '"$x" a')).toBe(
      'deny: Denied run_command by rule "no deleting": Bridle cannot tell whether the call runs "rm" (a command name is not literal: "$x"). The reason of the rule: Move it to the trash. To be asked instead, set unknown: ask on the rule.',
    );
    expect(await reasonOf([rule, allow('*')], 'rm a')).toBe('deny: Move it to the trash');
  });

  it(proves('P19')('is a question if the rule asks, and names the rule that may apply'), async () => {
    const rule = forbid('*', { name: 'env', when: writes('**/.env'), unknown: 'ask', reason: 'Secrets stay' });
    expect(await reasonOf([rule, allow('*')], 'echo > "$x"', { approver: somebody })).toMatch(
      /^ask: May run_command run\? Bridle cannot tell whether the call writes a file that matches "\*\*\/\.env" \(.*\$x.*\)\. Rule "env" may forbid it\. The reason of the rule: Secrets stay\.$/,
    );
    const asks = ask('push', { name: 'care', when: unsure, reason: 'Push it?' });
    expect(await reasonOf([asks, allow('*')], '', { approver: somebody })).toBe(
      'ask: May push run? Bridle cannot tell whether the rule applies: nobody knows. Rule "care" may ask about it. The question of the rule: Push it?',
    );
  });

  it(proves('P19')('explains that there is nobody to ask, and what to change'), async () => {
    const cases: readonly (readonly [Rules, string, string])[] = [
      [
        forbid('*', { name: 'f', when: unsure, unknown: 'ask' }),
        'npm run deploy',
        'Write the command so that it names its programs and files, or have a person run it outside the session.',
      ],
      [
        deny('run_command', { name: 'f', when: unsure, unknown: 'ask' }),
        'for x in a; do $x; done',
        'Write the command so that it names its programs and files, or have a person run it outside the session.',
      ],
      [forbid('*', { name: 'f', when: unsure, unknown: 'ask' }), '', 'To allow it, change rule "f".'],
      [
        deny('*', { name: 'f', when: unsure, unknown: 'ask' }),
        'CI=1 npm run deploy',
        'To allow it, write it as plain commands that an allow rule names with runsOnly, or have a person run it outside the session.',
      ],
      [
        deny('*', { name: 'f', when: unsure, unknown: 'ask' }),
        'npm run deploy',
        `To allow it, add a rule to the policy: - { allow: run_command, when: 'runsOnly("npm run deploy")' }`,
      ],
      [
        deny('*', { name: 'f', when: unsure, unknown: 'ask' }),
        '',
        'To allow it, add a rule to the policy: - allow: push',
      ],
    ];
    for (const [rule, line, out] of cases) {
      const tool = line === '' ? 'push' : 'run_command';
      expect(await reasonOf([rule, allow('*')], line)).toBe(
        `deny: Denied ${tool} by rule "f": Bridle cannot tell whether the rule applies: nobody knows, and there is nobody to ask. ${out}`,
      );
    }
  });

  it.each([
    'ls -l',
    'npm run deploy',
    'gpg --clearsign doc.txt',
    'useradd -G a,b name',
    'unheard-of --of=this a@b:c',
    'make',
    'CI=1 npm test',
    'time ls',
    'env A=b ls',
    'export A=b',
    'alias a=b',
    'ls > x',
    "ls 'a b'",
    'ls $x',
    'ls *.ts',
    'ls; pwd',
    'ls | wc',
    'echo $(ls)',
    'if ls',
    'coproc ls',
    'eval ls',
    'xargs rm',
    'set -e',
    'ls \\x',
    'ls ~',
    'ls {a,b}',
  ])(proves('P19', 'X03')('proposes only a rule with which the call passes: %s'), async (line) => {
    const wide = deny('*', { name: 'f', when: unsure, unknown: 'ask' });
    const reason = await reasonOf([wide, allow('push')], line);
    expect(reason).not.toContain('"…"');
    const entry = /when: 'runsOnly\("(.*)"\)' \}$/.exec(reason)?.[1];
    if (entry === undefined) expect(reason).toContain('To allow it, write it as plain commands ');
    else expect(await reasonOf([wide, allow('run_command', { when: runsOnly(entry) })], line)).toBe('allow: ');
  });

  it(proves('P19')('proposes no rule where a condition of that kind is what is unknown'), async () => {
    const rule = allow('run_command', { when: runsOnly('bash --new x') });
    expect(await reasonOf(rule, 'bash --new x')).toMatch(/runs nothing but .* write it as plain commands /);
  });

  it(proves('D11', 'P19')('is that of the question that no rule settles, if there are several'), () => {
    const first = { text: 'May run_command run?' };
    const lasting = { text: 'It may write a policy.', rule: { ...ruleRef, name: 'protected_files_unsure' } };
    expect(hardestQuestion([first, lasting])).toBe(lasting);
    expect(hardestQuestion([first, { text: 'b' }])).toBe(first);
    expect(hardestQuestion([])).toBeUndefined();
  });

  it(proves('P09', 'P11')('does not repeat a question that only asks to confirm the tool'), () => {
    const call = { tool: 'push', displayName: 'Push it', args: {} } as unknown as ToolCall;
    const rule = { ...ruleRef, name: 'safe_confirm' };
    const denied = 'Denied push: rule "safe_confirm" requires approval, and there is nobody to ask.';
    const out = 'To allow it, add a rule to the policy: - allow: push';
    expect(nobodyToAskReason(call, { text: 'Confirm Push it?', rule })).toBe(`${denied} ${out}`);
    expect(nobodyToAskReason(call, { text: 'To all?', rule })).toBe(`${denied} The question was: To all? ${out}`);
  });
});

describe('the reason of the default', () => {
  it(proves('P11', 'X01')('names the allow rule that is unknown, and what to do'), async () => {
    const rule = allow('run_command', { when: readsInside('.') });
    expect(await reasonOf(rule, 'cat "$x"', { approver: somebody })).toMatch(
      /^ask: May run_command run\? No rule certainly allows it\. Bridle cannot tell whether the call reads only inside "\." \(.*\)\.$/,
    );
    expect(await reasonOf(rule, 'cat "$x"')).toMatch(
      /^deny: Denied run_command: no rule certainly allows it\. Bridle cannot tell whether .*, and there is nobody to ask\. To allow it, /,
    );
    expect(await reasonOf(rule, '', { default: 'deny' })).toBe(
      'deny: Denied push: no rule matches this call, and the default is deny. To allow it, add a rule to the policy: - allow: push',
    );
  });

  it(proves('P11')('names the command line, or the file'), () => {
    const cases: readonly (readonly [Record<string, string>, string])[] = [
      [{ command_line: 'git  push' }, 'No rule matches `git push`.'],
      [{ file_path: 'src/a.ts', content: 'x' }, 'No rule matches this call for `src/a.ts`.'],
      [{ password: 'x' }, 'No rule matches this call.'],
      [{ path: '\u202Ex' }, 'No rule matches this call.'],
    ];
    for (const [args, text] of cases)
      expect(defaultReason({ tool: 'act', args } as unknown as ToolCall, 'ask')).toBe(`May act run? ${text}`);
  });

  it('shortens long lists and globs', async () => {
    const programs = Array.from({ length: 20 }, (_, at) => `program${at}`);
    expect(await reasonOf(deny('*', { when: runs(...programs) }), '$x')).toContain(
      'whether the call runs "program0", "program1", "program2" or 17 more (',
    );
    const glob = `**/{${programs.join(',')}}`;
    expect(await reasonOf(deny('*', { when: writes(glob) }), 'echo > $x')).toContain(`${glob.slice(0, 60)}…" (`);
    expect(await reasonOf(deny('*', { when: opaque() }), '"$x" y')).not.toContain('undefined');
  });
});

describe('the reason of a rule that has none of its own', () => {
  const targets = [undefined, 'gh', 'db'].flatMap((server) =>
    ['push', 'gh/push', 'view'].map((tool) => ({ server, tool })),
  );
  // More tools than a rule remembers.
  const many = Array.from({ length: 600 }, (_, i) => ({ server: 'gh', tool: `tool_${i}` }));

  it(proves('P11')('names the tool of the call, in whatever order tools are called'), async () => {
    const policy = compilePolicy([deny({ server: 'gh' }, { name: 'no gh' }), forbid('*', { name: 'none' })], {
      servers: ['gh', 'db'],
    });
    const server = compilePolicy(deny({ server: 'gh' }, { name: 'no gh' }), { servers: ['gh', 'db'] });
    for (const request of [...targets, ...many, ...targets.toReversed(), ...many.toReversed()]) {
      const name = request.server === undefined ? request.tool : `${request.server}/${request.tool}`;
      expect((await policy.decide(request)).reason).toBe(`Denied ${name} by rule "none"`);
      if (request.server === 'gh') expect((await server.decide(request)).reason).toBe(`Denied ${name} by rule "no gh"`);
    }
  });

  it(proves('P11', 'P16')('is built once for a tool, also under many rules for other targets'), async () => {
    const others = Array.from({ length: 1000 }, (_, i) => deny(`other_${i}`));
    const policy = compilePolicy([...others, deny({ server: 'gh' }), ask('*', { handler: somebody })], {
      servers: ['gh', 'db'],
    });
    const build = vi.spyOn(String.prototype, 'toWellFormed');
    try {
      for (let i = 0; i < 10; i++) for (const request of targets) await policy.decide(request);
      const texts = build.mock.contexts.map(String).filter((text) => /^(?:Denied|May) /.test(text));
      expect(texts).toHaveLength(targets.length);
    } finally {
      build.mockRestore();
    }
  });

  it(proves('P11')('yields to a reason that depends on the call'), async () => {
    let asked = 0;
    const reason = ({ tool }: ToolCall): string => (tool === 'view' ? '' : `Call ${++asked}`);
    const policy = compilePolicy(deny('*', { name: 'r', reason }));
    const reasons = ['push', 'view', 'push', 'view'].map(async (tool) => (await policy.decide({ tool })).reason);
    expect(await Promise.all(reasons)).toEqual([
      'Call 1',
      'Denied view by rule "r"',
      'Call 2',
      'Denied view by rule "r"',
    ]);
  });
});
