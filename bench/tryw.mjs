import { withScratch } from './stores/scratch.mjs';
import { waitingTable } from './runs/waiting.mjs';
import { fleetRow } from './runs/fleet.mjs';
await withScratch(async (s)=>{ 
 let t=performance.now(); console.log((await waitingTable(s, 5)).table, performance.now()-t);
 t=performance.now(); const r=await fleetRow({scratch:s,tool:'change',workers:2,runs:10,limit:1e6}); console.log(r, performance.now()-t);
});
