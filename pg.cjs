const { PGlite } = require('@electric-sql/pglite');
(async()=>{
 for (let i=0;i<3;i++){ const t=process.cpuUsage(); const w=Date.now(); const p=await PGlite.create(); const c=process.cpuUsage(t); console.log('create', Date.now()-w, (c.user+c.system)/1000); 
 if(i==2){ const t2=Date.now(); const dump=await p.dumpDataDir('none'); console.log('dump', Date.now()-t2, dump.size); for(let j=0;j<2;j++){const t3=process.cpuUsage(); const w3=Date.now(); const q=await PGlite.create({loadDataDir:dump}); const c3=process.cpuUsage(t3); console.log('load', Date.now()-w3,(c3.user+c3.system)/1000);} } }
})();
