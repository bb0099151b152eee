/** Compares counts with their base. Everything here is a function of its arguments. */

/** A count above this many times its base fails. One below its reciprocal fails, too: its base hides what is lost again. */
export const tolerance = 1.25;
/** Smaller gains can be noise: they do not move a base. */
const noise = 0.97;

export const units = ['instructions', 'bytes'];

/**
 * One entry per count: `{ path, unit, count, base, ratio, state }`. `counted` and `base` are `{ [path]: { [unit]: number } }`,
 * `accepted` is the list of accepted losses.
 */
export function judge(counted, base, accepted) {
  return Object.entries(counted).flatMap(([path, counts]) =>
    units
      .filter((unit) => counts[unit] !== undefined)
      .map((unit) => {
        const [count, was] = [counts[unit], base[path]?.[unit]];
        if (was === undefined) return { path, unit, count, state: 'new' };
        const ratio = count / was;
        const loss = accepted.find((each) => each.path === path && each.unit === unit);
        return { path, unit, count, base: was, ratio, state: stateOf(ratio, loss) };
      }),
  );
}

function stateOf(ratio, loss) {
  if (ratio > tolerance) return loss !== undefined && ratio <= loss.limit ? 'accepted' : 'worse';
  if (ratio < 1 / tolerance) return 'outdated';
  return ratio < noise ? 'better' : 'level';
}

const failing = ['new', 'worse', 'outdated'];

/** What is wrong, one line each; nothing if the comparison passes. */
export function faultsOf(judged) {
  return judged.filter(({ state }) => failing.includes(state)).map(toFault);
}

function toFault({ path, unit, ratio, state }) {
  const moves = 'move it with: npm run bench:compare -- --write';
  if (state === 'new') return `${path}: ${unit} have no base; ${moves}`;
  const times = `${path}: ${ratio.toFixed(2)}× the ${unit} of its base`;
  if (state === 'outdated') return `${times}: the base hides what would be lost again; ${moves}`;
  return `${times}, at most ${tolerance}× is allowed; to accept the loss, list it in bench/accepted.json`;
}

/** The base with the counts that are new or better. */
export function movedBase(base, judged) {
  const moved = structuredClone(base);
  for (const { path, unit, count, state } of judged) {
    if (!['new', 'outdated', 'better'].includes(state)) continue;
    moved[path] = { ...moved[path], [unit]: count };
  }
  return moved;
}

/** Problems of the list of accepted losses: an entry must be bounded, and must say why. */
export function problemsOf(accepted, paths) {
  if (!Array.isArray(accepted)) return ['it must be a list'];
  return accepted.flatMap((each, i) => {
    const { path, unit, limit, reason, ...others } = Object(each);
    const wrong = [
      ...(paths.includes(path) ? [] : [`"path" must be one of ${paths.join(', ')}`]),
      ...(units.includes(unit) ? [] : [`"unit" must be one of ${units.join(', ')}`]),
      ...(limit > tolerance ? [] : [`"limit" must be above ${tolerance}, times the base`]),
      ...(typeof reason === 'string' && reason.trim() !== '' ? [] : ['"reason" must say why']),
      ...Object.keys(others).map((name) => `"${name}" is not known`),
    ];
    return wrong.map((problem) => `entry ${i + 1}: ${problem}`);
  });
}
