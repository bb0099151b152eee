/** The reasons that the rules for protected files give: what a call does, or what is unknown. */

import type { TouchedFile } from '../touched-files/touched-files.ts';
import type { ProtectedPaths } from './protected-paths.ts';
import { quote } from '../resolve/quote.ts';
import type { PathLocation } from '../resolve/path-location.ts';

const controls = 'controls this session (policy, trust, store or keys)';

/** Why a call is refused: names the file it touches and the protected file that this is, is inside of, or contains. */
export function refusalText(
  { label, mode }: TouchedFile,
  location: PathLocation,
  protectedPaths: ProtectedPaths,
): string {
  const isRead = mode === 'read';
  const hit = quote(protectedPaths.protectedFileAt(location) ?? location.text);
  const why = isRead ? 'is kept secret from agents' : `${controls}, and only people may change it`;
  const does = isRead ? 'reads' : mode === 'write' ? 'writes' : 'may write';
  const isAbove = protectedPaths.relation(location) === 'above';
  const what = isAbove ? `This ${isRead ? 'reads' : 'changes'} what ${label} contains` : `This ${does} ${label}`;
  return `${what}: ${hit} ${why}. Leave it out, or ask a person to do it.`;
}

/** The question for the approver. */
export function doubtText(why: string, mode: TouchedFile['mode'] = 'write'): string {
  const does = mode === 'read' ? 'reads a file that is kept secret' : `writes a file that ${controls}`;
  return `Bridle cannot tell whether this ${does}: ${why}.`;
}

/** The question about a file that may lead to a protected file, or to an unknown path. */
export function unknownPathText({ label, mode }: TouchedFile, protectedFile: string | undefined): string {
  if (protectedFile !== undefined)
    return doubtText(`it works on ${label}, and may reach ${quote(protectedFile)}`, mode);
  const where = label === '""' ? 'the line does not name its files' : `the line does not show where ${label} leads`;
  return doubtText(where, mode);
}
