import type { CheckedPath } from '../call.ts';
import { failure, openFolder } from '../paths/checked-folder.ts';

/** Holds a checked folder open while a process runs in it, so that it runs in the folder that was checked. */
export async function inFolder<T>(checked: CheckedPath, work: (cwd: string) => Promise<T>): Promise<T> {
  const folder = await openFolder(checked).catch((error: unknown) => {
    throw failure(error, checked.path);
  });
  try {
    return await work(folder.to('.'));
  } finally {
    await folder.close();
  }
}
