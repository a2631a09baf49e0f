import { parseDecimal, toHalfWidth, type Decimal } from './decimal';
import { CAP, CAP_MESSAGE } from './pricing';

/** Number and text rules of spec/3-rules.md 5.1 to 5.3, with their messages. */

export type NumberRule = 'positiveInt' | 'PositiveInt' | 'Positive' | 'positive';
export type NumberType = 'integer' | 'quantity' | 'money' | 'price' | 'rate';

const RULES: Record<NumberRule, { strict: boolean; whole: boolean; message: string }> = {
  positiveInt: { strict: false, whole: true, message: '请输入大于等于0的整数' },
  PositiveInt: { strict: true, whole: true, message: '请输入大于0的整数' },
  Positive: { strict: false, whole: false, message: '请输入大于等于0的数' },
  positive: { strict: true, whole: false, message: '请输入大于0的数' },
};

export const DECIMALS: Record<NumberType, number> = { integer: 0, quantity: 3, money: 2, price: 6, rate: 4 };

export function isNumberType(type: string): type is NumberType {
  return type in DECIMALS;
}

/** What is wrong with a number, or null. */
export function numberProblem(value: Decimal, type: NumberType, rule: string | null): string | null {
  if (value.abs().gte(CAP)) return CAP_MESSAGE;
  const check = rule !== null && rule in RULES ? RULES[rule as NumberRule] : null;
  if (check && (value.lt(0) || (check.strict && value.isZero()) || (check.whole && !value.isInteger()))) {
    return check.message;
  }
  if (value.decimalPlaces() <= DECIMALS[type]) return null;
  return type === 'integer' ? '请输入整数' : `最多${DECIMALS[type]}位小数`;
}

export interface NumberEntry {
  value: string;
  problem: string | null;
}

/** Takes what was typed into a number cell: non-numbers become empty, too many decimals are rounded, rules are told. */
export function enterNumber(text: string, type: NumberType, rule: string | null): NumberEntry {
  if (text.trim() === '') return { value: '', problem: null };
  const parsed = parseDecimal(text);
  if (parsed === null) return { value: '', problem: '请输入数字' };
  const value = type === 'integer' ? parsed : parsed.toDecimalPlaces(DECIMALS[type]);
  const problem = numberProblem(value, type, rule);
  return { value: problem === null ? value.toString() : '', problem };
}

/** Key filter of number inputs: digits, one point, a leading minus; leading zeros go, decimals are limited. */
export function limitNumber(text: string, decimals: number): string {
  const half = toHalfWidth(text).replace(/[^\d.-]/g, '');
  const sign = half.startsWith('-') ? '-' : '';
  const [whole = '', ...rest] = half.replace(/-/g, '').split('.');
  const head = whole.replace(/^0+(?=\d)/, '');
  if (rest.length === 0 || decimals === 0) return sign + head;
  return `${sign}${head || '0'}.${rest.join('').slice(0, decimals)}`;
}

type TextRule = 'mobile' | 'landline' | 'hotline' | 'idCard' | 'bankCard' | 'email' | 'weekCode';

const TEXT_RULES: Record<TextRule, { pattern: RegExp; message: string }> = {
  mobile: { pattern: /^1\d{10}$/, message: '目前只支持中国大陆的手机号码' },
  landline: { pattern: /^0\d{2,3}-\d{7,8}$/, message: '请输入正确的座机号码，格式为区号-号码' },
  hotline: { pattern: /^400-\d{3,4}-\d{3,4}$/, message: '请输入正确的服务热线，格式为400-xxx-xxx' },
  idCard: { pattern: /^(\d{15}|\d{17}[\dXx])$/, message: '证件号码不正确' },
  bankCard: { pattern: /^[1-9]\d*$/, message: '请正确输入银行卡号' },
  email: { pattern: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, message: '请输入正确的邮箱地址' },
  weekCode: { pattern: /^(0[1-9]|[1-4]\d|5[0-3])\d{2}$/, message: '周期应为两位周数加两位年份，如 1226' },
};

export function textProblem(text: string, rule: string | null, maxLength: number | null): string | null {
  if (maxLength !== null && [...text].length > maxLength) return `不能超过${maxLength}个字`;
  if (text === '' || rule === null || !(rule in TEXT_RULES)) return null;
  const { pattern, message } = TEXT_RULES[rule as TextRule];
  return pattern.test(text) ? null : message;
}
