import { hooksStory } from './hooks.ts';
import { contextsStory } from './contexts.ts';
import { policiesStory } from './policies.ts';

await hooksStory();
contextsStory();
await policiesStory();
