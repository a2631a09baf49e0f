/** antd's date picker on the business's clock: its today and its now are the server's. */
import dayjsConfig from '@rc-component/picker/generate/dayjs';
import { DatePicker as OfBrowser } from 'antd';
import type { Dayjs } from 'dayjs';
import { now } from './businessClock';

export const DatePicker = OfBrowser.generatePicker<Dayjs>({ ...dayjsConfig, getNow: now });
