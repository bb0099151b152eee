import { createScope, stateKey } from 'bridle';

/** Session > turn > operation: reading looks outward, writing stays where it is. */
export function contextsStory(): void {
  console.log('\n# Contexts');
  const userId = stateKey<string>('user_id', 'nobody');
  const session = createScope();
  session.set(userId, 'user-42');
  const turn = createScope(session);
  turn.set('turn_number', 1);
  const operation = createScope(turn);
  operation.set('tool_name', 'read_file');
  console.log(operation.get('tool_name'), operation.get('turn_number'), operation.get(userId));

  operation.set(userId, 'override');
  console.log(operation.get(userId), session.get(userId));
  console.log(operation.get('missing'), session.hasParent, operation.hasParent);
}
