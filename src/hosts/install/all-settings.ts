/** The configuration files of all hosts. */

import { claudeSettings } from '../claude/settings.ts';
import { codexSettings } from '../codex/settings.ts';
import { copilotSettings } from '../copilot/settings.ts';
import { geminiSettings } from '../gemini/settings.ts';
import { opencodeSettings } from '../opencode/settings.ts';
import type { HostSettings } from '../settings/host-settings.ts';

export const allHostSettings: readonly HostSettings[] = [
  claudeSettings,
  codexSettings,
  geminiSettings,
  copilotSettings,
  opencodeSettings,
];
