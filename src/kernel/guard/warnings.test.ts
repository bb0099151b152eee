/** Warnings: whom they reach, how often, and that there is none without a reason. */

import { allow, allowAll, allowMcp, arg, askMcp, createGuard, denyMcp, type GuardOptions } from 'bridle';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';

const servers = [{ name: 'gh' }];
const tools = [{ name: 'view_file' }];

function warningsOf(options: Partial<GuardOptions>): { told: string[]; guard: ReturnType<typeof createGuard> } {
  const told: string[] = [];
  const guard = createGuard({
    tools,
    servers,
    policy: allowAll(),
    approver: () => true,
    onWarning: (warning) => told.push(warning),
    ...options,
  });
  return { told, guard };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a warning', () => {
  it(proves('P14')('goes to stderr, once, without onWarning'), () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const policy = [allow('veiw_file'), allowAll()];
    const guard = createGuard({ tools, policy });
    createGuard({ tools, policy });
    expect(warn.mock.calls).toEqual([
      ['bridle: warning: allow veiw_file: no tool is named "veiw_file"; did you mean "view_file"?'],
    ]);
    expect(guard.warnings).toHaveLength(1);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it(proves('P14')('goes to the handler instead, once for each guard'), () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { told, guard } = warningsOf({ policy: [allow('view_fil'), allowAll()] });
    guard.replaceServerTools('gh', [{ name: 'push' }]);
    expect([told.length, warn.mock.calls.length]).toEqual([1, 0]);
  });

  it(proves('P14')('reports an unknown argument of an allow'), () => {
    const known = [{ name: 'view_file', args: ['file_path'] }];
    const { told } = warningsOf({ tools: known, policy: [allow('view_file', { when: arg('flie_path', () => true) })] });
    expect(told.join()).toContain('did you mean "file_path"?');
  });
});

describe('a rule for a tool of a server', () => {
  const listed = [{ name: 'list_issues' }, { name: 'push' }];
  for (const [name, build] of Object.entries({ allowMcp, denyMcp, askMcp })) {
    it(proves('P14', 'M03')(`that the server has causes no warning, whenever it is listed: ${name}`), () => {
      const policy = [build('gh', ['list_issues', 'push']), allowAll()];
      const early = warningsOf({ tools: listed.map((tool) => ({ ...tool, server: 'gh' })), policy });
      const late = warningsOf({ tools: [], policy });
      late.guard.replaceServerTools('gh', listed);
      expect([...early.told, ...late.told, ...early.guard.warnings, ...late.guard.warnings]).toEqual([]);
    });
  }

  it(
    proves(
      'P14',
      'M03',
    )('that the server does not have is reported once it has listed its tools, and gone when it has the tool'),
    () => {
      const { told, guard } = warningsOf({ tools: [], policy: [allowMcp('gh', ['list_isues']), allowAll()] });
      expect(told).toEqual([]);
      guard.replaceServerTools('gh', listed);
      expect(told).toEqual(['rule "allow_gh_list_isues": no tool is named "list_isues"; did you mean "list_issues"?']);
      guard.replaceServerTools('gh', [...listed, { name: 'list_isues' }]);
      expect(guard.warnings).toEqual([]);
    },
  );
});
