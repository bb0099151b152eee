/** Whether a line leaves open what is done (X04). */

import { unknown, type Truth } from '../truth.ts';
import type { CommandAnalysis } from './command-analysis.ts';

export function isOpaque(analysis: CommandAnalysis): Truth {
  if (analysis.opaque !== undefined) return true;
  return analysis.unknown === undefined ? false : unknown(analysis.unknown);
}
