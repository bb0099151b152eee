import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { draftOf, elsewhere, sampleCall, sampleRequest } from '../../../test/rigs/approval-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { otherSpellings } from '../../../test/rigs/other-spellings.ts';
import { runs } from '../../../test/property-runs.ts';
import type { ApprovalRequest } from '../../kernel/approval.ts';
import type { CheckedPath } from '../../kernel/call.ts';
import { type ApprovalId, newId, type SessionId } from '../../kernel/ids.ts';
import { createApproverKey } from '../keys/approver-keys.ts';
import type { SigningKey, TrustedKey } from '../../approvals/signing/key-ring.ts';
import { openKeyRing } from '../keys/open-key-ring.ts';
import { answerProblem, signAnswer } from '../../approvals/signing/signed-answer.ts';
import { approvalSubject, callDigest, recordDigest } from '../../approvals/signing/approval-digest.ts';
import type { ApprovalRecord, ApproverAnswer, SignedAnswer } from '../../approvals/signing/approval-record.ts';
import { processIdentity } from '../../approvals/signing/process-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridle-sign-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keys = openKeyRing(join(folder, 'keys'));
const ann = createApproverKey({ folder: keys.folder, name: 'ann' });
const bob = createApproverKey({ folder: keys.folder, name: 'bob' });
const trusted = keys.approverKeys();
const mallory = createApproverKey({ folder: join(folder, 'other'), name: 'ann' });
const verifier = { trusted, own: elsewhere() };

function recordOf(request: ApprovalRequest = sampleRequest(), change: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return { ...draftOf(request, { keys }), state: 'pending', answer: undefined, changes: [], ...change };
}

const answers: readonly ApproverAnswer[] = [
  { type: 'approve' },
  { type: 'approve', args: { command_line: 'npm test -- --bail' } },
  { type: 'approve', remember: 'session' },
  { type: 'approve', remember: { ms: 1000 }, rule: true },
  { type: 'deny' },
  { type: 'deny', reason: 'Not on a Friday', remember: 'turn' },
];

describe('a signed answer', () => {
  it.each(answers.map((answer) => [JSON.stringify(answer), answer] as const))('counts: %s', (_, answer) => {
    const record = recordOf();
    const signed = signAnswer(ann, record, answer);
    expect(answerProblem(signed, record, verifier)).toBeUndefined();
    // As a store returns it.
    expect(answerProblem(JSON.parse(JSON.stringify(signed)) as SignedAnswer, record, verifier)).toBeUndefined();
    expect(signed).toMatchObject({ by: 'ann', key: ann.id, approval: record.id, digest: record.digest });
  });

  it(proves('Q06', 'R05')('counts for no other approval, call or session'), () => {
    const record = recordOf();
    const signed = signAnswer(ann, record, { type: 'approve', remember: 'session' });
    const others: readonly ApprovalRecord[] = [
      recordOf(),
      { ...record, id: newId<ApprovalId>() },
      { ...record, digest: recordOf(sampleRequest({ policyVersion: 'policy-2' })).digest },
      { ...record, remembers: { ...record.remembers, group: 'f'.repeat(64) } },
    ];
    for (const other of others) expect(answerProblem(signed, other, verifier)).toBeTypeOf('string');
  });

  it(proves('Q06', 'R05')('counts only if it is unmodified'), () => {
    const record = recordOf();
    fc.assert(
      fc.property(
        fc.constantFrom(...answers),
        fc.nat(),
        fc.constantFrom('drop', 'swap', 'add'),
        (answer, seed, how) => {
          const signed = JSON.parse(JSON.stringify(signAnswer(ann, record, answer))) as SignedAnswer;
          const edited = mutate(structuredClone(signed), { seed, how }) as SignedAnswer;
          fc.pre(JSON.stringify(edited) !== JSON.stringify(signed));
          expect(answerProblem(edited, record, verifier)).toBeTypeOf('string');
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it(proves('Q06', 'R05')('counts only with its signature in canonical form'), () => {
    const record = recordOf();
    const signed = signAnswer(ann, record, { type: 'approve' });
    expect(answerProblem(signed, record, verifier)).toBeUndefined();
    for (const signature of otherSpellings(signed.signature, 'base64url')) {
      expect(answerProblem({ ...signed, signature }, record, verifier), signature).toBe('its signature is invalid');
    }
  });

  it(proves('Q06')('counts only with a trusted key, under the name of its owner'), () => {
    const record = recordOf();
    const yes: ApproverAnswer = { type: 'approve' };
    expect(answerProblem(signAnswer(mallory, record, yes), record, verifier)).toContain('not trusted here');
    const renamed: SigningKey = { ...bob, name: 'ann' };
    expect(answerProblem(signAnswer(renamed, record, yes), record, verifier)).toContain('belongs to bob');
    const disguised: SigningKey = { ...mallory, id: ann.id };
    expect(answerProblem(signAnswer(disguised, record, yes), record, verifier)).toContain('signature is invalid');
    const none: readonly TrustedKey[] = [];
    expect(answerProblem(signAnswer(ann, record, yes), record, { ...verifier, trusted: none })).toContain(
      'not trusted',
    );
  });

  it(proves('Q06')('is limited to allowed answerers, when it is signed and when it is checked'), () => {
    const record = recordOf(sampleRequest(), { answerers: ['bob'] });
    expect(() => signAnswer(ann, record, { type: 'approve' })).toThrow('ann may not answer; allowed: bob');
    const open = { ...record, answerers: undefined };
    const signed = signAnswer(ann, open, { type: 'approve' });
    expect(answerProblem(signed, record, verifier)).toContain('ann may not answer');
    expect(answerProblem(signAnswer(bob, record, { type: 'deny' }), record, verifier)).toBeUndefined();
  });

  it(proves('Q06')('does not count from the asking process or its children'), () => {
    const record = recordOf(sampleRequest(), { asker: processIdentity() });
    expect(() => signAnswer(ann, record, { type: 'deny' })).toThrow('given by the asking process');
    const signed = signAnswer(ann, { ...record, asker: elsewhere() }, { type: 'deny' });
    expect(answerProblem(signed, record, verifier)).toContain('given by the asking process');
    // Another process has taken over the run: it may not answer itself, either.
    const taken = { ...verifier, own: processIdentity() };
    expect(answerProblem(signed, { ...record, asker: elsewhere() }, taken)).toContain('given by the asking process');
    const parent = { ...processIdentity(), ...signed.from.parents[0] };
    expect(answerProblem(signed, { ...record, asker: parent }, verifier)).toContain('given by the asking process');
  });

  it('must match its approval', () => {
    const wrong: readonly [unknown, string][] = [
      [{ type: 'maybe' }, 'must approve or deny'],
      [{ type: 'approve', reason: 'why' }, 'unknown field "reason"'],
      [{ type: 'approve', args: [] }, 'must be an object, not a list'],
      [{ type: 'approve', args: { a: 1 }, remember: 'turn' }, 'approved once'],
      [{ type: 'approve', remember: 'always' }, '"remember" must be'],
      [{ type: 'approve', remember: { ms: -1 } }, '"remember" must be'],
      [{ type: 'approve', rule: true }, 'does not say for how long'],
      [{ type: 'deny', reason: 'x'.repeat(5000) }, 'longer than'],
    ];
    for (const [answer, problem] of wrong) {
      expect(() => signAnswer(ann, recordOf(), answer as ApproverAnswer)).toThrow(problem);
    }
    const nothing = recordOf(sampleRequest({ proposal: undefined }));
    expect(() => signAnswer(ann, nothing, { type: 'approve', remember: 'turn', rule: true })).toThrow(
      'none was proposed',
    );
  });

  it(proves('Q04', 'Q06')('is not signed for a record that shows something else'), () => {
    const record = recordOf(sampleRequest({ call: sampleCall({ args: { command_line: 'rm -rf /' } }) }));
    const harmless = sampleRequest();
    const disguises: readonly Partial<ApprovalRecord>[] = [
      { shown: harmless.shown },
      { tool: 'view_file' },
      { questions: [{ text: 'Fine?' }] },
      { proposal: 'run_command: ls' },
      { session: 'other' },
      { policyVersion: 'policy-0' },
      { remembers: { ...record.remembers, rule: 'a'.repeat(64) } },
    ];
    for (const change of disguises) {
      expect(() => signAnswer(ann, { ...record, ...change }, { type: 'approve' })).toThrow(
        'not what would be approved',
      );
    }
  });
});

/** Changes one leaf of a value: removes it, replaces it, or adds a sibling. */
function mutate(value: unknown, { seed, how }: { readonly seed: number; readonly how: string }): unknown {
  const places: { readonly holder: Record<string, unknown>; readonly key: string }[] = [];
  const walk = (each: unknown): void => {
    if (typeof each !== 'object' || each === null) return;
    for (const key of Object.keys(each)) {
      places.push({ holder: each as Record<string, unknown>, key });
      walk((each as Record<string, unknown>)[key]);
    }
  };
  walk(value);
  const { holder, key } = places[seed % places.length] as (typeof places)[number];
  const before = holder[key];
  if (how === 'drop') Reflect.deleteProperty(holder, key);
  else if (how === 'add') holder[`${key}x`] = 1;
  else holder[key] = typeof before === 'number' ? before + 1 : typeof before === 'string' ? `${before}x` : 'else';
  return value;
}

describe('the digest of an approval', () => {
  const path: CheckedPath = {
    at: ['file_path'],
    given: 'a',
    path: '/work/a',
    identity: { device: '1', inode: '2' },
    ancestor: { path: '/work', identity: { device: '1', inode: '1' } },
  };

  it(proves('Q01')('covers everything that is approved'), () => {
    const call = sampleCall();
    const [question] = sampleRequest().questions;
    if (question?.rule === undefined) throw new TypeError('no question');
    const others: readonly Partial<ApprovalRequest>[] = [
      {},
      { call: { ...call, session: 'session-2' as SessionId } },
      { call: { ...call, agent: ['main', 'helper'] } },
      { call: { ...call, tool: 'other' } },
      { call: { ...call, server: 'github' } },
      { call: { ...call, args: { command_line: 'npm test ' } } },
      { call: { ...call, cwd: '/' } },
      { paths: [path] },
      { paths: [{ ...path, path: '/work/b' }] },
      { policyVersion: 'policy-2' },
      { questions: [{ ...question, text: 'Run that?' }] },
      { questions: [{ ...question, hook: 'second' }] },
      { questions: [{ ...question, rule: { ...question.rule, name: 'others' } }] },
      { questions: [{ ...question, rule: { ...question.rule, at: 'bridle.yaml:4' } }] },
      { proposal: undefined },
      { proposal: { text: 'run_command: npm test …', data: { begins: ['npm'] } } },
    ];
    const digests = others.map((change) => approvalSubject(sampleRequest(change), keys).digest);
    expect(new Set(digests).size).toBe(others.length);
  });

  it(proves('Q01', 'Q03')('is the same on every machine, and for the record'), () => {
    const request = sampleRequest({ paths: [path] });
    const moved = { ...request, paths: [{ ...path, identity: { device: '9', inode: '9' } }] };
    expect(approvalSubject(moved, keys).digest).toBe(approvalSubject(request, keys).digest);
    const record = JSON.parse(JSON.stringify(recordOf(request))) as ApprovalRecord;
    expect(recordDigest(record)).toBe(approvalSubject(request, keys).digest);
  });

  it(proves('R10')('does not allow guessing masked args without the key of the store'), () => {
    const other = openKeyRing(join(folder, 'other'));
    expect(callDigest(sampleRequest(), other)).not.toBe(callDigest(sampleRequest(), keys));
  });
});
