/**
 * The three presets. All of them forbid the same things and allow reading. They differ in what else runs without
 * asking: nothing (strict), daily work (balanced), everything that visibly stays inside the folder (trusting).
 */

import { changeRulesSection } from './rules/change-rules.ts';
import { commandRulesSection } from './rules/command-rules.ts';
import { readRulesSection, unallowedSearchTests } from './rules/read-rules.ts';
import { askNetworkSection, denyNetworkSection, allowNetworkSection } from './rules/network-rules.ts';
import { forbidRulesSection } from './rules/forbid-rules.ts';
import type { Project } from './project/project.ts';
import { fileCall, lineCall } from './rules/starter-test.ts';
import { serverNames, serverSection } from './rules/server-section.ts';
import type { StarterPolicy, StarterSection, StarterTest } from './rules/starter-policy.ts';
import { trustingCommandRulesSection } from './rules/trusting-command-rules.ts';

export const presetNames = ['strict', 'balanced', 'trusting'] as const;

export type PresetName = (typeof presetNames)[number];

export function isPresetName(text: string): text is PresetName {
  return (presetNames as readonly string[]).includes(text);
}

interface Preset {
  readonly sections: (project: Project) => readonly StarterSection[];
  /** Calls that the default decides. */
  readonly undecided: readonly StarterTest[];
}

/** Every preset asks about these, because the line does not show what they run. */
const opaque = ['./deploy.sh', 'python3 -c "print(1)"'].map((line) => lineCall(line, 'ask'));

const presets: Readonly<Record<PresetName, Preset>> = {
  strict: {
    sections: (project) => [readRulesSection(project), denyNetworkSection()],
    undecided: [fileCall('create_file', 'notes/plan.md', 'ask'), lineCall('ls', 'ask'), ...opaque],
  },
  balanced: {
    sections: (project) => [
      readRulesSection(project),
      changeRulesSection(project),
      commandRulesSection(project),
      askNetworkSection(),
    ],
    undecided: [
      ...opaque,
      lineCall('curl https://example.com/', 'ask'),
      lineCall('ls; rm -rf build', 'ask'),
      lineCall('ls > files.txt', 'ask'),
      lineCall('cat /etc/hosts', 'ask'),
      lineCall('git push', 'ask'),
    ],
  },
  trusting: {
    sections: (project) => [
      readRulesSection(project),
      changeRulesSection(project),
      trustingCommandRulesSection(project),
      allowNetworkSection(),
    ],
    undecided: [
      ...opaque,
      lineCall('cat /etc/hosts', 'ask'),
      lineCall('cp README.md /tmp/x', 'ask'),
      { call: 'read_url_content', args: { url: 'http://169.254.169.254/latest/meta-data/' }, expect: 'ask' },
    ],
  },
};

export function starterFor(project: Project, name: PresetName): StarterPolicy {
  const { sections, undecided } = presets[name];
  return {
    preset: name,
    default: 'ask',
    servers: serverNames(project),
    sections: [forbidRulesSection(), ...sections(project), ...serverSection(project)],
    undecided: [...undecided, ...unallowedSearchTests(project)],
  };
}
