/** How a test cites the rules of the contract that it proves. */
import rules from './rules.json' with { type: 'json' };
const statuses = new Map(rules.map((rule) => [rule.id, rule.status]));
/** `it(proves('H03', 'H04')('runs hooks by priority'), …)`: puts the ids before the title, literals only. */
export function proves(...ids) {
    for (const id of ids) {
        const status = statuses.get(id);
        if (status === undefined)
            throw new RangeError(`No rule ${id} in test/contract/rules.json.`);
        if (status === 'not yet') {
            throw new RangeError(`Rule ${id} is "not yet": set it to "in scope" in test/contract/rules.json to cite it.`);
        }
    }
    return (title) => `[${ids.join(' ')}] ${title}`;
}
