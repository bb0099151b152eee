/** What was found out about a project, as far as a starter policy needs it. */

/** A command of the project's own, as a rule names it. */
export interface ProjectCommand {
  /** Words with one space between them, each of letters, digits and `-_.:/@` only. */
  readonly line: string;
  /** What a manifest says that it runs, as it stands there. */
  readonly runs?: string | undefined;
  /** The folder whose manifest says so, if it is not that of the project. */
  readonly folder?: string | undefined;
  /** True: it starts the project or installs its packages. */
  readonly starts?: true | undefined;
}

/** A file whose text names MCP servers. */
export interface McpConfiguration {
  readonly file: string;
  readonly servers: readonly string[];
}

export interface Project {
  /** `Node.js`, `Python`…: one for each kind of manifest. */
  readonly languages: readonly string[];
  /** `npm`, `uv`, `cargo`…, in the order of the languages. */
  readonly managers: readonly string[];
  readonly commands: readonly ProjectCommand[];
  /** Commands that start the project or install its packages: only `trusting` allows them. */
  readonly starts: readonly ProjectCommand[];
  /** Folders below in which those commands run as well: `packages/web`. */
  readonly folders: readonly string[];
  /** Files that say what those commands run. */
  readonly manifests: readonly string[];
  readonly git: boolean;
  readonly mcp: readonly McpConfiguration[];
  /** Configuration of agent hosts that was found. */
  readonly hosts: readonly string[];
  /** Files with secrets that a search would show, because git does not ignore them. */
  readonly bareSecrets: readonly string[];
  /** True if `./node_modules/bridle/policy.schema.json` is there. */
  readonly hasSchema: boolean;
  /** What could not be read or was left out, for people. */
  readonly notes: readonly string[];
}
