/** Decides the everyday lines and the recorded sessions under every preset. */

import type { Decision } from '../../../src/kernel/call.ts';
import { type PresetName, presetNames } from '../../../src/policy-files/init/presets.ts';
import type { EverydayCase, ProjectName } from './everyday-case.ts';
import { Projects } from './projects.ts';
import type { Session, SessionCall } from './session.ts';

interface Answer {
  readonly effect: Decision['effect'];
  readonly rule: string | undefined;
  readonly reason: string;
  /** What is unknown about the line, if that made the answer stricter. */
  readonly unsure: string | undefined;
  /** Why the call is not valid for its tool. */
  readonly problem: string | undefined;
}

type Answers = Readonly<Record<PresetName, Answer>>;

export interface DecidedLine {
  readonly item: EverydayCase;
  readonly answers: Answers;
}

export interface DecidedSession {
  readonly session: Session;
  readonly calls: readonly { readonly call: SessionCall; readonly answers: Answers }[];
}

export interface DecidedEveryday {
  readonly lines: readonly DecidedLine[];
  readonly sessions: readonly DecidedSession[];
}

export async function decideEveryday(
  cases: readonly EverydayCase[],
  sessions: readonly Session[],
): Promise<DecidedEveryday> {
  const projects = new Projects();
  try {
    const lines: DecidedLine[] = [];
    for (const item of cases) {
      const call = { tool: 'run_command', args: { command_line: item.line } };
      lines.push({ item, answers: await decideCall(projects, item.folder, call) });
    }
    const decided: DecidedSession[] = [];
    for (const session of sessions) decided.push(await decideSession(projects, session));
    return { lines, sessions: decided };
  } finally {
    projects.remove();
  }
}

/** Carries out the calls that create files, because later calls of the session use them. */
async function decideSession(projects: Projects, session: Session): Promise<DecidedSession> {
  const calls: { call: SessionCall; answers: Answers }[] = [];
  for (const call of session.calls) {
    calls.push({ call, answers: await decideCall(projects, session.folder, call) });
    const { file_path: file, contents } = call.args;
    if (call.tool === 'create_file' && typeof file === 'string' && typeof contents === 'string')
      projects.write(session.folder, file, contents);
  }
  return { session, calls };
}

async function decideCall(projects: Projects, folder: ProjectName, call: SessionCall): Promise<Answers> {
  const place = projects.folder(folder);
  const args = Object.fromEntries(
    Object.entries(call.args).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll('{project}', place) : value,
    ]),
  );
  const answers: Partial<Record<PresetName, Answer>> = {};
  for (const preset of presetNames) {
    const decision = await projects.policy(folder, preset).decide({ tool: call.tool, args });
    const { effect, rule, uncertainty: unsure, problem } = decision;
    const reason = decision.reason.replaceAll(place, '{project}');
    answers[preset] = { effect, rule: rule?.name, reason, unsure, problem };
  }
  return answers as Record<PresetName, Answer>;
}
