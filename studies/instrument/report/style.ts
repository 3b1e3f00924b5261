/** The look of a report's page: phones, wide screens and paper. */
import { fontFamily } from './theme.ts';

export const pageStyle = `
*{box-sizing:border-box}
html{scroll-behavior:smooth;-webkit-text-size-adjust:100%;text-size-adjust:100%}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.6 ${fontFamily};overflow-wrap:break-word}
header,nav,main{max-width:56rem;margin-inline:auto;padding-inline:1rem}
header{padding-top:clamp(1.5rem,5vw,3.5rem)}
header::before{content:"";display:block;width:4.5rem;height:.3rem;border-radius:.15rem;margin-bottom:1.25rem;background:linear-gradient(to right,var(--series-1) 0 25%,var(--series-3) 25% 50%,var(--series-5) 50% 75%,var(--series-2) 75%)}
h1{font-size:clamp(1.7rem,5vw,2.6rem);line-height:1.15;letter-spacing:-.02em;margin:0 0 1rem;text-wrap:balance}
h2{font-size:clamp(1.3rem,3.5vw,1.65rem);line-height:1.25;letter-spacing:-.01em;margin:0 0 1rem;text-wrap:balance}
h3{font-size:1.1rem;margin:2.25rem 0 .5rem}
p,ul,ol{margin:0 0 1rem}
.introduction,.text{max-width:44rem}
.introduction{font-size:1.05rem;color:var(--muted)}
.introduction strong{color:var(--ink)}
a{color:var(--accent);text-underline-offset:.2em;text-decoration-thickness:.07em}
a:hover{text-decoration-thickness:.14em}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
code{font:.9em/1 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--raised);padding:.1em .35em;border-radius:.3em}
pre{overflow-x:auto;background:var(--raised);padding:.75rem 1rem;border-radius:.5rem}
pre code{background:none;padding:0;line-height:1.5}
nav h2{font-size:.8rem;letter-spacing:.08em;text-transform:uppercase;color:var(--muted);margin:0 0 .5rem}
nav ol{list-style:none;margin:0;padding:0}
nav li{margin:0}
nav a{display:block;padding:.3rem 0;text-decoration:none}
nav a:hover{text-decoration:underline}
section{padding-top:2rem;margin-top:2rem;border-top:1px solid var(--rule);scroll-margin-top:0}
figure.chart,.table{background:var(--surface);border:1px solid var(--rule);border-radius:.75rem}
.table{--shade:linear-gradient(to left,var(--rule),transparent);background:linear-gradient(to right,transparent,var(--surface) 60%) right/3rem 100% no-repeat local,var(--shade) right/.75rem 100% no-repeat scroll,var(--surface)}
figure.chart{margin:1.5rem 0;padding:1.25rem 1.25rem .9rem}
.drawing{container-type:inline-size}
.drawing svg{display:block;width:100%;height:auto;margin-inline:auto}
.drawing .narrow{display:none}
@container (max-width:600px){
  .drawing .wide{display:none}
  .drawing .narrow{display:block;max-width:26rem}
}
figcaption{color:var(--muted);font-size:.9rem;line-height:1.5;margin-top:.75rem}
details{margin-top:.5rem;font-size:.9rem}
summary{cursor:pointer;color:var(--accent);width:fit-content;padding:.15rem 0}
details .table{margin:.5rem 0 .25rem}
.table{margin:1.5rem 0;overflow-x:auto;container-type:inline-size}
table{border-collapse:separate;border-spacing:0;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums lining-nums}
caption{caption-side:top;text-align:left;font-weight:600}
caption span{display:block;position:sticky;left:0;width:fit-content;max-width:100cqi;padding:.8rem .6rem .7rem}
details caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
th,td{padding:.45rem .6rem;text-align:left;vertical-align:baseline;white-space:nowrap}
.right{text-align:right}
thead th{font-weight:600;white-space:normal;vertical-align:bottom;line-height:1.35;color:var(--muted);border-bottom:1px solid var(--rule)}
tbody th{font-weight:500}
tbody tr+tr>*{border-top:1px solid var(--grid)}
th:first-child{position:sticky;left:0;background:var(--surface);z-index:1;white-space:normal;min-width:14rem;max-width:22rem}
.short th:first-child{min-width:0;white-space:nowrap}
tbody tr:hover>*{background:var(--raised)}
.wraps{white-space:normal;min-width:15rem}
th.wraps:first-child{min-width:min(22rem,40cqi);max-width:none}
.mark{display:block}
.mark+.mark{margin-top:.2rem}
.mark[class*=tone-]{border-left:.25rem solid var(--tone);padding-left:.4rem}
.tone-bad{--tone:var(--series-2);font-weight:600}
.tone-good{--tone:var(--series-3)}
.tone-open{--tone:var(--muted)}
.tone-known{--tone:var(--series-1)}
@media (max-width:40rem){
  figure.chart{padding:.9rem .75rem .7rem;margin-inline:-.25rem}
  .table{margin-inline:-.25rem}
  th,td{padding:.45rem .6rem}
  caption span{padding-inline:.6rem}
  th:first-child,.short th:first-child{min-width:8rem;max-width:9rem;white-space:normal}
}
@media (min-width:80rem){
  body{display:grid;grid-template-columns:15rem minmax(0,60rem);column-gap:2rem;justify-content:center}
  header,main{max-width:none}
  header{grid-column:2;width:100%}
  nav{grid-column:1;grid-row:1/3;position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding-block:4rem 2rem;font-size:.92rem}
  main{grid-column:2;width:100%}
}
main{padding-bottom:4rem}
@media print{
  body{background:none;font-size:10pt;display:block}
  header,main{max-width:none;padding-inline:0}
  nav,details{display:none}
  section{break-before:auto}
  h2,h3,caption{break-after:avoid}
  figure.chart,tr{break-inside:avoid}
  .table{overflow:visible}
  table{font-size:7pt}
  th,td{white-space:normal;padding:.2rem .3rem}
  a{color:inherit}
}
`;
