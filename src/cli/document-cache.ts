import type { PolicyDocument } from '../documents/document.ts';
import type { DocumentCache } from '../documents/policy-files.ts';
import type { OwnCache } from './own-cache.ts';

/** Changes whenever a document that was kept by an earlier release could be read wrongly by this one. */
const form = 1;
const mostDocuments = 64;

/** Policy files that were read and checked before, by their whole text: what differs in a letter is another file. */
export function documentCache(cache: OwnCache): DocumentCache {
  return {
    get: (key) => {
      const kept = cache.read(nameOf(key))?.toString('utf8');
      return kept === undefined ? undefined : documentIn(kept, key);
    },
    set: (key, document) => cache.write(nameOf(key), JSON.stringify({ form, key, document }), mostDocuments),
  };
}

function documentIn(kept: string, key: string): PolicyDocument | undefined {
  try {
    const read = JSON.parse(kept) as { readonly form: number; readonly key: string; readonly document: PolicyDocument };
    return read.form === form && read.key === key ? read.document : undefined;
  } catch {
    return undefined;
  }
}

/** Of so many characters a name is made. */
const mostSampled = 256;

/** Only a name: two texts that share it push one another out, and nothing worse. */
function nameOf(key: string): string {
  let one = 0x811c9dc5;
  let other = key.length;
  for (let i = 0; i < key.length; i += Math.ceil(key.length / mostSampled)) {
    one = Math.imul(one ^ key.charCodeAt(i), 0x01000193);
    other = Math.imul(other + key.charCodeAt(i), 0x85ebca6b) ^ (one >>> 13);
  }
  return `document-${(one >>> 0).toString(36)}${(other >>> 0).toString(36)}`;
}
