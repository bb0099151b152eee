/** What a starter policy needs to know about a project. */

/** A command of the project, as a rule names it. */
export interface ProjectCommand {
  /** Words separated by one space, each made of letters, digits and `-_.:/@` only. */
  readonly line: string;
  /** The command line of the script in the manifest. */
  readonly runs?: string | undefined;
  /** The folder of the manifest, if it is not the project folder. */
  readonly folder?: string | undefined;
  /** True if it starts the project or installs its packages. */
  readonly starts?: true | undefined;
}

/** A file that configures MCP servers. */
export interface McpConfiguration {
  readonly file: string;
  readonly servers: readonly string[];
}

/** What agents did in the project before. */
interface RecordedWork {
  /** Harmless commands that they ran often. */
  readonly commands: readonly string[];
  /** Calls that the policy asks about, as text for comments. */
  readonly asked: readonly string[];
}

export interface Project {
  /** `Node.js`, `Python`…: one per kind of manifest. */
  readonly languages: readonly string[];
  /** `npm`, `uv`, `cargo`…, in the order of the languages. */
  readonly managers: readonly string[];
  readonly commands: readonly ProjectCommand[];
  /** Commands that start the project or install its packages: only `trusting` allows them. */
  readonly starts: readonly ProjectCommand[];
  /** Subfolders in which the commands also run: `packages/web`. */
  readonly folders: readonly string[];
  /** Files that determine what the commands run. */
  readonly manifests: readonly string[];
  readonly git: boolean;
  readonly mcp: readonly McpConfiguration[];
  /** Configuration files of agent hosts. */
  readonly hosts: readonly string[];
  /** Files with secrets that git does not ignore, so a search would show them. */
  readonly bareSecrets: readonly string[];
  /** True if `./node_modules/bridle/policy.schema.json` exists. */
  readonly hasSchema: boolean;
  /** What could not be read or was left out, for the user. */
  readonly notes: readonly string[];
  /** What the journal adds, if the policy is proposed from one. */
  readonly recorded?: RecordedWork | undefined;
}
