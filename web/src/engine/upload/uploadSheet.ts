/** One spreadsheet at a time, and only a spreadsheet (spec/3-rules.md 5.4, 8); the server checks it again. */
import { api, ApiError } from '@/lib/api';
import { NETWORK, showMessage } from '@/lib/errors';

const WORKBOOKS = ['.xls', '.xlsx'];
const LINES = [...WORKBOOKS, '.csv'];
const ONLY_WORKBOOKS = '上传文件只能是 xls、xlsx格式!';
const ONE_FILE = '一次只能上传一个文件！';
const FAILED = '上传失败，请重试！';

/** What a chooser of spreadsheets offers; lines of a bill may come as text as well. */
export const accepted = (csv: boolean): string => (csv ? LINES : WORKBOOKS).join(',');

/** The one spreadsheet that was chosen; tells what else it is, and answers null. */
export function chosenSheet(files: readonly File[], csv: boolean): File | null {
  const [file] = files;
  if (!file) return null;
  if (files.length > 1) showMessage('error', ONE_FILE);
  else if (!(csv ? LINES : WORKBOOKS).some((suffix) => file.name.toLowerCase().endsWith(suffix))) showMessage('error', ONLY_WORKBOOKS);
  else return file;
  return null;
}

/** Sends a form with a spreadsheet; a network that fails asks to try again. */
export async function uploadSheet<T>(path: string, form: FormData): Promise<T> {
  try {
    return await api.upload<T>(path, form);
  } catch (error) {
    throw error instanceof ApiError && error.code === NETWORK ? new ApiError(NETWORK, FAILED) : error;
  }
}
