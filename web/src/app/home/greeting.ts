import dayjs from 'dayjs';

const noon = 12;
const morningStarts = 5;
const eveningStarts = 18;

export function greeting(now: Date): string {
  const hour = now.getHours();
  if (hour < morningStarts || hour >= eveningStarts) return '晚上好';
  return hour < noon ? '上午好' : '下午好';
}

export function longDate(now: Date): string {
  return dayjs(now).format('YYYY年M月D日 dddd');
}
