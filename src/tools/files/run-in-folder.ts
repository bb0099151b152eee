import type { CheckedPath } from '../../kernel/call.ts';
import { pathError, openFolder } from '../../facts/paths/workspace/checked-folder.ts';

/** Keeps a checked folder open while a process runs in it, so that it runs in the folder that was checked. */
export async function runInFolder<T>(checked: CheckedPath, work: (cwd: string) => Promise<T>): Promise<T> {
  const folder = await openFolder(checked).catch((error: unknown) => {
    throw pathError(error, checked.path);
  });
  try {
    return await work(folder.pathTo('.'));
  } finally {
    await folder.close();
  }
}
