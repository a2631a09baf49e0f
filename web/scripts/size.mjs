/** Fails when the script the shell loads first, before a route's own chunk, grows past its budget (gzip). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const limitKiB = 350;
const dist = new URL('../dist', import.meta.url).pathname;
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));

/** The shell itself is a lazy chunk behind the login page: what a logged-in first load needs counts as a whole. */
const firstLoad = ['index.html', 'src/app/Shell.tsx'].filter((name) => name in manifest);
const files = new Set();
const visit = (name) => {
  const chunk = manifest[name];
  if (files.has(chunk.file)) return;
  files.add(chunk.file);
  (chunk.imports ?? []).forEach(visit);
};
firstLoad.forEach(visit);

let total = 0;
for (const file of files) {
  const size = gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;
  total += size;
  console.log(`${(size / 1024).toFixed(1).padStart(8)} KiB  ${file}`);
}
console.log(`${(total / 1024).toFixed(1).padStart(8)} KiB  first load (limit ${limitKiB} KiB)`);
if (total > limitKiB * 1024) {
  console.error('first load is over its budget');
  process.exit(1);
}
