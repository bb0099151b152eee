/** All hosts. */

import { copilot } from '../copilot/copilot.ts';
import { gemini } from '../gemini/gemini.ts';
import type { Host } from '../host.ts';

export const hosts: readonly Host[] = [gemini, copilot];
