/** All hosts. */

import type { Host } from './host.ts';

export const hosts: readonly Host[] = [];
