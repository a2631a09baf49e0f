import {
  BarChartOutlined,
  BarcodeOutlined,
  CopyOutlined,
  ExportOutlined,
  PlusOutlined,
  PrinterOutlined,
  ReloadOutlined,
} from '@ant-design/icons';
import { Button, Space } from 'antd';
import type { ReactNode } from 'react';
import { showMessage } from '../../lib/errors';
import type { Action, Row, Screen } from '../types';
import { findAction, allowsStatus } from '../types';
import type { ColumnControl } from './columnPlan';
import { ColumnSettings } from './ColumnSettings';
import { ImportButton } from './ImportButton';
import { SchemeMenu, type SchemeMenuProps } from './SchemeMenu';
import type { SchemeState } from './schemes';

interface ListToolbarProps {
  screen: Screen;
  onAdd: () => void;
  onEdit: (row: Row) => void;
  onCopy: ((row: Row) => void) | null;
  control: ColumnControl;
  scheme: SchemeMenuProps<SchemeState>;
  chosen: Row[];
  running: string | null;
  onAction: (action: Action) => void;
  onExport: () => void;
  /** A report's replacement of the plain export. */
  exporter?: ReactNode;
  /** Present if the rows can be printed, themselves or as labels. */
  onPrint: (() => void) | null;
  onLabel: (() => void) | null;
  onRefresh: () => void;
  /** True if the chart is shown. */
  isChartShown: boolean | null;
  onChart: () => void;
  /** Time at which a report's figures were computed. */
  refreshedAt: string | undefined;
}

const OWN_BUTTONS = new Set(['add', 'edit', 'export', 'import', 'upload', 'download', 'clear']);

/** Actions on a list: add, edit, copy, the batch actions of the role, export, columns. */
export function ListToolbar(props: ListToolbarProps) {
  const { screen, control, chosen, running, onAdd, onEdit, onCopy, onAction, onExport, onRefresh } = props;
  const add = findAction(screen, 'add');
  const edit = findAction(screen, 'edit');
  const single = (then: (row: Row) => void) => () => {
    const [row] = chosen;
    if (chosen.length === 1 && row) then(row);
    else showMessage('warning', '请选择一条信息');
  };
  const batch = screen.actions.filter((action) => !OWN_BUTTONS.has(action.name));
  return (
    <div className="list-toolbar">
      <Space wrap size={6}>
        {add && (
          <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
            {add.label}
          </Button>
        )}
        {edit && (
          <Button disabled={chosen.length !== 1 || !allowsStatus(edit, screen, chosen[0]!)} onClick={single(onEdit)}>
            {edit.label}
          </Button>
        )}
        {batch.map((action) => (
          <Button
            key={action.name}
            danger={action.danger}
            loading={running === action.name}
            disabled={
              running !== null || (chosen.length > 0 && !chosen.some((row) => allowsStatus(action, screen, row)))
            }
            onClick={() => onAction(action)}
          >
            {action.label}
          </Button>
        ))}
        {add && onCopy && (
          <Button icon={<CopyOutlined />} disabled={chosen.length !== 1} onClick={single(onCopy)}>
            复制
          </Button>
        )}
        {props.onPrint && (
          <Button icon={<PrinterOutlined />} disabled={chosen.length === 0} onClick={props.onPrint}>
            打印
          </Button>
        )}
        {props.onLabel && (
          <Button icon={<BarcodeOutlined />} disabled={chosen.length === 0} onClick={props.onLabel}>
            打印标签
          </Button>
        )}
        {findAction(screen, 'import') && <ImportButton screen={screen} onDone={onRefresh} />}
        {findAction(screen, 'export') &&
          (props.exporter ?? (
            <Button icon={<ExportOutlined />} onClick={onExport}>
              导出
            </Button>
          ))}
        {chosen.length > 0 && <span className="chosen-count">已选 {chosen.length} 条</span>}
      </Space>
      <Space size={6}>
        {props.refreshedAt && (
          <span className="list-freshness" role="status">
            数据截至 {props.refreshedAt}
          </span>
        )}
        <Button icon={<ReloadOutlined />} aria-label="刷新" title="刷新" onClick={onRefresh} />
        {props.isChartShown !== null && (
          <Button
            icon={<BarChartOutlined />}
            aria-label="图表"
            title="图表"
            aria-pressed={props.isChartShown}
            type={props.isChartShown ? 'primary' : 'default'}
            ghost={props.isChartShown}
            onClick={props.onChart}
          />
        )}
        <SchemeMenu {...props.scheme} />
        <ColumnSettings control={control} />
      </Space>
    </div>
  );
}
