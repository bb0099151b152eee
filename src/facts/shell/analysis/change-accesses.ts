import { getOrCreate } from '../../../kernel/lazy.ts';
import type { FileAccess } from '../commands/command-analysis.ts';

/** Maps each access. The sources of a destination keep their identity with the accesses in the list. */
export function changeAccesses(
  accesses: readonly FileAccess[],
  change: (access: FileAccess) => FileAccess,
): readonly FileAccess[] {
  const changed = new Map<FileAccess, FileAccess>();
  const changeOne = (access: FileAccess): FileAccess => {
    const { sources } = access;
    const whole = sources === undefined ? access : { ...access, sources: sources.map(changeKnown) };
    return change(whole);
  };
  const changeKnown = (access: FileAccess): FileAccess => getOrCreate(changed, access, () => changeOne(access));
  return accesses.map(changeKnown);
}
