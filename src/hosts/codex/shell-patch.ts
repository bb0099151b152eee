/**
 * Command lines that Codex executes as a patch instead of giving them to a shell: `apply_patch` with a here-document,
 * after at most one `cd`. Codex takes the text of the here-document as it is, even if its delimiter is not quoted.
 */

interface ShellPatch {
  /** As written; undefined if the line does not change the folder. */
  readonly folder: string | undefined;
  readonly patch: string;
}

const form =
  /^\s*(?:cd\s+(?:'([^'\n]*)'|"([^"$`\\\n]*)"|([^\s'"$`\\*?[{~&|;<>()-][^\s'"$`\\*?[{&|;<>()]*))\s*&&\s*)?(?:apply_patch|applypatch)\s*<<-?\s*(['"]?)(\w+)\4[^\S\n]*\n([^]*)\n[^\S\n]*\5\s*$/;

export function findShellPatch(command: string): ShellPatch | undefined {
  const [, single, double, plain, , , patch] = form.exec(command) ?? [];
  return patch === undefined ? undefined : { folder: single ?? double ?? plain, patch };
}

/** True if Codex may execute the line as a patch. It accepts more forms than {@link findShellPatch}. */
export function mayPatch(command: string): boolean {
  return /(?:^|[;&|\n(])\s*['"\\]?apply_?patch\b/.test(command);
}
