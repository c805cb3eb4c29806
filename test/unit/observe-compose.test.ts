/** docker-compose.yml carries files of other programs inside it, which nothing else would check. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { loadConfiguration } from '../../src/config/load.ts';
import { METRICS, METRIC_PREFIX } from '../../src/observe/catalog.ts';
import { inProject } from '../support/project.ts';
import { temporaryFolder } from '../support/tidemark.ts';

interface Mount {
  readonly source: string;
  readonly target: string;
}
interface Compose {
  readonly services: Readonly<Record<string, { readonly configs?: readonly Mount[] }>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

const compose = parse(readFileSync(inProject('docker-compose.yml'), 'utf8')) as Compose;

/** As the container gets it: Compose puts variables in where a $ stands alone. */
function content(name: string): string {
  const text = compose.configs[name]?.content ?? '';
  assert.doesNotMatch(text.replaceAll('$$', ''), /\$/, `${name} has a $ that Compose would take`);
  return text.replaceAll('$$', '$');
}

test('every file that a service mounts is there, and no other', () => {
  const mounted = Object.values(compose.services).flatMap(({ configs = [] }) =>
    configs.map(({ source }) => source),
  );
  assert.deepEqual(mounted.sort(), Object.keys(compose.configs).sort());
});

test("the demo's configuration is valid, listens outside its container and names its handler", async (t) => {
  const folder = temporaryFolder(t);
  for (const { source, target } of compose.services['tidemark']?.configs ?? [])
    writeFileSync(join(folder, target.replace('/etc/tidemark/', '')), content(source));
  const { settings } = await loadConfiguration({ folder, env: {} });
  assert.equal(settings.http.host, '0.0.0.0');
  const { default: handle } = (await import(settings.handler.module)) as { default: unknown };
  assert.equal(typeof handle, 'function');
});

test('Prometheus scrapes the port that the program listens on', () => {
  const prometheus = parse(content('prometheus')) as {
    scrape_configs: { static_configs: { targets: string[] }[] }[];
  };
  assert.deepEqual(prometheus.scrape_configs[0]?.static_configs[0]?.targets, ['tidemark:9464']);
});

test('the dashboard asks only for metrics of the catalogue, from the data source that is there', () => {
  const text = content('grafana-dashboard');
  const { panels } = JSON.parse(text) as {
    panels: { datasource: { uid: string }; targets: { expr: string }[] }[];
  };
  const { datasources } = parse(content('grafana-datasource')) as {
    datasources: { uid: string }[];
  };
  const known = new Set(
    Object.entries(METRICS).map(
      ([name, { type }]) => METRIC_PREFIX + name + (type === 'histogram' ? '_bucket' : ''),
    ),
  );
  assert.ok(panels.length > 0);
  for (const { datasource, targets } of panels) {
    assert.equal(datasource.uid, datasources[0]?.uid);
    for (const { expr } of targets) {
      const names = expr.match(/tidemark_\w+/g) ?? [];
      assert.ok(names.length > 0, expr);
      for (const name of names) assert.ok(known.has(name), name);
    }
  }
});
