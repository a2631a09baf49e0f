import { createPortal } from 'react-dom';
import { capitals } from '../../lib/capitals';
import { isMasked, sumOf } from '../../lib/decimal';
import { formatMoney } from '../../lib/format';
import { usePageActive } from '../../lib/tabs';
import { isNumberType } from '../../lib/validation';
import { fieldText, isRightAligned } from '../fields/fieldValue';
import { columnsOf, type Block, type Field, type Row, type Screen } from '../types';

/** Header fields that paper has no use for. */
const NOT_PRINTED = new Set([
  'status',
  'company_id',
  'reject_reason',
  'auditor_id',
  'audited_at',
  'maker_id',
  'made_at',
  'total_quantity',
  'total_amount',
  'tax_amount',
  'no_tax_amount',
]);

/** The bill on paper: only this is printed, on A4 or 241 mm multi-part paper alike. */
export function PrintSheet({ screen, row }: { screen: Screen; row: Row }) {
  const active = usePageActive();
  if (!active || screen.family !== 'bill') return null;
  const total = row.total_amount ?? row.amount;
  const person = (name: string) => {
    const field = screen.fields.find((one) => one.name === name);
    return field ? fieldText(field, row) : '';
  };
  const shown = screen.fields.filter((field) => !field.hidden && !NOT_PRINTED.has(field.name) && fieldText(field, row) !== '');
  return createPortal(
    <div className="print-sheet">
      <h1>{String(row.company_name ?? '')}</h1>
      <h2>{screen.label}</h2>
      <dl>
        {shown.map((field) => (
          <div key={field.name}>
            <dt>{field.label}：</dt>
            <dd>{fieldText(field, row)}</dd>
          </div>
        ))}
      </dl>
      {screen.blocks.map((block) => (
        <PrintLines key={block.name} screen={screen} block={block} rows={(row[block.name] as Row[] | undefined) ?? []} />
      ))}
      {total !== undefined && !isMasked(total) && (
        <p className="print-capitals">
          <span>金额（大写）：{capitals(total)}</span> <span>￥{formatMoney(total)}</span>
        </p>
      )}
      <p className="print-people">
        <span>制单：{person('maker_id')}</span>
        <span>审核：{person('auditor_id')}</span>
        <span>经手：{person('employee_id')}</span>
        <span>签收：</span>
      </p>
    </div>,
    document.body,
  );
}

function PrintLines({ screen, block, rows }: { screen: Screen; block: Block; rows: Row[] }) {
  const columns = columnsOf(block).filter((field) => isForPaper(field, screen) && isUsed(field, rows));
  return (
    <table>
      <thead>
        <tr>
          <th>序号</th>
          {columns.map((field) => (
            <th key={field.name}>{field.label}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((line, index) => (
          <tr key={String(line.line_id ?? index)}>
            <td>{index + 1}</td>
            {columns.map((field) => (
              <td key={field.name} className={isRightAligned(field) ? 'figure' : undefined}>
                {fieldText(field, line)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td>合计</td>
          {columns.map((field) => (
            <td key={field.name} className="figure">
              {field.total ? fieldText(field, { [field.name]: sumOf(rows.map((line) => line[field.name])).toString() }) : ''}
            </td>
          ))}
        </tr>
      </tfoot>
    </table>
  );
}

/** Paper goes to customers: of the figures only those that were keyed in and their total, never cost. */
function isForPaper(field: Field, screen: Screen): boolean {
  if (!field.list || field.masked) return false;
  return field.form || !isNumberType(field.type) || field.name === screen.pricing?.total;
}

/** A column that says the same nothing on every line costs paper. */
function isUsed(field: Field, rows: Row[]): boolean {
  const nothing = new Set(['', '0', '0.00', '否']);
  return field.required || rows.some((row) => !nothing.has(fieldText(field, row)));
}
