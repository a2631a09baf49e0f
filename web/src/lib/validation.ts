import type { Decimal } from './decimal';
import { VALUE_LIMIT, VALUE_LIMIT_MESSAGE } from './pricing';

/** Number and text rules of spec/3-rules.md 5.1 to 5.3; their cases are tests/golden/rules.json, shared with the server. */

export type NumberRule = 'positiveInt' | 'PositiveInt' | 'Positive' | 'positive' | 'notNegative';
export type NumberType = 'integer' | 'quantity' | 'money' | 'price' | 'rate';
/** A line of a bill or table, or a field of a form: their words differ. */
export type InputPlace = 'cell' | 'form';

interface NumberRuleSpec {
  strict: boolean;
  whole: boolean;
  message: Record<InputPlace, string>;
}

const NUMBER_RULES: Record<NumberRule, NumberRuleSpec> = {
  positiveInt: {
    strict: false,
    whole: true,
    message: { cell: '请输入大于等于0的整数', form: '请输入大于等于0的整数' },
  },
  PositiveInt: { strict: true, whole: true, message: { cell: '请输入大于0的整数', form: '必须是正整数' } },
  Positive: { strict: false, whole: false, message: { cell: '请输入大于等于0的数', form: '请输入大于等于零的数' } },
  positive: { strict: true, whole: false, message: { cell: '请输入大于0的数', form: '请输入大于零的数' } },
  notNegative: { strict: false, whole: false, message: { cell: '不能小于0', form: '不能小于0' } },
};

/** Message of `Positive` in a cell of more or fewer than two decimals. */
const ANY_DECIMALS_MESSAGE = '只能输入正数';
/** Words that go on from a field's label; others stand behind it as a sentence of their own. */
const CONTINUING_MESSAGES = ['必须是正整数', '不能小于0'];

/** Between what a number lies: `least` and `most` belong to it, `over` and `under` don't. */
export interface Bounds {
  least: number | null;
  most: number | null;
  over: number | null;
  under: number | null;
}

export interface NumberKind {
  type: NumberType;
  rule: string | null;
  bounds: Bounds | null;
}

export const DECIMALS: Record<NumberType, number> = { integer: 0, quantity: 3, money: 2, price: 6, rate: 4 };

export function isNumberType(type: string): type is NumberType {
  return type in DECIMALS;
}

/** Describe what is wrong with a number, or null; the text follows the field's label. */
export function numberProblem(value: Decimal, { type, rule, bounds }: NumberKind, place: InputPlace): string | null {
  if (value.abs().gte(VALUE_LIMIT)) return VALUE_LIMIT_MESSAGE;
  const check = rule !== null && rule in NUMBER_RULES ? NUMBER_RULES[rule as NumberRule] : null;
  if (check && (value.lt(0) || (check.strict && value.isZero()) || (check.whole && !value.isInteger()))) {
    return place === 'cell' && rule === 'Positive' && DECIMALS[type] !== 2
      ? ANY_DECIMALS_MESSAGE
      : check.message[place];
  }
  const outside = bounds && boundsProblem(value, bounds);
  if (outside) return outside;
  if (value.decimalPlaces() <= DECIMALS[type]) return null;
  return type === 'integer' ? '请输入整数' : `最多${DECIMALS[type]}位小数`;
}

function boundsProblem(value: Decimal, { least, most, over, under }: Bounds): string | null {
  if (least !== null && value.lt(least)) return `请输入大于等于${least}的数`;
  if (most !== null && value.gt(most)) return `请输入小于等于${most}的数`;
  if (over !== null && value.lte(over)) return `请输入大于${over}的数`;
  if (under !== null && value.gte(under)) return `请输入小于${under}的数`;
  return null;
}

/** A problem with the name of what it is about, in the words of the server. */
export function labelProblem(label: string, problem: string): string {
  return CONTINUING_MESSAGES.includes(problem) ? `${label}${problem}` : `“${label}”${problem}`;
}

const TEXT_RULES = {
  mobile: { pattern: /^1\d{10}$/, message: '目前只支持中国大陆的手机号码' },
  landline: { pattern: /^(0\d{2,3}-)?\d{7,8}$/, message: '请输入正确的座机号码，格式为区号-号码' },
  phone: { pattern: /^(1\d{10}|(0\d{2,3}-)?\d{7,8}|400-\d{3,4}-\d{3,4})$/, message: '请输入正确的手机、座机或400电话' },
  hotline: { pattern: /^400-\d{3,4}-\d{3,4}$/, message: '请输入正确的服务热线，格式为400-xxx-xxx' },
  idCard: { pattern: /^(\d{15}|\d{17}[\dXx])$/, message: '证件号码不正确' },
  bankCard: { pattern: /^[1-9]\d*$/, message: '请正确输入银行卡号' },
  unionNo: { pattern: /^\d{12}$/, message: '应为12位数字' },
  creditCode: { pattern: /^[0-9A-HJ-NPQRTUWXY]{2}\d{6}[0-9A-HJ-NPQRTUWXY]{10}$/, message: '应为18位数字和大写字母' },
  email: { pattern: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, message: '请输入正确的邮箱地址' },
};

export function textProblem(text: string, rule: string | null, maxLength: number | null): string | null {
  if (maxLength !== null && [...text].length > maxLength) return `不能超过${maxLength}个字`;
  if (text === '' || rule === null || !(rule in TEXT_RULES)) return null;
  const { pattern, message } = TEXT_RULES[rule as keyof typeof TEXT_RULES];
  return pattern.test(text) ? null : message;
}
