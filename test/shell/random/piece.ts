/** A piece of a command line, with the here-documents that must follow its line. */

export interface Piece {
  readonly text: string;
  /** Each with its last line and the line's end. */
  readonly docs: readonly string[];
}

export type Part = string | Piece;

/** Ends a line, and puts the here-documents after it. */
export const newline = '\n';

/** Joins parts. A part with here-documents ends its line if a later part has lines of its own. */
export function weave(...parts: readonly Part[]): Piece {
  let text = '';
  let docs: string[] = [];
  parts.forEach((part, index) => {
    if (part === newline) {
      text += newline + docs.join('');
      docs = [];
    } else if (typeof part === 'string') text += part;
    else {
      const piece = part.docs.length > 0 && linesFollow(parts.slice(index + 1)) ? settled(part) : part;
      text += piece.text;
      docs.push(...piece.docs);
    }
  });
  return { text, docs };
}

function linesFollow(parts: readonly Part[]): boolean {
  for (const part of parts) {
    if (part === newline) return false;
    if (typeof part !== 'string' && part.text.includes('\n')) return true;
  }
  return false;
}

/** The same as a group that ends its own lines. */
function settled(piece: Piece): Piece {
  return { text: `{ ${closed(piece)}}`, docs: [] };
}

/** As a whole script. */
export function closed({ text, docs }: Piece): string {
  return docs.length === 0 ? text : `${text}\n${docs.join('')}`;
}
