/** One spreadsheet at a time, and only a spreadsheet (spec/3-rules.md 5.4, 8); the server checks it again. */
import { api, ApiError } from '@/lib/api';
import { NETWORK, showMessage } from '@/lib/errors';

const WORKBOOK_TYPES = ['.xls', '.xlsx'];
const LINE_SHEET_TYPES = [...WORKBOOK_TYPES, '.csv'];
const WRONG_TYPE_MESSAGE = '上传文件只能是 xls、xlsx格式!';
const ONE_FILE_MESSAGE = '一次只能上传一个文件！';
const UPLOAD_FAILED_MESSAGE = '上传失败，请重试！';

/** Return the `accept` list of a sheet input; lines of a bill may come as CSV as well. */
export const acceptedTypes = (csv: boolean): string => (csv ? LINE_SHEET_TYPES : WORKBOOK_TYPES).join(',');

/** The one spreadsheet that was chosen; tells what else it is, and answers null. */
export function pickSheet(files: readonly File[], csv: boolean): File | null {
  const [file] = files;
  if (!file) return null;
  if (files.length > 1) showMessage('error', ONE_FILE_MESSAGE);
  else if (!(csv ? LINE_SHEET_TYPES : WORKBOOK_TYPES).some((suffix) => file.name.toLowerCase().endsWith(suffix)))
    showMessage('error', WRONG_TYPE_MESSAGE);
  else return file;
  return null;
}

/** Sends a form with a spreadsheet; a network that fails asks to try again. */
export async function uploadSheet<T>(path: string, form: FormData): Promise<T> {
  try {
    return await api.upload<T>(path, form);
  } catch (error) {
    throw error instanceof ApiError && error.code === NETWORK ? new ApiError(NETWORK, UPLOAD_FAILED_MESSAGE) : error;
  }
}
