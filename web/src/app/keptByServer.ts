/** Brings what the server keeps for the user into this browser: columns of his tables, and the schemes lists open with. */
import { listPreferences } from '@/lib/preferences';
import { writeStored } from '@/lib/stored';

export async function bringPreferences(): Promise<void> {
  const [columns, schemes] = await Promise.all([listPreferences('columns'), listPreferences('scheme')]);
  for (const { screen, value } of columns) writeStored(`columns:${screen}`, value);
  for (const { screen, value, is_default } of schemes) if (is_default) writeStored(`scheme:${screen}`, value);
}
