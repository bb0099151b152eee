/** `bridle chat`: an agent in the current folder, and a conversation with it. */

import type { Agent } from '../agent/agent.ts';
import { createAgent } from '../agent/create-agent.ts';
import type { Approver } from '../approval.ts';
import type { PolicyInput } from '../agent/policy-input.ts';
import { chatPolicy } from './chat-policy.ts';
import type { ChatSettings } from './chat-settings.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Face } from './face.ts';
import { Lifetime } from './lifetime.ts';
import { aboutPolicy } from './rules-module.ts';
import { PipedFace } from './piped-face.ts';
import { type Streams, terminalOf, written } from './streams.ts';
import { TerminalFace } from './terminal-face.ts';

export async function chat(settings: ChatSettings, streams: Streams): Promise<ExitCode> {
  const lifetime = new Lifetime(streams);
  try {
    const face = faceFor(settings, streams, lifetime);
    const agent = await startAgent(settings, face);
    const code = await converse(agent, face);
    // Only then it is known whether somebody has read it.
    if (!lifetime.isOver) await written(streams.stdout);
    return lifetime.codeAfter(code);
  } finally {
    lifetime.close();
  }
}

async function converse(agent: Agent, face: Face): Promise<ExitCode> {
  try {
    return await face.converse(agent);
  } finally {
    try {
      await agent.stop();
    } finally {
      face.finish();
    }
  }
}

async function startAgent(settings: ChatSettings, face: Face): Promise<Agent> {
  const { policy, notice, file } = await chatPolicy(settings);
  try {
    const agent = await agentFor(settings, policy, face).start();
    if (notice !== undefined) face.note(notice);
    return agent;
  } catch (error) {
    throw aboutPolicy(file, error);
  }
}

function faceFor(settings: ChatSettings, streams: Streams, lifetime: Lifetime): Face {
  const terminal = settings.json || settings.prompt === '-' ? undefined : terminalOf(streams);
  return terminal === undefined
    ? new PipedFace(streams, settings, lifetime)
    : new TerminalFace(terminal, settings, lifetime);
}

function agentFor(settings: ChatSettings, policy: PolicyInput, face: Face): Agent {
  const { modelName, cwd, session, bounds, askTimeoutMs } = settings;
  return createAgent({
    model: modelName,
    instructions: `You help the user in the folder ${cwd}. Relative paths start there.`,
    cwd,
    policy,
    session,
    askTimeoutMs,
    approver: approverFor(settings, face),
    hooks: [face.hook],
    budget: bounds.maxCost === undefined ? undefined : { perSession: { cost: bounds.maxCost } },
    maxSteps: bounds.maxSteps,
    // It runs right here.
  });
}

/** Calls of a tier that was said yes to beforehand are not asked about again. */
function approverFor({ yesTo }: ChatSettings, { approver }: Face): Approver {
  if (yesTo === undefined) return approver;
  return (request, options) =>
    request.call.tier === yesTo ? { type: 'approve', by: `--yes-to ${yesTo}` } : approver(request, options);
}
