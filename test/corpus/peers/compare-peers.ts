/** Asks the peers about the lines of both corpora, in the folders that Bridle decides them in. */

import { join } from 'node:path';
import type { EverydayCase } from '../everyday/everyday-case.ts';
import { Projects } from '../everyday/projects.ts';
import { makeFolders, plant } from '../folders.ts';
import { groupBy } from '../group-by.ts';
import type { HostileCase } from '../hostile-case.ts';
import { type PeerAnswers, type PeerName, peerNames, Peers } from './peers.ts';
import type { Effect } from './shares.ts';

export type PeerAnswersById = ReadonlyMap<string, PeerAnswers>;

export interface PeerComparison {
  readonly versions: Readonly<Record<PeerName, string>>;
  readonly answers: PeerAnswersById;
}

type Decide = (item: { readonly id: string; readonly line: string }, folder: string) => Promise<void>;

export const comparePeers = {
  everyday: (cases: readonly EverydayCase[]): Promise<PeerComparison> =>
    compare(async (decide) => {
      const projects = new Projects();
      try {
        for (const { id, folder, line } of cases) {
          const place = projects.folder(folder);
          await decide({ id, line: line.replaceAll('{project}', place) }, place);
        }
      } finally {
        projects.remove();
      }
    }),

  hostile: (cases: readonly HostileCase[]): Promise<PeerComparison> =>
    compare(async (decide) => {
      const folders = makeFolders({ complete: false });
      try {
        for (const group of groupBy(cases, ({ files = {} }) => JSON.stringify(files)).values()) {
          const project = join(folders.copy('peers'), 'project');
          plant(project, group[0]?.files);
          for (const item of group) await decide(item, project);
          folders.removeCopy('peers');
        }
      } finally {
        folders.remove();
      }
    }),
};

async function compare(each: (decide: Decide) => Promise<void>): Promise<PeerComparison> {
  const peers = await Peers.start();
  const answers = new Map<string, PeerAnswers>();
  try {
    await each(async ({ id, line }, folder) => {
      answers.set(id, await peers.decide(folder, line));
    });
    return { versions: peers.versions, answers };
  } finally {
    await peers.stop();
  }
}

/** The answer of each peer to an item. Empty if the peers were not asked. */
export function peerSystems<Item>(
  answers: PeerAnswersById | undefined,
  idOf: (item: Item) => string,
): Record<string, (item: Item) => Effect> {
  if (answers === undefined) return {};
  return Object.fromEntries(
    peerNames.map((name) => [name, (item: Item): Effect => answers.get(idOf(item))?.[name] ?? 'deny']),
  );
}
