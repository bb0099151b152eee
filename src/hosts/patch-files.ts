/** The files of a patch between `*** Begin Patch` and `*** End Patch`, the format of the tool `apply_patch`. */

export interface PatchFiles {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
  readonly moved: readonly { readonly from: string; readonly to: string }[];
}

/**
 * Paths as they are written. Undefined unless every line has its exact form: hosts accept more, for example indented
 * headers, and each host accepts something else, so they could write other files than this function finds.
 */
export function patchFiles(patch: string): PatchFiles | undefined {
  const lines = patch.trim().replaceAll('\r\n', '\n').split('\n');
  // Some hosts end a line at a lone CR.
  if (lines.some((line) => line.includes('\r'))) return undefined;
  if (lines[0] !== '*** Begin Patch' || lines.length < 3 || lines.at(-1) !== '*** End Patch') return undefined;
  const sections = new Sections();
  return lines.slice(1, -1).every((line) => sections.take(line)) ? sections.files() : undefined;
}

interface Section {
  readonly type: 'Add' | 'Update' | 'Delete';
  readonly path: string;
  moveTo?: string;
  lines: number;
}

const header = /^\*\*\* (?:(Add|Update|Delete) File|(Move to)): (.+)$/;
/** A context line that a host which ignores indentation would take for a header. */
const indentedHeader = /^\s+\*\*\* (?:Add|Update|Delete|Move|Begin|End|Environment)\b/;

class Sections {
  private readonly all: Section[] = [];

  /** False if the line has no exact meaning at this place. */
  take(line: string): boolean {
    const last = this.all.at(-1);
    if (!line.startsWith('***')) return last !== undefined && takeContent(last, line);
    if (line === '*** End of File') return last?.type === 'Update' && last.lines > 0;
    const [, type, move, path = ''] = header.exec(line) ?? [];
    if (!isExactPath(path)) return false;
    if (move !== undefined) return last !== undefined && takeMove(last, path);
    this.all.push({ type: type as Section['type'], path, lines: 0 });
    return true;
  }

  files(): PatchFiles | undefined {
    if (this.all.length === 0) return undefined;
    const paths = (type: Section['type']): readonly string[] =>
      this.all.filter((each) => each.type === type && each.moveTo === undefined).map(({ path }) => path);
    const moved = this.all.flatMap(({ path, moveTo }) => (moveTo === undefined ? [] : [{ from: path, to: moveTo }]));
    return { added: paths('Add'), changed: paths('Update'), deleted: paths('Delete'), moved };
  }
}

function takeContent(section: Section, line: string): boolean {
  section.lines++;
  if (section.type === 'Add') return line.startsWith('+');
  return section.type === 'Update' && /^(?:[ +-]|@@|$)/.test(line) && !indentedHeader.test(line);
}

function takeMove(section: Section, path: string): boolean {
  if (section.type !== 'Update' || section.moveTo !== undefined || section.lines > 0) return false;
  section.moveTo = path;
  return true;
}

/** Hosts remove white space around a path; control characters could end it. */
function isExactPath(path: string): boolean {
  return path !== '' && path.trim() === path && !/\p{Cc}/u.test(path);
}
