import { withScratch } from './stores/scratch.mjs';
import { makeEntries, turning } from './stores/entries.mjs';
import { openStore } from '../dist/store/index.js';
import { maskSecrets } from '../dist/journal/index.js';
const [kind='sqlite',durability='process',size0='1000',secs='6']=process.argv.slice(2); const size=Number(size0);
const entries = await makeEntries(4000); const next=turning(entries);
const cpu=()=>{const {user,system}=process.cpuUsage();return user+system};
await withScratch(async (s)=>{
    const store=await openStore(s.place(kind,durability));
    const mask=maskSecrets({key:store.keys.secret('masks')});
    const raw=await s.raw(kind,{durability}); const bare=await s.raw(kind,{durability,shape:'bare'});
    const who={
      bridle:(n)=>Promise.all(Array.from({length:n},()=>store.journal.append(mask(next())))),
      nomask:(n)=>Promise.all(Array.from({length:n},()=>store.journal.append({...next()}))),
      orig:(n)=>Promise.all(Array.from({length:n},()=>store.journal.append(next()))),
      split:(n)=>{const m=Array.from({length:n},()=>mask(next()));return Promise.all(m.map((e)=>store.journal.append(e)))},
      raw:(n)=>raw.keep(Array.from({length:n},()=>JSON.stringify(next()))),
      bare:(n)=>bare.keep(Array.from({length:n},()=>JSON.stringify(next()))),
      mask:(n)=>{for(let i=0;i<n;i++)mask(next())},
      stringify:(n)=>{let l=0;for(let i=0;i<n;i++)l+=JSON.stringify(next()).length;return l},
    };
    const sums={}; const end=performance.now()+Number(secs)*1000; let r=0;
    while(performance.now()<end||r<6){ for(const [k,f] of Object.entries(who)){ const c=cpu(),t=performance.now(); await f(size); if(r>=4){const x=sums[k]??={c:[],t:[]}; x.c.push((cpu()-c)/size); x.t.push((performance.now()-t)*1000/size);} } r++; }
    const med=a=>a.sort((x,y)=>x-y)[a.length>>1]; const low=a=>a.sort((x,y)=>x-y)[Math.floor(a.length*.1)]; 
    console.log(kind,durability,size,'rounds',r);
    for(const [k,{c,t}] of Object.entries(sums)) console.log(k.padEnd(10),'cpu med',med(c).toFixed(2),'p10',low(c).toFixed(2),' wall med',med(t).toFixed(1),'p10',low(t).toFixed(1));
    await raw.close(); await bare.close(); await store.close();
});
