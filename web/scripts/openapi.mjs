/**
 * Writes openapi.json, from which the types in src/gen are made, by asking the API in this tree. The engine reads declared
 * resources by their screens, so of the thousands of schemas only those are kept that a source file imports, with what
 * they refer to.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));
const erp = [`${project}.venv/bin/erp`, `${project}.venv/Scripts/erp.exe`].find(existsSync);
if (erp === undefined) {
  console.error('没有找到 .venv，请先在项目根目录运行 make up 或 uv sync');
  process.exit(1);
}
const answer = execFileSync(erp, ['openapi'], { cwd: project, encoding: 'utf-8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] });
const { components, ...document } = JSON.parse(answer);
const schemas = new Map(Object.entries(components.schemas));

/** The name of a schema's type. */
const typeName = (name) => name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, first) => first.toUpperCase());
const byType = new Map([...schemas.keys()].map((name) => [typeName(name), name]));
const imports = /import type \{([^}]*)\} from '@\/gen'/g;
const source = `${project}web/src/`;
const files = readdirSync(source, { recursive: true }).filter((file) => /\.tsx?$/.test(file) && !file.startsWith('gen'));
const sources = files.map((file) => readFileSync(source + file, 'utf-8'));
const wanted = sources.flatMap((source) => [...source.matchAll(imports)].flatMap(([, names]) => names.split(',')));
const types = wanted.map((name) => name.trim().split(' as ')[0]).filter((name) => name !== '');

const kept = new Set();
const keep = (name) => {
  if (kept.has(name)) return;
  kept.add(name);
  for (const [, other] of JSON.stringify(schemas.get(name)).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) keep(other);
};
for (const type of types) {
  const name = byType.get(type);
  if (name === undefined) throw new Error(`接口里没有类型 ${type}`);
  keep(name);
}
const few = { ...document, paths: {}, components: { schemas: Object.fromEntries([...kept].sort().map((name) => [name, schemas.get(name)])) } };
writeFileSync(new URL('../openapi.json', import.meta.url), JSON.stringify(few, null, 2));
