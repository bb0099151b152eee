/** Renders JSON data for people: one name and value per line, long texts as they are. */

const depthLimit = 8;

export function renderValue(value: unknown): string {
  return linesOf(value, 0).join('\n');
}

function linesOf(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return value.split('\n');
  if (typeof value !== 'object' || value === null || depth === depthLimit) return [JSON.stringify(value) ?? 'nothing'];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => itemLines(item, depth));
  return Object.entries(value).flatMap(([name, each]) => fieldLines(name, each, depth));
}

function itemLines(item: unknown, depth: number): readonly string[] {
  const lines = linesOf(item, depth + 1);
  return typeof item === 'object' && item !== null ? lines.map((line, at) => (at === 0 ? '- ' : '  ') + line) : lines;
}

function fieldLines(name: string, value: unknown, depth: number): readonly string[] {
  const lines = linesOf(value, depth + 1);
  if (lines.length === 0) return [`${name}: none`];
  const inline = lines.length === 1 && (typeof value !== 'object' || value === null);
  return inline ? [`${name}: ${lines[0]}`] : [`${name}:`, ...lines.map((line) => `  ${line}`)];
}
