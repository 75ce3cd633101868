import { fuzzModel, withResources } from './fuzz/model-share';

async function main(): Promise<void> {
  const runs = Number(process.argv[2] ?? 500);
  const seed = Number(process.argv[3] ?? 1);
  const counts: Record<string, number> = {};
  let longest = 0, steps = 0, n = 0;
  const slow: [number, string][] = [];
  let at = Date.now();
  const found = await withResources((resourcesDir) =>
    fuzzModel({ runs, seed, resourcesDir }, ({ run, program }) => {
      const took = Date.now() - at; at = Date.now();
      slow.push([took, JSON.stringify(program.macro).slice(0, 300)]);
      n++;
      counts[run.state] = (counts[run.state] ?? 0) + 1;
      if (run.state==='failed'||run.state==='rejected') { const k = (run.error?.message ?? '').replace(/[`'].*?[`']/g,'_').replace(/\(.*\)/,'').replace(/\d+/g,'N').slice(0,90); counts[k]=(counts[k]??0)+1; }
      longest = Math.max(longest, run.longest_ms); steps += run.steps;
    }),
  );
  slow.sort((a, b) => b[0] - a[0]);
  console.log(slow.slice(0, 4));
  console.log(Object.entries(counts).sort((a,b)=>b[1]-a[1]).slice(0,60), { longest, steps, n });
  if (found) console.log(found);
}
void main();
