/** Approvals as a guard creates them, requested by another process, for tests that answer them. */

import { sign } from 'node:crypto';
import type { ApprovalRequest } from '../../src/kernel/approval.ts';
import type { ToolCall } from '../../src/kernel/call.ts';
import { showCall } from '../../src/kernel/guard/calls/show-call.ts';
import { type ApprovalId, newId, type CallId, type SessionId } from '../../src/kernel/ids.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { signedText } from '../../src/approvals/signing/signed-answer.ts';
import { approvalSubject } from '../../src/approvals/signing/approval-digest.ts';
import type {
  ApprovalDraft,
  ApprovalRecord,
  ApproverAnswer,
  ProcessIdentity,
  SignedAnswer,
} from '../../src/approvals/signing/approval-record.ts';
import type { Approvals } from '../../src/store/approvals/approvals.ts';
import { openApprovals } from '../../src/store/approvals/open-approvals.ts';
import { processIdentity } from '../../src/approvals/signing/process-tree.ts';
import { createApproverKey } from '../../src/store/keys/approver-keys.ts';
import type { KeyRing, SigningKey } from '../../src/approvals/signing/key-ring.ts';
import type { NamespaceContext } from '../../src/store/namespace/namespace.ts';
import type { StoreOptions } from '../../src/store/store.ts';
import { handClock, type HandClock } from './run-rig.ts';
import type { StoreRig } from './store-rig.ts';

/** Later than the end of any test. */
const later = 4_000_000_000_000;

/** Another process on this machine that started after this one and is unrelated to it. */
export function elsewhere(): ProcessIdentity {
  const own = processIdentity();
  return { ...own, pid: 3_999_999, started: String(Number(own.started) + 1) };
}

export function sampleCall(change: Partial<ToolCall> = {}): ToolCall {
  const args: JsonObject = change.args ?? { command_line: 'npm test' };
  return {
    id: 'call-1' as CallId,
    tool: 'run_command',
    server: undefined,
    displayName: 'run_command',
    tier: 'confirm',
    requested: args,
    cwd: '/work',
    session: 'session-1' as SessionId,
    turn: 1,
    step: 1,
    agent: ['main'],
    ...change,
    args,
  };
}

export function sampleRequest(change: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const call = change.call ?? sampleCall();
  return {
    id: newId<ApprovalId>(),
    call,
    shown: showCall(call, ['command_line']),
    questions: [
      {
        text: 'Run this?',
        rule: { name: 'commands', effect: 'ask', target: 'run_command', bucket: 4, at: 'bridle.yaml:3' },
        hook: undefined,
      },
    ],
    paths: [],
    policyVersion: 'policy-1',
    proposal: { text: 'run_command: npm test …', data: { begins: ['npm', 'test'] } },
    expiresAt: later,
    ...change,
  };
}

export interface DraftOptions extends Partial<ApprovalDraft> {
  readonly keys: KeyRing;
}

export function draftOf(request: ApprovalRequest, { keys, ...change }: DraftOptions): ApprovalDraft {
  const { id, call, expiresAt } = request;
  return {
    ...approvalSubject(request, keys),
    id,
    call: call.id,
    run: undefined,
    args: call.args,
    answerers: undefined,
    asker: elsewhere(),
    createdAt: 1_700_000_000_000,
    expiresAt,
    ...change,
  };
}

/** A store with approvals, and a person who may answer them. */
export interface ApprovalRig {
  readonly parts: NamespaceContext;
  readonly approvals: Approvals;
  readonly ann: SigningKey;
  readonly clock: HandClock;
  readonly put: (change?: Partial<ApprovalRecord>, request?: Partial<ApprovalRequest>) => Promise<ApprovalRecord>;
}

export async function openApprovalRig(rig: StoreRig, options: StoreOptions = {}): Promise<ApprovalRig> {
  const clock = handClock();
  const parts = await rig.parts({ clock, ...options });
  const approvals = openApprovals(parts);
  const ann = createApproverKey({ folder: parts.keys.folder, name: 'ann' });
  return {
    parts,
    approvals,
    ann,
    clock,
    put: (change = {}, request = {}) => {
      const asked = sampleRequest({ expiresAt: clock() + 60_000, ...request });
      return approvals.put(draftOf(asked, { keys: parts.keys, createdAt: clock(), ...change }));
    },
  };
}

/** An answer signed by another process: a process cannot answer its own requests. */
export function signElsewhere(key: SigningKey, record: ApprovalRecord, answer: ApproverAnswer): SignedAnswer {
  const unsigned = {
    answer,
    approval: record.id,
    digest: record.digest,
    by: key.name,
    at: Date.now(),
    from: { ...elsewhere(), parents: [] },
    remembers: answer.remember === undefined ? undefined : record.remembers,
    key: key.id,
  };
  const signature = sign(null, Buffer.from(signedText(unsigned)), key.privateKey).toString('base64url');
  return { ...unsigned, signature };
}
