import { makeEntries } from './stores/entries.mjs';
import { maskSecrets } from '../dist/journal/index.js';
const entries = await makeEntries(4000); const mask=maskSecrets({key:'k'.repeat(32)});
const groups={}; for(const e of entries){ const m=mask(e)!==e; const k=`${e.kind} ${e.tool} ${m?'secret':'plain'}`; (groups[k]??=[]).push(e);} 
const cpu=()=>{const {user,system}=process.cpuUsage();return user+system};
for(let k=0;k<10;k++) for(const e of entries) mask(e);
for(const [k,es] of Object.entries(groups)){ const c=cpu(); let n=0; while(cpu()-c<300000){for(const e of es)mask(e);n+=es.length;} console.log(k.padEnd(32),es.length,((cpu()-c)/n).toFixed(2),'µs cpu');}
let c=cpu(),n=0; while(cpu()-c<300000){for(const e of entries)mask(e);n+=entries.length;} console.log('all mask',((cpu()-c)/n).toFixed(2));
c=cpu(),n=0; while(cpu()-c<300000){for(const e of entries)JSON.stringify(e);n+=entries.length;} console.log('all stringify',((cpu()-c)/n).toFixed(2));
console.log(JSON.stringify(groups['decided run_command secret'][0]).slice(0,1200));
console.log(JSON.stringify(mask(groups['decided run_command secret'][0])).slice(0,1200));
