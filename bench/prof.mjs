import { withScratch } from './stores/scratch.mjs';
import { makeEntries } from './stores/entries.mjs';
import { openStore } from '../dist/store/index.js';
import { maskSecrets } from '../dist/journal/index.js';
import { Session } from 'node:inspector/promises';
const [kind,durability,size0,ms0='3000',who='bridle']=process.argv.slice(2); const size=Number(size0);
const entries = await makeEntries(4000);
await withScratch(async (s)=>{
    const store=await openStore(s.place(kind,durability));
    const mask=maskSecrets({key:store.keys.secret('masks')});
    let i=0; const next=()=>entries[i++%entries.length];
    const raw=await s.raw(kind,{durability});
    const ours=(n)=>n===1?store.journal.append(mask(next())):Promise.all(Array.from({length:n},()=>store.journal.append(mask(next()))));
    const limit=(n)=>raw.keep(Array.from({length:n},()=>JSON.stringify(next())));
    const call=who==='bridle'?ours:limit;
    const cpu0=()=>{const {user,system}=process.cpuUsage();return user+system};
    let end=cpu0()+1e6; while(cpu0()<end) await call(size);
    const session=new Session(); session.connect(); await session.post('Profiler.enable'); await session.post('Profiler.setSamplingInterval',{interval:200}); await session.post('Profiler.start');
    const c=cpu0(); let n=0; const t=performance.now(); while(performance.now()-t<Number(ms0)){await call(size);n+=size;}
    const used=cpu0()-c; const wall=performance.now()-t;
    const {profile}=await session.post('Profiler.stop');
    console.log(who,kind,durability,size,'cpu µs/record',(used/n).toFixed(2),'wall',(wall*1000/n).toFixed(1));
    const self=new Map(); const byId=new Map(profile.nodes.map(x=>[x.id,x])); let total=0;
    profile.samples.forEach((id,k)=>{const d=profile.timeDeltas[k]; const {functionName:f,url,lineNumber}=byId.get(id).callFrame; const key=`${f||'(anon)'} ${url.split('/').slice(-2).join('/')}:${lineNumber+1}`; if(f==='(idle)'||f==='(program)')return; self.set(key,(self.get(key)??0)+d); total+=d;});
    for(const [k,v] of [...self].sort((a,b)=>b[1]-a[1]).slice(0,22)) console.log((v/n).toFixed(2).padStart(7),'µs',k);
    await raw.close(); await store.close();
});
