import type { PolicyFile } from '../../policy-files/policy-file.ts';
import type { PolicyFileCache } from '../../policy-files/read/read-policy-files.ts';
import type { PrivateCache } from './private-cache.ts';

/** Changes whenever a document that was kept by an earlier release could be read wrongly by this one. */
const formatVersion = 1;
const maxDocuments = 64;

/** Policy files that were read and checked before, by their whole text: what differs in a letter is another file. */
export function documentCache(cache: PrivateCache): PolicyFileCache {
  return {
    get: (key) => {
      const kept = cache.read(fileNameOf(key))?.toString('utf8');
      return kept === undefined ? undefined : parseDocument(kept, key);
    },
    set: (key, document) =>
      cache.write(fileNameOf(key), JSON.stringify({ form: formatVersion, key, document }), maxDocuments),
  };
}

function parseDocument(kept: string, key: string): PolicyFile | undefined {
  try {
    const read = JSON.parse(kept) as { readonly form: number; readonly key: string; readonly document: PolicyFile };
    return read.form === formatVersion && read.key === key ? read.document : undefined;
  } catch {
    return undefined;
  }
}

/** Of so many characters a name is made. */
const maxSampled = 256;

/** Only a name: two texts that share it push one another out, and nothing worse. */
function fileNameOf(key: string): string {
  let one = 0x811c9dc5;
  let other = key.length;
  for (let i = 0; i < key.length; i += Math.ceil(key.length / maxSampled)) {
    one = Math.imul(one ^ key.charCodeAt(i), 0x01000193);
    other = Math.imul(other + key.charCodeAt(i), 0x85ebca6b) ^ (one >>> 13);
  }
  return `document-${(one >>> 0).toString(36)}${(other >>> 0).toString(36)}`;
}
