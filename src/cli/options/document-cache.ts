import type { PolicyFile } from '../../policy-files/policy-file.ts';
import type { PolicyFileCache } from '../../policy-files/read/read-policy-files.ts';
import type { PrivateCache } from './private-cache.ts';

/** Incremented when the format of cached documents changes. */
const formatVersion = 1;
const maxDocuments = 64;

/** Caches parsed and validated policy files. The key is the file's whole text, so any edit is a cache miss. */
export function documentCache(cache: PrivateCache): PolicyFileCache {
  return {
    get: (key) => {
      const cached = cache.read(fileNameOf(key))?.toString('utf8');
      return cached === undefined ? undefined : parseDocument(cached, key);
    },
    set: (key, document) =>
      cache.write(fileNameOf(key), JSON.stringify({ form: formatVersion, key, document }), maxDocuments),
  };
}

function parseDocument(cached: string, key: string): PolicyFile | undefined {
  try {
    const read = JSON.parse(cached) as {
      readonly form: number;
      readonly key: string;
      readonly document: PolicyFile;
    };
    return read.form === formatVersion && read.key === key ? read.document : undefined;
  } catch {
    return undefined;
  }
}

/** How many characters of the key go into the file name. */
const maxSampled = 256;

/** A collision only evicts the other entry: the key is stored in the file and compared. */
function fileNameOf(key: string): string {
  let one = 0x811c9dc5;
  let other = key.length;
  for (let i = 0; i < key.length; i += Math.ceil(key.length / maxSampled)) {
    one = Math.imul(one ^ key.charCodeAt(i), 0x01000193);
    other = Math.imul(other + key.charCodeAt(i), 0x85ebca6b) ^ (one >>> 13);
  }
  return `document-${(one >>> 0).toString(36)}${(other >>> 0).toString(36)}`;
}
