/** Limits on what an MCP server may send. */

import { defaultLimits } from '../../kernel/limits.ts';

export interface McpLimits {
  /** One message on the wire. */
  readonly messageBytes: number;
  /** Tools in one list, over all pages. */
  readonly tools: number;
  readonly pages: number;
  /** A whole tool list, as JSON. */
  readonly listBytes: number;
  /** One tool's definition, as JSON. */
  readonly toolBytes: number;
  readonly nameLength: number;
  readonly depth: number;
  /** Text and structured content of one result, each. */
  readonly resultBytes: number;
  /** One image, recording or file in a result, decoded. */
  readonly mediaBytes: number;
  /** Parts of one result. */
  readonly parts: number;
  /** Characters of an error text. */
  readonly reasonLength: number;
}

const mib = 1024 * 1024;
const { nameLength, depth, resultBytes, mediaBytes, reasonLength } = defaultLimits;

export const defaultMcpLimits: McpLimits = {
  messageBytes: 48 * mib,
  tools: 10_000,
  pages: 1000,
  listBytes: 16 * mib,
  toolBytes: 256 * 1024,
  nameLength,
  depth,
  resultBytes,
  mediaBytes,
  parts: 1000,
  reasonLength,
};
