import { opaque, runs, runsOnly } from 'bridle/facts';
import { describe, expect, it } from 'vitest';

describe('predicates about commands', () => {
  it.each([
    ['runs', runs],
    ['runsOnly', runsOnly],
  ])('%s rejects an empty list of commands, and an array', (name, predicate) => {
    const loose = predicate as (...given: readonly unknown[]) => unknown;
    expect(() => loose()).toThrow(`${name} needs at least one command: ${name}('ls', 'git status')`);
    expect(() => loose(['ls'])).toThrow(`${name} takes commands as separate arguments, not as a list`);
    expect(loose('ls', 'git status')).toBeTypeOf('function');
  });

  it('opaque accepts no arguments', () => {
    expect(opaque()).toBeTypeOf('function');
  });
});
