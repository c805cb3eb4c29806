/**
 * The page for people at `/`: one self-contained document that reads `/status` every two seconds.
 * Topic names and errors come from elsewhere, so the script puts everything in as text nodes and never
 * as markup, and the browser is told to load and run nothing but what stands here.
 */
import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; --ink: #16232e; --dim: #5d6f7d; --line: #dbe3e8; --back: #f6f8f9;
  --card: #fff; --good: #0d7d63; --bad: #c0392b; --warn: #a86a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3ebf0; --dim: #8fa3b1; --line: #24333e;
  --back: #0e161c; --card: #15212a; --good: #43c59e; --bad: #ff7b6b; --warn: #e5b25d; } }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.25rem 4rem; background: var(--back);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header { display: flex; gap: .75rem; align-items: baseline; flex-wrap: wrap; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
header span, .dim { color: var(--dim); } .good { color: var(--good); } .bad { color: var(--bad); }
.warn { color: var(--warn); }
#tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem;
  margin-top: 1.25rem; }
#tiles div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  padding: .6rem .9rem; }
#tiles b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .75rem; white-space: nowrap; }
th { color: var(--dim); font-weight: 500; } tr + tr td { border-top: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem;
  overflow: auto; max-height: 24rem; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

const SCRIPT = `
'use strict';
const ROWS_MAX = 200;
let before = null;
const byId = (id) => document.getElementById(id);
const number = (value) => value === null ? '–' : Math.round(value).toLocaleString('en-GB');
const sum = (list, value) => list.reduce((total, item) => total + value(item), 0);
function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = String(text);
  if (className) made.className = className;
  return made;
}
function tile(name, value) {
  const made = element('div');
  made.append(element('b', value), element('span', name, 'dim'));
  return made;
}
function table(heads, rows) {
  const made = element('table');
  const head = element('tr');
  head.append(...heads.map((text) => element('th', text)));
  made.append(head);
  for (const cells of rows.slice(0, ROWS_MAX)) {
    const row = element('tr');
    row.append(...cells.map((cell) => element('td', cell)));
    made.append(row);
  }
  if (rows.length > ROWS_MAX) {
    const row = element('tr');
    row.append(element('td', number(rows.length - ROWS_MAX) + ' more'));
    made.append(row);
  }
  return made;
}
function rate(status) {
  const now = { at: performance.now(), settled: sum(status.topics, (each) => each.settled.ok) };
  const earlier = before;
  before = now;
  if (!earlier || now.settled < earlier.settled) return null;
  return (now.settled - earlier.settled) / ((now.at - earlier.at) / 1000);
}
function show(status) {
  const state = byId('state');
  state.textContent = status.state;
  state.className = status.ready ? 'good' : status.healthy ? 'warn' : 'bad';
  byId('about').textContent = 'version ' + status.version + ' · up ' + number(status.uptimeSeconds) +
    ' s · ordering by ' + status.ordering;
  const { partitions, workers } = status;
  byId('tiles').replaceChildren(
    tile('records per second', number(rate(status))),
    tile('lag', number(sum(partitions, (each) => each.lag ?? 0))),
    tile('in flight', number(status.inFlightRecords)),
    tile('settled', number(sum(status.topics, (each) => each.settled.ok))),
    tile('partitions', number(partitions.length)),
    tile('would run again after a crash', number(sum(partitions, (each) => each.replayIfCrashed))),
  );
  const busiest = [...partitions].sort((a, b) => (b.lag ?? 0) - (a.lag ?? 0));
  byId('partitions').replaceChildren(table(
    ['partition', 'watermark', 'committed', 'log end', 'lag', 'in flight', 'oldest', 'held back'],
    busiest.map((each) => [each.topic + ' / ' + each.partition, number(each.watermark),
      number(each.committed), number(each.logEnd), number(each.lag), number(each.inFlight),
      each.oldest ? each.oldest.offset + ', ' + each.oldest.ageSeconds.toFixed(1) + ' s' +
        (each.oldest.attempt > 1 ? ', attempt ' + each.oldest.attempt : '') : '–',
      each.heldBack.join(', ') || '–'])));
  byId('workers').replaceChildren(table(
    ['worker', 'state', 'incarnation', 'running', 'slots used', 'event loop'],
    workers.map((each) => [each.worker, each.state, each.incarnation, number(each.running.length),
      number(each.slotsUsed) + ' of ' + number(each.slots),
      Math.round(each.eventLoopUtilization * 100) + ' %'])));
  byId('errors').textContent = status.lastErrors.length === 0 ? 'none' : status.lastErrors.map((each) =>
    each.at + (each.topic === undefined ? '' : ' ' + each.topic + ' / ' + each.partition + ' offset ' +
      each.offset) + '\\n' + each.name + ': ' + each.message).join('\\n\\n');
  byId('config').textContent = JSON.stringify(status.config, null, 2);
}
async function refresh() {
  try {
    const response = await fetch('status');
    show(await response.json());
  } catch {
    byId('state').textContent = 'not reachable';
    byId('state').className = 'bad';
  }
  setTimeout(refresh, 2000);
}
refresh();
`;

export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>tidemark</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>tidemark</h1><b id="state">…</b><span id="about"></span></header>
<div id="tiles"></div>
<h2>Partitions</h2><div id="partitions" class="scroll"></div>
<h2>Workers</h2><div id="workers" class="scroll"></div>
<h2>Last errors</h2><pre id="errors"></pre>
<details><summary>Configuration</summary><pre id="config"></pre></details>
<script>${SCRIPT}</script>
</body>
</html>
`;

function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The Content-Security-Policy to send with {@link PAGE}. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `script-src ${sourceHash(SCRIPT)}`,
  `style-src ${sourceHash(STYLE)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
