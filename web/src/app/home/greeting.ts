import { now } from '@/lib/businessClock';

const noon = 12;
const morningStarts = 5;
const eveningStarts = 18;

export function formatGreeting(): string {
  const hour = now().hour();
  if (hour < morningStarts || hour >= eveningStarts) return '晚上好';
  return hour < noon ? '上午好' : '下午好';
}

export function formatLongDate(): string {
  return now().format('YYYY年M月D日 dddd');
}
