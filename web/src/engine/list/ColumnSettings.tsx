import { HolderOutlined, SettingOutlined } from '@ant-design/icons';
import { Button, Checkbox, Popover } from 'antd';
import { useState, type DragEvent } from 'react';
import type { ColumnControl, PlannedColumn } from './columnPlan';

/** Visibility and order of columns, set by mouse or by Alt+↑ ↓ on a focused entry. */
export function ColumnSettings({ control }: { control: ColumnControl }) {
  return (
    <Popover trigger="click" placement="bottomRight" content={<ColumnList control={control} />}>
      <Button icon={<SettingOutlined />} aria-label="列设置" title="列设置" />
    </Popover>
  );
}

function ColumnList({ control }: { control: ColumnControl }) {
  const [dragged, setDragged] = useState<string | null>(null);
  const names = control.columns.map((column) => column.field.name);
  const hidden = control.columns.filter((column) => !column.visible).map((column) => column.field.name);
  const move = (name: string, to: number) => {
    const rest = names.filter((one) => one !== name);
    control.arrange([...rest.slice(0, to), name, ...rest.slice(to)], hidden);
  };
  const toggle = (column: PlannedColumn) => {
    const { name } = column.field;
    control.arrange(names, column.visible ? [...hidden, name] : hidden.filter((one) => one !== name));
  };
  const onDragOver = (event: DragEvent, index: number) => {
    event.preventDefault();
    if (dragged !== null && names[index] !== dragged) move(dragged, index);
  };
  return (
    <div className="column-list">
      {control.columns.map((column, index) => (
        <div
          key={column.field.name}
          role="presentation"
          className="column-entry"
          draggable
          onDragStart={() => setDragged(column.field.name)}
          onDragEnd={() => setDragged(null)}
          onDragOver={(event) => onDragOver(event, index)}
          onKeyDown={(event) => {
            if (event.altKey && event.key === 'ArrowUp' && index > 0) move(column.field.name, index - 1);
            if (event.altKey && event.key === 'ArrowDown' && index < names.length - 1)
              move(column.field.name, index + 1);
          }}
        >
          <HolderOutlined className="column-handle" />
          <Checkbox checked={column.visible} onChange={() => toggle(column)}>
            {column.field.label}
          </Checkbox>
        </div>
      ))}
      <Button size="small" block onClick={control.reset}>
        恢复默认
      </Button>
    </div>
  );
}
