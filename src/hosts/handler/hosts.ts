/** All hosts. */

import { claude } from '../claude/claude.ts';
import { codex } from '../codex/codex.ts';
import { copilot } from '../copilot/copilot.ts';
import { gemini } from '../gemini/gemini.ts';
import type { Host } from '../host.ts';
import { opencode } from '../opencode/opencode.ts';

export const hosts: readonly Host[] = [claude, codex, gemini, copilot, opencode];
