import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { PAGE, PAGE_POLICY } from '../../src/observe/page.ts';
import { statusOf } from '../../src/observe/status.ts';
import { partition, snapshotOf } from './observe-snapshots.ts';

/** As much of an element as the page may use: there is no way to put markup in. */
class FakeElement {
  className = '';
  children: FakeElement[] = [];
  #text = '';

  get textContent(): string {
    return this.#text + this.children.map((child) => child.textContent).join('|');
  }

  set textContent(text: string) {
    this.#text = text;
    this.children = [];
  }

  append(...children: FakeElement[]): void {
    this.children.push(...children);
  }

  replaceChildren(...children: FakeElement[]): void {
    this.#text = '';
    this.children = children;
  }
}

function part(tag: string): string {
  return new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(PAGE)?.[1] ?? '';
}

/** Runs the page's script against answers of `/status`; returns what each element shows. */
async function show(answer: () => unknown): Promise<Map<string, FakeElement>> {
  const elements = new Map<string, FakeElement>();
  for (const [, id = ''] of PAGE.matchAll(/ id="([^"]+)"/g)) elements.set(id, new FakeElement());
  await new Promise<void>((resolve) => {
    runInNewContext(part('script'), {
      document: {
        getElementById: (id: string) => elements.get(id),
        createElement: () => new FakeElement(),
      },
      performance,
      fetch: (path: string) => {
        assert.equal(path, 'status');
        return Promise.resolve({ json: () => Promise.resolve(answer()) });
      },
      // The page looks again later: then it has shown this answer.
      setTimeout: () => {
        resolve();
      },
    });
  });
  return elements;
}

test('the page shows the status, and names from elsewhere as text', async () => {
  const topic = '<img src=x onerror=alert(1)>';
  const message = '<script>alert(2)</script>';
  const snapshot = snapshotOf({
    partitions: [partition({ topic, heldBack: ['window'] })],
    lastErrors: [{ name: 'Error', message, stack: '', at: 0, topic, partition: 3, offset: 101 }],
  });
  const status = statusOf(snapshot, { kafka: { groupId: '<b>' } }, snapshot.startedAt);
  const elements = await show(() => JSON.parse(JSON.stringify(status)));
  const text = (id: string) => elements.get(id)?.textContent ?? '';
  assert.equal(text('state'), 'running');
  assert.equal(elements.get('state')?.className, 'good');
  assert.ok(text('partitions').includes(`${topic} / 3|101|90|140|50|7|101, 2.5 s|window`));
  assert.ok(text('workers').includes('0|ready|1|1|5 of 64|25 %'));
  assert.ok(text('errors').includes(message));
  assert.ok(text('config').includes('<b>'));
});

test('the page shows a starting program and one that does not answer', async () => {
  const starting = snapshotOf({ state: 'starting', partitions: [], workers: [], topics: [] });
  const elements = await show(() => statusOf(starting, {}, starting.startedAt));
  assert.equal(elements.get('state')?.textContent, 'starting');
  assert.equal(elements.get('errors')?.textContent, 'none');
  const away = await show(() => {
    throw new Error('connection refused');
  });
  assert.equal(away.get('state')?.textContent, 'not reachable');
});

test('the policy allows exactly the script and style of the page, and nothing of other hosts', () => {
  for (const tag of ['script', 'style']) {
    const hash = createHash('sha256').update(part(tag)).digest('base64');
    assert.ok(PAGE_POLICY.includes(`${tag}-src 'sha256-${hash}'`), tag);
  }
  assert.ok(PAGE_POLICY.startsWith("default-src 'none'"));
  assert.doesNotMatch(PAGE, /https?:\/\/|innerHTML|insertAdjacentHTML|document\.write/);
});
