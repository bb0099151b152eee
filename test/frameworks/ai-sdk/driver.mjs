import * as ai from 'ai';
import * as doubles from 'ai/test';
import { z } from 'zod';
import { createDriver } from '../drivers/ai-sdk.mjs';

export const driver = createDriver({ ai, doubles, z, load: (specifier) => import(specifier) });
