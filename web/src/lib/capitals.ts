import { isMasked, parseDecimal } from './decimal';

const DIGITS = '零壹贰叁肆伍陆柒捌玖';
const UNITS = ['', '拾', '佰', '仟'];
const GROUPS = ['', '万', '亿', '万亿'];

/** Amount in Chinese capitals as printed on bills: 1234.50 → 壹仟贰佰叁拾肆元伍角整. Empty for no or hidden amount. */
export function capitals(value: unknown): string {
  const number = isMasked(value) ? null : parseDecimal(value);
  if (number === null) return '';
  const [whole = '0', fraction = '00'] = number.abs().toFixed(2).split('.');
  if (whole.length > 16) return '';
  const yuan = integerCapitals(whole);
  const tail = fractionCapitals(fraction, yuan !== '');
  const sign = number.isNegative() && !number.toDecimalPlaces(2).isZero() ? '负' : '';
  if (yuan === '' && tail === '') return '零元整';
  return `${sign}${yuan ? `${yuan}元` : ''}${tail || '整'}`;
}

function integerCapitals(whole: string): string {
  let text = '';
  let pendingZero = false;
  const digits = whole.replace(/^0+/, '');
  const groupCount = Math.ceil(digits.length / 4);
  for (let g = groupCount - 1; g >= 0; g--) {
    const slice = digits.slice(Math.max(0, digits.length - (g + 1) * 4), digits.length - g * 4);
    let groupText = '';
    for (let i = 0; i < slice.length; i++) {
      const digit = Number(slice[i]);
      if (digit === 0) {
        pendingZero = pendingZero || text !== '' || groupText !== '';
        continue;
      }
      groupText += (pendingZero ? '零' : '') + DIGITS[digit] + UNITS[slice.length - 1 - i];
      pendingZero = false;
    }
    if (groupText) text += groupText + GROUPS[g];
  }
  return text;
}

function fractionCapitals(fraction: string, afterYuan: boolean): string {
  const jiao = Number(fraction[0]);
  const fen = Number(fraction[1]);
  if (jiao === 0 && fen === 0) return '';
  const jiaoText = jiao ? `${DIGITS[jiao]}角` : afterYuan ? '零' : '';
  return jiaoText + (fen ? `${DIGITS[fen]}分` : '整');
}
