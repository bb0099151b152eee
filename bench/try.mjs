import { withScratch } from './stores/scratch.mjs';
import { makeEntries } from './stores/entries.mjs';
import { openStore } from '../dist/store/index.js';
import { maskSecrets } from '../dist/journal/index.js';
const entries = await makeEntries(4000);
const mask0 = maskSecrets();
console.log('entry bytes', entries.reduce((n,e)=>n+JSON.stringify(e).length,0)/entries.length, 'masked', entries.filter(e=>mask0(e)!==e).length);
async function rate(name, call, size, ms=700){ let at=0; const t0=performance.now(); let warm=performance.now()+300; while(performance.now()<warm) await call(size); const t=performance.now(); let n=0; while(performance.now()-t<ms){ await call(size); n+=size;} const dt=performance.now()-t; console.log(name,size,Math.round(n/dt*1000)+'/s', (dt/n*1000).toFixed(1)+' µs'); }
{ const t=process.cpuUsage(); const p=performance.now(); for(let k=0;k<5;k++) for(const e of entries) mask0(e); console.log('mask µs',(performance.now()-p)*1000/20000); }
{ const p=performance.now(); for(let k=0;k<5;k++) for(const e of entries) JSON.stringify(e); console.log('stringify µs',(performance.now()-p)*1000/20000); }
await withScratch(async (s)=>{
  for (const kind of s.kinds) for (const durability of ['full','process']) {
    const place=s.place(kind,durability);
    const store=await openStore(place);
    const mask=maskSecrets({key:store.keys.secret('masks')});
    let i=0; const next=()=>entries[i++%entries.length];
    const raw=await s.raw(kind,{durability});
    for (const size of [1,100,1000]) {
      await rate(`${kind} ${durability} bridle`, (n)=>n===1?store.journal.append(mask(next())):Promise.all(Array.from({length:n},()=>store.journal.append(mask(next())))), size);
      await rate(`${kind} ${durability} raw   `, (n)=>raw.keep(Array.from({length:n},()=>JSON.stringify(next()))), size);
    }
    console.log(await s.settings(kind,durability,place.at));
    await raw.close(); await store.close();
  }
});
