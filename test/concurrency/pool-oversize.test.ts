import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import test from 'node:test';
import { withPool } from './harness.ts';

const MIB = 1024 * 1024;
/** One byte inside the slot, exactly full, one beyond, and far beyond. */
const SIZES = [0, 1, 383, 384, 385, 1024, 1025, 10_000, MIB, MIB + 1, 20 * MIB];

test('values of every size arrive exactly, and memory for large ones is bounded', async () => {
  await withPool('digest.mjs', { slotBytes: 512 }, async (pool) => {
    const digests = new Map<number, string>();
    for (let round = 0; round < 3; round++)
      for (const size of SIZES) {
        const value = randomBytes(size);
        const row = pool.submit({ value });
        digests.set(row, createHash('sha256').update(value).digest('hex'));
      }
    pool.pool.flush();
    await pool.completed(SIZES.length * 3);
    await pool.until(() => pool.lines.length === SIZES.length * 3);
    for (const { fields } of pool.lines)
      assert.equal(fields['sha'], digests.get(Number(fields['offset'])));
    const kept = [...pool.memory.buffers.values()].reduce(
      (sum, memory) => sum + memory.byteLength,
      0,
    );
    assert.ok(kept <= 9 * MIB, `${String(kept)} bytes are kept`);
    const registered = pool.memory.registered;
    for (let left = 100; left > 0; left--) {
      pool.submit({ value: Buffer.alloc(10_000) });
      pool.pool.flush();
      await pool.completed(SIZES.length * 3 + 101 - left);
    }
    assert.equal(pool.memory.registered, registered, 'buffers are used again');
  });
});
