// Fingerprints that tell what is up to date, so that a second start does nothing.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A fingerprint of the files' names and contents and of some further text. */
export function fingerprint(root, files, ...further) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.update(JSON.stringify(further)).digest('hex');
}

/** All files below the folders that `wanted` accepts, relative to `root`, sorted. */
export function filesBelow(root, folders, wanted) {
  const found = [];
  for (const folder of folders) {
    if (!existsSync(join(root, folder))) continue;
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) found.push(...filesBelow(root, [path], wanted));
      else if (wanted(path)) found.push(path);
    }
  }
  return found.sort();
}

export function isStamped(file, stamp) {
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

export function writeStamp(file, stamp) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, stamp);
}
