/** A guard or a session that cannot work is refused when it is made, and the error names what is wrong. */

import { allowAll, BridleError, createGuard, type GuardOptions } from 'bridle';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';

const good: GuardOptions = { tools: [{ name: 'act' }], policy: allowAll() };
const build = (options: unknown) => () => createGuard(options as GuardOptions);

describe('options of a guard', () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ['tools', 'act'],
    ['tools', {}],
    ['servers', 's'],
    ['policy', 5],
    ['hooks', {}],
    ['approver', 'ann'],
    ['approver', {}],
    ['approver', null],
    ['journal', null],
    ['journal', {}],
    ['journal', { append: 5 }],
    ['timeoutMs', 0],
    ['timeoutMs', -1],
    ['timeoutMs', Number.NaN],
    ['timeoutMs', Number.POSITIVE_INFINITY],
    ['timeoutMs', '5'],
    ['askTimeoutMs', 0],
    ['askTimeoutMs', Number.POSITIVE_INFINITY],
    ['grant', { timeoutMs: 0 }],
    ['grant', { timeoutMS: 5 }],
    ['grant', 5],
    ['clock', {}],
    ['clock', null],
    ['clock', { now: () => 0, wall: () => 0 }],
    ['limits', null],
    ['aprover', () => true],
    ['__proto_', 1],
  ];
  for (const [option, value] of wrong) {
    it(proves('G12', 'P10')(`are checked: ${option} ${JSON.stringify(value) ?? String(value)}`), () => {
      let thrown: unknown;
      try {
        build({ ...good, [option]: value })();
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(BridleError);
      expect((thrown as BridleError).message).toContain(option);
    });
  }

  it(proves('G12')('are required, and all problems are in one error, with the closest name'), () => {
    expect(build({})).toThrow(/"tools" is missing.*"policy" is missing/);
    expect(build({ ...good, aprover: 1, timeoutMs: 0 })).toThrow(
      /"aprover" is not known; did you mean "approver".*timeoutMs/,
    );
    for (const nothing of [undefined, null, 5, 'x']) expect(build(nothing)).toThrow(BridleError);
    expect(build({ ...good, policy: 'bridle.yaml' })).toThrow(
      'createGuard: option "policy" is "bridle.yaml", not a list of rules; for a file, pass openPolicy("bridle.yaml"), from bridle/policy-files',
    );
  });

  it(proves('G12')('that are undefined are as if left out'), () => {
    const nothing = {
      servers: undefined,
      hooks: undefined,
      approver: undefined,
      journal: undefined,
      limits: undefined,
      timeoutMs: undefined,
      askTimeoutMs: undefined,
      grant: undefined,
      clock: undefined,
      default: undefined,
    };
    expect(build({ ...good, ...nothing })).not.toThrow();
  });
});

describe('options of a session', () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ['id', ''],
    ['id', 7],
    ['id', 'a\u202eb'],
    ['id', 'x'.repeat(300)],
    ['state', 5],
    ['state', null],
    ['resumed', 'yes'],
    ['host', ''],
    ['coreType', 5],
    ['agent', 'main'],
    ['agent', []],
    ['agent', ['main', '']],
    ['cwd', ''],
    ['cwd', 'a\0b'],
    ['cwd', 5],
    ['agents', ['main']],
  ];
  for (const [option, value] of wrong) {
    it(proves('S08', 'S10')(`are checked: ${option} ${JSON.stringify(value).slice(0, 30)}`), async () => {
      const guard = createGuard(good);
      const starting = async () => guard.start({ [option]: value });
      await expect(starting()).rejects.toThrow(option);
    });
  }

  it(proves('S10')('with a state that is not JSON data do not start'), async () => {
    const guard = createGuard(good);
    await expect(guard.start({ state: { when: new Date() } })).rejects.toThrow(BridleError);
  });
});
