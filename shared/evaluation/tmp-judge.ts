import { bundledScene } from './src/scenes/bundled.ts';
import { EXPERIMENTS } from './src/attacks/tasks/index.ts';
import { judgedCases, LEVELS } from './src/judging/verdicts.ts';
const [only, effort='quick', pictures] = process.argv.slice(2);
const cases: any[] = []; let all = 0;
for (const e of EXPERIMENTS) { if (only !== 'all' && !e.id.match(only)) continue;
 for (const s of e.scenes) {
  const scene = await bundledScene(s, 'seed');
  const t = process.cpuUsage();
  const outcome = await e.run({ scene, effort: effort as 'quick', seed: 'seed/'+e.id, note: () => {} });
  const u = process.cpuUsage(t); const cpu = (u.user+u.system)/1e6; all += cpu;
  cases.push({ experiment: e, scene: s, outcome, seconds: cpu });
 } }
for (const j of judgedCases(cases, LEVELS[effort as 'quick'] / (only==='all'?3:1))) { const e = EXPERIMENTS.find(x=>x.id===j.experiment)!; if (j.kind!=='trials') continue;
 console.log(j.experiment.padEnd(30), j.scene.padEnd(13), e.expectation.padEnd(8), j.verdict.padEnd(9), 'n', j.n, 's', j.success.toFixed(3), `[${j.interval.map(x=>x.toFixed(3))}]`, 'c', j.control.toFixed(3), 'excess', j.excess.toFixed(3), `[${j.excessInterval.map(x=>x.toFixed(3))}]`, j.seconds.toFixed(1)+'s', JSON.stringify(j.facts));
 if (pictures) for (const b of j.blocks) if (b.kind==='chart' && b.drawing.kind==='lines') for (const l of b.drawing.lines) console.log('   ', b.name, l.name, l.points.map(p=>`${p.x}:${p.y.toFixed(3)}`).join(' '));
}
console.log('cpu', all);
