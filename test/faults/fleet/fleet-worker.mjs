/** A worker with the built package. It reports events to its parent, and stops on request. */

import { startWorker } from 'bridle/fleet';
import { fleetAgent } from './fleet-agent.mjs';

const { at, keys, leaseMs, concurrency, ledger, slowMs } = JSON.parse(process.argv[2]);

process.on('disconnect', () => process.exit(1));
const worker = await startWorker({
  store: { at, keys },
  agents: [fleetAgent({ ledger, slowMs })],
  leaseMs,
  concurrency,
  onEvent: (event) => process.connected && process.send(event),
});
process.once('message', () => {
  void worker.stop().then(() => process.exit(0));
});
