/** Writes openapi.json, from which the types in src/gen are made, by asking the API in this tree. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));
const erp = [`${project}.venv/bin/erp`, `${project}.venv/Scripts/erp.exe`].find(existsSync);
if (erp === undefined) {
  console.error('没有找到 .venv，请先在项目根目录运行 make up 或 uv sync');
  process.exit(1);
}
execFileSync(erp, ['openapi', fileURLToPath(new URL('../openapi.json', import.meta.url))], { cwd: project, stdio: 'inherit' });
